"""P2 <= e^s/(e^s + L - 1) for the softmax weights of L independent Gaussian scores of the variance
s: for each two tokens the mean of (p_l^2 + p_k^2)/2 is at most e^s times that of p_l p_k.

The scores of the two tokens are u + v and u - v, where v is independent of u and of the others. So
p_l p_k falls with |v|, and (p_l^2 + p_k^2)/2 is its product with cosh(2v), which rises; by
Chebyshev's association inequality the mean of the product is at most the product of the means.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import (
    arithmetic,
    assume,
    equal,
    instantiate,
    integrate,
    same_covariance,
)
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Sort
from numerics.derivations.kernel.terms import GAUSSIAN, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.softmax_errors.token_errors import (
    P2,
    SCORE,
    along_the_query,
    alpha,
    b,
    beta,
    coordinates,
    covariance,
    delta,
    h,
    k,
    l,
    ones,
    picks,
    power_sum,
    s,
    score,
    symmetric,
    tokens,
    weight,
)
from proofs_check.derivations.softmax_average.gaussian_tokens import b as slope
from proofs_check.derivations.softmax_average.gaussian_tokens import g, mean, n, rank, weight_of_a_vector

#: Copies of the Gaussian vector, and the scores in the place of y.
first, second = Variable("first", Sort.NORMAL), Variable("second", Sort.NORMAL)
y = Function("y", (Sort.INDEX,))
a_, c_ = Variable("a", range=NONNEGATIVE), Variable("c", range=NONNEGATIVE)
HALF = Fraction(1, 2)
#: The number of the other tokens.
less_one = Variable("n", range=NONNEGATIVE)
one_less = assume("n is L - 1", less_one, "==", L - 1)

#: Whether l and k are two tokens.
two = delta(l, l) * delta(k, k) * (1 - delta(l, k)) ** 2 * (1 - delta(k, l)) ** 2
#: Coefficients of the difference of their scores; and 1 for l, -1 for k, 0 for other indices.
difference = along_the_query(l) - along_the_query(k)
sign = lambda of: delta(l, of) - delta(k, of)


def if_two(thm: Theorem) -> Theorem:
    """An equation where l and k are two tokens."""
    return show(two * thm.lhs, "==", two * thm.rhs, thm, thm.lhs, thm.rhs)


def covariance_of(one: Variable, other: Variable) -> Theorem:
    """That of two scores."""
    return instantiate(covariance(SCORE, SCORE), {l: one, k: other})


def _coefficients(of: Variable) -> tuple[Term, Term, Term]:
    part = HALF * two * sign(of) * difference
    return along_the_query(of), along_the_query(of) - part, part


@cache
def same() -> Theorem:
    """The scores have the covariances of u + v, u - v and the others."""
    A, B, C = _coefficients(h)
    Ab, Bb, Cb = _coefficients(b)
    left, right = coordinates(A * Ab), coordinates(B * Bb) + coordinates(C * Cb)
    cov = covariance_of
    own = coordinates(along_the_query(h) * along_the_query(b))
    along = [cov(*pair) for pair in ((l, h), (k, h), (l, b), (k, b), (l, l), (l, k), (k, k))]
    hidden = [thm.lhs for thm in along]
    cross = lambda of: (
        coordinates(along_the_query(l) * along_the_query(of))
        - coordinates(along_the_query(k) * along_the_query(of))
    )
    square = cov(l, l).lhs - 2 * cov(l, k).lhs + cov(k, k).lhs
    expanded = (
        own
        - HALF * two * sign(b) * cross(h)
        - HALF * two * sign(h) * cross(b)
        + HALF * two**2 * sign(h) * sign(b) * square
    )
    return chain(left, show(own, "==", expanded, *along, own, s, *hidden), right)


# The scores in both forms.


def scores_sum(at: Term) -> Term:
    """The sum of the exponentials of the scores; `at` is that of index h."""
    return tokens(exp(at), h)


def apart(of: Variable) -> Term:
    """The coefficients' sum over a copy of xi: the difference of two scores."""
    return coordinates(difference * GAUSSIAN(n, of))


