"""Instances of the errors averaged over prompt and query: discrete laws summed exactly, Gaussian
ones by quadrature.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any, Literal

import numpy as np
import sympy as sp

from numerics.attention.curve import exact_error
from numerics.attention.setting import AttentionSetting
from numerics.search.query_average import Instance, PromptAndQuery, covariance_error, moments, squared_error
from numerics.search.reference import LENGTH
from numerics.token_laws.sub_gaussian import certified_proxy

__all__ = ["COVERED", "REFERENCE", "Bound", "Quantity", "discrete", "instances", "reference"]

Quantity = Literal["output", "gradient in U"]
#: (L, sigma, |U|, d) to the bound for V = I.
Bound = Callable[[Any, Any, Any, Any], Any]
COVERED = (
    "tokens of two to four atoms (d = 1, 2; sigma from 1 to 10), queries of signs and rare large ones, L = 1 to 100, exact sums; "
    "Gaussian tokens with kappa = sigma^2 |U|^2 from 0 to 16, d = 1, 3 and L from 1 to 1e30, by quadrature over Gaussian queries "
    "(output) or at |z| = sqrt(d) (gradient in U)"
)
ONE, HALF = Fraction(1), Fraction(1, 2)
SCALES = tuple(Fraction(u) for u in ("0", "1/8", "1/4", "1", "3"))
LENGTHS = (1, 2, 3, 10, 100)
FAR = (1.0, 2.0, 10.0, 1e3, 1e6, 1e12, 1e30)
KAPPAS = tuple(Fraction(k) for k in ("0", "1/64", "1/16", "1/4", "1", "4", "16"))


#: Signs as tokens and query, U = 1/2: the instance of `numerics.search.reference`, averaged over
#: its query.
REFERENCE = PromptAndQuery(((ONE,), (-ONE,)), (HALF, HALF), ONE, ((ONE,), (-ONE,)), (HALF, HALF), HALF, "reference")


@cache
def discrete() -> tuple[PromptAndQuery, ...]:
    """Tokens and queries on few values; sigma >= 1 and the query is 1-sub-Gaussian, as the
    propositions ask.
    """
    signs, rare = ((ONE,), (-ONE,)), ((3 * ONE,), (0 * ONE,), (-3 * ONE,))
    queries = {"signs": (signs, (HALF, HALF)), "rare 3": (rare, (Fraction(1, 200), Fraction(99, 100), Fraction(1, 200)))}
    laws: list[tuple[str, tuple[Fraction, ...], tuple[Fraction, ...]]]
    laws = [("signs", (s * ONE, -s * ONE), (HALF, HALF)) for s in (1, 2, 4, 10)]
    laws.append(("skewed", (Fraction(6), -Fraction(2, 3)), (Fraction(1, 10), Fraction(9, 10))))
    laws.append(("three atoms", (Fraction(10), 0 * ONE, -ONE), (Fraction(1, 22), HALF, Fraction(5, 11))))
    out = []
    for (name, atoms, weights), (which, (values, masses)), u in itertools.product(laws, queries.items(), SCALES):
        proxy = atoms[0] ** 2 if name == "signs" else max(ONE, certified_proxy(atoms, weights))
        column = tuple((x,) for x in atoms)
        out.append(PromptAndQuery(column, weights, proxy, values, masses, u, f"{name} {atoms[0]}, query {which}"))
    corners = tuple(itertools.product((ONE, -ONE), repeat=2))
    out += [PromptAndQuery(corners, (HALF**2,) * 4, ONE, corners, (HALF**2,) * 4, u, "corners, query corners") for u in SCALES]
    return tuple(out)


def _lengths(x: PromptAndQuery) -> tuple[int, ...]:
    return tuple(L for L in LENGTHS if math.comb(L + len(x.atoms) - 1, len(x.atoms) - 1) <= 6000)


@cache
def _discrete_left(quantity: Quantity) -> tuple[tuple[int, PromptAndQuery, float], ...]:
    statistic, f = (squared_error, None) if quantity == "output" else (covariance_error, moments)
    rows = ((L, x, float(x.average(L, statistic, f))) for x in discrete() for L in _lengths(x))
    return tuple(sorted(rows, key=lambda row: (row[0], row[1].d)))


@cache
def _gaussian_left(quantity: Quantity) -> tuple[tuple[float, int, float, float], ...]:
    """(L, d, |U|, error) for tokens N(0, I) and U a multiple of I; another sigma scales the error
    and its bounds alike.
    """
    rows = []
    for d, kappa in itertools.product((1, 3), KAPPAS):
        u = math.sqrt(kappa)
        query, query_cov = (None, np.eye(d)) if quantity == "output" else (np.sqrt(d) * np.eye(d)[0], None)
        setting = AttentionSetting(np.eye(d), u * np.eye(d), np.eye(d), query, query_cov=query_cov)
        error = exact_error(setting, "output" if quantity == "output" else "grad_U", FAR)
        assert error is not None  # s <= 48
        rows += [(L, d, u, float(e)) for L, e in zip(FAR, error)]
    return tuple(rows)


def instances(bound: Bound, quantity: Quantity, *, least: int = 1) -> Iterator[Instance]:
    """Every instance with L >= least, the exact ones first.

    Gaussian tokens at one token are exact: the error of the output is
    ``sigma^2 d + sigma^4 |U|^2 d``, and the gradient in U is 0 instead of ``sigma^2 z'`` in each
    row.
    """
    if least == 1:
        for d, kappa, sigma in itertools.product((1, 3), (*KAPPAS, Fraction(10**6)), (ONE, Fraction(4))):
            if not (root := sp.sqrt(sp.Rational(kappa.numerator, kappa.denominator))).is_rational:
                continue
            U = Fraction(int(root.p), int(root.q)) / sigma
            left = sigma**2 * d + sigma**4 * U**2 * d if quantity == "output" else sigma**4 * d * d
            yield _gaussian_token(bound, quantity, d, sigma, U, left)
    for L, x, error in _discrete_left(quantity):
        if least <= L:
            yield _discrete(bound, quantity, L, x, error)
    for far, d, u, error in _gaussian_left(quantity):
        if far >= least:
            where = {"L": f"{far:g}", "d": d, "U": u, "sigma": 1, "tokens": "N(0, I)"}
            yield Instance(where, error, float(bound(far, 1.0, u, d)))


def reference(bound: Bound, quantity: Quantity) -> Instance:
    """The same bound at the reference instance."""
    statistic, f = (squared_error, None) if quantity == "output" else (covariance_error, moments)
    return _discrete(bound, quantity, LENGTH, REFERENCE, float(REFERENCE.average(LENGTH, statistic, f)))


def _gaussian_token(bound: Bound, quantity: Quantity, d: int, sigma: Fraction, u: Fraction, left: Fraction) -> Instance:
    def exact() -> tuple[Any, sp.Expr]:
        s, U, exactly = (sp.Rational(v.numerator, v.denominator) for v in (sigma, u, left))
        return exactly, sp.sympify(bound(sp.Integer(1), s, U, sp.Integer(d)))

    query = "N(0, I)" if quantity == "output" else f"|z|^2 = {d}"
    where = {"L": 1, "d": d, "sigma": sigma, "U": u, "V": 1, "tokens": "N(0, sigma^2 I)", "query": query}
    return Instance(where, float(left), float(bound(1.0, float(sigma), float(u), d)), exact)


def _discrete(bound: Bound, quantity: Quantity, L: int, x: PromptAndQuery, error: float) -> Instance:
    def exact() -> tuple[Any, sp.Expr]:
        statistic, f = (squared_error, None) if quantity == "output" else (covariance_error, moments)
        proxy = sp.sqrt(sp.Rational(x.sigma2.numerator, x.sigma2.denominator))
        right = bound(sp.Integer(L), proxy, sp.Rational(x.u.numerator, x.u.denominator), sp.Integer(x.d))
        return x.average(L, statistic, f, exact=True), sp.sympify(right)

    where = {"L": L, "sigma": sp.sqrt(sp.Rational(x.sigma2.numerator, x.sigma2.denominator)), "V": 1, **x.describe()}
    return Instance(where, error, float(bound(float(L), math.sqrt(x.sigma2), float(x.u), x.d)), exact)
