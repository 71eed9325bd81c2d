"""Tokens on finitely many points: their log-mgf, their tilted laws, and the sub-Gaussian parameter
found by a search. Where the points are rational they are kept exactly beside the floats.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.token_laws.search import largest_ratio
from numerics.token_laws.sub_gaussian import checked_atoms, optimal_proxy
from theory.inputs.arrays import read_arrays

__all__ = ["Atomic"]

Floats = NDArray[np.float64]
#: How far weights may be from sum 1 and a mean from 0, relatively, to pass for decimals of the
#: exact numbers.
DECIMALS = 1e-9
#: By how much the variance proxy of atoms that a search has found is raised, so that it is one.
RAISED = 1e-6
#: How many of the points furthest out the search for their sigma looks at.
OUTERMOST = 64


@dataclass(frozen=True, eq=False)
class Atomic:
    """A law on k points."""

    points: Floats
    #: Positive, of sum 1; the mean is 0 up to rounding.
    weights: Floats
    #: What the law was built with: found by a search, or given.
    sigma: float = 0.0
    #: The square of sigma, where it is known more closely than as a square.
    sigma2: Any = None
    #: Points and weights as tuples of `fractions.Fraction`, where the law has rational ones.
    rational: tuple[tuple[tuple[Fraction, ...], ...], tuple[Fraction, ...]] = ((), ())

    @classmethod
    def of(cls, points: Any, weights: Any, *, sigma: ArrayLike | None = None, sigma2: Any = None) -> Atomic:
        """The law on these points, checked as `numerics.token_laws.atoms` says."""
        x, p = read_arrays(points=(points, "k d"), weights=(weights, "k"))
        rational: Any = ((), ())
        if all(isinstance(v, (int, Fraction)) for row in (*points, weights) for v in row):
            rational = tuple(tuple(map(Fraction, row)) for row in points), tuple(map(Fraction, weights))
            checked_atoms(*rational)
        if not (p > 0).all():
            raise ValueError(
                f"weights[{int(np.argmin(p))}] = {p.min()}; probabilities are positive, so drop points "
                "without mass"
            )
        if not (p < 2).all() or abs(p.sum() - 1) > DECIMALS:
            raise ValueError("the weights do not add up to 1; divide them by their sum")
        if abs(p.sum() - 1) > 4e-16 * p.size:
            p = p / p.sum()
        mean, reach = p @ x, float(np.abs(x).max())
        if np.abs(mean).max() > DECIMALS * reach:
            raise ValueError(
                f"the law has mean {mean.tolist()!r:.200}, but tokens are centred; pass points - weights @ "
                "points"
            )
        law = cls(x.copy(), p.copy())
        if sigma is None:
            sigma = law.searched_sigma() if sigma2 is None else float(sigma2) ** 0.5
        (size,) = read_arrays(sigma=(sigma, ""))
        return cls(law.points, law.weights, float(size), sigma2, rational)

    name = "atoms"

    @property
    def d(self) -> int:
        """Dimension of a token."""
        return int(self.points.shape[1])

    @property
    def identity(self) -> Mapping[str, Any]:
        """JSON content from which `numerics.token_laws.from_identity` rebuilds the law."""
        return {
            "kind": "atoms",
            "points": self.points.tolist(),
            "weights": self.weights.tolist(),
            "sigma": self.sigma,
        }

    def image(self, A: Floats) -> Atomic:
        """The law of A Z, with the sigma that a search finds."""
        return Atomic.of(self.points @ A.T, self.weights)

    def searched_sigma(self) -> float:
        """The optimal sigma, raised by 1e-6 unless it is the largest standard deviation."""
        reach = float(np.abs(self.points).max())
        if reach == 0:
            return 0.0
        unit = Atomic(self.points / reach, self.weights)  # in units in which no square underflows
        x = unit.points
        covariance = unit.tilted(np.zeros(x.shape[1]))[1]
        variance = float(np.linalg.eigvalsh(covariance)[-1])
        if x.shape[1] == 1:
            found = float(optimal_proxy(x[:, 0], unit.weights))
        else:
            far = x[np.argsort((x**2).sum(1))[-OUTERMOST:]]
            found = largest_ratio(unit.log_mgf, lambda a: unit.tilted(a)[0], covariance, extra=far).ratio
        return reach * float(
            np.sqrt(variance if found <= variance * (1 + 1e-8) else found * (1 + 2 * RAISED))
        )

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """n tokens, shape (n, d)."""
        return self.points[rng.choice(self.weights.size, size=n, p=self.weights)]

    def log_mgf(self, a: NDArray[Any]) -> NDArray[Any]:
        """ln E e^{a.Z}, real or complex, relatively accurate near 0; -inf at a zero."""
        score = a @ self.points.T
        shift = score.real.max(-1, keepdims=True)  # taken out, lest exponentials overflow
        with np.errstate(divide="ignore"):
            value = np.asarray(shift[..., 0] + np.log(np.exp(score - shift) @ self.weights))
        # The law is centred, so that e^x - 1 - x has the same mean as e^x - 1, without cancelling.
        near = np.asarray(np.abs(score).max(-1) < 0.5)
        value[near] = np.log1p((np.expm1(score[near]) - score[near]) @ self.weights)
        return value

    def tilted(self, a: Floats) -> tuple[Floats, Floats]:
        """Mean (..., d) and covariance (..., d, d) under the tilted law."""
        mean, y, w = self.about(a)
        return mean, np.swapaxes(y, -1, -2) @ (w[..., None] * y)

    def about(self, a: Floats) -> tuple[Floats, Floats, Floats]:
        """The tilted mean (..., d), the points less it (..., k, d), and their tilted weights (...,
        k). A strong tilt brings the mean close to one point. Differences from that point are
        averaged, so that rounding does not hide how close the mean is to it.
        """
        score = a @ self.points.T
        w = np.exp(score - score.max(-1, keepdims=True)) * self.weights
        w = w / w.sum(-1, keepdims=True)
        origin = self.points[score.argmax(-1)]
        away = self.points - origin[..., None, :]
        mean = np.asarray((w[..., None, :] @ away)[..., 0, :])
        return origin + mean, away - mean[..., None, :], w
