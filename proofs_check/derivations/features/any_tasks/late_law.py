"""R11, the late law for any law of tasks: 4 eta gamma^2 t times the loss tends to 1."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import CLOCK, START, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features import tasks
from proofs_check.derivations.features.any_tasks.flow import (
    G,
    V,
    above,
    below,
    by_moments,
    defined,
    gradient,
    grows,
    in_the_sum,
    least,
    least_share,
    loss,
    loss_is_V,
    psi,
    ratio,
    rest,
    slope,
    small,
    starts,
    stays_small,
    strictly,
)
from proofs_check.derivations.features.any_tasks.halves import (
    X_,
    N,
    Y,
    at_0,
    bounded,
    excess,
    from_0,
    most,
    now,
    over,
    rises,
    steep,
    theta,
    upper,
)
from proofs_check.derivations.features.feature_flow import Q, entries, eta, flow, i, j, square, t
from proofs_check.derivations.features.late_loss import margin as largest_margin
from proofs_check.derivations.features.late_loss import masses
from proofs_check.derivations.features.margin import gamma, numbered, one_of_them, unit
from proofs_check.derivations.features.margin import margin as margin_of_Q
from proofs_check.derivations.features.steps import cancelled, product, times
from proofs_check.derivations.proof import proves

s = Variable("s", Sort.TIME)
J, J_s = excess(t), excess(s)
after, before = Op("ind", (now - CLOCK(s),)), Op("ind", (CLOCK(s) - now,))
#: The root of loss(t)/loss(s).
back = exp((psi(s) - psi(t)) / 2)
Y_0 = at_0(Y)


@cache
def monotone() -> tuple[Theorem, Theorem, Theorem]:
    """J is not negative; it does not fall from s on, and neither does psi before s."""
    falls = calc(derivative(-J, t), ("==", -(2 * eta / gamma * N * over), rises), ("<=", 0))
    psi_falls = calc(derivative(-psi(t), t), ("==", -(eta * square * Y), grows), ("<=", 0))
    earlier = instantiate(antitone(-psi(t), t, psi_falls, s), {t: s, s: t})
    return (
        show(0, "<=", J, calc(antitone(-J, t, falls), ("==", term(0), from_0))),
        show(after * J_s, "<=", after * J, antitone(-J, t, falls, s), J, J_s),
        show(before * psi(t), "<=", before * psi(s), earlier),
    )


@cache
def not_negative() -> Theorem:
    """J(t) - J(s) + J(s) (loss(t)/loss(s))^{1/2} >= 0."""
    positive, later, earlier = monotone()
    more = show(before, "<=", before * back, earlier)
    return show(
        0, "<=", J - J_s + J_s * back, later, more, positive, instantiate(positive, {t: s}), J, J_s, back
    )


@cache
def lower() -> Theorem:
    """1 - 2 gamma (J(t) - J(s)) <= 4 eta gamma^2 t loss(t) + 4 gamma J(s) (loss(t)/loss(s))^{1/2} +
    (1 + 2 gamma J(s)) loss(t)/loss(0), at any two times.
    """
    far = exp((psi(t) + psi(s)) / 2)
    falling = Y * (1 - 2 * gamma * (J - J_s)) - 4 * gamma * J_s * far - 4 * eta * gamma**2 * now
    line = instantiate(show(X_**2 - 2 * X_ * Op("max", (term(0), X_ - gamma)), "<=", gamma**2), {X_: steep})
    kept, X = not_negative(), psi.rate(t) * Y
    slope = calc(
        derivative(falling, t),
        (
            "==",
            X * (1 - 2 * gamma * (J - J_s))
            - 2 * gamma * Y * excess.rate(t)
            - 2 * gamma * J_s * (X * back)
            - 4 * eta * gamma**2,
        ),
        ("==", X - 2 * gamma * X * kept.rhs - 2 * gamma * Y * excess.rate(t) - 4 * eta * gamma**2),
        (
            "==",
            4 * eta * steep**2
            - 8 * gamma * eta * steep**2 * kept.rhs
            - 2 * gamma * Y * (2 * eta / gamma * N * over)
            - 4 * eta * gamma**2,
            grows,
            rises,
        ),
        ("==", 4 * eta * (line.lhs - gamma**2) - 8 * gamma * eta * steep**2 * kept.rhs),
        ("<=", 4 * eta * (line.lhs - gamma**2), times(8 * gamma * eta * steep**2, kept)),
        ("<=", 0, line),
    )
    first, far_0 = Y_0 * (1 + 2 * gamma * J_s), 4 * gamma * at_0(far)
    end = calc(
        antitone(falling, t, slope),
        ("==", first - far_0 * J_s, from_0, begin()),
        ("<=", first, product(far_0, J_s, instantiate(monotone()[0], {t: s})), first, far_0 * J_s),
    )
    return calc(
        1 - 2 * gamma * (J - J_s),
        ("==", V * (falling + 4 * gamma * J_s * far + 4 * eta * gamma**2 * now)),
        ("<=", V * (first + 4 * gamma * J_s * far + 4 * eta * gamma**2 * now), end),
        ("==", 4 * eta * gamma**2 * now * V + 4 * gamma * J_s * back + (1 + 2 * gamma * J_s) * (V * Y_0)),
    )


# For every epsilon, from some time on

t_0, J_end, T_1 = (Variable(name, range=NONNEGATIVE) for name in ("t0", "Jinf", "T1"))
eps = Variable("eps", range=POSITIVE)
at_most = assume("Jinf is the limit of J", J, "<=", J_end, every=(t,))
settled = assume(
    "T1 is a time from which on J is close to its limit",
    Op("ind", (now - T_1,)) * (J_end - J),
    "<=",
    eps / (6 * gamma),
    every=(t,),
)
most_time = 1 + 2 * theta * ratio


def since(end: Term) -> Term:
    """Whether the loss has fallen to a number, by what is derived of its time."""
    return Op("ind", (now - most_time / (4 * eta * gamma**2 * end),))


@cache
def fallen(end: Term) -> Theorem:
    """The loss is at most `end` from the time on that is derived."""
    late, I = most_time / (4 * eta * gamma**2 * end), since(end)
    bound = calc(upper(), ("<=", most_time, stays_small()))
    spent = calc(now * V, ("==", upper().lhs / (4 * eta * gamma**2)), ("<=", late * end, bound))
    scaled = calc(
        late * (I * V),
        ("<=", I * (now * V), show(I * late, "<=", I * now)),
        ("<=", I * (late * end), times(I, spent)),
        ("==", late * (I * end)),
    )
    return cancelled(late, scaled, I * V, I * end, show(0, "<", late))


#: To what numbers the loss has to fall: of the upper half, and of the lower half after the time s.
low_above = Op("min", (least / 2 * (eps / (4 * theta)) ** 2, eps / (8 * eta * gamma**2 * t_0 + 1)))
part_s, part_0 = eps / (12 * gamma * J_end + 1), eps / (3 * (1 + 2 * gamma * J_end))
low_below = Op("min", (exp(-psi(s)) * part_s**2, exp(-psi(START)) * part_0))
settled_s = Op("ind", (CLOCK(s) - T_1,))
diagonal = tasks.others(tasks.C(tasks.n, tasks.n))
m_, n_ = (Variable(name, range=REALS) for name in ("m_", "n_"))
least_of_two = (show(Op("min", (m_, n_)), "<=", m_), show(Op("min", (m_, n_)), "<=", n_))


def loss_statements(half: Fraction = Fraction(1, 2), sign: int = 1, two: int = 2) -> tuple[Statement, ...]:
    """The loss by the second moments of the tasks; its derivative along any path of Q, which is
    -<G, Q'>; and those moments for exchangeable tasks: sigma_f^2, and twice that for n = m.
    """
    pairs = tasks.s * (tasks.all_weights + (two - 1) * diagonal)
    return (
        Statement(2 * half * defined, "==", loss),
        Statement(derivative(loss, t), "==", -sign * entries(G * Q.rate(i, j, t))),
        Statement(tasks.differences, "==", pairs, hypotheses(*tasks.exchangeable)),
    )


@proves("OURS:R11/loss", loss_statements, part=(1, 2, 3))
def of_the_loss() -> tuple[Theorem, ...]:
    return by_moments(), slope(), tasks.moments_of_differences()


def statements(four: int | Fraction = 4, one: int = 1) -> tuple[Statement, ...]:
    """The bound of J, whose limit is Jinf; and for every epsilon that four eta gamma^2 (t0 + t)
    loss - 1 is at most epsilon from a time on, and at least -epsilon, where t0 + t is the time.
    """
    of_tasks = hypotheses(above, below, least_share, numbered, one_of_them, in_the_sum)
    along = of_tasks | hypotheses(flow, gradient, margin_of_Q, unit, small, strictly, starts, grows)
    J_is = hypotheses(rises, from_0)
    scaled = Fraction(four) * eta * gamma**2 * (t_0 + now) * loss
    ends = hypotheses(at_most, settled)
    return (
        Statement(J, "<=", most(one), along | J_is | hypotheses(largest_margin, masses)),
        Statement(since(low_above) * (scaled - 1), "<=", eps, along),
        Statement(settled_s * since(low_below) * (1 - scaled), "<=", eps, along | J_is | ends),
    )


@proves("OURS:R11", statements)
@cache
def J_is_bounded() -> Theorem:
    return bounded()


@proves("OURS:R11", statements, part=2)
@cache
def at_most_1() -> Theorem:
    """4 eta gamma^2 (t0 + t) loss <= 1 + 2 theta q + 4 eta gamma^2 t0 loss."""
    I, (first, second) = since(low_above), low_above.args
    put = {m_: first, n_: second}
    one, two = (times(I, instantiate(thm, put)) for thm in least_of_two)
    V_falls = fallen(low_above)
    squares = calc(
        (I * rest) ** 2,
        ("==", 2 / least * (I * V)),
        ("<=", 2 / least * (I * first), times(2 / least, V_falls), times(2 / least, one)),
        ("<=", (eps / (4 * theta)) ** 2),
    )
    near = show(I * rest, "<=", eps / (4 * theta), squares)
    k = 4 * eta * gamma**2
    late = calc(
        k * t_0 * (I * V),
        ("<=", k * t_0 * (I * second), times(k * t_0, V_falls), times(k * t_0, two)),
        ("<=", k * t_0 * second, show(I, "<=", 1)),
        ("<=", eps / 2),
    )
    return calc(
        I * (k * (t_0 + now) * loss - 1),
        ("==", I * (k * (t_0 + now) * V - 1), loss_is_V()),
        ("==", I * (upper().lhs - 1) + k * t_0 * (I * V)),
        ("<=", I * (upper().rhs - 1) + k * t_0 * (I * V), upper()),
        ("==", 2 * theta * (I * rest) + k * t_0 * (I * V)),
        ("<=", 2 * theta * (eps / (4 * theta)) + eps / 2, near, late),
        ("==", eps),
    )


@proves("OURS:R11", statements, part=3)
@cache
def at_least_1() -> Theorem:
    """1 - 4 eta gamma^2 (t0 + t) loss <= 2 gamma (J(t) - J(s)) + 4 gamma J(s) sqrt(loss(t)/loss(s))
    + (1 + 2 gamma J(s)) loss(t)/loss(0), where each of the three terms is at most epsilon/3.
    """
    I, k = since(low_below), 4 * eta * gamma**2
    put = dict(zip((m_, n_), low_below.args, strict=True))
    one, two = (times(I, instantiate(thm, put)) for thm in least_of_two)
    V_falls, end_s = fallen(low_below), instantiate(at_most, {t: s})
    grown = show(
        settled_s * (J - J_s), "<=", eps / (6 * gamma), at_most, instantiate(settled, {t: s}), J, J_s
    )
    squares = calc(
        (I * back) ** 2,
        ("==", exp(psi(s)) * (I * V)),
        ("<=", exp(psi(s)) * (I * low_below.args[0]), times(exp(psi(s)), V_falls), times(exp(psi(s)), one)),
        ("<=", part_s**2),
    )
    near = show(I * back, "<=", part_s, squares)
    chosen, third = settled_s * I, eps / 3
    first = calc(
        chosen * (2 * gamma * (J - J_s)),
        ("==", 2 * gamma * I * (settled_s * (J - J_s))),
        ("<=", 2 * gamma * I * (eps / (6 * gamma)), times(2 * gamma * I, grown)),
        ("==", I * third),
        ("<=", third, show(I, "<=", 1)),
    )
    second = calc(
        chosen * (4 * gamma * J_s * back),
        ("==", 4 * gamma * settled_s * (I * back) * J_s),
        ("<=", 4 * gamma * settled_s * (I * back) * J_end, end_s),
        ("<=", 4 * gamma * settled_s * part_s * J_end, near),
        ("<=", 4 * gamma * part_s * J_end, show(settled_s, "<=", 1)),
        ("<=", third),
    )
    last = Y_0 * (I * V)
    falls = calc(
        last,
        ("<=", Y_0 * (I * low_below.args[1]), times(Y_0, V_falls), times(Y_0, two)),
        ("==", I * part_0),
        ("<=", part_0, show(I, "<=", 1)),
    )
    rest_of_it = calc(
        chosen * ((1 + 2 * gamma * J_s) * (V * Y_0)),
        ("==", settled_s * last * (1 + 2 * gamma * J_s)),
        ("<=", settled_s * last * (1 + 2 * gamma * J_end), end_s),
        ("<=", last * (1 + 2 * gamma * J_end), show(settled_s, "<=", 1)),
        ("<=", part_0 * (1 + 2 * gamma * J_end), falls),
        ("==", third),
    )
    ends = calc(
        1 - k * (t_0 + now) * loss,
        ("==", 1 - k * (t_0 + now) * V, loss_is_V()),
        ("<=", 1 - k * now * V),
        ("<=", 2 * gamma * (J - J_s) + 4 * gamma * J_s * back + (1 + 2 * gamma * J_s) * (V * Y_0), lower()),
    )
    return calc(
        chosen * ends.lhs,
        ("<=", chosen * ends.rhs, times(chosen, ends)),
        ("==", first.lhs + second.lhs + rest_of_it.lhs),
        ("<=", third + third + third, first, second, rest_of_it),
        ("==", eps),
    )
