"""R5: the inequality of Polyak and Lojasiewicz along the whole flow with infinite prompts, in an
eigenbasis of the covariance and in every dimension.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, root, turned
from numerics.derivations.rules import arithmetic, assume, integrate, replace, specialise, then
from numerics.derivations.sorts import POSITIVE
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.terms import START, Term, Variable
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.exact.bounded_flow import excess_falls, infinite
from proofs_check.derivations.exact.eigenbasis import (
    FLOW,
    IDENTITY,
    U_,
    B,
    U,
    at_start,
    balance_is_kept,
    delta,
    eigenvalues,
    f,
    flow,
    h,
    in_range,
    l,
    pairs,
    picks,
    speed,
    squares,
    summed,
    swaps,
    t,
    trace,
    trace_S,
    twice_risk,
    u,
    u_,
    zero_or_one,
)
from proofs_check.derivations.exact.matrices import a, b, d, i, j, matrix, over

lam, top, s, N = (Variable(name, range=POSITIVE) for name in ("lambda", "top", "s", "N"))
Theta = matrix("Theta")
#: The number of columns of Theta is that of the coordinates.
gram = over((a,), Theta(i, a) * Theta(j, a))
least = assume("eigenvalues in the range are at least lambda", lam * h(i), "<=", l(i), every=(i,))
largest = assume("top is at least every eigenvalue", l(i), "<=", top, every=(i,))
norm = assume("N is the norm of S^2", trace(l(i) ** 4), "==", N**2)
start = (
    assume("U(0) = s Theta Theta'", U_(i, j, START), "==", s * gram, every=(i, j)),
    assume("u(0) = s", u_(START), "==", s),
    assume("|Theta Theta'| = 1", pairs(gram**2), "==", 1),
)
_all = lambda *given: hypotheses(*given)
RANGE = _all(in_range, zero_or_one, least, eigenvalues)
EVERYTHING = FLOW | IDENTITY | RANGE | _all(*start, largest, norm)

S_Theta = over((i, a), (l(i) * Theta(i, a)) ** 2)
x, y = pairs(l(i) * l(j) * delta(i, j) * gram), pairs(l(i) ** 2 * l(j) * gram**2)


def room() -> Term:
    """s^2 |S Theta|^2 (2 - s^2 |S|)."""
    return s**2 * S_Theta * (2 - s**2 * top)


def _in_range() -> Theorem:
    """Where i is outside the range, B is -delta and l_j delta_ij = l_i delta_ij = 0."""
    one = specialise(swaps, {f: ((i,), l(i))})
    h_l, i_l, j_l = h(i) * l(i), delta(i, j) * l(i), delta(i, j) * l(j)
    form = lambda first, last: (u * U) ** 2 * l(i) * l(j) * first - 2 * u * U * j_l * first + last
    steps = [
        (form(h_l, delta(i, j) * h(i) * j_l), form(h_l, delta(i, j) * h(i) * i_l), one, (i_l, j_l, h_l)),
        (form(h_l, delta(i, j) ** 2 * h_l), form(l(i), delta(i, j) ** 2 * l(i)), in_range, (h_l,)),
        (form(l(i), delta(i, j) * i_l), form(l(i), delta(i, j) * j_l), one, (i_l, j_l)),
    ]
    parts = (arithmetic(e, "==", new, thm, hide=hide) for e, new, thm, hide in steps)
    return chain(h(i) * (l(j) * B**2), *parts, l(j) * B**2)


@cache
def gradient() -> Theorem:
    """|dU|^2 >= 2 lambda^3 u^2 R: summand by summand, where those outside the range vanish."""
    other_index = lambda thm: specialise(thm, {i: j})
    not_negative = then(arithmetic(0, "<=", h(i) ** 2), zero_or_one)
    small, other, big, large = (lam * h(i)) ** 2, lam * l(j), l(i) ** 2, l(j) ** 2
    first = arithmetic(
        small, "<=", big, least, arithmetic(0, "<=", lam * h(i), not_negative), hide=(lam * h(i),)
    )
    h_l = arithmetic(
        l(j) * (lam * h(j)),
        "<=",
        l(j) * l(j),
        other_index(least),
        other_index(eigenvalues),
        hide=(lam * h(j),),
    )
    second = chain(lam * (h(j) * l(j)), h_l, large)
    second = then(
        arithmetic(other, "==", lam * (h(j) * l(j)), other_index(in_range), hide=(h(j) * l(j),)), second
    )
    positive = arithmetic(0, "<=", other, other_index(eigenvalues))
    factors = arithmetic(
        small * other, "<=", big * large, first, second, positive, hide=(small, other, big, large)
    )
    each = arithmetic(
        small * other * B**2, "<=", big * large * B**2, factors, hide=(small * other, big * large, B)
    )
    moved = arithmetic(u**2 * (big * large * B**2), "==", U_.rate(i, j, t) ** 2, flow[0])
    each = chain(replace(u**2 * (small * other * B**2), each), moved)
    once = arithmetic(
        lam**3 * u**2 * l(j) * B**2 * h(i) ** 2,
        "==",
        lam**3 * u**2 * l(j) * B**2 * h(i),
        zero_or_one,
        hide=(B, h(i) ** 2),
    )
    seen = arithmetic(
        lam**3 * u**2 * (h(i) * (l(j) * B**2)),
        "==",
        lam**3 * u**2 * (l(j) * B**2),
        _in_range(),
        hide=(_in_range().lhs, B),
    )
    line = chain(turned(seen), turned(once), each)
    total = chain(lam**3 * u**2 * twice_risk, summed(line))
    return chain(total, arithmetic(total.rhs, "<=", speed, hide=(total.rhs,)))


@cache
def _length_of_the_start() -> Theorem:
    """The sum over j of (Theta Theta')_ij^2 is at most (Theta Theta')_ii: with the row w of Theta
    it is w'(Theta'Theta)w, at most |w|^2 by the inequality of Cauchy and Schwarz.
    """
    w = over((a,), Theta(i, a) ** 2)
    dual = over((j,), Theta(j, a) * Theta(j, b))
    pairs_of_rows = dual, Theta(i, a) * Theta(i, b)
    schwarz = cauchy_schwarz("coordinates", (a, b), *pairs_of_rows, (d, d))
    norm_of_dual = over((a, b), dual**2)
    product = chain(schwarz, norm_of_dual * w**2)
    one = chain(norm_of_dual, start[2])
    squared = then(product, arithmetic(norm_of_dual * w**2, "==", w**2, one))
    return chain(over((j,), gram**2), root(squared, over((a, b), pairs_of_rows[0] * pairs_of_rows[1]), w))


def squares_of_the_start() -> Theorem:
    """tr(S B S B S) <= |S| |S Theta|^2 for B = Theta Theta'."""
    row = arithmetic(
        l(i) ** 2 * over((j,), gram**2),
        "<=",
        l(i) ** 2 * over((a,), Theta(i, a) ** 2),
        _length_of_the_start(),
    )
    narrow = chain(pairs(l(i) ** 2 * gram**2), integrate("coordinates", (i,), row, (d,)), S_Theta)
    by_top = arithmetic(
        l(i) ** 2 * l(j) * gram**2,
        "<=",
        top * (l(i) ** 2 * gram**2),
        specialise(largest, {i: j}),
        hide=(gram,),
    )
    return chain(y, summed(by_top), top * narrow.lhs, replace(top * narrow.lhs, narrow))


