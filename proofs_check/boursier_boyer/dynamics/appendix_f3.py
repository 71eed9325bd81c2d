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

from numerics.counterexamples.drawn.flows import drawn_ends
from numerics.counterexamples.drawn.steepness import drawn_steepness
from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import Closed, Integers, forall, identity, trace_identity
from numerics.provers.eigenbasis import U_ij, delta, entrywise, l_i, l_j, p_i, u
from numerics.regression.flow.polyak_lojasiewicz import balanced_starts, steeper_than
from numerics.regression.flow.starts import Start, ends_at, keeps, theta_starts
from proofs_check.boursier_boyer.main_text.theorem_4_3 import CONSTANTS
from proofs_check.core.claim import claim
from proofs_check.core.robust import Robust
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.regression.trained_risk import SINGULAR, ZERO, attained, trained_risk_below
from theory.regression.polyak_lojasiewicz import polyak_lojasiewicz, polyak_lojasiewicz_f3
from theory.regression.risk import effective_covariance, icl_risk, icl_risk_gradient
from theory.symbolic.algebra import Algebra, Words

ALGEBRA = Algebra(
    general=["U", "M", "A", "Y"],
    symmetric=["S", "G", "H"],
    params=["u", "sigma", "alpha"],
    pseudo_inverse=[("S", "G", "H")],
)
S, G, H, U, M, A, Y = (ALGEBRA[name] for name in ("S", "G", "H", "U", "M", "A", "Y"))
SCALAR, SIGMA, ALPHA = (ALGEBRA[name] for name in ("u", "sigma", "alpha"))
IDENTITY = ALGEBRA.I


def P(X: Words, times: int = 1) -> Words:
    """X - S S^+ X S S^+, where the last term is taken off once."""
    out = X
    for _ in range(times):
        out = out - H * X * H
    return out


def field() -> tuple[Words, Words]:
    """The flow (dU/dt, du/dt) as printed for the infinite prompt."""
    bracket = SCALAR * S * U - IDENTITY
    return -(SCALAR * S * bracket * S), -(bracket * S * U.T * S).tr()


@claim("BB:F.3.1", control={"one": 2})
def gamma_is_lambda_for_the_infinite_prompt(*, one: int = 1) -> Evidence:
    r"""For $\Gamma=(1+\frac1L)\Lambda+\frac1L\mathrm{tr}(\Lambda)I$, it is derived for every $d$
    that $L^2\|\Gamma-\Lambda\|_F^2=\|\Lambda+\mathrm{tr}(\Lambda)I\|_F^2$, and that
    $\|\Gamma-\Lambda\|_F^2\leq\varepsilon$ for every $L$ that is at least the right side divided by
    $\varepsilon$. The entries are also compared as coded, for symmetric $\Lambda$ of sizes 1, 2 and
    3. The numerator of the first $\frac1L$ is `one` = 1.
    """
    L, parts = sp.Symbol("L", positive=True), []
    entry, t = sp.symbols("Lambda_ij t", real=True)  # t = tr(Lambda)
    every_d = identity(L * ((1 + one / L) * entry + t * delta / L - entry), entry + t * delta)
    for d in (1, 2, 3):
        Lambda = sp.Matrix(d, d, lambda i, j: sp.Symbol(f"s_{min(i, j)}{max(i, j)}", real=True))
        parts.append(
            identity(L * (effective_covariance(Lambda, L) - Lambda), Lambda + Lambda.trace() * sp.eye(d))
        )
    size = confirmed(every_d, *parts) if every_d.verdict.accepted else every_d
    l, eps = sp.symbols("Lambda epsilon", positive=True)  # d = 1
    domain = {L: Integers(1, oo), l: (0, oo), eps: (0, oo)}
    given = [((2 * l) ** 2, "<=", eps * L)]
    near = forall(((1 + one / L) * l + l / L - l) ** 2, "<=", eps, domain, where=given)
    return derivation("BB:F.3.1", size, near, one=one)


