"""Lemma 2.1 of Boursier & Boyer: on a Gaussian law of tokens the output of softmax attention is
affine in the query, and maps the law to a Gaussian law. Both are derived from the integrals in
every dimension, and compared with identities of matrices.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
from sympy import Rational

from numerics.evidence import Contradiction, Evidence, all_of, confirmed
from numerics.provers import identity, trace_identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import supported
from theory.attention.layer import gaussian_output
from theory.symbolic.algebra import Algebra

ALGEBRA = Algebra(general=["V", "K", "Q", "R"], symmetric=["Gamma"], vectors=["m", "a", "z"])
V, K, Q, R, Gamma, m, a, z = (ALGEBRA[name] for name in ("V", "K", "Q", "R", "Gamma", "m", "a", "z"))
LOG_MGF = a.T * m + a.T * Gamma * a / 2
#: What leads from a generating function to a law.
GENERATING_FUNCTION = "a law is determined by its moment generating function, if it is finite"
#: Means and covariances of Gaussian laws.
LAWS = (
    ([0.5], [[2.0]]),
    ([-1.0], [[0.0]]),
    ([1.0, -0.5], [[1.0, 0.4], [0.4, 0.3]]),
    ([0.0, 2.0], [[1.0, -1.0], [-1.0, 1.0]]),  # rank 1
    ([0.3, 0.1], [[1e-8, 0.0], [0.0, 4.0]]),
)


def by_cubature(mean: np.ndarray, covariance: np.ndarray, score: np.ndarray) -> np.ndarray:
    """int e^{a.z} z dmu / int e^{a.z} dmu from the definition, by a Gauss-Hermite product rule."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(50)
    values, vectors = np.linalg.eigh(covariance)
    g = np.stack([c.ravel() for c in np.meshgrid(*[nodes] * len(mean), indexing="ij")])
    mass = np.prod(np.meshgrid(*[weights] * len(mean), indexing="ij"), axis=0).ravel()
    tokens = mean[:, None] + vectors @ (np.sqrt(np.maximum(values, 0))[:, None] * g)
    tilt = mass * np.exp(score @ tokens - (score @ tokens).max())
    return np.asarray(tokens @ tilt / tilt.sum())


def lemma_by_cubature() -> Evidence:
    """Compare both sides of the lemma for full, singular, tiny and vanishing covariances."""
    worst = 0.0
    for mean, covariance in ((np.array(m), np.array(Gamma)) for m, Gamma in LAWS):
        d = len(mean)
        V_, K_, Q_ = (np.sin(np.arange(k, k + d * d)).reshape(d, d) for k in (1.0, 3.0, 8.0))
        for query in (np.zeros(d), np.ones(d), np.linspace(-1.5, 0.5, d)):
            formula = gaussian_output(mean, covariance, K_.T @ Q_, V_, query)
            direct = V_ @ by_cubature(mean, covariance, K_.T @ Q_ @ query)
            worst = max(worst, float(np.abs(direct - formula).max() / (1 + np.abs(formula).max())))
    if worst > 1e-9:
        raise Contradiction(
            f"the integral and the formula of Lemma 2.1 differ by {worst:.1e}; one of the two programs "
            "is wrong"
        )
    covered = (
        "d = 1, 2; Gamma regular, of rank 0 and 1, with an eigenvalue 1e-8; m zero or not; three queries"
    )
    return supported("quadrature", covered)


@claim("BB:L2.1.a/mgf", control={"half": Fraction(1)})
def log_moment_generating_function(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""The square $bx-\frac{x^2}{2}=\frac{b^2}{2}-\frac{(x-b)^2}{2}$ gives $\mathbb{E}e^{bg}$ on
    the line, and for $\Gamma=RR^{\top}$ and $b=R^{\top}a$ the sum over the coordinates of $b$ is
    $a^{\top}m+\frac12\|b\|^2=a^{\top}m+\frac12a^{\top}\Gamma a$. The factor of $b^2$ is `half`.
    """
    b, x = sp.symbols("b x", real=True)
    square = identity(b * x - x**2 / 2, Rational(half) * b**2 - (x - b) ** 2 / 2)
    b_, total = R.T * a, LOG_MGF.substitute("Gamma", R * R.T)
    return all_of(square, trace_identity(a.T * m + int(2 * half) * (b_.T * b_) / 2, total))


@claim("BB:L2.1.a", control={"half": Fraction(1)})
def output_of_a_gaussian_prompt(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""For tokens $Z=m+Rg$ with $g$ standard normal, so that $\Gamma=RR^{\top}$ is of any rank, and
    for every score $a^{\top}Z$, the output $V\,\mathbb{E}[e^{a^{\top}Z}Z]/\mathbb{E}e^{a^{\top}Z}$
    is derived to be $Vm+V\Gamma a$; `half` is half the factor of the second term. The second route
    is the gradient of the log moment generating function $a^{\top}m+\frac12a^{\top}\Gamma a$ at
    $a=K^{\top}Qz$, in every dimension, and cubature.
    """
    log_mgf = a.T * m + int(2 * half) * (a.T * Gamma * a) / 2
    output = V * log_mgf.grad("a").substitute("a", K.T * Q * z)
    found = trace_identity(output, V * m + V * Gamma * K.T * Q * z)
    search = confirmed(found, lemma_by_cubature()) if found.verdict.accepted else found
    return derivation("BB:L2.1.a", search, half=half)


@claim("BB:L2.1.b", control={"factor": 2}, cites=(GENERATING_FUNCTION,))
def image_of_the_measure_itself(*, factor: int = 1) -> Evidence:
    r"""For $z\sim\mathcal{N}(m,\Gamma)$, $\Gamma=RR^\top$ of any rank, and every $c$ it is derived
    that $\mathbb{E}e^{c^\top T}=e^{c^\top\bar m+\frac12c^\top Cc}$ for the output $T$ of attention
    on $\mu$ at $z$, with the printed mean $\bar m$ and covariance $C$, each times `factor` = 1; so
    $T$ is Gaussian. The second route computes the two moments of $Vm+V\Gamma K^{\top}Qz$.
    """
    T, M = V * m + V * Gamma * K.T * Q * z, V * Gamma * K.T * Q
    mean = V * (ALGEBRA.I + Gamma * K.T * Q) * m
    covariance = ((T - mean) * (T - mean).T).gauss("z", Gamma, mean=m)
    search = all_of(
        trace_identity(T.gauss("z", Gamma, mean=m), factor * mean),
        trace_identity(covariance, factor * (M * Gamma * M.T)),
    )
    return derivation("BB:L2.1.b", search, factor=factor)
