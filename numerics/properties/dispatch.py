"""From the statements that engines judged to properties of them that Hypothesis can try."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numerics.properties.holds import Property
from numerics.properties.prompts_and_queries import PromptsAndQueries
from numerics.properties.scalars import ScalarInequality
from numerics.provers.statements.statement import Statement
from numerics.search.averaged_bound import AveragedBound

__all__ = ["of_statements"]


def of_statements(sides: Iterable[Any]) -> list[Property]:
    """The properties of what stands in `Evidence.sides`; a statement that no example can be drawn
    for, such as one without variables, brings none.

    Examples
    --------
    >>> import sympy as sp
    >>> from numerics.provers import forall
    >>> x = sp.Symbol("x", positive=True)
    >>> [p.covered for p in of_statements(forall(x, "<=", x + 1, {x: (0, sp.oo)}).sides)]
    ['rational points over twelve decades of each range']
    """
    given = list({id(s): s for s in sides}.values())  # a conjunction may hold one part twice
    scalars = [s for s in given if isinstance(s, Statement) and s.box]
    codes = max((len(s.box) for s in scalars), default=0)
    out: list[Property] = []
    for s in given:
        if isinstance(s, Statement):
            out += [ScalarInequality(s, codes)] if s.box else []
        elif isinstance(s, AveragedBound):
            out.append(PromptsAndQueries(s))
        elif isinstance(s, Property):
            out.append(s)
    return out
