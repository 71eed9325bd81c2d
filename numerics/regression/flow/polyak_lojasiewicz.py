"""Whether a Polyak-Lojasiewicz constant holds along the infinite-prompt flow: the least ratio of
the squared gradient to the risk, exactly at the start and by integration on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.regression.flow.infinite_prompt import integrate_flow
from theory.regression.risk import icl_risk, icl_risk_gradient

__all__ = ["BalancedStart", "balanced_starts", "steeper_than"]

Constant = Callable[[sp.Matrix, sp.Matrix, sp.Rational], sp.Expr]
#: Below this part of the initial risk the ratio of two rounding errors would be measured.
LAST_RISK = 1e-7


@dataclass(frozen=True)
class BalancedStart:
    """Rational data of Boursier & Boyer, Assumption 5.1: ``U(0) = s Theta Theta'``,
    ``u(0) = s > 0``, ``|Theta Theta'|_F = 1``.
    """

    Sigma: sp.ImmutableMatrix
    Theta: sp.ImmutableMatrix
    s: sp.Rational


def balanced_starts() -> list[BalancedStart]:
    """Least dimension and shortest numbers first; ``s^2 sqrt(d) |Sigma|_op < 2`` throughout, which
    both conditions on s imply.
    """
    R = sp.Rational
    turn = sp.Matrix([[3, -4], [4, 3]]) / 5  # an orthogonal matrix with short entries
    one, e1, e2 = sp.Matrix([[1]]), sp.Matrix([1, 0]), sp.Matrix([0, 1])
    lines = [(one * v, one) for v in (1, R(1, 2), R(1, 3), R(1, 4), R(1, 5), R(1, 10), 5)]
    planes = [(sp.diag(1, v), theta) for v in (1, R(1, 2), R(1, 10), 0) for theta in (e1, turn @ e1)]
    planes += [(turn @ sp.diag(1, R(1, 3)) @ turn.T, e2), (sp.diag(1, R(1, 3)), e2)]
    planes += [(sp.diag(1, R(1, 2), 0), sp.Matrix([R(2, 3), R(2, 3), R(1, 3)]))]
    scales = (1, R(1, 10), R(5, 4))
    out = []
    for s in scales:
        for Sigma, Theta in lines + planes:
            top = max(Sigma.eigenvals())
            if s**2 * sp.sqrt(Sigma.shape[0]) * top < 2:
                out.append(BalancedStart(sp.ImmutableMatrix(Sigma), sp.ImmutableMatrix(Theta), sp.sympify(s)))
    return out


@cache
def _at_start(start: BalancedStart) -> sp.Expr:
    """Squared gradient over risk at time 0, an exact number."""
    U = start.s * start.Theta @ start.Theta.T
    gradient, slope = icl_risk_gradient(start.Sigma, U, start.s)
    return sp.nsimplify(((gradient.T @ gradient).trace() + slope**2) / icl_risk(start.Sigma, U, start.s))


@cache
def _on_the_way(start: BalancedStart) -> float:
    """The least ratio along the integrated path, until the risk has fallen to the size of its
    rounding error.
    """
    S = np.array(start.Sigma, dtype=float)
    U0 = float(start.s) * np.array(start.Theta @ start.Theta.T, dtype=float)
    flow = integrate_flow(S, U0, float(start.s))
    seen = flow.risk > LAST_RISK * flow.risk[0]
    U, u, risk = flow.U[seen], flow.u[seen], flow.risk[seen]
    # As `icl_risk_gradient`, of all states at once.
    bracket = S @ (u[:, None, None] * (S @ U) - np.eye(len(S))) @ S
    squares = u**2 * (bracket**2).sum((1, 2)) + (bracket * U).sum((1, 2)) ** 2
    return float((squares / risk).min(initial=np.inf))


def steeper_than(constant: Constant, starts: Sequence[BalancedStart], *, checked: str = "") -> Evidence:
    """Whether ``|grad R|^2 >= mu R`` along the flow, for the infinite-prompt risk, whose least
    value is 0, and mu exact from ``(Sigma, Theta, s)``: REFUTED by exact numbers at time 0 if any
    start allows it, the first preferred, else SUPPORTED by integrated paths, or OPEN if a path
    contradicts: an integration alone refutes nothing here. `slack` is the least ratio of the sides.
    """
    common: dict[str, Any] = {"checked": checked}
    bounds = [constant(sp.Matrix(s.Sigma), sp.Matrix(s.Theta), s.s) for s in starts]
    for start, mu in zip(starts, bounds):
        ratio = _at_start(start)
        if (ratio - mu).is_negative:
            witness = _named(start) | {
                "t": 0,
                "squared gradient over risk": str(ratio),
                "mu": str(sp.nsimplify(mu)),
            }
            by: dict[str, Any] = {
                "engine": "exact arithmetic",
                "witness_by": "exact",
                "slack": float(ratio / mu),
            }
            return Evidence(verdict=Verdict.REFUTED, witness=witness, **by, **common)
    slacks = [_on_the_way(s) / float(mu) if mu > 0 else np.inf for s, mu in zip(starts, bounds)]
    k = int(np.argmin(slacks))
    common |= {"engine": "integration of the flow", "slack": slacks[k]}
    if slacks[k] < 1:
        return Evidence(
            verdict=Verdict.OPEN,
            reason=f"an integrated path from {_named(starts[k])} has {slacks[k]:.3g}",
            **common,
        )
    dimensions = sorted({s.Sigma.shape[0] for s in starts})
    covered = f"{len(starts)} starts with s^2 |Sigma| < 2: exactly at t = 0, and along integrated paths"
    common |= {
        "covered": covered,
        "dimension": "d = " + ", ".join(map(str, dimensions)),
        "tightest": _named(starts[k]),
    }
    return Evidence(verdict=Verdict.SUPPORTED, **common)


def _named(start: BalancedStart) -> dict[str, Any]:
    d = start.Sigma.shape[0]
    if d == 1:
        return {
            "d": 1,
            "Lambda": str(start.Sigma[0, 0]),
            "Theta": str(start.Theta[0, 0]),
            "sigma": str(start.s),
        }
    return {
        "d": d,
        "Lambda": str(start.Sigma.tolist()),
        "Theta": str(start.Theta.tolist()),
        "sigma": str(start.s),
    }
