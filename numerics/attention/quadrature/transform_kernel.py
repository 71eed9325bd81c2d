"""Compiled inversion of the Laplace transforms of `quadrature.query_form`: the nodes are
the lanes, and every Gaussian moment is a sum over one to three coordinates, or over few that stand
for all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import combinations, permutations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from numerics.attention.quadrature.few_ratios import few_ratios
from numerics.compiled.announce import QUADRATURE, announced
from theory.inputs.spectrum import EPS

__all__ = ["inverse_transforms"]

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]
#: Nodes side by side.
LANES = 64
#: Up to so many ratios none stand for others; and the error of densities if some do.
FEW, TOLERANCE = 32, 1e-12
SUMS = {"contract", "reassoc", "nsz"}


@njit(fastmath={"contract"}, error_model="numpy")
def tilt(s, ratios, z, dz, r, x, plain, y):  # type: ignore[no-untyped-def]
    """r + ix = R_j of each node, and plain + iy = dz e^z prod_j R_j^{1/2}."""
    for i in range(s.size):
        re, im = 1.0, 0.0
        for j in range(ratios.size):
            # The factor 1/R_j = a + ib has b >= 0: its root lies in the first quadrant.
            a, b = (1 - ratios[j]) + 2 * ratios[j] * z.real / s[i], 2 * ratios[j] * z.imag / s[i]
            size = math.sqrt(a * a + b * b)
            larger = math.sqrt((size + abs(a)) / 2)
            other = b / (2 * larger)
            c, d = (larger, other) if a >= 0 else (other, larger)
            re, im = (re * c + im * d) / size, (im * c - re * d) / size
            r[j, i], x[j, i] = a / size / size, -b / size / size
        e = dz * np.exp(z)
        plain[i], y[i] = e.real * re - e.imag * im, e.real * im + e.imag * re


@njit(fastmath=SUMS, error_model="numpy")
def sums(n, r, x, traces, pairs, triples, trace, pair, chain):  # type: ignore[no-untyped-def]
    """Real and imaginary parts of the sums of r_j, r_j r_k and r_j r_k r_l, j <= k <= l, with the
    coefficients of each form, pair and triple of forms.
    """
    d = traces.shape[1]
    q, p, t, u = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    trace[:], pair[:], chain[:] = 0.0, 0.0, 0.0
    for j in range(d):
        for f in range(traces.shape[0]):
            for i in range(n):
                trace[f, 0, i] += traces[f, j] * r[j, i]
                trace[f, 1, i] += traces[f, j] * x[j, i]
        for k in range(j, d if pairs.shape[0] else j):
            for i in range(n):
                q[i] = r[j, i] * r[k, i] - x[j, i] * x[k, i]
                p[i] = r[j, i] * x[k, i] + x[j, i] * r[k, i]
            for b in range(pairs.shape[0]):
                c = pairs[b, j, k]
                for i in range(n):
                    pair[b, 0, i] += c * q[i]
                    pair[b, 1, i] += c * p[i]
            for a in range(triples.shape[0]):
                for i in range(n):
                    t[i], u[i] = 0.0, 0.0
                for l in range(k, d):
                    e = triples[a, j, k, l]
                    for i in range(n):
                        t[i] += e * r[l, i]
                        u[i] += e * x[l, i]
                for i in range(n):
                    chain[a, 0, i] += q[i] * t[i] - p[i] * u[i]
                    chain[a, 1, i] += q[i] * u[i] + p[i] * t[i]


@njit(cache=True, nogil=True, error_model="numpy")
def kernel(s, ratios, z, dz, traces, pairs, triples, products, out):  # type: ignore[no-untyped-def]
    """out[product, node] for the products that are listed as in `inverse_transforms`."""
    d = ratios.size
    r, x, plain, y = np.empty((d, LANES)), np.empty((d, LANES)), np.empty(LANES), np.empty(LANES)
    trace, pair = np.empty((traces.shape[0], 2, LANES)), np.empty((pairs.shape[0], 2, LANES))
    chain = np.empty((triples.shape[0], 2, LANES))
    out[:] = 0.0
    for first in range(0, s.size, LANES):
        part = s[first : first + LANES]
        for c in range(z.size):
            tilt(part, ratios, z[c], dz[c], r, x, plain, y)
            sums(part.size, r, x, traces, pairs, triples, trace, pair, chain)
            for row in range(products.shape[0]):
                order, at = products[row, 0], products[row, 1:]
                for i in range(part.size):
                    value = complex(1.0, 0.0)
                    for k in range(order):
                        value *= complex(trace[at[k], 0, i], trace[at[k], 1, i])
                    for k in range(3, 3 + order * (order - 1) // 2):
                        by = complex(pair[at[k], 0, i], pair[at[k], 1, i])
                        if order == 3:
                            by *= complex(trace[at[5 - k], 0, i], trace[at[5 - k], 1, i])
                        value += by
                    if order == 3:
                        value += complex(chain[at[6], 0, i], chain[at[6], 1, i])
                    out[row, first + i] += 2 / part[i] * (plain[i] * value.imag + y[i] * value.real)


announced(kernel, QUADRATURE)


def inverse_transforms(
    s: Floats, ratios: Floats, contour: tuple[Complex, Complex], products: Sequence[Sequence[Floats]]
) -> Floats:
    """The density at s > 0 of sum_j ratios_j x_j^2 times e^{s/2}, x standard normal, ratios in [0,
    1], with each product of up to three forms as a factor, shape (n_products, n). The contour has
    nodes and derivatives in the upper half plane.
    """
    forms = list({id(M): M for product in products for M in product}.values())
    index = {id(M): i for i, M in enumerate(forms)}
    pairs, triples, rows = _tables(tuple(tuple(index[id(M)] for M in product) for product in products))
    few = _few(s, ratios, contour) if ratios.size > FEW and pairs.size else None
    if few is not None:
        ratios = np.append(ratios[few[0]], np.delete(ratios, few[0]))
    out = np.empty((len(products), s.size))
    kernel(s, ratios, *contour, *_coefficients(forms, pairs, triples, ratios.size, few and few[1]), rows, out)
    return out


def _few(
    s: Floats, ratios: Floats, contour: tuple[Complex, Complex]
) -> tuple[NDArray[np.intp], Floats] | None:
    """Ratios that stand for all at these nodes, and their coefficients, so exactly that densities
    keep their relative error to `TOLERANCE`.
    """
    z, dz = contour
    p = 2 * z / s[:, None]
    log_weight = np.log(np.abs(dz)) + z.real + np.log(2 / s)[:, None]
    for ratio in ratios:
        log_weight -= np.log(np.abs(1 - ratio + ratio * p)) / 2
    with np.errstate(divide="ignore"):
        law = np.log(np.abs(inverse_transforms(s, ratios, contour, [()])[0]))
    # What is below the rounding of its terms has no digits to keep.
    log_weight -= np.maximum(law, log_weight.max(axis=1) + math.log(EPS))[:, None]
    return few_ratios(ratios, p.ravel(), log_weight.ravel(), TOLERANCE)


def _coefficients(
    forms: Sequence[Floats],
    pairs: NDArray[np.int64],
    triples: NDArray[np.int64],
    d: int,
    basis: Floats | None,
) -> tuple[Floats, Floats, Floats]:
    """The coefficients of `sums` for the numbers R_j, or for the few of which ``basis`` makes all:
    tr(MR), 2 tr(MRNR) and 8 tr(MRNRKR) for each form, pair and triple of forms.
    """
    k = d if basis is None else basis.shape[1]
    few = lambda M: M if basis is None else basis.T @ M @ basis
    ones = np.array([np.diag(M) if basis is None else np.diag(M) @ basis for M in forms], dtype=float)
    twos, threes = np.empty((len(pairs), k, k)), np.empty((len(triples), k, k, k))
    equal = np.eye(k, dtype=int)
    for out, (a, b) in zip(twos, pairs):
        out[:] = few(2 * forms[a] * forms[b]) * (2 - equal)
    for out, (a, b, c) in zip(threes, triples):
        M, N, K = forms[a], forms[b], 8 * forms[c]
        if basis is None:
            out[:] = M[:, :, None] * N * K.T[:, None]
        else:
            for row, weights in zip(out, basis.T):
                row[:] = few((M * weights) @ N * K.T)
        # A term with j < k < l stands for six, one with two of them equal for three.
        out[:] = sum(out.transpose(order) for order in permutations(range(3)))
        out *= np.array([1, 1 / 2, 1 / 6])[equal[:, :, None] + equal]
    return ones.reshape(-1, k), twos, threes


@cache
def _tables(products: tuple[tuple[int, ...], ...]) -> tuple[NDArray[np.int64], ...]:
    """What the kernel must know of the products, whose forms are given by their numbers: the
    distinct pairs and triples of forms, and for each product its order and where to find its forms,
    pairs and triple.
    """
    pairs: dict[tuple[int, ...], int] = {}
    triples: dict[tuple[int, ...], int] = {}
    rows = np.zeros((len(products), 8), dtype=np.int64)
    for row, these in zip(rows, products):
        row[0], row[1 : 1 + len(these)] = len(these), these
        # The pair (0, 1) is multiplied by the trace of form 2, the pair (0, 2) by that of form 1.
        for k, two in enumerate(combinations(these, 2)):
            row[4 + k] = pairs.setdefault(two, len(pairs))
        if len(these) == 3:
            row[7] = triples.setdefault(these, len(triples))
    listed = lambda found, n: np.array(list(found), dtype=np.int64).reshape(-1, n)
    return listed(pairs, 2), listed(triples, 3), rows
