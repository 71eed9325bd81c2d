"""The exact errors of softmax attention on Gaussian tokens, output and every gradient, at one query
or averaged over Gaussian ones.

Other laws of tokens, at one query, are the business of `numerics.attention.any_law`.

No prompt is drawn: the errors are those of `theory.attention.gaussian_errors` and
`theory.attention.softmax_covariance`, linear in moments of the scores that depend on their variance
s and on L alone. For tokens F y, Gamma = F F' and y standard normal, everything that the formulas
ask of the query is a product of quadratic forms in it over a power of s: an average over Gaussian
queries is one integral over s.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.attention.inputs import overflow_refused, read_keys, read_lengths
from numerics.quadrature.coarse_moments import ACCURACY, LARGEST_VARIANCE, LONGEST, coarse_score_moments
from numerics.quadrature.query_form import quadratic_form_averages
from numerics.quadrature.score_moments import LARGEST_SCORE_VARIANCE, ScoreMoments, score_moments
from theory.attention.gaussian_errors import gaussian_second_moment
from theory.attention.softmax_covariance import SpreadMoments, softmax_covariance_second_moment
from theory.inputs.arrays import read_arrays, read_covariance

if TYPE_CHECKING:
    from numerics.token_laws import TokenLaw

__all__ = ["ExactErrors", "exact_errors"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
#: First step of averages over the query, and how often it may be halved.
STEP, HALVINGS = 0.25, 4
#: Tolerance from which on four digits of the moments of the scores will do.
COARSE = 5e-3
#: Tolerances that can be asked for.
TOLERANCES = (1e-5, 0.1)
#: Share of the average at either end of the range of s that is left out, and what is allowed for it
#: in the estimate of the error.
NEGLECTED, ALLOWED = 1e-7, 3e-6
#: Relative accuracy at one query, from that table: up to which s.
ONE_QUERY = ((36.0, 1e-10), (64.0, 1e-8), (LARGEST_SCORE_VARIANCE, 1e-6))
#: Directions of the query count as unseen by the scores when their share of the deviation is below
#: this.
BLIND = 1e-6


@dataclass(frozen=True, eq=False)
class ExactErrors:
    """Mean squared errors against the infinite prompt, an entry a length; squared Frobenius norms
    over all rows of V.

    Parameters
    ----------
    lengths : array, shape (n,)
    output : array, shape (n,)
        ``E|T_L - T|^2``.
    squared_bias : array, shape (n,)
        ``|E[T_L | query] - T|^2``, averaged over the query: the part of `output` that no average
        over prompts removes.
    grad_V, grad_U : array, shape (n,)
        ``E|grad T_L - grad T|^2``. For laws that are not Gaussian nan where scores are so loud that
        rounding leaves nothing of it.
    grad_K, grad_Q : array, shape (n,), or None
        The same in the key and query matrices, if these were given.
    relative_error : array, shape (n,)
        Estimate of the relative error of these numbers: that of the quadrature at one query; over
        Gaussian queries the largest difference from the rule of twice the step. What rounding does
        to `squared_bias`, for which V may be blind, is relative to 1e-6 of ``output E sum p_k^2``
        where that is larger. A number that is nan is not covered.
    """

    lengths: Floats
    output: Floats
    squared_bias: Floats
    grad_V: Floats
    grad_U: Floats
    grad_K: Floats | None
    grad_Q: Floats | None
    relative_error: Floats


class _Gradient(NamedTuple):
    """A gradient error ``E|X^{1/2}(C_L - Gamma)V'|^2 z'Yz``, X in token coordinates, Y in those of
    the standard normal query.
    """

    X: Floats
    Y: Floats


class _Problem(NamedTuple):
    """Everything in the coordinates in which tokens and (random) query are standard normal: the
    scores are ``(C x).y``.
    """

    C: Floats
    W: Floats  # V'V
    tokens: Floats  # the identity, of the tokens
    d_out: int
    gradients: Mapping[str, _Gradient]


class _Weights(NamedTuple):
    """What the formulas are linear in, as weights of the nodes s; h = sqrt(s) l for the unit
    direction l of the scores.
    """

    one: Floats
    along_W: Floats  # h'Wh = |Vh|^2
    along_tokens: Floats  # h'h, in the user's coordinates
    gradients: Mapping[str, tuple[Floats, Floats, Floats, Floats, Floats]]  # those of `softmax_covariance_second_moment`


def exact_errors(
    Gamma: ArrayLike | TokenLaw,
    U: ArrayLike,
    V: ArrayLike,
    lengths: ArrayLike,
    *,
    query: ArrayLike | None = None,
    query_cov: ArrayLike | None = None,
    K: ArrayLike | None = None,
    Q: ArrayLike | None = None,
    tolerance: float = 1e-3,
) -> ExactErrors:
    """How far softmax attention on L tokens is from its infinite-prompt limit, without sampling.

    T_L = V sum p_k z_k with p = softmax(z_1'Uz, ..., z_L'Uz) tends to T = V h, h the mean of the
    law of the tokens tilted by the scores, and its gradients tend to those of T. For tokens N(0,
    Gamma), h = Gamma U z.

    Parameters
    ----------
    Gamma : array_like, shape (d, d), or TokenLaw
        Covariance of Gaussian tokens, symmetric positive semidefinite, may be singular; or any law
        with a ``log_mgf``.
    U : array_like, shape (d, d)
    V : array_like, shape (d_out, d)
    lengths : array_like, shape (n,) or ()
        Whole numbers from 1 to 1e100, in any order.
    query : array_like, shape (d,)
        The query z. Either this or `query_cov`.
    query_cov : array_like, shape (d, d)
        Covariance S of a query N(0, S), independent of the prompt, to average over; Gaussian tokens
        only.
    K, Q : array_like, shape (m, d), optional
        Key and query matrices with ``U = K'Q``; both or neither.
    tolerance : float
        Relative error, from 1e-5 to 0.1, up to which averages over the query are pushed; at one
        query it plays no part.

    Returns
    -------
    ExactErrors

    Raises
    ------
    TypeError
        If an argument is not real.
    ValueError
        If shapes do not fit, an entry is not finite or too large, a covariance is not symmetric
        positive semidefinite, a length is out of range, not exactly one of `query` and `query_cov`
        or only one of K and Q is given, U is not K'Q, the scores have a variance beyond 4096 (where
        queries matter), the tolerance is out of range, or an average does not settle to it. For
        other laws also what `numerics.attention.any_law.law_errors` refuses, and `query_cov`.

    Notes
    -----
    Let s = (Uz)'Gamma(Uz). At one query the relative error is below 1e-10 for s <= 36 and below 1e-8 for s <= 64, against a table
    in multiple precision; beyond, 1e-6 or better. For other laws an estimate is returned, typically below 1e-11. The gradient in K
    is Q (grad_U)', that in Q is K grad_U.

    Examples
    --------
    With U = 0 attention is a plain mean, and the gradient in U is a sample covariance:

    >>> e = exact_errors(np.eye(2), np.zeros((2, 2)), np.eye(2), [1, 10], query=[1.0, 0.0])
    >>> e.output.round(9).tolist(), e.grad_V.round(9).tolist(), e.grad_U.round(9).tolist()
    ([2.0, 0.2], [4.0, 0.4], [2.0, 0.56])

    Averaged over queries N(0, 1/4), and the limit of Theorem B, (1 - 2 lambda)^{-1/2} (1 +
    lambda/(1 - 2 lambda)) at lambda = 1/4:

    >>> e = exact_errors([[1.0]], [[1.0]], [[1.0]], [100, 10**30], query_cov=[[0.25]])
    >>> (e.output * e.lengths).round(3).tolist()
    [1.792, 2.121]

    Tokens uniform on a sphere, against Gaussian ones of the same covariance:

    >>> from numerics.token_laws import sphere
    >>> ratio = exact_errors(sphere(3), np.eye(3), np.eye(3), [10, 1000], query=[1, 0, 0]).output
    >>> (ratio / exact_errors(np.eye(3), np.eye(3), np.eye(3), [10, 1000], query=[1, 0, 0]).output).round(3).tolist()
    [0.513, 0.28]
    """
    from numerics.token_laws import TokenLaw

    if isinstance(Gamma, TokenLaw):
        if Gamma.coordinates != "normal" or Gamma.factor is None:
            if query is None or query_cov is not None:
                raise ValueError(
                    f"exact errors for the law {Gamma.name} are those at one query; pass query=z and no query_cov, or average over "
                    "queries by numerics.attention_errors"
                )
            from numerics.attention.any_law import law_errors

            return law_errors(Gamma, U, V, lengths, query=query, K=K, Q=Q)
        Gamma = Gamma.factor @ Gamma.factor.T
    given: dict[str, tuple[ArrayLike, str]]
    if query is not None and query_cov is None:
        given = {"query": (query, "d")}
    elif query_cov is not None and query is None:
        given = {"query_cov": (read_covariance("query_cov", query_cov), "d d")}
    else:
        which = "neither" if query is None else "both"
        raise ValueError(f"{which} of query and query_cov given; pass query=z for one query, query_cov=S for the mean over N(0, S)")
    if not TOLERANCES[0] <= tolerance <= TOLERANCES[1]:
        raise ValueError(f"tolerance = {tolerance} is outside {TOLERANCES[0]:g} to {TOLERANCES[1]:g}, what averages can settle to")
    L = read_lengths(lengths)
    G = read_covariance("Gamma", Gamma)
    G, U_, V_, z = read_arrays(Gamma=(G, "d d"), U=(U, "d d"), V=(V, "d_out d"), **given)
    F, B, keys = _root(G), z[:, None] if z.ndim == 1 else _root(z), read_keys(K, Q, U_)
    with np.errstate(over="ignore", invalid="ignore"):
        C = F.T @ U_ @ B
        sizes = {"Gamma": F, "V": V_, "query": B, "U": C, **keys}
    overflow_refused(sizes)
    tokens, queries = F.T @ F, B.T @ B
    gradients = {"grad_U": _Gradient(tokens, queries)}
    if keys:
        gradients["grad_K"] = _Gradient(tokens, (keys["Q"] @ B).T @ (keys["Q"] @ B))
        gradients["grad_Q"] = _Gradient((keys["K"] @ F).T @ (keys["K"] @ F), queries)
    problem = _Problem(C, (V_ @ F).T @ (V_ @ F), tokens, V_.shape[0], gradients)
    if query_cov is None or not np.any(C):
        s = float(np.sum(C**2)) if query_cov is None else 0.0
        found = _errors(problem, _at_one_query(problem, s), _stacked([score_moments(s, L)]))
        accuracy = next(digits for reach, digits in ONE_QUERY if s <= reach)
        relative = np.full(L.size, accuracy)
    else:
        found, relative = _averaged(problem, L, tolerance)
    return ExactErrors(
        lengths=L,
        output=found["output"],
        squared_bias=found["squared_bias"],
        grad_V=found["grad_V"],
        grad_U=found["grad_U"],
        grad_K=found.get("grad_K"),
        grad_Q=found.get("grad_Q"),
        relative_error=relative,
    )


def _root(covariance: Floats) -> Floats:
    """F with F F' = covariance, without the directions of variance zero (one is always kept)."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > 1e-15 * values[-1]
    kept[-1] = True
    return np.asarray(vectors[:, kept] * np.sqrt(np.maximum(values[kept], 0.0)))


