"""A claim: a row of a paper and a check whose defaults are the paper's own numbers.

A claim runs without pytest: call it with other numbers and it answers "what if". `Claim.judge` does
what the ledger writes down: it judges the numbers as printed, the repair, and a control that must
fail, and it lists every way in which the claim itself is faulty.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from numerics.evidence import Evidence, Verdict, plain
from numerics.search.reference import with_losses
from numerics.seeds import seeded
from proofs_check.core.dial import Edge, find_edge
from proofs_check.core.hypotheses import unmet
from proofs_check.instances.reference import OF_PAPER

if TYPE_CHECKING:
    from numerics.figures.results import Measurements

__all__ = ["MEANS", "REGISTRY", "SEVERITIES", "Claim", "Judgement", "by_severity", "claim", "shown"]

SEVERITIES = ("typo", "gap", "material")  # the last is the gravest
#: What an inequality between means assumes where it is proved for their integrands.
MEANS = "the expectation preserves <="
REGISTRY: dict[str, Claim] = {}
_ID = re.compile(r"^[A-Z]+:[^\s/]+(/[\w.-]+)?$")


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What came out when a claim was judged.

    Parameters
    ----------
    printed : Evidence
        The statement with the paper's numbers.
    held : Evidence
        The same with the repair, where there is one; otherwise `printed`.
    control : Evidence or None
        A statement just beyond the edge, which must be REFUTED.
    edge : Edge or None
        Last accepted and first refuted value of the dial.
    faults : tuple of str
        Why the claim itself is not in order; empty if it is.
    """

    printed: Evidence
    held: Evidence
    control: Evidence | None
    edge: Edge | None
    faults: tuple[str, ...]

    @property
    def error(self) -> float:
        """The share of statistical error that this claim spends."""
        return max(self.printed.error, self.held.error)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """An executable statement; built by the decorator `claim`, never by hand.

    Examples
    --------
    >>> from proofs_check.boursier_boyer import corollary_c3_steps as c3
    >>> c3.quarter_of_delta_is_admissible(c=1000).verdict.accepted  # if the constant were 1000?
    True
    """

    id: str
    check: Callable[..., Evidence]
    false: str = ""
    open: str = ""
    repair: Mapping[str, Any] = field(default_factory=dict)
    control: Mapping[str, Any] = field(default_factory=dict)
    dial: str = ""
    needs: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    argument: str = ""
    hypotheses: tuple[str, ...] = ()
    why: str = ""
    instead: str = ""
    unproved: str = ""
    reference: Mapping[str, Any] | None = None
    assumes: tuple[str, ...] = ()

    def __call__(self, **numbers: Any) -> Evidence:
        """Judge the statement with other numbers than the paper's.

        Raises
        ------
        TypeError
            If the claim has no such number, or its check does not return an `Evidence`.
        """
        unknown = set(numbers) - set(self.numbers)
        if unknown:
            raise TypeError(
                f"{self.id} has no number called {', '.join(sorted(unknown))}; it has {', '.join(self.numbers) or 'none'}"
            )
        return self._at_reference(self._run(numbers, reseed=0))[0]

    def __repr__(self) -> str:
        numbers = ", ".join(f"{k}={v}" for k, v in shown(self.numbers).items())
        return f"<claim {self.id} ({numbers})>"

    @property
    def numbers(self) -> dict[str, Any]:
        """The paper's numbers: the keyword parameters of the check with their printed values."""
        return {name: p.default for name, p in inspect.signature(self.check).parameters.items()}

    @property
    def row(self) -> str:
        """The id of the row that this claim settles, or helps to settle."""
        return self.id.split("/", 1)[0]

    def _run(self, numbers: Mapping[str, Any], *, reseed: int) -> Evidence:
        with seeded(self.id, reseed):
            evidence = self.check(**numbers)
        if not isinstance(evidence, Evidence):
            raise TypeError(f"the check of {self.id} returned {type(evidence).__name__}; return the Evidence of an engine")
        if self.assumes and evidence.verdict.accepted:
            evidence = evidence.replace(assumes=(*evidence.assumes, *self.assumes))
        used = {**self.numbers, **numbers}
        floats = [f"{k} = {v!r}" for k, v in used.items() if isinstance(v, float)]
        if floats and evidence.verdict in (Verdict.PROVED, Verdict.CERTIFIED):
            raise TypeError(
                f"{self.id} is {evidence.verdict} from the float {', '.join(floats)}; write it as a Fraction or an integer"
            )
        return evidence

    def _at_reference(self, evidence: Evidence) -> tuple[Evidence, list[str]]:
        """The evidence with its loss at the paper's reference instance, and why there is none."""
        if self.reference is None:
            return evidence, []
        paper = self.id.split(":", 1)[0]
        if paper not in OF_PAPER:
            raise ValueError(
                f"{self.id} has reference=, but {paper} brings no instance; add it to proofs_check.instances.reference"
            )
        return with_losses(evidence, OF_PAPER[paper].with_values(self.reference))

    def judge(self, reseed: int = 0, measured: Measurements | None = None) -> Judgement:
        """Judge printed, repaired and control statement, and the claim itself.

        Parameters
        ----------
        reseed : int
            Family of random streams; 0 is the published one.
        measured : Measurements, optional
            What a check with a parameter ``measured`` is judged on, instead of what it measures
            itself.

        Returns
        -------
        Judgement
        """
        given = {"measured": measured} if measured is not None and "measured" in self.numbers else {}
        run = lambda numbers: self._run({**given, **numbers}, reseed=reseed)
        printed, why_not = self._at_reference(run({}))
        held, why_not = self._at_reference(run(self.repair)) if self.repair else (printed, why_not)
        edge, control, faults = None, None, []
        if self.reference is not None and held.verdict.accepted and held.reference is None:
            reasons = "; ".join(dict.fromkeys(why_not)) or f"the engine {held.engine!r} evaluates nothing there"
            faults.append(f"it has reference=, but no slack at the reference instance: {reasons}")
        if self.dial:
            start = Fraction({**self.numbers, **self.repair}[self.dial])
            edge = find_edge(lambda value: run({**self.repair, self.dial: value}), start)
            if edge is not None:
                control = edge.beyond
            elif held.verdict.accepted:
                faults.append(f"no value of the dial {self.dial} is refuted: the check cannot fail")
        elif self.control:
            control = run({**self.repair, **self.control})
            faults += self._too_far(run)
        else:
            control = held.control
        return Judgement(
            printed=printed,
            held=held,
            control=control,
            edge=edge,
            faults=tuple(faults + self._faults(printed, held, control)),
        )

    def _faults(self, printed: Evidence, held: Evidence, control: Evidence | None) -> list[str]:
        out = []
        want = Verdict.REFUTED if self.false else Verdict.OPEN if self.open else None
        found = _short(printed)
        if want and printed.verdict is not want:
            out.append(f"as printed it was declared {want}, but came out {found}")
        elif not want and not printed.verdict.accepted:
            out.append(f"as printed it came out {found}; declare it with false= or open=, or mend the check")
        if self.repair and not held.verdict.accepted:
            out.append(f"the repair {dict(self.repair)} came out {_short(held)}")
        if printed.verdict is Verdict.REFUTED:
            out += [f"the witness is outside the printed hypotheses: {h}" for h in unmet(self.hypotheses, printed.witness)]
        if held.verdict.accepted and (control is None or control.verdict is not Verdict.REFUTED):
            seen = "there is none" if control is None else f"it came out {_short(control)}"
            out.append(f"no control was refuted ({seen}): the check may be unable to fail")
        return out

    def _too_far(self, run: Callable[[Mapping[str, Any]], Evidence]) -> list[str]:
        """A control more than a factor 2 beyond the edge shows too little: half as far, it must not
        be refuted.
        """
        far: dict[str, Fraction] = {}
        for name, value in self.control.items():
            base = {**self.numbers, **self.repair}[name]
            if not all(isinstance(v, (int, Fraction)) and not isinstance(v, bool) and v > 0 for v in (value, base)):
                return []  # a control that swaps a formula has no distance
            ratio = Fraction(value) / Fraction(base)
            if ratio > 2 or ratio < Fraction(1, 2):
                far[name] = Fraction(value) / 2 if ratio > 1 else Fraction(value) * 2
        if not far or run({**self.repair, **self.control, **far}).verdict is not Verdict.REFUTED:
            return []
        return [f"the control {dict(self.control)} is more than a factor 2 beyond the edge: {far} is refuted already"]


