"""R5: from every start of Assumption 5.1 the flow with infinite prompts keeps away from the
saddles, where u = 0; in an eigenbasis of the covariance and in every dimension.

With tau = tr(S U S) and N = |S^2| the number phi = N u + tau grows like e^{Nt} where it is small,
and it is at most 2 N u. Until that is shown, a barrier for u is assumed, which the bound exceeds.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import D_, chain, exp, sqrt
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, begin, continuation, instantiate, limit
from numerics.derivations.kernel.terms import START
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.eigenbasis import (
    U_,
    U,
    at_start,
    delta,
    eigenvalues,
    f,
    flow,
    l,
    pairs,
    picks,
    t,
    trace,
    u,
    u_,
)
from proofs_check.derivations.linear_attention.matrices import i, j
from proofs_check.derivations.linear_attention.orthant import (
    A,
    above,
    balanced,
    barrier,
    entry,
    eta,
    least_u,
    not_negative,
    now,
    orthant,
    phi,
    quartic,
    slope_of_u,
    tau,
    tau_at_most,
    v,
    weight,
)
from proofs_check.derivations.linear_attention.polyak_lojasiewicz import (
    N,
    largest,
    s,
    start,
    top,
)


@cache
def tau_by_the_diagonal() -> Theorem:
    """tau is the sum of l_i^2 U_ii."""
    picked = instantiate(picks, {f: ((j,), U)})
    return calc(tau, ("==", trace(l(i) * picked.lhs)), ("==", trace(l(i) ** 2 * v), picked))


@cache
def tau_not_negative() -> Theorem:
    """tau >= 0 in the orthant."""
    each = show(0, "<=", l(i) ** 2 * v, orthant())
    return calc(0, ("<=", trace(l(i) ** 2 * v), each), ("==", tau, tau_by_the_diagonal()))


@cache
def slope_of_tau() -> Theorem:
    """-d tau/dt <= u^2 top^3 tau - N^2 u."""
    picked = instantiate(picks, {f: ((j,), l(j) * U)})
    fifth = pairs(l(i) ** 3 * l(j) ** 2 * delta(i, j) * U)
    each = show(
        entry * U_.rate(i, j, t),
        "==",
        u * entry**2 - u**2 * (l(i) ** 3 * l(j) ** 2 * delta(i, j) * U),
        flow[0],
    )
    cube = show(l(i) ** 3, "<=", top**3, largest, eigenvalues)
    less = show(
        l(i) ** 3 * (l(i) ** 2 * v),
        "<=",
        top**3 * (l(i) ** 2 * v),
        cube,
        show(0, "<=", l(i) ** 2 * v, orthant()),
        l(i) ** 3,
        l(i) ** 2 * v,
    )
    small = calc(
        fifth,
        ("==", trace(l(i) ** 3 * picked.lhs)),
        ("==", trace(l(i) ** 3 * (l(i) ** 2 * v)), picked),
        ("<=", top**3 * trace(l(i) ** 2 * v), less),
        ("==", top**3 * tau, tau_by_the_diagonal()),
    )
    return calc(
        -derivative(tau, t),
        ("==", u**2 * fifth - u * pairs(entry**2), each),
        ("==", u**2 * fifth - u * N**2, weight()),
        ("<=", u**2 * (top**3 * tau) - u * N**2, small, u**2),
    )


@cache
def slope_of_phi() -> Theorem:
    """-d phi/dt <= -N phi + 2 top^3 phi^3/N^2."""
    cube = show(
        l(i) ** 2 * l(j),
        "<=",
        top**3,
        largest,
        eigenvalues,
        instantiate(largest, {i: j}),
        instantiate(eigenvalues, {i: j}),
    )
    Q = calc(
        quartic,
        (
            "<=",
            pairs(top**3 * U**2),
            show(l(i) ** 2 * l(j) * U**2, "<=", top**3 * U**2, cube, l(i) ** 2 * l(j), U),
        ),
        ("==", top**3 * pairs(U**2)),
        ("==", top**3 * u**2, balanced()),
    )
    x = N * u
    below = show(x, "<=", phi, tau_not_negative(), tau)
    cubes = show(x**3, "<=", phi**3, below, not_negative, phi)
    return calc(
        -derivative(phi, t),
        ("==", -N * u_.rate(t) - derivative(tau, t)),
        ("<=", -N * (tau - u * quartic) + u**2 * (top**3 * tau) - u * N**2, slope_of_u(), slope_of_tau()),
        (
            "<=",
            -N * (tau - u * (top**3 * u**2)) + u**2 * (top**3 * tau) - u * N**2,
            Q,
            not_negative,
            quartic,
            tau,
        ),
        ("<=", -N * (tau - u * (top**3 * u**2)) + u**2 * (top**3 * (N * u)) - u * N**2, tau_at_most(), tau),
        ("==", -N * phi + 2 * top**3 / N**2 * x**3),
        ("<=", -N * phi + 2 * top**3 / N**2 * phi**3, cubes, x**3, phi),
    )


@cache
def inverse_square() -> Theorem:
    """1 <= A phi^2: the derivative of G = 1/(phi^2 + eta) is at most 2N(g - G) for g = 2 top^3/N^3
    + eta/R^2, where phi^2 >= R under the barrier, and eta tends to 0.
    """
    R, c, x = (N * least_u / 2) ** 2, 2 * top**3 / N**2, N * u
    g, dphi, P2 = c / N + eta / R**2, derivative(phi, t), phi**2
    G, growth = 1 / (P2 + eta), exp(2 * N * now)
    below = show(x, "<=", phi, tau_not_negative(), tau)
    far = show(N * least_u / 2, "<=", phi, below, above, least_u, phi)
    room = show(R, "<=", P2, far, N * least_u / 2, phi)
    Y = P2 + eta
    fast = calc(
        phi * -dphi,
        ("<=", phi * (-N * phi + c * phi**3), slope_of_phi(), show(0, "<=", phi, far), phi, -dphi),
        ("==", -N * P2 + c * P2**2),
        ("<=", -N * Y + N * eta + c * Y**2, phi),
    )
    larger = show(R, "<=", Y, room, R, P2)
    rest = show(eta / Y**2, "<=", eta / R**2, larger, R, Y, eta)
    rise = calc(
        2 * N * G + derivative(G, t),
        ("==", 2 * N / Y + 2 * (phi * -dphi) / Y**2),
        ("<=", 2 * N / Y + 2 * (-N * Y + N * eta + c * Y**2) / Y**2, fast, Y, phi * -dphi),
        ("==", 2 * N * (c / N + eta / Y**2)),
        ("<=", 2 * N * g, rest),
    )
    e = growth * (G - g)
    slope = calc(
        derivative(e, t),
        ("==", growth * (2 * N * G + derivative(G, t) - 2 * N * g)),
        ("<=", 0, rise, growth, 2 * N * G + derivative(G, t), g),
    )
    first, begins = at_start(Y), instantiate(below, {t: START})
    far_at_0 = calc(
        (N * s) ** 2,
        ("==", at_start(x) ** 2, start[1]),
        ("<=", at_start(phi) ** 2, begins, start[1], at_start(phi)),
        ("<=", first, at_start(P2)),
    )
    small_at_0 = show(1 / first, "<=", 1 / (N * s) ** 2, far_at_0, first)
    fallen = calc(
        antitone(e, t, slope),
        ("==", 1 / first - g, begin()),
        ("<=", 1 / (N * s) ** 2, small_at_0, 1 / first, g),
    )
    decay = exp(-2 * N * now)
    size = calc(
        G,
        ("==", g + decay * e),
        ("<=", g + decay * (1 / (N * s) ** 2), fallen, e, decay, g),
        ("<=", g + 1 / (N * s) ** 2, show(decay, "<=", 1), decay, g),
        ("==", A + eta / R**2),
    )
    near = calc(
        1,
        ("==", Y * G, Y),
        ("<=", Y * (A + eta / R**2), size, Y, G, A, R),
        ("<=", A * P2 + D_ * (A + P2 / R**2 + 1 / R**2), P2, A, R),
    )
    return limit(near, D_, A * P2, A + P2 / R**2 + 1 / R**2)


@cache
def keeps_away() -> Theorem:
    """u >= 1/(2 N A^{1/2}) at every time: this exceeds half of it, and s does at the start."""
    most = calc(
        1,
        ("<=", A * phi**2, inverse_square()),
        (
            "<=",
            A * (2 * N * u) ** 2,
            show(phi**2, "<=", (2 * N * u) ** 2, _phi_at_most(), _phi(), phi),
            A,
            phi**2,
        ),
        ("==", A * (2 * N) ** 2 * u**2, A),
    )
    far = show(least_u, "<=", u, most, not_negative, A)
    inside = calc(-u, ("<=", -least_u, far))
    below = show(-least_u, "<", -(least_u / 2), least_u)
    (own,) = barrier.assumptions
    root = show(1 / (N * s), "<=", sqrt(A))
    begins = calc(-u_(START), ("==", -s, start[1]), ("<=", -(least_u / 2), root, sqrt(A)))
    kept = continuation(own, t, inside, below, begins, inside)
    back = calc(-1 * -least_u, ("<=", -1 * -u, kept))
    return chain(least_u, back, u)


def _phi_at_most() -> Theorem:
    return show(phi, "<=", 2 * N * u, tau_at_most(), tau)


def _phi() -> Theorem:
    return show(0, "<=", phi, tau_not_negative(), not_negative, tau)
