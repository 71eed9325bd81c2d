"""A run of SGD as one array and back, and the two halves of a coupled one."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.training.parameters import pack, unpack
from numerics.training.result import Training
from theory.regression.task import RegressionTask

__all__ = ["as_array", "described", "from_array", "half"]

Floats = NDArray[np.float64]
BOTH = ("softmax", "linear")
MEASURED = ("step", "risk", "risk_error", "parameters", "initial", "diverged")


def described(training: Training) -> dict[str, Any]:
    """What was trained, JSON-able: with `as_array`, all of a run."""
    about = {field.name: getattr(training, field.name) for field in fields(Training) if field.name not in MEASURED}
    return about | {"task": training.task.described()}


def as_array(training: Training) -> Floats:
    """The k records below a row with the start.

    Parameters
    ----------
    training : Training

    Returns
    -------
    ndarray of shape (k + 1, ...)
        Columns: step, risk, its error, and O, V, K, Q entry by entry; if coupled, risks, errors and
        parameters of softmax and then of linear attention. In the first row stand the step of the
        divergence, or -1, zeros, and the start.

    Examples
    --------
    >>> from numerics.training.parameters import initial_parameters, pack, unpack
    >>> theta = pack(initial_parameters(2, seed=0))
    >>> task = RegressionTask(np.eye(2), noise=0.0, task_variance=0.5)
    >>> about = dict(attention="softmax", prompt_length=3, variant="as written", task=task, batch=1)
    >>> about |= dict(lr=0.1, steps=4, every=2, seed=0)
    >>> ends = dict(step=np.array([2]), risk=np.ones(1), risk_error=np.zeros(1), initial=unpack(theta), diverged=3)
    >>> run = Training(**about, **ends, parameters=unpack(theta[None] / 2))
    >>> again = from_array(as_array(run), described(run))
    >>> as_array(run).shape, again.diverged, bool((again.final.V == run.final.V).all())
    ((2, 33), 3, True)
    """
    rows, c = len(training.step), 2 if training.attention == "coupled" else 1
    columns = (training.risk, training.risk_error, pack(training.parameters))
    records = np.concatenate([training.step.reshape(rows, 1), *(column.reshape(rows, -1) for column in columns)], axis=1)
    start = pack(training.initial).ravel()
    head = [-1.0 if training.diverged is None else float(training.diverged), *np.zeros(2 * c)]
    return np.concatenate([np.concatenate([head, start])[None], records])


def from_array(array: Floats, about: dict[str, Any]) -> Training:
    """The run that `as_array` and `described` have written down."""
    task = RegressionTask(**about["task"])
    n, coupled = task.d + 1, about["attention"] == "coupled"
    c = 2 if coupled else 1
    front = (2,) if coupled else ()
    theta = array[:, 1 + 2 * c :].reshape(-1, *front, 1 + 3 * n, n)
    return Training(
        **about | {"task": task},
        step=array[1:, 0].astype(np.int64),
        risk=array[1:, 1 : 1 + c].reshape(-1, *front).copy(),
        risk_error=array[1:, 1 + c : 1 + 2 * c].reshape(-1, *front).copy(),
        parameters=unpack(theta[1:]),
        initial=unpack(theta[0]),
        diverged=None if array[0, 0] < 0 else int(array[0, 0]),
    )


def half(training: Training, attention: str) -> Training:
    """The softmax or the linear run of a coupled one, as if it had been trained alone."""
    i = BOTH.index(attention)
    return replace(
        training,
        attention=attention,
        risk=training.risk[:, i],
        risk_error=training.risk_error[:, i],
        parameters=training.parameters.at((slice(None), i)),
        initial=training.initial.at(i),
    )
