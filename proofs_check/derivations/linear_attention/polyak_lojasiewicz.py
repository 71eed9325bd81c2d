"""R5: the inequality of Polyak and Lojasiewicz along the whole flow with infinite prompts, in an
eigenbasis of the covariance and in every dimension.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import START, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.bounded_flow import excess_falls, infinite
from proofs_check.derivations.linear_attention.eigenbasis import (
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
    swaps,
    t,
    trace,
    trace_S,
    twice_risk,
    u,
    u_,
    zero_or_one,
)
from proofs_check.derivations.linear_attention.matrices import a, b, d, i, j, matrix, over
from proofs_check.derivations.proof import proves

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


def statements(c: int | Fraction = 1, times: int | Fraction = 1) -> tuple[Statement, Statement]:
    """mu R <= |grad R|^2, with R = tr(B S B')/2, and the bound of u^2; `c` multiplies mu, and
    `times` this bound.
    """
    mu = c * lam**3 * room() / N
    return (
        Statement(mu * (twice_risk / 2), "<=", speed, EVERYTHING),
        Statement(times * (room() / (2 * N)), "<=", u**2, EVERYTHING),
    )


def _in_range() -> Theorem:
    """Where i is outside the range, B is -delta and l_j delta_ij = l_i delta_ij = 0."""
    turned = instantiate(swaps, {f: ((i,), l(i))})
    most = (u * l(i) * U) ** 2 * l(j) - 2 * u * l(i) * l(j) * U * delta(i, j)
    return calc(
        h(i) * (l(j) * B**2),
        ("==", h(i) * most + h(i) * delta(i, j) * (delta(i, j) * l(i)), turned),
        ("==", most + delta(i, j) * (delta(i, j) * l(i)), in_range, in_range, in_range),
        ("==", l(j) * B**2, turned),
    )


@proves("OURS:R5.PL/gradient", gradient_statement)
@cache
def gradient() -> Theorem:
    """|dU|^2 >= 2 lambda^3 u^2 R: summand by summand, where those outside the range vanish."""
    least_j, not_negative, in_range_j = (instantiate(thm, {i: j}) for thm in (least, eigenvalues, in_range))
    h_i = calc(0, ("<=", lam * h(i) ** 2), ("==", lam * h(i), zero_or_one))
    first = show((lam * h(i)) ** 2, "<=", l(i) ** 2, least, h_i, lam * h(i))
    second = calc(
        lam * l(j),
        ("==", l(j) * (lam * h(j)), in_range_j),
        ("<=", l(j) ** 2, least_j, not_negative, lam * h(j)),
    )
    small, large = (lam * h(i)) ** 2 * (lam * l(j)), l(i) ** 2 * l(j) ** 2
    positive = show(0, "<=", lam * l(j), not_negative)
    factors = (lam * h(i)) ** 2, lam * l(j), l(i) ** 2, l(j) ** 2
    product = show(small, "<=", large, first, second, positive, *factors)
    each = calc(
        lam**3 * u**2 * (l(j) * B**2),
        ("==", lam**3 * u**2 * (h(i) * (l(j) * B**2)), _in_range()),
        ("==", lam**3 * u**2 * (h(i) ** 2 * (l(j) * B**2)), zero_or_one, h(i) ** 2, B),
        ("==", u**2 * (small * B**2)),
        ("<=", u**2 * (large * B**2), product, small, large, B),
        ("==", U_.rate(i, j, t) ** 2, flow[0]),
    )
    return calc(lam**3 * u**2 * twice_risk, ("<=", pairs(U_.rate(i, j, t) ** 2), each), ("<=", speed))


@cache
def _length_of_the_start() -> Theorem:
    """The sum over j of (Theta Theta')_ij^2 is at most (Theta Theta')_ii: with the row w of Theta
    it is w'(Theta'Theta)w, at most |w|^2 by the inequality of Cauchy and Schwarz.
    """
    w, row, dual = (
        over((a,), Theta(i, a) ** 2),
        Theta(i, a) * Theta(i, b),
        over((j,), Theta(j, a) * Theta(j, b)),
    )
    squared = calc(
        cauchy_schwarz("coordinates", (a, b), dual, row, (d, d)),
        ("==", pairs(gram**2) * w**2),
        ("==", w**2, start[2]),
    )
    return calc(over((j,), gram**2), ("==", over((a, b), dual * row)), ("<=", w, squared))


@proves("OURS:R5.PL/trace", trace_statements, part=1)
def squares_of_the_start() -> Theorem:
    """tr(S B S B S) <= |S| |S Theta|^2 for B = Theta Theta'."""
    by_top = show(
        l(i) ** 2 * l(j) * gram**2, "<=", top * (l(i) ** 2 * gram**2), instantiate(largest, {i: j}), gram
    )
    w = over((a,), Theta(i, a) ** 2)
    row = show(l(i) ** 2 * over((j,), gram**2), "<=", l(i) ** 2 * w, _length_of_the_start())
    return calc(y, ("<=", top * pairs(l(i) ** 2 * gram**2), by_top), ("<=", top * S_Theta, row))


