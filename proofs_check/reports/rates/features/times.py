"""The table of times: how many steps the attention needs, over classes K, accuracy eps, Lipschitz
constant L, distance Delta, learning rate eta and prompt length N. The tasks take the values
``+-L Delta/2``, each on a random half of the features: they have the Lipschitz constant L, are
exchangeable, and have the spread `spread`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from proofs_check.reports.rates.features.learning_times import Features, families
from theory.regression.features.reduced import ReducedAttention

__all__ = ["EPS", "VARIED_EPS", "VARIED_K", "Table", "Time", "spread", "time_table"]

#: Accuracies: the attention reaches 1 - eps, and the loss eps^2.
EPS = (1e-1, 1e-2, 1e-3, 1e-4)
#: Numbers of classes that only closed forms reach.
FAR = tuple(2**n for n in range(12, 41, 4))
#: Where L, Delta, eta and N are varied: orthonormal directions, this many classes and accuracy.
VARIED_K, VARIED_EPS = 16, 1e-2


class Time(NamedTuple):
    """One row of the table: the time, in steps of gradient descent, until an event."""

    features: str
    family: str
    #: "Attn >= 1/2", "Attn >= 1-eps" or "loss <= eps^2".
    event: str
    K: int
    eps: float | None
    L: float
    Delta: float
    eta: float
    #: Tokens in a prompt; None is the population prompt.
    N: int | None
    #: Infinite if the event never happens, and nan beyond the integration of random features.
    steps: float


class Table(NamedTuple):
    """All rows."""

    #: The choices of features of which `near` tells.
    features: list[Features]
    #: Every choice of features, at L = eta = 1.
    near: list[Time]
    #: Orthonormal features with numbers of classes that only closed forms reach.
    far: list[Time]
    #: Rows in which one of L, Delta, eta and N is varied.
    varied: dict[str, list[Time]]

    @property
    def rows(self) -> list[Time]:
        """Every row."""
        return [*self.near, *self.far, *(row for rows in self.varied.values() for row in rows)]


def spread(K: int, L: float, Delta: float) -> float:
    """``sigma_f^2 = E (f_1 - f_2)^2 / 2`` of the tasks ``+-L Delta/2`` on random halves."""
    return (L * Delta) ** 2 / 4 * K / (K - 1)


def _rows(found: Features, L: float = 1.0, eta: float = 1.0, eps: Sequence[float] = EPS) -> list[Time]:
    """The rows of one choice of features, at population prompts."""
    clock, s2 = found.clock, spread(found.K, L, found.Delta)

    def row(event: str, accuracy: float | None, time: float) -> Time:
        return Time(
            found.name, found.family, event, found.K, accuracy, L, found.Delta, eta, None, time / (eta * s2)
        )

    rows = [row("Attn >= 1/2", None, clock.attention_time(0.5))]
    rows += [row("Attn >= 1-eps", e, clock.attention_time(e)) for e in eps]
    return rows + [row("loss <= eps^2", e, clock.loss_time(e**2 / s2)) for e in eps]


def orthonormal(K: int) -> Features:
    """Orthonormal features, by the closed form of our R7."""
    return Features("orthonormal", "orthonormal", K, 2**0.5, ReducedAttention(K, 1.0))


def varied_times() -> dict[str, list[Time]]:
    """The rows in which L, Delta, eta or N is varied, for orthogonal features of one norm."""

    def rows(L: float, Delta: float, eta: float) -> list[Time]:
        # Features scaled by s move at s^4 times the speed: kappa is half the squared distance.
        features = Features(
            "orthonormal", "orthogonal of one norm", VARIED_K, Delta, ReducedAttention(VARIED_K, Delta**4 / 4)
        )
        return _rows(features, L, eta, [VARIED_EPS])

    # At these rates a step is short for every L and Delta.
    found = {
        "L": [row for n in range(4) for row in rows(10.0**n, 2**0.5, 1e-6)],
        "Delta": [row for n in range(3) for row in rows(1.0, 2.0**n, 1e-3)],
        "eta": [row for n in range(4) for row in rows(1.0, 2**0.5, 10.0**-n)],
        "N": [],
    }
    s2 = spread(VARIED_K, 1.0, 2**0.5)
    level = VARIED_EPS**2 / s2
    for N in (16, 64, 256, 1024, 4096):
        reduced = ReducedAttention(VARIED_K, 1.0, prompt_length=N)
        steps = reduced.loss_time(level) / s2 if level > reduced.floor else float("inf")
        found["N"].append(
            Time(
                "orthonormal",
                "orthonormal",
                "loss <= eps^2",
                VARIED_K,
                VARIED_EPS,
                1.0,
                2**0.5,
                1.0,
                N,
                steps,
            )
        )
    return found


def time_table(
    classes: Sequence[int], seed: int, advance: Callable[[int, int], None] = lambda done, total: None
) -> Table:
    """The whole table, for even numbers of classes, from 4 on. `advance` is told how many choices
    of features are done, and of how many.
    """
    features, near = families(classes, seed), []
    for i, found in enumerate(features):
        near += _rows(found)
        advance(i + 1, len(features))
    return Table(features, near, [row for K in FAR for row in _rows(orthonormal(K))], varied_times())
