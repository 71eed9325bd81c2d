"""`order`: O, Omega and Theta, with constants that `exists` finds or defeats."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import sympy as sp

from numerics.evidence import Evidence, Verdict, all_of, as_one
from numerics.lemmas.asymptotics.constant_statement import quantified, refuse_others
from numerics.lemmas.asymptotics.constants import decided
from numerics.lemmas.asymptotics.curves import Table
from numerics.lemmas.asymptotics.limit_statement import constant_beside, effort_of, ranges_of
from numerics.lemmas.asymptotics.regimes import Regime, from_one_side, regime_of
from numerics.lemmas.sequences.judge import speaks_of_sequences
from numerics.provers.as_written import latex, scalar
from numerics.provers.doors import guarded
from numerics.provers.exact.exact_numbers import put
from theory.inputs.kinds import check_kind, read_items

__all__ = ["order"]

#: The three kinds, and how they are written.
KINDS = {"O": "O", "Omega": r"\Omega", "Theta": r"\Theta"}


@guarded("branch and bound")
def order(
    f: Any,
    kind: str,
    g: Any,
    regime: Mapping[sp.Symbol, Any],
    *,
    domain: Mapping[sp.Symbol, Any] = {},
    where: Iterable[Any] = (),
    effort: int = 1_000_000,
) -> Evidence:
    """Decide ``f = O(g)``, ``Omega(g)`` or ``Theta(g)`` as variables tend to their limits.

    Parameters
    ----------
    f, g : SymPy expression
        ``f = O(g)`` says that there is a constant C with ``|f| <= C |g|`` near the limit,
        ``Omega`` that there is one with ``|f| >= C |g|``, and ``Theta`` both.
    kind : str
        ``"O"``, ``"Omega"`` or ``"Theta"``.
    regime : Mapping[Symbol, limit]
        What each variable tends to: oo, -oo or a rational number.
    domain : Mapping[Symbol, range], optional
        Ranges, as for `forall`. A variable of the regime that has none is real; in all others the
        constant is uniform.
    where, effort
        As for `exists`.

    Returns
    -------
    Evidence
        As of `exists`.

    Examples
    --------
    >>> n = sp.Symbol("n", integer=True, positive=True)
    >>> from numerics.provers import Integers
    >>> order(n**2 + 3 * n, "Theta", n**2, {n: sp.oo}, domain={n: Integers(1)}).verdict.value
    'PROVED'
    >>> false = order(n * sp.log(n), "O", n, {n: sp.oo}, domain={n: Integers(1)})
    >>> dict(false.witness)["every other choice"]
    'C = log(k)/4 fails for n = k and every k >= 3'
    """
    check_kind(str, kind=kind)
    if kind not in KINDS:
        raise ValueError(
            f"the kind {kind!r} is none of {list(KINDS)}; O is an upper bound, Omega a lower one"
        )
    where, steps = read_items(where=where), effort_of(effort)
    domain = ranges_of(domain, regime)
    refuse_others(f, g, domain, where, "an order")
    if speaks_of_sequences(f, g, domain, where):
        raise ValueError(
            "an order does not take sums up to a variable, nor sequences; say it with a constant: "
            "exists(C, f, '<=', C*g, domain), as text 'f <= C*g for some C'"
        )
    if not regime:
        raise ValueError("an order is one near a limit; say what tends where, such as {n: oo}")
    near = regime_of(regime, domain)
    kinds = ("O", "Omega") if kind == "Theta" else (kind,)
    parts: dict[tuple[str, int], Evidence] = {}
    for k, (i, of_side) in itertools.product(kinds, enumerate(_each_side(near, domain))):
        parts[k, i] = _one_order(f, k, g, regime_of(regime, of_side), of_side, where, steps)
        if parts[k, i].verdict is Verdict.REFUTED:
            break
    if len(parts) == 1:
        return next(iter(parts.values()))
    sides = [[p for (of, _), p in parts.items() if of == k] for k in kinds]
    claims = [as_one(*of, checked=_order_latex(f, k, g, near)) for k, of in zip(kinds, sides) if of]
    found = all_of(*claims, checked=_order_latex(f, kind, g, near)) if kind == "Theta" else claims[0]
    steps_of = (f"${KINDS[k]}$: {s}" for (k, _), p in parts.items() for s in p.steps)
    return found.replace(steps=tuple(dict.fromkeys(steps_of)))


def _one_order(
    f: Any,
    kind: str,
    g: Any,
    near: Regime,
    domain: Mapping[sp.Symbol, Any],
    where: tuple[Any, ...],
    effort: int,
) -> Evidence:
    """O or Omega. Where g keeps its sign, ``|f| <= C |g|`` follows from two inequalities without
    absolute values; it is refuted as it stands where that sign is shown.
    """
    needs = (*scalar(f).conditions, *scalar(g).conditions)  # which a product with a sign may lose
    f, g = scalar(f).given, scalar(g).given
    C = constant_beside([*domain, *f.free_symbols, *g.free_symbols])
    ask = lambda a, op, b, also=(): quantified(C, a, op, b, domain, (*where, *also), near, needs)
    t = ask(sp.Abs(f), "<=", C * sp.Abs(g)).table
    sf, sg = (_sign(t, put(e, dict(zip(t.st.names, t.st.symbols)))) for e in (f, g))
    if kind == "O":
        goals = [ask(s * f, "<=", C * (sg * g if sg else sp.Abs(g))) for s in (1, -1)]
        refutable = [ask(s * f, "<=", C * sg * g, [(sg * g, ">=", 0)]) for s in (1, -1) if sg and sf != -s]
    else:
        left = sf * f if sf else sp.Abs(f)
        goals = [ask(left, ">=", C * s * sg * g) for s in (1, -1)] if sg else [ask(left, ">=", C * sp.Abs(g))]
        signs = [(sf * f, ">=", 0), (sg * g, ">=", 0)]
        refutable = [ask(sf * f, ">=", C * sg * g, signs)] if sf and sg else []
    refutable = refutable or [ask(sp.Abs(f), "<=" if kind == "O" else ">=", C * sp.Abs(g))]
    whole = ask(sp.Abs(f), "<=" if kind == "O" else ">=", C * sp.Abs(g))
    found = decided(goals, refutable, effort)
    told = {"assumes": whole.assumes, "checked": _order_latex(f, kind, g, near)}
    return found.replace(**told, covered=found.covered.replace(goals[0].covered, whole.covered))


def _each_side(near: Regime, domain: Mapping[sp.Symbol, Any]) -> list[dict[sp.Symbol, Any]]:
    """The domain on each side of the limits, where functions often keep their signs."""
    choices = [
        [from_one_side(r, x, near.to[x], s) for s in "+-"] if len(near.ways.get(x, ())) == 2 else [r]
        for x, r in domain.items()
    ]
    return [dict(zip(domain, chosen)) for chosen in itertools.product(*choices)]


def _order_latex(f: Any, kind: str, g: Any, near: Regime) -> str:
    sides = f"{latex(scalar(f).given)} = {KINDS[kind]}({latex(scalar(g).given)})"
    return rf"{sides} \quad ({near.latex})"


def _sign(t: Table, e: sp.Expr) -> int:
    """The sign that an expression seems to have far out, 0 if it has none."""
    v = t.values(e)
    seen = v[t.clear & np.isfinite(v) & (v != 0)]
    return 0 if not len(seen) else 1 if (seen > 0).all() else -1 if (seen < 0).all() else 0
