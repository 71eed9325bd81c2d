"""The largest of the lengths of L sub-Gaussian vectors, and its fourth and eighth moments.

The outcome k of all tokens and of the query is a "token" of the kernel. A random variable Y is the
largest of |x_1|, .., |x_L| if no |x_l| is larger, and if Y >= s only where |x_l| >= s for some l.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import D_, N_, X_, exp, log
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Range, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import from_sympy
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.softmax_average.softmax_average import d, j, k, mean, over, sigma, v
from proofs_check.derivations.softmax_average.tilted import Law, h, quarter
from theory.bounds.sub_gaussian import C_p

l = Variable("l", Sort.INDEX)
z = Function("z", (Sort.INDEX, Sort.INDEX, Sort.TOKEN), None)
largest_z = Function("max|z|", (Sort.TOKEN,))
level = Variable("level", range=NONNEGATIVE)
theta_ = Variable("theta_", range=Range(Fraction(0), Fraction(1), False, False))
V_ = Variable("V_", range=NONNEGATIVE)
size_ = Variable("d_", range=Range(Fraction(1), lo_open=False))


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


def cut(q: int) -> Variable:
    """The point A at which the tangent of the q-th power is taken."""
    return Variable("A_", range=Range(Fraction(q), lo_open=False))


@cache
def power(q: int) -> Theorem:
    """v^q <= A^q + q A^{q-1} (e^{v - A} - 1) for v >= 0 and A >= q, from x <= e^{x - 1} and the
    convexity of the exponential.
    """
    A, share = cut(q), q / cut(q)
    tangent = arithmetic(V_, "<=", exp(V_ - 1))
    convex = arithmetic(exp(theta_ * X_), "<=", 1 + theta_ * (exp(X_) - 1))
    convex = instantiate(convex, {theta_: share, X_: V_ - A}, arithmetic(share, "<=", 1))
    return calc(
        V_**q,
        ("==", (A * (V_ / A)) ** q),
        ("<=", A**q * exp(share * (V_ - A)), instantiate(tangent, {V_: V_ / A})),
        ("<=", A**q - q * A ** (q - 1) + q * A ** (q - 1) * exp(-A) * exp(V_), convex),
    )


@cache
def moment(q: int) -> Theorem:
    """E max|z|^{2q} <= (4 sigma^2 (q + ln L + h))^q for q = 2, 4, where 2^{d/2} = e^h."""
    value, n, scaled = q + log(L) + h, largest_z(k) ** 2 / (4 * sigma**2), (4 * sigma**2) ** q
    point = instantiate(power(q), {cut(q): value, V_: n}, arithmetic(q, "<=", value))
    bound = lambda e: value**q - q * value ** (q - 1) + q * value ** (q - 1) * e
    average = calc(
        mean(n**q),
        ("<=", bound(exp(-value) * mean(exp(n))), point),
        ("<=", bound(L * exp(h) * exp(-value)), exponential()),
        ("<=", value**q, arithmetic(L * exp(h) * exp(-value), "<=", 1)),
    )
    return calc(
        mean(largest_z(k) ** (2 * q)),
        ("==", scaled * mean(n**q)),
        ("<=", (4 * sigma**2 * value) ** q, average),
    )


def constant(q: int) -> Term:
    """C_{2q} of Lemma D.2, of `theory`."""
    return from_sympy(sp.simplify(C_p(sp.Integer(2 * q))), {})


@cache
def maximal_inequality(q: int) -> Theorem:
    """E max|z|^{2q} <= C_{2q} sigma^{2q} (d^q + ln(L)^q) for q = 2, 4: Lemma D.2, item 2."""
    linear = arithmetic(4 * (q + N_ + size_ / 2 * log(2)), "<=", 4 * (q + 1) * (size_ + N_))
    powers = arithmetic((size_ + N_) ** q, "<=", 2 ** (q - 1) * (size_**q + N_**q))
    number = arithmetic((4 * (q + 1)) ** q * 2 ** (q - 1), "<=", constant(q))
    line = calc(
        linear.lhs**q,
        ("<=", (4 * (q + 1)) ** q * (size_ + N_) ** q, linear),
        ("<=", number.lhs * (size_**q + N_**q), powers),
        ("<=", constant(q) * (size_**q + N_**q), number),
    )
    line = instantiate(line, {N_: log(L), size_: d}, arithmetic(1, "<=", d))
    return calc(moment(q), ("==", sigma ** (2 * q) * line.lhs), ("<=", sigma ** (2 * q) * line.rhs, line))
