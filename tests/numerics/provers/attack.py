"""Random inequalities for the prover, and an attack on its answers that shares no code with it.

An accepted statement is searched for a counterexample: exact random points, points near every end, and a zooming minimisation in
floating point whose best points are evaluated again by mpmath with 60 digits. A refuted one has its witness evaluated there.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from scipy import special

from numerics.evidence import Evidence
from numerics.provers import Closed, Integers, forall

R, oo = sp.Rational, sp.oo
X, Y, Z = sp.symbols("x y z", real=True)
DIGITS = 60
Point = tuple[Fraction, ...]


@dataclass(frozen=True)
class Range:
    """One variable: ends (None is infinite), whether they are attained, whether only whole numbers count."""

    lo: Fraction | None
    hi: Fraction | None
    closed: bool = False
    integer: bool = False

    def spec(self) -> Any:
        lo = -oo if self.lo is None else R(self.lo.numerator, self.lo.denominator)
        hi = oo if self.hi is None else R(self.hi.numerator, self.hi.denominator)
        return Integers(lo, hi) if self.integer else Closed(lo, hi) if self.closed else (lo, hi)

    def contains(self, v: Fraction) -> bool:
        attained = self.closed or self.integer
        above = self.lo is None or v > self.lo or (attained and v == self.lo)
        below = self.hi is None or v < self.hi or (attained and v == self.hi)
        return above and below and (not self.integer or v.denominator == 1)

    def at(self, s: np.ndarray) -> np.ndarray:
        """[-1, 1] onto the range, logarithmically towards its ends."""
        with np.errstate(all="ignore"):
            if self.lo is not None and self.hi is not None:
                lo, hi = float(self.lo), float(self.hi)
                v = np.where(
                    s < 0, lo + (hi - lo) / 2 * 10.0 ** (12 * s * np.abs(s)), hi - (hi - lo) / 2 * 10.0 ** (-12 * s * np.abs(s))
                )
                v = np.where(np.abs(s) < 0.8, lo + (hi - lo) * (s + 0.8) / 1.6, v)
            elif self.lo is not None:
                v = float(self.lo) + 10.0 ** (4 * s)
            elif self.hi is not None:
                v = float(self.hi) - 10.0 ** (4 * s)
            else:
                v = np.sinh(9 * s)
        return np.round(v) if self.integer else v

    def exact(self, v: float) -> Fraction | None:
        q = Fraction(round(v)) if self.integer else Fraction(v)
        return q if self.contains(q) else None

    def ends(self) -> list[Fraction]:
        own = [e for e in (self.lo, self.hi) if e is not None]
        near = [e + d * Fraction(1, 10**k) for e in own for d in (1, -1) for k in (0, 2, 6, 12)]
        far = [Fraction(s * n) for n in (1, 2, 3, 10, 100) for s in (1, -1)] + [Fraction(0), Fraction(1, 2)]
        return [q for q in dict.fromkeys([*own, *near, *far]) if self.contains(q)]


@dataclass(frozen=True)
class Random:
    """A random statement, with the data to rebuild it."""

    small: sp.Expr
    big: sp.Expr
    strict: bool
    ranges: dict[sp.Symbol, Range]
    where: tuple[tuple[sp.Expr, str, sp.Expr], ...]

    def ask(self, effort: float) -> Evidence:
        domain = {s: r.spec() for s, r in self.ranges.items()}
        return forall(self.small, "<" if self.strict else "<=", self.big, domain, where=self.where, effort=effort)

    def __str__(self) -> str:
        spec = {str(s): r.spec() for s, r in self.ranges.items()}
        return f"forall({self.small}, {'<' if self.strict else '<='}, {self.big}, {spec}, where={list(self.where)})"


# -- generation -----------------------------------------------------------------------------------------------------------------

_RANGES = [
    Range(Fraction(0), None),
    Range(Fraction(0), None, closed=True),
    Range(Fraction(0), Fraction(1)),
    Range(Fraction(0), Fraction(1), closed=True),
    Range(Fraction(-1), Fraction(1)),
    Range(Fraction(1, 2), Fraction(3)),
    Range(Fraction(1), None, closed=True),
    Range(None, None),
    Range(Fraction(-2), Fraction(5, 3), closed=True),
    Range(None, Fraction(0)),
    Range(Fraction(1), None, integer=True),
    Range(Fraction(-3), Fraction(12), integer=True),
]


def _number(rng: random.Random) -> sp.Rational:
    return R(rng.choice((1, 1, 1, 2, 3, 5)) * rng.choice((1, -1)), rng.choice((1, 1, 2, 3, 4)))


def _tame(rng: random.Random, symbols: list[sp.Symbol]) -> sp.Expr:
    """Something small that an exponential may be taken of."""
    s = rng.choice(symbols)
    return rng.choice(
        [
            lambda: s,
            lambda: _number(rng) * s,
            lambda: s + _number(rng),
            lambda: s**2,
            lambda: s * rng.choice(symbols),
            lambda: -s - s**2,
        ]
    )()


def _positive(rng: random.Random, symbols: list[sp.Symbol], ranges: dict[sp.Symbol, Range], depth: int) -> sp.Expr:
    """Positive wherever it is defined, mostly provably so."""
    s = rng.choice(symbols)
    lo = ranges[s].lo
    natural = [s] if lo is not None and lo >= 0 else [s**2 + abs(_number(rng))]
    inner = lambda: _positive(rng, symbols, ranges, depth - 1) if depth > 0 else natural[0]
    return rng.choice(
        [
            lambda: natural[0],
            lambda: natural[0] + abs(_number(rng)),
            lambda: sp.exp(_tame(rng, symbols)),
            lambda: 1 + inner() ** 2,
            lambda: inner() + inner(),
            lambda: sp.sqrt(inner()),
            lambda: 1 / inner(),
            lambda: sp.cosh(_tame(rng, symbols)),
            lambda: inner() ** abs(_number(rng)),
        ]
    )()


def _expression(rng: random.Random, symbols: list[sp.Symbol], ranges: dict[sp.Symbol, Range], depth: int) -> sp.Expr:
    again = lambda: _expression(rng, symbols, ranges, depth - 1)
    positive = lambda: _positive(rng, symbols, ranges, depth - 1)
    leaf = [
        lambda: rng.choice(symbols),
        lambda: _number(rng) * rng.choice(symbols),
        lambda: rng.choice(symbols) ** rng.randint(2, 3),
    ]
    if depth <= 0:
        return rng.choice(leaf)()
    inner: list[Callable[[], sp.Expr]] = [
        lambda: again() + again(),
        lambda: again() - again(),
        lambda: again() * again(),
        lambda: again() / positive(),
        lambda: again() ** 2,
        lambda: sp.exp(-positive()) if rng.random() < 0.5 else sp.exp(_tame(rng, symbols)),
        lambda: sp.log(positive()),
        lambda: sp.sqrt(positive()),
        lambda: sp.log(1 + positive()),
        lambda: sp.tanh(again()),
        lambda: sp.sinh(_tame(rng, symbols)),
        lambda: sp.cosh(_tame(rng, symbols)),
        lambda: sp.coth(positive()),
        lambda: sp.sech(_tame(rng, symbols)),
        lambda: sp.erf(again()),
        lambda: sp.erfc(_tame(rng, symbols)),
        lambda: sp.atan(again()),
        lambda: sp.asinh(again()),
        lambda: sp.sin(_tame(rng, symbols)),
        lambda: sp.cos(_tame(rng, symbols)),
        lambda: sp.Abs(again()),
        lambda: sp.Max(again(), again()),
        lambda: sp.Min(again(), again()),
        lambda: sp.loggamma(positive()),
        lambda: sp.gamma(positive()) / (1 + sp.gamma(positive())),
        lambda: sp.polygamma(0, positive()),
        lambda: sp.uppergamma(rng.choice((R(1, 2), 2, R(5, 2))), positive()),
        lambda: sp.lowergamma(rng.choice((R(1, 2), 3)), positive()),
        lambda: sp.besselk(rng.choice((0, R(1, 2), 1)), positive()),
        lambda: sp.besseli(rng.choice((0, 1)), positive()) * sp.exp(-positive()),
        lambda: positive() ** _tame(rng, symbols),
    ]
    return rng.choice(leaf if rng.random() < 0.2 else inner)()


def statements(seed: int) -> Iterator[Random]:
    """Random statements without end; about half of them are true."""
    rng = random.Random(seed)
    while True:
        if rng.random() < 0.08:
            yield _invariant(rng)
            continue
        symbols = [X, Y, Z][: rng.choice((1, 1, 1, 1, 2, 2, 3))]
        ranges = {s: rng.choice(_RANGES) for s in symbols}
        left = _expression(rng, symbols, ranges, rng.choice((1, 2, 2, 2, 3)))
        right = _expression(rng, symbols, ranges, rng.choice((1, 2))) if rng.random() < 0.5 else sp.S.Zero
        f = left - right
        if f.has(sp.nan, sp.zoo, sp.oo, sp.I, sp.atan2, sp.re, sp.im, sp.arg) or not f.free_symbols or _nested(f):
            continue
        symbols = sorted(left.free_symbols | right.free_symbols, key=str)
        ranges = {s: ranges[s] for s in symbols}
        where = _hypothesis(rng, symbols)
        least = _least(f, ranges, where, rng)
        if least is None:
            continue
        scale = max(abs(least), 0.1)
        step = rng.choice((1.0, 0.3, 0.1, 0.01, 1e-3)) * scale * rng.choice((1, -1))
        offset = R(Fraction(least - step).limit_denominator(10**4))
        sides = (right + offset, left)
        if rng.random() < 0.1:  # nothing is shifted: equalities at special points come up here
            sides = (right, left)
        yield Random(*sides, rng.random() < 0.3, ranges, where)


def _invariant(rng: random.Random) -> Random:
    """A statement whose sign does not change when both variables are scaled, or shifted, together."""
    if rng.random() < 0.5:
        kind = rng.choice((Range(Fraction(0), None), Range(Fraction(0), None, closed=True), Range(None, None)))
        ranges = {X: kind, Y: rng.choice((kind, Range(Fraction(0), None, closed=True)))}
        atoms = [
            X,
            Y,
            sp.Abs(X),
            sp.Abs(Y),
            sp.sqrt(X**2 + Y**2),
            sp.Max(X, Y),
            sp.Min(X, 2 * Y),
            sp.Abs(X - Y),
            sp.sqrt(X**2 + X * Y + Y**2),
        ]
        atoms += [sp.sqrt(X * Y), sp.cbrt(X**3 + 2 * Y**3)] if all(r.lo is not None for r in ranges.values()) else []
        unit = rng.choice((sp.Abs(X) + sp.Abs(Y), sp.sqrt(X**2 + Y**2), sp.Max(sp.Abs(X), sp.Abs(Y))))
    else:
        ranges = {X: Range(None, None), Y: Range(None, None)}
        lead = [
            sp.log(sp.exp(X) + sp.exp(Y)),
            sp.Max(X, Y),
            sp.Min(X, Y),
            (X + Y) / 2,
            sp.log(sp.exp(X / 2) + sp.exp(Y / 2)) * 2,
            X,
        ]
        atoms = [a - b for a, b in (rng.sample(lead, 2) for _ in range(3))] + [
            sp.Abs(X - Y),
            sp.exp(-((X - Y) ** 2)),
            sp.tanh(X - Y),
        ]
        unit = sp.S.One
    left = sp.Add(*(_number(rng) * a for a in rng.sample(atoms, 3)))
    least = _least(left / unit, ranges, (), rng)
    c = R(1) if least is None else R(Fraction(least - rng.choice((0.3, 0.01, 0, -0.01, -0.3))).limit_denominator(1000))
    return Random(c * unit, left, rng.random() < 0.3, ranges, ())


def _nested(f: sp.Expr) -> bool:
    """Towers of exponentials, whose values mpmath would spend minutes on."""
    fast = (sp.exp, sp.cosh, sp.sinh, sp.gamma, sp.besseli)
    grows = lambda e: any(isinstance(a, fast) for a in sp.preorder_traversal(e))
    slow = (*fast, sp.loggamma, sp.sin, sp.cos, sp.erf, sp.erfc, sp.besselk, sp.uppergamma, sp.lowergamma, sp.polygamma)
    return any(isinstance(a, slow) and any(map(grows, a.args)) for a in sp.preorder_traversal(f)) or any(
        a.is_Pow and grows(a.exp) and a.base is not sp.E for a in sp.preorder_traversal(f)
    )


def _hypothesis(rng: random.Random, symbols: list[sp.Symbol]) -> tuple[tuple[sp.Expr, str, sp.Expr], ...]:
    if len(symbols) < 2 or rng.random() < 0.6:
        return ()
    a, b = rng.sample(symbols, 2)
    return (rng.choice([(a, "<=", b), (a, "<", b), (a * b, "<=", sp.S.One), (a + b, ">=", R(1, 2)), (a**2, "<=", b + 3)]),)


# -- floating point and mpmath ---------------------------------------------------------------------------------------------------


_NUMPY: dict[str, Callable[..., Any]] = {
    **{n: getattr(np, n) for n in ("exp", "log", "sinh", "cosh", "tanh", "sin", "cos", "sign")},
    **{n: getattr(np, "arc" + n[1:]) for n in ("asinh", "acosh", "atanh", "atan")},
    **{n: getattr(special, n) for n in ("erf", "erfc", "gamma", "factorial")},
    "coth": lambda u: 1 / np.tanh(u),
    "sech": lambda u: 1 / np.cosh(u),
    "csch": lambda u: 1 / np.sinh(u),
    "Abs": np.abs,
    "Max": lambda *a: reduce(np.maximum, a),
    "Min": lambda *a: reduce(np.minimum, a),
    "loggamma": special.gammaln,
    "polygamma": lambda n, u: special.digamma(u),
    "uppergamma": lambda s, u: special.gammaincc(s, u) * special.gamma(s),
    "lowergamma": lambda s, u: special.gammainc(s, u) * special.gamma(s),
    "besselk": special.kv,
    "besseli": special.iv,
}


def np_value(e: sp.Expr, env: dict[sp.Expr, Any]) -> Any:
    """The values of an expression on arrays; `env` remembers those of its parts."""
    if e not in env:
        if e.is_number:
            env[e] = float(e)
        else:
            args = [np_value(a, env) for a in e.args]
            if e.is_Add or e.is_Mul:
                env[e] = reduce(np.add if e.is_Add else np.multiply, args)
            else:
                env[e] = np.power(*args) if e.is_Pow else _NUMPY[type(e).__name__](*args)
    return env[e]


def _search(
    f: sp.Expr, ranges: dict[sp.Symbol, Range], where: Any, rng: random.Random, rounds: int
) -> tuple[np.ndarray, np.ndarray]:
    """Points and values of `f`, least first, by random points and then closer and closer around the best ones."""
    generator, k = np.random.default_rng(rng.getrandbits(32)), len(ranges)
    conditions = [(b - a if op[0] == "<" else a - b, op in "<>") for a, op, b in where]
    s = generator.uniform(-1, 1, (300 * k, k))
    best_s, best_v, radius = np.empty((0, k)), np.empty(0), 0.2
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(rounds + 1):
            x = np.column_stack([r.at(s[:, i]) for i, r in enumerate(ranges.values())])
            env: dict[sp.Expr, Any] = dict(zip(ranges, x.T))
            v = np.broadcast_to(np_value(f, env), (len(x),))
            for g, strict in conditions:
                gap = np_value(g, env)
                v = np.where(gap > 0 if strict else gap >= 0, v, np.inf)
            v = np.where(np.isnan(v), np.inf, v)
            best_s, best_v = np.vstack([best_s, s]), np.concatenate([best_v, v])
            order = np.argsort(best_v, kind="stable")[:6]
            best_s, best_v = best_s[order], best_v[order]
            s = np.clip((best_s[:, None, :] + generator.normal(0, radius, (6, 25, k))).reshape(-1, k), -1, 1)
            radius *= 0.4
    return np.column_stack([r.at(best_s[:, i]) for i, r in enumerate(ranges.values())]), best_v


def _least(f: sp.Expr, ranges: dict[sp.Symbol, Range], where: Any, rng: random.Random) -> float | None:
    """The least value of `f` that a search finds, unless it is not finite."""
    _, v = _search(f, ranges, where, rng, 2)
    return float(v[0]) if np.isfinite(v[0]) and abs(v[0]) < 1e6 else None


def _besselk(n: Any, z: Any) -> Any:
    n = mpmath.mpf(n)  # mpmath's own besselk takes minutes for large z
    return mpmath.sqrt(mpmath.pi) * (2 * z) ** n * mpmath.exp(-z) * mpmath.hyperu(n + mpmath.mpf(1) / 2, 2 * n + 1, 2 * z)


_MPMATH: dict[str, Callable[..., Any]] = {
    **{
        n: getattr(mpmath, n)
        for n in ("exp", "log", "sinh", "cosh", "tanh", "coth", "sech", "csch", "asinh", "acosh", "atanh", "atan")
    },
    **{n: getattr(mpmath, n) for n in ("sin", "cos", "erf", "erfc", "gamma", "loggamma", "factorial", "besseli", "sign")},
    "Abs": abs,
    "Max": max,
    "Min": min,
    "polygamma": mpmath.psi,
    "uppergamma": lambda s, z: mpmath.gammainc(s, z),
    "lowergamma": lambda s, z: mpmath.gammainc(s, 0, z),
    "besselk": _besselk,
}


_SATURATED = {"tanh", "coth", "erf", "sech", "csch", "erfc", "atan"}


def _bounded(name: str, a: Any) -> Any:
    """mpmath spends minutes, or all memory, on arguments beyond the reach of its reductions."""
    if abs(a) < 10**9 or name in ("log", "asinh", "Abs", "Max", "Min", "sign", "loggamma", "polygamma"):
        return a
    if name in _SATURATED:
        return mpmath.sign(a) * 10**9
    raise OverflowError(f"{name} of {mpmath.nstr(a, 3)}")


def mp_value(e: sp.Expr, env: dict[sp.Symbol, Any]) -> Any:
    """The value of an expression by mpmath in the current precision; raises ValueError where it is not real."""
    if e.is_Rational:
        return mpmath.mpf(int(e.p)) / int(e.q)
    if e.is_Symbol:
        return env[e]
    if e in (sp.pi, sp.E, sp.EulerGamma):
        return {sp.pi: +mpmath.pi, sp.E: +mpmath.e, sp.EulerGamma: +mpmath.euler}[e]
    if e.is_Pow:
        base = mp_value(e.base, env)
        if e.exp.is_Integer:
            return base ** int(e.exp)
        v = base ** mp_value(e.exp, env)
    else:
        args = [mp_value(a, env) for a in e.args]
        if e.is_Add or e.is_Mul:
            return mpmath.fsum(args) if e.is_Add else mpmath.fprod(args)
        if isinstance(e, (sp.gamma, sp.loggamma, sp.polygamma, sp.factorial)) and not args[-1] + isinstance(e, sp.factorial) > 0:
            raise ValueError(f"{e} counts as undefined to the left of its first pole")
        v = _MPMATH[type(e).__name__](*map(_bounded, [type(e).__name__] * len(args), args))
    if isinstance(v, mpmath.mpc) and v.imag != 0:
        raise ValueError(f"{e} is not real")
    return mpmath.re(v)


def exact_gap(st: Random, point: Point) -> tuple[Any, Any] | None:
    """``big - small`` by mpmath, nan where it is undefined, and the size of the two; None where a hypothesis fails.

    Raises OverflowError where a value is out of mpmath's reach.
    """
    rational = {s: R(q.numerator, q.denominator) for s, q in zip(st.ranges, point)}
    for a, op, b in st.where:  # polynomials: exact
        gap = (b - a if op[0] == "<" else a - b).xreplace(rational)
        if not (gap > 0 if op in "<>" else gap >= 0):
            return None
    with mpmath.workdps(DIGITS):
        env = {s: mpmath.mpf(q.numerator) / q.denominator for s, q in zip(st.ranges, point)}
        try:
            small, big = mp_value(st.small, env), mp_value(st.big, env)
        except (ZeroDivisionError, ValueError):
            return mpmath.nan, mpmath.mpf(1)
        return big - small, abs(big) + abs(small)


def _broken(gap: Any, size: Any) -> bool:
    """Whether a gap is surely negative, for values that are known to `DIGITS` digits less 20."""
    return bool(mpmath.isnan(gap) or gap < -size * mpmath.mpf(10) ** (20 - DIGITS))


def counterexample(st: Random, rng: random.Random) -> Point | None:
    """A point of the domain that surely breaks an accepted statement, or at which it is undefined."""
    found, values = _search(st.big - st.small, st.ranges, st.where, rng, 8)
    candidates: list[Point] = [tuple(rng.choice(r.ends()) for r in st.ranges.values()) for _ in range(4)]
    for row in found[:3]:
        point = [r.exact(float(c)) for r, c in zip(st.ranges.values(), row)]
        if None not in point:
            candidates.append(tuple(point))  # type: ignore[arg-type]
    gaps = {p: g for p in candidates if (g := _reachable(st, p)) is not None}
    broken = [p for p, g in gaps.items() if _broken(*g)]
    if broken or not gaps:
        return broken[0] if broken else None
    lowest = min(gaps, key=lambda p: gaps[p][0])
    return _descended(st, lowest, gaps[lowest][0]) if values[0] < 1e-3 else None


def _descended(st: Random, point: Point, gap: Any) -> Point | None:
    """From an almost-equality downhill, below the resolution of floating point: to the vertex of a parabola in each variable."""
    for h in (Fraction(1, 10**k) for k in (3, 5, 7, 9, 12, 16)):
        for i, r in enumerate(st.ranges.values()):
            step = h * max(abs(point[i]), Fraction(1, 100))
            around = [_moved(st, r, point, i, d) for d in (-step, step)]
            if None in around:
                continue
            (_, a), (_, b) = around  # type: ignore[misc]
            curvature = a[0] + b[0] - 2 * gap
            if curvature > 0:
                vertex = _moved(st, r, point, i, step * Fraction(str(mpmath.nstr((a[0] - b[0]) / (2 * curvature), 30))))
                around.append(vertex)
            for trial, lower in filter(None, around):
                if _broken(*lower):
                    return trial
                if lower[0] < gap:
                    gap, point = lower[0], trial
    return None


def _moved(st: Random, r: Range, point: Point, i: int, by: Fraction) -> tuple[Point, tuple[Any, Any]] | None:
    if not r.contains(point[i] + by):
        return None
    trial = (*point[:i], point[i] + by, *point[i + 1 :])
    gap = _reachable(st, trial)
    return None if gap is None else (trial, gap)


def _reachable(st: Random, point: Point) -> tuple[Any, Any] | None:
    try:
        return exact_gap(st, point)
    except OverflowError:
        return None


def fault(st: Random, e: Evidence, rng: random.Random) -> str:
    """What is wrong with the prover's answer; empty if the attack found nothing."""
    if e.verdict.accepted:
        point = counterexample(st, rng)
        return "" if point is None else f"{e.verdict} by {e.engine}, but false at {[str(q) for q in point]}: {st}"
    if e.verdict.value == "REFUTED":
        point = tuple(Fraction(str(e.witness[str(s)])) for s in st.ranges)
        if not all(r.contains(q) for r, q in zip(st.ranges.values(), point)):
            return f"the witness {dict(e.witness)} lies outside of the domain: {st}"
        try:
            gap = exact_gap(st, point)
        except OverflowError:
            return ""
        if gap is None:
            return f"the witness {dict(e.witness)} does not meet the hypotheses: {st}"
        if not gap[0] < 0 and not (st.strict and gap[0] <= gap[1] * mpmath.mpf(10) ** (20 - DIGITS)):
            return f"the witness {dict(e.witness)} does not break {st}: gap {mpmath.nstr(gap[0], 5)}"
    return ""
