"""Interval arithmetic with exact Arb end points that are rounded outwards, for the enclosures of
branch and bound.

An `Iv` encloses the values that an expression takes at the points of a box. Besides its ends it
knows whether an end may be attained (``x > 0`` is more than ``x >= 0``: it makes ``1/x`` and
``log(x)`` defined and strict inequalities provable) and whether the expression is defined at every
point of the box. Infinity is never attained. Monotone functions are evaluated at the two ends,
because one wide ball would overestimate their range.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from flint import arb, fmpq

__all__ = [
    "INF",
    "NINF",
    "ONE",
    "ZERO",
    "Ball",
    "Iv",
    "down",
    "gamma_shape",
    "meet",
    "power",
    "powexp",
    "rational_power",
    "signed_powexp",
    "up",
]

Ball: TypeAlias = arb
Monotone = Callable[[Ball], Ball]
INF, NINF, ZERO, ONE = arb.pos_inf(), arb.neg_inf(), arb(0), arb(1)


def down(x: Ball) -> Ball:
    """The largest exact number that is surely at most every number in the ball `x`."""
    if x.is_finite():
        return x.lower()
    return NINF if x.is_nan() or not x.is_exact() else x


def up(x: Ball) -> Ball:
    """The smallest exact number that is surely at least every number in the ball `x`."""
    if x.is_finite():
        return x.upper()
    return INF if x.is_nan() or not x.is_exact() else x


class Iv:
    """A set of reals between `lo` and `hi`; `lo_open` says that every value is above `lo`,
    `defined` that no point was undefined.
    """

    __slots__ = ("defined", "hi", "hi_open", "lo", "lo_open")

    def __init__(
        self, lo: Ball, hi: Ball, lo_open: bool = False, hi_open: bool = False, defined: bool = True
    ) -> None:
        self.lo, self.hi, self.defined = lo, hi, defined
        self.lo_open = lo_open or not lo > NINF
        self.hi_open = hi_open or not hi < INF

    @classmethod
    def of(cls, lo: fmpq | Ball, hi: fmpq | Ball, lo_open: bool = False, hi_open: bool = False) -> Iv:
        """The interval between two exact numbers, rounded outwards."""
        return cls(down(arb(lo)), up(arb(hi)), lo_open, hi_open)

    def __repr__(self) -> str:
        ends = ", ".join(
            "-oo" if not e > NINF else "oo" if not e < INF else e.str(8, radius=False)
            for e in (self.lo, self.hi)
        )
        return (
            f"{'(' if self.lo_open else '['}{ends}{')' if self.hi_open else ']'}{'' if self.defined else '?'}"
        )

    @property
    def pos(self) -> bool:
        return bool(self.lo > ZERO or (self.lo_open and self.lo >= ZERO))

    @property
    def nonneg(self) -> bool:
        return bool(self.lo >= ZERO)

    @property
    def neg(self) -> bool:
        return bool(self.hi < ZERO or (self.hi_open and self.hi <= ZERO))

    @property
    def nonpos(self) -> bool:
        return bool(self.hi <= ZERO)

    @property
    def nonzero(self) -> bool:
        return self.pos or self.neg

    def undefined(self) -> Iv:
        """Nothing is known, and the expression may be undefined."""
        return Iv(NINF, INF, defined=False)

    def __neg__(self) -> Iv:
        return Iv(-self.hi, -self.lo, self.hi_open, self.lo_open, self.defined)

    def __add__(self, o: Iv) -> Iv:
        lo = down(self.lo + o.lo) if self.lo > NINF and o.lo > NINF else NINF
        hi = up(self.hi + o.hi) if self.hi < INF and o.hi < INF else INF
        return Iv(lo, hi, self.lo_open or o.lo_open, self.hi_open or o.hi_open, self.defined and o.defined)

    def __sub__(self, o: Iv) -> Iv:
        return self + (-o)

    def __mul__(self, o: Iv) -> Iv:
        if self.hi <= ZERO and not self.lo >= ZERO:
            return -((-self) * o)
        if o.hi <= ZERO and not o.lo >= ZERO:
            return -(self * (-o))
        ok = self.defined and o.defined
        if self.lo >= ZERO and o.lo >= ZERO:
            a, b = self.lo_open, o.lo_open
            lo_open = (a and b) or (a and bool(o.lo > ZERO)) or (b and bool(self.lo > ZERO))
            hi_open = bool(self.hi > ZERO and o.hi > ZERO) and (self.hi_open or o.hi_open)
            return Iv(down(_times(self.lo, o.lo)), up(_times(self.hi, o.hi)), lo_open, hi_open, ok)
        corners = [_times(s, t) for s in (self.lo, self.hi) for t in (o.lo, o.hi)]
        return Iv(min(map(down, corners)), max(map(up, corners)), defined=ok)

    def inv(self) -> Iv:
        """``1/x``, undefined as soon as 0 cannot be excluded."""
        if self.neg:
            return -((-self).inv())
        if not self.pos:
            return self.undefined()
        lo = ZERO if not self.hi < INF else down(ONE / self.hi)
        hi = INF if not self.lo > ZERO else up(ONE / self.lo)
        return Iv(lo, hi, self.hi_open, self.lo_open, self.defined)

    def powi(self, n: int) -> Iv:
        if n < 0:
            return self.powi(-n).inv()
        if n == 0:
            return Iv(ONE, ONE, defined=self.defined)
        if n % 2 == 0 and not self.lo >= ZERO:
            if self.hi <= ZERO:
                return (-self).powi(n)
            far = self.hi if self.hi > -self.lo else -self.lo
            both = self.hi_open and self.lo_open
            return Iv(ZERO, up(_power(far, n)), False, both, self.defined)
        return Iv(down(_power(self.lo, n)), up(_power(self.hi, n)), self.lo_open, self.hi_open, self.defined)

    def root(self, q: int) -> Iv:
        """The real `q`-th root of a nonnegative number."""
        return self.increasing(lambda t: t.sqrt() if q == 2 else t.root(q), ZERO, INF, ZERO, attained=True)

    def increasing(
        self, f: Monotone, least: Ball, greatest: Ball, start: Ball = NINF, attained: bool = False
    ) -> Iv:
        """The values of a strictly increasing `f` on ``(start, oo)``, with its limits; `attained`:
        it is defined at `start`.
        """
        inside = self.lo > start or (self.lo >= start and (attained or self.lo_open))
        if not inside:
            return self.undefined()
        lo, hi, lo_open, hi_open = least, greatest, self.lo_open, self.hi_open
        if self.lo > start:
            v = down(f(self.lo))
            lo, lo_open = (v, lo_open) if v > least else (least, True)
        if not self.hi > start:  # the limit may have been rounded down from the value there
            v = up(f(start))
            hi = v if v.is_finite() else greatest
        elif self.hi < INF:
            v = up(f(self.hi))
            hi, hi_open = (v, hi_open) if v < greatest else (greatest, True)
        return Iv(lo, hi, lo_open, hi_open, self.defined)

    def decreasing(
        self, f: Monotone, greatest: Ball, least: Ball, start: Ball = NINF, attained: bool = False
    ) -> Iv:
        """The values of a strictly decreasing `f`, as in `increasing`."""
        return -self.increasing(lambda t: -f(t), -greatest, -least, start, attained)

    def abs(self) -> Iv:
        if self.lo >= ZERO:
            return self
        if self.hi <= ZERO:
            return -self
        a, b = -self.lo, self.hi
        return Iv(
            ZERO, a if a > b else b, False, (self.lo_open or a < b) and (self.hi_open or b < a), self.defined
        )

    def exp(self) -> Iv:
        return self.increasing(lambda t: t.exp(), ZERO, INF)

    def log(self) -> Iv:
        return self.increasing(lambda t: t.log(), NINF, INF, ZERO)

    def ball(self, f: Monotone, lo: Ball, hi: Ball) -> Iv:
        """A function that is not monotone, by one ball, cut to its known range."""
        if not (self.lo > NINF and self.hi < INF):
            return Iv(lo, hi, defined=self.defined)
        v = f(self.lo.union(self.hi))
        a, b = down(v), up(v)
        return Iv(a if a > lo else lo, b if b < hi else hi, defined=self.defined)

    def hull(self, o: Iv) -> Iv:
        lo, lo_open = (
            (self.lo, self.lo_open)
            if self.lo < o.lo
            else (o.lo, o.lo_open and (self.lo > o.lo or self.lo_open))
        )
        hi, hi_open = (
            (self.hi, self.hi_open)
            if self.hi > o.hi
            else (o.hi, o.hi_open and (self.hi < o.hi or self.hi_open))
        )
        return Iv(lo, hi, bool(lo_open), bool(hi_open), self.defined and o.defined)

    def max(self, o: Iv) -> Iv:
        """The larger of two values."""
        a, b = (self, o) if self.lo > o.lo else (o, self)
        lo_open = a.lo_open or (b.lo_open and not a.lo > b.lo)
        c, d = (self, o) if self.hi > o.hi else (o, self)
        return Iv(
            a.lo, c.hi, lo_open, c.hi_open and (d.hi_open or bool(d.hi < c.hi)), self.defined and o.defined
        )


def _times(a: Ball, b: Ball) -> Ball:
    # Infinity stands for arbitrarily large reals: a factor that is exactly zero wins.
    return ZERO if a.is_zero() or b.is_zero() else a * b


def _power(a: Ball, n: int) -> Ball:
    if not a.is_finite():
        return INF if a > 0 or n % 2 == 0 else NINF
    r = ONE  # repeated squaring: `arb(0, r)**2` is nan
    while n:
        if n & 1:
            r = r * a
        n >>= 1
        if n:
            a = a * a
    return r


def power(base: Iv, exponent: Iv) -> Iv:
    """``base**exponent`` for a positive base; a base of 0 is defined (and continuous) only under
    surely positive exponents.
    """
    zero = not base.pos
    if not base.nonneg or (zero and not exponent.pos):
        return base.undefined()
    if zero:  # 0 belongs to the base: log would be undefined there, the power is not
        inside = Iv(base.lo, base.hi, True, base.hi_open, base.defined)
        value = (
            power(inside, exponent)
            if base.hi > ZERO
            else Iv(ZERO, ZERO, defined=base.defined and exponent.defined)
        )
        return Iv(ZERO, value.hi, False, value.hi_open, value.defined)
    return (exponent * base.log()).exp()


def powexp(u: Iv, a: fmpq, c: fmpq) -> Iv:
    """``u**a * exp(c*u)`` for ``u >= 0`` and rational `a`, `c`: monotone on both sides of
    ``u = -a/c``.
    """
    if not (u.pos or (u.nonneg and a >= 0)):
        return u.undefined()
    if a == 0 or c == 0 or (a > 0) == (c > 0):
        return rational_power(u, a) * (u * Iv.of(arb(c), arb(c))).exp()

    def at(t: Ball, open_end: bool) -> tuple[Ball, Ball, bool]:
        if t.is_zero():
            v = ZERO if a > 0 else INF
        elif not t < INF:
            v = ZERO if c < 0 else INF
        else:
            w = (arb(a) * t.log() + arb(c) * t).exp()
            return down(w), up(w), open_end
        return v, v, open_end

    # between the two ends the value is extreme at -a/c only
    ends = [at(u.lo, u.lo_open), at(u.hi, u.hi_open)]
    turn = -arb(a) / arb(c)
    if not (u.lo > turn or u.hi < turn):
        w = at(turn, False)
        ends.append(w)
    lo, hi = min(e[0] for e in ends), max(e[1] for e in ends)
    # a limit of 0 (or oo) is approached, not attained, wherever u > 0
    lo_open = (lo.is_zero() and u.pos) or all(e[2] for e in ends if not e[0] > lo)
    hi_open = all(e[2] for e in ends if not e[1] < hi)
    return Iv(lo, hi, bool(lo_open), bool(hi_open), u.defined)


def rational_power(u: Iv, a: fmpq) -> Iv:
    """``u**(p/q)`` for ``u >= 0``."""
    p, q = int(a.p), int(a.q)
    return u.powi(p) if q == 1 else u.root(q).powi(p)


def signed_powexp(u: Iv, n: int, c: fmpq) -> Iv:
    """``u**n * exp(c*u)`` for a whole number `n` and `u` of any sign."""
    if u.nonneg:
        return powexp(u, fmpq(n), c)
    if u.nonpos:
        v = powexp(-u, fmpq(n), -c)
        return v if n % 2 == 0 else -v
    left = signed_powexp(Iv(u.lo, ZERO, u.lo_open, False, u.defined), n, c)
    return left.hull(signed_powexp(Iv(ZERO, u.hi, False, u.hi_open, u.defined), n, c))


def gamma_shape(u: Iv, f: Monotone, below: Ball) -> Iv:
    """A function that falls on (0, 1.461...) and rises afterwards, as Gamma and its logarithm do;
    `below` bounds its minimum.
    """
    a, b, below = down(arb(fmpq(14616, 10000))), up(arb(fmpq(14617, 10000))), down(below)
    if u.hi < a:
        return u.decreasing(f, INF, below, ZERO)
    if u.lo > b:
        return u.increasing(f, below, INF, ONE)
    left, right = Iv(u.lo if u.lo < a else a, a, u.lo_open), Iv(b, u.hi if u.hi > b else b, False, u.hi_open)
    v = left.decreasing(f, INF, below, ZERO).hull(right.increasing(f, below, INF, ONE))
    return Iv(below, v.hi, True, False, v.defined and u.defined)


def meet(a: Iv, b: Iv) -> Iv:
    """What two enclosures of one quantity leave."""
    lo, lo_open = (b.lo, b.lo_open) if b.lo > a.lo else (a.lo, a.lo_open or (b.lo_open and not b.lo < a.lo))
    hi, hi_open = (b.hi, b.hi_open) if b.hi < a.hi else (a.hi, a.hi_open or (b.hi_open and not b.hi > a.hi))
    return Iv(lo, hi, bool(lo_open), bool(hi_open), a.defined and b.defined)
