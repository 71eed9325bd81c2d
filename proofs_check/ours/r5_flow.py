"""R5: the gradient flow of in-context linear regression with infinite prompts, for any covariance:
what it conserves, that it stays bounded, and where it ends. The steps are proved entry by entry in
an eigenbasis, and the limit is also found by integrating the flow.
"""

from __future__ import annotations

import numpy as np
import sympy as sp
from sympy import Rational, oo, sqrt

from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import forall, identity
from numerics.provers.eigenbasis import U_ij, bracket, delta, entrywise, identities, l_i, l_j, m_i, motion, p_i, p_j, slope, u
from numerics.regression.flow.starts import Start, any_starts, ends_at, keeps, positive_starts
from proofs_check.core.claim import claim
from proofs_check.instances.fixed_point import stands_still
from theory.regression.limit import limit_parameters
from theory.regression.risk import icl_risk, icl_risk_gradient, vector_field

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


@claim("OURS:R5.cons/gradient")
def the_field_is_minus_the_gradient_of_the_risk() -> Evidence:
    """Entry by entry, for symmetric S and any U of sizes 1 and 2, and at any prompt length:
    differentiate the risk.
    """
    L, t = sp.symbols("L t", positive=True)
    parts = []
    for d, length, noise in ((1, L, t), (2, None, 0), (2, L, t)):
        S, U = parameters(d)
        risk = sp.expand(icl_risk(S, U, u, prompt_length=length, noise=noise))
        gradient, derivative = icl_risk_gradient(S, U, u, prompt_length=length, noise=noise)
        left = [risk.diff(x) for x in U] + [risk.diff(u)]
        parts.append(identity(left, [*gradient, derivative]))
    return all_of(*parts).replace(dimension="d = 1, 2")


@claim("OURS:R5.cons/entries")
def the_entries_of_the_field_in_an_eigenbasis() -> Evidence:
    """The field of sizes 1, 2, 3 at S = diag(l): entry (i, j) is u l_i l_j (delta - u m_i U_ij);
    du/dt is the sum of summands.
    """
    L = sp.Symbol("L", positive=True)
    parts = []
    for d in (1, 2, 3):
        l, (_, U) = sp.symbols(f"l_0:{d}", positive=True), parameters(d)
        m = [(1 + 1 / L) * x + sum(l) / L for x in l]
        moved, moving = vector_field(sp.diag(*l), U, u, prompt_length=L)
        cells = [{l_i: l[i], l_j: l[j], m_i: m[i], U_ij: U[i, j], delta: int(i == j)} for i in range(d) for j in range(d)]
        entries, summands = ([f.subs(cell, simultaneous=True) for cell in cells] for f in (motion, slope))
        parts.append(identity([*moved, moving], [*entries, sum(summands)]))
    return all_of(*parts).replace(dimension="d = 1, 2, 3")


@claim("OURS:R5.cons", needs=("OURS:R5.cons/gradient", "OURS:R5.cons/entries"))
def two_conserved_quantities() -> Evidence:
    """d/dt |U|^2 = d/dt u^2 and d/dt P(U) = 0, summand by summand and entry by entry; then along
    integrated paths.
    """
    balance = entrywise(U_ij * motion, u * slope)
    outside = entrywise((1 - l_i * p_i * l_j * p_j) * motion, 0)
    return confirmed(identities(balance, outside), keeps(any_starts()[::2]))


# The limit


@claim(
    "OURS:R5.limit/orthant",
    needs=("OURS:R5.cons/entries",),
    argument="a linear equation x' = -a(t) x + b(t) with b >= 0 keeps x >= 0, and keeps x > 0; apply it to u and to every U_ii",
)
def the_orthant_is_kept() -> Evidence:
    """On the diagonal dU_ii/dt + (u^2 l^2 m) U_ii = u l^2, and du/dt + Q u = sum l^2 U_ii with Q
    the sum of l_i l_j m_i U_ij^2.
    """
    diagonal = identity((motion + u**2 * l_i * l_j * m_i * U_ij).subs({l_j: l_i, delta: 1}), u * l_i**2)
    scalar = entrywise(slope + u * l_i * l_j * m_i * U_ij**2, l_i * l_j * U_ij * delta)
    return all_of(diagonal, scalar)


@claim("OURS:R5.limit/square")
def the_risk_is_a_sum_of_squares() -> Evidence:
    """R - min R = (1/2) sum l_i l_j bracket_ij^2 / m_i, so the minima are where the bracket
    vanishes on the range of S.

    On the right stand the summand of the risk and that of its least value, sum (l_i - l_i^2 / m_i)
    / 2.
    """
    risk = u**2 * m_i * l_i * l_j * U_ij**2 - 2 * u * l_i * l_j * U_ij * delta + l_i * delta
    return entrywise(l_i * l_j * bracket**2 / m_i, risk - (l_i - l_i * l_j / m_i) * delta)


@claim(
    "OURS:R5.limit/bounded",
    needs=("OURS:R5.cons", "OURS:R5.limit/square"),
    control={"k": Rational(1, 2)},
    argument="the risk decreases, so |u| |U_r| <= s on the range; with |U_r|^2 - u^2 = e both factors are bounded",
)
def a_bounded_product_with_a_constant_difference_is_bounded(*, k: Rational = Rational(1)) -> Evidence:
    """x = u^2, x + e = |U_r|^2 and x (x + e) <= s^2 give x <= s + k max(-e, 0): at x = bound + h
    the product is larger.
    """
    s, f, h = sp.symbols("s f h", positive=True)
    domain = dict.fromkeys((s, f, h), (0, oo))
    falling = forall((s + k * f + h) * (s + k * f + h - f), ">", s**2, domain, where=[(s + k * f + h, ">=", f)])  # e = -f
    rising = forall((s + h) * (s + h + f), ">", s**2, domain)  # e = f
    return all_of(falling, rising)


