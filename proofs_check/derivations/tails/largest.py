"""The p-th power of the largest norm of L sub-Gaussian vectors, for real p >= 2.

The outcome k of all vectors is a "token" of the kernel. The largest |z_l|^p is a random variable P
with the property that P >= s^{p/2} only where |z_l|^2 >= s for some l, for every s > 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, Range, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.softmax_average.softmax_average import d, j, k, mean, over, s, v, x
from proofs_check.derivations.softmax_average.tilted import Law, h, quarter

p = Variable("p", range=Range(Fraction(2), lo_open=False))
q = p / 2
l = Variable("l", Sort.INDEX)
z = Function("z", (Sort.INDEX, Sort.INDEX, Sort.TOKEN), None)
P = Function("P", (Sort.TOKEN,))
M_, S_ = (Variable(f"{name}_", range=POSITIVE) for name in "MS")
q_ = Variable("q_", range=Range(Fraction(1), lo_open=False))
square = over(j, d, z(l, j, k) ** 2)
#: The sum of e^{|z_l|^2/4}.
exponentials = over(l, L, exp(square / 4))


def positive_part(u: Term) -> Term:
    """u_+, the larger one of u and 0."""
    return Op("max", (u, term(0)))


def at_q(thm: Theorem, values: dict[Variable, Term]) -> Theorem:
    """The theorem at p/2 in place of q."""
    return instantiate(thm, {**values, q_: q}, arithmetic(1, "<=", q))


@cache
def sub_gaussian_vectors() -> Theorem:
    """E e^{v.z_l} <= e^{|v|^2/2} for every v and l: the vectors are 1-sub-Gaussian."""
    X = over(j, d, v(j) * z(l, j, k))
    return assume("1-sub-Gaussian vectors", mean(exp(X)), "<=", exp(over(j, d, v(j) ** 2) / 2), every=(v, l))


@cache
def largest_of_the_powers() -> Theorem:
    """P >= s^{p/2} only where |z_l|^2 >= s for some l: P is at most the largest |z_l|^p."""
    some = over(l, L, Op("ind", (square - s,)))
    return assume("P is at most the largest |z_l|^p", Op("ind", (P(k) - s**q,)), "<=", some, every=(k, s))


#: The mean of the largest |z_l|^p, and what is assumed of it.
largest = mean(positive_part(P(k)))
given = hypotheses(sub_gaussian_vectors(), largest_of_the_powers())
VECTORS = Law("mean", k, lambda index, of: z(l, index, of), term(1), sub_gaussian_vectors)


@cache
def mean_of_the_exponentials() -> Theorem:
    """E sum e^{|z_l|^2/4} <= L 2^{d/2}."""
    return show(mean(exponentials), "<=", L * exp(h), quarter(VECTORS))


def level(B: Term) -> Term:
    """max(P, B)^{2/p}."""
    return exp(log(Op("max", (P(k), B))) / q)


@cache
def beyond(B: Term) -> Theorem:
    """P_+ <= B + max(P, B) e^{-v/4} sum e^{|z_l|^2/4} for v = max(P, B)^{2/p} and B > 0, as some
    |z_l|^2 is at least v where P >= B.
    """
    value, larger, above = Op("max", (P(k), B)), Op("max", (x, S_)), Op("ind", (x - S_,))
    same = show(above * larger, "<=", above * x)
    line = calc(
        positive_part(x),
        ("<=", S_ + above * x),
        ("<=", S_ + larger * above),
        (
            "<=",
            S_ + larger * Op("ind", (x - larger,)),
            show(above, "<=", Op("ind", (x - larger,)), same, larger),
        ),
    )
    power = instantiate(arithmetic(exp(log(M_)), "==", M_), {M_: value})
    each = instantiate(arithmetic(Op("ind", (x,)), "<=", exp(x / 4)), {x: square - level(B)})
    some = over(l, L, Op("ind", (square - level(B),)))
    event = calc(
        gcongr(Op("ind", (P(k) - value,)), chain(level(B) ** q, power)),
        ("<=", some, instantiate(largest_of_the_powers(), {s: level(B)})),
        ("<=", exp(-level(B) / 4) * exponentials, each),
    )
    return calc(
        instantiate(line, {x: P(k), S_: B}), ("<=", B + value * exp(-level(B) / 4) * exponentials, event)
    )


def mean_beyond(B: Term, weight: Theorem, share: Term) -> Theorem:
    """E P_+ <= B + B share L 2^{d/2} from max(P, B) e^{-v/4} <= B share."""
    point = calc(beyond(B), ("<=", B + B * share * exponentials, weight))
    return calc(
        largest,
        ("<=", B + B * share * mean(exponentials), point),
        ("<=", B + B * share * (L * exp(h)), mean_of_the_exponentials()),
    )