@claim("BB:F.3.2", control=({"two": 1}, {"one": 2}), needs=("BB:F.3.1", "OURS:R5.limit/square"))
def global_minima_solve_the_matrix_equation(*, two: int = 2, one: int = 1) -> Evidence:
    r"""Twice the risk is the sum of $e_{ij}=\lambda_j(u\lambda_iU_{ij}-\delta_{ij})^2$, whose
    middle coefficient is `two` = 2. It is derived for every $d$, in an eigenbasis of $\Lambda$,
    that at a global minimum, where the risk is at most that of all other parameters, the sum of the
    squares of the entries of $u\Lambda U\Lambda-\Lambda$ is at most $0$: the least risk is $0$, at
    $uU=\Lambda^{\dagger}$, and $\lambda_je_{ij}$ is such a square. Here `one` multiplies the last
    $\Lambda$.
    """
    risk = u**2 * l_i**2 * l_j * U_ij**2 - two * u * l_i * l_j * U_ij * delta + l_i * delta
    residual = (u * l_i * U_ij - delta) ** 2 * l_j
    equation = entrywise(residual * l_j, (u * l_i * U_ij * l_j - one * l_i * delta) ** 2)
    attained = entrywise(residual.subs(U_ij, p_i * delta / u), 0)
    return all_of(entrywise(residual, risk), attained, derivation("BB:F.3.2", equation, one=one))


def too_steep(*, d: int, Lambda: Fraction, sigma: Fraction) -> sp.Expr:
    """mu (R - min R) - |grad R|^2 with the printed mu at t = 0, for Lambda I_d, Theta = e_1."""
    Sigma, Theta, s = Rational(Lambda) * sp.eye(d), sp.eye(d)[:, :1], Rational(sigma)
    U = s * Theta @ Theta.T
    gradient, slope = icl_risk_gradient(Sigma, U, s)
    return (
        polyak_lojasiewicz_f3(Sigma, Theta, s) * icl_risk(Sigma, U, s)
        - (gradient.T @ gradient).trace()
        - slope**2
    )


@claim(
    "BB:F.3.3",
    false="false",
    costs="constants",
    robust=Robust(
        point={"d": 2, "Lambda": Fraction(1, 50), "sigma": Fraction(1, 2)},
        hypotheses=("d in Integers", "d >= 1", "Lambda > 0", "sigma > 0", "sigma**2*sqrt(d)*Lambda < 2"),
        violation=lambda **at: too_steep(**at),
    ),
    needs=("BB:F.3.2", "OURS:R5.PL"),
    hypotheses=("sigma > 0", "Lambda > 0", "sigma**2*Lambda < 2", "t >= 0"),
    repair={"mu": polyak_lojasiewicz},
    control={"times": Fraction(9, 4)},
)
def polyak_lojasiewicz_inequality(
    *, mu: Callable[..., sp.Expr] = polyak_lojasiewicz_f3, times: Fraction = Fraction(1)
) -> Evidence:
    r"""The inequality $\|\nabla\tilde\ell\|^2\geq\mu\,(\tilde\ell-\min\tilde\ell)$ along the flow
    is judged exactly at $t=0$ and then on integrated paths. The printed $\mu$ is refuted in $d=1$
    for every $\Lambda<1/4$; the repair takes the $\mu$ of OURS:R5.PL, with which it is derived.

    In d = 1 the ratio at t = 0 is 4 Lambda^3 sigma^2, the printed mu is Lambda^2 sigma^2: false for
    every Lambda < 1/4.
    """
    factor = Rational(times)
    printed = r"\|\nabla\tilde\ell\|^2\geq\mu\,(\tilde\ell-\min\tilde\ell)"
    found = steeper_than(lambda *at: factor * mu(*at), balanced_starts(), checked=printed)
    found = found.replace(sides=(drawn_steepness(mu, times),))
    return derivation("BB:F.3.3", found, c=times) if mu is polyak_lojasiewicz else found


