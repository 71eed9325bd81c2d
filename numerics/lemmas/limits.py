"""`limit` and `order`: limits with a rate that `forall` shows, and O, Omega and Theta.

A function tends to a value if it comes as near as a multiple of something that tends to 0: "there
is a constant C with ``|f - v| <= C h`` near the limit", for h a power of the distance, or one over
a logarithm. It does not if it keeps a distance along some curve towards the limit.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from numerics.evidence import Evidence, Verdict, all_of
from numerics.lemmas.chosen import chosen
from numerics.lemmas.constants import SHARE, decided
from numerics.lemmas.curves import Along, Table, index_for, stays, table
from numerics.lemmas.quantified import quantified
from numerics.lemmas.regimes import Regime, regime_of
from numerics.provers.as_written import latex, scalar
from numerics.provers.doors import guarded
from numerics.provers.exact.exact_numbers import Undecided, put, told
from numerics.provers.exact.leading import leading
from numerics.provers.statements.statement import Statement, statement
from theory.inputs.kinds import check_kind, read_items
from theory.inputs.whole_numbers import read_whole

__all__ = ["limit", "order"]

#: The three kinds, and how they are written.
KINDS = {"O": "O", "Omega": r"\Omega", "Theta": r"\Theta"}
#: Powers of the distance to the limit that are tried as rates.
POWERS = [sp.Rational(t) for t in "1 1/2 1/4 1/10".split()]
#: Rates and curves that `forall` is asked about.
MOST_RATES, MOST_CURVES = 4, 6
#: A distance from the value that floats may show although there is none.
SMALL = 1e-6


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
        raise ValueError(f"the kind {kind!r} is none of {list(KINDS)}; O is an upper bound, Omega a lower one")
    where, steps = read_items(where=where), _effort(effort)
    domain = _ranges(domain, regime)
    if not regime:
        raise ValueError("an order is one near a limit; say what tends where, such as {n: oo}")
    near = regime_of(regime, domain)
    if kind == "Theta":
        parts = [_one_order(f, k, g, near, domain, where, steps) for k in ("O", "Omega")]
        return all_of(*parts, checked=_order_latex(f, kind, g, near))
    return _one_order(f, kind, g, near, domain, where, steps)


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
    f, g = scalar(f).given, scalar(g).given
    C = _constant([*domain, *f.free_symbols, *g.free_symbols])
    ask = lambda a, op, b, also=(): quantified(C, a, op, b, domain, (*where, *also), near)
    t = ask(sp.Abs(f), "<=", C * sp.Abs(g)).table
    sf, sg = (_sign(t, put(e, dict(zip(t.st.names, t.st.symbols)))) for e in (f, g))
    if kind == "O":
        goals = [ask(s * f, "<=", C * (sg * g if sg else sp.Abs(g))) for s in (1, -1)]
        refutable = [ask(s * f, "<=", C * sg * g, [(sg * g, ">=", 0)]) for s in (1, -1) if sg and sf != -s]
    else:
        left = sf * f if sf else sp.Abs(f)
        goals = [ask(left, ">=", C * s * g) for s in (1, -1)]
        signs = [(sf * f, ">=", 0), (sg * g, ">=", 0)]
        refutable = [ask(sf * f, ">=", C * sg * g, signs)] if sf and sg else []
    refutable = refutable or [ask(sp.Abs(f), "<=" if kind == "O" else ">=", C * sp.Abs(g))]
    whole = ask(sp.Abs(f), "<=" if kind == "O" else ">=", C * sp.Abs(g))
    found = decided(goals, refutable, effort)
    told = {"assumes": whole.assumes, "checked": _order_latex(f, kind, g, near)}
    return found.replace(**told, covered=found.covered.replace(goals[0].covered, whole.covered))


def _order_latex(f: Any, kind: str, g: Any, near: Regime) -> str:
    sides = f"{latex(scalar(f).given)} = {KINDS[kind]}({latex(scalar(g).given)})"
    return rf"{sides} \quad ({near.latex})"


def _sign(t: Table, e: sp.Expr) -> int:
    """The sign that an expression seems to have far out, 0 if it has none."""
    v = t.values(e)[:, t.grid >= min(100, t.grid[-1])]
    seen = v[t.met[:, t.grid >= min(100, t.grid[-1])] & np.isfinite(v) & (v != 0)]
    return 0 if not len(seen) else 1 if (seen > 0).all() else -1 if (seen < 0).all() else 0


def _constant(taken: Iterable[sp.Symbol]) -> sp.Symbol:
    names = {str(s) for s in taken}
    return sp.Symbol(
        next(t for t in ("C", "K", "A", *(f"C_{i}" for i in range(99))) if t not in names), positive=True
    )


def _effort(effort: Any) -> int:
    return read_whole("effort", effort, "it counts steps; leave it out for the usual number", least=0)


def _ranges(domain: Mapping[sp.Symbol, Any], tending: Iterable[sp.Symbol]) -> dict[sp.Symbol, Any]:
    """The domain, with all real numbers that its sign allows for what tends somewhere and has no
    range.
    """
    check_kind(Mapping, domain=domain)
    out = dict(domain)
    for x in tending:
        if not isinstance(x, sp.Symbol):
            raise TypeError(f"{x!r:.200} is no SymPy symbol, so it tends nowhere; give a variable")
        if x not in out and x.is_integer:
            raise ValueError(f"{x} is declared a whole number; give it a range, such as Integers(1)")
        if x not in out:
            out[x] = (0, sp.oo) if x.is_positive else (-sp.oo, sp.oo)
    return out


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
    >>> found.verdict.value, found.steps[0]
    ('CERTIFIED', '$|x \\log{\\left(x \\right)}| \\le C \\sqrt{x}$')
    >>> dict(limit(sp.sin(x), x, sp.oo, 0).witness)["keeps away"]
    'f >= 1/2 for x = 2*pi*n + pi/2 and every n >= 1'
    """
    start = time.monotonic()
    where, steps = read_items(where=where), _effort(effort)
    if side not in ("", "+", "-"):
        raise ValueError(f"the side {side!r} is neither '+' nor '-'; leave it out for both")
    ranges = _ranges(domain, [x])
    near = regime_of({x: to}, ranges, side)
    q = _read(f, x, value, ranges, where, near, side)
    told_ = {"checked": q.checked, "assumes": q.st.assumes, "covered": q.covered}
    each = steps // SHARE
    if where and not stays(q.table, each):
        reason = (
            "no curve was found that surely meets the hypotheses near the limit: the statement may be "
            "vacuous there; what may help: simpler hypotheses"
        )
        return Evidence(verdict=Verdict.OPEN, engine="branch and bound", reason=reason, **told_)
    found = _kept_away(q, each)
    why = ""
    if found is None:
        found, why = _with_a_rate(q, each)
    if found is None:
        guess = _guess(q)
        reason = (
            f"no curve among {len(q.table.curves)} surely keeps f away from the value, and no rate was shown: "
            f"{why}. What may help: {guess}another form of f, or a bound of your own (`forall`)"
        )
        found = Evidence(verdict=Verdict.OPEN, engine="branch and bound", reason=reason)
    return found.replace(seconds=time.monotonic() - start, **told_)


