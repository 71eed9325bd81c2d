"""Values of expressions in floating point at a few hundred points of a task: they tell which signs
to try to prove, and which tasks are false. Nothing is concluded from them.
"""

from __future__ import annotations

from math import prod

import numpy as np
import sympy as sp

from numerics.provers.enclosures.boxes import Side
from numerics.provers.statements.branch import Task
from numerics.provers.statements.floating_point import Array, values_of

__all__ = ["Sample"]

POINTS = 300
#: Parts of a finite range, and distances from the end of an infinite one.
PARTS = np.array([0.5, 1e-6, 1 - 1e-6, 0.25, 0.75, 0.01, 0.99, 0.1, 0.9, 0.4, 0.6, 1e-3, 0.999, 0.33, 0.68])
STEPS = np.array([1.0, 1e-6, 0.1, 10.0, 0.01, 100.0, 1e4, 0.5, 2.0, 3.0, 1.5, 5.0, 1e-3, 30.0, 1e6, 0.2, 0.8])
#: Rounding errors relative to the terms of a sum.
ROUNDING = 1e-9


class Sample:
    """Points of a task that meet its hypotheses, as far as floats tell."""

    def __init__(self, task: Task) -> None:
        draw = np.random.default_rng(0)
        single = len(task.symbols) == 1
        columns = [_values(s) for s in task.box]
        rows = [v if single else draw.permutation(draw.choice(v, POINTS)) for v in columns]
        self.columns = dict(zip(task.symbols, rows))
        self.met = np.ones(len(rows[0]) if rows else 1, dtype=bool)
        with np.errstate(all="ignore"):
            for g, strict in task.where:
                v = self._of(g)
                self.met &= v > 0 if strict else v >= 0

    def _of(self, e: sp.Expr) -> Array:
        v = values_of(e, self.columns, {})
        return np.broadcast_to(np.asarray(v, dtype=np.float64), self.met.shape)

    def sign(self, e: sp.Expr) -> int:
        """1 or -1 where `e` seems to have that sign everywhere, otherwise 0."""
        if e.is_Mul:
            return prod(map(self.sign, e.args))
        if e.is_Pow and e.exp.is_Integer:
            return self.sign(e.base) ** int(abs(e.exp))
        v, noise = self._sum(e)
        v = v[self.met & np.isfinite(v) & (np.abs(v) > noise)]
        return 0 if not len(v) else 1 if (v > 0).all() else -1 if (v < 0).all() else 0

    def refutes(self, task: Task) -> bool:
        """Whether every alternative of its task seems to be negative at one point, by more than
        what rounding explains.
        """
        failing = self.met
        for e in task.alternatives:
            v, noise = self._sum(e)
            failing = failing & (v < -noise)
        return bool(failing.any())

    def _sum(self, e: sp.Expr) -> tuple[Array, Array]:
        """Values, and what rounding may have changed them by."""
        with np.errstate(all="ignore"):
            parts = np.array([self._of(t) for t in sp.Add.make_args(e)])
            return parts.sum(axis=0), ROUNDING * np.abs(parts).sum(axis=0)


def _values(s: Side) -> Array:
    """Numbers of a range."""
    lo, hi = (None if e is None else int(e.p) / int(e.q) for e in (s.lo, s.hi))
    if lo is None and hi is None:
        return np.concatenate([STEPS, -STEPS])
    if lo is None or hi is None:
        return hi - STEPS if lo is None else lo + STEPS
    return lo + (hi - lo) * PARTS if hi > lo else np.array([lo])
