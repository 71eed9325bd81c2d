"""Bounds on errors averaged over prompt and query, judged on instances: for Propositions 3.1, 3.4
and Lemmas C.6, C.9 of Boursier & Boyer and for our replacements of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from numerics.counterexamples.worst_case.query_average import (
    PromptAndQuery,
    fourth_error,
    moments,
    squared_error,
    tightest,
)
from numerics.counterexamples.worst_case.query_average_bound import QueryAverageBound, Term
from numerics.counterexamples.worst_case.query_average_instances import (
    COVERED,
    Bound,
    Quantity,
    discrete,
    instances,
    statement,
)
from numerics.evidence import Evidence
from numerics.token_laws import atoms
from proofs_check.instances.reference import RADEMACHER

#: Boursier & Boyer's reference instance for bounds that average over the query, which is Rademacher
#: too.
SIGNS = atoms([[1], [-1]], [Fraction(1, 2), Fraction(1, 2)], sigma2=Fraction(1))
RANDOM_QUERY = PromptAndQuery(SIGNS, SIGNS, Fraction(1, 2), "reference")
REFERENCE = RANDOM_QUERY, RADEMACHER.length

UNPROVED = (
    "the bound speaks of every sub-Gaussian law of tokens and queries; its steps are proved, its sum "
    "is tried on instances"
)
# f = z, or the entries of z z' (p = 2); g = 1, or |z|.
FUNCTIONS: dict[str, tuple[int, Any, Any]] = {
    "f = z, g = 1": (1, None, None),
    "f = z, g = z": (1, None, lambda z: (z * z).sum(0)),
    "f = z z', g = z": (2, lambda tokens: moments(tokens)[tokens.shape[1] :], lambda z: (z * z).sum(0)),
}


def times(factor: Fraction, bound: Callable[..., Any]) -> Callable[..., Any]:
    """A bound times a number, which stays exact where the bound is."""

    def scaled(*at: Any) -> Any:
        value = bound(*at)
        return (sp.Rational(factor) if isinstance(value, sp.Basic) else float(factor)) * value

    return scaled


def output_or_gradient(
    bound: Bound,
    quantity: Quantity,
    *,
    checked: str,
    given: str = "V = I",
    least: int = 1,
    unit: bool = False,
) -> Evidence:
    """Judge a bound on the error of the output or of its gradient in U for every L >= least, where
    `given` says what is fixed and `unit` whether sigma is at least 1.
    """
    meant = replace(statement(bound, quantity, least=least, unit=unit), reference=REFERENCE)
    return tightest(
        instances(meant, bound, quantity), checked=checked, covered=f"{given}; {COVERED}", statement=meant
    )


def _term(bound: Any, power: int, name: str) -> Term:
    """E|err g|^power over prompt and query for the functions of this name, with C_f = 1; g is the
    norm of the query, or 1.
    """
    p, f, g = FUNCTIONS[name]
    statistic = squared_error if power == 2 else fourth_error
    factor = None if g is None else (lambda z: g(z) ** (power // 2))

    def right(at: Any) -> Any:
        moment = at.d / at.d if g is None else at.over_queries(lambda z: g(z) ** power)  # E|g|^{2 power}
        root = sp.sqrt(moment) if isinstance(moment, sp.Basic) else np.sqrt(moment)
        return bound(at.L, at.sigma, at.u, at.d, p, root)

    return Term(lambda at: at.mean(statistic, f, factor), right, {"functions": name})


def general(
    bound: Any,
    power: int,
    *,
    checked: str,
    given: str = "",
    least: int = 1,
    unit: bool = False,
    nonzero: bool = False,
) -> Evidence:
    """Judge the bound of Lemma C.6 (power 2) or C.9 (power 4) for every L >= least: `bound` takes
    L, sigma, |U|, d, p and the root of the moment of g. The loss is taken at f = z, g = 1. `unit`
    says that sigma is at least 1, and `nonzero` that U is not 0.
    """
    names = [name for name in FUNCTIONS if power == 2 or FUNCTIONS[name][0] == 1]
    meant = QueryAverageBound(
        tuple(_term(bound, power, name) for name in names), least, unit, nonzero=nonzero, reference=REFERENCE
    )
    second_order = ", f = z z' with g = z (p = 2)" if power == 2 else ""
    covered = (
        f"{given}tokens of two to four atoms, queries of signs and rare large ones, L = 1, 2, 3, 10; f = z "
        f"with g = 1 or z{second_order}: exact sums over prompt and query"
    )
    laws = [x for x in discrete() if x.u or not nonzero]
    rows = sorted(meant.instances(laws, lambda x: (1, 2, 3, 10)), key=lambda i: (i.where["L"], i.where["d"]))
    return tightest(rows, checked=checked, covered=covered, statement=meant)
