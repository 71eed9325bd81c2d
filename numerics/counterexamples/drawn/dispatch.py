"""From the statements that engines judged to properties of them that Hypothesis can try."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numerics.counterexamples.drawn.averages import AverageBound
from numerics.counterexamples.drawn.holds import Property
from numerics.counterexamples.drawn.identities import ScalarIdentity
from numerics.counterexamples.drawn.laws import LawProperty
from numerics.counterexamples.drawn.matrix_words import WordIdentity
from numerics.counterexamples.drawn.prompts_and_queries import PromptsAndQueries
from numerics.counterexamples.drawn.scalars import ScalarInequality
from numerics.counterexamples.drawn.tails import TailProperty
from numerics.counterexamples.worst_case.query_average_bound import QueryAverageBound
from numerics.counterexamples.worst_case.reference import StatisticBound
from numerics.counterexamples.worst_case.tails import TailChain
from numerics.counterexamples.worst_case.worst_law import LawBound
from numerics.provers.identities import Equations, WordEquation
from numerics.provers.statements.statement import Statement

__all__ = ["of_statements"]


def of_statements(sides: Iterable[Any]) -> list[Property]:
    """The properties of what stands in `Evidence.sides`; a statement that no example can be drawn
    for, such as one without variables, brings none.
    """
    # A conjunction may hold one part twice, or judge one bound on laws in two families.
    given = list({s if isinstance(s, LawBound) else id(s): s for s in sides}.values())
    scalars = [s for s in given if isinstance(s, Statement) and s.box]
    needed = {s: ScalarIdentity.needed(s) for s in given if isinstance(s, Equations)}
    codes = max((*(len(s.box) for s in scalars), *needed.values()), default=0)
    out: list[Property] = []
    for s in given:
        if isinstance(s, Statement):
            out += [ScalarInequality(s, codes)] if s.box else []
        elif isinstance(s, QueryAverageBound):
            out.append(PromptsAndQueries(s))
        elif isinstance(s, Equations):
            out += [ScalarIdentity(s, codes)] if needed[s] else []
        elif isinstance(s, WordEquation):
            out.append(WordIdentity(s))
        elif isinstance(s, StatisticBound):
            out.append(AverageBound(s))
        elif isinstance(s, LawBound):
            out.append(LawProperty(s))
        elif isinstance(s, TailChain):
            out.append(TailProperty(s))
        elif isinstance(s, Property):
            out.append(s)
    return out
