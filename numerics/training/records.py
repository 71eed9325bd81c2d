"""The records that a run of SGD makes on its way (risk, its error, parameters) and where it stands,
both as arrays that a checkpoint can hold.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Records", "State", "mean_and_error"]

Floats = NDArray[np.float64]


class State(NamedTuple):
    """Where a run stands. It is replaced as a whole: an interrupt sees the old one or the new one,
    never a mixture.
    """

    #: Shape (1 + 3n, n), or (2, 1 + 3n, n) if coupled.
    theta: Floats
    #: Steps done.
    done: int
    #: The step that was not finite; -1 if there was none.
    diverged: int


class Records:
    """The records so far and the losses since the last one, from a start of the shape of
    `State.theta`; what lies beyond `State.done` is not yet true.

    >>> start = np.zeros((7, 2))
    >>> records = Records(start, 5, 2)
    >>> records.add(0, np.array([1.0, 3.0]), start + 1)
    >>> records.add(2, np.array([5.0]), start + 2)
    >>> step, risk, error, theta = records.finished(State(start + 2, 3, -1))
    >>> step.tolist(), risk.tolist(), theta[:, 0, 0].tolist()  # the last one is short
    ([2, 3], [2.0, 5.0], [1.0, 2.0])
    """

    def __init__(self, start: Floats, steps: int, every: int) -> None:
        count, front = steps // every, start.shape[:-2]
        self.every = every
        self.losses = np.empty((*front, every))
        self.risk, self.error = np.empty((count, *front)), np.empty((count, *front))
        self.theta = np.empty((count, *start.shape))

    def add(self, first: int, losses: Floats, theta: Floats) -> None:
        """The losses of the steps from `first` on, none of them beyond the next record, and the
        parameters after them.
        """
        row, at = divmod(first, self.every)
        last = at + losses.shape[-1]
        self.losses[..., at:last] = losses
        if last == self.every:
            self.risk[row], self.error[row] = mean_and_error(self.losses)
            self.theta[row] = theta

    def finished(self, state: State) -> tuple[NDArray[np.int64], Floats, Floats, Floats]:
        """Steps, risks, their errors and parameters of all records, with a short one at the end if
        steps are left over.
        """
        rows, rest = divmod(state.done, self.every)
        step = self.every * np.arange(1, rows + 1, dtype=np.int64)
        risk, error, theta = self.risk[:rows], self.error[:rows], self.theta[:rows]
        if rest:
            mean, its_error = mean_and_error(self.losses[..., :rest])
            step = np.append(step, state.done)
            risk, error = np.concatenate([risk, mean[None]]), np.concatenate([error, its_error[None]])
            theta = np.concatenate([theta, state.theta[None]])
        return step, risk, error, theta

    def saved(self, state: State) -> dict[str, NDArray[Any]]:
        """What is true at that state."""
        rows, rest = divmod(state.done, self.every)
        where = np.array([state.done, state.diverged], dtype=np.int64)
        so_far = dict(
            risk=self.risk[:rows],
            error=self.error[:rows],
            records=self.theta[:rows],
            losses=self.losses[..., :rest],
        )
        return dict(where=where, theta=state.theta) | so_far

    def restored(self, saved: dict[str, NDArray[Any]]) -> State:
        """Take over what `saved` gave; ValueError says that no run leaves such numbers behind."""
        done, diverged = (int(x) for x in saved["where"])
        rows, rest = divmod(done, self.every)
        wanted = dict(
            risk=self.risk[:rows],
            error=self.error[:rows],
            records=self.theta[:rows],
            losses=self.losses[..., :rest],
        )
        wanted |= dict(theta=np.empty(self.theta.shape[1:]))
        fits = (
            done >= 0
            and diverged in (-1, done)
            and all(saved[name].shape == array.shape for name, array in wanted.items())
        )
        if not fits or not all(np.isfinite(saved[name]).all() for name in wanted if name != "error"):
            raise ValueError("its numbers do not fit together")
        self.risk[:rows], self.error[:rows], self.theta[:rows] = (
            saved["risk"],
            saved["error"],
            saved["records"],
        )
        self.losses[..., :rest] = saved["losses"]
        return State(np.array(saved["theta"], dtype=np.float64, order="C"), done, diverged)


def mean_and_error(losses: Floats) -> tuple[Floats, Floats]:
    """Mean over the last axis, and its standard error (nan for a single loss). The batches are
    independent, but the risk falls meanwhile: squared differences of neighbours (von Neumann) see
    the noise and not the fall.
    """
    count = losses.shape[-1]
    largest = np.maximum(
        abs(losses).max(-1), np.finfo(float).tiny
    )  # a diverging run has losses whose squares overflow
    part = losses / largest[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.asarray((np.diff(part) ** 2).sum(-1) / np.float64(2 * (count - 1)))
    return np.asarray(largest * part.mean(-1)), np.asarray(largest * np.sqrt(variance / count))