def mixed(of: Variable) -> Term:
    """The score of a token with the difference of those of l and k from a copy of xi."""
    _, own, part = _coefficients(of)
    return coordinates(own * GAUSSIAN(n, g)) + coordinates(part * GAUSSIAN(n, first))


def in_scores(of: Variable) -> Theorem:
    part = HALF * two * sign(of)
    return equal(mixed(of), score(of) - part * (score(l) - score(k)) + part * apart(first))


#: e^{(X_l + X_k)/2}, the sum of the others' e^X, and e^{v} + e^{-v} and e^{2v} + e^{-2v} of a copy.
E = exp((score(l) + score(k)) / 2)
others = tokens((1 - delta(l, h)) ** 2 * (1 - delta(k, h)) ** 2 * exp(score(h)), h)
spread_of = lambda of: exp(apart(of) / 2) + exp(-apart(of) / 2)
rise = lambda of: exp(apart(of)) + exp(-apart(of))
product = lambda of: E**2 / (others + E * spread_of(of)) ** 2


@cache
def sum_of_the_mixed() -> Theorem:
    """If l and k are two tokens, the sum is that of the others and e^{u + v} + e^{u - v}."""
    z = apart(first) - (score(l) - score(k))
    up, down, plain = exp(score(h) + z / 2), exp(score(h) - z / 2), exp(score(h))
    at_l, at_k = delta(l, h), delta(k, h)
    split = (
        (1 - at_l) ** 2 * (1 - at_k) ** 2 * plain
        + at_l * ((1 - at_k) * up)
        + at_k * ((1 - at_l) * down)
        + at_l * (at_k * plain)
    )
    opaque = score(l), score(k), apart(first)
    each = show(two * exp(mixed(h)), "==", two * split, in_scores(h), score(h), *opaque, mixed(h))
    values = (l, (1 - at_k) * up), (k, (1 - at_l) * down), (l, at_k * plain)
    found = [instantiate(instantiate(picks, {l: of}), {alpha: ((h,), value)}) for of, value in values]
    sums = [thm.lhs for thm in found]
    return calc(
        chain(two * scores_sum(mixed(h)), integrate("coordinates", (h,), each, (L,))),
        ("==", two * (others + (sums[0] + sums[1] + sums[2]))),
        ("==", two * (others + E * spread_of(first)), *found, others, *opaque, *sums),
    )


# The means of p_l^2 + p_k^2 and of p_l p_k.

inverse_square = scores_sum(y(h)) ** -2
squares, cross = (exp(2 * y(l)) + exp(2 * y(k))) * inverse_square, exp(y(l) + y(k)) * inverse_square


def both(body: Term) -> Term:
    """The mean over xi and its copy."""
    return mean(bind("normal", (first,), body))


@cache
def turned(e: Term, form: Term) -> Theorem:
    """The mean of e at the scores is that of the form at xi and its copy, if l and k are two
    tokens.
    """
    law = same_covariance(e, y, (g, first), (h, b, n), rank, _coefficients(h), same())
    other = instantiated(e, {y: ((h,), mixed(h))})
    hidden = scores_sum(mixed(h)), others, score(l), score(k), apart(first), mixed(l), mixed(k)
    point = show(two * other, "==", two * form, sum_of_the_mixed(), in_scores(l), in_scores(k), *hidden)
    for of in (first, g):
        point = integrate("normal", (of,), point)
    law = if_two(chain(mean(instantiated(e, {y: ((h,), score(h))})), law))
    inside, outside = (instantiate(equal(a_ * both(x), both(a_ * x)), {a_: two}) for x in (other, form))
    return chain(law, inside, point, symm(outside))


r, q = Variable("r", range=NONNEGATIVE), Variable("q", range=POSITIVE)
falling = lambda of: q**2 / (r + q * spread_of(of)) ** 2


