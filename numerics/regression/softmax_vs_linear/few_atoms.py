"""Risk and gradient of softmax attention at finite and infinite prompts, by enumeration of the
prompts, for tasks whose tokens take few values: the instances on which the transfer of Section 4
and Appendix E is checked.
"""

# Tokens are ``(x, y)`` with one covariate, the query is ``(x_q, 0)`` for an independent token of
# the same task, the prediction the product of a row v with the softmax mean of the prompt, and the
# loss ``(T - y_q)^2 / 2``.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from numerics.attention.exact.enumeration import compositions, multinomial

__all__ = ["Case", "Gaps", "Task", "edge_case_gaps", "enclosed_root", "gaps", "tasks_on_atoms"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Task:
    """A law of tokens on finitely many atoms, with the probability that the task is drawn; or many
    such laws at once, as arrays with common leading axes.
    """

    probability: Any
    tokens: Any
    #: Probability of each token.
    masses: Any


@dataclass(frozen=True)
class Gaps:
    """What prompts of L tokens change at one point (U, v), in the notation of
    `theory.regression.transfer`.
    """

    #: Finite- and infinite-prompt risk.
    risk_L: Any
    risk: Any
    #: ``E|T_L - T|^2``, ``E T^2``, ``E y^2``, ``E|J|^2`` and ``E|J_L - J|^2``, J the gradient of
    #: the prediction in (U, v).
    D2: Any
    T2: Any
    y2: Any
    J2: Any
    dJ2: Any
    #: Gradients of the two risks: four entries of U, two of v.
    gradient_L: Array
    gradient: Array

    @property
    def distance(self) -> Any:
        """``|grad R_L - grad R|``."""
        square = _square(self.gradient_L - self.gradient).sum(-1)
        return enclosed_root(square) if isinstance(square, arb) else np.sqrt(np.asarray(square, dtype=float))


def tasks_on_atoms(x: Sequence[Any], masses: Sequence[Any], slopes: Sequence[Any]) -> tuple[Task, ...]:
    """Noiseless linear tasks ``y = w x``, every slope w equally likely."""
    share = Fraction(1, len(slopes)) if isinstance(masses[0], Fraction) else 1 / len(slopes)
    return tuple(Task(share, tuple((v, w * v) for v in x), tuple(masses)) for w in slopes)


def gaps(tasks: Sequence[Task], U: Any, v: Any, prompt_length: int) -> Gaps:
    """Every quantity of the transfer at one point, by enumeration of the prompts: exact fractions
    if everything is given as such and U = 0, whose exponentials alone are fractions; enclosures if
    everything is `flint.arb`; otherwise floats.
    """
    first = np.asarray(tasks[0].masses).flat[0]
    kind = object if isinstance(first, Fraction | arb) else float
    U, v = np.array(U, dtype=kind), np.array(v, dtype=kind)
    if isinstance(first, Fraction) and np.any(U != 0):
        raise ValueError("exponentials of scores are no fractions; pass floats or enclosures, or U = 0")
    total: dict[str, Any] = {}
    for task in tasks:
        for name, value in _of_one(task, U, v, prompt_length, isinstance(first, Fraction)).items():
            total[name] = total.get(name, 0) + value
    return Gaps(**total)


def enclosed_root(x: arb) -> arb:
    """The root of a nonnegative number whose enclosure may reach below 0.

    >>> float(enclosed_root(arb(4)))
    2.0
    """
    return x.sqrt() if x >= 0 else arb(0).union(x.abs_upper().sqrt())


def _square(x: Array) -> Array:
    """Of enclosures, too, of which a power that contains 0 is not known."""
    return x * x


def _of_one(task: Task, U: Array, v: Array, prompt_length: int, fractions: bool) -> dict[str, Any]:
    """The part of one task in every quantity; axes are (..., query, prompt, atom) within."""
    tokens, masses = np.array(task.tokens, dtype=U.dtype), np.array(task.masses, dtype=U.dtype)
    counts = compositions(prompt_length, masses.shape[-1])
    probability = np.moveaxis(multinomial(counts, np.moveaxis(masses, -1, 0)), 0, -1)[..., None, :]
    x, y = tokens[..., 0], tokens[..., 1]
    scores = x[..., :, None] * (tokens @ U[..., :1])[..., None, :, 0]

    def weighted(counts: Array) -> Array:
        """Proportional to the weights of the values that a prompt has so often."""
        if fractions:
            return counts * np.full(scores.shape, Fraction(1))[..., None, :]
        if U.dtype == object:
            return counts * np.exp(scores)[..., None, :]
        present = np.where(counts > 0, scores[..., None, :], -np.inf)
        return counts * np.exp(present - present.max(-1, keepdims=True))

    def output(counts: Array) -> tuple[Array, Array]:
        """Prediction, and its gradient in the first column of U (the second one does not matter)
        and in v.
        """
        each = weighted(counts)
        weights = each / each.sum(-1, keepdims=True)
        mean, row = weights @ tokens[..., None, :, :], v[..., None, :, None]
        spread = weights @ (tokens * (tokens @ v[..., None]))[..., None, :, :] - mean * (mean @ row)
        return (mean @ row)[..., 0], np.concatenate([spread * x[..., :, None, None], mean], axis=-1)

    T, J = output(masses[..., None, None, :])
    T_L, J_L = output(counts.astype(U.dtype))
    off, off_L = T - y[..., None], T_L - y[..., None]
    query = np.asarray(task.probability)[..., None] * masses

    def mean(of: Array) -> Any:
        """Over queries, and over prompts where the quantity depends on them."""
        return (query * (of[..., 0] if of.shape[-1] == 1 else (probability * of).sum(-1))).sum(-1)

    def gradient(off: Array, J: Array) -> Array:
        parts = [mean(off * J[..., i]) for i in range(4)]
        return np.stack([parts[0], 0 * parts[0], parts[1], 0 * parts[1], *parts[2:]], axis=-1)

    return {
        "risk_L": mean(_square(off_L)) / 2,
        "risk": mean(_square(off)) / 2,
        "D2": mean(_square(T_L - T)),
        "T2": mean(_square(T)),
        "y2": mean(_square(y)[..., None]),
        "J2": mean(_square(J).sum(-1)),
        "dJ2": mean(_square(J_L - J).sum(-1)),
        "gradient_L": gradient(off_L, J_L),
        "gradient": gradient(off, J),
    }


@dataclass(frozen=True)
class Case:
    """One edge case: its name, prompt length and what prompts of that length change."""

    name: str
    L: int
    gaps: Gaps


@cache
def edge_case_gaps() -> tuple[Case, ...]:
    """The transfer at boundary cases: y = 0, U = 0, V = 0, L = 1, skewed laws, large scores and
    slopes, T = y.

    >>> min(case.L for case in edge_case_gaps())
    1
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
    rows = {
        "v = (1/100, 0)": (0.01, 0.0),
        "v = (0, 1)": (0.0, 1.0),
        "v = (-2, 1/10)": (-2.0, 0.1),
        "v = 0": (0.0, 0.0),
    }
    out = []
    for law, (x, masses) in laws.items():
        for task, w in slopes.items():
            tasks = tasks_on_atoms(x, masses, w)
            for matrix, U in matrices.items():
                for row, v in rows.items():
                    name = f"{law}, {task}, {matrix}, {row}"
                    out += [Case(f"{name}, L = {L}", L, gaps(tasks, U, v, L)) for L in (1, 2, 3, 8)]
    return tuple(out)
