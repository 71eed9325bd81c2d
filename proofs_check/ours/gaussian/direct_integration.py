"""Second routes to the formulas of R4: the same expectations integrated over all scores of a short
prompt, or averaged over many simulated prompts. They share nothing with the package's quadrature
but the definition.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.attention.exact.dispatch import exact_errors
from numerics.attention.quadrature.softmax_weights import softmax_moments
from numerics.counterexamples.drawn.computed import Computed, Decades, Entries, Share
from numerics.evidence import Contradiction, Evidence
from numerics.seeds import current_seed, generator
from proofs_check.instances.outcomes import supported
from proofs_check.instances.plain_weights import plain_weights
from theory.attention import gaussian_errors as closed

Floats = NDArray[np.float64]
GRID = tuple((s, L) for L in (1, 2, 3) for s in (0.0, 0.25, 1.0, 4.0))


def over_scores(s: float, L: int, step: float = 0.25) -> tuple[Floats, Floats, Floats]:
    """Standard normal g of shape (L, n), their softmax weights at sqrt(s) g, and the masses of a
    trapezoid rule in L dimensions. The integrands are analytic up to pi/sqrt(s) from the real axis,
    whence an error of exp(-2 pi^2/(step sqrt(s))).
    """
    axis = step * np.arange(-round(9 / step), round(9 / step) + 1)
    g = np.stack([x.ravel() for x in np.meshgrid(*[axis] * L, indexing="ij")])
    mass = np.exp(-(g**2).sum(axis=0) / 2) * (step / np.sqrt(2 * np.pi)) ** L
    p = np.exp(np.sqrt(s) * (g - g.max(axis=0)))
    return g, p / p.sum(axis=0), mass


def by_integration() -> Evidence:
    """Compare both sides of R4 (a)-(d) on the line, with Gamma = 1 and a = h = sqrt(s)."""
    worst = 0.0
    for s, L in GRID:
        g, p, mass = over_scores(s, L)
        h, mean = np.sqrt(s), (p * g).sum(axis=0)
        spread = (p * g**2).sum(axis=0) - mean**2
        direct = [mass @ mean - h, mass @ (mean - h) ** 2, mass @ spread - 1, mass @ (p**2).sum(axis=0)]
        m = softmax_moments(s, L)
        one, at = np.eye(1), np.array([h])
        formulas = [
            float(closed.gaussian_bias(m.P2, at)[0]),
            float(closed.covariance_of_mean_token(m.P2, m.P3, m.Q, one, at)[0, 0]),
            float(closed.softmax_covariance_bias(m.P2, m.P3, m.Q, one, at)[0, 0]),
            float(m.P2),
        ]
        worst = max(worst, *(abs(a - b) for a, b in zip(direct, formulas)))
    if worst > 1e-10:
        raise Contradiction(
            f"R4 and the integral over all scores differ by {worst:.1e}; one of the two programs is wrong"
        )
    covered = "d = 1; s = 0, 1/4, 1, 4; L = 1, 2, 3, with P2, P3, Q from the quadrature"
    return supported("quadrature", covered)


def by_simulation(prompts: int = 20000, L: int = 20, sigmas: float = 7.0) -> Evidence:
    """Compare averages over prompts with R4 (a), (c), (d) for 3-dimensional tokens of rank 2."""
    R = np.array([[1.0, 0.0], [0.5, 0.8], [-0.3, 0.4]])
    Gamma, a, V = R @ R.T, np.array([0.9, 0.3, -0.8]), np.array([[1.0, 0.5, 0.0], [0.0, -1.0, 2.0]])
    h = Gamma @ a
    z = generator().standard_normal((prompts, L, 2)) @ R.T
    p = np.exp(z @ a)
    p /= p.sum(axis=1, keepdims=True)
    mean = np.einsum("nk,nkd->nd", p, z)
    C = np.einsum("nk,nki,nkj->nij", p, z - mean[:, None], z - mean[:, None])
    m = softmax_moments(float(a @ h), L)
    t, q = float(np.trace(V @ Gamma @ V.T)), float((V @ h) @ (V @ h))
    pairs = [
        ((mean - h) @ V.T, closed.gaussian_bias(m.P2, V @ h)),
        (
            (((mean - h) @ V.T) ** 2).sum(axis=1, keepdims=True),
            [closed.gaussian_second_moment(m.P2, m.P3, m.Q, t, q)],
        ),
        ((C - Gamma).reshape(prompts, 9), closed.softmax_covariance_bias(m.P2, m.P3, m.Q, Gamma, h).ravel()),
    ]
    scores = [abs(x.mean(axis=0) - formula) / (x.std(axis=0) / np.sqrt(prompts)) for x, formula in pairs]
    worst = float(max(x.max() for x in scores))
    if worst > sigmas:
        raise Contradiction(
            f"R4 and the average over {prompts} prompts differ by {worst:.1f} standard errors; one of the "
            "two is wrong"
        )
    covered = f"d = 3, Gamma of rank 2, L = {L}: 12 components, each within {sigmas:g} standard errors"
    # 12 two-sided normal tails beyond 7 sigma are 3e-11; 1e-6 leaves room for the deviation from
    # normality at 20000 prompts
    return supported("Monte Carlo", covered, samples=prompts, seed=current_seed(), error=1e-6)


STEP = 0.1
MOMENTS = ("P2", "P3", "Q")


def moments_over_scores(s: float, L: int) -> Floats:
    """P2, P3 and Q by integration over all scores of a short prompt."""
    _, p, mass = over_scores(s, L)
    pi2 = (p**2).sum(axis=0)
    return np.array([mass @ pi2, mass @ (p**3).sum(axis=0), mass @ pi2**2])


@cache
def laplace(s: float) -> list[Floats]:
    """m_0, ..., m_4 on a grid of v as R4 writes them: Gaussian means of exp(kx - e^x), x = v +
    sqrt(s) g.
    """
    v, g = np.arange(-60.0, 25.0, STEP), np.arange(-9.0, 14.0, STEP)
    X = np.exp(np.minimum(v[:, None] + np.sqrt(s) * g, 6.0))
    density = np.exp(-(g**2) / 2) * STEP / np.sqrt(2 * np.pi)
    out, power = [], np.exp(-X)
    for _ in range(5):
        out.append(power @ density)
        power = power * X
    return out


def by_displayed_integrals(s: float, L: int, sixth: float, half: float = 0.5) -> Floats:
    m = laplace(s)
    m0 = m[0] ** (L - 1)
    second = (L - 1) * m[2] ** 2 * m[0] ** (L - 2) if L > 1 else 0
    return np.array([L * m[2] @ m0, half * L * m[3] @ m0, sixth * L * (m[4] @ m0 + np.sum(second))]) * STEP


def displayed_integrals(sixth: float, half: float) -> Computed:
    """The displayed integrals are the moments, at drawn variances."""
    cases = tuple((L, moment) for L in (1, 2, 3) for moment in MOMENTS)

    def off(s: float) -> list[float]:
        short = np.array([1.0, 2.0, 3.0])
        formula = np.array([by_displayed_integrals(s, L, sixth, half) for L in (1, 2, 3)])
        return list(abs(formula - np.array(softmax_moments(s, short)).T).ravel())

    def again(s: float, case: tuple[int, str]) -> float:
        L, moment = case
        return float(
            abs(by_displayed_integrals(s, L, sixth, half) - moments_over_scores(s, L))[MOMENTS.index(moment)]
        )

    covered = "s from 1/100 to 9, L = 1, 2, 3; tolerance 1e-9"
    return Computed(
        covered, {"s": Decades(0.01, 9.0)}, lambda s: (off(s), 1e-9), again, along=("case", cases), each=5
    )


def tilted_mean_of_the_weight(s: float) -> float:
    """E w^2/(E w)^2 for w = e^{sqrt(s) g} by integration."""
    g = np.arange(-12.0, 22.0, 0.05)
    density = np.exp(-(g**2) / 2)
    w = np.exp(np.sqrt(s) * g)
    return float((density @ w**2) * density.sum() / (density @ w) ** 2)


def long_prompts(rate: float) -> Computed:
    """The limits of L P2, L P3 and L Q, up to 1/1000, at drawn variances; `rate` multiplies that of
    the first.
    """
    lengths = np.array([1e20, 1e30])
    cases = tuple((moment, f"{L:.0e}") for moment in MOMENTS for L in lengths)

    def off(s: float) -> list[float]:
        P2, P3, Q = (np.asarray(x) for x in softmax_moments(s, lengths))
        return [*abs(lengths * P2 / np.exp(rate * s) - 1), *(lengths * P3), *(lengths * Q)]

    def again(s: float, case: tuple[str, str]) -> float:
        L = float(case[1])
        found = L * getattr(plain_weights(s, L), case[0])
        return abs(found / float(np.exp(rate * s)) - 1) if case[0] == "P2" else found

    covered = "s up to 9, L = 1e20 and 1e30; tolerance 1/1000"
    drawn = {"s": Decades(0.01, 9.0, zero=True)}
    return Computed(
        covered, drawn, lambda s: (off(s), 1e-3), again, along=("case", cases), accuracy=1e-6, each=2
    )


def off_the_limit(Gamma: Floats, U: Floats, V: Floats, z: Floats, share: float, L: int) -> float:
    """How far L E|grad_U T_L - grad_U T|^2 is from its limit, relatively. The first correction is
    of order 1/L, so that a longer prompt is a second route to the limit.
    """
    h = Gamma @ U @ z
    limit = share * sum(
        float(closed.limit_of_grad_U_error(float(U @ z @ h), v, Gamma, h, float(z @ z))) for v in V
    )
    return abs(L * float(exact_errors(Gamma, U, V, L, query=z).grad_U[0]) / limit - 1)


def gradients_of_long_prompts(share: float) -> Computed:
    """The limit of the gradient error, up to 1e-5, at drawn matrices and queries."""

    def at(factor: Floats, U: Floats, V: Floats, s: float) -> tuple[Floats, Floats, Floats, Floats]:
        R, A, z = factor.reshape(2, 2), U.reshape(2, 2), np.array([1.0, 0.5])
        Gamma = R @ R.T
        found = float(A @ z @ Gamma @ A @ z)
        return Gamma, A * (s / found) ** 0.5 if found > 1e-3 else A * np.nan, V.reshape(1, 2), z

    def off(L: int, **drawn: Any) -> float:
        Gamma, A, V, z = at(**drawn)
        if not np.isfinite(A).all() or not float((V @ Gamma @ V.T).max()) > 1e-3:
            return float("nan")
        return off_the_limit(Gamma, A, V, z, share, L)

    matrix = Entries(4, 2.0)
    return Computed(
        "d = 2, Gamma = R R' of rank 1 and 2, one row V, z = (1, 1/2), U scaled to scores of variance up "
        "to 2; tolerance 1e-5",
        {"factor": matrix, "U": matrix, "V": Entries(2, 2.0), "s": Share(0.01, 2.0)},
        lambda **drawn: (off(10**10, **drawn), 1e-5),
        lambda **drawn: off(10**12, **drawn),
        accuracy=1e-3,
        each=2,
        where=lambda factor, U, V, s: {
            "R": factor.reshape(2, 2),
            "U up to a factor": U.reshape(2, 2),
            "V": V,
            "s": s,
        },
    )
