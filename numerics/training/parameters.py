"""The parameters (O, V, K, Q) of one layer of attention, their random start, and the array in which
the kernels of SGD keep them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.inputs.arrays import read_arrays
from theory.inputs.whole_numbers import read_whole
from theory.shown.result import in_a_line, in_a_table

__all__ = ["Parameters", "initial_parameters", "pack", "read_parameters", "read_start", "unpack"]

Floats = NDArray[np.float64]
#: Second word of the random key of the start: the streams of prompts never have it.
STREAM = 0x696E6974


class Parameters(NamedTuple):
    """Output, value, key and query parameters, n = d + 1.

    Of the matrix O only the last row counts, the one that gives the prediction. Axes in front are
    records, then (softmax, linear) if both are trained.

    Attributes
    ----------
    O : ndarray of shape (..., n)
    V, K, Q : ndarray of shape (..., n, n)

    Examples
    --------
    >>> theta = initial_parameters(2, seed=0)
    >>> theta.U.shape, theta.b.shape
    ((3, 3), (3,))
    """

    O: Floats
    V: Floats
    K: Floats
    Q: Floats

    def __repr__(self) -> str:
        return in_a_line(self)

    def _repr_html_(self) -> str:
        return in_a_table(self)

    @property
    def U(self) -> Floats:
        """Query-key matrix K'Q, without the scale of the scores."""
        return np.swapaxes(self.K, -1, -2) @ self.Q

    @property
    def b(self) -> Floats:
        """V'o: what a token is multiplied by in the prediction."""
        return np.asarray(np.squeeze(np.swapaxes(self.V, -1, -2) @ self.O[..., None], -1))

    def at(self, index: Any) -> Parameters:
        """The entry, or entries, of the axes in front."""
        return Parameters(*(x[index] for x in self))


def initial_parameters(d: int, seed: int) -> Parameters:
    """A start in d = n - 1 dimensions: every entry from U(-1/sqrt(n), 1/sqrt(n)), the default of a
    linear layer without bias in PyTorch. All architectures that are trained with one seed share it.
    """
    from numerics.compiled.streams import key_of

    n = read_whole("d", d, "it is the dimension of the covariates") + 1
    key_of(seed)
    generator = np.random.Generator(np.random.Philox(key=np.array([seed, STREAM], dtype=np.uint64)))
    return unpack(generator.uniform(-1 / math.sqrt(n), 1 / math.sqrt(n), (1 + 3 * n, n)))


def pack(parameters: Parameters) -> Floats:
    """The array (..., 1 + 3n, n) with the rows [o; V; K; Q]."""
    O, V, K, Q = parameters
    return np.ascontiguousarray(np.concatenate([O[..., None, :], V, K, Q], axis=-2))


def unpack(theta: Floats) -> Parameters:
    """The parameters in an array (..., 1 + 3n, n), as views."""
    n = theta.shape[-1]
    return Parameters(
        theta[..., 0, :],
        theta[..., 1 : n + 1, :],
        theta[..., n + 1 : 2 * n + 1, :],
        theta[..., 2 * n + 1 :, :],
    )


def read_parameters(parameters: Sequence[ArrayLike], d: int) -> Parameters:
    """Parameters from the four arrays O, V, K, Q, which have been checked, with any axes in front.

    >>> read_parameters([np.ones(2), np.eye(2), np.eye(2), np.eye(2)], 1).O.shape
    (2,)
    """
    if isinstance(parameters, str) or not isinstance(parameters, Sequence) or len(parameters) != 4:
        raise TypeError(
            "parameters are no (O, V, K, Q); pass Parameters, or four arrays of shapes (n,), (n, n), (n, n), "
            "(n, n)"
        )
    shape = " ".join("abcdefgh"[: max(_axes(parameters[0]) - 1, 0)] + "n")
    arrays = read_arrays(
        O=(parameters[0], shape), **{k: (x, f"{shape} n") for k, x in zip("VKQ", parameters[1:])}
    )
    if arrays[0].shape[-1] != d + 1:
        raise ValueError(
            f"O has shape {arrays[0].shape}, but d = {d} needs (n,) = ({d + 1},): n = d + 1 = {d + 1}"
        )
    return Parameters(*arrays)


def read_start(start: Sequence[ArrayLike], d: int, coupled: bool) -> Floats:
    """A start of one's own as the array that a kernel works on, (1 + 3n, n); if coupled, with an
    axis (softmax, linear) in front. The start may have it too; else both architectures start alike.

    >>> read_start(initial_parameters(2, seed=0), 2, coupled=True).shape
    (2, 10, 3)
    """
    found = read_parameters(start, d)
    if found.O.ndim > 1 and not (coupled and found.O.shape == (2, d + 1)):
        raise ValueError(
            f"start has O of shape {found.O.shape}, but it is (n,) = ({d + 1},){' or (2, n)' * coupled}"
        )
    theta = pack(found)
    return np.stack([theta, theta]) if coupled and found.O.ndim == 1 else theta


def _axes(array: ArrayLike) -> int:
    try:
        return np.ndim(array)
    except ValueError:  # ragged: `read_arrays` says so
        return 0
