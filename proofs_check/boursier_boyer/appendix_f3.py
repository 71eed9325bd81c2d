"""Appendix F.3 of Boursier & Boyer, item by item: the theorem of Zhang et al. (2024) on the
gradient flow of linear attention, extended to a singular covariance. Algebra is proved for every
dimension, and limits of the flow are found by integrating it from many starts.

Lambda is the covariance (Sigma in the paper's own notation), sigma > 0 is the scale of the start,
and ``U11(0) = sigma Theta Theta'``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import sympy as sp
from sympy import Rational, oo, sqrt

from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import forall, identity, trace_identity
from numerics.provers.eigenbasis import U_ij, delta, entrywise, identities, l_i, l_j, u
from numerics.regression.flow.polyak_lojasiewicz import balanced_starts, steeper_than
from numerics.regression.flow.starts import Start, ends_at, keeps, theta_starts
from proofs_check.core.claim import claim
from proofs_check.instances.trained_risk import SINGULAR, trained_risk_below
from theory.regression.polyak_lojasiewicz import polyak_lojasiewicz, polyak_lojasiewicz_f3
from theory.regression.risk import effective_covariance
from theory.symbolic.algebra import Algebra, Words

ALGEBRA = Algebra(
    general=["U", "M", "A", "Y"], symmetric=["S", "G", "H"], params=["u", "sigma", "alpha"], pseudo_inverse=[("S", "G", "H")]
)
S, G, H, U, M, A, Y = (ALGEBRA[name] for name in ("S", "G", "H", "U", "M", "A", "Y"))
SCALAR, SIGMA, ALPHA = (ALGEBRA[name] for name in ("u", "sigma", "alpha"))
IDENTITY = ALGEBRA.I


def P(X: Words) -> Words:
    """Return ``P(X) = X - S S^+ X S S^+``."""
    return X - H * X * H


def field() -> tuple[Words, Words]:
    """Return the flow (dU/dt, du/dt) as printed for the infinite prompt."""
    bracket = SCALAR * S * U - IDENTITY
    return -(SCALAR * S * bracket * S), -(bracket * S * U.T * S).tr()


@claim("BB:F.3.1", argument="the difference of Gamma and Lambda is a matrix that does not depend on L, divided by L")
def gamma_is_lambda_for_the_infinite_prompt() -> Evidence:
    """L (Gamma - Lambda) = Lambda + tr(Lambda) I: entry by entry for every d, and of symmetric
    Lambda of sizes 1, 2, 3 as coded.
    """
    L, parts = sp.Symbol("L", positive=True), []
    entry, t = sp.symbols("Lambda_ij t", real=True)  # t = tr(Lambda)
    every_d = identity(L * ((1 + 1 / L) * entry + t * delta / L - entry), entry + t * delta)
    for d in (1, 2, 3):
        Lambda = sp.Matrix(d, d, lambda i, j: sp.Symbol(f"s_{min(i, j)}{max(i, j)}", real=True))
        parts.append(identity(L * (effective_covariance(Lambda, L) - Lambda), Lambda + Lambda.trace() * sp.eye(d)))
    return confirmed(every_d.replace(dimension="every d"), *parts)


@claim(
    "BB:F.3.2",
    needs=("BB:F.3.1",),
    argument="both are sums of squares; they vanish together where l_j > 0, and where l_j = 0 each of their terms is 0",
)
def global_minima_solve_the_matrix_equation() -> Evidence:
    """Both directions: with e_ij = l_j (u l_i U_ij - delta)^2, twice the summand of the risk, e_ij
    l_j is the square of the entry of u Lambda U Lambda - Lambda; at an end of the flow the equation
    then holds.
    """
    risk = u**2 * l_i**2 * l_j * U_ij**2 - 2 * u * l_i * l_j * U_ij * delta + l_i * delta
    residual = (u * l_i * U_ij - delta) ** 2 * l_j
    squares = entrywise(residual, risk)
    equation = entrywise(residual * l_j, (u * l_i * U_ij * l_j - l_i * delta) ** 2)
    return all_of(squares, equation)


@claim(
    "BB:F.3.3",
    false="material",
    why=r"In $d=1$ the ratio of $\|\nabla\tilde\ell\|^{2}$ to "
    r"$\tilde\ell-\min\tilde\ell=\frac{\Lambda}{2}(u_{-1}\Lambda U_{11}-1)^{2}$ at $t=0$ is $4\Lambda^{3}\sigma^{2}$, and the "
    r"printed $\mu$ is $\Lambda^{2}\sigma^{2}$: too large for every $\Lambda<1/4$.",
    instead=r"The inequality holds along the flow with "
    r"$\mu=\lambda_{+}^{3}\,\sigma^{2}\,\|\Lambda\Theta\|_{F}^{2}\,(2-\sigma^{2}\|\Lambda\|_{\rm op})/\|\Lambda^{2}\|_{F}$, "
    r"where $\lambda_{+}$ is the least positive eigenvalue of $\Lambda$ and $\sigma^{2}\|\Lambda\|_{\rm op}<2$.",
    needs=("BB:F.3.2", "OURS:R5.PL"),
    hypotheses=("sigma > 0", "Lambda > 0", "sigma**2*Lambda < 2", "t >= 0"),
    repair={"mu": polyak_lojasiewicz},
    control={"times": Fraction(9, 4)},
    argument="the repaired constant is that of OURS:R5.PL, proved there",
)
def polyak_lojasiewicz_inequality(*, mu: Callable[..., sp.Expr] = polyak_lojasiewicz_f3, times: Fraction = Fraction(1)) -> Evidence:
    """|grad R|^2 >= mu (R - min R) along the flow of the risk R: exactly at t = 0, then on
    integrated paths.

    In d = 1 the ratio at t = 0 is 4 Lambda^3 sigma^2, the printed mu is Lambda^2 sigma^2: false for
    every Lambda < 1/4.
    """
    factor = Rational(times)
    printed = r"\|\nabla\tilde\ell\|^2\geq\mu\,(\tilde\ell-\min\tilde\ell)"
    return steeper_than(lambda *at: factor * mu(*at), balanced_starts(), checked=printed)


@claim("BB:F.3.4a", argument="dU/dt lies in the linear space of the S M S at every time, so U(t) - U(0) does")
def the_block_moves_inside_an_affine_set() -> Evidence:
    """The U-gradient of (1/2) tr((u S U - I) S (u S U - I)') is S M S with M = u (u S U - I), for
    every d.
    """
    bracket = SCALAR * S * U - IDENTITY
    risk = (bracket * S * bracket.T).tr() / 2
    return trace_identity(risk.grad("U"), S * (SCALAR * bracket) * S)


@claim("BB:F.3.4b", argument="X = P(X) + S^+ (S X S) S^+; put S X S = alpha S and P(X) = sigma P(A), and conversely")
def the_intersection_and_the_projection() -> Evidence:
    """X = sigma A + S M S has S X S = alpha S iff X = alpha S^+ + sigma P(A); P is the orthogonal
    projection on {S X S = 0}.
    """
    X = SIGMA * A + S * M * S
    member = ALPHA * G + SIGMA * P(A)
    return all_of(
        trace_identity(P(X), SIGMA * P(A)),  # P forgets S M S
        trace_identity(U, P(U) + G * (S * U * S) * G),  # S U S and P(U) determine U
        trace_identity(S * member * S, ALPHA * S),  # members solve the equation
        trace_identity(member - SIGMA * A, S * (ALPHA * G * G * G - SIGMA * G * A * G) * S),  # and lie in the affine set
        trace_identity(P(P(U)), P(U)),  # idempotent
        trace_identity((P(U) * Y.T).tr(), (U * P(Y).T).tr()),  # self-adjoint
        trace_identity(S * U * S, S * (U - P(U)) * S),  # S P(U) S = 0, and by the second line S U S = 0 gives U = P(U)
    )


@claim(
    "BB:F.3.4b/affine",
    false="typo",
    why=r"Since $\alpha>0$ is required, the set is an open half-line in the direction of $\Lambda^{\dagger}$: an affine "
    r"combination of two of its points, such as $-1$ times one plus $2$ times the other, can have $\alpha\leq 0$.",
    instead=r"The intersection is the open half-line $\{\alpha\Lambda^{\dagger}+\sigma P(\Theta\Theta^{\top})\mid\alpha>0\}$, "
    r"which is convex.",
    hypotheses=("alpha_1 > 0", "alpha_2 > 0"),
    repair={"combinations": "convex"},
    control={"combinations": "affine"},
)
def the_intersection_is_an_affine_space(*, combinations: str = "affine") -> Evidence:
    """Printed: the set over alpha > 0 is an affine space. It is an open half-line, which t alpha_1
    + (1 - t) alpha_2 leaves.
    """
    t, a1, a2 = sp.symbols("t alpha_1 alpha_2", positive=True)
    if combinations == "convex":
        return forall(t * a1 + (1 - t) * a2, ">", 0, {t: (0, 1), a1: (0, oo), a2: (0, oo)})
    x = sp.Symbol("t", real=True)
    return forall(x * a1 + (1 - x) * a2, ">", 0, {x: (-oo, oo), a1: (0, oo), a2: (0, oo)})


@claim("BB:F.3.cons", argument="at the printed start |U|_F = sigma |Theta Theta'|_F = sigma = u")
def balancedness() -> Evidence:
    """tr(U' dU/dt) = u du/dt for every d, so that |U|_F^2 - u^2 stays what it is; also along
    integrated paths.
    """
    motion, speed = field()
    return confirmed(trace_identity((U.T * motion).tr(), SCALAR * speed), keeps(theta_starts(singular=True)[::2]))


def printed_alpha(start: Start, four: float = 4.0) -> tuple[np.ndarray, float]:
    """Return the printed limit in floating point by its own formula, with P and the pseudo-inverse
    from singular values.
    """
    inverse = np.linalg.pinv(start.Sigma, hermitian=True, rcond=1e-10)
    onto = start.Sigma @ inverse
    kept = start.U0 - onto @ start.U0 @ onto
    b, trace = (kept**2).sum(), np.trace(inverse @ inverse)
    alpha = float(np.sqrt((np.sqrt(b**2 + four * trace) - b) / (2 * trace)))
    return alpha * inverse + kept, 1 / alpha


@claim("BB:F.3.4c/alpha", control={"four": Rational(5)})
def balancedness_gives_the_printed_alpha(*, four: Rational = Rational(4)) -> Evidence:
    """|alpha S^+ + sigma P|_F^2 = 1/alpha^2 at the printed alpha, with <S^+, P(A)> = 0."""
    T, b = sp.symbols("T b", positive=True)  # T = tr((S^+)^2), b = sigma^2 |P(Theta Theta')|_F^2
    square = (sqrt(b**2 + four * T) - b) / (2 * T)
    balanced = identity(square * (square * T + b), 1)
    if not balanced.verdict.accepted:
        return balanced
    orthogonal = trace_identity((G * A).tr(), (G * (A - P(A))).tr())
    return identities(balanced, orthogonal)


@claim(
    "BB:F.3.4c",
    needs=("BB:F.3.2", "BB:F.3.3", "BB:F.3.4a", "BB:F.3.4b", "BB:F.3.cons", "OURS:R5.limit", "BB:F.3.4c/alpha"),
    control={"four": Rational(5)},
    unproved="the limit of a flow as time goes to infinity, from every start: no prover here speaks of solutions of differential "
    "equations; the closed form of alpha and the fixed point are proved in the parts",
    argument="the limit is a global minimum (by F.3.3 for small sigma, by R5.limit for every sigma > 0), lies in the set of "
    "F.3.4b, and balancedness leaves one alpha > 0",
)
def closed_form_of_the_degenerate_limit(*, four: Rational = Rational(4)) -> Evidence:
    """U11 -> alpha Lambda^+ + sigma P(Theta Theta') and u -> 1/alpha, by integrated paths, also of
    singular Lambda.
    """
    checked = r"U_{11}(t)\to\alpha\Lambda^{\dagger}+\sigma P(\Theta\Theta^{\top}),\ u_{-1}(t)\to 1/\alpha"
    return ends_at(partial(printed_alpha, four=float(four)), theta_starts(singular=True), checked=checked)


@claim("BB:F.3.4c/start", needs=("OURS:R5.limit",))
def which_start_is_needed() -> Evidence:
    """The printed condition Theta Sigma != 0 is not Sigma Theta != 0, but the limit needs neither
    when sigma > 0.

    Theta = (0, 0; 1, 0), Sigma = diag(1, 0): Theta Sigma != 0 = Sigma Theta; then (0, 0; 0, 1) with
    both 0. The flow arrives.
    """
    thetas = {"Theta Sigma != 0 = Sigma Theta": np.array([[0.0, 0.0], [1.0, 0.0]]), "both 0": np.diag([0.0, 1.0])}
    starts = [Start(name, np.diag([1.0, 0.0]), 0.5 * Theta @ Theta.T, 0.5) for name, Theta in thetas.items()]
    return ends_at(printed_alpha, starts)


@claim(
    "BB:F.3.fin/bounded",
    needs=("BB:F.3.2", "BB:F.3.4c"),
    argument="u^2 = |U|_F^2 = |U_r|_F^2 + b by balancedness, and the decreasing risk bounds u |U_r|_F <= k",
)
def the_trajectory_is_bounded_and_its_end_bayes_optimal() -> Evidence:
    """x = u^2 with x (x - b) <= k^2 gives x <= b + k; S (u U) S = S at (alpha S^+ + P, 1/alpha), so
    its risk is 0 by F.3.2.
    """
    b, k, h = sp.symbols("b k h", positive=True)
    domain = dict.fromkeys((b, k, h), (0, oo))
    beyond = forall((b + k + h) * (k + h), ">", k**2, domain)
    control = forall((b + k - h) * (k - h), ">", k**2, domain, where=[(h, "<", k)])
    scaled = G + SCALAR * P(M)  # u U at the end, where u alpha = 1
    return all_of(beyond.replace(control=control), trace_identity(S * scaled * S, S))


@claim(
    "BB:F.3.fin",
    control={"shorter": 2},
    needs=("BB:F.3.4c", "BB:F.3.fin/bounded", "BB:T4.3", "OURS:T5.2"),
    argument="Lemma F.1, the block manifold and Theorem 4.3 ask nothing of the rank of Sigma: OURS:T5.2 with a singular one",
)
def theorem_5_2_for_a_degenerate_covariance(*, shorter: int = 1) -> Evidence:
    """Sigma = diag(1, 0): lim_t R_L <= epsilon from some length L(epsilon) on, by the finite-prompt
    flow.
    """
    checked = r"\lim_t\mathcal R_L(U_L(t),V_L(t))\le\varepsilon,\quad L\ge L(\varepsilon),\ \Sigma=\operatorname{diag}(1,0)"
    return trained_risk_below(SINGULAR, shorter, checked)
