"""`limit` and `order`: limits with a rate that `forall` shows, and O, Omega and Theta.

A function tends to a value if it comes as near as a multiple of something that tends to 0: "there
is a constant C with ``|f - v| <= C h`` near the limit", for h a power of the distance, or one over
a logarithm. It does not if it keeps a distance along some curve towards the limit.
"""

from __future__ import annotations

import itertools
import time
from math import ceil
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
from numerics.lemmas.regimes import Regime, from_one_side, regime_of
from numerics.provers.as_written import latex, scalar
from numerics.provers.doors import guarded
from numerics.provers.exact.exact_numbers import Undecided, put, told
from numerics.provers.exact.leading import leading
from numerics.provers.statements.statement import Integers, Statement, side_of, statement
from numerics.rationals import sympy_rational
from theory.inputs.kinds import check_kind, read_items
from theory.inputs.whole_numbers import read_whole

__all__ = ["limit", "order"]

#: The three kinds, and how they are written.
KINDS = {"O": "O", "Omega": r"\Omega", "Theta": r"\Theta"}
#: Powers of the distance to the limit that are tried as rates.
POWERS = [sp.Rational(t) for t in "1 1/2 1/4 1/10".split()]
#: Rates and curves that `forall` is asked about.
MOST_RATES, MOST_CURVES = 3, 6
#: Members from which on f is to keep away.
STARTS = (1, 2, 10, 100, 10**4, 10**6, 10**9, 10**12)
#: Curves on which enclosures look far out.
ENCLOSED = 60


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
    kinds = ("O", "Omega") if kind == "Theta" else (kind,)
    parts = {
        (k, i): _one_order(f, k, g, regime_of(regime, of_side), of_side, where, steps)
        for k in kinds
        for i, of_side in enumerate(_each_side(near, domain))
    }
    if len(parts) == 1:
        return next(iter(parts.values()))
    found = all_of(*parts.values(), checked=_order_latex(f, kind, g, near))
    steps_of = (f"${KINDS[k]}$: {s}" for (k, _), p in parts.items() for s in p.steps)
    return found.replace(steps=tuple(dict.fromkeys(steps_of)))


def _each_side(near: Regime, domain: Mapping[sp.Symbol, Any]) -> list[dict[sp.Symbol, Any]]:
    """The domain on each side of the limits, where functions often keep their signs."""
    choices = [
        [from_one_side(r, x, near.to[x], s) for s in "+-"] if len(near.ways.get(x, ())) == 2 else [r]
        for x, r in domain.items()
    ]
    return [dict(zip(domain, chosen)) for chosen in itertools.product(*choices)]


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
        goals = [ask(left, ">=", C * s * sg * g) for s in (1, -1)] if sg else [ask(left, ">=", C * sp.Abs(g))]
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
    v = t.values(e)
    seen = v[t.clear & np.isfinite(v) & (v != 0)]
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
    if side:
        ranges[x] = from_one_side(ranges[x], x, to, side)
    near = regime_of({x: to}, ranges)
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
        found = _odd_and_even(q, to, steps)
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
    if not _comes_nearer(q):
        return None, why
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


def _comes_nearer(q: _Limit) -> bool:
    """Whether f is not surely as far from the value at a far place as at a near one."""
    if q.value in (sp.oo, -sp.oo):
        return True
    gap = put(q.f - q.value, dict(zip(q.st.names, q.st.symbols)))
    rows = np.flatnonzero(q.table.met[:, -8:].all(1))[:2]
    seen = [q.table.far(int(row), gap) for row in rows]
    return not any(len(v) > 1 and abs(v[-1]) > abs(v[-2]) * 9 / 10 for v in seen)


def _logarithms(q: _Limit) -> Iterator[tuple[sp.Expr, sp.Expr, str]]:
    """The logarithms of a product of powers, and of its positive limit: they tend to each other if
    and only if the two do. Every factor is positive where its logarithm is defined.
    """
    if any(p.base.has(q.x) and p.exp.has(q.x) for p in q.f.atoms(sp.Pow)) and isinstance(q.f, (sp.Pow, sp.Mul)):
        if told(q.value, "positive"):
            yield _logarithm(q.f), _logarithm(q.value), "by logarithms, as the exponential function is continuous"


def _logarithm(e: sp.Expr) -> sp.Expr:
    """log(e) as a sum, of logarithms of what has to be positive."""
    if e.is_Mul:
        return sp.Add(*map(_logarithm, e.args))
    if isinstance(e, sp.exp):
        return e.args[0]
    if e.is_Pow:
        return e.exp * _logarithm(e.base)
    if isinstance(e, (sp.gamma, sp.factorial)):
        return sp.loggamma(e.args[0] + (1 if isinstance(e, sp.factorial) else 0))
    return sp.log(e)


def _odd_and_even(q: _Limit, to: Any, effort: int) -> Evidence | None:
    """The limit along even and along odd whole numbers, where a negative number has whole powers."""
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
    return all_of(*parts).replace(steps=tuple(steps))


def _kept_away(q: _Limit, effort: int) -> Evidence | None:
    """A curve towards the limit along which f surely keeps a distance from the value."""
    t = q.table
    fresh = dict(zip(q.st.names, q.st.symbols))
    gap = put(q.f, fresh) if q.value in (sp.oo, -sp.oo) else put(q.f - q.value, fresh)
    seen = t.values(gap)
    asked = 0
    for row in range(len(t.curves)):
        if not t.met[row, -8:].all():
            continue
        known = seen[row][t.clear[row] & np.isfinite(seen[row])]
        far = [float(v.mid()) for v in t.far(row, gap)] if row < ENCLOSED else []
        bound = _bound(far[-2:] if len(far) > 1 else known[-4:], q.value)
        if bound is None:
            continue
        for start in STARTS:
            along = Along(q.st, t.n, t.at(row), start, effort)
            sign, distance = bound
            found = along.shows(sign * gap - distance, ">=") and along.stays()
            if found:
                return _away(q, along, sign, distance)
        asked += 1
        if asked == MOST_CURVES:
            break
    return None


def _bound(tail: Sequence[float], value: sp.Expr) -> tuple[int, sp.Expr] | None:
    """The sign of a gap and what it seems to keep above, half of the least that was seen; where
    the value is infinite minus a number that f seems not to exceed.
    """
    if len(tail) < 2:
        return None
    size = [abs(v) for v in tail]
    if value in (sp.oo, -sp.oo):
        sign = -1 if value == sp.oo else 1
        if all(sign * v >= 0 for v in tail):
            return sign, sp.S.Zero
        return (sign, -sp.Integer(ceil(max(size)) + 1)) if size[-1] <= 2 * size[0] + 1 else None
    sign = 1 if tail[-1] > 0 else -1
    least = min(sign * v for v in tail)
    if not (least > 0 and least >= size[0] / 5):
        return None
    nice = [*(sp.Rational(1, d) for d in (1, 2, 4, 10)), *(sp.Rational(1, 10**k) for k in range(2, 13))]
    return next(((sign, d) for d in nice if d <= least / 2 or d == least == 1), None)


def _away(q: _Limit, along: Along, sign: int, distance: sp.Expr) -> Evidence:
    n, start = along.n, along.start
    infinite = q.value in (sp.oo, -sp.oo)
    of = sp.Symbol("f") if infinite else sp.Symbol("f") - q.value
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
