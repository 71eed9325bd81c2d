"""R12: training over one orbit is one number lambda, and the time to attention 1/2 is bounded from
above.

The other classes are numbered from 1 to M; h is half the squared distance of one from the query's
class, so that its attention is e^{-lambda h} times that on the query's own class.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import bind, instantiated
from numerics.derivations.derived import cauchy_schwarz, chain, exp, log, root, turned
from numerics.derivations.flows import derivative
from numerics.derivations.rules import arithmetic, assume, begin, equal, fall, integrate, replace, specialise
from numerics.derivations.sorts import POSITIVE, REALS, Sort, whole
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.terms import CLOCK, START, Function, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.features.steps import added, cancelled, gap, ind, product, scaled, times

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


@cache
def adds_up() -> Theorem:
    return chain(others(w), arithmetic(a * S, "==", 1 - a, hide=(S,)))


@cache
def loss_slope() -> Theorem:
    """The derivative of the loss along any lambda is -sigma_f^2 times the slope, times lambda'."""
    T, b1 = others(w**2 * h(n)), others(w)
    rate = lam.rate(t)
    form = equal(derivative(loss, t), -sigma2 * rate * (b1 * (mu - b1 * mu) + (T - beta * mu)))
    return chain(
        form, arithmetic(form.rhs, "==", -sigma2 * rate * slope, adds_up(), hide=(b1, mu, beta, T, a))
    )


@cache
def at_the_start() -> Theorem:
    """The loss at lambda = 0 is (sigma_f^2/2) M/(M + 1)."""
    here = {t: START}
    one = arithmetic(instantiated(odds, here), "==", 1, from_zero)
    two = arithmetic(instantiated(odds, here) ** 2, "==", 1, from_zero)
    sums = [chain(integrate("coordinates", (n,), line, (M,)), M) for line in (one, two)]
    S0, B0, a0 = sums[0].lhs, sums[1].lhs, instantiated(a, here)
    form = equal(instantiated(loss, here), sigma2 / 2 * ((S0 * a0) ** 2 + B0 * a0**2))
    return chain(form, arithmetic(form.rhs, "==", sigma2 / 2 * (M / (M + 1)), *sums, hide=(S0, B0)))


@cache
def no_more_than_at_the_start() -> Theorem:
    """S <= M, as the loss does not rise and is at least (sigma_f^2/2)(1 + 1/M)(1 - a)^2."""
    moved = arithmetic(-sigma2 * lam.rate(t) * slope, "<=", 0, flow, hide=(slope,))
    fallen = chain(fall(loss, t, chain(loss_slope(), moved)), at_the_start())
    total = others(w)
    schwarz = cauchy_schwarz("coordinates", (n,), w, term(1), (M,))
    schwarz = times(1 / M, chain(total**2, schwarz, M * beta))
    weighted = times(sigma2 / 2, added(chain(total**2 / M, schwarz, beta), total**2))
    line = chain(sigma2 / 2 * (1 + 1 / M) * total**2, weighted, fallen)
    unit = sigma2 / 2 * (1 + 1 / M)
    line = chain(line, arithmetic(sigma2 / 2 * (M / (M + 1)), "==", unit * (M / (M + 1)) ** 2))
    square = cancelled(unit, line, total**2, (M / (M + 1)) ** 2, arithmetic(0, "<", unit))
    share = chain(S * a, root(square, total, M / (M + 1)))
    scale = (1 + S) * (M + 1)
    up = times(scale, share)
    both = chain(
        arithmetic(S * (M + 1), "==", up.lhs, hide=(S,)), up, arithmetic(up.rhs, "==", M * (1 + S), hide=(S,))
    )
    return chain(S, added(both, -S * M), M)


@cache
def nonnegative() -> Theorem:
    """lambda >= 0, as S >= sum (1 - lambda h) = M - lambda sum h."""
    tangent = specialise(arithmetic(1 + u, "<=", exp(u)), {u: -lam(t) * h(n)})
    below = chain(integrate("coordinates", (n,), tangent, (M,)), no_more_than_at_the_start())
    total = others(h(n))
    some = chain(least * M, integrate("coordinates", (n,), apart, (M,)))
    some = chain(arithmetic(0, "<", least * M), some)
    line = chain(total * 0, added(below, lam(t) * total - M), total * lam(t))
    return cancelled(total, line, term(0), lam(t), some)


@cache
def no_larger_than_the_own() -> Theorem:
    """sum_n w_n^2 <= a (1 - a), as e^{-lambda h} <= 1."""
    near = product(lam(t), h(n), nonnegative(), chain(arithmetic(0, "<=", least), apart))
    power = chain(odds, replace(exp(-(lam(t) * h(n))), near), 1)
    each = integrate("coordinates", (n,), times(w * a, power), (M,))
    return chain(beta, each, a * others(w), scaled(a, adds_up()))


