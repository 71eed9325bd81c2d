"""The mean weight E W of a uniform token: of the order of w^{-(d - 1)/2} in every
dimension, by the measures of caps of Lemma G.1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, sqrt, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.integrals import exchange
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range, Sort
from numerics.derivations.kernel.terms import Defined, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.kernel_sums import X, d, j, k, mean
from proofs_check.derivations.window.uniform.cap_measure import (
    between,
    cap,
    constant,
    edge,
    height,
    over_disk,
    power,
    q,
    s,
    x,
    z,
)

#: The width, one that is not 0, the height of a cap times two, and a number from 0 on.
w, p = Variable("w", range=NONNEGATIVE), Variable("w_0", range=POSITIVE)
r, y = Variable("r", range=POSITIVE), Variable("y", range=NONNEGATIVE)
#: The depth of a token below the query, |x_k - x|^2/2.
depth = 1 - height
#: An exponential variable, by which e^{-y} is a probability, and its moment of the order m/2.
level = exp(Function("ell", (Sort.QUERY,))(z))
moment = Variable("G", range=POSITIVE)


def weight(width: Term) -> Term:
    """e^{-w |x_k - x|^2}, by the height of the token."""
    return exp(-2 * width * depth)


@cache
def sphere() -> tuple[Theorem, Theorem]:
    one = bind("coordinates", (j,), X(j, k) ** 2, (d,)), bind("coordinates", (j,), x(j, q) ** 2, (d,))
    return (
        assume("tokens on the sphere", one[0], "==", 1, every=(k,)),
        assume("query on the sphere", one[1], "==", 1, every=(q,)),
    )


@cache
def exponential() -> tuple[Theorem, Theorem]:
    return (
        assume(
            "Z is exponential: P(Z/r >= y) = e^{-ry}",
            over_disk(Op("ind", (level / r - y,))),
            "==",
            exp(-r * y),
            every=(r, y),
        ),
        assume("G = E Z^{m/2} = Gamma(m/2 + 1)", over_disk(power(level)), "==", moment),
    )


@cache
def deep() -> Theorem:
    """0 <= 1 - x_k.x = |x_k - x|^2/2."""
    token, query = sphere()
    square = bind("coordinates", (j,), (X(j, k) - x(j, q)) ** 2, (d,)) / 2
    return calc(
        0, ("<=", square), ("==", token.lhs / 2 + query.lhs / 2 - height), ("==", depth, token, query)
    )


#: The constants of both bounds, which depend on the dimension only.
low, up = Defined("c_1", exp(-2) * constant), Defined("c_2", 2 * power(term(3)) * moment)


@cache
def from_below() -> Theorem:
    """c_1 (1 + w)^{-m/2} <= E W for W = e^{-w |x_k - x|^2}: the weight is at least e^{-2} in the
    cap of the cotangent sqrt w.
    """
    root, v = sqrt(p), Variable("v", range=REALS)
    end = instantiated(edge, {s: root})
    near = arithmetic(2 * p * (1 - end), "<=", 2)
    inner = show(2 * p * depth, "<=", 2 - 2 * p * (height - end), near, height, end)
    inside = arithmetic(exp(-2) * Op("ind", (v,)), "<=", exp(-(2 - 2 * p * v)))
    point = calc(
        instantiate(inside, {v: height - end}),
        ("<=", weight(p), gcongr(exp(-(2 - 2 * p * (height - end))), inner)),
    )
    measure = instantiate(between()[0], {s: root})
    return calc(
        low * power(1 / (1 + p)),
        ("==", exp(-2) * measure.lhs),
        ("<=", exp(-2) * measure.rhs, measure),
        ("<=", mean(weight(p)), integrate("mean", (k,), point)),
    )


#: A cotangent at which the cap of height r/2 ends at the latest, for r <= 1.
cotangent = 1 / sqrt(3 * r)


@cache
def small_caps() -> Theorem:
    """The cap of height r/2 has at most 2 (3r)^{m/2}, for every r > 0."""
    few, event = Op("above", (1 - r,)), lambda u: Op("ind", (u,))
    end, late = instantiated(edge, {s: cotangent}), event(r - 1)
    u, share = Variable("u", range=REALS), Variable("p", range=Range(Fraction(0), Fraction(1), False, False))
    wide, narrow = height - (1 - r / 2), height - end
    early = arithmetic(few * end, "<=", few * (1 - r / 2))
    moved = show(few * wide, "<=", few * narrow, early, height, end)
    inner = instantiate(arithmetic(few * event(u), "<=", few * event(few * u)), {u: wide})
    outer = instantiate(arithmetic(few * event(few * u), "<=", event(u)), {u: narrow})
    split = arithmetic(share, "<=", few * share + late)
    split = instantiate(split, {share: event(wide)}, arithmetic(event(u), "<=", 1))
    early = chain(inner, gcongr(few * event(few * wide), moved), outer)
    both = integrate("mean", (k,), calc(split, ("<=", event(narrow) + late, early)))
    cap_ = instantiate(between()[1], {s: cotangent})
    bound = power(3 * r)
    smaller = gcongr(cap_.rhs, show(1 / (1 + cotangent**2), "<=", 3 * r))
    return calc(
        chain(cap(1 - r / 2), both, cap(end) + late),
        ("<=", bound / 2 + late, chain(cap_, smaller)),
        ("<=", 2 * bound, arithmetic(late, "<=", bound), bound),
    )


@cache
def from_above() -> Theorem:
    """E W <= c_2 w^{-m/2}: for an exponential variable Z the weight is the
    probability of Z >= w |x_k - x|^2, that of a cap of height Z/(2w).
    """
    tail, moment_ = exponential()
    rate = level / (2 * p)
    layers = integrate("mean", (k,), symm(instantiate(tail, {y: depth, r: 2 * p}, deep())))
    caps = instantiate(small_caps(), {r: level / p})
    inner = chain(
        mean(Op("ind", (rate - depth,))),
        cap(1 - rate),
        caps,
        2 * power(term(3)) * power(1 / p) * power(level),
    )
    return calc(
        chain(mean(weight(p)), layers, exchange(layers.rhs), integrate("query", (z,), inner)),
        ("==", 2 * power(term(3)) * power(1 / p) * moment_.lhs),
        ("==", up * power(1 / p), moment_),
    )