@claim("BB:F.3.4a", control=({"half": Fraction(1, 3)}, {"times": 2}))
def the_block_moves_inside_an_affine_set(*, half: Fraction = Fraction(1, 2), times: int = 1) -> Evidence:
    r"""The gradient of $\frac12\mathrm{tr}((u\Lambda U-I)\Lambda(u\Lambda U-I)^{\top})$ in $U$ is
    $\Lambda M\Lambda$ with $M=u\,(u\Lambda U-I)$, for every $d$; `half` is the factor $\frac12$. It
    is derived that along the flow $U(t)=\sigma\Theta\Theta^{\top}+\Lambda M\Lambda$ with
    $M=\Lambda^{\dagger}(U(t)-U(0))\Lambda^{\dagger}$, where `times` multiplies $\Lambda M\Lambda$.
    The second route is that $\dot U$ is $\Lambda\Lambda^{\dagger}\dot U\Lambda^{\dagger}\Lambda$.
    """
    bracket = SCALAR * S * U - IDENTITY
    risk = half * (bracket * S * bracket.T).tr()
    gradient = trace_identity(risk.grad("U"), S * (SCALAR * bracket) * S)
    motion, _ = field()
    return all_of(
        gradient,
        derivation("BB:F.3.4a", trace_identity(motion, times * S * (G * motion * G) * S), times=times),
    )


@claim("BB:F.3.4b", control=({"times": 2}, {"one": 2}))
def the_intersection_and_the_projection(*, times: int = 1, one: int = 1) -> Evidence:
    r"""A matrix $X=\sigma A+\Lambda M\Lambda$ has $\Lambda X\Lambda=\alpha\Lambda$ if and only if
    $X=\alpha\Lambda^{\dagger}+\sigma P(A)$, where
    $P(X)=X-\Lambda\Lambda^{\dagger}X\Lambda\Lambda^{\dagger}$ is the orthogonal projection on
    $\{X:\Lambda X\Lambda=0\}$: both directions, and the three properties of the projection, are
    derived. The last term of $P$ is taken off `times` = 1 times, and `one` multiplies the inner
    product with a member of that space.

    For alpha > 0 these X form an open half-line, which the paper calls an affine space.
    """
    project = lambda X: P(X, times)
    member = ALPHA * G + SIGMA * project(A)
    second_routes = (
        trace_identity(project(SIGMA * A + S * M * S), SIGMA * project(A)),  # P forgets S M S
        trace_identity(S * member * S, ALPHA * S),
        trace_identity(member - SIGMA * A, S * (ALPHA * G * G * G - SIGMA * G * A * G) * S),
        trace_identity(S * U * S, S * (U - project(U)) * S),
        trace_identity(U, project(U) + G * (S * U * S) * G),  # S U S and P(U) determine U
        trace_identity((P(U) * Y.T).tr(), one * (U * P(Y).T).tr()),  # self-adjoint
    )
    return derivation("BB:F.3.4b", *second_routes, times=times, one=one)


@claim("BB:F.3.cons", control={"factor": 2})
def balancedness(*, factor: int = 1) -> Evidence:
    r"""It is derived for every $d$ that $\|U\|_F^2-c\,u^2$ with `factor` $c=1$ is conserved along
    the flow, and that it is $0$ from the printed start on, where
    $\|U\|_F=\sigma\|\Theta\Theta^{\top}\|_F=\sigma=u$. The second routes are
    $\mathrm{tr}(U^{\top}\dot U)=c\,u\dot u$, integrated paths, and the start in one dimension.
    """
    motion, speed = field()
    found = trace_identity((U.T * motion).tr(), factor * (SCALAR * speed))
    kept = confirmed(found, keeps(theta_starts(singular=True)[::2])) if found.verdict.accepted else found
    sigma = sp.Symbol("sigma", positive=True)
    return derivation("BB:F.3.cons", kept, identity(sigma**2 - factor * sigma**2, 0), factor=factor)


def printed_alpha(start: Start, four: float = 4.0) -> tuple[np.ndarray, float]:
    """The printed limit by its own formula, with P and the pseudo-inverse from singular values."""
    inverse = np.linalg.pinv(start.Sigma, hermitian=True, rcond=1e-10)
    onto = start.Sigma @ inverse
    kept = start.U0 - onto @ start.U0 @ onto
    b, trace = (kept**2).sum(), np.trace(inverse @ inverse)
    alpha = float(np.sqrt((np.sqrt(b**2 + four * trace) - b) / (2 * trace)))
    return alpha * inverse + kept, 1 / alpha


