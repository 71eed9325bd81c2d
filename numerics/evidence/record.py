"""`Evidence`: what an engine found out about a statement, as a frozen record that can be written as
JSON. It cannot be built in a form that claims too much: a verdict above the ceiling of its engine,
a refutation without a witness, an open statement without a reason, a supported one without its
coverage, or numbers that contradict the verdict are all errors.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from numbers import Real
from types import MappingProxyType
from typing import Any, ClassVar

from numerics.evidence.verdict import CEILING, EVERY_DIMENSION, STATISTICAL, WITNESS_BY, Verdict
from theory.inputs.kinds import check_kind, read_items
from theory.shown.result import Shown

__all__ = ["Evidence", "plain"]

Plain = int | float | str | bool
#: By how much a slack of exactly 1 may be off, since it is the quotient of two rounded numbers.
ROUNDING = 1e-9
LISTS = ("assumes", "cites", "parts", "routes", "steps")


def plain(value: Any) -> Plain:
    """A JSON scalar that keeps the value: integers, rationals as ``"p/q"``, else its text."""
    if isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
    if isinstance(value, float) or type(value).__module__ == "numpy":
        item = value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
        return (
            item
            if isinstance(item, (bool, int, str)) or (isinstance(item, float) and math.isfinite(item))
            else str(item)
        )
    if getattr(value, "is_Integer", False):
        return int(value)
    return str(value)


@dataclass(frozen=True, kw_only=True, repr=False)
class Evidence(Shown):
    """The outcome of one check.

    Parameters
    ----------
    verdict, engine : Verdict, str
        One of the six words, at most what the engine can show: a key of `CEILING`.
    checked : str
        LaTeX of what the engine received, beside which the printed text can be laid.
    covered : str
        Domain, laws, lengths or grid over which it was checked. Required under SUPPORTED.
    dimension : str
        ``"every d"``, ``"d = 1, 2, 3"``, or empty where no dimension occurs.
    assumes, cites : tuple of str
        What the engine took for granted, such as invertibility, and theorems taken as given.
    witness : Mapping[str, int | float | str]
        A point that meets every hypothesis and breaks the statement. Only under REFUTED, and there
        required.
    witness_by, disagreement : str, float
        How the witness was evaluated a second time: ``"exact"``, ``"Arb"``, ``"statistics"``, or
        ``"two routes"`` that differ by at most 1e-6 of the violation.
    slack, slack_error, tightest : float or None, float, Mapping[str, int | float | str]
        Bound over truth at the tightest point found, below 1 when refuted; its standard error as a
        share of it, where runs or samples gave it; and the point.
    reference : float or None
        What the bound gives away at a reference instance (`worst_case.reference`), if one was
        given; for a conjunction the largest of its parts.
    margin : float or None
        A certified lower bound of the difference of the two sides.
    samples, seed, error : int, int, float
        Random draws, their seed, and the probability that the verdict is an accident of them.
    vacuous : str
        Why the check says nothing: its sides are the same as written, or its conclusion is one of
        its hypotheses. A claim with a vacuous part is faulty.
    argument, weakest : str, Verdict or None
        Required under ARGUED: the human sentence, executed by nobody, that joins what was executed
        to the statement, and the verdict of the weakest part, PROVED or CERTIFIED.
    reason : str
        Why nothing could be decided. Required under OPEN.
    control : Evidence or None
        The same engine on a statement that it spoiled itself: it must come out REFUTED.
    parts, routes : tuple of Evidence
        The conjuncts of `all_of`, and the second routes of `confirmed`, on which nothing rests.
    steps : tuple of str
        A short proof, where the engine has one: formulas between dollars, and words.
    seconds : float
        Time the check took.
    sides : tuple
        The inequalities that were judged, in a form that a reference instance can evaluate;
        neither compared nor written as JSON.

    Raises
    ------
    ValueError
        If the evidence would say more than its engine can, or leaves out what its verdict requires.

    Examples
    --------
    >>> refuted = dict(verdict=Verdict.REFUTED, engine="exact arithmetic", witness_by="exact")
    >>> e = Evidence(**refuted, witness={"L": 1})
    >>> e.verdict.value, Evidence.from_json(e.to_json()) == e
    ('REFUTED', True)
    >>> try:
    ...     Evidence(verdict=Verdict.PROVED, engine="Monte Carlo")
    ... except ValueError as error:
    ...     print(str(error).split(";")[0])
    the engine 'Monte Carlo' can at most say SUPPORTED, not PROVED
    """

    FORMULAS: ClassVar[frozenset[str]] = frozenset({"checked"})

    verdict: Verdict
    engine: str
    checked: str = ""
    covered: str = ""
    dimension: str = ""
    assumes: tuple[str, ...] = ()
    witness: Mapping[str, Any] = field(default_factory=dict)
    witness_by: str = ""
    disagreement: float = 0.0
    slack: float | None = None
    slack_error: float = 0.0
    tightest: Mapping[str, Any] = field(default_factory=dict)
    reference: float | None = None
    margin: float | None = None
    samples: int = 0
    seed: int = 0
    error: float = 0.0
    cites: tuple[str, ...] = ()
    vacuous: str = ""
    argument: str = ""
    weakest: Verdict | None = None
    reason: str = ""
    control: Evidence | None = None
    parts: tuple[Evidence, ...] = ()
    routes: tuple[Evidence, ...] = ()
    steps: tuple[str, ...] = ()
    seconds: float = 0.0
    sides: tuple[Any, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        put = lambda name, value: object.__setattr__(self, name, value)
        self._check_kinds()
        put("verdict", Verdict(self.verdict))
        put("weakest", None if self.weakest is None else Verdict(self.weakest))
        for name in ("witness", "tightest"):
            put(name, MappingProxyType({str(k): plain(v) for k, v in getattr(self, name).items()}))
        for name in LISTS:
            put(name, tuple(getattr(self, name)))
        for name in ("slack", "reference", "margin"):
            value = getattr(self, name)
            try:
                put(name, None if value is None or not math.isfinite(float(value)) else float(value))
            except (TypeError, ValueError):
                raise TypeError(
                    f"{name} = {value!r:.200} is no number; give a real number, or None"
                ) from None
        for fault in self._faults():
            raise ValueError(fault)

    def _check_kinds(self) -> None:
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        of = lambda *names: {name: given[name] for name in names}
        check_kind(
            str, **{one.name: given[one.name] for one in fields(self) if one.type in ("str", "Verdict")}
        )
        check_kind(Mapping, **of("witness", "tightest"))
        check_kind(Real, **of("disagreement", "slack_error", "samples", "seed", "error", "seconds"))
        for name in LISTS:
            read_items(Evidence if name in ("parts", "routes") else str, **of(name))
        known = [str(v) for v in Verdict]
        if self.verdict not in known or self.weakest not in (None, *known):
            raise ValueError(
                f"the verdicts {self.verdict!r} and {self.weakest!r} are not both among {', '.join(known)}"
            )

    def _faults(self) -> list[str]:
        v, out = self.verdict, []
        if self.engine not in CEILING:
            return [
                f"no engine is called {self.engine!r}; add it to numerics.evidence.verdict.CEILING with the "
                "strongest verdict it can give"
            ]
        ceiling = CEILING[self.engine]
        if v.accepted and v.strength > ceiling.strength:
            out.append(
                f"the engine {self.engine!r} can at most say {ceiling}, not {v}; use an engine that proves, "
                "or say less"
            )
        if not 0 <= self.error < 1:
            out.append(f"{self.error} is no error probability; give a number from 0 to below 1")
        if v.executed and self.error:
            out.append(f"{v} with an error probability of {self.error:.1e} is SUPPORTED at most")
        if v is Verdict.OPEN and not self.reason.strip():
            out.append("OPEN needs a reason: say what was tried and where it stopped")
        if v is Verdict.SUPPORTED and not self.covered.strip():
            out.append("SUPPORTED needs its coverage: say which laws, lengths or points were tried")
        argued = (bool(self.argument.strip()), self.weakest is not None and self.weakest.executed)
        if argued != (v is Verdict.ARGUED,) * 2:
            out.append(
                "ARGUED, and nothing else, comes with `argument` and `weakest`, the verdict of its weakest "
                "part"
            )
        return out + self._faults_of_parts() + self._faults_of_witness() + self._faults_of_numbers()

    def _faults_of_parts(self) -> list[str]:
        """Parts and routes that contradict the verdict."""
        v, found, out = self.verdict, [p.verdict for p in self.parts], []
        if self.engine == "conjunction" and not found:
            out.append("a conjunction without parts says nothing; build it with all_of")
        said = f"a conjunction with the parts {[str(p) for p in found]} is not"
        if self.engine == "conjunction" and v.accepted and any(p.strength < v.strength for p in found):
            out.append(f"{said} {v}; it is its weakest part")
        if self.engine == "conjunction" and v is Verdict.REFUTED and Verdict.REFUTED not in found:
            out.append(f"{said} refuted; one of its parts must be")
        every_d = lambda e: e.dimension.startswith("every d")
        by_itself = every_d(self) and not any(map(every_d, self.parts))
        if v.accepted and by_itself and self.engine not in EVERY_DIMENSION:
            out.append(
                f"the engine {self.engine!r} received no matrix of every size; leave `dimension` to the "
                "engine that did"
            )
        routes = [r.verdict for r in self.routes]
        if (v.accepted and Verdict.REFUTED in routes) or (
            v is Verdict.REFUTED and any(r.strength > Verdict.SUPPORTED.strength for r in routes)
        ):
            out.append(
                f"{v} beside routes that say {[str(r) for r in routes]}: one of the programs is wrong; find "
                "out which"
            )
        return out

    def _faults_of_witness(self) -> list[str]:
        """A witness where none belongs, none where one is due, or one not evaluated again."""
        if self.verdict is not Verdict.REFUTED:
            return [
                f"{self.verdict} with a witness contradicts itself; put the tightest point into `tightest`"
            ] * bool(self.witness)
        out = []
        if not self.witness:
            out.append("REFUTED needs a witness: give the point at which the statement fails")
        if any(
            not math.isfinite(x) if isinstance(x, float) else x in ("nan", "inf", "-inf")
            for x in self.witness.values()
        ):
            out.append(f"the witness {dict(self.witness)} holds a value that is no number; give a point")
        if self.witness_by not in WITNESS_BY:
            out.append(
                f"witness_by={self.witness_by!r} is none of {WITNESS_BY}; say how the witness was evaluated "
                "again"
            )
        if self.witness_by in ("exact", "Arb") and self.engine in STATISTICAL:
            out.append(
                f"the engine {self.engine!r} draws samples; its witness is evaluated by statistics, not by "
                f"{self.witness_by}"
            )
        if self.witness_by == "two routes" and not 0 <= self.disagreement <= 1e-6:
            out.append(
                f"two routes that disagree by {self.disagreement:.1e} of the violation refute nothing; at "
                "most 1e-6 is allowed"
            )
        if self.witness_by == "statistics" and not 0 < self.error <= 1e-9:
            out.append(
                "a statistical refutation needs an error probability of at most 1e-9, not "
                f"{self.error:.1e}; draw more samples"
            )
        return out

    def _faults_of_numbers(self) -> list[str]:
        """A margin or slack on the other side of what the verdict says."""
        v, slack, out = self.verdict, self.slack, []
        if v.accepted and self.margin is not None and self.margin < 0:
            out.append(
                f"{v} with the margin {self.margin}: the sides are the wrong way round; one of the two is "
                "wrong"
            )
        if not 0 <= self.slack_error < math.inf or (self.slack_error and slack is None):
            out.append(
                f"{self.slack_error} is no standard error of the slack {slack}; give a share of it, 0 or more"
            )
        if v.accepted and slack is not None and slack < 1 - ROUNDING:
            out.append(f"{v} with the slack {slack}: the bound lies below the truth; one of the two is wrong")
        if v is Verdict.REFUTED and slack is not None and slack > 1 + ROUNDING:
            out.append(f"{v} with the slack {slack}: the bound lies above the truth; one of the two is wrong")
        return out

    def __bool__(self) -> bool:
        """Refused: an Evidence would always count as true, also where it refutes."""
        raise TypeError(
            "an Evidence is neither true nor false; ask for its verdict.accepted, or compare it with None"
        )

    def replace(self, **changes: Any) -> Evidence:
        """A copy with some fields changed, checked like any other. A witness may be completed or
        written in other variables, but it stays the point that was found: no name in it gets
        another value.
        """
        moved = [
            k
            for k, v in changes.get("witness", {}).items()
            if k in self.witness and plain(v) != self.witness[k]
        ]
        if moved:
            raise ValueError(
                f"the witness changes its {', '.join(moved)}; it is no longer the point that was found"
            )
        return dataclasses.replace(self, **changes)

    def argued(self, argument: str) -> Evidence:
        """The evidence for a statement that a human sentence infers from the checked one: ARGUED in
        place of PROVED or CERTIFIED, and unchanged under any other verdict.
        """
        if not self.verdict.executed:
            return self
        return self.replace(verdict=Verdict.ARGUED, weakest=self.verdict, argument=argument)

    def within(self, fragment: str) -> Evidence:
        """The evidence for a statement of which only a part was checked: at most SUPPORTED."""
        if not self.verdict.accepted:
            return self
        covered = f"{fragment}; {self.covered}" if self.covered else fragment
        return self.replace(verdict=Verdict.SUPPORTED, weakest=None, argument="", covered=covered)

    @property
    def rests_on_z3(self) -> bool:
        """Whether this, or a part of it, is what z3 says."""
        return self.engine == "z3" or any(p.rests_on_z3 for p in self.parts)

    @property
    def word(self) -> str:
        """The verdict as shown: an argued one with its weakest part, one by z3 with that."""
        notes = [f"parts {self.weakest}"] * bool(self.weakest) + ["z3"] * self.rests_on_z3
        return f"{self.verdict} ({', '.join(notes)})" if notes else str(self.verdict)

    def to_json(self) -> dict[str, Any]:
        """Every field but `sides`, and `steps` only if there are any, as JSON values (parts and
        control included).
        """
        out: dict[str, Any] = {}
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if f.name == "sides" or (f.name == "steps" and not value):
                continue
            if isinstance(value, Evidence):
                value = value.to_json()
            elif isinstance(value, Mapping):
                value = dict(value)
            elif isinstance(value, tuple):
                value = [v.to_json() if isinstance(v, Evidence) else v for v in value]
            out[f.name] = str(value) if isinstance(value, Verdict) else value
        return out

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Evidence:
        """The inverse of `to_json`."""
        known = dict(data)
        for name in ("parts", "routes"):
            known[name] = tuple(cls.from_json(p) for p in known.get(name, ()))
        known["control"] = cls.from_json(known["control"]) if known.get("control") else None
        return cls(**known)

    def rows(self) -> list[tuple[str, str]]:
        """The fields that say something, in reading order, as (name, text)."""
        shown: list[tuple[str, str]] = [("verdict", self.word), ("engine", self.engine)]
        join = lambda m: ", ".join(f"{k} = {v}" for k, v in m.items())
        undecided = [r for r in self.routes if r.verdict is Verdict.OPEN]
        at = f" at {join(self.tightest)}" if self.tightest else ""
        texts: list[tuple[str, str]] = [
            ("witness", join(self.witness) + (f"  [{self.witness_by}]" if self.witness else "")),
            ("checked", self.checked),
            ("covered", self.covered),
            ("proof", "; ".join(self.steps)),
            ("dimension", self.dimension),
            ("assumes", "; ".join(self.assumes)),
            ("slack", "" if self.slack is None else f"{self.slack:.6g}{at}"),
            (
                "reference",
                "" if self.reference is None else f"{self.reference:.6g} at the reference instance",
            ),
            ("margin", "" if self.margin is None else f"{self.margin:.3g}"),
            ("samples", f"{self.samples} (seed {self.seed}, error {self.error:.0e})" if self.samples else ""),
            ("confirmed", "; ".join(f"{r.engine} ({r.covered})" for r in self.routes if r.verdict.accepted)),
            ("undecided", "; ".join(f"{r.engine} ({r.reason})" for r in undecided)),
            ("cites", "; ".join(self.cites)),
            ("argument", self.argument),
            ("vacuous", self.vacuous),
            ("reason", self.reason),
        ]
        return shown + [t for t in texts if t[1]]

    def __str__(self) -> str:
        return "\n".join(f"{name:>9}  {text}" for name, text in self.rows())
