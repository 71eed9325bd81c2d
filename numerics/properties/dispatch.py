"""From the statements that engines judged to properties of them that Hypothesis can try."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numerics.properties.averages import AverageBound
from numerics.properties.holds import Property
from numerics.properties.identities import ScalarIdentity
from numerics.properties.laws import LawProperty
from numerics.properties.matrix_words import WordIdentity
from numerics.properties.prompts_and_queries import PromptsAndQueries
from numerics.properties.scalars import ScalarInequality
from numerics.properties.tails import TailProperty
from numerics.provers.identities import Equations, WordEquation
from numerics.provers.statements.statement import Statement
from numerics.search.query_average_bound import QueryAverageBound
from numerics.search.reference import StatisticBound
from numerics.search.tails import TailChain
from numerics.search.worst_law import LawBound

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
