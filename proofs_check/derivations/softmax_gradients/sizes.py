"""The squared sizes of the output of attention and of its gradients in U and in V, in the norm of
Frobenius, for the averages over a prompt and over the law of a token: by the averages of |z|^2 and
|z|^4.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import instantiate
from numerics.derivations.kernel.terms import Term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc
from proofs_check.derivations.softmax_average.query_average import V, b, l, norm_V, operator_norm
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, k, m, over, z
from proofs_check.derivations.softmax_average.tilted import TOKEN
from proofs_check.derivations.softmax_gradients import averages
from proofs_check.derivations.softmax_gradients.averages import Average, F
from proofs_check.derivations.softmax_gradients.gradient_in_U import gradient, n, size

bound_of_V = operator_norm(V, norm_V, m)


def output(average: Average) -> Term:
    """|V a|^2 for the average a of z."""
    return over(i, m, over(l, d, V(i, l) * average(z(l, k))) ** 2)


def in_U(average: Average) -> Term:
    """The square of the gradient in U."""
    return over(i, m, over(j, d, over(n, d, gradient(average) ** 2)))


def in_V(average: Average) -> Term:
    """The square of the gradient in V, each of whose m rows is the average of z."""
    return over(j, m, over(i, d, average(z(i, k)) ** 2))


@cache
def size_of_the_output(average: Average) -> Theorem:
    """|V a|^2 <= |V|^2 E|z|^2."""
    image = instantiate(bound_of_V, {b: ((l,), average(z(l, k)))})
    mean = averages.size_of_the_mean(average)
    return calc(output(average), ("<=", norm_V**2 * mean.lhs, image), ("<=", norm_V**2 * mean.rhs, mean))


@cache
def size_in_U(average: Average) -> Theorem:
    """At most |V|^2 |y|^2 E|z|^4: it is V C times y' for the covariance C of z."""
    columns = {b: ((l,), instantiated(averages.covariance(average), {i: l}))}
    known, covariance = instantiate(bound_of_V, columns), averages.size_of_the_covariance(average)
    return calc(
        in_U(average),
        ("==", size * over(j, d, known.lhs)),
        ("<=", norm_V**2 * size * covariance.lhs, known),
        ("<=", norm_V**2 * size * average(F), covariance),
    )


@cache
def size_in_V(average: Average) -> Theorem:
    """At most m E|z|^2."""
    mean = averages.size_of_the_mean(average)
    return calc(in_V(average), ("==", m * mean.lhs), ("<=", m * average(TOKEN.square), mean))