def _trace_of_the_start() -> Theorem:
    """tr(S B S) = |S Theta|^2 for B = Theta Theta'."""
    each = specialise(picks, {f: ((j,), gram)})
    row = arithmetic(l(i) * each.lhs, "==", l(i) * each.rhs, each, hide=(each.lhs, each.rhs))
    return chain(x, integrate("coordinates", (i,), row, (d,)), S_Theta)


@cache
def risk_at_the_start() -> Theorem:
    """2 R(0) = tr S - 2 s^2 tr(S B S) + s^4 tr(S B S B S) for B = Theta Theta'."""
    entry = arithmetic(
        l(j) * at_start(B) ** 2,
        "==",
        l(j) * (s**2 * l(i) * gram - delta(i, j)) ** 2,
        *start[:2],
        hide=(gram,),
    )
    return chain(at_start(twice_risk), summed(entry), s**4 * y - 2 * s**2 * x + trace_S)


@cache
def start_below_the_saddles() -> Theorem:
    """The traces of the start are |S Theta|^2, and at most |S| |S Theta|^2."""
    known = risk_at_the_start(), _trace_of_the_start(), squares_of_the_start()
    return arithmetic(room(), "<=", trace_S - at_start(twice_risk), *known, hide=(S_Theta, x, y, trace_S))


