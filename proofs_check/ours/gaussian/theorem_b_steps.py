"""Theorem B, the steps of its proof. Beyond lambda = 1/2 the error is carried by queries with s = y
ln L. There one token dominates: its score u above ln L + s/2 has the weight e^u/(1 + e^u) and the
density L (2 pi s)^{-1/2} exp(-(ln L + s/2)^2/(2s) - theta u), theta = 1/y + 1/2.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
from sympy import oo

from numerics.attention.quadrature.query_form import quadratic_form_law
from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import computed, forall, identity
from numerics.provers.integrals import integral_evidence
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import supported, undecided
from theory.attention.gaussian_errors import gaussian_second_moment
from theory.attention.query_average import decay_exponent, limit_constant, theorem_B

b, m, y, Lambda, x = sp.symbols("b m y Lambda x", positive=True)  # Lambda = ln L
HALF = sp.Rational(1, 2)
LAMBDA = 1 / (b**2 + b)


def _exponent(y: sp.Expr) -> sp.Expr:
    """ln of density times error at s = y ln L in units of ln L."""
    return 1 - (1 + y / 2) ** 2 / (2 * y) - y / (2 * LAMBDA)


@claim("OURS:R4.B/flat", control={"factor": Fraction(2)}, needs=("OURS:R4.c",))
def without_scores(*, factor: Fraction = Fraction(1)) -> Evidence:
    r"""For $\lambda=0$ the averaged error is $t/L$ for every $L$, which is derived: $s=0$ at every
    query, so that $q\leq ts=0$, and $\frac1L\leq P_2\leq\frac{e^s}{e^s+L-1}$. Here `factor`
    multiplies $t/L$. The second route puts weights $\frac1L$ into R4.c.
    """
    L, t = sp.Symbol("L", integer=True, positive=True), sp.Symbol("t", positive=True)
    error = computed(r"P_2(t+q)-6(P_3-Q)q", gaussian_second_moment(1 / L, 1 / L**2, 1 / L**2, t, 0))
    return derivation("OURS:R4.B/flat", identity(error, factor * t / L), factor=factor)


@claim("OURS:R4.B/gauss", control={"power": Fraction(1)})
def tilted_gaussian_in_one_direction(*, power: Fraction = Fraction(1, 2)) -> Evidence:
    r"""With $m=1-2\lambda>0$, $e^{\lambda x^2}e^{-x^2/2}=m^{-1/2}(m^{1/2}e^{-mx^2/2})$; `power`
    stands for the $\frac12$ of the first exponent.
    """
    mu, z = sp.Symbol("mu", positive=True), sp.Symbol("x", real=True)
    lam = (1 - mu) / 2
    return identity(
        sp.exp(lam * z**2) * sp.exp(-(z**2) / 2), mu ** (HALF - sp.Rational(power)) * sp.exp(-mu * z**2 / 2)
    )


def _average_of_the_envelope() -> Evidence:
    """E e^s (t + q), by an integral over the law of s, beside C1, for full and singular forms."""
    rng, worst = np.random.default_rng(3), 0.0
    for d in (1, 2, 3, 5):
        for rank in {1, d}:
            root, other = rng.standard_normal((d, rank)), rng.standard_normal((d, d))
            A, N, t = root @ root.T, other @ other.T, float(rng.random())
            A *= 0.3 / np.linalg.eigvalsh(A)[-1]
            law = quadratic_form_law(A, N, log_reach=40.0)
            values, vectors = np.linalg.eigh(A)
            weights = np.diag(vectors.T @ N @ vectors)
            closed = float(limit_constant(np.maximum(values, 0).tolist(), weights.tolist(), t))
            worst = max(worst, abs(float(np.exp(law.nodes) @ (t * law.density + law.moment)) / closed - 1))
    if worst > 1e-9:
        return undecided("quadrature", f"C1 and the integral differ by {worst:.1e}")
    return supported("quadrature", f"d = 1, 2, 3, 5, random A and N, to {worst:.0e}")


@claim("OURS:R4.B/determinant", control={"half": Fraction(1)}, needs=("OURS:R4.B/gauss",))
def constant_in_matrices(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""The constant $C_1$ is $\det(I-2A)^{-1/2}(t+{\rm tr}(N(I-2A)^{-1}))$, which is executed in an
    eigenbasis for $d=2$ and every rotation; `half` stands for the $\frac12$.
    """
    one, two, k, t = sp.symbols("mu_1 mu_2 k t", positive=True)  # mu_j = 1 - 2 lambda_j
    n11, n12, n22 = sp.symbols("n_11 n_12 n_22", real=True)
    O = sp.Matrix([[1 - k**2, 2 * k], [-2 * k, 1 - k**2]]) / (1 + k**2)
    M, N = O * sp.diag(one, two) * O.T, sp.Matrix([[n11, n12], [n12, n22]])
    turned = O.T * N * O
    inverse = O * sp.diag(1 / one, 1 / two) * O.T
    weights = [turned[0, 0], turned[1, 1]]
    closed = computed("C_1", limit_constant([(1 - one) / 2, (1 - two) / 2], weights, t))
    eigen = (t + weights[0] / one + weights[1] / two) / (one * two) ** sp.Rational(half)
    parts = (
        identity(M * inverse, sp.eye(2)),
        identity(computed(r"\det(I-2A)", M.det()), one * two),
        identity((N * inverse).trace(), weights[0] / one + weights[1] / two),
        identity(closed, eigen),
    )
    found = all_of(*parts).replace(dimension="d = 2")
    return confirmed(found, _average_of_the_envelope()) if found.verdict.accepted else found