def _trace_of_the_start() -> Theorem:
    """tr(S B S) = |S Theta|^2 for B = Theta Theta'."""
    picked = instantiate(picks, {f: ((j,), gram)})
    return show(x, "==", S_Theta, show(l(i) * picked.lhs, "==", l(i) * picked.rhs, picked))


@cache
def risk_at_the_start() -> Theorem:
    """2 R(0) = tr S - 2 s^2 tr(S B S) + s^4 tr(S B S B S) for B = Theta Theta'."""
    first = l(j) * (s**2 * l(i) * gram - delta(i, j)) ** 2
    entry = show(l(j) * at_start(B) ** 2, "==", first, *start[:2], gram)
    return show(at_start(twice_risk), "==", s**4 * y - 2 * s**2 * x + trace_S, entry)


@cache
def start_below_the_saddles() -> Theorem:
    """The traces of the start are |S Theta|^2, and at most |S| |S Theta|^2."""
    known = risk_at_the_start(), _trace_of_the_start(), squares_of_the_start()
    return show(room(), "<=", trace_S - at_start(twice_risk), *known, S_Theta, x, y, trace_S)


@cache
def height() -> Theorem:
    """tr S - 2 R <= 2 u tr(SUS), and its square is bounded by the inequality of Cauchy and Schwarz,
    as |U| = u.
    """
    entry = l(i) * l(j) * delta(i, j)
    tau, picked = pairs(entry * U), instantiate(picks, {f: ((j,), l(j))})
    less = show(
        l(j) * delta(i, j) ** 2 - l(j) * B**2, "<=", 2 * u * (entry * U), instantiate(eigenvalues, {i: j})
    )
    weight = calc(
        pairs(entry**2),
        ("==", pairs((l(i) * l(j)) ** 2 * delta(i, j)), squares),
        ("==", trace(l(i) ** 2 * picked.lhs)),
        ("==", trace(l(i) ** 4), picked),
        ("==", N**2, norm),
    )
    first = show(U_(i, j, START) ** 2, "==", (s * gram) ** 2, start[0], gram)
    kept = calc(
        balance_is_kept(),
        ("==", s**2 * pairs(gram**2) - u_(START) ** 2, first),
        ("==", s**2 - u_(START) ** 2, start[2]),
        ("==", 0, start[1]),
    )
    schwarz = cauchy_schwarz("coordinates", (i, j), entry, U, (d, d))
    squared = calc(
        (u * tau) ** 2,
        ("<=", u**2 * (pairs(entry**2) * pairs(U**2)), schwarz),
        ("==", u**2 * (N**2 * pairs(U**2)), weight),
        ("==", (N * u**2) ** 2, kept),
    )
    most = show(u * tau, "<=", N * u**2, squared)
    return calc(trace_S - twice_risk, ("<=", 2 * (u * tau), less), ("<=", 2 * (N * u**2), most))


@proves("OURS:R5.PL", statements, part=2)
@cache
def square_of_u() -> Theorem:
    """The risk falls, so that tr S - 2 R stays above what it is at the start."""
    found = calc(
        room(),
        ("<=", trace_S - at_start(twice_risk), start_below_the_saddles()),
        ("<=", trace_S - twice_risk, excess_falls(infinite)),
        ("<=", 2 * (N * u**2), height()),
    )
    return show(room() / (2 * N), "<=", u**2, found)


def risk_is_not_negative() -> Theorem:
    """Every summand of the risk is nonnegative."""
    return show(0, "<=", twice_risk, show(0, "<=", l(j) * B**2, instantiate(eigenvalues, {i: j}), B))


@proves("BB:F.3.3", lambda c=1: statements(c)[0])
@proves("OURS:R5.PL", statements, part=1)
@cache
def along_the_flow() -> Theorem:
    """With that bound of u^2 the length of the gradient is at least mu R."""
    mu, known = lam**3 * room() / N, (square_of_u(), risk_is_not_negative())
    return calc(
        mu * (twice_risk / 2),
        ("<=", lam**3 * u**2 * twice_risk, *known, room(), u**2, twice_risk),
        ("<=", speed, gradient()),
    )


@proves("OURS:R5.PL/trace", trace_statements, part=2)
def half_of_the_risk_at_the_start() -> Theorem:
    return show(at_start(twice_risk) / 2, "==", trace_S / 2 - s**2 * x + s**4 * y / 2, risk_at_the_start())


@proves("OURS:R5.PL/start", start_statement)
def start_by_halves() -> Theorem:
    return show(room() / 2, "<=", trace_S / 2 - at_start(twice_risk) / 2, start_below_the_saddles())
