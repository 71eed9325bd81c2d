"""Errors of the softmax average that are also averaged over a random query, as exact sums for
tokens and queries that take few values. `tightest` compares a bound with the truth at many
instances: in floating point first, and by Arb where the bound fails, so that a refutation rests on
exact arithmetic.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy as sp
from flint import arb

from numerics.attention.exact.softmax_average import (
    SoftmaxAverage,
    error_fourth,
    error_squared,
    softmax_average,
)
from numerics.evidence import Evidence, Verdict
from numerics.provers.enclosures.balls import value
from numerics.rationals import arb_ball
from numerics.token_laws import TokenLaw

__all__ = [
    "Instance",
    "PromptAndQuery",
    "covariance_error",
    "fourth_error",
    "moments",
    "squared_error",
    "tightest",
]

Array = npt.NDArray[Any]
Statistic = Callable[[SoftmaxAverage, Array], Any]


def squared_error(c: SoftmaxAverage, z: Array) -> Any:
    """``E|R_L/S_L - R/S|^2`` over the prompt."""
    return c.mean(error_squared)


def fourth_error(c: SoftmaxAverage, z: Array) -> Any:
    """``E|R_L/S_L - R/S|^4`` over the prompt."""
    return c.mean(error_fourth)


def covariance_error(c: SoftmaxAverage, z: Array) -> Any:
    """``|z|^2 E|C_L - C|_F^2`` for the softmax covariance: the error of the gradient in U for V =
    I; needs ``f = moments``.
    """
    d = len(z)
    found, limit = c.R_L / c.S_L, c.R / c.S
    total = 0 * c.S_L
    for i in range(d):
        for j in range(d):
            at = d + i * d + j
            entry = found[at] - found[i] * found[j] - (limit[at] - limit[i] * limit[j])
            total = total + entry * entry
    return (z * z).sum(0) * (c.weight * total).sum(0)


@dataclass(frozen=True)
class PromptAndQuery:
    """Rational tokens and queries on finitely many values, with the matrix U."""

    #: On finitely many rational points of one space; the query is 1-sub-Gaussian.
    tokens: TokenLaw
    query: TokenLaw
    #: Operator norm of U.
    u: Fraction
    name: str
    #: The matrix U/u, of operator norm 1; the identity by default.
    direction: tuple[tuple[Fraction, ...], ...] = ()

    @property
    def shape(self) -> tuple[tuple[Fraction, ...], ...]:
        """The matrix U over its norm u."""
        return self.direction or tuple(tuple(Fraction(i == j) for j in range(self.d)) for i in range(self.d))

    @property
    def d(self) -> int:
        """Dimension of a token."""
        return self.tokens.d

    def average(
        self,
        L: int,
        statistic: Statistic,
        f: Callable[[Array], Array] | None = None,
        g: Callable[[Array], Any] | None = None,
        *,
        exact: bool = False,
    ) -> Any:
        """A statistic of this module averaged over the query, in floats or Arb balls. f maps tokens
        (k, d) to values (m, k), by default the tokens themselves; g is a factor that depends on the
        query.
        """
        number, kind = (arb_ball, object) if exact else (float, float)
        points = np.array([[number(x) for x in atom] for atom in self.tokens.atoms], dtype=kind)
        weights = np.array([number(w) for w in self.tokens.weights], dtype=kind)
        values = points.T if f is None else f(points)
        shape = np.array([[number(x) for x in row] for row in self.shape], dtype=kind)
        total = number(Fraction(0))
        for query, weight in zip(self.query.atoms, self.query.weights, strict=True):
            z = np.array([number(x) for x in query], dtype=kind)
            scores = points @ (shape @ z * number(self.u))
            c = softmax_average(L, scores, values, weights, number(Fraction(0)))
            factor = number(weight) if g is None else number(weight) * g(z)
            total = total + factor * statistic(c, z)
        return total

    def describe(self) -> dict[str, Any]:
        """The instance as witnesses show it."""
        show = lambda rows: ", ".join(
            "(" + ", ".join(map(str, r)) + ")" if len(r) > 1 else str(r[0]) for r in rows
        )
        join = lambda row: ", ".join(map(str, row))
        law = {"tokens": show(self.tokens.atoms), "token weights": join(self.tokens.weights)}
        query = {"queries": show(self.query.atoms), "query weights": join(self.query.weights)}
        size = f"{self.u} times {show(self.direction)}" if self.direction else self.u
        return {"d": self.d, **law, "sigma2": self.tokens.sigma2, **query, "U": size}


def moments(z: Array) -> Array:
    """``z`` and the entries of ``z z'``, of shape (d + d^2, k), for tokens of shape (k, d)."""
    d = z.shape[1]
    return np.stack([*z.T, *(z[:, i] * z[:, j] for i in range(d) for j in range(d))])


@dataclass(frozen=True)
class Instance:
    """Both sides of a bound at one instance."""

    #: The instance in words and numbers.
    where: Mapping[str, Any]
    left: float
    right: float
    #: The left side as a SymPy number or an Arb ball, and the right side as a SymPy number; only
    #: such instances can refute.
    exact: Callable[[], tuple[Any, sp.Expr]] | None = field(default=None, compare=False)


def tightest(instances: Iterable[Instance], *, checked: str, covered: str, statement: Any = None) -> Evidence:
    """The instance at which a bound is tightest (SUPPORTED with the slack), or the first that
    refutes it by Arb; OPEN if one fails without exact evaluation. Instances come in the order in
    which a witness is preferred, short prompts first; `covered` says which they are, and
    `statement` what they are instances of, for `Evidence.sides`.
    """
    started = time.perf_counter()
    found: Sequence[Instance] = tuple(instances)
    sides = () if statement is None else (statement,)
    common: dict[str, Any] = {"engine": "enumeration", "checked": checked, "sides": sides}
    failing = [i for i in found if not i.left <= i.right * (1 + 1e-9)]
    for instance in failing:
        if instance.exact is None:
            continue
        left, right = (_ball(side) for side in instance.exact())
        if left > right:
            witness = {**instance.where, "left": float(left), "right": float(right)}
            return Evidence(
                verdict=Verdict.REFUTED,
                witness=witness,
                witness_by="Arb",
                slack=float(right) / float(left) if left > 0 else None,
                seconds=time.perf_counter() - started,
                **common,
            )
    seconds = time.perf_counter() - started
    if failing:
        reason = (
            f"fails in floating point, but not by Arb, at {dict(failing[0].where)}: "
            f"{failing[0].left} > {failing[0].right}"
        )
        return Evidence(verdict=Verdict.OPEN, reason=reason, seconds=seconds, **common)
    ratio, at = min(
        ((i.right / i.left, i.where) for i in found if i.left > 0), key=lambda r: r[0], default=(None, {})
    )
    slack = None if ratio is None else max(1.0, ratio)
    return Evidence(
        verdict=Verdict.SUPPORTED,
        covered=f"{len(found)} instances: {covered}",
        slack=slack,
        tightest=dict(at),
        seconds=seconds,
        **common,
    )


def _ball(side: Any) -> Any:
    return side if isinstance(side, arb) else value(sp.sympify(side)).real
