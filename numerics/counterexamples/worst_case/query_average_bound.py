"""Bounds on errors averaged over prompt and query, as statements: both sides at any rational tokens
and queries, exactly at one place or in floating point at many lengths and sizes of U at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy as sp
from flint import arb
from scipy.special import gammaln

from numerics.attention.exact.enumeration import compositions
from numerics.attention.exact.softmax_average import SoftmaxAverage, around
from numerics.counterexamples.worst_case.query_average import Instance, PromptAndQuery, Statistic
from numerics.rationals import arb_ball, sympy_rational

__all__ = ["Grid", "Place", "QueryAverageBound", "Term"]

Array = npt.NDArray[Any]
#: Scores may differ by so much before a prompt of the lowest ones underflows.
LARGEST_SPREAD = 600.0


@dataclass(frozen=True, eq=False)
class Place:
    """One prompt length and one law of tokens and queries, in exact numbers."""

    x: PromptAndQuery
    length: int

    @property
    def L(self) -> Any:
        """Length of the prompt."""
        return sp.Integer(self.length)

    @property
    def sigma(self) -> Any:
        """Sub-Gaussian constant of the tokens."""
        return sp.sqrt(sympy_rational(Fraction(self.x.tokens.sigma2)))

    @property
    def u(self) -> Any:
        """|U|."""
        return sympy_rational(self.x.u)

    @property
    def d(self) -> Any:
        """Dimension of a token."""
        return sp.Integer(self.x.d)

    @property
    def tokens(self) -> tuple[Array, Sequence[Any]]:
        """The values of a token, of shape (k, d), and their probabilities."""
        return _exactly(self.x.tokens.atoms), [sympy_rational(w) for w in self.x.tokens.weights]

    def columns(self, values: Array) -> Array:
        """Values at the tokens, of shape (m, k), beside a query."""
        return values

    def score(self, z: Array) -> Any:
        """sigma^2 |Uz|^2."""
        direction = _exactly(self.x.shape) @ z
        return self.sigma**2 * self.u**2 * (direction * direction).sum(0)

    @property
    def a2(self) -> Any:
        """sigma^2 |Uz|^2 for the first value z of the query."""
        return self.score(_exactly(self.x.query.atoms)[0])

    def tilted(self, f: Callable[[Array], Array]) -> Any:
        """The mean of f under the law of the tokens tilted by e^{Z.Uz}, for the first value z of
        the query, as a ball.
        """
        balls = lambda rows: np.array([[arb_ball(v) for v in row] for row in rows], dtype=object)
        points, direction = balls(self.x.tokens.atoms), balls(self.x.shape) @ balls(self.x.query.atoms)[0]
        w = np.exp(points @ (direction * arb_ball(self.x.u))) * balls([self.x.tokens.weights])[0]
        return (w * f(points)).sum() / w.sum()

    def mean(self, statistic: Statistic, f: Any = None, g: Any = None) -> Any:
        """The statistic averaged over prompt and query, as a ball."""
        return self.x.average(self.length, statistic, f, g, exact=True)

    def over_queries(self, h: Callable[[Array], Any]) -> Any:
        """The mean of h(z) over the query."""
        return _sum(self.x.query.weights, (h(z) for z in _exactly(self.x.query.atoms)))

    def over_tokens(self, h: Callable[[Array], Array]) -> Any:
        """The mean of h over the tokens, for h that maps tokens (k, d) to (k, ...)."""
        return _sum(self.x.tokens.weights, h(_exactly(self.x.tokens.atoms)))


def _exactly(rows: Any) -> Array:
    return np.array([[sympy_rational(v) for v in row] for row in rows], dtype=object)


def _sum(weights: Sequence[Fraction], values: Any) -> Any:
    return sum((sympy_rational(w) * v for w, v in zip(weights, values, strict=True)), sp.S.Zero)


@lru_cache(maxsize=256)
def _counts(lengths: tuple[int, ...], k: int) -> tuple[Array, Array, Array]:
    """The counts of all prompts of these lengths, shape (n, k); the logarithms of their multinomial
    coefficients; and which row belongs to which length, shape (n, len(lengths)).
    """
    rows = [compositions(L, k) for L in lengths]
    coefficients = [gammaln(L + 1.0) - gammaln(r + 1.0).sum(1) for L, r in zip(lengths, rows)]
    belongs = np.repeat(np.eye(len(lengths)), [len(r) for r in rows], axis=0)
    return np.concatenate(rows).astype(float), np.concatenate(coefficients), belongs


@dataclass(frozen=True, eq=False)
class Grid:
    """One law of tokens and of queries at several lengths and sizes of U at once, in floating
    point; its numbers are arrays that broadcast to (lengths, sizes, queries).
    """

    #: Shape (k, d).
    points: Array
    #: Shape (k,).
    weights: Array
    sigma: float
    #: Shape (m, d).
    queries: Array
    #: Shape (m,).
    masses: Array
    #: U/|U|.
    shape: Array
    lengths: tuple[int, ...]
    #: Values of |U|.
    sizes: Array
    _sums: dict[Any, SoftmaxAverage] = field(default_factory=dict)
    _means: dict[Any, Array] = field(default_factory=dict)

    @classmethod
    def of(cls, x: PromptAndQuery, lengths: tuple[int, ...], sizes: Sequence[Fraction]) -> Grid:
        """The same tokens, queries and U/|U|."""
        numbers = (
            np.array(v, dtype=float)
            for v in (x.tokens.atoms, x.tokens.weights, x.query.atoms, x.query.weights, x.shape)
        )
        points, weights, queries, masses, shape = numbers
        return cls(
            points,
            weights,
            float(x.tokens.sigma2) ** 0.5,
            queries,
            masses,
            shape,
            lengths,
            np.array(sizes, dtype=float),
        )

    @property
    def d(self) -> int:
        """Dimension of a token."""
        return int(self.points.shape[1])

    @cached_property
    def L(self) -> Array:
        """Lengths, of shape (lengths, 1, 1)."""
        return np.array(self.lengths, dtype=float)[:, None, None]

    @cached_property
    def u(self) -> Array:
        """|U|, of shape (sizes, 1)."""
        return self.sizes[:, None]

    @property
    def tokens(self) -> tuple[Array, Array]:
        """The values of a token, of shape (k, d), and their probabilities."""
        return self.points, self.weights

    def columns(self, values: Array) -> Array:
        """Values at the tokens, of shape (m, k), as they broadcast with queries."""
        return values[..., None, None, None]

    def score(self, z: Array) -> Array:
        """sigma^2 |Uz|^2, of shape (sizes, queries)."""
        direction = np.tensordot(self.shape, z, axes=1)
        return np.asarray(self.sigma**2 * self.u**2 * (direction * direction).sum(0))

    @cached_property
    def z(self) -> Array:
        """Queries, of shape (d, 1, 1, queries)."""
        return self.queries.T[:, None, None]

    @cached_property
    def _scores(self) -> Array:
        return np.asarray((self.points @ self.shape @ self.queries.T)[:, None, None] * self.u)

    @cached_property
    def finite(self) -> Array:
        """Where no prompt underflows, of shape (1, sizes, 1)."""
        return np.asarray(np.ptp(self._scores, axis=0).max(-1, keepdims=True) < LARGEST_SPREAD)

    def _average(self, f: Any) -> SoftmaxAverage:
        if f not in self._sums:
            scores = self._scores
            w = np.exp(np.maximum(scores - scores.max(0), -2 * LARGEST_SPREAD))
            k = len(self.weights)
            counts, coefficients, belongs = _counts(self.lengths, k)
            chance = np.exp(coefficients + counts @ np.log(self.weights))
            values = np.asarray(self.points.T if f is None else f(self.points), dtype=float)
            flat = w.reshape(k, -1)
            S_L = (counts @ flat).reshape(-1, *w.shape[1:])
            R_L = np.stack([(counts @ (flat * v[:, None])).reshape(S_L.shape) for v in values])
            nodes = w, self.columns(values), self.weights[:, None, None, None]
            self._sums[f] = around(1, (chance[:, None] * belongs)[..., None, None], S_L, R_L, nodes, 0.0)
        return self._sums[f]

    def let_go(self) -> None:
        """Forget the sums over all prompts, which take the most memory, and not their means."""
        self._sums.clear()

    @property
    def a2(self) -> Array:
        """sigma^2 |Uz|^2 for the first value z of the query, of shape (sizes, 1)."""
        return self.score(self.z)[..., :1]

    def tilted(self, f: Callable[[Array], Array]) -> Array:
        """The mean of f under the law of the tokens tilted by e^{Z.Uz}, for the first value z of
        the query, of shape (sizes, 1).
        """
        scores = self._scores[:, 0, :, :1]
        w = np.exp(scores - scores.max(0)) * self.weights[:, None, None]
        return np.asarray((w * f(self.points)[:, None, None]).sum(0) / w.sum(0))

    def mean(self, statistic: Statistic, f: Any = None, g: Any = None) -> Array:
        """The statistic averaged over prompt and query, of shape (lengths, sizes, 1)."""
        if (statistic, f, g) not in self._means:
            value = statistic(self._average(f), self.z)
            averaged = ((value if g is None else value * g(self.z)) * self.masses).sum(-1, keepdims=True)
            self._means[statistic, f, g] = np.asarray(averaged)
        return self._means[statistic, f, g]

    def over_queries(self, h: Callable[[Array], Any]) -> Array:
        """The mean of h(z) over the query."""
        return np.asarray((h(self.z) * self.masses).sum(-1, keepdims=True))

    def over_tokens(self, h: Callable[[Array], Array]) -> Array:
        """The mean of h over the tokens, for h that maps tokens (k, d) to (k, ...)."""
        return np.tensordot(self.weights, h(self.points), axes=1)


#: One side of a bound at a place or on a grid.
Value = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Term:
    """One inequality between two values at a prompt and a query, in exact and in fast numbers."""

    #: Map a `Place` to an exact number or a ball, and a `Grid` to an array.
    left: Value
    right: Value
    #: What the inequality is about, as witnesses show it.
    where: Mapping[str, Any] = field(default_factory=dict)
    #: The only dimension of tokens that is meant.
    d: int | None = None

    def at(self, x: PromptAndQuery, length: int, left: float, right: float) -> Instance:
        """Both sides at one place, whose values in floating point are known."""
        place = Place(x, length)
        where = {"L": length, "sigma": place.sigma, **self.where, **x.describe()}
        return Instance(where, left, right, lambda: (self.left(place), self.right(place)))


@dataclass(frozen=True, eq=False)
class QueryAverageBound:
    """Inequalities between averages over prompt and query, for every law of tokens and queries.
    Tokens are centred, with the sub-Gaussian constant sigma; the query is 1-sub-Gaussian.
    """

    terms: tuple[Term, ...]
    #: The shortest prompt.
    least: int = 1
    #: Whether sigma is at least 1.
    unit: bool = True
    #: Dimensions of the tokens that are meant.
    d: tuple[int, ...] = (1, 2, 3)
    #: The lengths at which the statement is tried if it does not depend on L.
    lengths: tuple[int, ...] = ()
    #: Whether U = 0 is left out.
    nonzero: bool = False
    #: Laws and length at which the loss is taken.
    reference: tuple[PromptAndQuery, int] | None = None
    #: LaTeX of the statement.
    checked: str = ""

    def scaled(self, factor: Fraction) -> QueryAverageBound:
        """The bound with every right side multiplied."""

        def times(right: Value) -> Value:
            def side(at: Any) -> Any:
                value = right(at)
                exact = (
                    sympy_rational
                    if isinstance(value, sp.Basic)
                    else arb_ball
                    if isinstance(value, arb)
                    else float
                )
                return exact(factor) * value

            return side

        return replace(self, terms=tuple(replace(t, right=times(t.right)) for t in self.terms))

    def instances(
        self, laws: Sequence[PromptAndQuery], lengths: Callable[[PromptAndQuery], tuple[int, ...]]
    ) -> Iterator[Instance]:
        """Every inequality at each law and length; a law is tried with its own |U|."""
        for x in laws:
            if chosen := tuple(L for L in lengths(x) if self.least <= L):
                grid = Grid.of(x, chosen, (x.u,))
                for term in (t for t in self.terms if t.d in (None, x.d)):
                    shape = (len(chosen), 1, 1)
                    left, right = (np.broadcast_to(side(grid), shape) for side in (term.left, term.right))
                    for i, L in enumerate(chosen):
                        yield term.at(x, L, float(left[i, 0, 0]), float(right[i, 0, 0]))

    def __call__(self, _: Any) -> tuple[float, float]:
        """The sides of the first inequality at its own reference instance, for
        `numerics.counterexamples.worst_case.reference`.
        """
        if self.reference is None:
            raise ValueError("a bound without a reference instance has no loss there; give reference=")
        x, length = self.reference
        (only,) = QueryAverageBound(self.terms[:1]).instances([x], lambda x: (length,))
        return only.left, only.right
