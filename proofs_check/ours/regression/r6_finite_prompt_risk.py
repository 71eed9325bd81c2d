"""R6: the in-context risk of softmax attention in closed form at every prompt length, and its
gradient where the covariance is the identity.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy import Rational

from numerics.evidence import Contradiction, Evidence, all_of, confirmed
from numerics.provers import computed, identity, trace_identity
from numerics.regression.risk.gap_to_infinite_prompt import finite_prompt_risk
from numerics.seeds import current_seed, generator
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import supported
from proofs_check.ours.gaussian.r4_gaussian_moments import STEIN, TOKENS, pi
from theory.attention.gaussian_errors import covariance_of_mean_token, gaussian_bias
from theory.regression.finite_prompt import error_at_query
from theory.regression.task import RegressionTask
from theory.symbolic.algebra import Algebra

Floats = NDArray[np.float64]
#: A mean token m = sum p_k x_k, the query x, the task w, and the mean e of the label noise of the
#: prompt.
ALGEBRA = Algebra(symmetric=["S"], vectors=["m", "x", "w", "h"], params=["u"])
m, x, w, h, u_ = (ALGEBRA[name] for name in ("m", "x", "w", "h", "u"))
P2, P3, Q, trace, x2, h2 = sp.symbols("P2 P3 Q trS x2 h2", nonnegative=True)
u, xh = sp.symbols("u xh", real=True)
tau2, om2 = sp.Symbol("tau2", nonnegative=True), sp.Symbol("om2", positive=True)


@claim("OURS:R6/task", control=dict(of_noise=2))
def average_over_task_and_noise(*, of_noise: int = 1) -> Evidence:
    r"""For every $d$, $\mathbb{E}_w(u\,w^\top m-w^\top x)^2=|um-x|^2$ with $w\sim\mathcal{N}(0,I)$,
    and label noise $e\sim\mathcal{N}(0,\tau^2I)$ adds $\mathbb{E}_e(u\,p^\top e)^2=u^2\tau^2\pi_2$
    for weights $p$ of any length; `of_noise` multiplies the latter.
    """
    residual = u_ * (w.T * m) - w.T * x
    task = trace_identity((residual * residual).gauss("w", ALGEBRA.I), (u_ * m - x).T * (u_ * m - x))
    prompt = Algebra(vectors=["p", "e"], params=["u", "t"])  # of dimension L; t = tau^2
    p, e, v, t = (prompt[name] for name in ("p", "e", "u", "t"))
    mean = (v * v * (p.T * e) * (p.T * e)).gauss("e", t * prompt.I)
    return all_of(task, trace_identity(mean, of_noise * v * v * t * (p.T * p)))


@claim("OURS:R6/second_moment", control=dict(six=5), needs=("OURS:R4.a", "OURS:R4.b"), cites=STEIN)
def second_moment_of_the_mean_token(*, six: int = 6) -> Evidence:
    r"""For every form $v$, $\mathbb{E}\,v(m)=(1-P_2)v(h)$ and $\mathbb{E}\,v(m)^2=P_2v^\top
    Sv+(1-P_2-6P_3+6Q)v(h)^2$, by Stein's lemma; `six` stands for the 6 before $P_3$. The second is
    also the covariance of R4 (b) with the mean put back; summed over a basis of forms it is
    $\mathbb{E}|m|^2$.
    """
    form = TOKENS.sum(1, "v")
    h_v, Gamma_vv = TOKENS.symbols[-4], TOKENS.symbols[-1]
    first = identity(computed(r"\mathbb{E}\,v(m)", form.expectation()), h_v + gaussian_bias(pi[2], h_v))
    factor = 1 - pi[2] - six * pi[3] + 6 * pi[2] ** 2
    second = identity((form**2).expectation(), pi[2] * Gamma_vv + factor * h_v**2)
    G, H = sp.Matrix([[Gamma_vv]]), sp.Matrix([h_v])
    put_back = covariance_of_mean_token(P2, P3, Q, G, H)[0, 0] + 2 * (1 - P2) * h_v**2 - h_v**2
    again = identity(put_back, P2 * Gamma_vv + (1 - P2 - six * P3 + 6 * Q) * h_v**2)
    return all_of(first, second, again).replace(cites=STEIN)


@claim("OURS:R6/scale", control=dict(of_noise=2))
def tasks_of_another_variance(*, of_noise: int = 1) -> Evidence:
    r"""For tasks of variance $\omega^2$, $\omega^2$ times the error at a query with noise
    $\tau^2/\omega^2$ is $\omega^2$ times the error without noise plus $u^2\tau^2P_2$; `of_noise`
    multiplies this term.
    """
    at = dict(trace=trace, h2=h2, xh=xh, x2=x2, u=u)
    left = om2 * error_at_query(P2, P3, Q, **at, noise=tau2 / om2)
    return identity(left, om2 * error_at_query(P2, P3, Q, **at) + of_noise * u**2 * tau2 * P2)


def by_all_scores(L: int = 2, step: float = 0.25) -> Evidence:
    """R6 for d = 1, L = 2 and label noise beside a trapezoid rule over both tokens and the query,
    with every average over w done by hand.
    """
    axis = step * np.arange(-34, 35)
    mass = np.exp(-(axis**2) / 2) * step / np.sqrt(2 * np.pi)
    worst = 0.0
    for s, a, v, noise in ((1.0, 0.6, 1.3, 0.0), (0.5, 1.0, -0.7, 0.3), (2.0, 0.4, 0.9, 1.0)):
        first, second, query = (np.sqrt(s) * g for g in np.meshgrid(axis, axis, axis, indexing="ij"))
        p = 1 / (1 + np.exp((second - first) * a * query))
        mean, pi2 = p * first + (1 - p) * second, p**2 + (1 - p) ** 2
        error = (v * mean - query) ** 2 + v**2 * noise * pi2 + noise
        direct = float(np.einsum("ijk,i,j,k->", error, mass, mass, mass)) / 2
        formula = float(
            finite_prompt_risk([[a]], v, RegressionTask([[s]], noise=noise, task_variance=1.0), L)
        )
        worst = max(worst, abs(formula / direct - 1))
    if worst > 1e-8:
        raise Contradiction(f"R6 and the integral over both tokens differ by {worst:.1e}")
    return supported("quadrature", f"d = 1, L = 2, three parameters, to {worst:.0e}")


def by_prompts(prompts: int = 40_000, sigmas: float = 7.0) -> Evidence:
    """R6 beside drawn prompts, tasks and noise, for d = 2, L = 5, a U that is not symmetric, and w
    of variance 1/2.
    """
    rng, L, noise = generator(6), 5, 0.3
    S, U, v = np.array([[1.0, 0.4], [0.4, 0.5]]), np.array([[0.6, 0.3], [-0.2, 0.5]]), 1.3
    root = np.linalg.cholesky(S).T
    tokens, query = rng.standard_normal((prompts, L, 2)) @ root, rng.standard_normal((prompts, 2)) @ root
    task = np.sqrt(0.5) * rng.standard_normal((prompts, 2))
    labels = np.einsum("nld,nd->nl", tokens, task) + np.sqrt(noise) * rng.standard_normal((prompts, L))
    p = np.exp(np.einsum("nld,de,ne->nl", tokens, U, query))
    prediction = v * (p * labels).sum(axis=1) / p.sum(axis=1)
    answer = (task * query).sum(axis=1) + np.sqrt(noise) * rng.standard_normal(prompts)
    loss = (prediction - answer) ** 2 / 2
    score = abs(
        float(loss.mean())
        - float(finite_prompt_risk(U, v, RegressionTask(S, noise=noise, task_variance=0.5), L))
    )
    score /= float(loss.std()) / np.sqrt(prompts)
    if score > sigmas:
        raise Contradiction(f"R6 and {prompts} drawn prompts differ by {score:.1f} standard errors")
    covered = f"d = 2, L = 5, label noise, tasks of variance 1/2: {score:.1f} standard errors"
    return supported("Monte Carlo", covered, samples=prompts, seed=current_seed(), error=1e-6)


@claim(
    "OURS:R6",
    control=(dict(six=5), dict(of_label=2)),
    needs=("OURS:R4.a", "OURS:R4.b", "OURS:R6/task", "OURS:R6/second_moment", "OURS:R6/scale"),
)
def risk_at_every_prompt_length(*, six: int = 6, of_label: int = 1) -> Evidence:
    r"""Half the mean squared error at a query is the displayed bracket with the noise of the label:
    it is derived from the definition of softmax attention for every $L$, $d$ and query, any $U$ and
    $u$, tasks of any variance $\omega^2$, and label noise on prompt and query. Stein's lemma is
    cited. Averaged over queries of any law with four
    moments, this is the risk.

    Tried is that the parts put together are the bracket at $\omega=1$; two routes that do not know
    Stein's lemma confirm it. Here `six` stands for the 6 before $P_3$, and `of_label` multiplies
    $u^2\tau^2P_2$.
    """
    mean_square, product = P2 * trace + (1 - P2 - six * P3 + 6 * Q) * h2, (1 - P2) * xh
    assembled = u**2 * mean_square - 2 * u * product + x2 + of_label * u**2 * tau2 * P2
    formula = error_at_query(P2, P3, Q, trace=trace, h2=h2, xh=xh, x2=x2, u=u, noise=tau2)
    proof = identity(assembled, formula)
    whole = confirmed(proof, by_all_scores(), by_prompts())
    return derivation("OURS:R6", proof, whole, six=six, of_label=of_label)


def by_differences(step: float = 1e-4) -> Evidence:
    """By differences of the risk its gradient in the entries of U at c I, S = I, is a multiple g I
    of the identity with dR/dc = d g.
    """
    worst = 0.0
    for d, c, v, L, noise in ((2, 0.7, 1.2, 10, 0.3),):
        task = RegressionTask(np.eye(d), noise=noise, task_variance=1.0)
        risk = lambda U, v=v, task=task, L=L: float(finite_prompt_risk(U, v, task, L))
        unit = np.eye(d * d).reshape(d * d, d, d)
        slopes = [
            (risk(c * np.eye(d) + step * e) - risk(c * np.eye(d) - step * e)) / (2 * step) for e in unit
        ]
        G = np.array(slopes).reshape(d, d)
        by_c = (risk((c + step) * np.eye(d)) - risk((c - step) * np.eye(d))) / (2 * step)
        worst = max(worst, float(np.abs(G - by_c / d * np.eye(d)).max()))
    if worst > 1e-6:
        raise Contradiction(f"the gradient at c I is not (1/d) dR/dc I: off by {worst:.1e}")
    covered = f"d = 2, L = 10, label noise, to {worst:.0e}"
    return supported("finite differences", covered)


@claim(
    "OURS:R6.iso",
    control={"share": Fraction(2)},
    needs=("OURS:R6", "BB:5.block"),
    cites=("uniqueness of the solution of an ordinary differential equation",),
)
def isotropic_flow(*, share: Fraction = Fraction(1)) -> Evidence:
    r"""For $S=I$ and every $d$ the derivatives of $s$, $|h|^2$ and $x^\top h$ at $U=cI$ in the
    direction $E$ are $2c\,x^\top Ex$, $2c\,x^\top Ex$ and $x^\top Ex$, so that the flow stays on
    the line of the $cI$.

    So $F(s,|h|^2,x^\top h)$ has the slope $(2c(F_s+F_h)+F_{xh})x^\top Ex$, which for $E=I$ is
    $dF/dc$: a function of $|x|^2$ times $x^\top Ex$. Then $d\,\mathbb{E}[|x|^{2k}x^\top Ex]={\rm
    tr}(E)\,\mathbb{E}|x|^{2k+2}$, whose left side `share` multiplies, for every $d$ and
    $k=0,\ldots,3$, and by rotations for every function of $|x|^2$ in the place of $|x|^{2k}$.
    """
    A = Algebra(general=["E"], vectors=["x"], params=["c", "e"])
    E, q, c, e = (A[name] for name in ("E", "x", "c", "e"))
    U = c * A.I + e * E
    square = q.T * U.T * U * q  # s and |h|^2 for S = I; x.h = x'U x
    first = trace_identity(
        square - c * c * (q.T * q) - e * e * (q.T * E.T * E * q), 2 * c * e * (q.T * E * q)
    )
    product = trace_identity(q.T * U * q - c * (q.T * q), e * (q.T * E * q))
    moments, k = [], Rational(share)
    power = q.T * E * q
    length = q.T * q
    for _ in range(4):
        moments.append(trace_identity(k * A.I.tr() * power.gauss("x", A.I), E.tr() * length.gauss("x", A.I)))
        power, length = power * (q.T * q), length * (q.T * q)
    return confirmed(all_of(first, product, *moments), by_differences())
