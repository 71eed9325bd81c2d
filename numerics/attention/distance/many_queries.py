"""The distance of softmax attention from linear attention for many queries on one set of tokens, as
a head of a transformer has them: tokens with keys and values that are drawn independently.

At one query a token counts by its score s and its value only. Every mean over the tokens that the
errors are made of is one of f(s) times a value, with an f that is smooth on the scale of 1; the
values are therefore first spread over a grid of scores (by cubic interpolation, backwards), and all
means that follow are sums over the grid. They are those of `numerics.attention.exact.any_law`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from numerics.attention.distance.approach import ends
from numerics.attention.exact.laplace_transforms import STEP
from numerics.attention.quadrature.gaussian_transforms import log_complement

__all__ = ["LARGEST_SPREAD", "LONGEST", "Distances", "distances", "relative_root"]

Floats = NDArray[np.float64]
#: Step of the grid of scores; cubic interpolation is then right to 1e-6 of what is interpolated.
GRID = 0.05
#: Longest prompt, and the largest difference of two scores, of which the grid must hold all.
LONGEST, LARGEST_SPREAD = 1e12, 500.0
#: Beyond these logarithms of rw the integrands are below 1e-8 of their maximum.
LOWEST, HIGHEST = -20.0, 4.0
#: Logarithm of the largest rw; beyond, e^{-rw} is 0 all the same.
LOUD = 300.0
#: Numbers of an integrand that are held at once.
ENTRIES_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class Distances:
    """The mean squared errors at each of m queries, for prompts of every length."""

    #: Linear attention V Gamma U z, and the limit T for infinite prompts, both without what the
    #: mean of the tokens adds: shape (m, d_v).
    linear: Floats
    limit: Floats
    #: For prompts of one token ``E|T_1 - T|^2`` and the part of ``E[T_1] - T`` along T - linear,
    #: shape (m, 2).
    one: Floats
    #: On the nodes v of the integrals, (m, nodes): the logarithm of m_0, what multiplies
    #: L m_0^(L-1) and L (L-1) m_0^(L-2) in the squared error, and L m_0^(L-1) in its mean along
    #: T - linear.
    log_m0: Floats
    squares: Floats
    products: Floats
    along: Floats

    @property
    def apart(self) -> Floats:
        """``|T - V Gamma U z|^2`` at each query."""
        return np.asarray(((self.limit - self.linear) ** 2).sum(1))

    @property
    def size(self) -> Floats:
        """``|V Gamma U z|^2`` at each query."""
        return np.asarray((self.linear**2).sum(1))

    def errors(self, lengths: Floats) -> tuple[Floats, Floats]:
        """``E|T_L - T|^2`` and ``E|T_L - V Gamma U z|^2`` at each query, shape (m, lengths)."""
        found = np.empty((2, len(self.limit), len(lengths)))
        step = max(1, ENTRIES_AT_ONCE // self.log_m0.size)
        for i in range(0, len(lengths), step):
            L = np.maximum(lengths[i : i + step], 2.0)[:, None]
            first = STEP * L * np.exp((L - 1) * self.log_m0[:, None])
            second = STEP * L * (L - 1) * np.exp((L - 2) * self.log_m0[:, None])
            to_limit = (first @ self.squares[..., None] + second @ self.products[..., None])[..., 0]
            found[0, :, i : i + step] = to_limit
            found[1, :, i : i + step] = to_limit + 2 * (first @ self.along[..., None])[..., 0]
        single = lengths == 1
        found[:, :, single] = np.stack([self.one[:, 0], self.one @ [1, 2]])[..., None]
        return found[0], np.maximum(found[1] + self.apart[:, None], 0.0)

    def error(self, lengths: Floats) -> Floats:
        """``E|T_L - T|^2`` on average over the queries."""
        return np.asarray(self.errors(lengths)[0].mean(0))

    def from_linear(self, lengths: Floats) -> Floats:
        """``E|T_L - V Gamma U z|^2`` on average over the queries."""
        return np.asarray(self.errors(lengths)[1].mean(0))

    def slope(self, lengths: Floats) -> Floats:
        """The slope of ``ln E|T_L - T|^2`` over ln L, from a tenth fewer tokens to a tenth more."""
        low, high = ends(lengths)
        below, above = self.error(np.concatenate([low, high])).reshape(2, -1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(above / below) / np.log(high / low))


def distances(keys: Floats, values: Floats, weights: Floats, queries: Floats) -> Distances:
    """The distances for tokens with these keys (n, k) and values (n, d_v), drawn with these
    probabilities (n,), at queries (m, k): the score of token i is ``keys[i] @ query``.

    >>> one = np.array([[-1.0], [1.0]])
    >>> found = distances(one, one, np.array([0.5, 0.5]), np.array([[1.0]]))
    >>> found.limit.round(6).tolist(), found.linear.tolist()
    ([[0.761594]], [[1.0]])
    >>> found.from_linear(np.array([1.0])).tolist()  # T_1 is +1 or -1
    [2.0]
    """
    values = values - weights @ values
    scores = queries @ (keys - weights @ keys).T
    spread = np.ptp(scores, axis=1)
    if not spread.max() <= LARGEST_SPREAD:
        raise ValueError(
            f"the scores of two tokens differ by up to {spread.max():.3g}, beyond {LARGEST_SPREAD:g}, where "
            "exact errors end; take other queries, or scale them down"
        )
    # 1, |Vx|^2 and Vx
    carried = weights[:, None] * np.column_stack([np.ones(len(values)), (values**2).sum(1), values])
    grid = GRID * (1.0 - np.arange(math.ceil(spread.max() / GRID) + 4))
    v = np.arange(LOWEST - math.log(LONGEST), spread.max() + HIGHEST, STEP)
    p = weights * np.exp(scores - scores.max(1, keepdims=True))
    linear, limit = scores @ carried[:, 2:], p / p.sum(1, keepdims=True) @ values
    some = max(1, ENTRIES_AT_ONCE // (grid.size * carried.shape[1]))
    found = []
    for block in np.split(np.arange(len(queries)), range(some, len(queries), some)):
        gridded = np.stack([_spread(scores[i], len(grid)) @ carried for i in block])
        found.append(_of_block(v, grid, gridded, (limit - linear)[block]))
    return Distances(linear, limit, *(np.concatenate(x) for x in zip(*found)))


def _of_block(v: Floats, grid: Floats, gridded: Floats, gap: Floats) -> tuple[Floats, ...]:
    """The other fields of `Distances` for some queries, from what lies on the grid for each (m,
    grid, 2 + d_v) and the distance of T from linear attention.
    """
    # |Vx - T|^2 and Vx - T in the place of |Vx|^2 and Vx, for the T of the grid.
    tilted = np.exp(grid) @ gridded
    tilted = tilted[:, 2:] / tilted[:, :1]
    gridded[..., 1] += (tilted**2).sum(1)[:, None] * gridded[..., 0]
    gridded[..., 1] -= 2 * np.einsum("qbv,qv->qb", gridded[..., 2:], tilted)
    gridded[..., 2:] -= gridded[..., :1] * tilted[:, None]
    whole = gridded.sum(1)
    one = np.column_stack([whole[:, 1], (whole[:, 2:] * gap).sum(1)])
    parts = np.array_split(v, math.ceil(v.size * grid.size / ENTRIES_AT_ONCE))
    found = zip(*(_integrands(part, grid, gridded, gap) for part in parts))
    return one, *(np.concatenate(x, axis=1) for x in found)


def relative_root(squares: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """The root of mean squares, of shape (k, m) over m samples, relative to their mean size (m,),
    and its standard error for other samples; nan where all sizes are 0.

    >>> [x.round(3).tolist() for x in relative_root(np.array([[1.0, 3.0]]), np.array([1.0, 1.0]))]
    [[1.414], [0.354]]
    """
    if not sizes.any():
        return np.full(len(squares), math.nan), np.full(len(squares), math.nan)
    ratio = squares.mean(1) / sizes.mean()
    off = (squares - ratio[:, None] * sizes).std(1) / sizes.mean() / math.sqrt(max(len(sizes) - 1, 1))
    root = np.sqrt(ratio)
    return root, np.divide(off, 2 * root, out=np.zeros_like(off), where=off > 0)


def _spread(scores: Floats, size: int) -> object:
    """The matrix (size, n) that spreads what tokens carry over the grid of scores, which begins one
    step above the largest.
    """
    from scipy.sparse import csc_matrix

    at = (scores.max() - scores) / GRID + 1
    first = np.floor(at)
    x = at - first  # between the second and the third of four neighbours
    shares = (
        -x * (x - 1) * (x - 2) / 6,
        (x + 1) * (x - 1) * (x - 2) / 2,
        -(x + 1) * x * (x - 2) / 2,
        (x + 1) * x * (x - 1) / 6,
    )
    rows = first.astype(np.int32)[:, None] + np.arange(-1, 3, dtype=np.int32)
    starts = np.arange(0, 4 * scores.size + 1, 4, dtype=np.int32)
    return csc_matrix((np.stack(shares, axis=1).ravel(), rows.ravel(), starts), shape=(size, scores.size))


def _integrands(
    v: Floats, grid: Floats, gridded: Floats, gap: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """The four functions of `Distances` on the nodes v."""
    x = np.exp(np.minimum(v[:, None] + grid, LOUD))
    decay, rest = np.exp(-x), np.expm1(-x)
    mass, square, vector = gridded[..., 0].T, gridded[..., 1].T, gridded[..., 2:]
    log_m0 = log_complement(-rest @ mass, np.maximum(decay @ mass, 1e-300))
    squares = np.maximum((x * x * decay) @ square, 0.0)
    # Vx - T has mean zero under the tilted law, so that e^{-rw} may be replaced by e^{-rw} - 1,
    # whose terms are smaller for small r.
    whole, less = (x * decay) @ mass, -(x * rest) @ mass
    flat = vector.transpose(1, 0, 2).reshape(len(grid), -1)
    shape = (len(v), *gap.shape)
    mean = np.where(
        (whole < less)[..., None],
        ((x * decay) @ flat).reshape(shape),
        ((x * rest) @ flat).reshape(shape),
    )
    return log_m0.T, squares.T, (mean**2).sum(2).T, np.einsum("vqk,qk->qv", mean, gap)