def _stacked(moments: list[ScoreMoments]) -> ScoreMoments:
    """Arrays of shape (nodes, lengths)."""
    spread = SpreadMoments(*(np.stack(rows) for rows in zip(*(m.spread for m in moments))))
    return ScoreMoments(np.stack([m.P2 for m in moments]), np.stack([m.P3 for m in moments]), spread)


def _errors(problem: _Problem, weights: _Weights, m: ScoreMoments) -> dict[str, Floats]:
    """Sums over the nodes."""
    one, along_W, along_tokens, gradients = weights
    column = lambda w: w[:, None]
    P2, P3, Q = m.P2, m.P3, m.spread.Q
    of_t, of_q = (gaussian_second_moment(P2, P3, Q, *tq) for tq in ((1.0, 0.0), (0.0, 1.0)))
    mean = lambda trace, along: (trace * column(one) * of_t + column(along) * of_q).sum(axis=0)
    out = {
        "output": mean(np.trace(problem.W), along_W),
        "squared_bias": (column(along_W) * P2**2).sum(axis=0),
        "grad_V": problem.d_out * mean(np.trace(problem.tokens), along_tokens),
    }
    for name, products in gradients.items():
        along, across, mixed, square, product = map(column, products)
        out[name] = softmax_covariance_second_moment(
            m.spread, along=along, across=across, mixed=mixed, square=square, product=product
        ).sum(axis=0)
    return out


