"""Bounds on what prompts too rare for a sample may add to a mean error, for tokens that take few
values. With steep scores attention picks one value of a token: the error is nearly 0, except for
prompts in which that value does not occur. A sample without such a prompt shows neither them nor
that it lacks them, but their probability and the largest error are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from numerics.attention.setting import AttentionSetting
from numerics.token_laws.kinds import check_law

__all__ = ["rare_prompts"]

Floats = NDArray[np.float64]
#: Expected number of prompts from which on they count as seen: all are missed with probability
#: e^-14 < 1e-6.
SURELY_SEEN = 14
#: Square of the relative rounding of a token in float32: errors fall below it where attention picks
#: one value.
ROUNDING = 1e-12


def rare_prompts(setting: AttentionSetting, lengths: Floats, replicates: int) -> Floats:
    """A bound (3, n) on what prompts that lack a value of the tokens, or hold a rare one, add to
    the mean of output, gradient in V and gradient in U, where a sample may contain none of them:
    probability times the largest squared error, and at least what is left of it by rounding. 0 for
    other tokens than atoms and signs, and on average over queries, where nothing is exact.
    """
    law, V = setting.law, setting.V
    if isinstance(law.coordinates, str):
        check_law(
            law.coordinates, ("normal", "sign", "uniform", "sphere", "ball"), "the count of rare prompts"
        )
    A = np.zeros((law.d, 0)) if law.factor is None else law.factor
    signs = law.coordinates == "sign" or (law.coordinates == "sphere" and A.shape[1] == 1)
    own = law.on_points
    if setting.averaged or not (signs or own is not None):
        return np.zeros((3, lengths.size))
    if own is not None:
        points, weights = own.points, own.weights[:, None]
        missing = (1 - weights) ** lengths
        probability = np.concatenate([missing, 1 - missing])
        size, seen = (float((x**2).sum(axis=1).max()) for x in (points, points @ V.T))
    else:
        # the k coordinates that matter have the signs that scores prefer in one token of 2^k
        probability = (1 - 0.5 ** np.arange(1, A.shape[1] + 1)[:, None]) ** lengths
        size, seen = (A.shape[1] * float(np.linalg.norm(M, 2)) ** 2 for M in (A, V @ A))
    largest = 4 * np.array([seen, len(V) * size, seen * size * float(setting.query @ setting.query)])
    return np.asarray(
        largest[:, None] * np.where(replicates * probability < SURELY_SEEN, probability, ROUNDING).max(axis=0)
    )
