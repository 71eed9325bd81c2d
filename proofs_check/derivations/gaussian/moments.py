"""Moments of a direction b.xi of a Gaussian vector under the weight e^{s|xi|^2/2}, s < 1, from the
Gaussian integral; and covariances.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import instantiated
from numerics.derivations.derived import chain, exp, integrated, log, turned
from numerics.derivations.rules import arithmetic, gaussian, limit, replace, specialise
from numerics.derivations.sorts import REALS, Range
from numerics.derivations.terms import Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.gaussian_tokens import b, c, dot, mean, n, rank, xi
from proofs_check.derivations.gaussian_tokens import g as vector
from proofs_check.derivations.softmax_average import eps, over

x_, y_ = (Variable(name, range=REALS) for name in ("x_", "y_"))
v_ = Variable("v", range=Range(Fraction(0), Fraction(1), False, False))
step = Variable("step", range=Range(Fraction(0), Fraction(1), True, False))
size = over(n, rank, b(n) ** 2)
score = dot(b, xi)
squared = over(n, rank, xi**2)


def equality(first: Theorem, second: Theorem) -> Theorem:
    """X == Y from X <= Y and Y <= X, as x = max(0, x) - max(0, -x)."""
    X, Y = first.lhs, first.rhs
    above, below = (Op("max", (term(0), u)) for u in (X - Y, Y - X))
    parts = []
    for part, given in ((above, first), (below, second)):
        none = arithmetic(part, "<=", 0, given, hide=(X, Y))
        parts.append(arithmetic(part, "==", 0, none, hide=(part,)))
    apart = lambda x, y: Op("max", (term(0), x - y))
    split = arithmetic(x_, "==", y_ + apart(x_, y_) - apart(y_, x_))
    split = chain(X, specialise(split, {x_: X, y_: Y}), Y + above - below)
    return arithmetic(X, "==", Y, split, *parts, hide=(X, Y, above, below))


@cache
def generating_function(s: Fraction) -> Theorem:
    """E e^{b.xi + s|xi|^2/2} = r^{-rank/2} e^{|b|^2/(2r)} with r = 1 - s."""
    found = gaussian(vector, n, rank, b(n), arithmetic(term(s) + (1 - s), "==", 1))
    return chain(mean(exp(score + s / 2 * squared)), found, mass(s) * exp(size / (2 * (1 - s))))


def mass(s: Fraction) -> Term:
    """r^{-rank/2}, the mean of the weight."""
    return exp(-(rank / 2) * log(term(1 - s)))


def weight(s: Fraction) -> Term:
    """e^{s|xi|^2/2}."""
    return exp(s / 2 * squared) if s else term(1)


def moment(s: Fraction, power: int) -> Term:
    """E e^{s|xi|^2/2} (b.xi)^power."""
    return mean(weight(s) * score**power)


def wave(u: Term) -> Term:
    return exp(u) + exp(-u)


@cache
def waves(s: Fraction) -> Theorem:
    """E w (e^{t b.xi} + e^{-t b.xi}) = 2 r^{-rank/2} e^{t^2|b|^2/(2r)} for every number t."""
    up, down = (specialise(generating_function(s), {b: ((n,), u * b(n))}) for u in (x_, -x_))
    total = chain(mean(weight(s) * wave(x_ * score)), up.lhs + down.lhs)
    value = arithmetic(total.rhs, "==", up.rhs + down.rhs, up, down, hide=(up.rhs, down.rhs))
    return chain(total, value, 2 * mass(s) * exp(x_**2 * size / (2 * (1 - s))))


@cache
def total_mass(s: Fraction) -> Theorem:
    """E w = r^{-rank/2}."""
    return chain(mean(weight(s)), specialise(generating_function(s), {b: ((n,), term(0))}), mass(s))


def averaged(s: Fraction, point: Theorem, left: Term, right: Term) -> Theorem:
    """The mean of w times an inequality in y = b.xi, whose sides are sums of nonnegative terms."""
    at = specialise(point, {y_: score})
    return integrated("normal", (vector,), replace(weight(s) * at.lhs, at), left, right)


#: A step that tends to 0, and a square of it that eps bounds.
small = eps / (1 + eps) / (1 + size)


def at_a_small_step(thm: Theorem, s: Fraction, order: int) -> Theorem:
    """The theorem at the small step t, where e^v with v = t^2|b|^2/(2r) on its right side is at
    most 1 + v + v^2, or 1 + v + (v^2 + v^3)/2 for the order 2.
    """
    v = instantiated(exponent(s), {step: small})
    more = v_ + v_**2 if order == 1 else v_ + (v_**2 + v_**3) / 2
    tangent = specialise(arithmetic(exp(v_), "<=", 1 + more), {v_: v}, arithmetic(v, "<=", 1, hide=(size,)))
    at = specialise(thm, {step: small})
    return chain(at, replace(at.rhs, tangent))


def exponent(s: Fraction) -> Term:
    """t^2|b|^2/(2r)."""
    return step**2 * size / (2 * (1 - s))


@cache
def tiny() -> Theorem:
    """t^2 <= eps for the small step t."""
    return arithmetic(small**2, "<=", eps, hide=(size,))


@cache
def second_moment_above(s: Fraction) -> Theorem:
    """E w (b.xi)^2 <= r^{-rank/2}|b|^2/r, from 2 + y^2 <= e^y + e^{-y} at y = t b.xi, as t tends to
    0.
    """
    M, X, r = mass(s), moment(s, 2), 1 - s
    point = arithmetic(2 + (step * y_) ** 2, "<=", wave(step * y_))
    average = averaged(s, point, 2 * mean(weight(s)) + step**2 * X, mean(weight(s) * wave(step * score)))
    average = chain(average, specialise(waves(s), {x_: step}))
    scaled = chain(
        X + 2 * mean(weight(s)) / step**2, average.lhs / step**2, replace(average.lhs / step**2, average)
    )
    scaled, more = at_a_small_step(scaled, s, 1), size**2 / (2 * r**2)
    bound = arithmetic(
        X, "<=", M * (size / r + small**2 * more), scaled, total_mass(s), hide=(M, X, size, small)
    )
    bound = chain(bound, replace(bound.rhs, tiny()))
    return limit(bound, eps, M * size / r, M * more)


@cache
def second_moment_below(s: Fraction) -> Theorem:
    """r^{-rank/2}|b|^2/r <= E w (b.xi)^2, from e^y + e^{-y} <= 2 + y^2 + t^4(e^{2x} + e^{-2x}) at y
    = t x and x = b.xi, as t tends to 0.
    """
    M, X, r = mass(s), moment(s, 2), 1 - s
    series = specialise(arithmetic(wave(y_), "<=", 2 + y_**2 + y_**4 / 24 * wave(y_)), {y_: step * y_})
    point = chain(series, replace(series.rhs, arithmetic(wave(step * y_), "<=", wave(y_))))
    fourth = arithmetic(y_**4 * wave(y_), "<=", 24 * wave(2 * y_))
    point = chain(point, 2 + (step * y_) ** 2 + step**4 / 24 * fourth.lhs)
    point = chain(wave(step * y_), point, replace(point.rhs, fourth))
    far, total = mean(weight(s) * wave(2 * score)), mean(weight(s))
    average = averaged(
        s, point, mean(weight(s) * wave(step * score)), 2 * total + step**2 * X + step**4 * far
    )
    end, v = specialise(waves(s), {x_: term(2)}), exponent(s)
    Z, flat = end.rhs, specialise(arithmetic(1 + y_, "<=", exp(y_)), {y_: v})
    least = chain(
        2 * M * (1 + v), replace(2 * M * (1 + v), flat), turned(specialise(waves(s), {x_: step})), average
    )
    rest = step**2 * (X + step**2 * Z)
    least = chain(2 * M + step**2 * M * size / r, least, replace(least.rhs, total_mass(s), end), 2 * M + rest)
    finite, first = replace(rest, second_moment_above(s)), step**2 * M * size / r
    bound = arithmetic(first, "<=", rest, least, finite, hide=(M, first, rest, finite.rhs))
    bound = chain(M * size / r, bound.lhs / step**2, replace(bound.lhs / step**2, bound), X + step**2 * Z)
    bound = specialise(bound, {step: eps / (1 + eps)})
    bound = chain(bound, replace(bound.rhs, arithmetic((eps / (1 + eps)) ** 2, "<=", eps)))
    return limit(bound, eps, X, Z)


@cache
def second_moment() -> Theorem:
    """E (b.xi)^2 = |b|^2."""
    same = equality(second_moment_above(Fraction(0)), second_moment_below(Fraction(0)))
    return chain(mean(score**2), same, size)


@cache
def fourth_moment(s: Fraction) -> Theorem:
    """E w (b.xi)^4 <= 3 r^{-rank/2}|b|^4/r^2, from 2 + y^2 + y^4/12 <= e^y + e^{-y}, y = t b.xi."""
    M, X, Y, r = mass(s), moment(s, 2), moment(s, 4), 1 - s
    point = arithmetic(2 + (step * y_) ** 2 + (step * y_) ** 4 / 12, "<=", wave(step * y_))
    known = 2 * mean(weight(s)) + step**2 * X
    average = averaged(s, point, known + step**4 * Y / 12, mean(weight(s) * wave(step * score)))
    average, more = chain(average, specialise(waves(s), {x_: step})), 3 * size**3 / (2 * r**3)
    scaled = 12 * average.lhs / step**4
    start = chain(Y + 12 * known / step**4, scaled, replace(scaled, average))
    less = chain(
        Y + 12 * (2 * M + step**2 * (M * size / r)) / step**4,
        Y + 24 / step**4 * M + 12 / step**2 * second_moment_below(s).lhs,
    )
    less = chain(less, replace(less.rhs, second_moment_below(s), turned(total_mass(s))))
    near = at_a_small_step(chain(less, start), s, 2)
    bound = arithmetic(Y, "<=", M * (3 * size**2 / r**2 + small**2 * more), near, hide=(M, Y, size, small))
    bound = chain(bound, replace(bound.rhs, tiny()))
    return limit(bound, eps, 3 * M * size**2 / r**2, M * more)


@cache
def covariance() -> Theorem:
    """E (b.xi)(c.xi) = b.c, from the squares of b + c, b and c."""
    squares = [specialise(second_moment(), {b: ((n,), u)}) for u in (b(n) + c(n), b(n), c(n))]
    left, right = ([getattr(x, side) for x in squares] for side in ("lhs", "rhs"))
    half = lambda parts: (parts[0] - parts[1] - parts[2]) / 2
    product = mean(score * dot(c, xi))
    same = arithmetic(half(left), "==", half(right), *squares, hide=(*left, *right))
    return chain(product, same, over(n, rank, b(n) * c(n)))


@cache
def length_of_a_vector() -> Theorem:
    """E |xi|^2 <= rank: the Gaussian integral of e^{t|xi|^2/(2(1 + t))}, whose exponent is at least
    that small multiple of |xi|^2, as t tends to 0.
    """
    t, point = step, specialise(arithmetic(1 + y_, "<=", exp(y_)), {y_: step / (1 + step) / 2 * squared})
    found = gaussian(vector, n, rank, term(0), arithmetic(t / (1 + t) + 1 / (1 + t), "==", 1))
    average = integrated("normal", (vector,), point, 1 + t / (1 + t) / 2 * mean(squared), found.lhs)
    average = chain(average, found, exp(rank / 2 * log(1 + t)))
    average = chain(average, replace(average.rhs, arithmetic(log(1 + t), "<=", t)))
    growth = exp(rank / 2 * t)
    average = arithmetic(mean(squared), "<=", 2 * (1 + t) / t * (growth - 1), average, hide=(growth,))
    small = eps / (1 + eps) / (2 * rank)
    v = rank / 2 * small
    tangent = specialise(arithmetic(exp(v_), "<=", 1 + v_ + v_**2), {v_: v}, arithmetic(v, "<=", 1))
    average = specialise(average, {step: small})
    average = chain(average, replace(average.rhs, tangent))
    bound = chain(average, arithmetic(average.rhs, "<=", rank + eps * (2 * rank)))
    return limit(bound, eps, rank, 2 * rank)