@claim(
    "OURS:R5.limit/critical",
    needs=("OURS:R5.limit/square",),
    argument="if u != 0 the field vanishes only where the bracket does on the range: at minima; else u = 0 and tr(S U S) = 0",
)
def every_other_critical_point_is_a_saddle_of_one_height() -> Evidence:
    """R - tr(S)/2 = (u^2 Q - 2 u tr(S U S)) / 2, summand by summand: 0 where u = 0; and the bracket
    is a multiple of the field.
    """
    minimum = (l_i * delta + l_i * l_j / m_i * bracket**2 - l_i * l_j / m_i * delta) / 2
    height = entrywise(minimum - l_i * delta / 2, (u**2 * l_i * l_j * m_i * U_ij**2 - 2 * u * l_i * l_j * U_ij * delta) / 2)
    multiple = entrywise(-u * l_i * l_j * bracket, motion)
    return all_of(height, multiple)


@claim(
    "OURS:R5.limit/repel",
    needs=("OURS:R5.limit/orthant", "OURS:R5.limit/critical"),
    argument="at a saddle inside the orthant u = U_ii = 0; near it y = k u + sum l_i^2 U_ii > 0 would grow like e^{kt}",
)
def saddles_repel_the_orthant() -> Evidence:
    """d/dt (k u + tau) >= k (k u + tau) if w <= K/2, Q <= q and k^2 + k q = K/2.

    Here tau = sum l^2 U_ii, w = u sum l^4 m U_ii and K = sum l^4, so that du/dt = tau - u Q and
    dtau/dt = u (K - w); q is any bound of Q near the saddle.
    """
    tau, Q, q, w, K, k, v = sp.symbols("tau Q q w K k u", nonnegative=True)
    summand = identity((l_i**2 * motion).subs({l_j: l_i, delta: 1}), u * (l_i**4 - u * l_i**4 * m_i * U_ij))
    excess = sp.expand(k * (tau - v * Q) + v * (K - w) - k * (k * v + tau))
    regrouped = identity(excess, v * (K - w - k * Q - k**2))
    domain = dict.fromkeys((Q, q, w, k), (0, oo))

    def room(part: sp.Rational) -> Evidence:
        return forall(
            2 * (k**2 + k * q) - w - k * Q - k**2, ">=", 0, domain, where=[(Q, "<=", q), (w, "<=", part * (k**2 + k * q))]
        )

    return all_of(summand, regrouped, room(sp.Integer(1)).replace(control=room(sp.Integer(2))))


@claim(
    "OURS:R5.limit/sign",
    needs=("OURS:R5.limit/critical", "OURS:R5.limit/bounded"),
    cites=(LOJASIEWICZ,),
    argument="the risk decreases and is tr(S)/2 wherever u = 0: below that height u keeps its sign and no saddle can be reached",
)
def the_sign_below_the_height_of_the_saddles() -> Evidence:
    """Starts of any signs, balanced or not: the flow ends at the minimum whose sign u has once the
    risk is below tr(S)/2.
    """
    checked = r"u(t)\to\operatorname{sign}(u(t_0))/|\gamma|\ \text{ if } R(t_0)<\tfrac12\operatorname{tr}S"
    return ends_at(formula, any_starts(), checked=checked)


@claim("OURS:R5.limit/fixed_point", needs=("OURS:R5.cons/entries",), control={"four": Rational(5)})
def one_fixed_point_has_the_conserved_values(*, four: Rational = Rational(4)) -> Evidence:
    """gamma^2 = (e + sqrt(e^2 + 4T))/(2T), e = c - b, is the only balanced scale, and (gamma S^+ +
    P(U0), 1/gamma) stands still.
    """
    square = (e + sqrt(e**2 + four * T)) / (2 * T)
    balanced = identity(T * square**2 - e * square - 1, 0)
    if not balanced.verdict.accepted:
        return balanced
    x = sp.Symbol("x", positive=True)
    # Two positive roots of T x^2 - e x - 1 are impossible, since its slope 2 T x - e at a root is T
    # x + 1/x > 0.
    slope_at_root = identity((2 * T * x - e).subs(e, T * x - 1 / x), T * x + 1 / x)
    return identities(balanced, slope_at_root, *stands_still(m_i))


@claim(
    "OURS:R5.limit",
    cites=(LOJASIEWICZ,),
    needs=(
        "OURS:R5.cons",
        "OURS:R5.limit/orthant",
        "OURS:R5.limit/bounded",
        "OURS:R5.limit/critical",
        "OURS:R5.limit/repel",
        "OURS:R5.limit/fixed_point",
    ),
    argument="the bounded path converges to a critical point of the closed orthant; the saddles there repel it, and of the "
    "minima (gamma S^+ + P, 1/gamma) the conserved quantities leave one",
)
def limit_of_the_flow() -> Evidence:
    """U -> gamma S^+ + P(U(0)) and u -> 1/gamma, by integrated paths; the proof is in the needs."""
    return ends_at(formula, positive_starts(), checked=r"U(t)\to\gamma S^{+}+P(U(0)),\ u(t)\to 1/\gamma")
