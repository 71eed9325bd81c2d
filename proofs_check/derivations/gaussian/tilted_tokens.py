"""The moments of a tilted token of in-context linear regression: Assumption 4.2 (iii)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import instantiated
from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated, sqrt
from numerics.derivations.rules import arithmetic, assume, equal, replace, specialise, then
from numerics.derivations.sorts import NONNEGATIVE, REALS, Range, Sort
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Function, Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.gaussian.linear_model import (
    below_the_proxy,
    covariance,
    covariate,
    dot,
    g,
    generating_function,
    l,
    label,
    mean,
    proxy,
    q,
    shifted,
    size_of_w,
    top,
    w,
    x,
)
from proofs_check.derivations.softmax_average import a, d, i, j, over, v
from proofs_check.derivations.tilted import Law, excess, exponential_of_the_square, part_, u
from proofs_check.derivations.tilted import h as half_log

#: The law of a covariate, and the rows of U as it acts on a query (x, 0): U(i, l) and last(l).
COVARIATE = Law("normal", Variable("k", Sort.NORMAL), x, sqrt(top), covariate)
U, last, b = (
    Function("U", (Sort.INDEX, Sort.INDEX)),
    Function("p", (Sort.INDEX,)),
    Function("b", (Sort.INDEX,)),
)
norm_U = Variable("normU", range=NONNEGATIVE)
s_ = Variable("s_", range=Range(Fraction(1), None, False, True))
rise, real = Variable("tau", range=NONNEGATIVE), Variable("t_", range=REALS)
#: The largest value of t^k e^{-t} over t >= 0 is at most this number.
LARGEST = {2: 1, 4: 5}


def power_below_an_exponential(k: int) -> Theorem:
    """v^k <= 2^{k-1}(W^k + c e^{v - W}) for v, W >= 0 and k = 2, 4, with v <= W + max(0, v - W)."""
    over_W = Op("max", (term(0), part_ - excess))
    flat = specialise(
        arithmetic(Op("max", (term(0), real)) ** k, "<=", LARGEST[k] * exp(real)), {real: part_ - excess}
    )
    convex = arithmetic((excess + rise) ** k, "<=", 2 ** (k - 1) * (excess**k + rise**k))
    point = chain(
        replace(part_**k, arithmetic(part_, "<=", excess + over_W)), specialise(convex, {rise: over_W})
    )
    return chain(point, replace(point.rhs, flat))


def length(square: Term) -> Term:
    """A sum of squares as the largest of 0 and itself, so that powers are not multiplied out."""
    return Op("max", (term(0), square))


def same_length(square: Term) -> Theorem:
    """max(0, |x|^2) <= |x|^2."""
    return specialise(arithmetic(length(part_), "<=", part_), {part_: square})


@cache
def tilted_covariate(k: int) -> Theorem:
    """E w|X|^{2k}/E w <= (4 top)^k 2^{k-1}((h + top|a|^2)^k + c) for w = e^{a.X}, k = 2, 4, and
    2^{d/2} = e^h.
    """
    law, weight, size = COVARIATE, COVARIATE.weight, top * over(j, d, a(j) ** 2)
    part, W = length(law.square) / (4 * top), half_log + size
    tangent = specialise(power_below_an_exponential(k), {part_: part, excess: W})
    factor, more = 2 ** (k - 1), LARGEST[k] * exp(-W)
    tangent = chain(
        replace(weight * tangent.lhs, tangent), factor * (weight * W**k + more * (weight * exp(part)))
    )
    tangent = chain(tangent, replace(tangent.rhs, same_length(law.square)))
    weighted = law.mean(weight * exp(law.square / (4 * top)))
    m0 = law.mean(weight)
    average = integrated(law.kind, (law.of,), tangent, None, factor * (m0 * W**k + more * weighted))
    known = chain(weighted, specialise(exponential_of_the_square(law), {u: term(1)}), exp(W))
    average = chain(average, replace(average.rhs, known), factor * (m0 * W**k + LARGEST[k]))
    value = specialise(generating_function(), {v: ((i,), a(i))})
    least = chain(arithmetic(1, "<=", value.lhs, value), m0)
    rest = factor * m0 * W**k + factor * LARGEST[k] * least.lhs
    less = chain(average, rest, replace(rest, least))
    scaled = (4 * top) ** k * less.lhs / m0
    ratio = law.mean(weight * length(law.square) ** k) / m0
    return chain(ratio, scaled, replace(scaled, less), (4 * top) ** k * factor * (W**k + LARGEST[k]))


#: The image (u, u_last) of the query under U, and what multiplies the covariate in the score.
image = over(l, d, U(i, l) * x(l, q))
last_image = over(l, d, last(l) * x(l, q))
score = dot(image, x(i)) + last_image * label
weight = exp(score)
query_length, token_length = length(over(i, d, x(i, q) ** 2)), length(over(i, d, x(i) ** 2) + label**2)


@cache
def operator_norm() -> Theorem:
    """|U (v, 0)|^2 <= |U|^2 |v|^2 for every v: the definition of the operator norm."""
    rows = over(i, d, over(l, d, U(i, l) * v(l)) ** 2) + over(l, d, last(l) * v(l)) ** 2
    return assume(
        "normU bounds U with its last row", rows, "<=", norm_U**2 * over(l, d, v(l) ** 2), every=(v,)
    )


@cache
def size_of_the_score() -> Theorem:
    """top |u + u_last w|^2 <= sigma_mu^2 |U|^2|x_q|^2."""
    both = shifted(image, last_image)
    at = specialise(operator_norm(), {v: ((l,), x(l, q))})
    norm = chain(replace(proxy * at.lhs, at), proxy * (norm_U**2 * over(i, d, x(i, q) ** 2)))
    larger = specialise(arithmetic(part_, "<=", length(part_)), {part_: over(i, d, x(i, q) ** 2)})
    return chain(both, norm, replace(norm.rhs, larger))


@cache
def length_of_a_token() -> Theorem:
    """top |z|^2 <= sigma_mu^2 |x|^2 for a token z = (x, w.x)."""
    square = over(i, d, x(i) ** 2)
    schwarz = cauchy_schwarz("coordinates", (i,), w(i), x(i), (d,))
    whole = chain(
        square + label**2,
        square + schwarz.lhs,
        replace(square + schwarz.lhs, schwarz),
        (1 + size_of_w) * square,
    )
    inside = chain(top * length(whole.lhs), replace(top * length(whole.lhs), whole))
    lemma = arithmetic(top * length(excess * part_), "<=", top * excess * length(part_))
    inside = chain(inside, specialise(lemma, {excess: 1 + size_of_w, part_: square}))
    return chain(inside, replace(top * (1 + size_of_w) * length(square), below_the_proxy()))


def square_of_sigma_leaves(k: int) -> Theorem:
    """(V + s N)^k + c <= s^k (2^{k-1}(V^k + N^k) + c) for s >= 1 and V, N >= 0."""
    V, N, c = part_, excess, LARGEST[k]
    common = replace((V + s_ * N) ** k + c, arithmetic(V + s_ * N, "<=", s_ * (V + N)))
    convex = arithmetic((V + N) ** k, "<=", 2 ** (k - 1) * (V**k + N**k))
    common = chain(common, s_**k * convex.lhs + c)
    common = chain(common, replace(common.rhs, convex), s_**k * convex.rhs + c)
    return chain(common, replace(common.rhs, arithmetic(c, "<=", s_**k * c)), s_**k * (convex.rhs + c))


@cache
def tilted_token(k: int) -> Theorem:
    """E w|z|^{2k}/E w <= sigma_mu^{4k} 4^k 2^{k-1}(2^{k-1}(h^k + |U|^{2k}|x_q|^{2k}) + c) for w =
    e^{z.U(x_q, 0)} at a query, with k = 2, 4.
    """
    at = {a: ((j,), instantiated(image + last_image * w(i), {i: j}))}
    moment = specialise(tilted_covariate(k), at)
    moment = then(moment, replace(moment.rhs, chain(top * over(j, d, at[a][1] ** 2), size_of_the_score())))
    covariate_length, m0 = length(over(i, d, x(i) ** 2)), mean(weight)
    point = replace(weight * (top * token_length) ** k, length_of_a_token())
    longer = mean(weight * covariate_length**k)
    average = integrated("normal", (g,), point, top**k * mean(weight * token_length**k), proxy**k * longer)
    scaled = average.lhs / (top**k * m0)
    ratio = chain(
        mean(weight * token_length**k) / m0, scaled, replace(scaled, average), proxy**k / top**k * moment.lhs
    )
    ratio = chain(ratio, replace(ratio.rhs, moment))
    N = norm_U**2 * query_length
    leaves = specialise(square_of_sigma_leaves(k), {s_: proxy, part_: half_log, excess: N})
    ratio = chain(ratio, proxy**k * 4**k * 2 ** (k - 1) * leaves.lhs)
    return chain(ratio, replace(ratio.rhs, leaves), proxy ** (2 * k) * constant(k))


def constant(k: int) -> Term:
    """4^k 2^{k-1}(2^{k-1}(h^k + |U|^{2k}|x_q|^{2k}) + c), with h = (d/2) ln 2; 1 for k = 0."""
    if not k:
        return term(1)
    N = norm_U**2 * query_length
    return 4**k * 2 ** (k - 1) * (2 ** (k - 1) * (half_log**k + N**k) + LARGEST[k])


def power(base: Term, exponent: int | Fraction) -> Term:
    """A power, which is 1 if the exponent is 0."""
    return base**exponent if exponent else term(1)


def statement(k: int, r: int, growth: int | Fraction = 1, share: int | Fraction = 1) -> Statement:
    """The mean over the query of |x_q|^{2r} times the tilted moment of order 2k is at most
    sigma_mu^{4k} M, for a number M that does not depend on the task: at every w.
    """
    left = mean(mean(weight * power(token_length, k)) / mean(weight) * power(query_length, r), q)
    M = mean(constant(k) * power(query_length, r), q)
    given = covariance().assumptions | operator_norm().assumptions
    return Statement(left, "<=", Fraction(share) * power(proxy, Fraction(growth) * 2 * k) * M, given)


@cache
def theorem(k: int, r: int) -> Theorem:
    """The bound of `tilted_token` times |x_q|^{2r}, averaged over the query; 1 for k = 0."""
    goal = statement(k, r)
    if not k:
        return equal(goal.lhs, goal.rhs)
    ratio = tilted_token(k)
    point = replace(ratio.lhs * power(query_length, r), ratio)
    return integrated("normal", (q,), point, goal.lhs, goal.rhs)


#: The orders (p, p') of the assumption, halved.
ORDERS = tuple((k, r) for k in (0, 2, 4) for r in (0, 2, 4))
