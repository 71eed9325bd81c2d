"""The largest of the lengths of L sub-Gaussian vectors, and its exponential moment.

The outcome k of all tokens and of the query is a "token" of the kernel. A random variable Y is the
largest of |x_1|, .., |x_L| if no |x_l| is larger, and if Y >= s only where |x_l| >= s for some l.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import D_, X_, exp
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.softmax_average.softmax_average import d, j, k, mean, over, sigma, v
from proofs_check.derivations.softmax_average.tilted import Law, h, quarter

l = Variable("l", Sort.INDEX)
z = Function("z", (Sort.INDEX, Sort.INDEX, Sort.TOKEN), None)
largest_z = Function("max|z|", (Sort.TOKEN,))
level = Variable("level", range=NONNEGATIVE)


def no_smaller(of: Function, square: Term) -> Theorem:
    """The hypothesis that no |x_l| is larger than the largest."""
    return assume(f"no {of.name[3:-1]}_l| exceeds {of.name}", square, "<=", of(k) ** 2, every=(k, l))


def attained(of: Function, square: Term) -> Theorem:
    """The hypothesis that the largest is one of the |x_l|."""
    some = over(l, L, Op("ind", (square - level,)))
    return assume(
        f"{of.name} is one of the {of.name[3:-1]}_l|",
        Op("ind", (of(k) ** 2 - level,)),
        "<=",
        some,
        every=(k, level),
    )


square = over(j, d, z(l, j, k) ** 2)


@cache
def sub_gaussian_vectors() -> Theorem:
    """E e^{v.z_l} <= e^{sigma^2 |v|^2/2} for every v and l: the tokens are sub-Gaussian."""
    X = over(j, d, v(j) * z(l, j, k))
    return assume(
        "sub-Gaussian tokens", mean(exp(X)), "<=", exp(sigma**2 * over(j, d, v(j) ** 2) / 2), every=(v, l)
    )


VECTORS = Law("mean", k, lambda index, of: z(l, index, of), sigma, sub_gaussian_vectors)


def at_the_largest(of: Function, x: Term) -> Theorem:
    """1 <= the number of those l for which |x_l|^2 is at least the square of the largest."""
    at = instantiate(attained(of, x), {level: of(k) ** 2})
    return show(1, "<=", at.rhs, at)


@cache
def exponential() -> Theorem:
    """E e^{max|z|^2/(4 sigma^2)} <= L 2^{d/2}."""
    n, scale = largest_z(k) ** 2, 4 * sigma**2
    point = instantiate(arithmetic(Op("ind", (X_,)), "<=", exp(X_ / D_)), {X_: square - n, D_: scale})
    some = calc(at_the_largest(largest_z, square), ("<=", over(l, L, exp((square - n) / scale)), point))
    each = calc(exp(n / scale), ("==", exp(n / scale) * 1), ("<=", over(l, L, exp(square / scale)), some))
    return calc(
        mean(exp(n / scale)),
        ("<=", mean(over(l, L, exp(square / scale))), each),
        ("==", over(l, L, mean(exp(square / scale)))),
        ("<=", L * exp(h), quarter(VECTORS)),
    )
