"""The instances at which bounds on errors averaged over prompt and query are tried. Tokens and
queries on few values are summed exactly; for Gaussian tokens and queries the errors come from
quadrature, up to lengths that no sum reaches.
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
from numerics.counterexamples.worst_case.query_average import (
    Instance,
    PromptAndQuery,
    covariance_error,
    moments,
    squared_error,
)
from numerics.counterexamples.worst_case.query_average_bound import QueryAverageBound, Term
from numerics.rationals import fraction, sympy_rational
from numerics.token_laws import atoms
from numerics.token_laws.sub_gaussian import certified_proxy

__all__ = ["COVERED", "Bound", "Quantity", "discrete", "instances", "lengths", "statement"]

Quantity = Literal["output", "gradient in U"]
#: The error of each quantity at a fixed query, and the function f of which it is an average.
STATISTICS: dict[Quantity, tuple[Any, Any]] = {
    "output": (squared_error, None),
    "gradient in U": (covariance_error, moments),
}
#: (L, sigma, |U|, d) to the bound for V = I.
Bound = Callable[[Any, Any, Any, Any], Any]
COVERED = (
    "tokens of two to four atoms (d = 1, 2; sigma from 1 to 4, weights down to 2^-28), queries of signs and "
    "rare large ones, L = 1 to 100, exact sums; Gaussian tokens with kappa = sigma^2 |U|^2 from 0 to 16, d = "
    "1, 3 and L from 1 to 1e30, by quadrature over Gaussian queries (output) or at |z| = sqrt(d) (gradient "
    "in U)"
)
ONE, HALF = Fraction(1), Fraction(1, 2)
#: Values of u, lengths of prompts that are summed, and lengths for quadrature.
SCALES = tuple(Fraction(u) for u in ("0", "1/8", "1/4", "1", "3", "4"))
LENGTHS = (1, 2, 3, 10, 100)
QUADRATURE_LENGTHS = (1.0, 2.0, 10.0, 1e3, 1e6, 1e12, 1e30)
#: Values of ``sigma^2 |U|^2`` for Gaussian tokens.
KAPPAS = tuple(Fraction(k) for k in ("0", "1/64", "1/16", "1/4", "1", "4", "16"))


@cache
def discrete() -> tuple[PromptAndQuery, ...]:
    """Tokens and queries on few values; sigma >= 1 and the query is 1-sub-Gaussian, as the
    propositions ask.
    """
    signs = atoms([[1], [-1]], [HALF, HALF], sigma2=ONE)
    rare = atoms([[3], [0], [-3]], [Fraction(1, 200), Fraction(99, 100), Fraction(1, 200)])
    lines: list[tuple[str, tuple[Fraction, ...], tuple[Fraction, ...]]]
    lines = [("signs", (s * ONE, -s * ONE), (HALF, HALF)) for s in (1, 2)]
    q = ONE / 2**27  # 36 is about 2 ln(1/q), so that 1 is a sub-Gaussian constant
    lines.append(("rare", (Fraction(6), 0 * ONE, -Fraction(6)), (q / 2, 1 - q, q / 2)))
    lines.append(("three atoms", (Fraction(10), 0 * ONE, -ONE), (Fraction(1, 22), HALF, Fraction(5, 11))))
    out = []
    for name, values, weights in lines:
        proxy = values[0] ** 2 if name == "signs" else max(ONE, certified_proxy(values, weights))
        tokens = atoms([(x,) for x in values], weights, sigma2=proxy)
        for (which, query), u in itertools.product((("signs", signs), ("rare 3", rare)), SCALES):
            out.append(PromptAndQuery(tokens, query, u, f"{name} {values[0]}, query {which}"))
    corners = atoms(list(itertools.product((1, -1), repeat=2)), [HALF**2] * 4, sigma2=ONE)
    return (*out, *(PromptAndQuery(corners, corners, u, "corners, query corners") for u in SCALES))


def lengths(x: PromptAndQuery) -> tuple[int, ...]:
    """Those of `LENGTHS` whose prompts are few enough to be summed over."""
    return tuple(
        L for L in LENGTHS if math.comb(L + len(x.tokens.atoms) - 1, len(x.tokens.atoms) - 1) <= 6000
    )


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
        error = exact_error(setting, "output" if quantity == "output" else "grad_U", QUADRATURE_LENGTHS)
        assert error is not None  # s <= 48
        rows += [(L, d, u, float(e)) for L, e in zip(QUADRATURE_LENGTHS, error)]
    return tuple(rows)


def statement(bound: Bound, quantity: Quantity, *, least: int = 1, unit: bool = False) -> QueryAverageBound:
    """The bound for every law of tokens and query, from the length `least` on; `unit` says that
    sigma is at least 1.
    """
    term = Term(
        lambda at: at.mean(*STATISTICS[quantity]), lambda at: bound(at.L, at.sigma, at.u, at.d), {"V": 1}
    )
    return QueryAverageBound((term,), least, unit)


def instances(given: QueryAverageBound, bound: Bound, quantity: Quantity) -> Iterator[Instance]:
    """Every instance, the exact ones first. Gaussian tokens at one token are exact: the error of
    the output is ``sigma^2 d + sigma^4 |U|^2 d``, and the gradient in U is 0 instead of
    ``sigma^2 z'`` in each row.
    """
    if given.least == 1:
        for d, kappa, sigma in itertools.product((1, 3), (*KAPPAS, Fraction(10**6)), (ONE, Fraction(4))):
            if not (root := sp.sqrt(sympy_rational(kappa))).is_rational:
                continue
            U = fraction(root) / sigma
            left = sigma**2 * d + sigma**4 * U**2 * d if quantity == "output" else sigma**4 * d * d
            yield _gaussian_token(bound, quantity, d, sigma, U, left)
    yield from sorted(given.instances(discrete(), lengths), key=lambda i: (i.where["L"], i.where["d"]))
    for far, d, u, error in _gaussian_left(quantity):
        if far >= given.least:
            where = {"L": f"{far:g}", "d": d, "U": u, "sigma": 1, "tokens": "N(0, I)"}
            yield Instance(where, error, float(bound(far, 1.0, u, d)))


def _gaussian_token(
    bound: Bound, quantity: Quantity, d: int, sigma: Fraction, u: Fraction, left: Fraction
) -> Instance:
    def exact() -> tuple[Any, sp.Expr]:
        s, U, exactly = map(sympy_rational, (sigma, u, left))
        return exactly, sp.sympify(bound(sp.Integer(1), s, U, sp.Integer(d)))

    query = "N(0, I)" if quantity == "output" else f"|z|^2 = {d}"
    where = {"L": 1, "d": d, "sigma": sigma, "U": u, "V": 1, "tokens": "N(0, sigma^2 I)", "query": query}
    return Instance(where, float(left), float(bound(1.0, float(sigma), float(u), d)), exact)
