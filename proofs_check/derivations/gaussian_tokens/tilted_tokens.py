"""The moments of a tilted token of in-context linear regression: Assumption 4.2 (iii)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, exp, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, equal, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Range, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens import linear_model, task_moments
from proofs_check.derivations.gaussian_tokens.linear_model import (
    below_the_proxy,
    covariance,
    covariate,
    dot,
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
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import a, d, i, j, over, v
from proofs_check.derivations.softmax_average.tilted import Law, excess, exponential_of_the_square, part_, u
from proofs_check.derivations.softmax_average.tilted import h as half_log

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
    v, W, more, factor = part_, excess, Op("max", (term(0), part_ - excess)), 2 ** (k - 1)
    convex = instantiate(show((W + rise) ** k, "<=", factor * (W**k + rise**k)), {rise: more})
    flat = show(Op("max", (term(0), real)) ** k, "<=", LARGEST[k] * exp(real))
    return calc(
        v**k,
        ("<=", (W + more) ** k, show(v, "<=", W + more)),
        ("<=", factor * (W**k + more**k), convex),
        ("<=", factor * (W**k + LARGEST[k] * exp(v - W)), instantiate(flat, {real: v - W})),
    )


def length(square: Term) -> Term:
    """A sum of squares as the largest of 0 and itself, so that powers are not multiplied out."""
    return Op("max", (term(0), square))


def same_length(square: Term) -> Theorem:
    """max(0, |x|^2) <= |x|^2."""
    return instantiate(show(length(part_), "<=", part_), {part_: square})


@cache
def tilted_covariate(k: int) -> Theorem:
    """E w|X|^{2k}/E w <= (4 top)^k 2^{k-1}((h + top|a|^2)^k + c) for w = e^{a.X}, k = 2, 4, and
    2^{d/2} = e^h.
    """
    law, weight, m0, c = COVARIATE, COVARIATE.weight, COVARIATE.mean(COVARIATE.weight), LARGEST[k]
    part, W = length(law.square) / (4 * top), half_log + top * over(j, d, a(j) ** 2)
    each = calc(
        weight * part**k,
        (
            "<=",
            2 ** (k - 1) * (weight * W**k + c * exp(-W) * (weight * exp(part))),
            instantiate(power_below_an_exponential(k), {part_: part, excess: W}),
        ),
        (
            "<=",
            2 ** (k - 1) * (weight * W**k + c * exp(-W) * (weight * exp(law.square / (4 * top)))),
            same_length(law.square),
        ),
    )
    weighted = law.mean(weight * exp(law.square / (4 * top)))
    known = calc(weighted, ("<=", exp(W), instantiate(exponential_of_the_square(law), {u: term(1)})))
    value = instantiate(generating_function(), {v: ((i,), a(i))})
    least = calc(1, ("<=", value.lhs, value), ("==", m0))
    factor = (4 * top) ** k * 2 ** (k - 1)
    return calc(
        law.mean(weight * length(law.square) ** k) / m0,
        ("==", (4 * top) ** k * law.mean(each.lhs) / m0),
        ("<=", factor * (m0 * W**k + c * exp(-W) * weighted) / m0, each),
        ("<=", factor * (m0 * W**k + c * exp(-W) * exp(W)) / m0, known),
        ("==", factor * (m0 * W**k + c * term(1)) / m0),
        ("<=", factor * (m0 * W**k + c * m0) / m0, least),
        ("==", factor * (W**k + c)),
    )


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
    size = over(i, d, x(i, q) ** 2)
    larger = instantiate(show(part_, "<=", length(part_)), {part_: size})
    return calc(
        shifted(image, last_image),
        ("<=", proxy * (norm_U**2 * size), instantiate(operator_norm(), {v: ((l,), x(l, q))})),
        ("<=", proxy * (norm_U**2 * query_length), larger),
    )


@cache
def length_of_a_token() -> Theorem:
    """top |z|^2 <= sigma_mu^2 |x|^2 for a token z = (x, w.x)."""
    square, W = over(i, d, x(i) ** 2), size_of_w
    schwarz = cauchy_schwarz("coordinates", (i,), w(i), x(i), (d,))
    whole = show(square + label**2, "<=", (1 + W) * square, schwarz)
    lemma = show(top * length(excess * part_), "<=", top * excess * length(part_))
    return calc(
        top * token_length,
        ("<=", top * length((1 + W) * square), whole),
        ("<=", top * (1 + W) * length(square), instantiate(lemma, {excess: 1 + W, part_: square})),
        ("<=", proxy * length(square), below_the_proxy()),
    )


def square_of_sigma_leaves(k: int) -> Theorem:
    """(V + s N)^k + c <= s^k (2^{k-1}(V^k + N^k) + c) for s >= 1 and V, N >= 0."""
    V, N, c = part_, excess, LARGEST[k]
    powers = 2 ** (k - 1) * (V**k + N**k)
    return calc(
        (V + s_ * N) ** k + c,
        ("<=", (s_ * (V + N)) ** k + c, show(V + s_ * N, "<=", s_ * (V + N))),
        ("==", s_**k * (V + N) ** k + c),
        ("<=", s_**k * powers + c, show((V + N) ** k, "<=", powers)),
        ("<=", s_**k * (powers + c), show(c, "<=", s_**k * c)),
    )


@cache
def tilted_token(k: int) -> Theorem:
    """E w|z|^{2k}/E w <= sigma_mu^{4k} 4^k 2^{k-1}(2^{k-1}(h^k + |U|^{2k}|x_q|^{2k}) + c) for w =
    e^{z.U(x_q, 0)} at a query, with k = 2, 4.
    """
    score, m0, factor = instantiated(image + last_image * w(i), {i: j}), mean(weight), 4**k * 2 ** (k - 1)
    square, N = length(over(i, d, x(i) ** 2)), norm_U**2 * query_length
    moment = instantiate(tilted_covariate(k), {a: ((j,), score)})
    each = show(weight * (top * token_length) ** k, "<=", weight * (proxy * square) ** k, length_of_a_token())
    size = show(top * over(j, d, score**2), "<=", proxy * N, size_of_the_score())
    leaves = instantiate(square_of_sigma_leaves(k), {s_: proxy, part_: half_log, excess: N})
    return calc(
        mean(weight * token_length**k) / m0,
        ("==", mean(each.lhs) / (top**k * m0)),
        ("<=", mean(each.rhs) / (top**k * m0), each),
        ("==", proxy**k / top**k * moment.lhs),
        ("<=", proxy**k * factor * ((half_log + top * over(j, d, score**2)) ** k + LARGEST[k]), moment),
        ("<=", proxy**k * factor * leaves.lhs, size),
        ("<=", proxy ** (2 * k) * constant(k), leaves),
    )


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
    point = gcongr(ratio.lhs * power(query_length, r), ratio)
    return show(goal.lhs, "<=", goal.rhs, integrate("normal", (q,), point))


#: The orders (p, p') of the assumption, halved.
ORDERS = tuple((k, r) for k in (0, 2, 4) for r in (0, 2, 4))


def lemma_f1(
    k: int | Fraction = 1,
    share: int | Fraction = 1,
    rate: int | Fraction = 1,
    growth: int | Fraction = 1,
    own: int | Fraction = 1,
) -> tuple[Statement, ...]:
    """The three parts of Assumption 4.2 for the linear in-context model, at every task."""
    moments = (statement(p, r, growth, own if p == 0 else 1) for p, r in ORDERS)
    return (*linear_model.statements(k), *task_moments.statements(rate, share), *moments)


proves("BB:LF.1", lemma_f1, part=1)(linear_model.query)
proves("BB:LF.1", lemma_f1, part=2)(linear_model.tokens)
proves("BB:LF.1", lemma_f1, part=3)(linear_model.at_least_one)
proves("BB:LF.1", lemma_f1, part=4)(task_moments.twelfth_moment)
proves("BB:LF.1", lemma_f1, part=5)(task_moments.decay_times_logarithm)
proves("BB:LF.1", lemma_f1, part=6, at=ORDERS)(lambda order: theorem(*order))
