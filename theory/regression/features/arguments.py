"""Reads the probabilities, second moments and prompts of a problem with finitely many features."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.inputs.arrays import read_covariance
from theory.inputs.whole_numbers import read_whole
from theory.regression.features.prompts import enumerate_prompts

__all__ = ["read_probabilities", "read_prompts", "read_second_moments"]

#: An array of floats, or of SymPy expressions where ``exact`` is said.
Array = NDArray[Any]
#: How far probabilities may sum from 1 by rounding, for each class.
ROUNDING = 1e-12


def read_probabilities(p: Array | None, K: int, *, exact: bool) -> Array:
    """Probabilities of the classes; 1/K if none are given.

    >>> read_probabilities(None, 2, exact=True)
    array([1/2, 1/2], dtype=object)
    """
    if p is None:
        return np.full(K, sp.Rational(1, K) if exact else 1 / K)
    p = p.reshape(-1)
    for k, p_k in enumerate(p):
        if p_k.is_nonpositive if exact else p_k <= 0:
            raise ValueError(
                f"probabilities[{k}] = {p_k}, but every class is drawn with positive probability; "
                "leave out the feature of a class that is never drawn"
            )
    total = p.sum() if exact or (p < 2).all() else np.inf
    if sp.simplify(total - 1).is_zero is False if exact else abs(total - 1) > ROUNDING * K:
        raise ValueError(f"the probabilities sum to {total}, not to 1; divide them by their sum")
    return p


def read_second_moments(C: Array, *, exact: bool) -> Array:
    """Second moments of a task on the features; expressions are only checked for symmetry.

    >>> read_second_moments(np.eye(1), exact=False)
    array([[1.]])
    """
    if not exact:
        return read_covariance("value_covariance", C)
    if not sp.Matrix(C).is_symmetric():
        raise ValueError("value_covariance is not symmetric; pass the second moments E f(v_i) f(v_j)")
    return C


def read_prompts(
    prompt_length: int | None, masses: Array | None, p: Array, *, exact: bool
) -> tuple[Array, Array]:
    """Masses of the classes in each prompt, (n, K), and the probability of each prompt, (n,).

    >>> read_prompts(None, None, np.array([0.25, 0.75]), exact=False)
    (array([[0.25, 0.75]]), array([1.]))
    """
    if masses is not None and prompt_length is not None:
        raise ValueError(
            "prompt_length and masses are both given; pass one of them, since masses are the prompts "
            "themselves"
        )
    if prompt_length is not None:
        return enumerate_prompts(
            p, read_whole("prompt_length", prompt_length, "it is the number N of tokens in a prompt")
        )
    if masses is None:
        masses = p[None, :]
    elif not exact and (masses < 0).any():
        raise ValueError(f"masses has the entry {masses.min()}; a class has a share of the prompt, from 0 on")
    if not exact and masses.max() > 1e150:
        raise ValueError(f"masses has the entry {masses.max():g}, beyond 1e150; choose another unit of mass")
    if not exact and (masses.sum(axis=1) == 0).any():
        raise ValueError(
            "a row of masses is 0, which is a prompt without tokens; give at least one class a positive mass"
        )
    n = len(masses)
    return masses, np.full(n, sp.Rational(1, n) if exact else 1 / n)