def _at_one_query(p: _Problem, s: float) -> _Weights:
    """One node of weight 1. For s = 0 no direction is singled out, and what depends on it cancels."""
    c = p.C[:, 0] if s > 0 else np.zeros(p.C.shape[0])
    l = c / math.sqrt(s) if s > 0 else c
    across_l = np.eye(c.size) - np.outer(l, l)
    products = {}
    for name, (X, Y) in p.gradients.items():
        y2 = float(np.trace(Y))  # Y is 1x1, or the query is averaged without scores
        lu2, lv2, Guu, Gvv = l @ X @ l, l @ p.W @ l, np.trace(across_l @ X), np.trace(across_l @ p.W)
        mixed, square = l @ X @ across_l @ p.W @ l, np.trace(X @ across_l @ p.W @ across_l)
        terms = (lu2 * lv2, lv2 * Guu + lu2 * Gvv, mixed, square, Guu * Gvv)
        a, b, c_, d, e = (np.array([y2 * float(x)]) for x in terms)
        products[name] = (a, b, c_, d, e)
    return _Weights(np.ones(1), np.array([c @ p.W @ c]), np.array([c @ p.tokens @ c]), products)


def _over_queries(p: _Problem, L: Floats, step: float) -> tuple[Floats, _Weights, Bools]:
    """Nodes s and weights, and which nodes make up the rule of twice the step."""
    form = lambda M: p.C.T @ ((M + M.T) / 2) @ p.C
    A, Wq = form(np.eye(p.C.shape[0])), form(p.W)
    products: list[tuple[Floats, ...]] = [(), (Wq,), (form(p.tokens),)]
    for X, Y in p.gradients.values():
        Xq, Rq = form(X), form(X @ p.W)
        products += [(Y,), (Y, Xq), (Y, Wq), (Y, Rq), (Y, Xq, Wq)]
    reach = 2 * math.log(L.max())  # the squared bias grows like e^{2s}/L^2 at first
    scale = float(np.trace(A))

    def keep(s: Floats, density: Floats) -> Bools:
        # Of what is averaged at s all but a power of s, and of its square for the squared bias.
        size = _log_P2(s, L)
        power = ((1 + s / scale) ** 3 * (1 + s) ** 2)[:, None]
        exponents = np.log(np.maximum(density, 1e-300))[:, None] + np.hstack([size, 2 * size])
        share = np.exp(exponents - exponents.max(axis=0))
        share = np.hstack([share, power * share])
        share /= share.sum(axis=0)
        below = np.cumsum(share, axis=0)
        return np.asarray(((below > NEGLECTED) & (below - share < 1 - NEGLECTED)).any(axis=1))

    s, w, even = quadratic_form_averages(A, products, log_reach=reach, step=step, keep=keep)
    if s[-1] > LARGEST_SCORE_VARIANCE:
        top = float(np.linalg.eigvalsh(A)[-1])
        raise ValueError(
            f"lambda = {top:.4g}, the largest eigenvalue of S^(1/2) U'Gamma U S^(1/2): queries with scores of variance {s[-1]:.4g} "
            f"matter at L = {L.max():.3g}, but the quadrature ends at {LARGEST_SCORE_VARIANCE:g}; rescale U or query_cov"
        )
    gradients = {}
    for i, (name, (X, _)) in enumerate(p.gradients.items()):
        y, yX, yW, yR, yXW = w[3 + 5 * i : 8 + 5 * i]
        tX, tW, tXW = (float(np.trace(M)) for M in (X, p.W, X @ p.W))
        lu2, lv2, r, along = yX / s, yW / s, yR / s, yXW / s**2
        across, mixed = lv2 * tX + lu2 * tW - 2 * along, r - along
        product = tX * tW * y - tX * lv2 - tW * lu2 + along
        gradients[name] = (along, across, mixed, tXW * y - 2 * r + along, product)
    return s, _Weights(w[0], w[1], w[2], gradients), even


