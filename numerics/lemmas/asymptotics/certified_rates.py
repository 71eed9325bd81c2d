"""Shows a limit: the function is as near to the value as a multiple of what tends to 0."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import sympy as sp

from numerics.evidence import Evidence
from numerics.lemmas.asymptotics.chosen_constants import chosen
from numerics.lemmas.asymptotics.constant_statement import quantified
from numerics.lemmas.asymptotics.limit_statement import Limit, constant_beside, logarithms
from numerics.provers.as_written import latex, scalar
from numerics.provers.exact.exact_numbers import put

__all__ = ["with_a_rate"]

#: Powers of the distance to the limit that are tried as rates.
POWERS = [sp.Rational(1, q) for q in (1, 2, 4, 10)]
#: Rates that `forall` is asked about.
MOST_RATES = 2


def _rates(q: Limit) -> Iterator[sp.Expr]:
    """What tends to 0 at the limit, the fastest first."""
    a, x = q.regime.to[q.x], q.x
    grown = x if a == sp.oo else -x if a == -sp.oo else None
    if grown is not None:
        yield from (grown**-p for p in POWERS)
        yield 1 / sp.log(grown + 1)
        return
    distance = x - a if q.regime.ways[x] == (1,) else a - x if q.regime.ways[x] == (-1,) else sp.Abs(x - a)
    yield from (distance**p for p in POWERS)
    yield 1 / sp.log(1 + 1 / distance)


def with_a_rate(q: Limit, effort: int) -> tuple[Evidence | None, str]:
    """The limit with a rate that is shown, or nothing and why not."""
    C = constant_beside([*q.domain])
    why = "no rate seems to hold"
    if not _comes_nearer(q):
        return None, why
    far = q.value in (sp.oo, -sp.oo)
    forms = [(q.f, q.value, "")] if far else [*logarithms(q, "<="), (q.f, q.value, "")]
    tries = 0
    for (f, v, form), rate in itertools.product(forms, _rates(q)):
        if _outgrows(q, (f if far else f - v), 1 / rate, far):
            continue
        ask = lambda a, op, b: quantified(C, a, op, b, q.domain, q.where, q.regime, scalar(q.f).conditions)
        if far:
            goals = [ask(f if q.value == sp.oo else -f, ">=", C / rate)]
            shown = f"{latex(f)} \\{'ge' if q.value == sp.oo else 'le -'} {latex(C / rate)}"
        else:
            goals = [ask(f - v, "<=", C * rate), ask(v - f, "<=", C * rate)]
            shown = f"|{latex(f - v)}| \\le {latex(C * rate)}"
        found, reason = chosen(goals, effort, most_open=1)
        if found is not None:
            # of the function itself, which the logarithm does not show
            own = {"steps": (f"${shown}$", *([form] if form else []), *found.steps)}
            return found.replace(**own), ""
        if reason.startswith("with"):
            why, tries = f"{latex(rate)}: {reason}", tries + 1
            if tries == MOST_RATES:
                break
    return None, why


def _outgrows(q: Limit, gap: sp.Expr, size: sp.Expr, far: bool) -> bool:
    """Whether the distance from the value surely grows far out against a rate, or f falls against
    what is to be below it.
    """
    e = put(gap / size if far else gap * size, dict(zip(q.st.names, q.st.symbols)))
    rows = np.flatnonzero(q.table.met[:, -8:].all(1))[:2]
    seen = [v[-2:] for row in rows if len(v := q.table.far(int(row), e)) > 1]
    return any(abs(a) > 1000 * abs(b) if far else abs(b) > 1000 * abs(a) for a, b in seen)


def _comes_nearer(q: Limit) -> bool:
    """Whether f is not surely as far from the value at a far place as at a near one."""
    if q.value in (sp.oo, -sp.oo) or q.table.phases:  # a sine may be near 0 by accident
        return True
    gap = put(q.f - q.value, dict(zip(q.st.names, q.st.symbols)))
    rows = np.flatnonzero(q.table.met[:, -8:].all(1))[:2]
    seen = [q.table.far(int(row), gap) for row in rows]
    return not any(len(v) > 1 and abs(v[-1]) > abs(v[-2]) * 9 / 10 for v in seen)
