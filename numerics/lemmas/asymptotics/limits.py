"""`limit`: a value that a function tends to.

A function tends to a value if it comes as near as a multiple of something that tends to 0: "there
is a constant C with ``|f - v| <= C h`` near the limit", for h a power of the distance, or one over
a logarithm. It does not if it keeps a distance along some curve towards the limit.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict, as_one
from numerics.lemmas.asymptotics.certified_rates import with_a_rate
from numerics.lemmas.asymptotics.constant_statement import refuse_others
from numerics.lemmas.asymptotics.constants import SHARE
from numerics.lemmas.asymptotics.curves import index_for, stays
from numerics.lemmas.asymptotics.limit_statement import Limit, effort_of, ranges_of, read_limit
from numerics.lemmas.asymptotics.refuted_limits import kept_away
from numerics.lemmas.asymptotics.regimes import from_one_side, regime_of
from numerics.lemmas.sequences.judge import speaks_of_sequences
from numerics.provers.as_written import latex
from numerics.provers.doors import guarded
from numerics.provers.exact.exact_numbers import put
from numerics.provers.exact.leading import leading
from numerics.provers.statements.statement import Integers, side_of
from numerics.rationals import sympy_rational
from theory.inputs.kinds import read_items

__all__ = ["limit"]


@guarded("branch and bound")
def limit(
    f: Any,
    x: sp.Symbol,
    to: Any,
    value: Any,
    *,
    side: str = "",
    domain: Mapping[sp.Symbol, Any] = {},
    where: Iterable[Any] = (),
    effort: int = 1_000_000,
) -> Evidence:
    """Decide whether ``f`` tends to ``value`` as ``x`` tends to a limit.

    Parameters
    ----------
    f : SymPy expression
        The function.
    x, to : Symbol, limit
        The variable, and oo, -oo or a rational number, which it does not reach.
    value : SymPy expression
        A number, oo or -oo, or an expression in the other variables.
    side : str
        ``"+"`` or ``"-"`` if x comes from above or below only.
    domain : Mapping[Symbol, range], optional
        Ranges as for `forall`; ``Integers`` make x a whole number, and without one it is real. The
        limit is uniform in all other variables.
    where, effort
        As for `exists`.

    Returns
    -------
    Evidence
        PROVED or CERTIFIED with a rate; REFUTED with a curve towards the limit along which f keeps
        a distance from the value; or OPEN.

    Examples
    --------
    >>> x = sp.Symbol("x", positive=True)
    >>> found = limit(x * sp.log(x), x, 0, 0, side="+")
    >>> print(found.verdict, found.steps[0])
    CERTIFIED $|x \\log{\\left(x \\right)}| \\le C \\sqrt{x}$
    >>> dict(limit(sp.sin(x), x, sp.oo, 0).witness)["keeps away"]
    'f >= 1/2 for x = 2*pi*n + pi/2 and every n >= 1'
    """
    start = time.monotonic()
    where, steps = read_items(where=where), effort_of(effort)
    refuse_others(f, value, domain, where, "a limit")
    if speaks_of_sequences(f, value, domain, where):
        raise ValueError("no limit of sums or sequences is known here; bound the distance, and ask `forall`")
    if side not in ("", "+", "-"):
        raise ValueError(f"the side {side!r} is neither '+' nor '-'; leave it out for both")
    ranges = ranges_of(domain, [x])
    if side:
        ranges[x] = from_one_side(ranges[x], x, to, side)
    near = regime_of({x: to}, ranges)
    q = read_limit(f, x, value, ranges, where, near, side)
    told: dict[str, Any] = {"checked": q.checked, "assumes": q.st.assumes, "covered": q.covered}
    each = steps // SHARE
    if where and not stays(q.table, each):
        reason = (
            "no curve was found that surely meets the hypotheses near the limit: the statement may be "
            "vacuous there; what may help: simpler hypotheses"
        )
        return Evidence(verdict=Verdict.OPEN, engine="branch and bound", reason=reason, **told)
    found = kept_away(q, each)
    why = ""
    if found is None:
        found, why = with_a_rate(q, each)
    if found is None:
        found = _odd_and_even(q, to, steps)
    if found is None:
        guess = _guess(q)
        reason = (
            f"none of {len(q.table.curves)} curves surely keeps f away from the value, and no rate was shown "
            f"({why}). What may help: {guess}another form of f, or a bound of your own (`forall`)"
        )
        found = Evidence(verdict=Verdict.OPEN, engine="branch and bound", reason=reason)
    return found.replace(seconds=time.monotonic() - start, **told)


def _odd_and_even(q: Limit, to: Any, effort: int) -> Evidence | None:
    """The limit along even and along odd numbers, where a negative number has whole powers."""
    whole = side_of(q.x, q.domain[q.x])
    negative = [p for p in q.f.atoms(sp.Pow) if p.base.is_negative and p.exp.has(q.x)]
    if not (whole.integer and whole.lo is not None and negative) or q.where:
        return None
    k, parts = index_for(q.domain), []
    least = max(1, int(sp.ceiling(sympy_rational(whole.lo) / 2)))
    for odd in (0, 1):
        f = put(q.f, {q.x: 2 * k + odd})
        if any(p.base.is_negative for p in f.atoms(sp.Pow)):
            return None
        ranges = {s: r for s, r in q.domain.items() if s != q.x}
        part = limit(f, k, to, q.value, domain={**ranges, k: Integers(least)}, effort=effort)
        if not part.verdict.executed:
            return None
        parts.append(part)
    steps = [f"${latex(q.x)} = {latex(2 * k + i)}$: {s}" for i, p in enumerate(parts) for s in p.steps]
    return as_one(*parts).replace(steps=tuple(steps))


def _guess(q: Limit) -> str:
    """What the rules for leading terms say of a limit at infinity, as a hint."""
    if q.regime.to[q.x] != sp.oo or len(q.domain) > 1:
        return ""
    found = leading(put(q.f, dict(zip(q.st.names, q.st.symbols))), q.st.symbols[0])
    if found is None or found.order != (0, 0) or found.c == 0:
        return ""
    return f"another value (its leading term is {found.c}); " if found.c != q.value else ""