@cache
def height() -> Theorem:
    """tr S - 2 R <= 2 u tr(SUS), and its square is bounded by the inequality of Cauchy and Schwarz,
    as |U| = u.
    """
    tau = pairs(l(i) * l(j) * delta(i, j) * U)
    less = arithmetic(
        l(j) * delta(i, j) ** 2 - l(j) * B**2,
        "<=",
        2 * u * (l(i) * l(j) * delta(i, j) * U),
        specialise(eigenvalues, {i: j}),
    )
    below = chain(trace_S - twice_risk, summed(less), 2 * (u * tau))
    picked = specialise(picks, {f: ((j,), l(j))})
    row = arithmetic(l(i) ** 2 * picked.lhs, "==", l(i) ** 4, picked, hide=(picked.lhs,))
    weights, delta2 = (l(i) * l(j)) ** 2, delta(i, j) ** 2
    entry = arithmetic(weights * delta2, "==", weights * delta(i, j), squares, hide=(delta2,))
    weight = chain(summed(entry), integrate("coordinates", (i,), row, (d,)), norm)
    gram2 = chain(pairs((s * gram) ** 2), s**2 * start[2].lhs)
    first = chain(
        summed(arithmetic(U_(i, j, START) ** 2, "==", (s * gram) ** 2, start[0], hide=(gram,))), gram2
    )
    kept = balance_is_kept()
    zero = arithmetic(at_start(kept.lhs), "==", 0, first, start[1], start[2])
    length = arithmetic(pairs(U**2), "<=", u**2, then(kept, zero))
    schwarz = chain(
        tau**2,
        cauchy_schwarz("coordinates", (i, j), l(i) * l(j) * delta(i, j), U, (d, d)),
        weight.lhs * pairs(U**2),
    )
    product = chain(
        schwarz,
        arithmetic(schwarz.rhs, "==", N**2 * pairs(U**2), weight),
        replace(N**2 * pairs(U**2), length),
    )
    squared = chain((u * tau) ** 2, replace(u**2 * tau**2, product), (N * u**2) ** 2)
    most = root(squared, u * tau, N * u**2)
    return chain(below, replace(below.rhs, most))


@cache
def square_of_u() -> Theorem:
    """The risk falls, so that tr S - 2 R stays above what it is at the start."""
    falls, more, most = excess_falls(infinite), start_below_the_saddles(), height()
    least_u = then(
        more, arithmetic(more.rhs, "<=", trace_S - twice_risk, falls, hide=(trace_S, twice_risk, falls.rhs))
    )
    found = then(least_u, most)
    return arithmetic(room() / (2 * N), "<=", u**2, found, hide=(room(), u**2))


def risk_is_not_negative() -> Theorem:
    """Every summand of the risk is nonnegative."""
    return chain(
        0, summed(arithmetic(0, "<=", l(j) * B**2, specialise(eigenvalues, {i: j}), hide=(B,))), twice_risk
    )


@cache
def along_the_flow() -> Theorem:
    """With that bound of u^2 the length of the gradient is at least mu R."""
    risk = risk_is_not_negative()
    mu = lam**3 * room() / N
    more = arithmetic(
        mu * (twice_risk / 2),
        "<=",
        lam**3 * u**2 * twice_risk,
        square_of_u(),
        risk,
        hide=(room(), u**2, twice_risk),
    )
    return then(more, gradient())


def gradient_statement(k: int | Fraction = 2) -> Statement:
    """The length of the gradient is at least k lambda^3 u^2 R."""
    return Statement(k * lam**3 * u**2 * (twice_risk / 2), "<=", speed, FLOW | IDENTITY | RANGE)


def start_statement(k: int | Fraction = Fraction(1, 2)) -> Statement:
    """tr S/2 - R(0) is at least k s^2 |S Theta|^2 (2 - s^2 |S|)."""
    given = IDENTITY | _all(*start, largest)
    return Statement(k * room(), "<=", trace_S / 2 - at_start(twice_risk) / 2, given)


def trace_statements(two: int = 2, times: int | Fraction = 1) -> tuple[Statement, Statement]:
    """tr(S B S B S) <= |S| |S Theta|^2 for B = Theta Theta', where `times` multiplies the bound;
    and the risk of the start, with `two` in both denominators.
    """
    risk = trace_S / two - s**2 * x + s**4 * y / two
    return (
        Statement(y, "<=", times * top * S_Theta, _all(start[2], largest)),
        Statement(at_start(twice_risk) / 2, "==", risk, _all(*start[:2])),
    )


def half_of_the_risk_at_the_start() -> Theorem:
    first = risk_at_the_start()
    return arithmetic(first.lhs / 2, "==", first.rhs / 2, first, hide=(first.lhs, first.rhs))


def start_by_halves() -> Theorem:
    first = start_below_the_saddles()
    return arithmetic(first.lhs / 2, "<=", first.rhs / 2, first, hide=(first.lhs, first.rhs))


def statements(c: int | Fraction = 1, times: int | Fraction = 1) -> tuple[Statement, Statement]:
    """mu R <= |grad R|^2, with R = tr(B S B')/2, and the bound of u^2; `c` multiplies mu, and
    `times` this bound.
    """
    mu = c * lam**3 * room() / N
    return (
        Statement(mu * (twice_risk / 2), "<=", speed, EVERYTHING),
        Statement(times * (room() / (2 * N)), "<=", u**2, EVERYTHING),
    )
