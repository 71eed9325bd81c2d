"""An explicit L(epsilon) for Theorem 5.2 of Boursier & Boyer, and the constants of the flow with
infinite prompts that enter it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.counterexamples.drawn.computed import Computed, Decades, Entries
from numerics.counterexamples.drawn.flows import drawn_starts, shown_start
from numerics.evidence import Evidence
from numerics.seeds import generator
from proofs_check.core.claim import claim
from proofs_check.instances.outcomes import supported, undecided
from proofs_check.instances.regression.trained_risk import NOISY, PRINTED, SINGULAR, Instance, trained
from theory.regression.finite_prompt import FlowConstants, flow_constants, log_length
from theory.regression.risk import icl_risk, icl_risk_gradient


def in_matrices(case: Instance) -> tuple[Any, Any]:
    repeat = lambda values: np.repeat(np.array(values), case.spectrum.multiplicities)
    return np.diag(repeat(case.spectrum.eigenvalues)), np.diag(np.sqrt(repeat(case.theta)))


@claim(
    "OURS:T5.2/constants",
    control={"times": Fraction(2, 5)},
    needs=("OURS:R5.cons", "OURS:R5.limit/bounded", "BB:F.3.fin/bounded"),
)
def constants_of_the_infinite_prompt_flow(*, times: Fraction = Fraction(1)) -> Evidence:
    r"""On the ball of radius $2\rho$, $|\nabla R|\leq\kappa$ and the second derivatives have a norm
    of at most $\beta$, and the paths stay in the ball of radius $\rho$. This is tried on instances;
    `times` multiplies $\beta$.
    """
    return _on_instances(times).replace(sides=(drawn_constants(times),))


def drawn_constants(times: Fraction) -> Computed:
    """beta and kappa on the boundary of drawn balls."""
    ranges, start = drawn_starts("balanced", singular=True)

    def ball(toward: Any, **at: Any) -> tuple[Any, Any, FlowConstants | None]:
        one = start(**at)
        U = one.U0 / one.u0
        values, vectors = np.linalg.eigh(U)
        Theta, d = vectors * np.sqrt(np.maximum(values, 0.0)), len(U)
        if one.u0**2 * np.linalg.norm(one.Sigma, 2) >= 2 or np.linalg.norm(one.Sigma @ Theta) < 1e-6:
            return one.Sigma, U, None
        c = flow_constants(one.Sigma, Theta, one.u0)
        y = np.append(toward[: d * d], 1.0 + toward[-1])
        y[0] -= 1.0  # the curvature is largest where U and u have opposite signs
        return one.Sigma, 2 * c.rho * y / max(float(np.linalg.norm(y)), 1e-9), c

    def sides(**at: Any) -> tuple[Any, Any]:
        S, y, c = ball(**at)
        if c is None:
            return np.nan, np.nan
        bounds = [float(times) * c.beta, c.kappa]
        return [np.linalg.norm(_hessian(S, y, c.rho / 100), 2), np.linalg.norm(_slope(S, y))], bounds

    def again(of: str, **at: Any) -> float:
        S, y, _ = ball(**at)
        h = float(np.linalg.norm(y)) / 200
        if of == "beta":
            return float(np.linalg.norm(_hessian(S, y, h / 5), 2))
        risk = lambda y: float(icl_risk(S, y[:-1].reshape(S.shape), y[-1]))
        near = ([risk(y + k * h * e) for k in (-2, -1, 1, 2)] for e in np.eye(len(y)))
        return float(np.linalg.norm([(a - 8 * b + 8 * c - d) / (12 * h) for a, b, c, d in near]))

    return Computed(
        "the boundary of the ball of starts in d = 1, 2, 3 with alpha^2 |Sigma| < 2, covariances of every "
        "rank",
        {**ranges, "size": Decades(1e-4, 1.99), "toward": Entries(10, 8.0)},
        sides,
        again,
        along=("of", ("beta", "kappa")),
        each=5,
        where=lambda toward, **at: {**shown_start(start(**at)), "direction": toward},
    )


def _on_instances(times: Fraction) -> Evidence:
    rng, reached = generator(12), 0.0
    for case in (*PRINTED[:2], PRINTED[3], *SINGULAR):
        S, Theta = in_matrices(case)
        c, d = flow_constants(S, Theta, case.alpha), len(S)

        path = trained(case, None)
        norms = np.sqrt((path.a**2 @ np.array(case.spectrum.multiplicities)) + path.u**2)
        points = [np.zeros(d * d + 1) for _ in range(3)]
        points[0][-1], points[1][0], points[2][[0, -1]] = (
            2 * c.rho,
            2 * c.rho,
            np.sqrt(2) * c.rho * np.array([-1, 1]),
        )
        for y in (*points, *(2 * c.rho * v / np.linalg.norm(v) for v in rng.standard_normal((3, d * d + 1)))):
            steep, again = (np.linalg.norm(_hessian(S, y, h), 2) / c.beta for h in (1e-2, 2e-3))
            if steep > times:
                witness = {
                    "case": case.name,
                    "norm of the second derivative over beta": steep,
                    "claimed": times,
                }
                return refuted_by_two_routes(
                    "finite differences", witness, float(steep), float(times), float(again)
                )
            reached = max(reached, float(steep))
            if np.linalg.norm(_slope(S, y)) > c.kappa or norms.max() > c.rho:
                return undecided("finite differences", f"kappa or rho fails for {case.name}")
    covered = f"4 instances in d = 1, 2, 6 points on the boundary of each ball; beta reached to {reached:.3g}"
    return supported("finite differences", covered, slack=1 / reached)


def _slope(S: Any, y: Any) -> Any:
    """The gradient of the infinite-prompt risk in (U, u) as one vector."""
    to_U, to_u = icl_risk_gradient(S, y[:-1].reshape(S.shape), y[-1])
    return np.append(to_U.ravel(), to_u)


def _hessian(S: Any, y: Any, h: float) -> Any:
    """Its derivative by fourth-order central differences, exact up to rounding for a gradient of
    third degree.
    """
    near = [[_slope(S, y + k * h * e) for k in (-2, -1, 1, 2)] for e in np.eye(len(y))]
    return np.array([(a - 8 * b + 8 * c - d) / (12 * h) for a, b, c, d in near])


@claim(
    "OURS:T5.2/explicit",
    control={"share": Fraction(1, 5000)},
    needs=("OURS:T4.3", "OURS:T5.2.gap", "OURS:R5.PL", "OURS:T5.2/constants", "BB:5.block"),
)
def an_explicit_length(*, share: Fraction = Fraction(1)) -> Evidence:
    r"""The explicit length $L(\varepsilon)$ that `log_length` gives is at least that from which on
    the trained risk is small; `share` multiplies its logarithm.
    """
    shown = []
    for case in (*PRINTED, *SINGULAR, *NOISY):
        epsilon = case.spectrum.trace / 20
        proved = float(share) * log_length(*in_matrices(case), case.alpha, epsilon, case.noise)
        if proved <= np.log(case.length):
            L = max(1.0, np.floor(np.exp(proved)))
            end, again = (float(trained(case, L, *how).risk[-1]) for how in ((32, 1e-7), (44, 1e-9)))
            witness = {"case": case.name, "L": L, "epsilon": epsilon, "excess at the end": end}
            if end > epsilon:
                return refuted_by_two_routes("integration of the flow", witness, end, epsilon, again)
        shown.append(f"{case.name}: log10 L = {proved / np.log(10):.4g} proved, {case.length} enough")
    return supported("integration of the flow", "; ".join(shown))
