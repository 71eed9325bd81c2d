"""Polyak-Lojasiewicz constants of the flow with infinite prompts, tried at drawn starts and at
times after them: many starts at once, with the constant and the risk as compiled expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from numerics.counterexamples.drawn.computed import Computed, Decades, OneOf, Several, Share
from numerics.regression.flow.infinite_prompt import integrate_flow
from theory.regression.risk import icl_risk

__all__ = ["drawn_steepness"]

Floats = NDArray[np.float64]
Constant = Callable[[sp.Matrix, sp.Matrix, Any], sp.Expr]
#: Dimension and rank of the covariance.
SHAPES = ((1, 1), (2, 2), (2, 1), (3, 3), (3, 2))
#: Runge-Kutta steps from a start to a time.
STEPS = 48


@cache
def _compiled(mu: Constant, d: int, rank: int) -> Callable[..., Any]:
    """mu from the positive eigenvalues, the d entries of Theta, and s."""
    l, theta, s = (
        sp.symbols(f"l_0:{rank}", positive=True),
        sp.symbols(f"t_0:{d}", real=True),
        sp.Symbol("s", positive=True),
    )
    constant = mu(sp.diag(*l, *[0] * (d - rank)), sp.Matrix(theta), s)
    return sp.lambdify([*l, *theta, s], constant, modules="numpy")


def _unit(a: Any, d: int) -> Any:
    """A rational point of the sphere from d - 1 numbers, by stereographic projection."""
    a = a[..., : d - 1]
    square = (a * a).sum(-1, keepdims=True)
    return np.concatenate([(1 - square) / (1 + square), 2 * a / (1 + square)], axis=-1)


def _start(shape: tuple[int, int], share: Any, below: Any, s: Any, a: Any) -> tuple[Any, Any]:
    """The eigenvalues, of which the largest is 2 share/s^2, and Theta."""
    d, rank = shape
    top = 2 * share[..., None] / s[..., None] ** 2
    return np.concatenate(
        [top, top * below[..., : rank - 1], np.zeros((*top.shape[:-1], d - rank))], axis=-1
    ), _unit(a, d)


def _field(l: Floats, U: Floats, u: Floats) -> tuple[Floats, Floats, Floats]:
    """Gradient in (U, u) and the risk, for many diagonal covariances at once."""
    bracket = u[:, None, None] * l[:, :, None] * U - np.eye(l.shape[1])
    weighted = l[:, :, None] * bracket * l[:, None, :]
    return (
        u[:, None, None] * weighted,
        (weighted * U).sum((1, 2)),
        (bracket**2 * l[:, None, :]).sum((1, 2)) / 2,
    )


def _later(l: Floats, U: Floats, u: Floats, t: Floats) -> tuple[Floats, Floats]:
    """The flow at a time, by the classical method of Runge and Kutta."""
    if not t.any():
        return U, u
    h = t / STEPS
    wide = h[:, None, None]
    for _ in range(STEPS):
        kU: list[Floats] = []
        ku: list[Floats] = []
        for c in (0.0, 0.5, 0.5, 1.0):
            to_U, to_u, _ = _field(l, U - c * wide * kU[-1], u - c * h * ku[-1]) if kU else _field(l, U, u)
            kU.append(to_U)
            ku.append(to_u)
        U = U - wide / 6 * (kU[0] + 2 * kU[1] + 2 * kU[2] + kU[3])
        u = u - h / 6 * (ku[0] + 2 * ku[1] + 2 * ku[2] + ku[3])
    return U, u


def drawn_steepness(mu: Constant, times: Fraction = Fraction(1)) -> Computed:
    """``times mu R <= |grad R|^2`` at drawn starts ``U = s Theta Theta'``, ``u = s`` with ``s^2
    |Sigma| < 2``, and at a time up to ``3/|Sigma|^2`` after them; `mu` is a function of ``(Sigma,
    Theta, s)``, exact or symbols.
    """

    def sides(
        shape: tuple[int, int], share: Floats, below: Floats, s: Floats, a: Floats, time: Floats
    ) -> tuple[Any, Any]:
        l, theta = _start(shape, share, below, s, a)
        bound = _compiled(mu, *shape)(*l[:, : shape[1]].T, *theta.T, s) * float(times)
        U, u = _later(l, s[:, None, None] * theta[:, :, None] * theta[:, None, :], s, time / l[:, 0] ** 2)
        to_U, to_u, risk = _field(l, U, u)
        return bound * risk, (to_U**2).sum((1, 2)) + to_u**2

    def again(shape: tuple[int, int], share: Any, below: Any, s: Any, a: Any, time: float) -> float:
        l, theta = _start(shape, np.asarray(share), np.asarray(below), np.asarray(s), np.asarray(a))
        exact = lambda x: [sp.Rational(float(e)) for e in x]
        bound = float(mu(sp.diag(*exact(l)), sp.Matrix(exact(theta)), *exact([s]))) * float(times)
        path = (
            integrate_flow(np.diag(l), s * np.outer(theta, theta), s, t_max=time / l[0] ** 2, rtol=1e-12)
            if time
            else None
        )
        U, u = (path.U[-1], path.u[-1]) if path else (s * np.outer(theta, theta), s)
        return bound * float(icl_risk(np.diag(l), U, u))

    def shown(
        shape: tuple[int, int], share: float, below: Floats, s: float, a: Floats, time: float
    ) -> Mapping[str, Any]:
        l, theta = _start(shape, np.asarray(share), np.asarray(below), np.asarray(s), np.asarray(a))
        return {
            "eigenvalues of Sigma": l.round(9),
            "Theta": theta.round(9),
            "s": s,
            "t": float(time / l[0] ** 2),
        }

    return Computed(
        "starts with s^2 |Sigma| < 2 in d = 1, 2, 3, eigenvalues over six decades or 0, at t = 0 and "
        "up to 3/|Sigma|^2 later",
        {
            "shape": OneOf(SHAPES),
            "share": Decades(1e-3, 0.999, 0.02),
            "below": Several(Decades(1e-6, 1.0, 0.999), 2),
            "s": Decades(1e-2, 1e2),
            "a": Several(Share(0.0, 3.0), 2),
            "time": Share(0.0, 3.0),
        },
        sides,
        again,
        steps=(256, -256, 1024, -1024),
        rounds=4,
        vector=True,
        each=3,
        where=shown,
    )
