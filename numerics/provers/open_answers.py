"""The words of an answer of `forall` that decides nothing: where it stopped, what was tried, where
the two sides meet, and what may help, the likeliest first.
"""

from __future__ import annotations

import sympy as sp

from numerics.provers.effort import CONSEQUENCES, Effort
from numerics.provers.last_engine import installed
from numerics.provers.remembered import z3_may_be_asked
from numerics.provers.statements.search import Scan
from numerics.provers.statements.statement import Statement

__all__ = ["helped_by", "undecided"]

#: How near to each other two sides seem to meet.
NEAR = 1e-9
#: Functions of which z3 has no facts, so that it seldom helps.
FOREIGN = (sp.Function, sp.NumberSymbol)
ALGEBRAIC = (sp.Abs, sp.Max, sp.Min, sp.exp, sp.log)


def helped_by(reason: str, *ways: str) -> str:
    """A reason with what may help.

    >>> helped_by("x may be 0", "a smaller domain", "a hypothesis (`where=`)")
    'x may be 0. What may help: a smaller domain; a hypothesis (`where=`)'
    """
    return f"{reason}. What may help: {'; '.join(ways)}"


def undecided(st: Statement, seen: Scan, effort: Effort, reason: str, changed: bool) -> str:
    """Why a statement is left open; its sides are defined, and no counterexample is known."""
    meeting = _meeting(st, seen)
    met = f". {meeting}" if meeting else ""
    return helped_by(
        f"{reason}. Tried were {_tried(st, effort)}{met}", *_ways(st, effort, bool(met), changed)
    )


def _tried(st: Statement, effort: Effort) -> str:
    """The engines that took part."""
    out = ["a search for counterexamples", "exact arithmetic"]
    if st.symbols and effort.limit:
        out.append("enclosures on boxes, also in other forms and variables")
    if st.symbols and effort.limit > CONSEQUENCES:
        out += ["sums of products of hypotheses and squares", "signs of derivatives"]
    if st.symbols and effort.limit and z3_may_be_asked() and installed():
        out.append("z3")
    return f"{', '.join(out[:-1])} and {out[-1]}"


def _meeting(st: Statement, seen: Scan) -> str:
    """Where the two sides are equal, or as good as equal, if the search came by."""
    p = seen.tightest
    if p is None or not st.meets(p):
        return ""
    at = ", ".join(f"{name} = {float(x):.6g}" for name, x in zip(st.names, p))
    if st.touches(p):
        return f"The two sides meet at {at}, around which no box is small enough"
    if seen.ratio is not None and abs(seen.ratio - 1) < NEAR:
        return f"The two sides seem to meet near {at}, around which no box is small enough"
    return ""


def _ways(st: Statement, effort: Effort, meets: bool, changed: bool) -> list[str]:
    if not st.symbols:
        return ["`identity` for the case of equality"]
    sides = (st.small, st.big, *(g for g, _ in st.where))
    foreign = any(not isinstance(f, ALGEBRAIC) for e in sides for f in e.atoms(*FOREIGN))
    out = []
    if z3_may_be_asked() and not installed() and not foreign:
        out.append("`pip install 'largeprompt[smt]'`: z3 decides most algebraic statements")
    if meets:
        out.append("the difference as a product or a sum of squares, shown by `identity`")
        out.append("a hypothesis that keeps away from there (`where=`), with the rest apart")
    if any(s.infinite for s in st.box):
        out.append("a bounded domain, with the rest apart")
    if effort.over:
        out.append(f"more than {effort.limit} steps (`effort=`)")
    if not meets:
        out.append("a smaller domain, or a hypothesis (`where=`)")
    if not changed and len(st.symbols) > 1:
        out.append("a new variable for what occurs together (`via=`)")
    return out