@claim("BB:F.3.4c/alpha", control={"four": Rational(5)})
def balancedness_gives_the_printed_alpha(*, four: Rational = Rational(4)) -> Evidence:
    r"""For every $d$, $\|\alpha\Lambda^{\dagger}+\sigma P(A)\|_F^2=\alpha^2T+b$ with
    $T=\mathrm{tr}((\Lambda^{\dagger})^2)$ and $b=\|\sigma P(A)\|_F^2$. At the printed $\alpha$ this
    is $1/\alpha^2$ for every $b\geq0$, where $b=0$ if $\Lambda$ is invertible.
    """
    T, b = sp.Symbol("T", positive=True), sp.Symbol("b", nonnegative=True)
    square = (sqrt(b**2 + four * T) - b) / (2 * T)
    member, kept = ALPHA * G + SIGMA * P(A), SIGMA * P(A)
    norm = trace_identity((member * member.T).tr(), ALPHA * ALPHA * (G * G).tr() + (kept * kept.T).tr())
    return all_of(identity(square * (square * T + b), 1), norm)


@claim(
    "BB:F.3.4c",
    needs=(
        "BB:F.3.2",
        "BB:F.3.3",
        "BB:F.3.4a",
        "BB:F.3.4b",
        "BB:F.3.cons",
        "OURS:R5.limit/rate",
        "BB:F.3.4c/alpha",
    ),
    control={"four": Rational(5)},
)
def closed_form_of_the_degenerate_limit(*, four: Rational = Rational(4)) -> Evidence:
    r"""From every start with $\sigma>0$, for every $d$ and $\Lambda\neq0$ of any rank, it is
    derived that $|u_{-1}-\frac1\alpha|^2\leq\alpha^2E$ and $\|\Lambda\Lambda^\dagger
    U_{11}\Lambda\Lambda^\dagger-\alpha\Lambda^\dagger\|_F^2\leq4E/a^2$ with
    $E=2\mathcal{R}(0)e^{-2\lambda^3a^2t}/\lambda^3$, the least positive eigenvalue $\lambda$ of
    $\Lambda$, and a number $a>0$ that $u_{-1}$ never falls below; the rest of $U_{11}$ stays
    $\sigma P(\Theta\Theta^\top)$. Here $T\alpha^4+b\alpha^2=1$, of which the printed $\alpha$ is
    the root by a part of its own; `four` stands for the 4 under its root. The second route are
    integrated paths.
    """
    checked = r"U_{11}(t)\to\alpha\Lambda^{\dagger}+\sigma P(\Theta\Theta^{\top}),\ u_{-1}(t)\to 1/\alpha"
    limit = partial(printed_alpha, four=float(four))
    drawn = drawn_ends(limit, "balanced", singular=True)
    search = ends_at(limit, theta_starts(singular=True), checked=checked).replace(sides=(drawn,))
    return derivation("BB:F.3.4c", search, search, four=Fraction(int(four)))


@claim("BB:F.3.4c/start", needs=("BB:F.3.4c",), control={"four": Rational(5)})
def which_start_is_needed(*, four: Rational = Rational(4)) -> Evidence:
    r"""The printed condition $\Theta\Sigma\neq0$ is not $\Sigma\Theta\neq0$, but the limit needs
    neither when $\sigma>0$: what is derived for BB:F.3.4c supposes nothing of the kind.

    Theta = (0, 0; 1, 0), Sigma = diag(1, 0): Theta Sigma != 0 = Sigma Theta; then (0, 0; 0, 1) with
    both 0. The flow arrives.
    """
    thetas = {
        "Theta Sigma != 0 = Sigma Theta": np.array([[0.0, 0.0], [1.0, 0.0]]),
        "both 0": np.diag([0.0, 1.0]),
    }
    starts = [Start(name, np.diag([1.0, 0.0]), 0.5 * Theta @ Theta.T, 0.5) for name, Theta in thetas.items()]
    limit = partial(printed_alpha, four=float(four))
    drawn = drawn_ends(limit, "balanced outside the range of Sigma", singular=True)
    search = ends_at(limit, starts).replace(sides=(drawn,))
    return derivation("BB:F.3.4c", search, search, four=Fraction(int(four)))


