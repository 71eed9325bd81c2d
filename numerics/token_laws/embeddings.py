"""Tokens that are the rows of an embedding table, each as likely as any other, less their mean.

A table may have 50 000 rows of 768 numbers. It stays as it came, also in single or half precision
or on disk, and is worked through in pieces of rows; sums are kept in double precision.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.terminal.progress import Advance
from numerics.token_laws.atomic import Atomic
from numerics.token_laws.diameter import diameter
from theory.inputs.arrays import real_array

__all__ = ["EmbeddingTable", "silent"]

Floats = NDArray[np.float64]
#: Entries of the table, and scores of its rows, that are held in double precision at once.
ENTRIES_AT_ONCE, SCORES_AT_ONCE = 4_000_000, 16_000_000
#: Largest entry, and smallest distance of a row from the mean that some row must have; the fourth
#: powers of others may leave the range of floats.
LARGEST, SMALLEST = 1e30, 1e-70


def silent(done: float, total: float, doing: str = "", seconds_left: float | None = None) -> None:
    """The progress that is told to nobody."""


@dataclass(frozen=True, eq=False)
class EmbeddingTable:
    """The uniform law on the rows of a table, less their mean."""

    #: As they came, (n, d); not copied.
    rows: NDArray[Any] = field(repr=False)
    mean: Floats = field(repr=False)
    #: Half the diameter of the rows, or an upper bound of it. A projection of the rows lies in an
    #: interval no longer than the diameter, so that this is a sub-Gaussian parameter (Hoeffding).
    sigma: float
    #: By which factor sigma is at most above half the diameter; 1 but for rounding, if the diameter
    #: was computed.
    excess: float
    #: Is told how far a long computation with the rows is.
    progress: Advance = field(default=silent, repr=False)

    @classmethod
    def of(cls, rows: Any, progress: Advance = silent, **limits: float) -> EmbeddingTable:
        """The law on these rows, checked; errors are those of
        `numerics.token_laws.embedding_table`, and the limits those of
        `numerics.token_laws.diameter.diameter`.
        """
        if np.ma.is_masked(rows):
            raise TypeError("the table of tokens has masked entries; drop such rows, or fill the entries in")
        X = (rows if isinstance(rows, np.ndarray) else real_array("the table of tokens", rows)).view()
        if X.dtype.kind not in "fiu":
            raise TypeError(
                f"the table of tokens has entries of kind {X.dtype}; it must hold real numbers, one row a "
                "token"
            )
        if X.ndim != 2 or X.size == 0:
            raise ValueError(
                f"the table of tokens has shape {X.shape}; it must have shape (tokens, d), one row a token"
            )
        X.flags.writeable = False
        raw = cls(X, np.zeros(X.shape[1]), 0.0, 1.0, progress)
        first, total, largest, differ = np.asarray(X[0], dtype=np.float64), np.zeros(X.shape[1]), 0.0, False
        for where, x in raw.pieces("reading the table"):
            if not np.isfinite(x).all():
                row, column = np.argwhere(~np.isfinite(x))[0]
                raise ValueError(
                    f"row {where.start + row} of the table of tokens has the entry {x[row, column]} in "
                    f"column {column}; drop or repair such rows"
                )
            largest = max(largest, float(np.abs(x).max()))
            if largest > LARGEST:
                break
            x -= first  # a long sum of rows far out would be rounded in their units
            differ, total = differ or bool(x.any()), total + x.sum(0)
        if largest > LARGEST:
            raise ValueError(
                f"the table of tokens has entries up to {largest:.3g}, beyond {LARGEST:g}; choose other units"
            )
        if not differ:
            raise ValueError(
                f"all rows of the table of tokens are equal ({len(X)} of them); every prompt then gives its "
                "limit exactly, and there is no error to ask for: pass a table with at least two different "
                "rows"
            )
        law = cls(X, first + total / len(X), 0.0, 1.0, progress)
        norms = np.concatenate([np.sqrt((x * x).sum(1)) for _, x in law.pieces("centring the table")])
        if norms.max() < SMALLEST:
            raise ValueError(
                f"all rows of the table of tokens lie within {SMALLEST:g} of their mean; choose other units"
            )
        size = diameter(law.at, norms, progress=progress, **limits)
        return cls(X, law.mean, size.most / 2, size.most / size.least, progress)

    @property
    def d(self) -> int:
        """Dimension of a token."""
        return int(self.rows.shape[1])

    @property
    def name(self) -> str:
        return f"embedding table of {len(self.rows)} rows, their mean taken out"

    @property
    def says_mean(self) -> str:
        """What became of the mean, as a sentence for reports."""
        return (
            f"The mean of the {len(self.rows)} rows, a vector of norm {np.linalg.norm(self.mean):.3g}, is "
            "taken out: softmax weights and errors stay the same, and outputs lose V times the mean."
        )

    @property
    def says_sigma(self) -> str:
        """What sigma is, as a sentence for reports."""
        half = "half the diameter of the table (Hoeffding)"
        if self.excess > 1.01:
            half = (
                f"at least {half} and at most {self.excess:.3g} times it: not all pairs of rows were "
                "compared, which embedding_table(X, diameter=True) does"
            )
        return f"sigma = {self.sigma:.4g} is {half}."

    @property
    def identity(self) -> Mapping[str, Any]:
        """Empty: a table is too large to be written down."""
        return {}

    def at(self, numbers: NDArray[np.intp]) -> Floats:
        """The tokens with these numbers, shape (len(numbers), d)."""
        return np.asarray(self.rows[numbers], dtype=np.float64) - self.mean

    def pieces(self, doing: str = "") -> Iterator[tuple[slice, Floats]]:
        """All tokens, some at a time, with the slice of their numbers; `progress` is told."""
        n, step = len(self.rows), max(1, ENTRIES_AT_ONCE // self.d)
        for first in range(0, n, step):
            where = slice(first, min(first + step, n))
            yield where, np.asarray(self.rows[where], dtype=np.float64) - self.mean
            if doing:
                self.progress(where.stop, n, doing)

    def scores(self, a: NDArray[Any]) -> NDArray[Any]:
        """``a.x`` for every row x and every a of shape (m, d), shape (m, n)."""
        out = np.empty((len(a), len(self.rows)), dtype=np.result_type(a, np.float64))
        for where, x in self.pieces():
            out[:, where] = a @ x.T
        return out

    def weighted(self, weights: Floats) -> Floats:
        """The sums of the rows times each of m weights, of shape (m, n): shape (m, d)."""
        total = np.zeros((len(weights), self.d))
        for where, x in self.pieces():
            total += weights[:, where] @ x
        return total

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """n tokens, shape (n, d)."""
        return self.at(rng.integers(0, len(self.rows), n))

    def log_mgf(self, a: NDArray[Any]) -> NDArray[Any]:
        """ln E e^{a.Z}, real or complex, relatively accurate near 0; -inf at a zero."""
        flat = np.asarray(a).reshape(-1, self.d)
        some = max(1, SCORES_AT_ONCE // len(self.rows))
        parts = [_log_mean_exp(self.scores(flat[i : i + some])) for i in range(0, len(flat), some)]
        return (np.concatenate(parts) if parts else np.zeros(0)).reshape(np.shape(a)[:-1])

    def tilted_mean(self, a: Floats) -> Floats:
        """Mean (..., d) under the tilted law."""
        flat, parts = np.asarray(a, dtype=np.float64).reshape(-1, self.d), []
        some = max(1, SCORES_AT_ONCE // len(self.rows))
        for i in range(0, len(flat), some):
            parts.append(self.weighted(_softmax(self.scores(flat[i : i + some]))))
            self.progress(i + len(parts[-1]), len(flat), "taking tilted means")
        return (np.concatenate(parts) if parts else np.zeros((0, self.d))).reshape(np.shape(a))

    def tilted(self, a: Floats) -> tuple[Floats, Floats]:
        """Mean (..., d) and covariance (..., d, d) under the tilted law."""
        means = self.tilted_mean(a)
        covariances = np.zeros((means.size // self.d, self.d, self.d))
        flat = np.asarray(a, dtype=np.float64).reshape(-1, self.d)
        for S, one, mean in zip(covariances, flat, means.reshape(-1, self.d)):
            w = _softmax(self.scores(one[None]))[0]
            for where, x in self.pieces():
                y = x - mean
                S += y.T @ (w[where, None] * y)
        return means, covariances.reshape(*means.shape, self.d)

    def image(self, A: Floats) -> EmbeddingTable | Atomic:
        """The law of A Z; sigma is half the diameter of the mapped rows, or a bound on that."""
        mapped = np.empty((len(self.rows), len(A)))
        for where, x in self.pieces():
            mapped[where] = x @ A.T
        if (mapped == mapped[0]).all():  # up to what the mean was rounded by
            return Atomic(np.zeros((1, len(A))), np.ones(1))
        return EmbeddingTable.of(mapped, self.progress)

    @property
    def as_atoms(self) -> Atomic:
        """The same law as points and weights, for tables that are small."""
        n = len(self.rows)
        x = self.at(np.arange(n))
        # The mean of rows far out is rounded in units of itself: what is left of it is taken out.
        return Atomic(x - x.mean(0), np.full(n, 1 / n), self.sigma)


def _softmax(scores: Floats) -> Floats:
    w = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(w / w.sum(axis=1, keepdims=True))


def _log_mean_exp(scores: NDArray[Any]) -> NDArray[Any]:
    """The logarithm of the mean of e^score, for scores of mean 0, shape (m, n) to (m,)."""
    shift = scores.real.max(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        value = np.asarray(shift[:, 0] + np.log(np.exp(scores - shift).mean(axis=1)))
    # Scores are centred, so that e^s - 1 - s has the same mean as e^s - 1, without cancelling.
    near = np.abs(scores).max(axis=1) < 0.5
    value[near] = np.log1p((np.expm1(scores[near]) - scores[near]).mean(axis=1))
    return value
