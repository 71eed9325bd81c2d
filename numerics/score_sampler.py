"""Squared errors of softmax attention averaged over all of the prompt but its scores, which alone are drawn.

Let tokens be A g with g normal, or uniform on a sphere or a ball: the law of g looks the same in every direction. Along the unit
vector e = AᵀUz/|AᵀUz| the token carries its score; given the scores, what is left of g is independent over the tokens and symmetric
about e, so that the errors of output and gradients have conditional means in closed form. They cost one or two random numbers and
one exponential a token in every dimension d, and vary less from prompt to prompt than the errors themselves (Rao–Blackwell).

Other laws have no such direction. For a product law only coordinates that no query weighs are independent of the scores: there
every token has to be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CONDITIONED", "ScoreSampler", "prepare"]

Floats = NDArray[np.float64]
#: Kinds of coordinates (`TokenLaw.coordinates`) for which the conditional means are known.
CONDITIONED = ("normal", "sphere", "ball")


@dataclass(frozen=True, eq=False)
class ScoreSampler:
    """Conditional means of the squared errors given the scores, for one problem; made by `prepare`."""

    model: tuple[object, ...]

    def values(self, L: int, first: int, count: int, key: tuple[np.uint32, np.uint32]) -> Floats:
        """Those of replicates ``first`` to ``first + count - 1`` at length L.

        Parameters
        ----------
        L : int
            Prompt length, 1 <= L < 2^31.
        first, count : int
        key : tuple of uint32
            `numerics.streams.key_of` the seed. Replicate r is a function of (key, r, L), however the range is cut, and independent
            of what the kernel that draws whole tokens makes of them.

        Returns
        -------
        ndarray of shape (3, count)
            Output, gradient in V, gradient in U.
        """
        raise NotImplementedError


def prepare(coordinates: object, factor: Floats, U: Floats, V: Floats, mean: Floats, root: Floats) -> ScoreSampler:
    """Everything the kernel asks of a problem, from arrays that have been checked.

    Parameters
    ----------
    coordinates : str
        One of `CONDITIONED`.
    factor : ndarray of shape (d, r)
        A of the tokens A g, g in R^r: standard normal, or uniform on the sphere of radius sqrt(r) or the ball of radius sqrt(r + 2).
    U : ndarray of shape (d, d)
    V : ndarray of shape (d_out, d)
    mean : ndarray of shape (d,)
        Mean of the query.
    root : ndarray of shape (d, k)
        F of the query's covariance F Fᵀ; k = 0 for a fixed query.

    Returns
    -------
    ScoreSampler

    Raises
    ------
    ValueError
        If the law of the tokens is of another kind.
    """
    if coordinates not in CONDITIONED:
        raise ValueError(
            "method = 'scores' averages exactly over all but the scores, which is possible for Gaussian tokens and for linear images "
            "of the uniform law on a sphere or a ball only; use method = 'tokens'"
        )
    raise NotImplementedError
