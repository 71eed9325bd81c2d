"""`numerics.train`: SGD on the in-context risk as in Appendix A.1 of Boursier & Boyer, in pieces of
compiled steps, with records, checkpoints, progress, and a stop at divergence.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from numerics.terminal.inputs import file_is_there
from numerics.training.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from numerics.training.parameters import unpack
from numerics.training.records import Records, State
from numerics.training.result import Training
from numerics.training.setup import Setup, read_setup, training_task
from theory.regression.experiment import Variant
from theory.regression.task import RegressionTask

__all__ = ["train"]

#: Seconds that a call of the kernel should take, at least and at most: an interrupt waits for its
#: end.
SHORT_CALL, LONG_CALL = 0.05, 0.2
#: Least seconds between two calls of `progress`, and between two checkpoints.
PROGRESS_PAUSE, CHECKPOINT_PAUSE = 0.1, 5.0
#: Seconds of work for a second of writing checkpoints, at least.
WORK_PER_CHECKPOINT = 20


def train(
    attention: str,
    prompt_length: int,
    *,
    task: RegressionTask | None = None,
    d: int | None = None,
    Sigma: ArrayLike | None = None,
    noise: float | None = None,
    task_variance: float | None = None,
    batch: int = 128,
    lr: float = 1e-3,
    steps: int = 500_000,
    seed: int = 0,
    variant: str | Variant = "as written",
    start: Sequence[ArrayLike] | None = None,
    every: int | None = None,
    checkpoint: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    until: Callable[[Training], bool] | None = None,
) -> Training:
    """Train one layer of attention on in-context linear regression by SGD.

    Tokens are z = (x, y) as the task has them, the query token is z_q = (x_q, 0), and each step
    draws a batch of fresh prompts. The prediction is T = o·V (sum of p_l z_l), p = softmax of the
    scores (Q z_q)·(K z_l), or p_l = score / L for linear attention; the risk is E (T - y_q)² / 2,
    label noise on y_q included.

    Parameters
    ----------
    attention : {"softmax", "linear", "coupled"}
        "coupled" trains both on the same prompts; alone, each draws prompts of its own. If one of a
        pair diverges, both end.
    prompt_length : int
        Tokens in a prompt, from 1 on.
    task : RegressionTask, optional
        By default that of the paper, `theory.regression.experiment.TASK`: d = 5, Sigma = I, noise
        0.1, task variance 1/5.
    d, Sigma, noise, task_variance : optional
        Plain values in the place of a task. What is not named is as in the paper: Sigma = I, noise
        0.1, task variance 1/d.
    batch : int
        Prompts in a step.
    lr : float
        Learning rate; 0 measures the risk of the start.
    steps : int
        500 000 in the paper; a run of the authors' code has ``VARIANTS["as coded"].steps``, which
        is 300 000.
    seed : int
        From 0 to 2^64 - 1. It decides start and prompts; all architectures of one seed share the
        start.
    variant : {"as written", "as coded"} or Variant
        How the experiment is read, see `theory.regression.experiment`.
    start : Parameters, or four arrays O (n,), V, K, Q (n, n), optional
        n = d + 1; if coupled, (2, ...) gives each architecture its own. By default as in
        `initial_parameters`.
    every : int, optional
        Steps between two records, by default so that there are about 500. A last one may be
        shorter.
    checkpoint : path, optional
        A file that is kept up to date every few seconds and at the end. A run that was killed goes
        on from it, bit for bit; a run that was finished is read from it. One run at a time: of two,
        the last to write leaves its state.
    progress : callable, optional
        Of (steps done, steps), called several times a second. What it raises ends the run, after a
        last checkpoint.
    until : callable, optional
        Asked after every `every` steps, with the `Training` so far; the run ends where it answers
        True. A run that goes on from its checkpoint asks again, so that the answer should follow
        from the records alone.

    Returns
    -------
    Training
        Its `diverged` is the step at which a loss or a parameter was not a finite number any more,
        if there was one.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind described or out of range, or lr is 0 and the start leaves
        the range of floats.
    CheckpointError
        A ValueError: the checkpoint belongs to another run, is damaged, or cannot be written.

    Notes
    -----
    Prompts are drawn reduced to what the loss and its gradient depend on, in float32; parameters
    are float64. Results are bitwise the same on one machine, in however many pieces the steps are
    run.

    References
    ----------
    Boursier and Boyer, Section 6 and Appendix A.1.

    Examples
    --------
    >>> run = train("softmax", 10, steps=2000, lr=0.05, seed=1)
    >>> run.diverged is None and bool(run.risk[-1] < run.risk[0])
    True
    """
    of = training_task(task, d, Sigma, noise, task_variance)
    setup = read_setup(attention, prompt_length, of, batch, lr, steps, seed, variant, start, every)
    records, state = Records(setup.start, setup.steps, setup.every), State(setup.start.copy(), 0, -1)
    if checkpoint is not None and not isinstance(checkpoint, (str, Path)):
        raise TypeError(f"checkpoint = {checkpoint!r} is no path; give the name of a file")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress = {progress!r} cannot be called; pass a function of (steps done, steps)")
    if until is not None and not callable(until):
        raise TypeError(
            f"until = {until!r} cannot be called; pass a function of the Training so far that returns True "
            "or False"
        )
    file, run = None if checkpoint is None else Path(checkpoint), setup.described()
    if file is not None:
        run["kernels"] = _kernel_key()
        if file_is_there(file, "checkpoint", CheckpointError):
            state = read_checkpoint(file, run, records.restored)

    def ended(at: State) -> bool:
        at_record = at.done > 0 and at.done % setup.every == 0
        return at_record and until is not None and bool(until(_training(setup, records, at)))

    if state.done < setup.steps and state.diverged < 0 and not ended(state):
        save = (
            (lambda at: None) if file is None else lambda at: write_checkpoint(file, run, records.saved(at))
        )
        state = _run(setup, records, state, save, progress or (lambda done, total: None), ended)
    if state.diverged >= 0 and setup.lr == 0:
        raise ValueError(
            "the risk or its gradient at the start leaves the range of floats on the prompts of step "
            f"{state.diverged}: tokens are drawn in float32, up to 3.4e38; choose other units for Sigma, the "
            "noise or the start"
        )
    return _training(setup, records, state)


def _training(setup: Setup, records: Records, state: State) -> Training:
    step, risk, error, theta = records.finished(state)
    return Training(
        attention=setup.attention,
        prompt_length=setup.prompt_length,
        variant=setup.variant.name,
        task=setup.task,
        batch=setup.batch,
        lr=setup.lr,
        steps=setup.steps,
        every=setup.every,
        seed=setup.seed,
        step=step,
        risk=risk,
        risk_error=error,
        parameters=unpack(theta),
        initial=unpack(setup.start),
        diverged=None if state.diverged < 0 else state.diverged,
    )


def _run(
    setup: Setup,
    records: Records,
    state: State,
    save: Callable[[State], None],
    progress: Callable[[int, int], None],
    ended: Callable[[State], bool],
) -> State:
    """Run the steps that are left, or until `ended` says so, in calls of the kernel whose number of
    steps is doubled or halved until a call takes the wanted time.
    """
    kernel, arguments = sgd_kernel(setup.attention), setup.kernel_arguments()
    front, none = setup.start.shape[:-2], np.empty((0,) * setup.start.ndim)
    pace, shown, kept, pause = 1, -PROGRESS_PAUSE, time.monotonic(), CHECKPOINT_PAUSE
    try:
        while state.done < setup.steps and state.diverged < 0 and not ended(state):
            now = time.monotonic()
            if now - shown >= PROGRESS_PAUSE:
                progress(state.done, setup.steps)
                shown = now
            piece = min(pace, setup.every - state.done % setup.every, setup.steps - state.done)
            # On a copy: an interrupt between the kernel's return and the next line must not leave
            # parameters ahead of `done`.
            theta, losses = state.theta.copy(), np.empty((*front, piece))
            began = time.monotonic()
            stopped = int(
                kernel(theta, setup.prompt_length, state.done, piece, setup.lr, *arguments, losses, none)
            )
            took = time.monotonic() - began
            pace = pace * 2 if took < SHORT_CALL else max(1, pace // 2) if took > LONG_CALL else pace
            after = state.done + piece if stopped < 0 else stopped
            records.add(state.done, losses[..., : after - state.done], theta)
            state = State(theta, after, stopped)
            if time.monotonic() - kept > pause:
                began = time.monotonic()
                save(state)
                kept = time.monotonic()
                pause = max(CHECKPOINT_PAUSE, WORK_PER_CHECKPOINT * (kept - began))
    finally:
        save(state)
    progress(state.done, setup.steps)
    return state


def sgd_kernel(attention: str) -> Callable[..., int]:
    """The compiled steps, imported when they are first needed: Numba takes most of a second."""
    from numerics.training.kernels.loop import sgd_kernel as compiled

    return compiled(attention)


def _kernel_key() -> Any:
    """A digest of the kernels' sources: another version need not give the same bits."""
    from numerics.training.kernels.loop import SOURCES

    return SOURCES
