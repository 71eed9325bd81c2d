"""Moments of f and of the tokens, for bounds under a growth condition ``|f(z)| <= C_f |z|^p``. Such
bounds see more of the law than its scores: the tokens themselves, their sub-Gaussian constant and
their dimension. They are computed only when a bound asks for one, in floats or in Arb balls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["LATEX_OF_THE_LAW", "OF_THE_LAW", "LawMoments"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class LawMoments:
    """Moments of a law from the values of ``|f|^2`` and ``|z|^2`` at its nodes, arrays (k, ...)."""

    #: Probabilities of the nodes.
    p: Array
    f2: Array
    z2: Any = None
    #: A sub-Gaussian variance proxy of the tokens.
    sigma2: Any = None
    d: int = 1

    def moment_of_f(self, order: int) -> Any:
        """``E|f(Z)|^order`` for an even order."""
        return (self.p * self.f2 ** (order // 2)).sum(0)

    def moment_of_z(self, order: int) -> Any:
        """``E|Z|^order`` for an even order."""
        return (self.p * self.z2 ** (order // 2)).sum(0)

    def growth(self, power: int) -> Any:
        """``max |f(z)| / |z|^power`` over the nodes: ``C_f`` of a law on atoms if f vanishes
        elsewhere, of others a lower bound. Infinite if f does not vanish at a node 0; where f and z
        both vanish the quotient bounds nothing.
        """
        if self.z2.dtype == object:
            if any(f > 0 and not z > 0 for f, z in zip(self.f2, self.z2, strict=True)):
                return self.p[0] * 0 + np.inf
            ratios = [f / z**power for f, z in zip(self.f2, self.z2, strict=True) if z > 0]
            return reduce(lambda x, y: x.max(y), ratios).sqrt() if ratios else self.p[0] * 0
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = self.f2 / self.z2**power
        return np.sqrt(np.where(np.isnan(ratio), 0.0, ratio).max(0))


#: Symbols of bounds by name; all but F8 need the tokens.
OF_THE_LAW: Mapping[str, Callable[[LawMoments], Any]] = {
    "F8": lambda n: np.sqrt(n.moment_of_f(8)),
    "sigma2": lambda n: np.asarray(n.sigma2)[()],  # 0 has an inverse in NumPy only
    "d": lambda n: n.d,
    "Z4": lambda n: n.moment_of_z(4),
    "Z8": lambda n: n.moment_of_z(8),
    "C_f": lambda n: n.growth(1),
    "C_f2": lambda n: n.growth(2),
}

#: How they are written. ``C_f2`` is the constant ``C_f`` for p = 2.
LATEX_OF_THE_LAW: Mapping[str, str] = {
    "F8": r"\sqrt{\mathbb{E}\|f\|^8}",
    "sigma2": r"\sigma^2",
    "Z4": r"\mathbb{E}\|Z\|^4",
    "Z8": r"\mathbb{E}\|Z\|^8",
    "C_f2": r"C_f",
}
