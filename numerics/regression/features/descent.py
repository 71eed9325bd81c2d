"""Gradient descent on the attention over finitely many features, in compiled calls."""

from __future__ import annotations

import time
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.regression.features.kernel import SOURCES, descent_kernel
from numerics.regression.features.path import AttentionPath, read_problem, room_for
from numerics.terminal.inputs import file_is_there, path_of
from numerics.training.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from theory.inputs.arrays import read_arrays
from theory.inputs.whole_numbers import read_whole
from theory.regression.features.data import FeatureRegression

__all__ = ["attention_descent"]

#: Records of a run, if none are asked for: as many at each scale of the number of steps.
RECORDS = 100
#: Least seconds between two checkpoints, and the seconds that a call of the kernel should take at
#: least: an interrupt waits for its end.
CHECKPOINT_PAUSE, SHORT_CALL = 5.0, 0.05


def attention_descent(
    problem: FeatureRegression,
    eta: float,
    steps: int,
    *,
    start: ArrayLike | None = None,
    records: ArrayLike | None = None,
    checkpoint: str | Path | None = None,
) -> AttentionPath:
    """Train the attention by gradient descent on the population loss (eq. (8)).

    Parameters
    ----------
    problem : FeatureRegression
        With population prompts, or with every prompt of its length.
    eta : float
        Learning rate, positive.
    steps : int
    start : array_like of shape (d, d), optional
        Q at step 0; the paper's is 0.
    records : array_like of shape (k,), optional
        Numbers of steps after which loss and parameters are kept, increasing, from 0 to ``steps``.
        By default about a hundred, evenly spread on a logarithmic scale.
    checkpoint : path, optional
        A file that is kept up to date every few seconds and at the end. A run that was killed goes
        on from it, bit for bit.

    Returns
    -------
    AttentionPath
        If a loss is not a finite number, ``diverged`` is the number of that step, and the records
        end before it.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or out of its range.
    numerics.training.checkpoint.CheckpointError
        If the checkpoint cannot be written, or belongs to another run.

    Notes
    -----
    Li, Duan & Liang, arXiv:2507.20443, Section 3.2. The gradient is ``-V H V'`` for any features,
    so that a step costs ``K^2`` exponentials a prompt and, unless the features are orthonormal, two
    products of K x K matrices.

    Examples
    --------
    Steps until the attention reaches one half, for 16 orthonormal features:

    >>> problem = FeatureRegression(np.eye(16), np.eye(16))
    >>> path = attention_descent(problem, 1.0, 358, records=[357, 358])
    >>> (path.attention[:, 0, 0] > 0.5).tolist()
    [False, True]
    """
    given, Q0 = read_problem(problem, start)
    eta = float(read_arrays(eta=(eta, ""))[0])
    if not eta > 0:
        raise ValueError(f"eta = {eta} is not positive, but it is the learning rate; pass a positive number")
    steps = read_whole("steps", steps, "it is the number of steps of gradient descent", least=0)
    at = _record_steps(records, steps)
    room, W = room_for(given), np.zeros((problem.K, problem.K))
    losses, kept = np.empty(len(at)), np.empty((len(at), problem.K, problem.K))
    file, done, found = None if checkpoint is None else path_of("checkpoint", checkpoint), 0, 0
    run = {"eta": eta, "steps": steps, "records": at.tolist(), "kernels": SOURCES}
    run["problem"] = sha256(b"".join(np.asarray(x).tobytes() for x in given)).hexdigest()
    if file is not None and file_is_there(file, "checkpoint", CheckpointError):
        state = read_checkpoint(file, run, dict)
        W, done, found = state["W"], int(state["done"]), int(state["found"])
        losses[:found], kept[:found] = state["losses"], state["kept"]

    def save() -> None:
        if file is not None:
            counts = {"done": np.array(done), "found": np.array(found)}
            write_checkpoint(file, run, counts | {"W": W, "losses": losses[:found], "kept": kept[:found]})

    kernel, pace, saved, diverged = descent_kernel(), 64, time.monotonic(), None
    while found < len(at) and diverged is None:
        goal, began, next_W = min(done + pace, int(at[-1])), time.monotonic(), W.copy()
        reached, found = kernel(next_W, done, goal, eta, given, room, at, losses, kept)
        diverged = None if reached == goal and np.isfinite(next_W).all() else int(reached)
        W, done = next_W, int(reached)
        pace *= 2 if time.monotonic() - began < SHORT_CALL else 1
        if time.monotonic() - saved > CHECKPOINT_PAUSE:
            save()
            saved = time.monotonic()
    save()
    return AttentionPath(problem, at[:found].astype(float), losses[:found], kept[:found], Q0, diverged)


def _record_steps(records: ArrayLike | None, steps: int) -> NDArray[np.int64]:
    if records is None:
        spread = np.geomspace(1, max(steps, 1), RECORDS).round()
        return np.unique(np.concatenate([[0], spread[spread <= steps], [steps]])).astype(np.int64)
    (at,) = read_arrays(records=(records, "k"))
    if (
        at.ndim != 1
        or not len(at)
        or (at != at.round()).any()
        or (np.diff(at) <= 0).any()
        or at[0] < 0
        or at[-1] > steps
    ):
        raise ValueError(
            f"records = {records!r:.100} are not increasing whole numbers from 0 to steps = {steps}; pass "
            "such numbers"
        )
    return at.astype(np.int64)