@claim("OURS:R4.B/exponent", control=({"half": Fraction(1, 3)}, {"share": Fraction(3, 2)}))
def largest_exponent(*, half: Fraction = Fraction(1, 2), share: Fraction = Fraction(3, 4)) -> Evidence:
    r"""For $\frac1\lambda=b^2+b$, the largest value of $1-\frac{(1+y/2)^2}{2y}-\frac y{2\lambda}$
    is $-b$, at $y=1/(b+\frac12)$ only, because it falls short of $-b$ by $(1-y(b+\frac12))^2/(2y)$;
    there the second derivative is $-1/y^3$, and $\theta=\frac1y+\frac12=b+1$. Here `half` stands
    for the $\frac12$ of $b+\frac12$; that the exponent is below $-b$ elsewhere is proved with
    `share` of this square to spare.
    """
    best, off = 1 / (b + sp.Rational(half)), sp.Symbol("off", positive=True)

    def below(place: sp.Expr) -> Evidence:
        square = (1 - place / best) ** 2 / (2 * place)
        return forall(_exponent(place), "<", -b - sp.Rational(share) * square, {b: (0, oo), off: (0, oo)})

    return all_of(
        identity(sp.Subs(_exponent(y), y, best), -b),
        below(best + off),
        below(best / (1 + off)),
        identity(-b - _exponent(y), (1 - y / best) ** 2 / (2 * y)),
        identity(_exponent(y).diff(y, 2).subs(y, best), -1 / best**3),
        identity(decay_exponent(LAMBDA), b),
        identity(sp.Subs(1 / y + HALF, y, best), b + 1),
    )


