"""R5: the flow does not leave the orthant u >= 0, U_ii >= 0 of an eigenbasis, which is derived for
the sums over the range of S.

With p(x) = (x^2 + D^2)^{1/2} - x, which is at least -2x and 0, F = p(u) + sum_i l_i^2 p(U_ii) grows
at a rate of at most a constant times F, and is at most a multiple of D at the start; and D tends to
0.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import D_, exp, sqrt
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, instantiate, limit
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS
from numerics.derivations.kernel.terms import CLOCK, START, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import product, times
from proofs_check.derivations.linear_attention import reading_off
from proofs_check.derivations.linear_attention.bounded_flow import (
    finite,
    inverse,
    limit_statements,
    m,
    not_negative,
    r,
    seen,
    square_of_U,
    square_of_u,
)
from proofs_check.derivations.linear_attention.eigenbasis import (
    U_,
    U,
    at_start,
    delta,
    eigenvalues,
    h,
    in_range,
    l,
    pairs,
    t,
    trace,
    u,
    u_,
    zero_or_one,
)
from proofs_check.derivations.linear_attention.matrices import i, j

now, v = CLOCK(t), U_(i, i, t)
#: Bounds of u^2 and |U_r|^2, and of all l_i l_j m_i.
ball, top = Variable("ball", range=POSITIVE), Variable("cap", range=POSITIVE)
in_the_ball = (
    assume("ball is at least the bound of u^2", limit_statements()[0].rhs, "<=", ball),
    assume("ball is at least the bound of |U_r|^2", limit_statements()[1].rhs, "<=", ball),
)
largest = assume("cap is the largest l_i l_j m_i", l(i) * l(j) * m(i), "<=", top, every=(i, j))
starts = (
    assume("u(0) >= 0", 0, "<=", u_(START)),
    assume("the diagonal of S U(0) S is not negative", 0, "<=", l(i) ** 2 * U_(i, i, START), every=(i,)),
)

K, tau, Q = trace(l(i) ** 4), trace(l(i) ** 2 * v), pairs(l(i) * l(j) * m(i) * U**2)
Lambda = trace(l(i) ** 4 * m(i) * v)
q_max = top * ball
x_ = Variable("x_", range=REALS)


def root(x: Term) -> Term:
    return sqrt(x**2 + D_**2)


def below(x: Term) -> Term:
    """p(x)."""
    return root(x) - x


@cache
def of_root() -> tuple[Theorem, Theorem]:
    """x and -x are at most (x^2 + D^2)^{1/2}."""
    more = show(x_**2, "<=", x_**2 + D_**2)
    one, other = (calc(e, ("<=", sqrt(x_**2)), ("<=", root(x_), more)) for e in (x_, -x_))
    return one, other


@cache
def of_p(x: Term) -> tuple[Theorem, Theorem, Theorem, Theorem]:
    """0 <= p(x), -2x <= p(x), and 0 <= p/r <= 2 and x p/r <= p with r = (x^2 + D^2)^{1/2}."""
    above, under = (instantiate(thm, {x_: x}) for thm in of_root())
    p, r = below(x), root(x)
    positive = show(0, "<=", p, above, r)
    far = show(-2 * x, "<=", p, under, r)
    twice = calc(p / r, ("<=", (r + r) / r, under), ("==", 2, r))
    share = calc(
        x * (p / r), ("==", p * (x / r)), ("<=", p, show(x / r, "<=", 1, above, r), positive, p, x / r)
    )
    return positive, far, twice, share


@cache
def speed_is_not_negative() -> Theorem:
    """l_i m_i >= 0, as l_i m_i = l_i r_i m_i^2."""
    square = l(i) * r(i) * m(i) ** 2
    positive = show(0, "<=", square, eigenvalues, not_negative)
    return calc(positive, ("==", l(i) * r(i) * m(i) * m(i)), ("==", l(i) * m(i), inverse))


@cache
def bounds() -> tuple[Theorem, Theorem, Theorem]:
    """0 <= Q <= top ball, and u^2 <= ball."""
    l_j, cell = instantiate(eigenvalues, {i: j}), l(i) * l(j) * m(i)
    positive = calc(0, ("<=", l(i) * m(i) * l(j), speed_is_not_negative(), l_j, l(i) * m(i)), ("==", cell))
    part = h(i) * h(j) * U**2
    h_i = calc(0, ("<=", h(i) ** 2), ("==", h(i), zero_or_one))
    inside = product(h(i), h(j) * U**2, h_i, product(h(j), U**2, instantiate(h_i, {i: j})))
    each = calc(
        cell * U**2,
        ("==", h(i) * l(i) * (l(j) * m(i) * U**2), in_range),
        ("==", h(i) * (h(j) * l(j)) * (l(i) * m(i) * U**2), instantiate(in_range, {i: j})),
        ("==", part * cell),
        ("<=", part * top, times(part, largest, inside)),
    )
    whole = calc(
        Q,
        ("<=", pairs(part * top), each),
        ("==", top * seen),
        ("<=", top * ball, calc(square_of_U(), ("<=", ball, in_the_ball[1]))),
    )
    terms = times(U**2, positive)
    least = calc(0, ("<=", Q, show(0, "<=", cell * U**2, terms)))
    return least, whole, calc(square_of_u(finite), ("<=", ball, in_the_ball[0]))


@cache
def slopes() -> tuple[Theorem, Theorem]:
    """du/dt = tau - u Q, and dU_ii/dt = u l_i^2 - u^2 l_i^2 m_i U_ii."""
    moved_U, moved_u = finite.flow
    one = calc(
        u_.rate(t),
        ("==", reading_off.mixed - u * Q, moved_u),
        ("==", tau - u * Q, reading_off.trace_of_the_product(), reading_off.mixed, Q),
    )
    other = calc(
        U_.rate(i, i, t),
        ("==", u * l(i) ** 2 * delta(i, i) - u**2 * (l(i) ** 2 * m(i) * v), instantiate(moved_U, {j: i})),
        ("==", u * l(i) ** 2 - u**2 * (l(i) ** 2 * m(i) * v), reading_off.ones),
    )
    return one, other


P, G, growth = below(u), trace(l(i) ** 2 * below(v)), 1 + q_max + K
F = P + G


@cache
def of_u() -> Theorem:
    """dp(u)/dt <= G + top ball p(u)."""
    positive, _, twice, share = of_p(u)
    y, (_, Q_most, _) = P / root(u), bounds()
    least_y, under = show(0, "<=", y, positive, root(u)), below_tau()
    parts = calc(
        -tau * y,
        ("<=", G / 2 * y, times(y, under, least_y)),
        ("<=", G / 2 * 2, times(G / 2, twice, positive_G())),
        ("==", G),
    )
    other = calc(
        Q * (u * y),
        ("<=", Q * P, times(Q, share, bounds()[0])),
        ("<=", q_max * P, times(P, Q_most, positive)),
    )
    return calc(
        derivative(P, t),
        ("==", -u_.rate(t) * y),
        ("==", -(tau - u * Q) * y, slopes()[0], y, tau, Q),
        ("==", -tau * y + Q * (u * y)),
        ("<=", G + q_max * P, parts, other),
    )


@cache
def below_tau() -> Theorem:
    """-tau <= G/2."""
    each = times(l(i) ** 2, of_p(v)[1])
    total = calc(-2 * tau, ("==", trace(l(i) ** 2 * (-2 * v))), ("<=", G, each))
    return show(-tau, "<=", G / 2, total, tau, G)


@cache
def positive_G() -> Theorem:
    half = show(0, "<=", l(i) ** 2 * below(v), times(l(i) ** 2, of_p(v)[0]))
    return show(0, "<=", G / 2, calc(0, ("<=", G, half)), G)


@cache
def of_the_diagonal() -> Theorem:
    """dG/dt <= K p(u) + top ball G."""
    p_i, far_u, square = below(v), of_p(u)[1], bounds()[2]
    positive, _, twice, share = of_p(v)
    y, speed = p_i / root(v), l(i) ** 2 * m(i)
    least_y = show(0, "<=", y, positive, root(v))
    away = show(-u, "<=", P / 2, far_u, P)
    toward = calc(
        -u * y,
        ("<=", P / 2 * y, times(y, away, least_y)),
        ("<=", P / 2 * 2, times(P / 2, twice, show(0, "<=", P / 2, of_p(u)[0], P))),
        ("==", P),
    )
    fast = calc(
        0, ("<=", l(i) * (l(i) * m(i)), times(l(i), speed_is_not_negative(), eigenvalues)), ("==", speed)
    )
    slow = show(speed, "<=", top, instantiate(largest, {j: i}))
    back = calc(
        u**2 * speed * (v * y),
        ("<=", u**2 * speed * p_i, times(u**2 * speed, share, product(u**2, speed, fast))),
        ("<=", u**2 * top * p_i, times(u**2 * p_i, slow, product(u**2, p_i, positive))),
        ("<=", ball * top * p_i, times(top * p_i, square, product(top, p_i, positive))),
    )
    each = calc(
        l(i) ** 2 * derivative(p_i, t),
        ("==", -(l(i) ** 2) * U_.rate(i, i, t) * y),
        ("==", l(i) ** 4 * (-u * y) + l(i) ** 2 * (u**2 * speed * (v * y)), slopes()[1], y),
        ("<=", l(i) ** 4 * P + l(i) ** 2 * back.rhs, times(l(i) ** 4, toward), times(l(i) ** 2, back)),
    )
    return calc(
        derivative(G, t), ("==", trace(each.lhs)), ("<=", trace(each.rhs), each), ("==", K * P + q_max * G)
    )


most = exp(growth * now) * (1 + trace(l(i) ** 2))


@cache
def stays_small() -> Theorem:
    """F <= D e^{growth t} (1 + sum_i l_i^2)."""
    weight = exp(-growth * now)
    e = weight * F
    P_positive, G_positive = of_p(u)[0], show(0, "<=", G, positive_G(), G)
    rate = calc(
        derivative(F, t),
        ("==", derivative(P, t) + derivative(G, t)),
        ("<=", G + q_max * P + (K * P + q_max * G), of_u(), of_the_diagonal()),
        ("<=", growth * F, P_positive, product(K, G, G_positive), P, G, K),
    )
    slope = calc(
        derivative(e, t),
        ("==", weight * (derivative(F, t) - growth * F)),
        ("<=", 0, rate, weight, derivative(F, t), growth * F),
    )
    x, y = (Variable(f"{name}_", range=NONNEGATIVE) for name in "xy")
    line = show(sqrt(x**2 + y**2), "<=", x + y)
    first = calc(
        at_start(P),
        ("<=", u_(START) + D_ - u_(START), instantiate(line, {x: u_(START), y: D_}, starts[0])),
        ("==", D_),
    )
    part, far = l(i) ** 2 * U_(i, i, START), l(i) ** 2 * D_
    scaled = show((l(i) ** 2 * at_start(root(v))) ** 2, "<=", part**2 + far**2)
    each = calc(
        l(i) ** 2 * at_start(below(v)),
        ("==", l(i) ** 2 * at_start(root(v)) - part),
        (
            "<=",
            sqrt(part**2 + far**2) - part,
            show(l(i) ** 2 * at_start(root(v)), "<=", sqrt(part**2 + far**2), scaled),
        ),
        ("<=", part + far - part, instantiate(line, {x: part, y: far}, starts[1])),
        ("==", far),
    )
    begins = calc(
        antitone(e, t, slope),
        ("==", at_start(P) + at_start(G), begin()),
        ("<=", D_ + trace(l(i) ** 2 * D_), first, each),
        ("==", D_ * (1 + trace(l(i) ** 2))),
    )
    return calc(
        F, ("==", exp(growth * now) * e), ("<=", exp(growth * now) * begins.rhs, begins), ("==", D_ * most)
    )


@cache
def orthant() -> tuple[Theorem, Theorem, Theorem]:
    """u >= 0, tau >= 0 and sum_i l_i^4 m_i U_ii <= top tau."""
    P_positive, G_positive = of_p(u)[0], show(0, "<=", G, positive_G(), G)
    P_small = calc(P, ("<=", F, G_positive), ("<=", D_ * most, stays_small()))
    G_small = calc(G, ("<=", F, P_positive), ("<=", D_ * most, stays_small()))
    one = calc(-2 * u, ("<=", P, of_p(u)[1]), ("<=", 0 + D_ * most, P_small))
    two = calc(-tau, ("<=", G / 2, below_tau()), ("<=", 0 + D_ * (most / 2), G_small))
    speed, more = l(i) ** 2 * m(i), v + below(v) / 2
    fast = calc(
        0, ("<=", l(i) * (l(i) * m(i)), times(l(i), speed_is_not_negative(), eigenvalues)), ("==", speed)
    )
    least = show(0, "<=", more, of_p(v)[1], below(v))
    larger = show(v, "<=", more, of_p(v)[0], below(v))
    each = calc(
        l(i) ** 4 * m(i) * v,
        ("==", l(i) ** 2 * (speed * v)),
        ("<=", l(i) ** 2 * (speed * more), times(l(i) ** 2, times(speed, larger, fast))),
        (
            "<=",
            l(i) ** 2 * (top * more),
            times(l(i) ** 2, times(more, show(speed, "<=", top, instantiate(largest, {j: i})), least)),
        ),
    )
    three = calc(
        Lambda,
        ("<=", trace(l(i) ** 2 * (top * more)), each),
        ("==", top * tau + top / 2 * G),
        ("<=", top * tau + D_ * (top / 2 * most), G_small),
    )
    return (
        show(0, "<=", u, limit(one, D_, 0, most)),
        show(0, "<=", tau, limit(two, D_, 0, most / 2), tau),
        limit(three, D_, top * tau, top / 2 * most),
    )
