"""A claim: a row of a paper and a check whose defaults are the paper's own numbers.

Called with other numbers it answers "what if". `Claim.judge` judges the numbers as printed, the
repair and a control that must fail, and lists every way in which the claim itself is faulty.
"""

from __future__ import annotations

import inspect
import re
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType, MappingProxyType
from typing import Any

from numerics.counterexamples.worst_case.reference import with_losses
from numerics.evidence import Evidence, Verdict
from numerics.provers.remembered import Note, note, noting, remembering, without_z3
from numerics.seeds import EXAMPLES, seeded
from proofs_check.core.claim_page import ClaimPage, shown
from proofs_check.core.controls import disagreeing, faults_of_controls, floats, in_short, named_z3, vacuous
from proofs_check.core.hypotheses import outside
from proofs_check.core.instead import untold
from proofs_check.core.printed import faults_of_hypotheses
from proofs_check.core.robust import Diverging, Robust
from proofs_check.core.severity import misdeclared
from proofs_check.core.sharp_constant import SharpConstant
from proofs_check.core.stages import evaluate, look_for_sharp, refute, try_out
from proofs_check.instances.reference import OF_PAPER
from proofs_check.papers.sharp_constants import known_ends
from proofs_check.papers.statements import told_beside
from theory.inputs.kinds import check_kind, read_items

__all__ = ["MEANS", "REGISTRY", "Claim", "Judgement", "claim"]

