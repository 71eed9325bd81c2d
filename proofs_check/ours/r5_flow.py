"""R5: the gradient flow of in-context linear regression with infinite prompts, for any covariance:
what it conserves, that it stays bounded, and where it ends. The steps are proved entry by entry in
an eigenbasis, and the limit is also found by integrating the flow.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import sympy as sp
from sympy import Rational, oo, sqrt

from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import computed, forall, identity, trace_identity
from numerics.provers.eigenbasis import U_ij, bracket, delta, entrywise, identities, l_i, l_j, m_i, motion, slope, u
from numerics.regression.flow.starts import Start, any_starts, ends_at, keeps, positive_starts
from proofs_check.core.claim import claim
from proofs_check.instances.fixed_point import stands_still
from theory.regression.limit import limit_parameters
from theory.regression.risk import vector_field
from theory.symbolic.algebra import Algebra, Words

gamma, T = sp.symbols("gamma T", positive=True)
e = sp.Symbol("e", real=True)  # c - b
LOJASIEWICZ = "Lojasiewicz (1963): a bounded gradient trajectory of a real-analytic function converges to a critical point"


def parameters(d: int) -> tuple[sp.Matrix, sp.Matrix]:
    """Return a symmetric S and a general U with an indeterminate for every free entry."""
    S = sp.Matrix(d, d, lambda i, j: sp.Symbol(f"s_{min(i, j)}{max(i, j)}", real=True))
    return S, sp.Matrix(d, d, lambda i, j: sp.Symbol(f"U_{i}{j}", real=True))


def formula(start: Start) -> tuple[np.ndarray, float]:
    """Return what `limit_parameters` says of a start."""
    noise = start.noise if start.prompt_length else None
    p = limit_parameters(start.Sigma, U0=start.U0, u0=start.u0, prompt_length=start.prompt_length, noise=noise)
    return p.U[:-1, :-1], float(p.V[-1, -1])


def times(factor: Rational) -> Callable[[Start], tuple[np.ndarray, float]]:
    """Return what `limit_parameters` says of a start, U multiplied by a factor."""

    def scaled(start: Start) -> tuple[np.ndarray, float]:
        U, u = formula(start)
        return float(factor) * U, u

    return scaled


@claim("OURS:R5.cons/gradient", control=dict(two=3))
def the_field_is_minus_the_gradient_of_the_risk(*, two: int = 2) -> Evidence:
    """R = (u^2 tr(U S U' S S_L) - two u tr(S U S) + tr S)/2, two = 2, has the gradients u S (u S_L
    U - I) S and tr((u S_L U - I) S U' S), for every d and every S_L = a S + b I: R is quadratic in
    U and in u, and what the gradients leave of a step E or v is of second order.
    """
    A = Algebra(general=["U", "E"], symmetric=["S"], params=["u", "v", "a", "b"])
    U, E, S, u, v, a, b = (A[name] for name in ("U", "E", "S", "u", "v", "a", "b"))
    S_L = a * S + b * A.I

    def risk(U: Words, u: Words) -> Words:
        return (u * u * (U * S * U.T * S * S_L).tr() - two * u * (S * U * S).tr() + S.tr()) / 2

    bracket = u * S_L * U - A.I
    in_U, in_u = u * S * bracket * S, (bracket * S * U.T * S).tr()
    return all_of(
        trace_identity(risk(U + E, u) - risk(U, u), (E.T * in_U).tr() + u * u * (E * S * E.T * S * S_L).tr() / 2),
        trace_identity(risk(U, u + v) - risk(U, u), v * in_u + v * v * (U * S * U.T * S * S_L).tr() / 2),
    )


@claim("OURS:R5.cons/entries", control=dict(factor=2))
def the_entries_of_the_field_in_an_eigenbasis(*, factor: int = 1) -> Evidence:
    """The field of sizes 1, 2, 3 at S = diag(l): entry (i, j) is factor u l_i l_j (delta - u m_i
    U_ij) with factor = 1; du/dt is the sum of summands.
    """
    L = sp.Symbol("L", positive=True)
    parts = []
    for d in (1, 2, 3):
        l, (_, U) = sp.symbols(f"l_0:{d}", positive=True), parameters(d)
        m = [(1 + 1 / L) * x + sum(l) / L for x in l]
        moved, moving = vector_field(sp.diag(*l), U, u, prompt_length=L)
        field = [*(computed(rf"\dot U_{{{k // d}{k % d}}}", x) for k, x in enumerate(moved)), computed(r"\dot u", moving)]
        cells = [{l_i: l[i], l_j: l[j], m_i: m[i], U_ij: U[i, j], delta: int(i == j)} for i in range(d) for j in range(d)]
        entries, summands = ([f.subs(cell, simultaneous=True) for cell in cells] for f in (motion, slope))
        parts.append(identity(field, [*(factor * x for x in entries), sum(summands)]))
    return all_of(*parts).replace(dimension="d = 1, 2, 3")


@claim(
    "OURS:R5.cons",
    control=(dict(factor=2), dict(taken=2)),
    needs=("OURS:R5.cons/gradient",),
    argument="By the chain rule d/dt |U|^2 = 2 tr(U' dU/dt), and d/dt P(U) = P(dU/dt), as P is linear; that this is the flow of "
    "the infinite-prompt risk is R5.cons/gradient at S_L = S.",
)
def two_conserved_quantities(*, factor: int = 1, taken: int = 1) -> Evidence:
    """tr(U' dU/dt) = factor u du/dt with factor = 1, and dU/dt = taken S S^+ dU/dt S S^+, taken =
    1, for every d and every S, singular or not; then |U|^2 - u^2 and P(U) along integrated paths.
    """
    A = Algebra(general=["U"], symmetric=["S", "G", "P"], params=["u"], pseudo_inverse=[("S", "G", "P")])
    U, S, P, u = (A[name] for name in ("U", "S", "P", "u"))
    bracket = u * S * U - A.I
    moved, moving = -u * S * bracket * S, -(bracket * S * U.T * S).tr()
    balance = trace_identity((U.T * moved).tr(), factor * u * moving)
    return confirmed(identities(balance, trace_identity(moved, taken * P * moved * P)), keeps(any_starts()[::2]))


# The limit


@claim(
    "OURS:R5.limit/orthant",
    control=dict(power=3),
    needs=("OURS:R5.cons/entries",),
    argument="The entries of the field in an eigenbasis of S are read off from the matrix products, in every dimension.",
)
def the_orthant_is_kept(*, power: int = 2) -> Evidence:
    """On the diagonal dU_ii/dt + (u^power l^2 m) U_ii = u l^2 with power = 2, and du/dt + Q u = sum
    l^2 U_ii with Q the sum of l_i l_j m_i U_ij^2.
    """
    diagonal = identity((motion + u**power * l_i * l_j * m_i * U_ij).subs({l_j: l_i, delta: 1}), u * l_i**2)
    scalar = entrywise(slope + u * l_i * l_j * m_i * U_ij**2, l_i * l_j * U_ij * delta)
    return all_of(diagonal, scalar)


@claim(
    "OURS:R5.limit/square",
    control=dict(power=3),
    argument="The summands are those of the traces in an eigenbasis of S, in every dimension.",
)
def the_risk_is_a_sum_of_squares(*, power: int = 2) -> Evidence:
    """R - min R = (1/2) sum l_i l_j bracket_ij^power / m_i with power = 2, so the minima are where
    the bracket vanishes on the range of S.

    On the right stand the summand of the risk and that of its least value, sum (l_i - l_i^2 / m_i)
    / 2.
    """
    risk = u**2 * m_i * l_i * l_j * U_ij**2 - 2 * u * l_i * l_j * U_ij * delta + l_i * delta
    return entrywise(l_i * l_j * bracket**power / m_i, risk - (l_i - l_i * l_j / m_i) * delta)


@claim(
    "OURS:R5.limit/bounded",
    needs=("OURS:R5.cons", "OURS:R5.limit/square"),
    control=({"k": Rational(1, 2)}, {"of_s": Rational(1, 2)}),
    argument="the risk decreases, so |u| |U_r| <= s on the range; with |U_r|^2 - u^2 = e both factors are bounded",
)
def a_bounded_product_with_a_constant_difference_is_bounded(*, k: Rational = Rational(1), of_s: Rational = Rational(1)) -> Evidence:
    """x = u^2, x + e = |U_r|^2 and x (x + e) <= s^2 give x <= of_s s + k max(-e, 0) with of_s = k =
    1: at x = bound + h the product is larger.
    """
    s, f, h = sp.symbols("s f h", positive=True)
    domain = dict.fromkeys((s, f, h), (0, oo))
    x = of_s * s + k * f + h  # e = -f
    falling = forall(x * (x - f), ">", s**2, domain, where=[(x, ">=", f)])
    rising = forall((of_s * s + h) * (of_s * s + h + f), ">", s**2, domain)  # e = f
    return all_of(falling, rising)


@claim(
    "OURS:R5.limit/critical",
    control=dict(two=3),
    needs=("OURS:R5.limit/square",),
    argument="if u != 0 the field -u S bracket S vanishes only where the bracket does on the range: at minima; else u = 0, the "
    "height is that of tr(S)/2, and du/dt = 0 says tr(S U S) = 0",
)
def every_other_critical_point_is_a_saddle_of_one_height(*, two: int = 2) -> Evidence:
    """R - tr(S)/2 = (u^2 Q - two u tr(S U S)) / 2, two = 2, summand by summand: R takes the value
    tr(S)/2 at every critical point that is no minimum.
    """
    minimum = (l_i * delta + l_i * l_j / m_i * bracket**2 - l_i * l_j / m_i * delta) / 2
    height = u**2 * l_i * l_j * m_i * U_ij**2 - two * u * l_i * l_j * U_ij * delta
    return entrywise(minimum - l_i * delta / 2, height / 2)


@claim(
    "OURS:R5.limit/repel",
    control=dict(half=Rational(1)),
    needs=("OURS:R5.limit/orthant", "OURS:R5.limit/critical"),
    argument="at a saddle inside the orthant u = U_ii = 0; near it y = k u + sum l_i^2 U_ii > 0 would grow like e^{kt}",
)
def saddles_repel_the_orthant(*, half: Rational = Rational(1, 2)) -> Evidence:
    """d/dt (k u + tau) >= k (k u + tau) if w <= half K, Q <= q and k^2 + k q = K/2; half = 1/2.

    Here tau = sum l^2 U_ii, w = u sum l^4 m U_ii and K = sum l^4, so that du/dt = tau - u Q and
    dtau/dt = u (K - w); q is any bound of Q near the saddle.
    """
    tau, Q, q, w, K, k, v = sp.symbols("tau Q q w K k u", nonnegative=True)
    summand = identity((l_i**2 * motion).subs({l_j: l_i, delta: 1}), u * (l_i**4 - u * l_i**4 * m_i * U_ij))
    excess = sp.expand(k * (tau - v * Q) + v * (K - w) - k * (k * v + tau))
    regrouped = identity(excess, v * (K - w - k * Q - k**2))
    domain, twice = dict.fromkeys((Q, q, w, k), (0, oo)), 2 * (k**2 + k * q)  # K
    room = forall(twice - w - k * Q - k**2, ">=", 0, domain, where=[(Q, "<=", q), (w, "<=", half * twice)])
    return all_of(summand, regrouped, room)


@claim(
    "OURS:R5.limit/sign",
    control=dict(factor=Rational(1001, 1000)),
    needs=("OURS:R5.cons/gradient", "OURS:R5.limit/critical", "OURS:R5.limit/bounded"),
    cites=(LOJASIEWICZ,),
    argument="the risk decreases and is tr(S)/2 wherever u = 0: below that height u keeps its sign and no saddle can be reached",
)
def the_sign_below_the_height_of_the_saddles(*, factor: Rational = Rational(1)) -> Evidence:
    """Starts of any signs, balanced or not: the flow ends at the minimum whose sign u has once the
    risk is below tr(S)/2; factor = 1 multiplies its U.
    """
    checked = r"u(t)\to\operatorname{sign}(u(t_0))/|\gamma|\ \text{ if } R(t_0)<\tfrac12\operatorname{tr}S"
    return ends_at(times(factor), any_starts(), checked=checked)


@claim(
    "OURS:R5.limit/fixed_point",
    control=dict(four=5, factor=2),
    needs=("OURS:R5.cons/entries",),
    argument="two positive roots of T x^2 - e x - 1 are impossible, since its slope 2 T x - e at a root is T x + 1/x > 0",
)
def one_fixed_point_has_the_conserved_values(*, four: int = 4, factor: int = 1) -> Evidence:
    """gamma^2 = (e + sqrt(e^2 + four T))/(2T), e = c - b and four = 4, is the only balanced scale,
    and (factor gamma S_L^{-1} S S^+ + P(U0), 1/gamma) stands still with factor = 1, for every S_L
    with the eigenvectors of S; it is S for infinite prompts.
    """
    square = (e + sqrt(e**2 + four * T)) / (2 * T)
    balanced = identity(T * square**2 - e * square - 1, 0)
    x = sp.Symbol("x", positive=True)
    slope_at_root = identity(2 * T * x - e, T * x + 1 / x, given=[sp.Eq(T * x**2 - e * x - 1, 0)])
    return all_of(balanced, slope_at_root, *stands_still(m_i, factor=factor))


@claim(
    "OURS:R5.limit",
    control=dict(factor=Rational(1001, 1000)),
    cites=(LOJASIEWICZ,),
    needs=(
        "OURS:R5.cons",
        "OURS:R5.cons/gradient",
        "OURS:R5.cons/entries",
        "OURS:R5.limit/orthant",
        "OURS:R5.limit/bounded",
        "OURS:R5.limit/critical",
        "OURS:R5.limit/repel",
        "OURS:R5.limit/fixed_point",
    ),
    unproved="the limit of a flow as time goes to infinity: no prover here speaks of solutions of differential equations; what the "
    "flow conserves, its bounds and its critical points are in the parts",
    argument="a linear equation x' = -a(t) x + b(t) with b >= 0 keeps x >= 0, so u > 0 and U_ii >= 0 persist; the bounded path "
    "converges to a critical point of the closed orthant; the saddles there repel it, and of the minima (gamma S^+ + P, 1/gamma) "
    "the conserved quantities leave one",
)
def limit_of_the_flow(*, factor: Rational = Rational(1)) -> Evidence:
    """U -> factor gamma S^+ + P(U(0)), factor = 1, and u -> 1/gamma, by integrated paths; the proof
    is in the needs.
    """
    return ends_at(times(factor), positive_starts(), checked=r"U(t)\to\gamma S^{+}+P(U(0)),\ u(t)\to 1/\gamma")
