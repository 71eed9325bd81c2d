"""Instances of in-context regression over finitely many features: problems with a symbol for every
entry, and problems of numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from numerics.regression.features.margin import attention_margin
from proofs_check.instances.compared import Compared
from theory.regression.features.data import FeatureRegression

__all__ = ["descended", "exchangeable", "hexagon", "margin_of", "roots_of_E8", "with_symbols"]

Floats = NDArray[np.float64]


def with_symbols(K: int, d: int, *, values: sp.Expr = sp.S.One) -> tuple[FeatureRegression, sp.Matrix]:
    """A problem with a symbol for every entry of its features, tasks and prompt, and a parameter Q
    of symbols; `values` is a factor of the values of the tasks.
    """
    V = sp.Matrix(d, K, lambda i, j: sp.Symbol(f"v_{i}{j}", real=True))
    C = sp.Matrix(K, K, lambda i, j: sp.Symbol(f"C_{min(i, j)}{max(i, j)}", real=True))
    Q = sp.Matrix(d, d, lambda i, j: sp.Symbol(f"Q_{i}{j}", real=True))
    p = [sp.Symbol(f"p_{k}", positive=True) for k in range(K - 1)]
    masses = sp.Matrix(1, K, lambda _, k: sp.Symbol(f"n_{k}", positive=True))
    return FeatureRegression(V, values**2 * C, probabilities=sp.Matrix([*p, 1 - sum(p)]), masses=masses), Q


def exchangeable(V: Any, **of_prompts: Any) -> FeatureRegression:
    """A problem with exchangeable tasks of spread 1."""
    features = np.asarray(V, dtype=float)
    return FeatureRegression(features, np.eye(features.shape[1]), **of_prompts)


def hexagon() -> Floats:
    """The corners of the regular hexagon of side 1, as columns."""
    angles = np.arange(6) * np.pi / 3
    return np.array([np.cos(angles), np.sin(angles)])


def roots_of_E8() -> Floats:
    """The 240 minimal vectors of the lattice E8 at norm 1, as columns."""
    whole = [v for v in np.ndindex(*[3] * 8) if v.count(1) == 6]
    half = [v for v in np.ndindex(*[2] * 8) if sum(v) % 2 == 0]
    return np.concatenate([np.array(whole) - 1.0, np.array(half) - 0.5]).T / 2**0.5


def descended(problem: FeatureRegression, eta: float, steps: int) -> Floats:
    """Q after steps of gradient descent from 0, step by step in NumPy: a second route to what the
    compiled descent gives.
    """
    Q = np.zeros((problem.d, problem.d))
    for _ in range(steps):
        Q = Q - eta * problem.gradient(Q)
    return Q


def margin_of(name: str, V: Any, stated: float) -> Compared:
    """The margin of features beside what is stated of it; the second route is its dual."""
    best = attention_margin(V)
    return Compared(name, best.value, stated, lambda: best.value + best.gap)
