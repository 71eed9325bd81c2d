"""What a direction off that of the query costs: the mean height of the centre over the direction of
Fx is at least a positive multiple of lambda = |c_u Fx|, by the reflection of one token at a time.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.rules import assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS
from numerics.derivations.kernel.terms import Op, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.prompt import d, i, l, mean, n, o, q, tokens
from proofs_check.derivations.window.subspace.cosines import sides
from proofs_check.derivations.window.subspace.equal_weights import level, of_the_class
from proofs_check.derivations.window.subspace.prompts.brackets import factors, in_range, rho
from proofs_check.derivations.window.subspace.prompts.pairs import apart, h_i, times
from proofs_check.derivations.window.subspace.prompts.weights import S, alpha, plain, weight

#: The other weights, the weight of the token i reflected in the hyperplane across e, and the sums.
rest = tokens(apart(i, l) * weight(l), l)
reflected = alpha(i) * exp(-level * h_i)
whole, turned = weight(i) + rest, reflected + rest
along = tokens(weight(i) * h_i) / S
share = (n - 1) * exp(-6 - 4 * rho) / (2 * d * (n + 1))


@cache
def one_token() -> tuple[Theorem, ...]:
    """What is used of one token of several, and of the reflection that keeps its law."""
    return (
        assume(
            "D_ig^2 is 1 for the other tokens, and a token stands in the sum", S, "==", whole, every=(i, o, q)
        ),
        assume("D_ig^2 is 1 for n - 1 other tokens", tokens(apart(i, l), l), "==", n - 1, every=(i,)),
        assume("n >= 2", 2, "<=", n),
        assume(
            "the reflection of one token keeps its law",
            mean(weight(i) * h_i / S),
            "==",
            mean(-(reflected * h_i / turned)),
            every=(i, q),
        ),
        assume("uniform tokens: E (e.u_i)^2 = 1/k", mean(h_i**2), "==", 1 / d, every=(i, q)),
    )


@cache
def of_a_difference() -> Theorem:
    """lambda h^2 <= h(e^{lambda h} - e^{-lambda h})."""
    y, s = Variable("y", range=REALS), Variable("s", range=NONNEGATIVE)
    value = y * (exp(s * y) - exp(-s * y)) - s * y**2
    one, two = (show(0, "<=", event * value) for event in (Op("ind", (y,)), Op("above", (-y,))))
    both = chain(show(0, "<=", one.rhs + two.rhs, one, two, one.rhs, two.rhs), value)
    both = show(s * y**2, "<=", value + s * y**2, both, value, s * y**2)
    return chain(instantiate(both, {y: h_i, s: level}), h_i * (plain(i) - exp(-level * h_i)))


@cache
def sums() -> Theorem:
    """(n - 1) e^{-2-rho}/(n(n + 1) e^{4+2rho}) <= R/(S S')."""
    split, count, several = one_token()[:3]
    low, high, low_e, high_e = factors()
    w_low = chain(gcongr(exp(-rho) * exp(-2), low), gcongr(alpha(i) * exp(-2), low_e))
    w_high = chain(gcongr(weight(i), high), gcongr(exp(rho) * plain(i), high_e))
    each = instantiate(w_low, {i: l})
    each = show(apart(i, l) * each.lhs, "<=", apart(i, l) * weight(l), each, apart(i, l), *sides(each))
    others = integrate("coordinates", (l,), each, (n,))
    others = calc(
        (n - 1) * exp(-2 - rho),
        ("==", count.lhs * exp(-2 - rho), count, count.lhs),
        ("==", others.lhs),
        ("<=", rest, others),
    )
    total = integrate("coordinates", (i,), w_high, (n,))
    total = calc(S, ("==", total.lhs), ("<=", total.rhs, total), ("==", n * exp(2 + rho)))
    far = show(-level * h_i, "<=", 2, *in_range()[:2], of_the_class()[2], level, h_i)
    back = chain(gcongr(reflected, high), gcongr(exp(rho) * exp(-level * h_i), gcongr(exp(far.lhs), far)))
    back = calc(back, ("==", exp(2 + rho)))
    more = show(
        turned, "<=", (n + 1) * exp(2 + rho), back, total, split, S, weight(i), reflected, rest, exp(2 + rho)
    )
    bound = n * exp(2 + rho), (n + 1) * exp(2 + rho)
    return show(
        others.lhs / (bound[0] * bound[1]),
        "<=",
        rest / (S * turned),
        others,
        several,
        total,
        more,
        S,
        turned,
        rest,
        *bound,
        others.lhs,
    )


@cache
def of_one_token() -> Theorem:
    """A multiple of lambda h_i^2 is at most w_i h_i/S over both sides of the hyperplane."""
    split, slope, size = one_token()[0], of_a_difference(), sums()
    low = factors()[0]
    one = gcongr(exp(-rho) * slope.lhs, low)
    one = chain(one, gcongr(alpha(i) * slope.lhs, slope))
    positive = chain(show(0, "<=", one.lhs), one)
    some = chain(show(0, "<=", rest / (S * turned)), show(rest / (S * turned), "==", size.rhs))
    both = show(
        size.lhs * one.lhs, "<=", size.rhs * one.rhs, size, one, positive, some, *sides(size), *sides(one)
    )
    difference = weight(i) * h_i / S - reflected * h_i / turned
    ratio = 1 / (S * turned)
    letters = weight(i), reflected, rest, S, h_i
    cross = show(
        difference,
        "==",
        ratio * (h_i * (weight(i) * turned - reflected * S)),
        *letters,
        turned,
    )
    inner = show(
        h_i * (weight(i) * turned - reflected * S),
        "==",
        rest * (h_i * (weight(i) - reflected)),
        split,
        *letters,
    )
    inner = times(ratio, inner)
    constant = show((n - 1) * exp(-6 - 4 * rho) / (n * (n + 1)), "==", size.lhs * exp(-rho))
    constant = times(level * h_i**2, constant)
    return calc(
        constant,
        ("==", both.lhs),
        ("<=", both.rhs, both),
        ("==", inner.rhs),
        ("==", inner.lhs, inner, *sides(inner)),
        ("==", difference, cross, *sides(cross)),
    )


@cache
def mean_height() -> Theorem:
    """`share` lambda is at most the mean height of the centre over e."""
    *_, law, square = one_token()
    both = integrate("mean", (o,), of_one_token())
    scale = level * (n - 1) * exp(-6 - 4 * rho) / (n * (n + 1))
    back = times(scale / 2, square)
    each = calc(
        scale / d / 2,
        ("==", back.rhs),
        ("==", back.lhs, back, *sides(back)),
        ("==", both.lhs / 2),
        ("<=", both.rhs / 2, both, *sides(both)),
        ("==", (law.lhs + law.rhs) / 2),
        ("==", law.lhs, law, *sides(law)),
    )
    summed = integrate("coordinates", (i,), each, (n,))
    return calc(
        share * level,
        ("==", n * each.lhs),
        ("==", summed.lhs),
        ("<=", summed.rhs, summed),
        ("==", mean(along)),
    )