@cache
def mean_distance() -> Theorem:
    """s (1 - a) <= mu, with s the least h."""
    each = integrate("coordinates", (n,), times(w, apart), (M,))
    return chain(scaled(least, turned(adds_up())), least * others(w), each)


@cache
def speed() -> Theorem:
    """lambda' >= kappa s a (1 - a)^2."""
    rest = a - a**2 - beta
    more = chain(gap(no_larger_than_the_own()), rest)
    first = times(rest, mean_distance(), more)
    second = chain(least * beta, integrate("coordinates", (n,), times(w**2, apart), (M,)))
    both = chain(added(first, second.lhs), added(second, first.rhs), slope)
    low = arithmetic(
        least * a * (1 - a) ** 2,
        "<=",
        first.lhs + second.lhs,
        arithmetic(0, "<=", least * a * beta),
        hide=(a, beta),
    )
    return chain(kappa * (least * a * (1 - a) ** 2), times(kappa, chain(low, both)), turned(flow))


@cache
def attention_rises() -> Theorem:
    """a' = a mu lambda' >= kappa s^2 a^2 (1 - a)^3."""
    left = arithmetic(0, "<=", 1 - a, hide=(S,))
    up = times(a * mu, speed(), product(a, mu, chain(product(least, 1 - a, left), mean_distance())))
    inner = times(a * (kappa * (least * a * (1 - a) ** 2)), mean_distance())
    form = arithmetic(kappa * least**2 * a**2 * (1 - a) ** 3, "==", inner.lhs, hide=(a,))
    return chain(form, inner, up, derivative(a, t))


#: An antiderivative of (1 + 1/S)^3 in -S.
potential = -S - 3 * log(S) + 3 / S + 1 / (2 * S**2)


@cache
def potential_rises() -> Theorem:
    """kappa s^2 t <= potential(t) - potential(0), as its derivative is (1 + 1/S)^3 (-S') >= kappa
    s^2.
    """
    falling = kappa * least**2 * CLOCK(t) - potential
    fallen = derivative(falling, t)
    D = derivative(S, t)
    form = arithmetic(fallen, "==", kappa * least**2 + (1 + 1 / S) ** 3 * D, hide=(S, D))
    odds_fall = chain(attention_rises(), arithmetic(derivative(a, t), "==", a**2 * (-D), hide=(S, D)))
    odds_fall = cancelled(a**2, odds_fall, kappa * least**2 * (1 - a) ** 3, -D, arithmetic(0, "<", a**2))
    unit = (1 + 1 / S) ** 3
    weighted = times(unit, odds_fall)
    weighted = chain(arithmetic(kappa * least**2, "==", weighted.lhs, hide=(S,)), weighted)
    down = chain(form, added(weighted, unit * D), 0)
    end = fall(falling, t, down)
    one = arithmetic(instantiated(odds, {t: START}), "==", 1, from_zero)
    start = chain(integrate("coordinates", (n,), one, (M,)), M)
    first = arithmetic(end.rhs, "<=", M + 3 * log(M), begin(), start, hide=(start.lhs,))
    return chain(kappa * least**2 * CLOCK(t), added(chain(end, first), potential), M + 3 * log(M) + potential)


@cache
def time_to_one_half() -> Theorem:
    """A time at which a <= 1/2 is at most 32 r K/(eta sigma_f^2 Delta^4)."""
    before, rate = ind(Fraction(1, 2) - a), kappa * least**2
    latest = arithmetic(before * (potential - Fraction(5, 2)), "<=", 0, hide=(S,))
    numbers = arithmetic(M + 3 * log(M) + Fraction(5, 2), "<=", 8 * (M + 1))
    line = times(before, potential_rises())
    line = chain(line, before * (M + 3 * log(M) + Fraction(5, 2)) + before * (potential - Fraction(5, 2)))
    line = chain(line, added(latest, before * (M + 3 * log(M) + Fraction(5, 2))), times(before, numbers))
    last = 32 * r * (M + 1) / (eta * sigma2 * Delta**4)
    line = chain(
        rate * (before * CLOCK(t)),
        line,
        arithmetic(before * (8 * (M + 1)), "==", rate * (before * last), hide=(Fraction(1, 2) - a,)),
    )
    line = cancelled(rate, line, before * CLOCK(t), before * last, arithmetic(0, "<", rate))
    return chain(before * (CLOCK(t) - last), added(line, -before * last), 0)


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
