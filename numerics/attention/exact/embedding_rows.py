"""Exact errors of softmax attention at one query for tokens that are rows of a large embedding
table.

At one query a row x counts by its score and by y = x - h only, h the tilted mean. The mean square
of V sum w_k y_k / sum w_k is an integral over r, as in `numerics.attention.exact.any_law`, of

    L m_0^{L-1} E[w^2 e^{-rw} |Vy|^2]  and  L (L-1) m_0^{L-2} |V E[w y e^{-rw}]|^2

times r: the first mean needs one number of a row, and the second is a vector for every node of the
integral. Two or three passes through the table find them for all lengths of prompts at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.exact.any_law import ROUNDING, tilt_of
from numerics.attention.exact.errors import (
    ExactErrors,
    Named,
    by_routes,
    gap_to_linear,
    of_two_rules,
    settled,
    with_linear,
)
from numerics.attention.exact.laplace_transforms import STEP, LawTransforms, transform_grid
from numerics.attention.exact.tilted_moments import AtomicMoments
from numerics.attention.quadrature.gaussian_transforms import log_complement
from numerics.attention.setting import AttentionSetting
from numerics.token_laws import TokenLaw
from numerics.token_laws.embeddings import EmbeddingTable

__all__ = ["is_large", "table_errors"]

Floats = NDArray[np.float64]
#: Up to this number of rows, of coordinates, and of moments of rows up to order two a table is
#: treated like any other law on finitely many points, all of which are held at once.
MOST_ROWS, MOST_COORDINATES, MOST_MOMENTS = 10_000, 128, 4_000_000
#: Logarithm of the longest prompt. Nodes r at which rw is below SMALL for every row need only TERMS
#: terms of Taylor's series in r, so that longer prompts cost nothing.
LONGEST, SMALL, TERMS = math.log(1e100), 1e-3, 6
#: Logarithm of the largest rw; beyond, e^{-rw} is 0 all the same.
LOUD = 300.0
#: Largest difference of the scores of two rows: the number of nodes grows with it.
LARGEST_SPREAD = 2000.0
#: Entries of a transform's integrand that are held at once.
ENTRIES_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class _Seen:
    """A table at one query."""

    table: EmbeddingTable
    half: Floats  # |half y| = |Vy|
    apart: float  # the distance of T from linear attention,
    off: float  # its rounding error,
    towards: Floats  # and V' times the direction in which it lies
    log_w: Floats  # (n,), the logarithms of the weights, of mean 1
    top: Floats  # the row with the largest score,
    away: Floats  # from which the tilted mean is so far
    plain: Floats  # the mean of all y, which have the mean 0 under the tilted law
    squares: Floats  # (3, n): 1, |Vy|^2 and |y|^2 of every row

    @property
    def scores(self) -> AtomicMoments:
        """The law of the scores alone, on the line."""
        one, n = np.ones((1, 1)), self.log_w.size
        return AtomicMoments(self.log_w[:, None], np.full(n, 1 / n), np.ones(1), np.zeros(1), (one, one))


class _Rule(NamedTuple):
    """One of two rules: the nodes of the integral, and what multiplies its two powers of m_0."""

    f: LawTransforms
    squares: Floats  # (nodes, 3): r^2 E[w^2 e^{-rw} (1, |Vy|^2, |y|^2)]
    mean: Floats  # (nodes, d): r E[w e^{-rw} y]


def is_large(law: TokenLaw) -> bool:
    """Whether the law is a table of too many or too long rows for moments of every order."""
    own = law.structure
    if not isinstance(own, EmbeddingTable):
        return False
    n, d = own.rows.shape
    return n > MOST_ROWS or d > MOST_COORDINATES or n * (d + 4) * (d + 1) // 2 > MOST_MOMENTS


def table_errors(setting: AttentionSetting, lengths: Floats) -> ExactErrors:
    """As `exact.any_law.law_errors`, for tokens that are rows of an `EmbeddingTable`;
    the gradients in U, K and Q are nan.
    """
    L, V = lengths, setting.V
    seen = _at_query(setting)
    routes = ((L == 1, _one_token), (L > 1, _by_two_rules))
    values, errors = by_routes(L, [(where, partial(route, setting, seen)) for where, route in routes])
    values, errors = with_linear(values, errors, seen.apart, seen.off)
    found, relative = settled(values, errors, L, rounding=ROUNDING[0], law=setting.law.name)
    lost = np.full(L.shape, np.nan)
    return ExactErrors(
        lengths=L,
        output=found["mean 0"],
        from_linear=found["from linear"],
        squared_bias=found["bias"],
        grad_V=len(V) * found["mean 1"],
        grad_U=lost,
        grad_K=None if setting.K is None else lost,
        grad_Q=None if setting.Q is None else lost,
        relative_error=relative,
    )


@lru_cache(maxsize=4)
def _at_query(setting: AttentionSetting) -> _Seen:
    table, V = setting.law.structure, setting.V
    assert isinstance(table, EmbeddingTable)
    score = table.scores(tilt_of(setting)[None])[0]
    weight = np.exp(score - score.max())
    log_w = score - score.max() - math.log(weight.mean())
    top = table.at(np.array([score.argmax()]))[0]
    away, half = np.zeros(table.d), V if len(V) <= table.d else np.asarray(np.linalg.qr(V)[1])
    # Differences from the row of the largest score are averaged, so that rounding does not hide how
    # close to it a strong tilt brings the mean.
    for where, x in table.pieces("weighing the rows"):
        away += weight[where] @ (x - top)
    away /= weight.sum()
    squares, plain = np.ones((3, score.size)), np.zeros(table.d)
    for where, x in table.pieces("mapping the rows by V"):
        y = x - top - away
        plain += y.sum(0) / score.size
        squares[1:, where] = ((y @ half.T) ** 2).sum(1), (y * y).sum(1)
    off = ROUNDING[1] * (np.abs(top) + np.abs(away) + np.sqrt(np.diag(setting.Gamma)))
    gap = gap_to_linear(setting, setting.Gamma, top + away, off)
    return _Seen(table, half, *gap, log_w, top, away, plain, squares)


def _one_token(setting: AttentionSetting, seen: _Seen, L: Floats) -> tuple[Named, Named]:
    """For prompts of one token, T_1 = V z_1."""
    bias = float(np.sum((seen.half @ seen.plain) ** 2))
    weights, output, gradient = seen.squares.mean(1)
    table = {"mean 0": output, "mean 1": gradient, "bias": bias, "weights": weights}
    values = {name: np.full(L.shape, x) for name, x in table.items()}
    errors = {name: ROUNDING[1] * (x + (name == "bias") * output) for name, x in values.items()}
    along = {"along": np.full(L.shape, float(seen.plain @ seen.towards))}
    return values | along, errors | {"along": ROUNDING[1] * np.sqrt(values["mean 0"])}


def _by_two_rules(setting: AttentionSetting, seen: _Seen, L: Floats) -> tuple[Named, Named]:
    rules = []
    for f, squares, mean in _rules(setting):
        # the mean squares of a sum of independent terms: one token picked twice, or two tokens
        mapped = mean @ seen.half.T
        first = [f.integral(L, 1, column) for column in squares.T]
        rules.append(
            {
                "weights": first[0],
                "mean 0": first[1] + f.integral(L, 2, (mapped**2).sum(1)),
                "mean 1": first[2] + f.integral(L, 2, (mean**2).sum(1)),
                "along": STEP * np.exp(f.log_ways(L, 1)) @ (mean @ seen.towards),
                "bias": ((STEP * np.exp(f.log_ways(L, 1)) @ mapped) ** 2).sum(1),
                "terms of mean 0": first[1],
                "terms of mean 1": first[2],
            }
        )
    return of_two_rules(rules, ROUNDING[1])


@lru_cache(maxsize=4)
def _rules(setting: AttentionSetting) -> tuple[_Rule, _Rule]:
    """The transforms of the weights by two rules, for prompts of every length."""
    seen = _at_query(setting)
    table, n = seen.table, seen.log_w.size
    if (spread := float(np.ptp(seen.log_w))) > LARGEST_SPREAD:
        raise ValueError(
            f"the scores of the rows of the {table.name}, differ by up to {spread:.3g}, beyond "
            f"{LARGEST_SPREAD:g}, where exact errors end; scale U or the query down, or sample by "
            "numerics.attention_errors"
        )
    grids = [transform_grid(seen.scores, LONGEST, rule) for rule in (0, 1)]
    nodes = np.concatenate(grids)
    series = nodes < math.log(SMALL) - seen.log_w.max()
    v = nodes[~series]
    step, length = max(1, ENTRIES_AT_ONCE // v.size), np.sqrt(seen.squares[2])
    complement, m0, squares = np.zeros(v.size), np.zeros(v.size), np.zeros((v.size, 3))
    whole, less = np.zeros(v.size), np.zeros(v.size)
    for i in range(0, n, step):
        part = slice(i, i + step)
        x, decay, rest = _weights(v, seen.log_w[part])
        complement -= rest.sum(1)
        m0 += decay.sum(1)
        whole += (x * decay) @ length[part]
        less -= (x * rest) @ length[part]
        squares += (x * x * decay) @ seen.squares[:, part].T
    # Since y has mean zero under the tilted law, e^{-rw} may be replaced by e^{-rw} - 1, whose
    # terms are smaller for small r. Where r is beyond e^LOUD, what is below the range of floats in
    # that mean would count.
    far, mean = ((whole < less) | (v > LOUD))[:, None], np.zeros((v.size, table.d))
    powers = np.exp(np.arange(TERMS + 2)[:, None] * (seen.log_w - seen.log_w.max()))
    moments = np.zeros((TERMS + 2, table.d))
    for where, rows in table.pieces("averaging over prompts"):
        y = rows - seen.top - seen.away
        moments += powers[:, where] @ y
        for i in range(0, len(y), step):
            x, decay, rest = _weights(v, seen.log_w[where][i : i + step])
            mean += (x * np.where(far, decay, rest)) @ y[i : i + step]
    # The series of x^2 e^{-x}, of x (e^{-x} - 1) and of 1 - e^{-x}.
    ratio = np.exp(nodes[series] + seen.log_w.max())[:, None]
    k = np.arange(TERMS)
    terms = (-1.0) ** k / np.cumprod(np.maximum(k, 1)) * ratio ** (k + 2)
    low_squares, low_mean = terms @ (powers[2:] @ seen.squares.T), (-terms / (k + 1)) @ moments[2:]
    low_complement = (terms / ratio / (k + 1)) @ powers[1:-1].sum(1)
    join = lambda low, high: _joined(series, low / n, high / n)
    log_m0 = log_complement(join(low_complement, complement), join(n - low_complement, m0))
    cut = grids[0].size
    first, second = (
        _Rule(
            LawTransforms(nodes[part], log_m0[part], ()),
            join(low_squares, squares)[part],
            join(low_mean, mean)[part],
        )
        for part in (slice(cut), slice(cut, None))
    )
    return first, second


def _joined(where: NDArray[np.bool_], one: Floats, other: Floats) -> Floats:
    """Rows from one array there, and from the other elsewhere."""
    out = np.empty((where.size, *one.shape[1:]))
    out[where], out[~where] = one, other
    return out


def _weights(v: Floats, log_w: Floats) -> tuple[Floats, Floats, Floats]:
    """rw, e^{-rw} and e^{-rw} - 1 at every node r = e^v for every row."""
    x = np.exp(np.minimum(v[:, None] + log_w, LOUD))
    return x, np.exp(-x), np.expm1(-x)
