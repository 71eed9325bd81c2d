"""Exact errors of softmax attention on Gaussian tokens, for the output and every gradient, at one
query or averaged over Gaussian queries.

No prompt is drawn. The formulas of `theory.attention.gaussian_errors` and
`theory.attention.softmax_covariance` are linear in moments of the scores that depend on the score
variance s and on L alone. With tokens F y, Gamma = F F' and y standard normal, the query enters
them only through products of quadratic forms in it, over a power of s; so an average over Gaussian
queries is one integral over s.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.exact.errors import ExactErrors
from numerics.attention.quadrature.query_form import quadratic_form_averages
from numerics.attention.quadrature.score_moments import (
    COARSE,
    LARGEST_SCORE_VARIANCE,
    MEDIUM,
    Fineness,
    ScoreMoments,
    score_moments,
)
from numerics.attention.setting import AttentionSetting, overflow_refused
from theory.attention.gaussian_errors import gaussian_second_moment
from theory.attention.softmax_covariance import softmax_covariance_second_moment

__all__ = ["TOLERANCES", "errors_along", "gaussian_errors"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
#: How often the step of the quadrature over queries may be halved.
HALVINGS = 4
#: Tolerance from which on four digits of the moments of the scores suffice.
COARSE_TOLERANCE = 5e-3
#: Least and largest tolerance that may be asked for.
TOLERANCES = (1e-5, 0.1)
#: Share of the average that is left out at either end of the range of s, and what the error
#: estimate allows for it.
NEGLECTED_SHARE, NEGLECT_ERROR = 1e-7, 3e-6
#: Relative accuracy at one query, against a table in multiple precision: (largest s, accuracy).
ONE_QUERY_ACCURACY = ((36.0, 1e-10), (64.0, 1e-8), (LARGEST_SCORE_VARIANCE, 1e-6))
#: A direction of the query counts as having no scores when its share of their deviation is below
#: this.
UNSEEN_SHARE = 1e-6
#: The products t = 1, q = 0 and t = 0, q = 1 of `gaussian_second_moment`, which is linear in them.
UNIT_PRODUCTS = np.eye(2)[:, :, None, None]


class _Rule(NamedTuple):
    #: Of the moments of the scores.
    fineness: Fineness
    #: The first step.
    step: float


#: For tolerances from `COARSE_TOLERANCE` on, and below it.
ROUGH, CLOSE = _Rule(COARSE, 0.25), _Rule(MEDIUM, 0.18)


class _Gradient(NamedTuple):
    """A gradient error ``E|X^{1/2}(C_L - Gamma)V'|^2 z'Yz``: X in the coordinates y of the tokens,
    Y in those of the standard normal query.
    """

    X: Floats
    Y: Floats


class _Problem(NamedTuple):
    """The problem in coordinates in which a token y and a random query x are standard normal: the
    score of y is ``y'C x``.
    """

    C: Floats
    W: Floats  # V'V
    tokens: Floats  # the identity, of the tokens
    d_out: int
    gradients: Mapping[str, _Gradient]


class _Weights(NamedTuple):
    """The coefficients with which the moments at the nodes s enter the errors; h = sqrt(s) l with
    the unit direction l of the scores.
    """

    one: Floats
    along_W: Floats  # h'Wh = |Vh|^2
    along_tokens: Floats  # h'h, in the user's coordinates
    #: Those of `softmax_covariance_second_moment`.
    gradients: Mapping[str, tuple[Floats, Floats, Floats, Floats, Floats]]


def gaussian_errors(setting: AttentionSetting, lengths: Floats, tolerance: float) -> ExactErrors:
    """The exact errors for Gaussian tokens, at one query or averaged over centred Gaussian queries
    up to the relative tolerance, for whole lengths from 1 to 1e100. Scores of a variance beyond
    4096, where queries matter, are refused.
    """
    L, problem = lengths, _problem(setting, setting.query_factor)
    if not (setting.averaged and np.any(problem.C)):
        s = 0.0 if setting.averaged else float(np.sum(problem.C**2))
        (found,) = _errors(
            problem, _at_one_query(problem, s), score_moments(np.array([s]), L), np.ones((1, 1))
        )
        accuracy = next(digits for reach, digits in ONE_QUERY_ACCURACY if s <= reach)
        relative = np.full(L.size, accuracy)
    else:
        found, relative = _averaged(problem, L, tolerance)
    return ExactErrors(
        lengths=L,
        output=found["output"],
        from_linear=found["output"],
        squared_bias=found["squared_bias"],
        grad_V=found["grad_V"],
        grad_U=found["grad_U"],
        grad_K=found.get("grad_K"),
        grad_Q=found.get("grad_Q"),
        relative_error=relative,
    )


def errors_along(setting: AttentionSetting, lengths: Floats, query: Floats, s: Floats) -> dict[str, Floats]:
    """The exact errors for Gaussian tokens at many multiples of one query, in one go: arrays (n_s,
    n) by the names of `exact.errors.ExactErrors`. The query, whose scores are not
    zero, is scaled to each of the positive score variances s; that of the setting plays no part.
    """
    problem = _problem(setting, query[:, None])
    size = float(np.sum(problem.C**2))
    at = _at_one_query(problem, size)
    scaled = lambda w: w * s / size  # all but the first are quadratic in the query
    gradients = {
        name: (scaled(a), scaled(b), scaled(c), scaled(d), scaled(e))
        for name, (a, b, c, d, e) in at.gradients.items()
    }
    weights = _Weights(np.ones(s.size), scaled(at.along_W), scaled(at.along_tokens), gradients)
    found = _errors(problem, weights, score_moments(s, lengths), np.eye(s.size))
    return {name: np.stack([one[name] for one in found]) for name in found[0]}


def _problem(setting: AttentionSetting, B: Floats) -> _Problem:
    """The problem for queries B x, refused where its products overflow."""
    F, V, K, Q = setting.token_factor, setting.V, setting.K, setting.Q
    with np.errstate(over="ignore", invalid="ignore"):
        C = F.T @ setting.U @ B
    sizes = {"Gamma": F, "V": V, "query": B, "U": C}
    overflow_refused(sizes if K is None or Q is None else sizes | {"K": K, "Q": Q})
    tokens, queries = F.T @ F, B.T @ B
    gradients = {"grad_U": _Gradient(tokens, queries)}
    if K is not None and Q is not None:
        gradients["grad_K"] = _Gradient(tokens, (Q @ B).T @ (Q @ B))
        gradients["grad_Q"] = _Gradient((K @ F).T @ (K @ F), queries)
    return _Problem(C, (V @ F).T @ (V @ F), tokens, V.shape[0], gradients)


def _errors(
    problem: _Problem, weights: _Weights, m: ScoreMoments, rules: Floats
) -> tuple[dict[str, Floats], ...]:
    """The errors as sums over the nodes, from coefficients and moments, once for each row of
    factors that a rule multiplies into the terms of the nodes.
    """
    one, along_W, along_tokens, gradients = weights
    column = lambda w: w[:, None]
    P2, P3, Q = m.P2, m.P3, m.spread.Q
    of_t, of_q = gaussian_second_moment(P2, P3, Q, *UNIT_PRODUCTS)
    mean = lambda trace, along: rules @ (trace * column(one) * of_t + column(along) * of_q)
    out = {
        "output": mean(np.trace(problem.W), along_W),
        "squared_bias": rules @ (column(along_W) * P2**2),
        "grad_V": problem.d_out * mean(np.trace(problem.tokens), along_tokens),
    }
    for name, products in gradients.items():
        along, across, mixed, square, product = map(column, products)
        out[name] = rules @ softmax_covariance_second_moment(
            m.spread, along=along, across=across, mixed=mixed, square=square, product=product
        )
    return tuple({name: x[i] for name, x in out.items()} for i in range(len(rules)))


def _at_one_query(p: _Problem, s: float) -> _Weights:
    """The coefficients at one query: a single node. For s = 0 there is no direction of the scores,
    and the terms that would depend on it cancel.
    """
    c = p.C[:, 0] if s > 0 else np.zeros(p.C.shape[0])
    l = c / math.sqrt(s) if s > 0 else c
    across_l = np.eye(c.size) - np.outer(l, l)
    W_l, across_W = p.W @ l, across_l @ p.W @ across_l
    lv2, Gvv = l @ W_l, np.trace(across_W)
    products = {}
    for name, (X, Y) in p.gradients.items():
        y2 = np.trace(Y)  # Y is 1x1, or the query is averaged without scores
        X_l = l @ X
        lu2, Guu, mixed, square = X_l @ l, np.sum(across_l * X), X_l @ across_l @ W_l, np.sum(X * across_W)
        terms = (lu2 * lv2, lv2 * Guu + lu2 * Gvv, mixed, square, Guu * Gvv)
        a, b, c_, d, e = np.array(terms)[:, None] * y2
        products[name] = (a, b, c_, d, e)
    return _Weights(np.ones(1), np.array([c @ p.W @ c]), np.array([c @ p.tokens @ c]), products)


def _over_queries(p: _Problem, L: Floats, step: float) -> tuple[Floats, _Weights, Bools, float]:
    """Nodes s, the coefficients at them, which nodes make up the rule of twice the step, and by how
    much the probabilities of all nodes miss one.
    """
    form = lambda M: p.C.T @ ((M + M.T) / 2) @ p.C
    A, Wq = form(np.eye(p.C.shape[0])), form(p.W)
    products: list[tuple[Floats, ...]] = [(), (Wq,), (form(p.tokens),)]
    for X, Y in p.gradients.values():
        Xq, Rq = form(X), form(X @ p.W)
        products += [(Y,), (Y, Xq), (Y, Wq), (Y, Rq), (Y, Xq, Wq)]
    reach = 2 * math.log(L.max())  # the squared bias grows like e^{2s}/L^2 at first
    scale, missed = float(np.trace(A)), 0.0

    def keep(s: Floats, density: Floats) -> Bools:
        nonlocal missed
        missed = abs(float(density.sum()) - 1)
        # A node matters if its share of the averaged errors, which grow like P2 times a power of s,
        # or of the squared bias, which grows like P2^2, is not negligible at some length.
        size = _log_P2(s, L)
        power = ((1 + s / scale) ** 3 * (1 + s) ** 2)[:, None]
        exponents = np.log(np.maximum(density, 1e-300))[:, None] + np.hstack([size, 2 * size])
        share = np.exp(exponents - exponents.max(axis=0))
        share = np.hstack([share, power * share])
        share /= share.sum(axis=0)
        below = np.cumsum(share, axis=0)
        return np.asarray(((below > NEGLECTED_SHARE) & (below - share < 1 - NEGLECTED_SHARE)).any(axis=1))

    s, w, even = quadratic_form_averages(A, products, log_reach=reach, step=step, keep=keep)
    if s[-1] > LARGEST_SCORE_VARIANCE:
        top = float(np.linalg.eigvalsh(A)[-1])
        raise ValueError(
            f"lambda = {top:.4g}, the largest eigenvalue of S^(1/2) U'Gamma U S^(1/2): queries with scores "
            f"of variance {s[-1]:.4g} matter at L = {L.max():.3g}, but the quadrature ends at "
            f"{LARGEST_SCORE_VARIANCE:g}; rescale U or query_cov"
        )
    if (s**2 == 0).any():
        raise ValueError(
            f"queries have scores of variance {s.min():.3g}, whose square is no float; choose other units"
        )
    gradients = {}
    for i, (name, (X, _)) in enumerate(p.gradients.items()):
        y, yX, yW, yR, yXW = w[3 + 5 * i : 8 + 5 * i]
        tX, tW, tXW = (float(np.trace(M)) for M in (X, p.W, X @ p.W))
        lu2, lv2, r, along = yX / s, yW / s, yR / s, yXW / s**2
        across, mixed = lv2 * tX + lu2 * tW - 2 * along, r - along
        product = tX * tW * y - tX * lv2 - tW * lu2 + along
        gradients[name] = (along, across, mixed, tXW * y - 2 * r + along, product)
    return s, _Weights(w[0], w[1], w[2], gradients), even, missed


def _log_P2(s: Floats, L: Floats) -> Floats:
    """The logarithm of P2 to leading order, shape (n, n_lengths): P2 is e^s/L while many tokens
    share the weight; beyond, it is the probability that one token takes it all.
    """
    l, s = np.log(L), s[:, None]
    taken = -((l - s / 2) ** 2) / (2 * np.where(s > 0, s, 1.0))
    return np.where(s < 2 * l / 3, s - l, np.where(s < 2 * l, taken, 0.0))


def _averaged(p: _Problem, L: Floats, tolerance: float) -> tuple[dict[str, Floats], Floats]:
    """Errors averaged over queries, and their errors: the step is halved until two rules agree."""
    left, sizes, right = np.linalg.svd(p.C, full_matrices=False)
    # The coefficients are divided by powers of s. Where s is small, the rounding errors of
    # directions without scores would be magnified: these directions are set to 0.
    whole, p = p, p._replace(C=(left * np.where(sizes > UNSEEN_SHARE * sizes[0], sizes, 0.0)) @ right)
    of_h = [float(np.sum(x.C * (x.W @ x.C))) for x in (whole, p)]
    rounding = 1e-24 * float(np.sum(p.C**2) * np.trace(p.W))
    lost = abs(of_h[0] - of_h[1]) > max(tolerance * of_h[0], rounding)  # all of the squared bias comes from h
    rule = ROUGH if tolerance >= COARSE_TOLERANCE else CLOSE
    for halving in range(HALVINGS + 1):
        s, weights, even, missed = _over_queries(p, L, rule.step / 2**halving)
        fine, coarse = _errors(
            p, weights, score_moments(s, L, rule.fineness), np.stack([np.ones(s.size), 2.0 * even])
        )
        relative = np.max(
            [np.abs(coarse[name] - x) / np.where(x > 0, x, 1.0) for name, x in fine.items()], axis=0
        )
        # Two rules share the densities at half of the nodes: what these lack shows in their sum.
        relative += NEGLECT_ERROR + rule.fineness.accuracy + missed
        if relative.max() <= tolerance:
            return fine | ({"squared_bias": np.full(L.shape, np.nan)} if lost else {}), relative
    raise ValueError(
        f"the average over queries is known to {relative.max():.1g} only (L = {L[relative.argmax()]:.3g}), "
        f"not to {tolerance:g}; ask for a larger tolerance or shorter prompts"
    )
