"""Turns a run of training into one array, which a store can keep, and back; and takes a run of both
architectures on the same prompts apart.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.training.parameters import pack, unpack
from numerics.training.result import Training

__all__ = ["as_array", "from_array", "half"]

Floats = NDArray[np.float64]
ARCHITECTURES = ("softmax", "linear")


def as_array(training: Training) -> Floats:
    """A run of training as one array (k + 1, 1 + c (2 + n + 3 n^2)): a row with the start, and
    below it the k records, with n = d + 1, and c = 2 for a coupled run, else 1.
    """
    # The columns are the step, the c risks, their c standard errors, and the entries of O, V, K, Q
    # for each architecture, softmax first. The first row holds the step of the divergence, or -1 if
    # there is none, then zeros, and the parameters at the start.
    rows, c = len(training.step), 2 if training.attention == "coupled" else 1
    columns = (training.risk, training.risk_error, pack(training.parameters))
    records = np.concatenate(
        [training.step.reshape(rows, 1), *(column.reshape(rows, -1) for column in columns)], axis=1
    )
    start = pack(training.initial).ravel()
    head = [-1.0 if training.diverged is None else float(training.diverged), *np.zeros(2 * c)]
    return np.concatenate([np.concatenate([head, start])[None], records])


def from_array(array: Floats, about: dict[str, Any]) -> Training:
    """The run whose records are this array; `about` has the other arguments of its `Training`."""
    n, coupled = about["task"].d + 1, about["attention"] == "coupled"
    c = 2 if coupled else 1
    front = (2,) if coupled else ()
    theta = array[:, 1 + 2 * c :].reshape(-1, *front, 1 + 3 * n, n)
    return Training(
        **about,
        step=array[1:, 0].astype(np.int64),
        risk=array[1:, 1 : 1 + c].reshape(-1, *front).copy(),
        risk_error=array[1:, 1 + c : 1 + 2 * c].reshape(-1, *front).copy(),
        parameters=unpack(theta[1:]),
        initial=unpack(theta[0]),
        diverged=None if array[0, 0] < 0 else int(array[0, 0]),
    )


def half(training: Training, attention: str) -> Training:
    """The softmax or the linear run of a coupled one, as if it had been trained alone."""
    i = ARCHITECTURES.index(attention)
    return replace(
        training,
        attention=attention,
        risk=training.risk[:, i],
        risk_error=training.risk_error[:, i],
        parameters=training.parameters.at((slice(None), i)),
        initial=training.initial.at(i),
    )
