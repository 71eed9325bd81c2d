"""Bounds on errors averaged over prompt and query, judged on instances: for Propositions 3.1, 3.4
and Lemmas C.6, C.9 of Boursier & Boyer and for our replacements of them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import sympy as sp

from numerics.evidence import Evidence
from numerics.search.query_average import Instance, PromptAndQuery, fourth_error, moments, squared_error, tightest
from numerics.search.query_average_instances import COVERED, Bound, Quantity, at_instance, discrete, instances
from numerics.token_laws import atoms
from proofs_check.instances.reference import RADEMACHER

#: Boursier & Boyer's reference instance for bounds that average over the query, which is Rademacher
#: too.
SIGNS = atoms([[1], [-1]], [Fraction(1, 2), Fraction(1, 2)], sigma2=Fraction(1))
RANDOM_QUERY = PromptAndQuery(SIGNS, SIGNS, Fraction(1, 2), "reference")

UNPROVED = "the bound speaks of every sub-Gaussian law of tokens and queries; its steps are proved, its sum is tried on instances"
# f = z, or the entries of z z' (p = 2); g = 1, or |z|.
FUNCTIONS: dict[str, tuple[int, Any, Any]] = {
    "f = z, g = 1": (1, None, None),
    "f = z, g = z": (1, None, lambda z: (z * z).sum()),
    "f = z z', g = z": (2, lambda tokens: moments(tokens)[tokens.shape[1] :], lambda z: (z * z).sum()),
}


def times(factor: Fraction, bound: Callable[..., Any]) -> Callable[..., Any]:
    """A bound times a number, which stays exact where the bound is."""

    def scaled(*at: Any) -> Any:
        value = bound(*at)
        return (sp.Rational(factor) if isinstance(value, sp.Basic) else float(factor)) * value

    return scaled


def averaged(bound: Bound, quantity: Quantity) -> Instance:
    """A bound that averages over the query, at the reference instance."""
    return at_instance(bound, quantity, RADEMACHER.length, RANDOM_QUERY)


def output_or_gradient(bound: Bound, quantity: Quantity, *, checked: str, given: str = "V = I", least: int = 1) -> Evidence:
    """Judge a bound on the error of the output or of its gradient in U for every L >= least, where
    `given` says what is fixed.
    """
    covered = f"{given}; {COVERED}"
    return tightest(instances(bound, quantity, least=least), checked=checked, covered=covered, reference=averaged(bound, quantity))


def _error(L: int, x: PromptAndQuery, name: str, power: int, *, exact: bool = False) -> Any:
    """E|err g|^power over prompt and query; g is the norm of the query, or 1."""
    _, f, g = FUNCTIONS[name]
    statistic = squared_error if power == 2 else fourth_error
    factor = None if g is None else (lambda z: g(z) ** (power // 2))
    return x.average(L, statistic, f, factor, exact=exact)


def _moment(x: PromptAndQuery, name: str, power: int) -> Fraction:
    """E|g|^{2 power}."""
    if FUNCTIONS[name][2] is None:
        return Fraction(1)
    return sum((w * sum(v * v for v in q) ** power for w, q in zip(x.query.weights, x.query.atoms)), Fraction(0))


@cache
def _left(power: int) -> tuple[tuple[int, PromptAndQuery, str, float], ...]:
    """The error to a power at every instance, as (L, instance, functions, error)."""
    pairs = [(name, x) for name, x in product(FUNCTIONS, discrete()) if power == 2 or FUNCTIONS[name][0] == 1]
    rows = ((L, x, name, float(_error(L, x, name, power))) for name, x in pairs for L in (1, 2, 3, 10))
    return tuple(sorted(rows, key=lambda row: (row[0], row[1].d)))


def _instance(bound: Any, power: int, L: int, x: PromptAndQuery, name: str, error: float) -> Instance:
    p, moment = FUNCTIONS[name][0], _moment(x, name, power)
    sigma = sp.sqrt(sp.Rational(x.tokens.sigma2))

    def exact() -> Any:
        right = bound(sp.Integer(L), sigma, sp.Rational(x.u), sp.Integer(x.d), p, sp.sqrt(sp.Rational(moment)))
        return _error(L, x, name, power, exact=True), sp.sympify(right)

    where = {"L": L, "sigma": sigma, "functions": name, **x.describe()}
    return Instance(where, error, float(bound(float(L), float(sigma), float(x.u), x.d, p, float(moment) ** 0.5)), exact)


def general(bound: Any, power: int, *, checked: str, given: str = "", least: int = 1) -> Evidence:
    """Judge the bound of Lemma C.6 (power 2) or C.9 (power 4) for every L >= least: `bound` takes
    L, sigma, |U|, d, p and the root of the moment of g. The loss is taken at f = z, g = 1.
    """
    second_order = ", f = z z' with g = z (p = 2)" if power == 2 else ""
    covered = (
        f"{given}tokens of two to four atoms, queries of signs and rare large ones, L = 1, 2, 3, 10; f = z with g = 1 or z"
        f"{second_order}: exact sums over prompt and query"
    )
    rows = (_instance(bound, power, *row) for row in _left(power) if row[0] >= least)
    name, L = "f = z, g = 1", RADEMACHER.length
    reference = _instance(bound, power, L, RANDOM_QUERY, name, float(_error(L, RANDOM_QUERY, name, power)))
    return tightest(rows, checked=checked, covered=covered, reference=reference)