@dataclass(frozen=True)
class _Limit:
    """What was asked."""

    st: Statement
    f: sp.Expr
    x: sp.Symbol
    value: sp.Expr
    domain: Mapping[sp.Symbol, Any]
    where: tuple[Any, ...]
    regime: Regime
    side: str
    table: Table

    @property
    def checked(self) -> str:
        a = self.regime.to[self.x]
        to = rf"{latex(self.x)} \to {latex(a)}" + (f"^{{{self.side}}}" if self.side else "")
        others = [t.strip("$") for s, t in zip(self.st.names, self.st.assumes) if s != self.x]
        hyps = [t.strip("$") for t in self.st.assumes[len(self.st.names) :]]
        uniform = rf"\quad \text{{uniformly in }} {', '.join(others)}" if others else ""
        given = rf"\quad \text{{where }} {', '.join(hyps)}" if hyps else ""
        return rf"\lim_{{{to}}} {latex(self.f)} = {latex(self.value)}{uniform}{given}"

    @property
    def covered(self) -> str:
        return ", ".join([*(t.strip("$") for t in self.st.assumes), f"as {self.regime.latex}"])


def _read(
    f: Any,
    x: sp.Symbol,
    value: Any,
    domain: Mapping[sp.Symbol, Any],
    where: tuple[Any, ...],
    near: Regime,
    side: str,
) -> _Limit:
    f = scalar(f).given
    v = sp.sympify(value) if not isinstance(value, (str, bool, float)) else value
    if v not in (sp.oo, -sp.oo):
        v = scalar(v).given
        if v.has(x):
            raise ValueError(f"the value {v} speaks of {x}, which tends to {near.to[x]}; compare the two by `order`")
    st = statement(f, "<=", v if v.is_finite is not False else 0, domain, where)
    limits: Sequence[sp.Expr | None] = [near.to.get(s) for s in domain]
    return _Limit(st, f, x, v, domain, where, near, side, table(st, limits, index_for(domain)))


def _rates(q: _Limit) -> Iterator[sp.Expr]:
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


def _with_a_rate(q: _Limit, effort: int) -> tuple[Evidence | None, str]:
    """The limit with a rate that is shown, or nothing and why not."""
    C = _constant([*q.domain])
    why = "no rate seems to hold"
    far = q.value in (sp.oo, -sp.oo)
    forms = [(q.f, q.value, "")] if far else [*_logarithms(q), (q.f, q.value, "")]
    tries = 0
    for (f, v, form), rate in itertools.product(forms, _rates(q)):
        ask = lambda a, op, b: quantified(C, a, op, b, q.domain, q.where, q.regime)
        if far:
            goals = [ask(f if q.value == sp.oo else -f, ">=", C / rate)]
            shown = f"{latex(f)} \\{'ge' if q.value == sp.oo else 'le -'} {latex(C / rate)}"
        else:
            goals = [ask(f - v, "<=", C * rate), ask(v - f, "<=", C * rate)]
            shown = f"|{latex(f - v)}| \\le {latex(C * rate)}"
        found, reason = chosen(goals, effort)
        if found is not None:
            # of the function itself, which the logarithm does not show
            own = {"steps": (f"${shown}$", *([form] if form else []), *found.steps)}
            return found.replace(**own), ""
        if reason.startswith("with"):
            why, tries = f"{latex(rate)}: {reason}", tries + 1
            if tries == MOST_RATES:
                break
    return None, why


