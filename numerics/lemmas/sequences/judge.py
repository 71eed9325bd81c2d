"""Sums up to a variable and sequences: refuted by running them, proved by induction."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from numerics.evidence import Evidence, Verdict
from numerics.lemmas.sequences.asking import Asker
from numerics.lemmas.sequences.drawn import SequenceProperty
from numerics.lemmas.sequences.induction import Prover
from numerics.lemmas.sequences.search import admissible, points, refute
from numerics.lemmas.sequences.statement import is_open, read
from numerics.provers.doors import guarded
from numerics.provers.enclosures.balls import precision
from numerics.provers.exact.exact_numbers import Undecided
from numerics.provers.open_answers import helped_by
from theory.inputs.kinds import read_items
from theory.inputs.whole_numbers import read_whole

__all__ = ["for_every_sequence", "speaks_of_sequences"]

#: Steps of one question on whether a sequence can be continued, of which there are many.
MOST_STEPS = 20_000
#: Why nothing is said where the hypotheses may exclude each other.
EMPTY = "no sequence that meets the hypotheses was found"
NO_POINT = "no parameters that meet the hypotheses were found"


def speaks_of_sequences(lhs: Any, rhs: Any, domain: Mapping[Any, Any], where: Iterable[Any]) -> bool:
    """Whether a sequence, or a sum whose limits depend on a variable, occurs in the statement."""
    sides = [lhs, rhs]
    for h in where:
        sides += [h[0], h[-1]] if isinstance(h, tuple) and len(h) == 3 else [h]
    return any(is_open(e, domain) for e in sides)


@guarded("induction")
def for_every_sequence(
    lhs: Any,
    op: str,
    rhs: Any,
    domain: Mapping[Any, Any],
    *,
    where: Iterable[Any] = (),
    effort: int = 1_000_000,
) -> Evidence:
    """Judge the statement for every point of the domain, and all sequences with the hypotheses."""
    start = time.monotonic()
    where = read_items(where=where)
    steps = read_whole(
        "effort", effort, "it counts steps, not seconds; leave it out for the usual number", least=0
    )
    with precision(64):
        st = read(lhs, op, rhs, domain, where)
        found = _judged(st, steps)
    told = {"checked": st.checked, "covered": st.covered, "assumes": st.assumes, "vacuous": st.vacuous}
    return found.replace(**told, sides=(SequenceProperty(st),), seconds=time.monotonic() - start)


def _judged(st: Any, effort: int) -> Evidence:
    """The verdict, without what only the statement itself knows."""
    try:
        asker = Asker(st, min(effort, MOST_STEPS))
        counterexample, said = refute(st, asker)
        if counterexample is not None:
            by = counterexample.by
            engine = "exact arithmetic" if by == "exact" else "interval arithmetic"
            return Evidence(
                verdict=Verdict.REFUTED, engine=engine, witness=counterexample.witness, witness_by=by
            )
        if said:
            return _open(helped_by(said, "hypotheses that leave each next value some room"))
        if st.where and not points(st):
            return _open(helped_by(NO_POINT, "hypotheses that a simple rational point meets"))
        if st.hypotheses and not admissible(st, asker):
            return _open(helped_by(EMPTY, "hypotheses that a simple sequence meets at every index"))
        prover = Prover(st, effort)
        proof = prover.decide()
    except Undecided as fault:
        return _open(helped_by(str(fault), "the statement with simpler numbers"))
    if proof is None:
        tried = (
            "sequences were run, and inductions tried, plain ones and with bounds of the sums by differences"
        )
        ways = "a stronger statement, with something to spare", "a larger first index, with the others apart"
        return _open(helped_by(f"{prover.reason}; {tried}", *ways))
    verdict = Verdict.PROVED if proof.exact else Verdict.CERTIFIED
    engine = (
        "induction" if proof.by_induction else "exact arithmetic" if proof.exact else "interval arithmetic"
    )
    return Evidence(verdict=verdict, engine=engine, steps=proof.steps)


def _open(reason: str) -> Evidence:
    return Evidence(verdict=Verdict.OPEN, engine="induction", reason=reason)