def _short(e: Evidence) -> str:
    witness = ", ".join(f"{k} = {v}" for k, v in e.witness.items())
    return f"{e.verdict}" + (f" at {witness}" if witness else f" ({e.reason})" if e.reason else "")


def claim(
    id: str,
    *,
    false: str = "",
    open: str = "",
    repair: Mapping[str, Any] | None = None,
    control: Mapping[str, Any] | None = None,
    dial: str = "",
    needs: tuple[str, ...] = (),
    cites: tuple[str, ...] = (),
    argument: str = "",
    hypotheses: tuple[str, ...] = (),
    why: str = "",
    instead: str = "",
    unproved: str = "",
    reference: Mapping[str, Any] | None = None,
    assumes: tuple[str, ...] = (),
) -> Callable[[Callable[..., Evidence]], Claim]:
    """Turn a check into a claim.

    Parameters
    ----------
    id : str
        A row of ``statements.toml``, or ``row/part``.
    false : str
        The printed numbers must come out REFUTED. ``"typo"``: a slip of notation; ``"gap"``: a step
        of a proof is false, or a hypothesis is missing; ``"material"``: a numbered statement is
        false.
    open : str
        Why nothing here can settle it: the printed numbers must come out OPEN.
    repair : Mapping
        The nearest true statement, as changed numbers.
    control : Mapping
        Numbers on top of the repair that must come out REFUTED, at most a factor 2 beyond the edge.
    dial : str
        The number to turn: finds the edge by bisection, and with it control, sharp value and slack.
    needs : tuple of str
        Claims, or rows, that the proof uses.
    cites : tuple of str
        Theorems of others taken as given.
    argument : str
        How the needs give the statement: a sentence that people read and nobody executes.
    hypotheses : tuple of str
        Printed hypotheses in the names of the witness, such as ``"L >= 1"``; a refutation is
        checked against them.
    why : str
        For the author, with ``false``: why the printed line fails, in words and LaTeX between
        dollars.
    instead : str
        For the author, with ``false``: the nearest true statement, in words and LaTeX between
        dollars.
    unproved : str
        Why no prover reaches a statement that is only SUPPORTED.
    reference : Mapping
        The bound is also evaluated at the reference instance, with these values of symbols that the
        instance does not name.
    assumes : tuple of str
        What the step from the check to the statement takes for granted; it is added to the
        evidence.

    Returns
    -------
    callable
        A decorator that returns the `Claim`, and enters it into `REGISTRY`.

    Raises
    ------
    ValueError, TypeError
        If the id is malformed or taken, a number does not exist, or the check takes anything but
        keywords with defaults.

    Examples
    --------
    >>> from numerics.evidence import Evidence, Verdict
    >>> try:
    ...     claim("BB:X", false="slip")
    ... except ValueError as error:
    ...     print(error)
    BB:X: false='slip' is none of typo, gap, material; say how severe the error is
    """
    if not _ID.match(id):
        raise ValueError(f"{id!r} is not an id; write PAPER:place or PAPER:place/part, such as 'BB:CC.3.b' or 'BB:LC.1/inference'")
    if false and false not in SEVERITIES:
        raise ValueError(f"{id}: false={false!r} is none of {', '.join(SEVERITIES)}; say how severe the error is")
    if false and open:
        raise ValueError(f"{id}: a claim is declared false or open, not both; drop one")
    if false and not (why.strip() and instead.strip()):
        raise ValueError(f"{id}: tell the author why the printed line fails (why=) and what is true instead (instead=)")
    if (why or instead) and not false:
        raise ValueError(f"{id}: why= and instead= belong to a false statement; declare false= or drop them")
    if repair and not false:
        raise ValueError(f"{id}: a repair belongs to a false statement; declare false= or drop the repair")
    if dial and control:
        raise ValueError(f"{id}: the dial makes its own control; drop control=")

    def register(check: Callable[..., Evidence]) -> Claim:
        for name, p in inspect.signature(check).parameters.items():
            if p.kind is not p.KEYWORD_ONLY or p.default is p.empty:
                raise TypeError(f"{id}: {name} must be keyword-only with the printed value as its default; write (*, {name}=...)")
        known = inspect.signature(check).parameters
        for name in [*(repair or ()), *(control or ()), *([dial] if dial else [])]:
            if name not in known:
                raise ValueError(f"{id}: the check has no number called {name!r}; it has {', '.join(known) or 'none'}")
        if id in REGISTRY and REGISTRY[id].check.__code__ is not check.__code__:
            raise ValueError(f"two claims are named {id}; add a part, such as {id}/second")
        REGISTRY[id] = made = Claim(
            id=id,
            check=check,
            false=false,
            open=open,
            repair=MappingProxyType(dict(repair or {})),
            control=MappingProxyType(dict(control or {})),
            dial=dial,
            needs=tuple(needs),
            cites=tuple(cites),
            argument=argument,
            hypotheses=tuple(hypotheses),
            why=why,
            instead=instead,
            unproved=unproved,
            reference=None if reference is None else MappingProxyType(dict(reference)),
            assumes=tuple(assumes),
        )
        return made

    return register


def by_severity(entry: Mapping[str, Any]) -> int:
    """Key that sorts entries of a ledger, the gravest error first and what is declared no error
    last.

    Examples
    --------
    >>> sorted([{"severity": None}, {"severity": "gap"}, {"severity": "material"}], key=by_severity)
    [{'severity': 'material'}, {'severity': 'gap'}, {'severity': None}]
    """
    return -SEVERITIES.index(entry["severity"]) if entry["severity"] else 1


def shown(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of a claim as JSON scalars, with functions by their names; what is not given
    (None) is left out.
    """
    return {k: getattr(v, "__name__", None) or plain(v) for k, v in numbers.items() if v is not None}