def _logarithms(q: _Limit) -> Iterator[tuple[sp.Expr, sp.Expr, str]]:
    """The logarithms of a power and of its positive limit: they tend to each other if and only if
    the two do. The base is positive where its logarithm is defined.
    """
    if isinstance(q.f, sp.Pow) and q.f.exp.has(q.x) and q.f.base.has(q.x) and told(q.value, "positive"):
        words = "by logarithms, as the exponential function is continuous"
        yield q.f.exp * sp.log(q.f.base), sp.log(q.value), words


def _kept_away(q: _Limit, effort: int) -> Evidence | None:
    """A curve towards the limit along which f surely keeps a distance from the value."""
    t = q.table
    fresh = dict(zip(q.st.names, q.st.symbols))
    gap = put(q.f, fresh) if q.value in (sp.oo, -sp.oo) else put(q.f - q.value, fresh)
    seen = t.values(gap)
    half = len(t.grid) // 2
    asked = 0
    for row in range(len(t.curves)):
        known = t.met[row] & np.isfinite(seen[row])
        tail = seen[row][half:][known[half:]]
        if len(tail) < 3:
            tail = seen[row][known][-4:]
        if len(tail) < 3 or not (bound := _bound(tail, q.value)):
            continue
        for start in (1, 2, 10, 100):
            along = Along(q.st, t.n, t.at(row), start, effort)
            sign, distance = bound
            found = along.shows(sign * gap - distance, ">=") and along.stays()
            if found:
                return _away(q, along, sign, distance)
        asked += 1
        if asked == MOST_CURVES:
            break
    return None


def _bound(tail: Any, value: sp.Expr) -> tuple[int, sp.Expr] | None:
    """The sign of a gap and what it seems to keep above, half of the least that was seen; where
    the value is infinite minus a number that f seems not to exceed.
    """
    if value in (sp.oo, -sp.oo):
        sign = -1 if value == sp.oo else 1
        grown = np.abs(tail).max()
        falls = (sign * tail >= 0).all() or grown <= 2 * np.abs(tail[: max(1, len(tail) // 2)]).max() + 1
        return (sign, -sp.Integer(int(np.ceil(min(grown, 1e9))) + 1)) if falls else None
    sign = 1 if tail[-1] > 0 else -1
    least = (sign * tail).min()
    if not least > SMALL or least < 0.2 * np.abs(tail[: max(1, len(tail) // 2)]).min():
        return None
    nice = [sp.Rational(1, d) for d in (1, 2, 4, 10, 100, 1000, 10**4, 10**6)]
    return next(((sign, d) for d in nice if d <= least / 2 or (d == 1 and d <= least)), None)


def _away(q: _Limit, along: Along, sign: int, distance: sp.Expr) -> Evidence:
    n, start = along.n, along.start
    infinite = q.value in (sp.oo, -sp.oo)
    of = "f" if infinite or q.value == 0 else f"f - ({q.value})"
    words = f"{of} >= {distance}" if sign > 0 else f"{of} <= {-distance}"
    point = along.named(start)
    rational = all(sp.sympify(v).is_Rational for v in point.values())
    value = put(q.f, dict(zip(q.st.names, along.member(start))))
    exact = rational and value.is_Rational
    return Evidence(
        verdict=Verdict.REFUTED,
        engine="exact arithmetic" if exact else "interval arithmetic",
        witness={**point, "keeps away": f"{words} for {along.words} and every {n} >= {start}"},
        witness_by="exact" if exact else "Arb",
        sides=_near_it(q, along, sign, distance),
    )


def _near_it(q: _Limit, along: Along, sign: int, distance: sp.Expr) -> tuple[Statement, ...]:
    """That f comes nearer than that along the curve, which is false."""
    curve = {name: along.curve[x] for name, x in zip(q.st.names, along.curve)}
    try:
        f = put(q.f if q.value in (sp.oo, -sp.oo) else q.f - q.value, curve)
        return (statement(sign * f, "<", distance, along.index, ()),) if f.has(along.n) else ()
    except (TypeError, ValueError, Undecided):
        return ()


def _guess(q: _Limit) -> str:
    """What the rules for leading terms say of a limit at infinity, as a hint."""
    if q.regime.to[q.x] != sp.oo or len(q.domain) > 1:
        return ""
    found = leading(put(q.f, dict(zip(q.st.names, q.st.symbols))), q.st.symbols[0])
    if found is None or not found.order == (0, 0) or found.c == 0:
        return ""
    return f"another value (its leading term is {found.c}); " if found.c != q.value else ""