def _log_P2(s: Floats, L: Floats) -> Floats:
    """log P2 to leading order, of shape (n, n_lengths): e^s/L while many tokens share the weight,
    then one token far out.
    """
    l, s = np.log(L), s[:, None]
    return np.where(s < 2 * l / 3, s - l, np.where(s < 2 * l, -((l - s / 2) ** 2) / (2 * s), 0.0))


def _averaged(p: _Problem, L: Floats, tolerance: float) -> tuple[dict[str, Floats], Floats]:
    """Halve the step until two rules agree."""
    left, sizes, right = np.linalg.svd(p.C, full_matrices=False)
    # Divided by powers of a small s, what rounding leaves in directions that the scores do not see
    # would count.
    p = p._replace(C=(left * np.where(sizes > BLIND * sizes[0], sizes, 0.0)) @ right)
    known: dict[float, ScoreMoments] = {}
    for halving in range(HALVINGS + 1):
        s, weights, even = _over_queries(p, L, STEP / 2**halving)
        known |= _moments_at([value for value in s.tolist() if value not in known], L, tolerance)
        m = _stacked([known[float(value)] for value in s])
        fine, coarse = _errors(p, weights, m), _errors(p, _doubled(weights, even), m)
        relative = np.max([np.abs(coarse[name] - x) / np.where(x > 0, x, 1.0) for name, x in fine.items()], axis=0)
        relative += ALLOWED + (ACCURACY if tolerance >= COARSE else 0.0)
        if relative.max() <= tolerance:
            return fine, relative
    raise ValueError(
        f"the average over queries is known to {relative.max():.1g} only (L = {L[relative.argmax()]:.3g}), not to {tolerance:g}; "
        "ask for a larger tolerance or shorter prompts"
    )


def _moments_at(s: list[float], L: Floats, tolerance: float) -> dict[float, ScoreMoments]:
    """For each s, all at once if four digits will do."""
    quick = [value for value in s if value <= LARGEST_VARIANCE] if tolerance >= COARSE and L.max() <= LONGEST else []
    found = {value: score_moments(value, L) for value in s if value not in quick}
    if quick:
        m = coarse_score_moments(np.array(quick), L)
        found |= {value: ScoreMoments(m.P2[i], m.P3[i], SpreadMoments(*(x[i] for x in m.spread))) for i, value in enumerate(quick)}
    return found


def _doubled(w: _Weights, even: Bools) -> _Weights:
    twice = lambda x: 2 * x * even
    gradients = {name: (twice(a), twice(b), twice(c), twice(d), twice(e)) for name, (a, b, c, d, e) in w.gradients.items()}
    return _Weights(twice(w.one), twice(w.along_W), twice(w.along_tokens), gradients)