#: What an inequality between means assumes where it is proved for their integrands.
MEANS = "the expectation preserves <="
REGISTRY: dict[str, Claim] = {}
_ID = re.compile(r"^[A-Z]+:[^\s/]+(/[\w.-]+)?$")


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What came out when a claim was judged."""

    printed: Evidence
    held: Evidence
    control: Evidence | None
    sharp: SharpConstant | None
    faults: tuple[str, ...]
    seconds: float

    @property
    def error(self) -> float:
        """The share of statistical error that this claim spends."""
        return max(self.printed.error, self.held.error)


@dataclass(frozen=True, kw_only=True)
class Claim(ClaimPage):
    """An executable statement; built by the decorator `claim`, never by hand.

    Examples
    --------
    >>> from proofs_check.boursier_boyer.concentration import corollary_c3 as c3
    >>> c3.quarter_of_delta_is_admissible(c=1000).verdict.accepted  # if the constant were 1000?
    True
    """

    id: str
    check: Callable[..., Evidence]
    false: str = ""
    at: str = ""
    follows: str = ""
    open: str = ""
    repair: Mapping[str, Any] = field(default_factory=dict)
    control: tuple[Mapping[str, Any], ...] = ()
    sharp: str = ""
    robust: Robust | Diverging | None = None
    needs: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    argument: str = ""
    fragment: str = ""
    hypotheses: tuple[str, ...] = ()
    why: str = ""
    details: str = ""
    instead: str = ""
    costs: str = ""
    unproved: str = ""
    reference: Mapping[str, Any] | None = None
    assumes: tuple[str, ...] = ()
    revised: bool = False  # other numbers are printed than those that somebody read

    def __post_init__(self) -> None:
        put = lambda name, value: object.__setattr__(self, name, value)
        for name in ("needs", "cites", "hypotheses", "assumes"):
            put(name, tuple(getattr(self, name)))
        for name in ("repair", "reference"):
            given = getattr(self, name)
            put(name, given if given is None else MappingProxyType(dict(given)))
        put("control", tuple(MappingProxyType(dict(c)) for c in self.control))

    def __call__(self, **numbers: Any) -> Evidence:
        """Judge the statement with other numbers than the paper's."""
        unknown = set(numbers) - set(self.numbers)
        if unknown:
            raise TypeError(
                f"{self.id} has no number called {', '.join(sorted(unknown))}; it has "
                f"{', '.join(self.numbers) or 'none'}"
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
        with seeded(self.id, reseed), noting() as asked, without_z3():
            evidence = self.check(**numbers)
        if not isinstance(evidence, Evidence):
            raise TypeError(
                f"the check of {self.id} returned {type(evidence).__name__}; return the Evidence of an engine"
            )
        if named_z3(evidence):
            raise ValueError(
                f"the check of {self.id} rests on z3, which may not be installed and gives no certificate; "
                "have it shown by an engine of ours"
            )
        if self.assumes and evidence.verdict.accepted:
            evidence = evidence.replace(assumes=(*evidence.assumes, *self.assumes))
        used = {**self.numbers, **numbers}
        if (evidence.weakest or evidence.verdict).executed and (found := floats(used)):
            raise TypeError(
                f"{self.id} is {evidence.verdict} from floats in {', '.join(found)}; write Fractions "
                "or integers"
            )
        if self.fragment:
            evidence = evidence.within(self.fragment)
        elif self.argument:
            evidence = evidence.argued(self.argument)
        note(Note("claim", dict(numbers), evidence, asked))
        return evidence

    def _at_reference(self, evidence: Evidence) -> tuple[Evidence, list[str] | None]:
        """The evidence with its loss at the paper's reference instance, and why there is none."""
        if self.reference is None:
            return evidence, None
        paper = self.id.split(":", 1)[0]
        if paper not in OF_PAPER:
            raise ValueError(
                f"{self.id} has reference=, but {paper} brings no instance; add it to "
                "proofs_check.instances.reference"
            )
        return with_losses(evidence, OF_PAPER[paper].with_values(self.reference))

    @remembering()
    def judge(
        self, reseed: int = 0, measured: Any = None, examples: int = EXAMPLES, search_anew: bool = False
    ) -> Judgement:
        """Judge printed, repaired and control statement, and the claim itself. A sharp constant is
        first looked for where `known_ends` has it, unless `search_anew`.
        """
        started = time.perf_counter()
        given = {"measured": measured} if measured is not None and "measured" in self.numbers else {}
        run = lambda numbers: self._run({**given, **numbers}, reseed=reseed)
        repaired = lambda numbers: run({**self.repair, **numbers})
        numbers = {**self.numbers, **self.repair}
        found = evaluate(run, self.repair, self._at_reference)
        known = None if search_anew else known_ends().get(self.id)
        sharp = look_for_sharp(repaired, found.held, numbers, self.sharp, known)
        controls = refute(repaired, found.held, numbers, self.control, sharp.constant)
        with seeded(self.id, reseed, examples):
            tried = try_out(repaired, found.held, controls, self.sharp, sharp.constant)
        printed, held = found.printed if self.repair else tried.held, tried.held
        read = not (given or self.revised)
        return Judgement(
            printed=printed,
            held=held,
            control=next(iter(controls.seen), held.control),
            sharp=sharp.constant,
            faults=(
                *(*found.faults, *sharp.faults, *controls.faults, *tried.faults),
                *self._faults_of_verdicts(printed, held),
                *faults_of_controls(held, controls.seen, self.hypotheses),
                *faults_of_hypotheses(self.id, printed, held, self.fragment, self.needs, read=read),
            ),
            seconds=time.perf_counter() - started,
        )

    def _faults_of_verdicts(self, printed: Evidence, held: Evidence) -> list[str]:
        out = []
        want = Verdict.REFUTED if self.false else Verdict.OPEN if self.open else None
        found = in_short(printed)
        if want and printed.verdict is not want:
            out.append(f"as printed it was declared {want}, but came out {found}")
        elif not want and not printed.verdict.accepted:
            out.append(f"as printed it came out {found}; declare it with false= or open=, or mend the check")
        if self.repair and not held.verdict.accepted:
            out.append(
                f"the repair {dict(self.repair)} came out {in_short(held)}; mend it, or leave repair= "
                "out, so that instead= is shown as not executed"
            )
        out += untold(self.instead, self.numbers, self.repair)
        if printed.verdict is Verdict.REFUTED:
            out += outside("witness", self.hypotheses, printed.witness)
            if not self.hypotheses:
                out.append(
                    "it is refuted without hypotheses=; say what the paper assumes, in the names of "
                    "the witness"
                )
        elif (
            printed.verdict.accepted
        ):  # it may be at the edge of a range, and of fewer quantities than the paper speaks of
            closed = [re.sub("([<>])(?!=)", r"\1=", h) for h in self.hypotheses]
            out += outside("tightest instance", closed, printed.tightest, known=True)
        if self.robust is not None:
            out += self.robust.faults() + outside(
                "robust witness", self.hypotheses, self.robust.member(), known=True
            )
        out += dict.fromkeys([*disagreeing(printed), *disagreeing(held)])
        return out + [f"it says nothing: {v}" for v in dict.fromkeys([*vacuous(printed), *vacuous(held)])]


def claim(
    id: str,
    *,
    false: str = "",
    at: str = "",
    follows: str = "",
    open: str = "",
    repair: Mapping[str, Any] = MappingProxyType({}),
    control: Mapping[str, Any] | tuple[Mapping[str, Any], ...] = (),
    sharp: str = "",
    robust: Robust | Diverging | None = None,
    needs: tuple[str, ...] = (),
    cites: tuple[str, ...] = (),
    argument: str = "",
    fragment: str = "",
    hypotheses: tuple[str, ...] = (),
    why: str = "",
    details: str = "",
    instead: str = "",
    costs: str = "",
    unproved: str = "",
    reference: Mapping[str, Any] | None = None,
    assumes: tuple[str, ...] = (),
) -> Callable[[Callable[..., Evidence]], Claim]:
    """Turn a check into a claim. The words that people read (`open`, `why`, `details`, `instead`,
    `argument`, `fragment`, `unproved`) may stand beside the row instead, in ``statements.toml``
    under ``[[row.claim]]`` with the ``id`` of the claim.

    Parameters
    ----------
    id : str
        A row of ``statements.toml``, or ``row/part``.
    false : str
        The printed numbers must come out REFUTED. One of `severity.SEVERITIES`: ``"false"``, it
        fails in its own regime; ``"gap"``, a step of a proof fails or a hypothesis is missing;
        ``"edge"``, at degenerate points only; ``"text and code"``; ``"typo"``.
    at : str
        The degenerate points of an edge, such as ``"L = 1"``.
    follows : str
        The claim whose error this one merely inherits; it is not counted again.
    open : str
        Why nothing here can settle it: the printed numbers must come out OPEN.
    repair : Mapping
        The nearest true statement, as changed numbers.
    control : Mapping or tuple of Mapping
        Numbers on top of the repair that must come out REFUTED, at most a factor 2 too far;
        as many as it takes to refute every conjunct once.
    sharp : str
        The number whose sharp constant is found by bisection: where the verdict changes. It gives
        a control, and the slack of the printed number.
    robust : Robust or Diverging
        With ``false="false"``: a witness that is not degenerate; see `proofs_check.core.robust`.
    needs : tuple of str
        Claims, or rows, that the proof uses.
    cites : tuple of str
        Theorems of others taken as given.
    argument : str
        How what is executed, with the needs, gives the statement: a sentence that nobody executes.
        What was PROVED or CERTIFIED becomes ARGUED.
    fragment : str
        Which part of the statement is executed, if not the whole; then it is SUPPORTED at most.
    hypotheses : tuple of str
        Printed hypotheses in the names of the witness, such as ``"L >= 1"``; refutations and
        controls are checked against them.
    why : str
        With ``false``: why the printed line fails, in one line of words and LaTeX between dollars.
    details : str
        What more there is to say of it.
    instead : str
        With ``false``: the nearest true statement, in the same form.
    costs : str
        With ``false``: what the mended error costs the paper, one of `severity.COSTS`.
    unproved : str
        Why no prover reaches the statement; the chain is then at most SUPPORTED.
    reference : Mapping
        Values of symbols that the reference instance lacks; the bound is evaluated there, too.
    assumes : tuple of str
        What the step from the check to the statement takes for granted; the evidence has it, too.

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
    BB:X: false='slip' is none of false, gap, edge, text and code, typo; say how grave the error is
    """
    said = dict(locals())
    words = [name for name, p in inspect.signature(claim).parameters.items() if p.default in ("", p.empty)]
    check_kind(str, **{name: said[name] for name in words})
    check_kind(Mapping, repair=repair)
    words_of_row = told_beside(sys._getframe(1).f_code.co_filename).get(id, {})
    if twice := [name for name in words_of_row if said[name]]:
        raise ValueError(
            f"{id}: {twice[0]}= stands beside its row in statements.toml and in the decorator; drop "
            "one of the two"
        )
    said |= words_of_row
    said |= {
        name: read_items(str, **{name: said[name]}) for name in ("needs", "cites", "hypotheses", "assumes")
    }
    if not _ID.match(id):
        raise ValueError(
            f"{id!r} is not an id; write PAPER:place or PAPER:place/part, such as 'BB:CC.3.b' or "
            "'BB:LC.1/inference'"
        )
    said["control"] = controls = (
        (control,) if isinstance(control, Mapping) else read_items(Mapping, control=control)
    )
    if wrong := misdeclared(said):
        raise ValueError(f"{id}: {wrong}")
    if said["fragment"] and said["argument"]:
        raise ValueError(
            f"{id}: a fragment is not joined to the statement by an argument; drop one of the two"
        )

    def register(check: Callable[..., Evidence]) -> Claim:
        check_kind(FunctionType, check=check)
        for name, p in inspect.signature(check).parameters.items():
            if p.kind is not p.KEYWORD_ONLY or p.default is p.empty:
                raise TypeError(
                    f"{id}: {name} must be keyword-only with the printed value as its default; write "
                    f"(*, {name}=...)"
                )
        known = inspect.signature(check).parameters
        for name in [*repair, *(name for c in controls for name in c), *([sharp] if sharp else [])]:
            if name not in known:
                raise ValueError(
                    f"{id}: the check has no number called {name!r}; it has {', '.join(known) or 'none'}"
                )
        place = lambda f: (f.__code__.co_filename, f.__code__.co_firstlineno)
        if id in REGISTRY and place(REGISTRY[id].check) != place(check):  # a module may be imported again
            raise ValueError(f"two claims are named {id}; add a part, such as {id}/second")
        REGISTRY[id] = made = Claim(check=check, **said)
        return made

    return register
