"""Exact errors of softmax attention at one query, for tokens of any law whose moment generating
function is known.

Let h and H be mean and covariance of the law tilted by the scores, and for the tokens of a prompt
y_k = z_k - h, w_k = e^{a.z_k}. The errors are ratios of sums over the tokens,

    T_L - T = V B / S,    C_L - H = A / S - BB' / S^2,
    S = sum w_k,    B = sum w_k y_k,    A = sum w_k (y_k y_k' - H).

Since 1/S^n = int r^{n-1} e^{-rS} dr / (n-1)!, the mean of a product of such sums is an integral
over r of one function of `exact.laplace_transforms` for every token that the product
picks. These functions serve all lengths of prompts at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.exact.cauchy_moments import CauchyMoments
from numerics.attention.exact.errors import (
    ExactErrors,
    Named,
    by_routes,
    gap_to_linear,
    of_square,
    of_two_rules,
    settled,
    with_linear,
)
from numerics.attention.exact.laplace_transforms import law_transforms, transform_grid
from numerics.attention.exact.short_prompts import are_few, short_prompt_errors
from numerics.attention.exact.tilted_moments import (
    AtomicMoments,
    Basis,
    IndependentMoments,
    RadialMoments,
    TiltedMoments,
)
from numerics.attention.setting import AttentionSetting, overflow_refused
from numerics.token_laws.atomic import Atomic
from numerics.token_laws.embeddings import EmbeddingTable
from numerics.token_laws.independent import Independent
from numerics.token_laws.radial import Radial, bessel_ratio, of_coordinates
from numerics.token_laws.token_law import TokenLaw

__all__ = ["ROUNDING", "law_errors", "tilt_of"]

Floats = NDArray[np.float64]
#: Relative rounding errors that two rules may share, of a result and of the terms that cancel in
#: it: for moments in closed form, and for those that Cauchy's formula takes from a log-mgf.
ROUNDING, ROUNDING_OF_CIRCLES = (1e-13, 5e-15), (3e-11, 2e-12)
#: Largest dimension of tokens for built-in laws, and for laws known by their log-mgf alone.
LARGEST_DIMENSION, LARGEST_BY_TRANSFORM = 128, 10
#: Number of independent signs up to which all their combinations are treated as atoms.
FEW_SIGNS = 8
#: Number of matrix entries that an integrand may hold in memory at once.
ENTRIES_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class _LawAtQuery:
    """The law at one query: tokens are F g, the moments those of g about its tilted mean."""

    moments: TiltedMoments
    mean: Floats  # h, in the coordinates of g
    covariance: Floats  # H; where the law is known, accurate however small
    terms: Floats  # the sizes of what is added up to h
    apart: float = 0.0  # the distance of T from linear attention,
    off: float = 0.0  # its rounding error,
    #: And (VF)' times the direction in which it lies.
    towards: Floats = field(default_factory=lambda: np.zeros(0))


def law_errors(setting: AttentionSetting, lengths: Floats) -> ExactErrors:
    """How far softmax attention on L tokens of any law is from its infinite-prompt limit, at one
    query and without sampling, for whole lengths from 1 to 1e100. ``relative_error`` comes from two
    rules that share neither nodes nor contours, and from the terms that cancel in them. For laws on
    few points short prompts are gone through one by one. Where rounding leaves nothing of a
    gradient, it is nan; where it leaves nothing of the output, the setting is refused.
    """
    law, L, V, z, K, Q = setting.law, lengths, setting.V, setting.query, setting.K, setting.Q
    a = tilt_of(setting)
    F, see = _law_at_query(law, a)
    tokens, W = F.T @ F, (V @ F).T @ (V @ F)
    forms, factors = {"grad_U": 1}, {"grad_U": float(z @ z)}
    matrices = [W, tokens]
    if K is not None and Q is not None:
        matrices.append((K @ F).T @ (K @ F))
        forms |= {"grad_K": 1, "grad_Q": 2}
        factors |= {"grad_K": float(np.sum((Q @ z) ** 2)), "grad_Q": float(z @ z)}
    seen = see(matrices)
    # Coordinates that are known by their name alone have variance 1.
    Gamma = setting.Gamma if law.structure is not None or law.log_mgf is not None else F @ F.T
    rounding = ROUNDING[1] * np.abs(F) @ seen.terms
    apart, off, towards = gap_to_linear(setting, Gamma, F @ seen.mean, rounding)
    seen = replace(seen, apart=apart, off=off, towards=F.T @ towards)
    found, relative = _settled(seen, matrices, L, law.name)
    gradient = lambda name: factors[name] * found[f"covariance {forms[name]}"] if name in forms else None
    return ExactErrors(
        lengths=L,
        output=found["mean 0"],
        from_linear=found["from linear"],
        squared_bias=found["bias"],
        grad_V=len(V) * found["mean 1"],
        grad_U=factors["grad_U"] * found["covariance 1"],
        grad_K=gradient("grad_K"),
        grad_Q=gradient("grad_Q"),
        relative_error=relative,
    )


def tilt_of(setting: AttentionSetting) -> Floats:
    """``a = Uz`` at a fixed query, after checks of the query and of the size of all entries.

    >>> from numerics.token_laws import rademacher
    >>> tilt_of(AttentionSetting(rademacher(1), [[2.0]], [[1.0]], [3.0])).tolist()
    [6.0]
    """
    if setting.averaged:
        raise ValueError(
            f"exact errors for the law {setting.law.name} are those at one query; pass query=z and no "
            "query_cov, or average over queries by numerics.attention_errors"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        a = setting.U @ setting.query
    sizes = {"V": setting.V, "query": setting.query, "U": a}
    overflow_refused(
        sizes if setting.K is None or setting.Q is None else sizes | {"K": setting.K, "Q": setting.Q}
    )
    return np.asarray(a)


def _law_at_query(law: TokenLaw, a: Floats) -> tuple[Floats, Callable[[list[Floats]], _LawAtQuery]]:
    """The factor F of the tokens F g, and a function of the matrices, which depend on F, that gives
    the moments of g.
    """
    s, kind = law.structure, law.coordinates
    if s is None and isinstance(kind, str) and law.factor is not None:
        s = of_coordinates(kind, law.factor)
    if isinstance(s, Radial) and s.kind == "sphere" and s.factor.shape[1] == 1:
        s = Independent("sign", s.factor)
    elif isinstance(s, EmbeddingTable):
        s = s.as_atoms
    elif s is None and law.sigma == 0:
        s = Atomic(np.zeros((1, law.d)), np.ones(1))
    r = s.factor.shape[1] if isinstance(s, (Independent, Radial)) else law.d
    largest, source = (LARGEST_BY_TRANSFORM, " from log_mgf") if s is None else (LARGEST_DIMENSION, "")
    if r > largest:
        raise ValueError(
            f"the law {law.name} has {r} dimensions, beyond {largest}, up to which its moments are "
            f"computed{source}; sample by numerics.attention_errors, or project the tokens"
        )
    if isinstance(s, Independent):
        b = s.factor.T @ a
        h, variance = s.coordinate.tilted(b)
        if s.kind == "sign" and b.size <= FEW_SIGNS:
            signs = np.asarray(
                1 - 2 * ((np.arange(2**b.size)[:, None] >> np.arange(b.size)) & 1), dtype=float
            )
            return s.factor, _of_atoms(Atomic(signs, np.full(len(signs), 1 / len(signs))), b, h)
        return s.factor, lambda M: _LawAtQuery(
            IndependentMoments(s.coordinate, b, h, M), h, np.diag(variance), np.abs(h)
        )
    if isinstance(s, Radial):
        b = s.factor.T @ a
        length = float(np.linalg.norm(b))
        _, across, along = (float(x[0]) for x in bessel_ratio(s.q, np.array([math.sqrt(s.q) * length])))
        u = b / length if length else b
        H = across * np.eye(b.size) + (along - across) * np.outer(u, u)
        return s.factor, lambda M: _LawAtQuery(
            RadialMoments(s.q, b, across * length, M), across * b, H, np.abs(across * b)
        )
    if isinstance(s, Atomic):
        return np.eye(law.d), _of_atoms(s, a)
    transform = law.log_mgf
    if transform is None:
        raise ValueError(
            f"the law {law.name} has no log_mgf, which exact errors are made of; pass log_mgf= when you "
            "make the law, or sample: numerics.attention_errors"
        )
    h, H = law.tilted(a)
    terms = np.abs(h) + np.sqrt(np.abs(np.diag(H)))
    return np.eye(law.d), lambda M: _LawAtQuery(
        CauchyMoments(transform, law.sigma or 1.0, a, h, M), h, H, terms
    )


def _of_atoms(law: Atomic, b: Floats, known: Floats | None = None) -> Callable[[list[Floats]], _LawAtQuery]:
    """A function of the matrices that gives the moments of a law on finitely many points, whose
    tilted mean may be known better than by a sum over them.
    """
    h, y, w = law.about(b)
    terms = np.abs(h) + w @ np.abs(y)
    if known is not None:
        h, terms = known, np.abs(known)
    return lambda M: _LawAtQuery(
        AtomicMoments(y, law.weights, b, np.zeros(b.size), M), h, (y.T * w) @ y, terms
    )


def _settled(
    seen: _LawAtQuery, matrices: list[Floats], L: Floats, law: str
) -> tuple[dict[str, Floats], Floats]:
    """The means by the best route for each length, nan where rounding leaves no digit of one, and
    their relative errors.
    """
    of = seen.moments
    short = np.array([isinstance(of, AtomicMoments) and are_few(len(of.points), of.b.size, n) for n in L])
    routes = ((short, _by_prompts), (~short & (L == 1), _one_token), (~short & (L > 1), _by_two_rules))
    values, errors = by_routes(L, [(where, partial(route, seen, matrices)) for where, route in routes])
    values, errors = with_linear(values, errors, seen.apart, seen.off)
    return settled(values, errors, L, rounding=_rounding(of)[0], law=law)


def _rounding(moments: TiltedMoments) -> tuple[float, float]:
    """The relative rounding error of a result, and of the terms that cancel in it."""
    return ROUNDING_OF_CIRCLES if isinstance(moments, CauchyMoments) else ROUNDING


def _by_prompts(seen: _LawAtQuery, matrices: list[Floats], L: Floats) -> tuple[Named, Named]:
    """Values and errors from a sum over all prompts, for laws on few points and short prompts."""
    of = seen.moments
    assert isinstance(of, AtomicMoments)
    found = [
        short_prompt_errors(of.points, of.weights, of.b, seen.covariance, matrices, seen.towards, int(n))
        for n in L
    ]
    of_all = lambda rows: {name: np.array([row[name] for row in rows]) for name in rows[0]}
    values, errors = zip(*found)
    return of_all(values), of_all(errors)


def _by_two_rules(seen: _LawAtQuery, matrices: list[Floats], L: Floats) -> tuple[Named, Named]:
    with np.errstate(over="ignore", invalid="ignore"):  # in a user's log_mgf; what is not finite is not given
        rules = [_fields(seen, matrices, L, rule) for rule in (0, 1)]
    for rule in rules:
        offset = rule.pop("offset")
        rule["bias"] = np.einsum("ni,ij,nj->n", offset, matrices[0], offset)
        rule["along"] = offset @ seen.towards
    return of_two_rules(rules, _rounding(seen.moments)[1])


class _Moments(NamedTuple):
    """Moments of y = g - h weighted by a power of w, one row for each node of the quadrature."""

    one: Floats
    y: Floats  # (n, r)
    yy: Floats  # (n, r, r)
    cubes: list[Floats]  # (y'My) y for each matrix M, (n, r)
    fourth: list[Floats]  # y'Wy y'Xy for each X, (n,)


def _put_together(basis: Basis, f: Floats) -> _Moments:
    one, first, second, third, fourth = (f[:, part] for part in basis.parts)
    yy = np.tensordot(second, basis.second, axes=1)
    return _Moments(
        one[:, 0],
        first @ basis.first,
        yy,
        [third @ t for t in basis.third],
        [fourth @ t for t in basis.fourth],
    )


def _one_token(seen: _LawAtQuery, matrices: list[Floats], L: Floats) -> tuple[Named, Named]:
    """For prompts of one token, T_1 = V z_1 and C_1 = 0: moments of the law without tilt."""
    free = _put_together(seen.moments.basis, seen.moments.functions(np.zeros(1, complex)).real)
    H, W, h = seen.covariance, matrices[0], seen.mean
    yy, (_, cancelled) = free.yy[0] / free.one, _rounding(seen.moments)
    values = {f"mean {i}": np.sum(yy * M) for i, M in enumerate(matrices[:2])} | {"bias": h @ W @ h}
    values["along"] = -(h @ seen.towards)
    terms = {f"mean {i}": np.sum(np.abs(yy) * np.abs(M)) for i, M in enumerate(matrices[:2])}
    for i, X in enumerate(matrices[1:], 1):
        values[f"covariance {i}"] = np.sum((W @ H @ X) * H)
        terms[f"covariance {i}"] = np.sum((np.abs(W) @ np.abs(H) @ np.abs(X)) * np.abs(H))
    if isinstance(seen.moments, CauchyMoments):
        # Cauchy's formula reads moments off circles of radius about 1/sigma: its rounding errors
        # are relative to powers of sigma, however small the moments are.
        square, traces = seen.moments.sigma**2, [float(np.trace(M)) for M in matrices]
        terms |= {f"mean {i}": square * traces[i] for i in (0, 1)}
        terms |= {f"covariance {i}": square**2 * traces[0] * trace for i, trace in enumerate(traces[1:], 1)}
    errors = {name: cancelled * x for name, x in terms.items()}
    errors["bias"] = of_square(values["bias"], cancelled**2 * terms["mean 0"])
    errors["along"] = cancelled * math.sqrt(terms["mean 0"])
    if isinstance(seen.moments, CauchyMoments):
        for i in range(1, len(matrices)):
            errors[f"covariance {i}"] = of_square(
                values[f"covariance {i}"], cancelled**2 * terms[f"covariance {i}"]
            )
    full = lambda table: {name: np.full(L.shape, float(x)) for name, x in table.items()}
    return full(values | {"weights": 1.0}), full(errors)


def _fields(seen: _LawAtQuery, matrices: list[Floats], L: Floats, rule: int) -> dict[str, Floats]:
    """Mean squares ``E B'MB / S^2``, the mean of B/S, and ``E |W^{1/2} (C_L - H) X^{1/2}|^2``, by
    one of the two rules.
    """
    basis = seen.moments.basis
    tilted = _put_together(basis, seen.moments.functions(np.ones(1, complex)).real)
    H = tilted.yy[0] / tilted.one
    f = law_transforms(seen.moments, transform_grid(seen.moments, math.log(L.max()), rule), rule)
    rows = max(1, ENTRIES_AT_ONCE // H.size)
    pieces: list[dict[str, list[Floats]]] = []
    for i in range(0, f.v.size, rows):
        m = [_put_together(basis, f.m[k][i : i + rows]) for k in range(1, 5)]
        pieces.append(_mean_terms(m, matrices) | _covariance_terms(m, H, matrices) | {"weights": [m[1].one]})
        if isinstance(seen.moments, CauchyMoments):  # rounding is relative to sigma, as for one token
            square, traces = seen.moments.sigma**2, [float(np.trace(M)) for M in matrices]
            pieces[-1] |= {f"terms of mean {i}": [square * traces[i] * m[1].one] for i in (0, 1)}
            for j in range(1, len(matrices)):
                pieces[-1][f"terms of covariance {j}"][0] += square**2 * traces[0] * traces[j] * m[1].one
    out = {}
    for name in pieces[0]:
        terms = [np.concatenate(parts) for parts in zip(*(piece[name] for piece in pieces))]
        out[name] = np.sum([f.integral(L, j, term) for j, term in enumerate(terms, 1)], axis=0)
    return out


# A product of sums over tokens is a sum over j = 1, 2, ... of the terms that pick j different
# tokens. The two functions below return, for each j, what multiplies L(L - 1) ... (L - j + 1)
# m_0^{L - j} in the integrand. The moments m[k] have the order k + 1 in the weights.


def _mean_terms(m: list[_Moments], matrices: list[Floats]) -> dict[str, list[Floats]]:
    """The integrands of the mean squares of B/S and of its mean, and the sizes of their terms."""
    B, BB = m[0].y, m[1].yy
    out = {f"mean {i}": [_inner(BB, M), _form(B, M, B)] for i, M in enumerate(matrices[:2])}
    sizes = {f"terms of mean {i}": [_inner(np.abs(BB), np.abs(M))] for i, M in enumerate(matrices[:2])}
    return out | sizes | {"offset": [B]}


def _covariance_terms(m: list[_Moments], H: Floats, matrices: list[Floats]) -> dict[str, list[Floats]]:
    """The integrands of the mean squares of C_L - H, and the sizes of their terms."""
    W, out = matrices[0], {}
    B, A, BB = m[0].y, m[0].yy, m[1].yy  # of A: m[0] is about the tilted means
    for i, X in enumerate(matrices[1:], 1):
        WHX, WA, WBB = W @ H @ X, W @ A, W @ BB
        BWB, BXB, w2, x2 = _form(B, W, B), _form(B, X, B), _inner(BB, W), _inner(BB, X)
        fourth = [moments.fourth[i - 1] for moments in m]
        # The cubes with one factor B: of y'Wy y'XB and of y'Xy y'WB.
        cubes = [_form(moments.cubes[0], X, B) + _form(moments.cubes[i], W, B) for moments in m]
        square = [fourth[1] - 2 * _inner(BB, WHX) + m[1].one * np.sum(WHX * H), _trace(WA, X @ A)]
        mixed = cubes[1] - _form(m[1].y, WHX, B) - _form(B, WHX, m[1].y) + _trace(WA, X @ BB)
        cross = [fourth[2] - _inner(m[2].yy, WHX), mixed, _sandwich(B, WA @ X)]
        quartic = [fourth[3], 2 * cubes[2] + w2 * x2 + 2 * _trace(WBB, X @ BB)]
        quartic += [BWB * x2 + BXB * w2 + 4 * _sandwich(B, WBB @ X), BWB * BXB]
        # Over S^2, S^3 and S^4: 1, 1/2 and 1/6 from the factorials, the middle one twice with a
        # minus.
        zero = np.zeros(len(B))
        parts = list(zip_longest(square, cross, quartic, fillvalue=zero))
        out[f"covariance {i}"] = [a - b + c / 6 for a, b, c in parts]
        out[f"terms of covariance {i}"] = [np.abs(a) + np.abs(b) + np.abs(c) / 6 for a, b, c in parts]
    return out


def _inner(S: Floats, M: Floats) -> Floats:
    """Sums over i, j of S_ij M_ij, S of shape (n, r, r)."""
    return np.asarray(np.tensordot(S, M, axes=2))


def _form(x: Floats, M: Floats, y: Floats) -> Floats:
    return np.asarray(((x @ M) * y).sum(axis=-1))


def _sandwich(x: Floats, M: Floats) -> Floats:
    """The products x'Mx, for M of shape (n, r, r)."""
    return np.asarray((x[:, None, :] @ M @ x[:, :, None])[:, 0, 0])


def _trace(P: Floats, Q: Floats) -> Floats:
    return np.asarray((P * np.swapaxes(Q, -1, -2)).sum(axis=(-2, -1)))
