"""Section 6 and Appendix A of Boursier & Boyer, those statements that are no experiments: the data,
ridge regression as the best predictor, and the factor 1/L of linear attention. They are identities
for every dimension, and one inequality that is tried by quadrature.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy import Rational, oo

from numerics.counterexamples.drawn.computed import Computed, Decades, Share
from numerics.evidence import Contradiction, Evidence, all_of, confirmed
from numerics.provers import Closed, computed, forall, identity, trace_identity
from numerics.regression.softmax_vs_linear.output import gap_of_moments, output_gap
from numerics.seeds import current_seed, generator
from proofs_check.core.claim import claim
from proofs_check.instances.outcomes import refuted_exactly, supported, undecided
from proofs_check.instances.plain_weights import plain_weights
from theory.regression.finite_prompt import ridge_penalty
from theory.symbolic.algebra import Algebra

Floats = NDArray[np.float64]
#: Lengths at which drawn scores are tried.
LENGTHS = (1.0, 2.0, 3.0, 10.0, 1e2, 1e4, 1e8, 1e16, 1e30)

# -- the data --------------------------------------------------------------------------------------


@claim("BB:S6.data", control={"power": 1}, needs=("OURS:R6/scale", "BB:R5.3.noise/risk"))
def the_theory_carries_over_to_the_data(*, power: int = 2) -> Evidence:
    r"""For every $d$ tasks $\mathcal{N}(0,\omega^2I)$ have $\omega^2$ times the risk of (11), so
    that the flow has the same orbits and limits; with $w\sim\mathcal{N}(0,I/d)$ and noise
    $\frac1{10}$ the penalty of ridge regression is $d/10$. Here `power` stands for the exponent of
    $\omega$.
    """
    A = Algebra(general=["U"], symmetric=["S"], vectors=["w", "x"], params=["u", "om"])
    S, U, w, x, u, om = (A[name] for name in ("S", "U", "w", "x", "u", "om"))
    residual = u * (w.T * S * U * x) - w.T * x
    loss = (residual * residual / 2).gauss("x", S)
    d = sp.Symbol("d", positive=True)
    scaled = trace_identity(
        loss.gauss("w", om * om * A.I), (om * om if power == 2 else om) * loss.gauss("w", A.I)
    )
    return all_of(
        scaled,
        identity(computed(r"\tau^2/\omega^2", ridge_penalty(Rational(1, 10), 1 / d)), d ** (power - 1) / 10),
    )


# -- ridge regression ------------------------------------------------------------------------------


@claim("BB:S6.ridge/posterior", control={"factor": 2})
def completing_the_square(*, factor: int = 1) -> Evidence:
    r"""Completing the square gives $y^\top y-2b^\top w+w^\top X^\top Xw+\lambda w^\top
    w=(w-Jb)^\top N(w-Jb)+y^\top y-b^\top Jb$ with $N=X^\top X+\lambda I$, $J=N^{-1}$ and $b=X^\top
    y$; `factor` multiplies the square.

    Up to the factor $-1/(2\tau^2)$ the left side is the logarithm of prior times likelihood,
    $\lambda=\tau^2/\omega^2$ (`ridge_penalty`), so the posterior of $w$ is
    $\mathcal{N}(Jb,\tau^2J)$, for every $X$, $L$ and $d$.
    """
    A = Algebra(symmetric=["N", "J"], vectors=["w", "b", "y"], params=["l"], inverse=[("N", "J")])
    N, J, w, b, y, l = (A[name] for name in ("N", "J", "w", "b", "y", "l"))
    gram = N - l * A.I
    left = y.T * y - 2 * (b.T * w) + w.T * gram * w + l * (w.T * w)
    square = factor * ((w - J * b).T * N * (w - J * b)) + y.T * y - b.T * J * b
    return trace_identity(left, square)


@claim(
    "BB:S6.ridge",
    control={"penalty": Fraction(2)},
    needs=("BB:S6.ridge/posterior",),
    cites=(
        "the mean minimises the mean square",
        "the mean of a Gaussian posterior is where its density is largest",
    ),
)
def the_optimal_estimator_is_ridge_regression(*, penalty: Fraction = Fraction(1)) -> Evidence:
    r"""At every eigenvalue $e$ of $X^\top X$ the error $(\omega^2l^2+\tau^2e)/(e+l)^2$ of ridge
    regression with the penalty $l$ is least at $l=\tau^2/\omega^2$; `penalty` multiplies this
    value.
    """
    l, mu = sp.symbols("l mu", positive=True)
    e = sp.Symbol("e", nonnegative=True)
    tuned = Rational(penalty) * mu
    error = lambda k: (k**2 + mu * e) / (e + k) ** 2  # in units of om2
    ranges = {e: Closed(0, oo), l: (0, oo), mu: (0, oo)}
    found = forall(error(l), ">=", error(tuned), ranges)
    if not found.verdict.accepted:
        return found
    least = identity(error(mu), mu / (e + mu))
    return confirmed(
        all_of(found.replace(control=forall(error(l), ">=", error(2 * mu), ranges)), least), by_prompts()
    )


def by_prompts(prompts: int = 20_000, sigmas: float = 7.0) -> Evidence:
    """Compare, on drawn prompts of L = 8 tokens, the errors of ridge regression with the penalty d
    tau^2, with half and twice of it, and with the trace of the posterior covariance.
    """
    rng, d, L, tau2 = generator(9), 5, 8, 0.1
    X, w = rng.standard_normal((prompts, L, d)), rng.standard_normal((prompts, d)) / np.sqrt(d)
    y = np.einsum("nld,nd->nl", X, w) + np.sqrt(tau2) * rng.standard_normal((prompts, L))
    gram, b, penalty = (
        np.einsum("nli,nlj->nij", X, X),
        np.einsum("nli,nl->ni", X, y),
        float(ridge_penalty(tau2, 1 / d)),
    )
    ridge = lambda k: np.linalg.solve(gram + k * penalty * np.eye(d), b[..., None])[..., 0]
    errors = [((ridge(k) - w) ** 2).sum(axis=1) for k in (1, 0.5, 2)]
    for other in errors[1:]:
        gain = other - errors[0]
        if gain.mean() < -sigmas * gain.std() / np.sqrt(prompts):
            raise Contradiction(f"another penalty beats d tau^2 by {gain.mean():.2e} on drawn prompts")
    exact = tau2 * np.linalg.inv(gram + penalty * np.eye(d)).trace(axis1=1, axis2=2)
    gap = errors[0] - exact
    if abs(gap.mean()) > sigmas * gap.std() / np.sqrt(prompts):
        raise Contradiction(
            f"the error is not the trace of the posterior covariance: off by {gap.mean():.2e}"
        )
    covered = (
        "d = 5, L = 8, noise 1/10: against half and twice the penalty, and the trace of the posterior "
        "covariance"
    )
    return supported("Monte Carlo", covered, samples=prompts, seed=current_seed(), error=1e-6)


# -- the factor 1/L --------------------------------------------------------------------------------

ALGEBRA = Algebra(general=["V"], symmetric=["S"], vectors=["a", "x"], params=["h"])


@claim("BB:A.1.norm/mean", control={"factor": 2})
def mean_of_linear_attention(*, factor: int = 1) -> Evidence:
    r"""For a token $x\sim\mathcal{N}(0,S)$ and $a=K^\top Qz$ in every dimension, $\mathbb{E}(a^\top
    x)Vx=VSa$; `factor` multiplies the right side.

    With $1/L$ before the sum over tokens this is the mean of the output, for every $L$. With the
    factor $L^{-k}$ the mean is $L^{1-k}VSa$, and its limit is that of softmax attention only for
    $k=1$.
    """
    V, S, a, x = (ALGEBRA[name] for name in ("V", "S", "a", "x"))
    return trace_identity(((a.T * x) * (V * x)).gauss("x", S), factor * (V * S * a))


@claim("BB:A.1.norm/variance", control={"factor": 2})
def variance_of_linear_attention(*, factor: int = 1) -> Evidence:
    r"""The variance of a term of linear attention is $\mathbb{E}\|(a^\top
    x)Vx\|^2-\|VSa\|^2=(a^\top Sa)\,{\rm tr}(VSV^\top)+\|VSa\|^2$; `factor` multiplies the last
    term.

    Tokens are independent, so that the error of linear attention is $(st+q)/L$.
    """
    V, S, a, x = (ALGEBRA[name] for name in ("V", "S", "a", "x"))
    square = ((a.T * x) * (a.T * x) * ((V * x).T * (V * x))).gauss("x", S)
    limit = (V * S * a).T * (V * S * a)
    return trace_identity(square - limit, (a.T * S * a) * (V * S * V.T).tr() + factor * limit)


@claim(
    "BB:A.1.norm",
    control={"power": Rational(3, 4)},
    needs=("BB:A.1.norm/mean", "BB:A.1.norm/variance", "OURS:R4.A", "BB:B.2"),
)
def both_architectures_have_one_limit(*, power: Rational = Rational(1)) -> Evidence:
    r"""With the factor $1/L$ in linear attention, $\mathbb{E}\|T_{\rm soft}-T_{\rm lin}\|^2\leq
    2(e^s(t+q)+st+q)/L$ with $s$, $t$ and $q$ as in our Theorem A; this is computed on the line,
    where $t=1$ and $q=s$. Here `power` stands for the exponent 1 of that factor.

    For another power the means alone are apart: $|L^{1-k}-(1-P_2)|^2q\geq(L^{1-k}-1)^2q$ for the
    factor $L^{-k}$ with $k<1$.
    """
    return _on_the_line(power).replace(sides=(one_limit(float(power)),))


def of_both_errors(s: Any, t: Any, q: Any, L: Any, e: Any = np.exp) -> Any:
    """The bound: twice that of Theorem A and the variance of linear attention."""
    return 2 * (e(s) * (t + q) + s * t + q) / L


def one_limit(power: float) -> Computed:
    """The bound at drawn scores and lengths, t = 1."""
    at = lambda gap, q: gap.of_t + q * gap.of_c2
    lengths = np.array(LENGTHS)

    def sides(s: float, share: float) -> tuple[Floats, Floats]:
        q = share * s
        gap = at(output_gap(s, lengths, factor=lengths ** (1 - power)), q)
        return gap, of_both_errors(s, 1, q, lengths)

    def again(s: float, share: float, L: float) -> float:
        return float(at(gap_of_moments(plain_weights(s, L), s, L, factor=L ** (1 - power)), share * s))

    return Computed(
        "t = 1, s up to 36, every q <= s t, L = 1 to 1e30",
        {"s": Decades(1e-3, 36.0, zero=True), "share": Share()},
        sides,
        again,
        along=("L", LENGTHS),
        where=lambda s, share: {"s": s, "t": 1, "q": share * s},
    )


def _on_the_line(power: Rational) -> Evidence:
    if power < 1:
        s, L = 1, 10**4
        bound, least = of_both_errors(s, 1, 1, L, sp.exp), (sp.Integer(L) ** (1 - power) - 1) ** 2
        witness = {"d": 1, "Gamma": 1, "V": 1, "Uz": s, "L": L, "at least": str(least), "bound": str(bound)}
        refuted = refuted_exactly(witness)
        return refuted if least > bound else undecided("exact arithmetic", "not apart yet")
    worst: tuple[float, dict[str, float]] = (0.0, {})
    for x in (0.0, 0.1, 1.0, 4.0):
        for n in (1, 10, 10**4, 10**8, 10**16):
            above = of_both_errors(x, 1, x, n)
            gap = output_gap(x, n)
            most = float(gap.of_t + x * gap.of_c2)
            if most > above * (1 + 1e-9):
                return undecided("quadrature", f"{most} > {above} at s = {x}, L = {n}")
            worst = max(worst, (most / above, {"s": x, "L": n}), key=lambda pair: pair[0])
    covered = "d = 1, s = 0, 1/10, 1, 4, L = 1 to 1e16, by the exact distance of both architectures"
    found = supported("quadrature", covered, slack=1 / worst[0], tightest=worst[1])
    return confirmed(found, drawn_outputs())


def drawn_outputs(prompts: int = 20_000, L: int = 50) -> Evidence:
    """Compare the mean squared distance of the outputs on drawn prompts, d = 2, with the bound."""
    rng, a, V = generator(10), np.array([0.8, -0.5]), np.array([[1.0, 0.5]])
    z = rng.standard_normal((prompts, L, 2))
    scores, values = z @ a, z @ V[0]
    p = np.exp(scores)
    gap = ((p * values).sum(axis=1) / p.sum(axis=1) - (scores * values).mean(axis=1)) ** 2
    s, t, q = float(a @ a), float((V @ V.T)[0, 0]), float((V @ a)[0] ** 2)
    bound = of_both_errors(s, t, q, L)
    if gap.mean() - 7 * gap.std() / np.sqrt(prompts) > bound:
        raise Contradiction(f"drawn prompts have {gap.mean():.3g} above the bound {bound:.3g}")
    covered = f"d = 2, L = {L}: {gap.mean():.3g} against {bound:.3g}"
    return supported("Monte Carlo", covered, samples=prompts, seed=current_seed(), error=1e-6)