@cache
def association_of_copies() -> Theorem:
    """f psi + f' psi' <= f psi' + f' psi for f = e^{2v} + e^{-2v} and psi = q^2/(r + q (e^v +
    e^{-v}))^2 and their copies.
    """
    w, x = Variable("w", range=POSITIVE), Variable("x", range=POSITIVE)
    D, F = r + q * w, r + q * x
    gap = (w - x) ** 2 * (w + x) * (q * (D + F)) * q**2 / (D**2 * F**2)
    left, right = w**2 * (q**2 / D**2) + x**2 * (q**2 / F**2), w**2 * (q**2 / F**2) + x**2 * (q**2 / D**2)
    known = arithmetic(0, "<=", gap), arithmetic(right - left, "==", gap)
    line = instantiate(
        show(left, "<=", right, *known, left, right, gap), {w: spread_of(first), x: spread_of(second)}
    )
    f, psi, root = ({of: make(of) for of in (first, second)} for make in (rise, falling, spread_of))
    squares = [equal(f[of], root[of] ** 2 - 2) for of in (first, second)]
    letters, twice = (*f.values(), *psi.values(), *root.values()), 2 * psi[first] + 2 * psi[second]
    return calc(
        f[first] * psi[first] + f[second] * psi[second],
        ("==", line.lhs - twice, *squares, *letters),
        ("<=", line.rhs - twice, line, line.lhs, line.rhs, *psi.values()),
        ("==", f[first] * psi[second] + f[second] * psi[first], *squares, *letters),
    )


@cache
def association() -> Theorem:
    """E f psi <= E f E psi, the mean over both copies."""
    f, psi = ({of: make(of) for of in (first, second)} for make in (rise, falling))
    point = association_of_copies()
    copy = lambda x: bind("normal", (first,), x)
    inner = integrate("normal", (first,), point)
    ends = [
        instantiate(
            equal(copy(f[first] * psi[first] + a_), copy(f[first] * psi[first]) + a_),
            {a_: f[second] * psi[second]},
        ),
        instantiate(
            equal(copy(f[first] * a_ + c_ * psi[first]), a_ * copy(f[first]) + c_ * copy(psi[first])),
            {a_: psi[second], c_: f[second]},
        ),
    ]
    outer = integrate("normal", (second,), chain(symm(ends[0]), inner, ends[1]))
    again = lambda x: bind("normal", (second,), x)
    whole, rises, falls = copy(f[first] * psi[first]), copy(f[first]), copy(psi[first])
    ends = [
        instantiate(
            equal(a_ + again(f[second] * psi[second]), again(a_ + f[second] * psi[second])), {a_: whole}
        ),
        instantiate(
            equal(again(psi[second] * a_ + f[second] * c_), a_ * again(psi[second]) + again(f[second]) * c_),
            {a_: rises, c_: falls},
        ),
    ]
    outer = chain(ends[0], outer, ends[1])
    half = show(outer.lhs / 2, "<=", outer.rhs / 2, outer, outer.lhs, outer.rhs)
    half = chain(whole, half, rises * falls)
    at_xi, falls = integrate("normal", (g,), instantiate(half, {r: others, q: E})), copy(product(first))
    return chain(at_xi, instantiate(equal(mean(a_ * falls), a_ * mean(falls)), {a_: rises}))


mean_rise = bind("normal", (first,), rise(first))


@cache
def mean_of_the_rise() -> Theorem:
    """E(e^{2v} + e^{-2v}) is 2 e^s if l and k are two tokens."""
    up, down = (instantiate(weight_of_a_vector(), {slope: ((n,), c * difference)}) for c in (1, -1))
    along = covariance_of(l, l), covariance_of(l, k), covariance_of(k, k)
    square = equal(coordinates(difference**2), along[0].lhs - 2 * along[1].lhs + along[2].lhs)
    parts = calc(
        mean_rise,
        ("==", up.lhs + down.lhs),
        ("==", up.rhs + down.rhs, up, down, up.lhs, down.lhs, up.rhs, down.rhs),
        ("==", 2 * exp(square.lhs / 2)),
    )
    letters = square.lhs, s, *(thm.lhs for thm in along)
    return calc(if_two(parts), ("==", 2 * two * exp(s), square, *along, *letters))


