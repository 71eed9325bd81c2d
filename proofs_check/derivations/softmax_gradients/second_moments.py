"""R1 for the matrix f(z) = z z': the error of the second moments of a prompt at a fixed query, in
the norm of Frobenius. The steps are those of R1, with sums over two coordinates.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate
from numerics.derivations.kernel.terms import Defined
from numerics.derivations.kernel.theorems import Theorem
from proofs_check.derivations.softmax_average import moments, second_moment
from proofs_check.derivations.softmax_average.softmax_average import (
    S_L,
    a2,
    d,
    expectation,
    f,
    i,
    j,
    k,
    m,
    mean,
    q,
    total,
    u,
    w,
    x,
    y,
    z,
)
from proofs_check.derivations.softmax_average.tilted import TOKEN
from proofs_check.derivations.softmax_gradients.averages import LAW, F, both, entries, over_both

limit_of_both = LAW(both)
#: The root of the second moment of |z|^4.
K8 = Defined("K8", sqrt(mean(TOKEN.square**4)))
N2 = Defined("N2", over_both((total(w * both) - S_L * limit_of_both) ** 2))
rho = Defined("rho2", over_both(limit_of_both**2))
error_squared = Defined("errM", over_both((total(w * both) / S_L - limit_of_both) ** 2))


def of_a_row(thm: Theorem) -> Theorem:
    """The theorem for row i of the matrix, f(z) = z_i z."""
    return instantiate(thm, {f: ((j, k), both), m: d})


def of_the_length(thm: Theorem) -> Theorem:
    """The theorem for the vector f(z) = |z| z, which has the length of the matrix."""
    return instantiate(thm, {f: ((i, k), sqrt(TOKEN.square) * z(i, k)), m: d})


@cache
def weighted_fourth_moment() -> Theorem:
    """E w^2 |Z|^4 <= e^{4 a2} K8."""
    return chain(mean(w**2 * F), of_the_length(moments.weights()[1]), exp(4 * a2) * K8)


@cache
def mean_fourth_power() -> Theorem:
    """E|Z|^4 <= K8."""
    return chain(mean(F), of_the_length(moments.mean_square()), K8)


@cache
def size_of_the_limit() -> Theorem:
    """The square of the length of the limit is at most e^{2 a2} K8."""
    rows = integrated("coordinates", (i,), of_a_row(moments.limit_by_two_moments()), rho, q * mean(F), (d,))
    return chain(rows, gcongr(rows.rhs, moments.weights()[0], mean_fourth_power()), exp(2 * a2) * K8)


@cache
def numerator() -> Theorem:
    """E|N|^2 = L E w^2|Z Z' - M|^2 <= 4 L e^{4 a2} K8 for the limit M."""
    one = mean(w**2 * (both - limit_of_both) ** 2)
    two = arithmetic(u**2 * (x - y) ** 2, "<=", 2 * u**2 * x**2 + 2 * u**2 * y**2)
    each = integrated("mean", (k,), instantiate(two, {u: w, x: both, y: limit_of_both}))
    each = entries(each, over_both(one), 2 * mean(w**2 * F) + 2 * rho * q)
    step = chain(expectation(N2), L * over_both(one), gcongr(L * over_both(one), each))
    step = chain(step, L * (2 * mean(w**2 * F) + 2 * rho * q))
    bound = gcongr(step.rhs, weighted_fourth_moment(), size_of_the_limit(), moments.weights()[0])
    return chain(step, bound, 4 * L * exp(4 * a2) * K8)


@cache
def hull_bound(more: Fraction) -> Theorem:
    """|err|^2 <= (1 + more) sum w|z|^4/S_L + (1 + 1/more) |M|^2, as the second moments of the
    prompt are averages.
    """
    rows = of_a_row(second_moment.hull_bound(more))
    bound = (1 + more) * (total(w * F) / S_L) + (1 + 1 / more) * rho
    return integrated("coordinates", (i,), rows, error_squared, bound, (d,))


@cache
def theorem() -> Theorem:
    """E|err|^2 <= 50 e^{4 a2} K8/L."""
    parts = (error_squared, N2, F, rho, K8, hull_bound, numerator(), size_of_the_limit())
    return second_moment.mean_of_the_error(second_moment.Parts(*parts))
