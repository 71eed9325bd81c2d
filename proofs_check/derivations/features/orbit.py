"""R12: training over one orbit is one number lambda, and the time to attention 1/2 is bounded from
above.

The other classes are numbered from 1 to M; h is half the squared distance of one from the query's
class, so that its attention is e^{-lambda h} times that on the query's own class.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, exp, log
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort, whole
from numerics.derivations.kernel.terms import CLOCK, START, Function, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import cancelled, ind, product, times
from proofs_check.derivations.proof import proves

n, t, u = Variable("n", Sort.INDEX), Variable("t", Sort.TIME), Variable("u", range=REALS)
M, K = Variable("M", range=whole(1)), Variable("M", range=whole(1)) + 1
eta, sigma2, r, Delta = (Variable(name, range=POSITIVE) for name in ("eta", "sigma2", "r", "Delta"))
lam, h = Function("lambda", (Sort.TIME,), Fraction(1)), Function("h", (Sort.INDEX,))

others = lambda e: bind("coordinates", (n,), e, (M,))
odds = exp(-lam(t) * h(n))
S = others(odds)
a = 1 / (1 + S)
w = odds * a
mu, beta = others(w * h(n)), others(w**2)
loss = sigma2 / 2 * (others(w) ** 2 + beta)
least, kappa = Delta**2 / 2, eta * sigma2 / r
#: By how much the loss falls with lambda, in units of sigma_f^2.
slope = mu * (a - a**2 - beta) + others(w**2 * h(n))

flow = assume("gradient flow", lam.rate(t), "==", kappa * slope, every=(t,))
from_zero = assume("Q(0) = 0", lam(START), "==", 0)
apart = assume("the least distance", least, "<=", h(n), every=(n,))
#: An antiderivative of (1 + 1/S)^3 in -S.
potential = -S - 3 * log(S) + 3 / S + 1 / (2 * S**2)


def statements(
    cube: int = 3, four: int = 4, thirty_two: int = 32, half: Fraction = Fraction(1, 2)
) -> tuple[Statement, ...]:
    """R12.upper: that the flow is that of the loss, the speed of a, and the time to a = 1/2. Here
    `half` stands for the factor of the loss, and `four`, `cube` and `thirty_two` for these numbers.
    """
    given = hypotheses(flow, from_zero, apart)
    last = thirty_two * r * (M + 1) / (eta * sigma2 * Delta**4)
    return (
        Statement(2 * half * derivative(loss, t), "==", -sigma2 * slope * lam.rate(t)),
        Statement(
            eta * sigma2 * Delta**4 / (Fraction(four) * r) * a**2 * (1 - a) ** cube,
            "<=",
            derivative(a, t),
            given,
        ),
        Statement(ind(Fraction(1, 2) - a) * (CLOCK(t) - last), "<=", term(0), given),
    )


@cache
def adds_up() -> Theorem:
    return calc(others(w), ("==", a * S), ("==", 1 - a, S))


@proves("OURS:R12.upper", statements, part=1)
@cache
def loss_slope() -> Theorem:
    """The derivative of the loss along any lambda is -sigma_f^2 times the slope, times lambda'."""
    T, b1, rate = others(w**2 * h(n)), others(w), lam.rate(t)
    return calc(
        derivative(loss, t),
        ("==", -sigma2 * rate * (b1 * (mu - b1 * mu) + (T - beta * mu))),
        ("==", -sigma2 * rate * slope, adds_up(), b1, mu, beta, T, a),
    )


@cache
def _odds_at_the_start() -> Theorem:
    return show(instantiated(odds, {t: START}), "==", 1, from_zero)


@cache
def at_the_start() -> Theorem:
    """The loss at lambda = 0 is (sigma_f^2/2) M/(M + 1)."""
    here, odds_0 = {t: START}, instantiated(odds, {t: START})
    S0 = calc(others(odds_0), ("==", others(1), _odds_at_the_start()), ("==", M))
    B0 = calc(others(odds_0**2), ("==", others(1), _odds_at_the_start()), ("==", M))
    return calc(
        instantiated(loss, here),
        ("==", sigma2 / 2 * ((S0.lhs * instantiated(a, here)) ** 2 + B0.lhs * instantiated(a, here) ** 2)),
        ("==", sigma2 / 2 * (M / (M + 1)), S0, B0, S0.lhs, B0.lhs),
    )


@cache
def no_more_than_at_the_start() -> Theorem:
    """S <= M, as the loss does not rise and is at least (sigma_f^2/2)(1 + 1/M)(1 - a)^2."""
    falling = calc(loss_slope(), ("==", -sigma2 * (kappa * slope) * slope, flow, slope), ("<=", 0, slope))
    total, unit = others(w), sigma2 / 2 * (1 + 1 / M)
    schwarz = calc(
        total**2 / M,
        ("<=", 1 / M * (M * beta), cauchy_schwarz("coordinates", (n,), w, term(1), (M,))),
        ("==", beta),
    )
    line = calc(
        unit * total**2,
        ("==", sigma2 / 2 * (total**2 + total**2 / M)),
        ("<=", loss, schwarz),
        ("<=", sigma2 / 2 * (M / (M + 1)), antitone(loss, t, falling), at_the_start()),
        ("==", unit * (M / (M + 1)) ** 2),
    )
    square = cancelled(unit, line, total**2, (M / (M + 1)) ** 2, show(0, "<", unit))
    share = show(total, "<=", M / (M + 1), square)
    both = calc(
        S * (M + 1),
        ("==", (1 + S) * (M + 1) * (S * a), S),
        ("<=", (1 + S) * (M + 1) * (M / (M + 1)), share),
        ("==", M * (1 + S), S),
    )
    return show(S, "<=", M, both)