@claim(
    "BB:F.3.fin/bounded",
    control=({"c": Fraction(9, 10)}, {"one": 2}),
    needs=("OURS:R5.cons/gradient", "OURS:R5.cons/entries", "BB:F.3.4c"),
)
def bounded_with_a_bayes_optimal_end(*, c: Fraction = Fraction(1), one: int = 1) -> Evidence:
    r"""Along the flow from a balanced start it is derived that $u^2$ and $\|U\|_F^2$ are at most
    $b+c\,k$ with `c` = 1, where $b$ is the part of $\|U(0)\|_F^2$ that $\Lambda$ does not see and
    $k=(\sqrt{2\mathcal{R}(0)}+\sqrt{\mathrm{tr}\,\Lambda})/\lambda_+^{3/2}$, in an eigenbasis of
    $\Lambda$. At the end of the flow, where $U=\alpha\Lambda^{\dagger}+P$ and $u=1/\alpha$,
    $\Lambda(uU)\Lambda=\Lambda$, so that the risk, whose double is $\mathrm{tr}((\Lambda
    uU\Lambda-\Lambda)(\Lambda uU-I)^{\top})$, is $0$: this is derived, and `one` multiplies
    $\Lambda uU\Lambda$. The second route of the bound is that $x(x-b)>k^2$ at $x=b+ck+h$ for every
    $h>0$.
    """
    h, (b, k) = sp.Symbol("h", positive=True), sp.symbols("b k", nonnegative=True)
    above = Rational(c) * k + h  # x - b
    beyond = forall((b + above) * above, ">", k**2, {h: (0, oo), b: Closed(0, oo), k: Closed(0, oo)})
    scaled = G + SCALAR * P(M)  # u U at the end, where u alpha = 1
    bracket = S * U - IDENTITY
    risk = trace_identity((bracket * S * bracket.T).tr(), ((one * S * U * S - S) * bracket.T).tr())
    return all_of(
        derivation("BB:F.3.fin/bounded", beyond, beyond, risk, c=c, one=one),
        trace_identity(S * scaled * S, S),
        risk,
    )


@claim(
    "BB:F.3.fin",
    control=({"c": Fraction(1, 2)}, {"any_start": True}),
    needs=("BB:F.3.4c", "BB:F.3.fin/bounded", "BB:T5.2", "BB:5.block", "BB:5.Rinf"),
    cites=CONSTANTS,
)
def theorem_5_2_for_a_degenerate_covariance(
    *, c: Fraction = Fraction(1), any_start: bool = False
) -> Evidence:
    r"""What is derived for BB:T5.2 asks nothing of the rank of $\Sigma\neq0$:
    $\mathcal{R}_L(\theta_L(t))\leq\varepsilon$ for all $L\geq L^\star$ and all times $t\geq T$, and
    $\mathcal{R}_\infty(\theta_\infty(t))\leq\varepsilon$ from $T$ on. Second route: for
    $\Sigma=\mathrm{diag}(1,0)$ the integrated flow has $\lim_t\mathcal{R}_L\leq\varepsilon$ from
    some length $L(\varepsilon)$ on, as has the infinite-prompt flow; `c` multiplies $\varepsilon$,
    and with `any_start` the flows start anywhere, such as at $\alpha=0$, where they rest.
    """
    checked = (
        r"\lim_t\mathcal R_L(U_L(t),V_L(t))\le\varepsilon,\quad L\ge L(\varepsilon),\ "
        r"\Sigma=\operatorname{diag}(1,0)"
    )
    instances = (*SINGULAR, *(ZERO if any_start else ()))
    search = trained_risk_below(instances, c, checked, zeros=1)
    limit = attained(instances, c, r"\lim_t\mathcal R_\infty(U_\infty(t),V_\infty(t))=0")
    return derivation("BB:T5.2", search, search, limit, c=c, any_start=any_start)
