"""R1 for the matrix f(z) = z z': the error of the second moments of a prompt at a fixed query, in
the norm of Frobenius. The steps are those of R1, with sums over two coordinates.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import instantiate
from numerics.derivations.kernel.terms import Defined
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.softmax_average import moments, second_moment
from proofs_check.derivations.softmax_average import softmax_average as W
from proofs_check.derivations.softmax_average.softmax_average import a2, k, mean, q, total, w, z
from proofs_check.derivations.softmax_average.tilted import TOKEN
from proofs_check.derivations.softmax_gradients.averages import LAW, F, both, over_both

limit_of_both = LAW(both)
#: The root of the second moment of |z|^4.
K8 = Defined("K8", sqrt(mean(TOKEN.square**4)))
N2 = Defined("N2", over_both((total(w * both) - W.S_L * limit_of_both) ** 2))
rho = Defined("rho2", over_both(limit_of_both**2))
error_squared = Defined("errM", over_both((total(w * both) / W.S_L - limit_of_both) ** 2))


def of_a_row(thm: Theorem) -> Theorem:
    """The theorem for row i of the matrix, f(z) = z_i z."""
    return instantiate(thm, {W.f: ((W.j, k), both), W.m: W.d})


def of_the_length(thm: Theorem) -> Theorem:
    """The theorem for the vector f(z) = |z| z, which has the length of the matrix."""
    return instantiate(thm, {W.f: ((W.i, k), sqrt(TOKEN.square) * z(W.i, k)), W.m: W.d})


@cache
def weighted_fourth_moment() -> Theorem:
    return show(mean(w**2 * F), "<=", exp(4 * a2) * K8, of_the_length(moments.weights()[1]))


@cache
def mean_fourth_power() -> Theorem:
    return show(mean(F), "<=", K8, of_the_length(moments.mean_square()))


@cache
def size_of_the_limit() -> Theorem:
    """The square of the length of the limit is at most e^{2 a2} K8."""
    return calc(
        rho,
        ("<=", q * mean(F), of_a_row(moments.limit_by_two_moments())),
        ("<=", exp(2 * a2) * K8, moments.weights()[0], mean_fourth_power()),
    )


@cache
def numerator() -> Theorem:
    """E|N|^2 = L E w^2|Z Z' - M|^2 <= 4 L e^{4 a2} K8 for the limit M."""
    off = w**2 * (both - limit_of_both) ** 2
    each = show(off, "<=", 2 * w**2 * both**2 + 2 * w**2 * limit_of_both**2)
    return calc(
        W.expectation(N2),
        ("==", L * over_both(mean(off))),
        ("<=", L * over_both(2 * mean(w**2 * both**2) + 2 * q * limit_of_both**2), each),
        ("==", L * (2 * mean(w**2 * F) + 2 * q * rho)),
        ("<=", 4 * L * exp(4 * a2) * K8, weighted_fourth_moment(), moments.weights()[0], size_of_the_limit()),
    )


@cache
def hull_bound(more: Fraction) -> Theorem:
    """|err|^2 <= (1 + more) sum w|z|^4/S_L + (1 + 1/more) |M|^2, as the second moments of the
    prompt are averages.
    """
    bound = (1 + more) * (total(w * F) / W.S_L) + (1 + 1 / more) * rho
    return show(error_squared, "<=", bound, of_a_row(second_moment.hull_bound(more)))


@cache
def theorem() -> Theorem:
    """E|err|^2 <= 50 e^{4 a2} K8/L."""
    parts = (error_squared, N2, F, rho, K8, hull_bound, numerator(), size_of_the_limit())
    return second_moment.mean_of_the_error(second_moment.Parts(*parts))
