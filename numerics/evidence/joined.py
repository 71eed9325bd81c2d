"""Several checks of one statement: `all_of` forms their conjunction, which is as strong as its
weakest part, `as_one` that of the steps of a proof, and `confirmed` adds second routes, which must
not contradict the first.
"""

from __future__ import annotations

from typing import Any

from numerics.evidence.record import Evidence
from numerics.evidence.verdict import Verdict

__all__ = ["Contradiction", "all_of", "as_one", "confirmed"]


class Contradiction(RuntimeError):
    """Two routes to one statement give opposite verdicts: one of the programs is wrong."""


def _check(parts: tuple[Any, ...]) -> None:
    """Refuse what no engine returned."""
    for part in parts:
        if not isinstance(part, Evidence):
            raise TypeError(
                f"{part!r:.100} is no Evidence; give what an engine returned, such as forall(...)"
            )


def all_of(*parts: Evidence, checked: str = "") -> Evidence:
    """The conjunction of several checks: as strong as its weakest part, refuted as soon as one of
    them is.

    Its control counts as refuted only if every part brought a control of its own and each was
    refuted: a part that cannot fail is not hidden by one that can.

    Parameters
    ----------
    parts : Evidence
        At least one.
    checked : str
        LaTeX to show instead of the parts' own.

    Examples
    --------
    >>> yes = Evidence(verdict=Verdict.PROVED, engine="identity", checked="a=a")
    >>> perhaps = Evidence(verdict=Verdict.SUPPORTED, engine="quadrature", covered="L = 1, 2")
    >>> all_of(yes, perhaps).verdict.value
    'SUPPORTED'
    """
    if not parts:
        raise ValueError("a conjunction of nothing says nothing; give at least one Evidence")
    _check(parts)
    worst = min(parts, key=lambda e: e.verdict.strength)
    argued = worst.verdict is Verdict.ARGUED
    spoiled = all(e.control is not None and e.control.verdict is Verdict.REFUTED for e in parts)
    # What holds elsewhere is no slack of a false statement.
    of = [worst] if worst.verdict is Verdict.REFUTED else parts
    tight = min((e for e in of if e.slack is not None), key=lambda e: e.slack or 0.0, default=None)
    gather = lambda name: tuple(dict.fromkeys(x for e in parts for x in getattr(e, name)))
    note = lambda name: "; ".join(dict.fromkeys(t for e in parts if (t := getattr(e, name))))
    return Evidence(
        verdict=worst.verdict,
        engine="conjunction",
        checked=checked or r" \;\wedge\; ".join(e.checked for e in parts if e.checked),
        covered=note("covered"),
        dimension=note("dimension"),
        assumes=gather("assumes"),
        witness=worst.witness,
        witness_by=worst.witness_by,
        disagreement=worst.disagreement,
        slack=None if tight is None else tight.slack,
        slack_error=0.0 if tight is None else tight.slack_error,
        tightest={} if tight is None else tight.tightest,
        samples=sum(e.samples for e in parts),
        seed=next((e.seed for e in parts if e.seed), 0),
        error=worst.error if worst.verdict is Verdict.REFUTED else sum(e.error for e in parts),
        cites=gather("cites"),
        vacuous=note("vacuous"),
        argument=note("argument") if argued else "",
        weakest=min((e.weakest or e.verdict for e in parts), key=lambda v: v.strength) if argued else None,
        reason=worst.reason,
        control=parts[0].control if spoiled else None,
        parts=parts,
        seconds=sum(e.seconds for e in parts),
        sides=tuple(sides for e in parts for sides in e.sides),
    )


def as_one(*parts: Evidence, checked: str = "") -> Evidence:
    """The conjunction of the steps of one proof: they are no statements that a reader controls one
    by one, and its engine is that of the weakest.

    >>> steps = [Evidence(verdict=Verdict.PROVED, engine=name) for name in ("Sturm", "identity")]
    >>> as_one(*steps, checked="a < b").engine
    'Sturm'
    """
    joined = all_of(*parts, checked=checked)
    worst = min(parts, key=lambda e: e.verdict.strength)
    return joined.replace(engine=worst.engine, parts=(), control=None)


def confirmed(primary: Evidence, *routes: Evidence) -> Evidence:
    """The primary evidence, with second routes that share nothing with it but the definition.

    Parameters
    ----------
    primary : Evidence
        Its verdict is the result; error probabilities of the routes do not add to it.
    routes : Evidence
        Independent checks of the same statement, or of instances of it.

    Raises
    ------
    Contradiction
        If an accepted primary meets a refuted route (or the other way round): one of the two
        programs is wrong.

    Examples
    --------
    >>> proof = Evidence(verdict=Verdict.PROVED, engine="identity")
    >>> look = Evidence(verdict=Verdict.SUPPORTED, engine="quadrature", covered="d = 1")
    >>> len(confirmed(proof, look).routes)
    1
    """
    _check((primary, *routes))
    for route in routes:
        if primary.verdict.accepted and route.verdict is Verdict.REFUTED:
            raise Contradiction(
                f"{primary.engine} accepts what {route.engine} refutes at {dict(route.witness)}; one of the "
                "two is wrong"
            )
        if primary.verdict is Verdict.REFUTED and route.verdict.strength > Verdict.SUPPORTED.strength:
            raise Contradiction(
                f"{primary.engine} refutes what {route.engine} accepts; one of the two is wrong"
            )
    return primary.replace(
        routes=primary.routes + routes, seconds=primary.seconds + sum(r.seconds for r in routes)
    )