@claim(
    "OURS:R4.B/token",
    cites=("Euler's Beta integral, B(x, y) = Gamma(x) Gamma(y)/Gamma(x + y)", "Euler's reflection formula"),
    control=({"six": 5}, {"power": 2}),
)
def factor_of_the_dominating_token(*, six: int = 6, power: int = 1) -> Evidence:
    r"""With $w=e^u/(1+e^u)$ the integrand $w^ke^{-\theta u}$ of a moment of one token is that of
    the Beta function $B(k-\theta,\theta)$ times $\frac{dw}{du}$. At $\theta=1+b$ the moment
    $P_2-6P_3+6Q$ is $B(1-\frac62(1-b)+\frac66(1-b)(2-b))=b^2B$ with $B=B(1-b,1+b)$, since
    $B(x+1,y)=B(x,y)\,x/(x+y)$, and $B=\Gamma(1-b)\Gamma(1+b)=\pi b/\sin(\pi b)$. Here `six` stands
    for the 6 of both numerators, and `power` for that of $\frac{dw}{du}$.
    """
    k, theta = sp.symbols("k theta", positive=True)  # y = e^-u, so that w = 1/(1 + y)
    token, slope = 1 / (1 + y), y / (1 + y) ** 2
    beta = token ** (k - theta - 1) * (y / (1 + y)) ** (theta - 1)
    moment = identity(token**k * y**theta, beta * slope**power)
    B, u = sp.Symbol("B", positive=True), sp.Symbol("u", real=True)
    step = lambda p, q: p / (p + q)
    third = B * step(1 - b, 1 + b)
    fourth = third * step(2 - b, 1 + b)
    found = all_of(moment, identity(B - six * third + six * fourth, b**2 * B))
    if not found.verdict.accepted:
        return found
    w = 1 / (1 + sp.exp(-u))
    at = sp.Rational(1, 2)
    integrand = sp.exp(-(1 + at) * u) * (w**2 - 6 * w**3 + 6 * w**4)
    value = at**2 * sp.pi * at / sp.sin(sp.pi * at)
    route = integral_evidence(
        integrand, u, (-sp.oo, sp.oo), "==", value, tail=13 * sp.exp(-u / 2), rel=Fraction(1, 10**10)
    )
    return confirmed(found, route)


@claim("OURS:R4.B/laplace", control={"two": 3}, needs=("OURS:R4.B/exponent", "OURS:R4.B/token"))
def constant_of_the_laplace_argument(*, two: int = 2) -> Evidence:
    r"""For every $m$ the density of $s$, $\rho s$, $(2\pi s)^{-1/2}$, the factor $b^2\pi b/\sin(\pi
    b)$ of the token and $\sqrt{2\pi y^3/\ln L}$ multiply to $C_m(\ln L)^{m/2}$; `two` stands for
    the 2 of the root.
    """
    best, F = 1 / (b + HALF), sp.Symbol("F", positive=True)  # F = (pi b/sin(pi b))/Gamma(m/2)
    s = best * Lambda
    density = s ** (m / 2 - 1) / (2 * LAMBDA) ** (m / 2)
    product = (
        density * s / sp.sqrt(2 * sp.pi * s) * b**2 * F * Lambda * sp.sqrt(two * sp.pi * best**3 / Lambda)
    )
    C = (b * (b + 1) / (2 * b + 1)) ** (m / 2) * 2 * b**2 / (2 * b + 1) * F
    return identity(product, C * Lambda ** (m / 2))


@claim("OURS:R4.B/critical", control={"share": Fraction(3, 4)})
def constant_at_one_half(*, share: Fraction = Fraction(2, 3)) -> Evidence:
    r"""At $s=\frac23\ln L$, $\theta=(\ln L+\frac s2)/s$ is 2, and the integral of $s^{m/2}$ up to
    there is $(\frac23\ln L)^{m/2+1}/(\frac m2+1)$, which gives the constant of our asymptotic law
    for $m=1,2,3,4$. Here `share` stands for the $\frac23$.
    """
    part = sp.Rational(share)
    edge = identity(sp.Subs((Lambda + y / 2) / y, y, part * Lambda), 2)
    integral = identity(sp.Derivative(x ** (m / 2 + 1) / (m / 2 + 1), x), x ** (m / 2))
    constants = []
    for k in (1, 2, 3, 4):
        half = sp.Rational(k, 2)
        constant = computed(rf"c,\ m = {k}", theorem_B([HALF] * k, [HALF] * k, sp.S.One).constant)
        constants.append(identity(constant, part ** (half + 1) / (half + 1) / sp.gamma(half)))
    return all_of(edge, integral, *constants)
