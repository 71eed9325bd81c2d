"""The orthant U_ii >= 0, u > 0 in an eigenbasis of the covariance, which the flow with infinite
prompts does not leave from a start of Assumption 5.1, as long as u stays above a bound; in every
dimension.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import D_, cauchy_schwarz, exp, sqrt
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, instantiate, limit
from numerics.derivations.kernel.sorts import NONNEGATIVE
from numerics.derivations.kernel.terms import CLOCK, START, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.eigenbasis import (
    U_,
    B,
    U,
    at_start,
    balance_is_kept,
    delta,
    eigenvalues,
    f,
    flow,
    l,
    pairs,
    picks,
    squares,
    t,
    trace,
    u,
    u_,
)
from proofs_check.derivations.linear_attention.matrices import a, d, i, j, over
from proofs_check.derivations.linear_attention.polyak_lojasiewicz import (
    N,
    Theta,
    gram,
    largest,
    norm,
    s,
    start,
    top,
)

now, eta = CLOCK(t), D_ / (1 + D_)
#: What bounds 1/phi^2, the bound of u that it gives, and the barrier.
A = 2 * top**3 / N**3 + 1 / (N * s) ** 2
least_u = 1 / (2 * N * sqrt(A))
barrier = assume("u stays above half of its bound", -u, "<=", -(least_u / 2), every=(t,))
above = show(least_u / 2, "<=", u, barrier)
not_negative = show(0, "<=", u, above)
entry = l(i) * l(j) * delta(i, j)
tau = pairs(entry * U)
phi = N * u + tau


@cache
def balanced() -> Theorem:
    """|U| = u."""
    first = show(U_(i, j, START) ** 2, "==", (s * gram) ** 2, start[0], gram)
    kept = calc(
        balance_is_kept(),
        ("==", s**2 * pairs(gram**2) - u_(START) ** 2, first),
        ("==", s**2 - u_(START) ** 2, start[2]),
        ("==", 0, start[1]),
    )
    return show(pairs(U**2), "==", u**2, kept)


@cache
def weight() -> Theorem:
    """The sum of the squares of l_i l_j delta_ij is N^2."""
    picked = instantiate(picks, {f: ((j,), l(j))})
    return calc(
        pairs(entry**2),
        ("==", pairs((l(i) * l(j)) ** 2 * delta(i, j)), squares),
        ("==", trace(l(i) ** 2 * picked.lhs)),
        ("==", trace(l(i) ** 4), picked),
        ("==", N**2, norm),
    )


@cache
def tau_at_most() -> Theorem:
    """tau <= N u, by the inequality of Cauchy and Schwarz."""
    squared = calc(
        cauchy_schwarz("coordinates", (i, j), entry, U, (d, d)),
        ("==", N**2 * pairs(U**2), weight()),
        ("==", (N * u) ** 2, balanced()),
    )
    return show(tau, "<=", N * u, squared, not_negative, tau)


quartic = pairs(l(i) ** 2 * l(j) * U**2)


@cache
def slope_of_u() -> Theorem:
    """du/dt = tau - u Q."""
    return calc(u_.rate(t), ("==", -pairs(l(i) * l(j) * B * U), flow[1]), ("==", tau - u * quartic))


@cache
def not_larger() -> Theorem:
    """u <= s e^{Nt}, as du/dt <= tau <= N u."""
    e = exp(-N * now) * u
    positive = show(0, "<=", l(i) ** 2 * l(j) * U**2, instantiate(eigenvalues, {i: j}), U)
    Q = show(0, "<=", quartic, positive)
    rate = calc(
        u_.rate(t),
        ("==", tau - u * quartic, slope_of_u()),
        ("<=", N * u, tau_at_most(), Q, not_negative, tau, quartic),
    )
    fallen = antitone(
        e, t, calc(derivative(e, t), ("==", exp(-N * now) * (u_.rate(t) - N * u)), ("<=", 0, rate))
    )
    fallen = calc(fallen, ("==", s, begin(), start[1]))
    return calc(u, ("==", exp(N * now) * e), ("<=", exp(N * now) * s, fallen))


#: A diagonal entry.
v = U_(i, i, t)


@cache
def _first() -> Theorem:
    """(U_ii^2 + D^2)^{1/2} - U_ii is at most D at the start, where U_ii >= 0."""
    row, first, x = over((a,), Theta(i, a) ** 2), at_start(v), Variable("x_", range=NONNEGATIVE)
    begins = show(first, "==", s * row, instantiate(start[0], {j: i}))
    line = instantiate(show(sqrt(x**2 + D_**2), "<=", x + D_), {x: s * row})
    root = sqrt(first**2 + D_**2)
    most = calc(
        root,
        ("==", sqrt((s * row) ** 2 + D_**2), begins),
        ("<=", s * row + D_, line),
        ("==", first + D_, begins),
    )
    return calc(root - first, ("<=", first + D_ - first, most), ("==", D_))


@cache
def orthant() -> Theorem:
    """U_ii >= 0 stays so: F = (U_ii^2 + D^2)^{1/2} - U_ii, which is at most D at the start, has
    dF/dt <= u^2 l_i^3 F, so that F exp(-k e^{2Nt}) falls for k = s^2 top^3/(2N); and D tends to 0.
    """
    r, dv = sqrt(v**2 + D_**2), U_.rate(i, i, t)
    F, growth = r - v, exp(2 * N * now)
    k = s**2 * top**3 / (2 * N)
    e = exp(-k * growth) * F
    move = instantiate(flow[0], {j: i})
    one = show(0, "<=", delta(i, i), instantiate(squares, {j: i}))
    gain = show(0, "<=", u * l(i) ** 2 * delta(i, i), not_negative, one)
    back = calc(
        -dv,
        ("==", u**2 * l(i) ** 3 * v - u * l(i) ** 2 * delta(i, i), move),
        ("<=", u**2 * l(i) ** 3 * v, gain),
    )
    cube = show(l(i) ** 3, "<=", top**3, largest, eigenvalues)
    root = exp(N * now) * s
    square = calc(u**2, ("<=", root**2, not_larger(), not_negative, root), ("==", growth * s**2))
    cubic, bound = l(i) ** 3, growth * s**2
    most = calc(
        u**2 * cubic,
        ("<=", bound * cubic, square, show(0, "<=", cubic, eigenvalues), u**2, cubic, bound),
        ("<=", bound * top**3, cube, cubic, bound),
    )
    inside, outside = (
        calc(sign * v, ("<=", sqrt(v**2)), ("<=", r, show(v**2, "<=", v**2 + D_**2))) for sign in (1, -1)
    )
    share = F / r
    positive = show(0, "<=", F, inside, r)
    small = show(0, "<=", share, positive, F, r)
    step = calc(
        -dv * share,
        ("<=", u**2 * cubic * v * share, back, small, dv, share, u**2 * cubic * v),
        ("==", u**2 * cubic * F * (v / r)),
        (
            "<=",
            u**2 * cubic * F,
            show(v / r, "<=", 1, inside, r),
            positive,
            show(0, "<=", u**2 * cubic, show(0, "<=", cubic, eigenvalues), u**2, cubic),
            u**2 * cubic,
            F,
            v / r,
        ),
        ("<=", bound * top**3 * F, most, positive, u**2 * cubic, F, bound * top**3),
    )
    weighted, slope = exp(-k * growth), 2 * N * k * growth
    toward, back_again = -dv * share, slope * F
    inner = calc(
        toward - back_again,
        ("<=", bound * top**3 * F - back_again, step, toward, bound * top**3 * F, back_again),
        ("==", 0),
    )
    rate = calc(
        derivative(e, t),
        ("==", weighted * (toward - back_again)),
        ("<=", 0, inner, weighted, toward, back_again),
    )
    at_0 = at_start(exp(-k * growth))
    fallen = calc(
        antitone(e, t, rate),
        ("<=", at_0 * D_, _first(), at_0, at_start(F)),
        ("<=", D_, show(at_0, "<=", 1), at_0),
    )
    near = calc(
        -2 * v,
        ("<=", F, outside, r),
        ("==", exp(k * growth) * e),
        ("<=", exp(k * growth) * D_, fallen),
    )
    return show(0, "<=", v, limit(near, D_, 0, exp(k * growth)))
