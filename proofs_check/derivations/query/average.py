"""R4.B for lambda < 1/2: over a Gaussian query L times the mean squared error is at most C1, for
every L, and at least C1 less an explicit multiple of L^{-kappa}.

The query is T zeta with one more Gaussian vector zeta, and C1 the mean of e^s (t + q), where lambda
bounds A = T'U'Gamma U T.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, log
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, equal, gaussian, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Range, Sort, whole
from numerics.derivations.kernel.terms import GAUSSIAN, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import cancelled, product, times
from proofs_check.derivations.linear_attention.softmax_errors.gaussian_scores import z
from proofs_check.derivations.linear_attention.softmax_errors.theorem_a import (
    mean_square,
    q,
    spread_is_not_negative,
    t,
    variance_is_not_negative,
    weak_bound,
    weaker_error,
)
from proofs_check.derivations.linear_attention.softmax_errors.token_errors import (
    GIVEN,
    SCORE,
    STEIN,
    VALUE,
    along_the_query,
    alpha,
    in_the_row,
    l,
    limit,
    rows,
    s,
    single,
    spread,
)
from proofs_check.derivations.linear_attention.softmax_errors.two_tokens import one_less
from proofs_check.derivations.proof import proves
from proofs_check.derivations.query.from_below import limits, lost
from proofs_check.derivations.softmax_average.gaussian_tokens import n, rank

a, zeta = Variable("a", Sort.INDEX), Variable("zeta", Sort.NORMAL)
D = Variable("D", range=whole(1))
T, y = Function("T", (Sort.INDEX, Sort.INDEX)), Function("y", (Sort.INDEX,))
lam = Variable("lambda", range=NONNEGATIVE)
kappa = Variable("kappa", range=Range(Fraction(0), Fraction(1), lo_open=True, hi_open=False))
room = Variable("r", range=Range(Fraction(0), Fraction(1), lo_open=True, hi_open=False))


def queries(e: Term) -> Term:
    """The mean over zeta of a term at the query T zeta."""
    return bind("normal", (zeta,), at_the_query(e))


def at(e: Term, coordinate: Term) -> Term:
    return instantiated(e, {z: ((a,), bind("coordinates", (n,), T(a, n) * coordinate, (D,)))})


def at_the_query(e: Term) -> Term:
    return at(e, GAUSSIAN(n, zeta))


def put(thm: Theorem) -> Theorem:
    """A theorem on a query at T zeta."""
    return instantiate(thm, {z: ((a,), bind("coordinates", (n,), T(a, n) * GAUSSIAN(n, zeta), (D,)))})


def length(coordinate: Term) -> Term:
    return bind("coordinates", (n,), coordinate**2, (D,))


size = length(GAUSSIAN(n, zeta))
largest = assume(
    "lambda is at least every eigenvalue of A", at(s, y(n)), "<=", lam * length(y(n)), every=(y,)
)


#: tr(V Gamma V') as a largest value, so that its sign is known, and e^s (t + q).
trace = Op("max", (term(0), t))
weighted = exp(s) * (trace + q)
#: (2 + 7 kappa) lambda + r <= 1, and what bounds the mean of e^{(1 + 7 kappa/2) s} (t + q) then.
enough = assume("there is room r below 1/2", (2 + 7 * kappa) * lam + room, "<=", 1)
finite = trace * (1 + 4 * lam / room) * exp(-(D / 2) * log(room / 2))
u, w, v = Variable("u", range=NONNEGATIVE), Variable("w", range=NONNEGATIVE), Variable("v", range=REALS)


def statements(
    c: int | Fraction = 1, least: int | Fraction = 1, share: int | Fraction = 1
) -> tuple[Statement, ...]:
    """E <= c C1/L, least C1 <= L E + (8/L)^kappa times a number that does not depend on L, and C1
    is at most share times this number.
    """
    C1, E, given = queries(weighted), queries(mean_square), hypotheses(*GIVEN, *STEIN, one_less)
    rest, covered = exp(-kappa * log(L / 8)) * finite, hypotheses(*GIVEN, enough, largest)
    return (
        Statement(E, "<=", Fraction(c) * C1 / L, given),
        Statement(Fraction(least) * C1, "<=", L * E + rest, given | covered),
        Statement(C1, "<=", Fraction(share) * finite, covered),
    )


@cache
def limit_below_spread() -> Theorem:
    """|V Gamma U z|^2 <= tr(V Gamma V') s, by the inequality of Cauchy and Schwarz in each row."""
    forms = (VALUE, SCORE), (VALUE, VALUE), (SCORE, SCORE)
    both, own, score = (
        chain(thm, thm.rhs, L * value)
        for thm, value in zip(
            (instantiate(single(*f), {alpha: ((l,), term(1))}) for f in forms),
            (limit, spread, s),
            strict=True,
        )
    )
    schwarz = cauchy_schwarz("coordinates", (l, n), in_the_row(l), along_the_query(l), (L, rank))
    sums = [thm.lhs for thm in (both, own, score)]
    row = calc(
        L**2 * limit**2,
        ("==", sums[0] ** 2, both, sums[0], limit),
        ("<=", sums[1] * sums[2], schwarz),
        ("==", L**2 * (spread * s), own, score, *sums, spread, s),
    )
    row = cancelled(L**2, row, limit**2, spread * s, show(0, "<", L**2))
    more = times(s, show(t, "<=", trace), variance_is_not_negative(SCORE))
    return calc(q, ("<=", rows(spread * s), row), ("==", s * t), ("<=", s * trace, more))


@cache
def small_powers() -> Theorem:
    """1 - (1 - e^v)_+ <= e^{kappa v}."""
    above, below = Op("ind", (v,)), Op("above", (-v,)) * exp(v)
    return calc(
        1 - Op("max", (term(0), 1 - exp(v))),
        ("<=", above + below, arithmetic(1 - Op("max", (term(0), 1 - exp(v))), "<=", above + below)),
        ("<=", exp(kappa * v), arithmetic(above + below, "<=", exp(kappa * v))),
    )


def gaussian_number(steep: Term, half: Theorem) -> Theorem:
    """The mean of e^{steep s} (t + q) is at most a number, for 2 steep lambda <= 1 - r, which is a
    premise: s is at most lambda |zeta|^2, q at most t s, and a quarter of the room is left for the
    power of |zeta|^2.
    """
    here, quarter, left = at_the_query(s), room * size / 4, room / 2
    below = instantiate(largest, {y: ((n,), GAUSSIAN(n, zeta))})
    power = calc(
        steep * here,
        ("<=", steep * (lam * size), times(steep, below)),
        ("==", size / 2 * half.lhs),
        ("<=", size / 2 * half.rhs, times(size / 2, half)),
    )
    line = instantiate(show(1 + w * u, "<=", (1 + w) * exp(u)), {w: 4 * lam / room, u: quarter})
    values = calc(
        trace + at_the_query(q),
        ("<=", trace + trace * (lam * size), put(limit_below_spread()), times(trace, below)),
        ("==", trace * line.lhs),
        ("<=", trace * line.rhs, line),
    )
    point = calc(
        exp(steep * here) * values.lhs,
        ("<=", exp(power.rhs) * values.lhs, power),
        ("<=", exp(power.rhs) * values.rhs, values),
        ("==", trace * (1 + 4 * lam / room) * exp((1 - left) * size / 2)),
    )
    value = gaussian(zeta, n, D, term(0), equal((1 - left) + left, 1))
    return calc(
        queries(exp(steep * s) * (trace + q)),
        ("<=", bind("normal", (zeta,), point.rhs), point),
        ("==", trace * (1 + 4 * lam / room) * value.lhs),
        ("<=", finite, value),
    )


@cache
def number() -> Theorem:
    return gaussian_number(1 + 7 * kappa / 2, show((2 + 7 * kappa) * lam, "<=", 1 - room, enough))


@proves("OURS:R4.B/fast", statements, part=1)
@cache
def from_above() -> Theorem:
    """Theorem A at each query."""
    more = calc(weaker_error(), ("<=", weighted / L))
    return show(queries(mean_square), "<=", queries(weighted) / L, put(more))


@proves("OURS:R4.B/fast", statements, part=3)
def finite_limit() -> Theorem:
    """C1 is below the mean with a larger power of e^s."""
    positive = variance_is_not_negative(SCORE)
    steeper = show(s, "<=", (1 + 7 * kappa / 2) * s, product(7 * kappa / 2, s, positive))
    more = show(weighted, "<=", exp((1 + 7 * kappa / 2) * s) * (trace + q), steeper)
    return calc(queries(weighted), ("<=", number().lhs, put(more)), ("<=", finite, number()))


@proves("OURS:R4.B/fast", statements, part=2)
@cache
def from_below() -> Theorem:
    """At each query L times the error is at least e^s (t + q)(1 - x)_+ with x = 8 e^{7s/2}/L, and
    1 - (1 - x)_+ is at most x^kappa.
    """
    low, share, steep = limits()[1], Op("max", (term(0), 1 - lost)), exp((1 + 7 * kappa / 2) * s)
    power, far = log(term(8)) + 7 * s / 2 - log(L), exp(-kappa * log(L / 8))
    same, gone = show(trace, "==", t, spread_is_not_negative()), instantiate(small_powers(), {v: power})
    gone = calc(
        1 - share, ("==", gone.lhs, s), ("<=", gone.rhs, gone), ("==", far * exp(7 * kappa / 2 * s), s)
    )
    near = calc(
        weighted * share,
        ("==", L * (share * weak_bound), same, trace, t, q, share, exp(s)),
        ("<=", L * mean_square, low),
    )
    point = calc(
        weighted,
        ("==", weighted * share + weighted * (1 - share)),
        ("<=", L * mean_square + weighted * (far * exp(7 * kappa / 2 * s)), near, times(weighted, gone)),
        ("==", L * mean_square + far * (steep * (trace + q))),
    )
    apart = _of_a_sum(far, at_the_query(mean_square), at_the_query(steep * (trace + q)))
    average = chain(queries(weighted), integrate("normal", (zeta,), put(point)), apart.lhs)
    return calc(average, ("<=", apart.rhs, apart), ("<=", L * queries(mean_square) + far * finite, number()))


def _of_a_sum(c: Term, X: Term, Y: Term) -> Theorem:
    """The mean of L X + c Y over zeta, for X and Y that are not negative; as largest values they
    are not multiplied out.
    """
    over, top = (lambda e: bind("normal", (zeta,), e)), (lambda e: Op("max", (term(0), e)))
    more = show(
        L * X + c * Y, "<=", L * top(X) + c * top(Y), show(X, "<=", top(X), X), show(Y, "<=", top(Y), Y)
    )
    same = equal(over(more.rhs), L * over(top(X)) + c * over(top(Y)))
    less = [integrate("normal", (zeta,), show(top(e), "<=", e, e)) for e in (X, Y)]
    return calc(
        integrate("normal", (zeta,), more), ("==", same.rhs, same), ("<=", L * over(X) + c * over(Y), *less)
    )