@cache
def of_two_tokens() -> Theorem:
    """E(p_l^2 + p_k^2) <= 2 e^s E p_l p_k, if l and k are two tokens."""
    f = rise(first) * product(first)
    left, right = mean(weight(l) ** 2 + weight(k) ** 2), mean(weight(l) * weight(k))
    spread, near, twice = both(f), both(product(first)), 2 * exp(s)
    letters = spread, near, mean_rise
    crossed = symm(chain(two * right, turned(cross, product(first)), two * near))
    return calc(
        chain(two * left, turned(squares, f)),
        ("<=", two * (mean_rise * near), association(), *letters),
        ("==", twice * (two * near), mean_of_the_rise(), *letters),
        ("==", twice * (two * right), crossed, crossed.lhs, crossed.rhs, twice),
    )


@cache
def over_pairs() -> Theorem:
    """The sum of alpha_l beta_k over two tokens is sum alpha sum beta - sum alpha beta."""
    own, cross_ = (delta(l, l), delta(k, k)), delta(l, k)
    once = calc(
        two,
        ("==", own[0] * own[1] * (1 - cross_) ** 4, symmetric, *own, cross_, delta(k, l)),
        ("==", own[0] * own[1] * (1 - cross_)),
    )
    product_ = alpha(l) * beta(k)
    each = show(two * product_, "==", once.rhs * product_, once, two, once.rhs)
    chosen = instantiate(picks, {alpha: ((k,), own[1] * beta(k))})
    chosen = show(own[0] * alpha(l) * chosen.lhs, "==", own[0] * (alpha(l) * beta(l)), chosen, chosen.lhs)
    chosen = integrate("coordinates", (l,), chosen, (L,))
    diagonal = instantiate(ones, {alpha: ((l,), alpha(l) * beta(l))})
    other = instantiate(ones, {alpha: ((l,), beta(l))})
    letters = ones.lhs, other.lhs, chosen.lhs, chosen.rhs, ones.rhs, other.rhs, diagonal.rhs
    return calc(
        integrate("coordinates", (l, k), each, (L, L)),
        ("==", ones.lhs * other.lhs - chosen.lhs),
        ("==", ones.rhs * other.rhs - diagonal.rhs, chosen, ones, other, diagonal, *letters),
    )


@cache
def weights_are_spread() -> Theorem:
    """(L - 1) P2 <= e^s (1 - P2), the sum over all two tokens; so P2 <= e^s/(e^s + L - 1)."""
    pair = lambda a, c: instantiate(over_pairs(), {alpha: ((l,), a), beta: ((l,), c)})
    square, one, E_s = weight(l) ** 2, term(1), exp(s)
    parts, crossed = (pair(square, one), pair(one, square)), pair(weight(l), weight(l))
    left, right = ([getattr(thm, side) for thm in parts] for side in ("lhs", "rhs"))
    own = calc(
        tokens(two * (weight(l) ** 2 + weight(k) ** 2), l, k),
        ("==", left[0] + left[1]),
        ("==", right[0] + right[1], *parts, *left, *right),
        ("==", 2 * (L - 1) * power_sum(2)),
    )
    own = chain(integrate("normal", (g,), own), 2 * (L - 1) * P2)
    crossed = chain(tokens(two * (weight(l) * weight(k)), l, k), crossed, 1 - power_sum(2))
    crossed = chain(integrate("normal", (g,), crossed), 1 - P2)
    total = calc(
        chain(symm(chain(own, 2 * (L - 1) * P2)), integrate("coordinates", (l, k), of_two_tokens(), (L, L))),
        ("==", 2 * E_s * crossed.lhs),
        ("==", 2 * E_s * (1 - P2), crossed, crossed.lhs, E_s),
    )
    less = show(less_one * P2, "==", total.lhs / 2, one_less, P2)
    sum_ = less_one * P2 + E_s * P2
    most = show(sum_, "<=", E_s, less, total, less_one * P2, total.lhs, P2, E_s)
    return calc(
        P2,
        ("==", sum_ / (E_s + less_one), P2, E_s),
        ("<=", E_s / (E_s + less_one), most, sum_, E_s + less_one, E_s),
    )
