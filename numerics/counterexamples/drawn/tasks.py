"""Bounds on what a finite prompt changes of risk and gradient, tried on laws of one to three tasks
whose tokens take two or three rational values, with every prompt enumerated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx, fmpq

from numerics.counterexamples.drawn.computed import Computed, Decades, Entries, OneOf, Several, Share
from numerics.evidence import Evidence, Verdict
from numerics.regression.softmax_vs_linear.few_atoms import Gaps, Task, enclosed_root, gaps

__all__ = ["TransferBound", "on_drawn_tasks"]

#: Tasks and values of a token; as many labels are drawn as the product says.
SHAPES = ((1, 2), (2, 2), (1, 3), (2, 3), (3, 2))
#: Bits with which a counterexample is evaluated again.
PRECISION = 256


def _laws(shape: tuple[int, int], x: Any, masses: Any, y: Any, shares: Any) -> list[Task]:
    """The tasks of an example, centred, with arithmetic on the last axis."""
    t, k = shape
    masses = masses[..., :k] / masses[..., :k].sum(-1, keepdims=True)
    centred = lambda of: of - (masses * of).sum(-1, keepdims=True)
    x = centred(x[..., :k])
    shares = np.concatenate([np.ones_like(x[..., :1]), shares[..., : t - 1]], axis=-1)
    shares = shares / shares.sum(-1, keepdims=True)
    labels = (centred(y[..., i * k : (i + 1) * k]) for i in range(t))
    return [Task(shares[..., i], np.stack([x, of], axis=-1), masses) for i, of in enumerate(labels)]


def _gaps(L: int, U: Any, v: Any, w: Any, x: Any, others: Any, **law: Any) -> Gaps:
    """All quantities at drawn numbers: U is the first column of the matrix, and (v, w) the row."""
    row, values = (np.concatenate([one[..., None], rest], axis=-1) for one, rest in ((v, w), (x, others)))
    return gaps(_laws(x=values, **law), np.stack([U, 0 * U], axis=-1), row, L)


@dataclass(frozen=True, eq=False)
class TransferBound(Computed):
    """``left <= right`` between quantities of `few_atoms.Gaps`; `on_drawn_tasks` makes them."""

    left: Callable[[Gaps], Any] = field(kw_only=True)
    right: Callable[[Gaps], Any] = field(kw_only=True)

    @cached_property
    def _right_side(self) -> Callable[[Gaps], arb]:
        """The right side from enclosures."""
        expression = self.right(Gaps(**{f.name: sp.Symbol(f.name, positive=True) for f in fields(Gaps)}))
        names = sorted(expression.free_symbols, key=str)
        value = sp.lambdify(names, expression, modules=[{"sqrt": lambda x: enclosed_root(arb(x))}])
        return lambda found: value(*(getattr(found, str(name)) for name in names))

    def exactly(self, example: tuple[int, ...], at: tuple[tuple[int, ...], int]) -> Evidence:
        """The bound at these decimal numbers, enclosed by Arb."""
        ctx.prec, before = PRECISION, ctx.prec
        try:
            return self._enclosed(example, at)
        finally:
            ctx.prec = before

    def _enclosed(self, example: tuple[int, ...], at: tuple[tuple[int, ...], int]) -> Evidence:
        point = {
            name: of if name in ("shape", "L") else _enclosures(of) for name, of in self._point(at[0]).items()
        }
        found = _gaps(**point)
        left, right = self.left(found), self._right_side(found) * _enclosure(self.factor)
        common: dict[str, Any] = {"engine": "property test"}
        if left > right:
            witness = {**self.shown(example, at), "left": float(left.mid()), "right": float(right.mid())}
            return Evidence(verdict=Verdict.REFUTED, witness=witness, witness_by="Arb", **common)
        if left <= right or (left.is_finite() and right.is_finite()):  # equal to seventy digits
            return Evidence(verdict=Verdict.SUPPORTED, covered="one point", **common)
        return Evidence(verdict=Verdict.OPEN, reason="Arb cannot tell which side is larger", **common)


def _enclosure(x: Any) -> arb:
    q = Fraction(repr(float(x)))
    return arb(fmpq(q.numerator, q.denominator))


def _enclosures(x: Any) -> Any:
    """The same decimal numbers, exactly, as enclosures."""
    x = np.asarray(x)
    return np.array([_enclosure(e) for e in x.ravel()], dtype=object).reshape(x.shape)


def on_drawn_tasks(
    left: Callable[[Gaps], Any], right: Callable[[Gaps], Any], factor: Fraction = Fraction(1)
) -> TransferBound:
    """``left <= factor right`` between `Gaps` on drawn laws of tasks; the right side also takes
    symbols. The values of x are in an interval of length 2, so that a query is 1-sub-Gaussian; x
    and y are centred; tasks and values may be rare; labels are 0 in half of the examples, or up to
    1000, and need not be a function of x.
    """

    def sides(**at: Any) -> tuple[Any, Any]:
        found = _gaps(**at)
        return left(found), right(found)

    def shown(
        shape: Any, L: int, x: Any, others: Any, masses: Any, y: Any, shares: Any, U: Any, v: Any, w: Any
    ) -> Mapping[str, Any]:
        (t, k), x = shape, np.append(x, others)
        mean = lambda of: of - masses[:k] @ of / masses[:k].sum()
        tasks = {f"y of task {i + 1}": mean(y[i * k : (i + 1) * k]).round(6) for i in range(t)}
        weights = {"weights of the tasks": np.append(1.0, shares[: t - 1])} if t > 1 else {}
        law = {"x": mean(x[:k]).round(6), "weights of the values": masses[:k], **tasks, **weights}
        return {"L": L, **law, "first column of U": U, "last row of V": np.append(v, w)}

    return TransferBound(
        "laws of 1 to 3 tasks, tokens on 2 or 3 rational values with weights over six decades, labels over "
        "six decades or 0, singular U and V; L = 1, 2, 3, 5",
        {
            "shape": OneOf(SHAPES),
            "L": OneOf((1, 2, 3, 5)),
            "x": Share(1.0, -1.0),
            "others": Several(Share(-1.0, 1.0), 2),
            "masses": Several(Decades(1e-3, 1e3), 3),
            "y": Entries(6, 1000.0),
            "shares": Several(Decades(1e-3, 1e3), 2),
            "U": Entries(2, 30.0),
            "v": Decades(1e-3, 1e3, 1e-2, zero=True),
            "w": Entries(1, 1000.0),
        },
        sides,
        lambda **at: float("nan"),
        each=4,
        steps=(512, -512),
        rounds=4,
        vector=True,
        where=shown,
        factor=float(factor),
        left=left,
        right=right,
    )
