"""Risk and gradient of softmax attention at finite and infinite prompts, exactly, for tasks whose
tokens take few values: the instances on which the transfer of Section 4 and Appendix E is checked.

Tokens are ``(x, y)`` with one covariate, the query is ``(x_q, 0)`` for an independent token of the
same task, the prediction the product of a row v with the softmax mean of the prompt, and the loss
``(T - y_q)^2 / 2``. Every prompt is enumerated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.attention.enumeration import compositions, multinomial

__all__ = ["Case", "Gaps", "Task", "gaps", "hostile_gaps", "tasks_on_atoms"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Task:
    """A law of tokens on finitely many atoms, with the probability that the task is drawn.

    Attributes
    ----------
    probability : float or Fraction
    tokens : tuple of (x, y)
    masses : tuple
        Probability of each token.
    """

    probability: Any
    tokens: tuple[tuple[Any, Any], ...]
    masses: tuple[Any, ...]


@dataclass(frozen=True)
class Gaps:
    """What prompts of L tokens change at one point (U, v), in the notation of
    `theory.regression.transfer`.

    Attributes
    ----------
    risk_L, risk : float or Fraction
        Finite- and infinite-prompt risk.
    D2, T2, y2, J2, dJ2 : float or Fraction
        ``E|T_L - T|^2``, ``E T^2``, ``E y^2``, ``E|J|^2`` and ``E|J_L - J|^2``, J the gradient of
        the prediction in (U, v).
    gradient_L, gradient : array (6,)
        Gradients of the two risks: four entries of U, two of v.
    """

    risk_L: Any
    risk: Any
    D2: Any
    T2: Any
    y2: Any
    J2: Any
    dJ2: Any
    gradient_L: Array
    gradient: Array

    @property
    def distance(self) -> float:
        """``|grad R_L - grad R|``."""
        return float(np.sqrt(float(((self.gradient_L - self.gradient) ** 2).sum())))


def tasks_on_atoms(x: Sequence[Any], masses: Sequence[Any], slopes: Sequence[Any]) -> tuple[Task, ...]:
    """Noiseless linear tasks ``y = w x``, every slope w equally likely.

    Examples
    --------
    >>> tasks_on_atoms([1, -1], [0.5, 0.5], [3])[0].tokens
    ((1, 3), (-1, -3))
    """
    share = Fraction(1, len(slopes)) if isinstance(masses[0], Fraction) else 1 / len(slopes)
    return tuple(Task(share, tuple((v, w * v) for v in x), tuple(masses)) for w in slopes)


def _output(weights: Array, tokens: Array, z: Array, v: Array) -> tuple[Array, Array]:
    """Prediction (n,) and its gradient (n, 6) for rows of softmax weights."""
    mean = weights @ tokens
    second = np.einsum("nk,ki,kj->nij", weights, tokens, tokens)
    spread = second - mean[:, :, None] * mean[:, None, :]
    to_U = (spread @ v)[:, :, None] * z
    return mean @ v, np.concatenate([to_U.reshape(len(mean), 4), mean], axis=1)


def gaps(tasks: Sequence[Task], U: Any, v: Any, prompt_length: int) -> Gaps:
    """Every quantity of the transfer at one point, by enumeration of the prompts.

    Parameters
    ----------
    tasks : sequence of Task
    U : array_like (2, 2)
    v : array_like (2,)
    prompt_length : int

    Returns
    -------
    Gaps
        Exact fractions if everything is given as such and U = 0; otherwise floats.

    Raises
    ------
    ValueError
        If fractions meet a matrix U other than 0, whose exponentials are no fractions.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> tasks = tasks_on_atoms([1, -1], [half, half], [0])
    >>> str(gaps(tasks, [[0, 0], [0, 0]], [Fraction(1), Fraction(0)], 2).risk_L)
    '1/4'
    """
    exact = isinstance(tasks[0].masses[0], Fraction)
    kind = object if exact else float
    U, v = np.array(U, dtype=kind), np.array(v, dtype=kind)
    if exact and np.any(U != 0):
        raise ValueError("exponentials of scores are no fractions; pass floats, or U = 0")
    total: dict[str, Any] = dict.fromkeys(("risk_L", "risk", "D2", "T2", "y2", "J2", "dJ2"), 0)
    gradient_L, gradient = np.zeros(6, dtype=kind), np.zeros(6, dtype=kind)
    for task in tasks:
        tokens, masses = np.array(task.tokens, dtype=kind), np.array(task.masses, dtype=kind)
        counts = compositions(prompt_length, len(masses))
        probability = multinomial(counts, masses)
        counts = counts.astype(object) if exact else counts
        for (x, y), mass in zip(tokens, masses):
            z = np.array([x, 0 * x], dtype=kind)
            scores = tokens @ (U @ z)
            w = np.array([Fraction(1)] * len(masses), dtype=object) if exact else np.exp(scores - scores.max())
            one = (masses * w)[None] / (masses * w).sum()
            T, J = (out[0] for out in _output(one, tokens, z, v))
            each = counts * w
            T_L, J_L = _output(each / each.sum(1, keepdims=True), tokens, z, v)
            p = task.probability * mass * probability
            change = J_L - J
            here = {
                "risk_L": p @ (T_L - y) ** 2 / 2,
                "D2": p @ (T_L - T) ** 2,
                "dJ2": p @ (change**2).sum(1),
                "risk": task.probability * mass * (T - y) ** 2 / 2,
                "T2": task.probability * mass * T**2,
                "y2": task.probability * mass * y**2,
                "J2": task.probability * mass * (J**2).sum(),
            }
            total = {name: total[name] + value for name, value in here.items()}
            gradient_L = gradient_L + (p * (T_L - y)) @ J_L
            gradient = gradient + task.probability * mass * (T - y) * J
    return Gaps(**total, gradient_L=gradient_L, gradient=gradient)


@dataclass(frozen=True)
class Case:
    """One hostile instance: its name, prompt length and what prompts of that length change."""

    name: str
    L: int
    gaps: Gaps


@cache
def hostile_gaps() -> tuple[Case, ...]:
    """The transfer at boundary cases: y = 0, U = 0, V = 0, L = 1, skewed laws, large scores and
    slopes, T = y.

    Examples
    --------
    >>> any(case.gaps.y2 == 0 for case in hostile_gaps()), min(case.L for case in hostile_gaps())
    (True, 1)
    """
    laws = {
        "Rademacher": ([1.0, -1.0], [0.5, 0.5]),
        "two atoms, q = 1/10": ([0.9, -0.1], [0.1, 0.9]),
        "three atoms 3, 0, -1": ([3.0, 0.0, -1.0], [0.125, 0.5, 0.375]),
    }
    slopes = {"w = 0": [0.0], "w = 1": [1.0], "w = -1, 1": [-1.0, 1.0], "w = 0, 30": [0.0, 30.0]}
    matrices = {
        "U = 0": np.zeros((2, 2)),
        "U = e1e1'": np.diag([1.0, 0.0]),
        "U mixed": np.array([[0.5, 1.0], [-0.3, 2.0]]),
        "U = 10 e1e1'": np.diag([10.0, 0.0]),
    }
    rows = {"v = (1, 0)": (1.0, 0.0), "v = (0, 1)": (0.0, 1.0), "v = (-2, 1/10)": (-2.0, 0.1), "v = 0": (0.0, 0.0)}
    out = []
    for law, (x, masses) in laws.items():
        for task, w in slopes.items():
            tasks = tasks_on_atoms(x, masses, w)
            for matrix, U in matrices.items():
                for row, v in rows.items():
                    name = f"{law}, {task}, {matrix}, {row}"
                    out += [Case(f"{name}, L = {L}", L, gaps(tasks, U, v, L)) for L in (1, 2, 3, 8)]
    return tuple(out)
