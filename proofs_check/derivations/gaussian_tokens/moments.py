"""Moments of a direction b.xi of a Gaussian vector under the weight e^{s|xi|^2/2}, s < 1, from the
Gaussian integral; and covariances.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, log, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import arithmetic, gaussian, gcongr, instantiate, limit
from numerics.derivations.kernel.sorts import REALS, Range
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.shapes import opaque
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.softmax_average.gaussian_tokens import b, c, dot, mean, n, rank, xi
from proofs_check.derivations.softmax_average.gaussian_tokens import g as vector
from proofs_check.derivations.softmax_average.softmax_average import eps, over

x_, y_ = (Variable(name, range=REALS) for name in ("x_", "y_"))
v_ = Variable("v", range=Range(Fraction(0), Fraction(1), False, False))
step = Variable("step", range=Range(Fraction(0), Fraction(1), True, False))
size = over(n, rank, b(n) ** 2)
score = dot(b, xi)
squared = over(n, rank, xi**2)


def equality(first: Theorem, second: Theorem) -> Theorem:
    """X == Y from X <= Y and Y <= X, as x = max(0, x) - max(0, -x)."""
    X, Y = first.lhs, first.rhs
    letters = opaque(X, Y)
    above, below = (Op("max", (term(0), u)) for u in (X - Y, Y - X))
    parts = []
    for part, given in ((above, first), (below, second)):
        none = show(part, "<=", 0, given, *letters)
        parts.append(show(part, "==", 0, none, part))
    apart = lambda x, y: Op("max", (term(0), x - y))
    split = arithmetic(x_, "==", y_ + apart(x_, y_) - apart(y_, x_))
    split = chain(X, instantiate(split, {x_: X, y_: Y}), Y + above - below)
    return show(X, "==", Y, split, *parts, *letters, above, below)


@cache
def generating_function(s: Fraction) -> Theorem:
    """E e^{b.xi + s|xi|^2/2} = r^{-rank/2} e^{|b|^2/(2r)} with r = 1 - s."""
    law = gaussian(vector, n, rank, b(n), show(term(s) + (1 - s), "==", 1))
    return show(mean(exp(score + s / 2 * squared)), "==", mass(s) * exp(size / (2 * (1 - s))), law)


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
    up, down = (instantiate(generating_function(s), {b: ((n,), u * b(n))}) for u in (x_, -x_))
    return calc(
        mean(weight(s) * wave(x_ * score)),
        ("==", up.lhs + down.lhs),
        ("==", up.rhs + down.rhs, up, down),
        ("==", 2 * mass(s) * exp(x_**2 * size / (2 * (1 - s)))),
    )


@cache
def total_mass(s: Fraction) -> Theorem:
    """E w = r^{-rank/2}."""
    return show(mean(weight(s)), "==", mass(s), instantiate(generating_function(s), {b: ((n,), term(0))}))


def averaged(s: Fraction, point: Theorem, left: Term, right: Term) -> Theorem:
    """The mean of w times an inequality in y = b.xi, whose sides are sums of nonnegative terms."""
    at = instantiate(point, {y_: score})
    return integrated("normal", (vector,), gcongr(weight(s) * at.lhs, at), left, right)


#: A step that tends to 0, and a square of it that eps bounds.
small = eps / (1 + eps) / (1 + size)


def at_a_small_step(thm: Theorem, s: Fraction, order: int) -> Theorem:
    """The theorem at the small step t, where e^v with v = t^2|b|^2/(2r) on its right side is at
    most 1 + v + v^2, or 1 + v + (v^2 + v^3)/2 for the order 2.
    """
    v = instantiated(exponent(s), {step: small})
    more = v_ + v_**2 if order == 1 else v_ + (v_**2 + v_**3) / 2
    tangent = instantiate(show(exp(v_), "<=", 1 + more), {v_: v}, show(v, "<=", 1, size))
    at = instantiate(thm, {step: small})
    return chain(at, gcongr(at.rhs, tangent))


def exponent(s: Fraction) -> Term:
    """t^2|b|^2/(2r)."""
    return step**2 * size / (2 * (1 - s))


@cache
def tiny() -> Theorem:
    """t^2 <= eps for the small step t."""
    return show(small**2, "<=", eps, size)


@cache
def second_moment_above(s: Fraction) -> Theorem:
    """E w (b.xi)^2 <= r^{-rank/2}|b|^2/r, from 2 + y^2 <= e^y + e^{-y} at y = t b.xi, as t tends to
    0.
    """
    M, X, total, r = mass(s), moment(s, 2), mean(weight(s)), 1 - s
    point = arithmetic(2 + (step * y_) ** 2, "<=", wave(step * y_))
    average = averaged(s, point, 2 * total + step**2 * X, mean(weight(s) * wave(step * score)))
    scaled = calc(
        X + 2 * total / step**2,
        ("==", average.lhs / step**2),
        ("<=", average.rhs / step**2, average),
        ("<=", 2 * M * exp(exponent(s)) / step**2, instantiate(waves(s), {x_: step})),
    )
    near, more = at_a_small_step(scaled, s, 1), size**2 / (2 * r**2)
    bound = calc(
        X,
        ("<=", M * (size / r + small**2 * more), near, total_mass(s), M, X, size, small),
        ("<=", M * (size / r + eps * more), tiny()),
    )
    return limit(bound, eps, M * size / r, M * more)


@cache
def second_moment_below(s: Fraction) -> Theorem:
    """r^{-rank/2}|b|^2/r <= E w (b.xi)^2, from e^y + e^{-y} <= 2 + y^2 + t^4(e^{2x} + e^{-2x}) at y
    = t x and x = b.xi, as t tends to 0.
    """
    M, X, total, r = mass(s), moment(s, 2), mean(weight(s)), 1 - s
    series = instantiate(arithmetic(wave(y_), "<=", 2 + y_**2 + y_**4 / 24 * wave(y_)), {y_: step * y_})
    flat = arithmetic(wave(step * y_), "<=", wave(y_))
    fourth = arithmetic(y_**4 * wave(y_), "<=", 24 * wave(2 * y_))
    near = 2 + (step * y_) ** 2
    point = calc(
        wave(step * y_),
        ("<=", near + (step * y_) ** 4 / 24 * wave(step * y_), series),
        ("<=", near + (step * y_) ** 4 / 24 * wave(y_), flat),
        ("==", near + step**4 / 24 * fourth.lhs),
        ("<=", near + step**4 / 24 * fourth.rhs, fourth),
    )
    far, v = mean(weight(s) * wave(2 * score)), exponent(s)
    average = averaged(
        s, point, mean(weight(s) * wave(step * score)), 2 * total + step**2 * X + step**4 * far
    )
    end = instantiate(waves(s), {x_: term(2)})
    first, rest = step**2 * M * size / r, step**2 * (X + step**2 * end.rhs)
    least = calc(
        2 * M + first,
        ("==", 2 * M * (1 + v)),
        ("<=", 2 * M * exp(v), instantiate(show(1 + y_, "<=", exp(y_)), {y_: v})),
        ("==", average.lhs, instantiate(waves(s), {x_: step})),
        ("<=", average.rhs, average),
        ("<=", 2 * M + rest, total_mass(s), end),
    )
    finite = gcongr(rest, second_moment_above(s))
    bound = show(first, "<=", rest, least, finite, M, first, rest, finite.rhs)
    bound = calc(
        M * size / r,
        ("==", first / step**2),
        ("<=", rest / step**2, bound),
        ("==", X + step**2 * end.rhs),
    )
    square = show((eps / (1 + eps)) ** 2, "<=", eps)
    bound = calc(instantiate(bound, {step: eps / (1 + eps)}), ("<=", X + eps * end.rhs, square))
    return limit(bound, eps, X, end.rhs)


@cache
def second_moment() -> Theorem:
    """E (b.xi)^2 = |b|^2."""
    both = equality(second_moment_above(Fraction(0)), second_moment_below(Fraction(0)))
    return show(mean(score**2), "==", size, both)


@cache
def fourth_moment(s: Fraction) -> Theorem:
    """E w (b.xi)^4 <= 3 r^{-rank/2}|b|^4/r^2, from 2 + y^2 + y^4/12 <= e^y + e^{-y}, y = t b.xi."""
    M, X, Y, total, r = mass(s), moment(s, 2), moment(s, 4), mean(weight(s)), 1 - s
    point = arithmetic(2 + (step * y_) ** 2 + (step * y_) ** 4 / 12, "<=", wave(step * y_))
    known = 2 * total + step**2 * X
    average = averaged(s, point, known + step**4 * Y / 12, mean(weight(s) * wave(step * score)))
    scaled = calc(
        Y + 12 * (2 * M + step**2 * (M * size / r)) / step**4,
        ("==", Y + 24 / step**4 * M + 12 / step**2 * second_moment_below(s).lhs),
        ("<=", Y + 24 / step**4 * total + 12 / step**2 * X, second_moment_below(s), symm(total_mass(s))),
        ("==", 12 * average.lhs / step**4),
        ("<=", 12 * average.rhs / step**4, average),
        ("<=", 12 * (2 * M * exp(exponent(s))) / step**4, instantiate(waves(s), {x_: step})),
    )
    near, more = at_a_small_step(scaled, s, 2), 3 * size**3 / (2 * r**3)
    bound = calc(
        Y,
        ("<=", M * (3 * size**2 / r**2 + small**2 * more), near, M, Y, size, small),
        ("<=", M * (3 * size**2 / r**2 + eps * more), tiny()),
    )
    return limit(bound, eps, 3 * M * size**2 / r**2, M * more)


@cache
def covariance() -> Theorem:
    """E (b.xi)(c.xi) = b.c, from the squares of b + c, b and c."""
    squares = [instantiate(second_moment(), {b: ((n,), u)}) for u in (b(n) + c(n), b(n), c(n))]
    left, right = ([getattr(x, side) for x in squares] for side in ("lhs", "rhs"))
    half = lambda parts: (parts[0] - parts[1] - parts[2]) / 2
    return calc(
        mean(score * dot(c, xi)),
        ("==", half(left)),
        ("==", half(right), *squares, *left, *right),
        ("==", over(n, rank, b(n) * c(n))),
    )


@cache
def length_of_a_vector() -> Theorem:
    """E |xi|^2 <= rank: the Gaussian integral of e^{t|xi|^2/(2(1 + t))}, whose exponent is at least
    that small multiple of |xi|^2, as t tends to 0.
    """
    t, point = step, instantiate(show(1 + y_, "<=", exp(y_)), {y_: step / (1 + step) / 2 * squared})
    found = gaussian(vector, n, rank, term(0), show(t / (1 + t) + 1 / (1 + t), "==", 1))
    average = integrated("normal", (vector,), point, 1 + t / (1 + t) / 2 * mean(squared), found.lhs)
    growth = exp(rank / 2 * t)
    average = calc(
        chain(average, found, exp(rank / 2 * log(1 + t))), ("<=", growth, show(log(1 + t), "<=", t))
    )
    average = show(mean(squared), "<=", 2 * (1 + t) / t * (growth - 1), average, growth)
    small = eps / (1 + eps) / (2 * rank)
    v = rank / 2 * small
    tangent = instantiate(show(exp(v_), "<=", 1 + v_ + v_**2), {v_: v}, show(v, "<=", 1))
    average = instantiate(average, {step: small})
    average = chain(average, gcongr(average.rhs, tangent))
    return limit(calc(average, ("<=", rank + eps * (2 * rank))), eps, rank, 2 * rank)
