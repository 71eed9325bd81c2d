"""Exact expectations over prompts whose tokens take few values, as sums over the counts of each
value. For every statistic that ignores the order, a prompt of L tokens with k possible values is
one of ``comb(L + k - 1, k - 1)`` vectors of counts with a multinomial probability. Values and
probabilities may be floats (arrays of laws at once) or Arb balls.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from numerics.token_laws.token_law import TokenLaw

__all__ = ["compositions", "expectation", "multinomial"]

Array = npt.NDArray[Any]
_comb = lru_cache(maxsize=2**16)(math.comb)


@lru_cache(maxsize=64)
def compositions(L: int, k: int) -> Array:
    """All vectors of k counts with sum L, shape (comb(L + k - 1, k - 1), k), in lexicographic
    order; read-only, since they are shared. More than 2e5 are refused.
    """
    if any(isinstance(n, bool) or not isinstance(n, (int, np.integer)) for n in (L, k)):
        raise TypeError(f"a prompt has a whole number of tokens and a law of atoms, got L = {L!r}, k = {k!r}")
    if L < 1 or k < 1:
        raise ValueError(
            f"a prompt needs at least one token and a law at least one atom, got L = {L}, k = {k}"
        )
    if (size := math.comb(L + k - 1, k - 1)) > 200_000:
        raise ValueError(
            f"L = {L} tokens on k = {k} atoms have {size} count vectors; shorten the prompt, or sample "
            "instead of enumerating"
        )
    rows = np.arange(L + 1)[:, None]
    for _ in range(k - 2):
        room = L - rows.sum(1)
        last = np.concatenate([np.arange(r + 1) for r in room])
        rows = np.column_stack([np.repeat(rows, room + 1, axis=0), last])
    out = np.column_stack([rows, L - rows.sum(1)]) if k > 1 else np.array([[L]])
    out.flags.writeable = False
    return out


def multinomial(counts: Array, weights: Any) -> Array:
    """Multinomial probabilities (n, ...) of vectors of counts (n, k) with a common sum, for
    positive weights (k, ...), whose trailing axes are independent laws; enclosures with exact
    coefficients where the weights are `flint.arb`.
    """
    p = np.asarray(weights)
    if p.dtype == object:
        total = int(counts[0].sum())
        out = []
        for row in counts.tolist():
            term, rest = p[0] * 0 + 1, total
            for n, q in zip(row, p, strict=True):
                term, rest = term * _comb(rest, n) * q**n, rest - n
            out.append(term)
        return np.array(out, dtype=object)
    coefficient = gammaln(counts[0].sum() + 1.0) - gammaln(counts + 1.0).sum(1)
    return np.exp(coefficient.reshape((-1,) + (1,) * (p.ndim - 1)) + np.tensordot(counts, np.log(p), axes=1))


def expectation(law: TokenLaw, L: int, g: Callable[[Array], Array]) -> Any:
    """``E g(counts)`` over a prompt of L independent tokens of a law on finitely many points; a
    probability where g is true or false. g maps counts (n, k), in the order of the law's points, to
    (n, ...).
    """
    if (own := law.on_points) is None:
        raise ValueError(
            f"the law {law.name} has no atoms for enumeration to go through; make a law with "
            "numerics.token_laws.atoms, or sample this one by numerics.attention_errors"
        )
    weights = own.weights
    counts = compositions(L, len(weights))
    return np.tensordot(multinomial(counts, weights), np.asarray(g(counts), dtype=float), axes=1)[()]