@cache
def nonnegative() -> Theorem:
    """lambda >= 0, as S >= sum (1 - lambda h) = M - lambda sum h."""
    tangent = instantiate(show(1 + u, "<=", exp(u)), {u: -lam(t) * h(n)})
    below = calc(
        M - lam(t) * others(h(n)),
        ("==", others(1 - lam(t) * h(n))),
        ("<=", S, tangent),
        ("<=", M, no_more_than_at_the_start()),
    )
    some = calc(0, ("<", least * M), ("==", others(least)), ("<=", others(h(n)), apart))
    line = show(others(h(n)) * 0, "<=", others(h(n)) * lam(t), below)
    return cancelled(others(h(n)), line, term(0), lam(t), some)


@cache
def no_larger_than_the_own() -> Theorem:
    """sum_n w_n^2 <= a (1 - a), as e^{-lambda h} <= 1."""
    near = product(lam(t), h(n), nonnegative(), calc(0, ("<=", least), ("<=", h(n), apart)))
    power = calc(exp(-(lam(t) * h(n))), ("<=", exp(-term(0)), near), ("==", 1))
    return calc(
        beta,
        ("==", others(w * a * exp(-(lam(t) * h(n))))),
        ("<=", others(w * a * 1), times(w * a, power)),
        ("==", a * others(w)),
        ("==", a * (1 - a), adds_up()),
    )


@cache
def mean_distance() -> Theorem:
    """s (1 - a) <= mu, with s the least h."""
    return calc(
        least * (1 - a), ("==", least * others(w), adds_up()), ("==", others(w * least)), ("<=", mu, apart)
    )


@cache
def speed() -> Theorem:
    rest = a - a**2 - beta
    some = show(0, "<=", rest, no_larger_than_the_own())
    second = calc(least * beta, ("==", others(w**2 * least)), ("<=", others(w**2 * h(n)), apart))
    low = calc(
        least * a * (1 - a) ** 2,
        ("<=", rest * (least * (1 - a)) + least * beta, show(0, "<=", least * a * beta), a, beta),
        ("<=", rest * mu + least * beta, times(rest, mean_distance(), some)),
        ("<=", slope, second),
    )
    return calc(times(kappa, low), ("==", lam.rate(t), flow))


@proves("OURS:R12.upper", statements, part=2)
@cache
def attention_rises() -> Theorem:
    left = show(0, "<=", 1 - a, S)
    some = product(a, mu, calc(product(least, 1 - a, left), ("<=", mu, mean_distance())))
    by = a * (kappa * (least * a * (1 - a) ** 2))
    return calc(
        kappa * least**2 * a**2 * (1 - a) ** 3,
        ("==", by * (least * (1 - a)), a),
        ("<=", by * mu, times(by, mean_distance())),
        ("<=", a * mu * lam.rate(t), times(a * mu, speed(), some)),
        ("==", derivative(a, t)),
    )


@cache
def potential_rises() -> Theorem:
    """kappa s^2 t <= potential(t) - potential(0), as its derivative is (1 + 1/S)^3 (-S') >= kappa
    s^2.
    """
    rate, D, unit = kappa * least**2, derivative(S, t), (1 + 1 / S) ** 3
    falling = rate * CLOCK(t) - potential
    line = calc(attention_rises(), ("==", a**2 * (-D), S, D))
    odds_fall = cancelled(a**2, line, rate * (1 - a) ** 3, -D, show(0, "<", a**2))
    up = calc(rate, ("==", unit * (rate * (1 - a) ** 3), S), ("<=", unit * (-D), times(unit, odds_fall)))
    down = calc(derivative(falling, t), ("==", rate + unit * D, S, D), ("<=", 0, up))
    start = calc(others(instantiated(odds, {t: START})), ("==", others(1), _odds_at_the_start()), ("==", M))
    end = calc(antitone(falling, t, down), ("<=", M + 3 * log(M), begin(), start, start.lhs))
    return show(rate * CLOCK(t), "<=", M + 3 * log(M) + potential, end)


@proves("OURS:R12.upper", statements, part=3)
@cache
def time_to_one_half() -> Theorem:
    """A time at which a <= 1/2 is at most 32 r K/(eta sigma_f^2 Delta^4)."""
    before, rate, half = ind(Fraction(1, 2) - a), kappa * least**2, Fraction(5, 2)
    last = 32 * r * (M + 1) / (eta * sigma2 * Delta**4)
    line = calc(
        rate * (before * CLOCK(t)),
        ("<=", before * (M + 3 * log(M) + potential), times(before, potential_rises())),
        ("==", before * (M + 3 * log(M) + half) + before * (potential - half)),
        ("<=", before * (M + 3 * log(M) + half), show(before * (potential - half), "<=", 0, S)),
        ("<=", before * (8 * (M + 1)), show(M + 3 * log(M) + half, "<=", 8 * (M + 1))),
        ("==", rate * (before * last), Fraction(1, 2) - a),
    )
    line = cancelled(rate, line, before * CLOCK(t), before * last, show(0, "<", rate))
    return show(before * (CLOCK(t) - last), "<=", 0, line)
