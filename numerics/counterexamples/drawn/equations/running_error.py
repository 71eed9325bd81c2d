"""Values of expressions as they are written, with a bound of their rounding errors. Derivatives are
central differences of order eight, substitutions put values in place of variables, sums and
products are loops, and functions without a definition are waves. Nothing is simplified beforehand:
whether two sides are equal is seen here by a route that shares no rule with a normal form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from numerics.counterexamples.drawn.equations.differences import difference_weights, steadiest
from numerics.provers.as_written import Computed
from numerics.provers.statements.floating_point import functions

__all__ = ["DERIVATIVE_STEPS", "UNIT", "Program", "Unknown"]

Values: TypeAlias = NDArray[Any]
#: A value and a bound of its error; without a bound where it was not asked for.
Bounded: TypeAlias = tuple[Values, Values | None]
Columns: TypeAlias = Mapping[sp.Expr, Bounded]
Step: TypeAlias = Callable[[Columns, list[Bounded], bool], Bounded]

#: Rounding of one operation. Functions are taken to be right to eight of these.
UNIT = 2.0**-53
#: What may have been lost to underflow.
TINY = 1e-300
#: Derivatives are taken with these steps, in units of the larger of 1 and |x|; that with the
#: smallest estimated error counts.
DERIVATIVE_STEPS = tuple(2.0 ** -(2 + 3 * j) for j in range(9))


class Unknown(TypeError):
    """An expression holds something that has no value in floating point here."""


class Program:
    """Expressions in the order in which their values are computed, each part once. Something
    without a value here is `Unknown`.
    """

    def __init__(self, expressions: Sequence[sp.Expr]) -> None:
        self._steps: list[Step] = []
        self._known: dict[sp.Expr, int] = {}
        #: What has to be given a column: symbols, and indexed symbols as a whole.
        self.leaves: set[sp.Expr] = set()
        self._outputs = [self._add(e) for e in expressions]
        #: Whether differences are taken, whose errors are far above rounding.
        self.differs = any(e.has(sp.Derivative) for e in expressions)

    def values(self, columns: Mapping[sp.Expr, Values]) -> list[Values]:
        return [v for v, _ in self.run({s: (v, None) for s, v in columns.items()}, False)]

    def bounded(self, columns: Mapping[sp.Expr, Values]) -> list[tuple[Values, Values]]:
        """The values, and bounds of their errors, which are infinite or nan where nothing is known;
        the columns are right to one rounding.
        """
        given = {s: (v, UNIT * np.abs(v)) for s, v in columns.items()}
        return [(v, np.zeros(()) if e is None else e) for v, e in self.run(given, True)]

    def run(self, columns: Columns, bound: bool) -> list[Bounded]:
        """The values at columns that have bounds of their own."""
        done: list[Bounded] = []
        with np.errstate(all="ignore"):
            for step in self._steps:
                done.append(step(columns, done, bound))
        return [done[i] for i in self._outputs]

    def _add(self, e: sp.Expr) -> int:
        if e not in self._known:
            step = self._step(e)
            self._steps.append(step)
            self._known[e] = len(self._steps) - 1
        return self._known[e]

    def _step(self, e: sp.Expr) -> Step:
        if isinstance(e, Computed):
            return _same(self._add(e.value))
        if isinstance(e, sp.UnevaluatedExpr):
            return _same(self._add(e.args[0]))
        if e.is_Symbol or isinstance(e, sp.Indexed):
            self.leaves.add(e)
            return lambda columns, done, bound: columns[e]
        if isinstance(e, sp.Derivative):
            body = Program([e.expr])
            self.leaves |= body.leaves | set(e.variables)
            return _derivative(body, e.variable_count)
        if isinstance(e, sp.Subs):
            at, body, names = [self._add(p) for p in e.point], Program([e.expr]), e.variables
            self.leaves |= body.leaves - set(names)
            return lambda columns, done, bound: body.run(
                {**columns, **{x: done[i] for x, i in zip(names, at)}}, bound
            )[0]
        if isinstance(e, (sp.Sum, sp.Product)):
            terms, join_terms = [self._add(t) for t in _terms(e)], _sum if isinstance(e, sp.Sum) else _times
            return lambda columns, done, bound: join_terms([done[i] for i in terms])
        if not e.args:
            return _number(e)
        at = [self._add(a) for a in e.args]
        if e.is_Add or e.is_Mul:
            join = _sum if e.is_Add else _times
            return lambda columns, done, bound: join([done[i] for i in at])
        if e.is_Pow:
            return lambda columns, done, bound: _power(done[at[0]], done[at[1]])
        f = _wave(e) if isinstance(e, AppliedUndef) else functions().get(type(e).__name__)
        if f is None:
            raise Unknown(f"{type(e).__name__} has no value in floating point here; give its closed form")
        return lambda columns, done, bound: _applied(f, [done[i] for i in at])


def _same(i: int) -> Step:
    return lambda columns, done, bound: done[i]


def _number(e: sp.Expr) -> Step:
    try:
        v = np.asarray(complex(e) if e.has(sp.I) else float(e))
    except (TypeError, OverflowError):
        raise Unknown(
            f"{e} is no number of floating point; write it as a power, or give it a symbol"
        ) from None
    exact = e.is_Integer and abs(e) < 2**53
    error = np.zeros(()) if exact else UNIT * np.abs(v)
    return lambda columns, done, bound: (v, error if bound else None)


def _sum(parts: list[Bounded]) -> Bounded:
    (v, e), *rest = parts
    for w, f in rest:
        v = v + w
        e = None if e is None or f is None else e + f + UNIT * np.abs(v)
    return v, e


def _times(parts: list[Bounded]) -> Bounded:
    (v, e), *rest = parts
    for w, f in rest:
        old, v = v, v * w
        if e is not None and f is not None:
            e = np.abs(old) * f + (np.abs(w) + f) * e + UNIT * np.abs(v) + TINY
    return v, e


def _power(base: Bounded, exponent: Bounded) -> Bounded:
    (a, e), (n, f) = base, exponent
    v = np.power(a, n)
    if e is None or f is None:
        return v, None
    off = np.where(e == 0, 0, e / np.abs(a))  # a relative error above 1/10 leaves nothing to be said
    log = np.where(f == 0, 0, np.abs(np.log(np.abs(a))))
    turns = np.abs(n * np.log(a)) if np.iscomplexobj(v) else 0.0  # complex powers are exponentials of that
    error = np.abs(v) * (1.2 * np.abs(n) * off + log * f + 8 * UNIT * (1 + turns)) + TINY
    error = np.where(off < 0.1, error, np.inf)
    whole = np.real(n) == np.round(np.real(n))
    if np.any((a == 0) & whole & (np.real(n) > 0)):
        error = np.where((a == 0) & whole & (np.real(n) > 0), np.power(e, np.abs(n)) + TINY, error)
    return v, error


def _applied(f: Callable[..., Any], args: list[Bounded]) -> Bounded:
    """A function; its error is seen where its arguments are moved by theirs."""
    at = [v for v, _ in args]
    v = f(*at)
    error: Any = 8 * UNIT * np.abs(v) + TINY
    for i, (w, e) in enumerate(args):
        if e is None:
            return v, None
        for sign in (1, -1):
            error = error + np.abs(f(*at[:i], w + sign * 2 * e, *at[i + 1 :]) - v)
    return v, error


def _wave(e: AppliedUndef) -> Callable[..., Any]:
    """A smooth function in the place of one without a definition: another one for each name, of
    the sign that is assumed.
    """
    seed = sum(map(ord, str(e.func)))
    rates = [0.3 + 0.37 * ((seed + 7 * i) % 5) for i in range(len(e.args))]
    sign = -1.0 if e.is_nonpositive else 1.0
    if e.is_integer:
        return lambda *z: sign * np.round(3 + 2 * np.sin(sum(r * x for r, x in zip(rates, z))))
    return lambda *z: sign * (2 + np.sin(seed + sum(r * x for r, x in zip(rates, z))))


def _terms(e: sp.Sum | sp.Product) -> list[sp.Expr]:
    """The terms of a finite sum or product, the last limit outermost, one after another."""
    *inner, (k, lo, hi) = e.limits
    body = e.func(e.function, *inner) if inner else e.function
    with sp.evaluate(False):
        return [body.subs(k, n) for n in range(int(lo), int(hi) + 1)]


def _derivative(body: Program, by: Sequence[tuple[sp.Symbol, Any]]) -> Step:
    """A derivative by central differences: one body at all places of the stencil and all steps.
    What the stencil leaves out falls with the eighth power of the step and shows in what smaller
    steps give; what it makes of the rounding errors of the body grows as the step falls. The step
    with the smallest sum of both counts.
    """
    stencils = [difference_weights(int(n)) for _, n in by]
    places = list(product(*stencils))
    offsets = [np.array([float(p[i][0]) for p in places]) for i in range(len(by))]
    weights = np.array([float(sp.prod(w for _, w in p)) for p in places])

    def step(columns: Columns, done: list[Bounded], bound: bool) -> Bounded:
        shape = np.broadcast_shapes(*(v.shape for v, _ in columns.values()))
        at = [(np.broadcast_to(v, shape), error) for v, error in (columns[x] for x, _ in by)]
        more = (slice(None), *(None,) * len(shape))
        sizes = np.array(DERIVATIVE_STEPS)[more]
        moved, scale = {}, np.ones(())
        for (x, n), (v, error), k in zip(by, at, offsets):
            size = sizes * np.maximum(1, np.abs(v))  # (steps, *shape)
            scale = scale * size ** int(n)
            moved[x] = (v + size[:, None] * k[more], np.zeros(()) if error is None else error)
        known = {s: (v, np.zeros(()) if error is None else error) for s, (v, error) in columns.items()}
        v, error = body.run({**known, **moved}, True)[0]
        wide = (len(sizes), len(weights), *shape)
        v, error = np.broadcast_to(v, wide), np.broadcast_to(error if error is not None else 0.0, wide)
        slopes = (v * weights[more]).sum(1) / scale
        rounding = ((error + UNIT * np.abs(v)) * np.abs(weights)[more]).sum(1) / np.abs(scale)
        slope, off = steadiest(slopes, rounding)
        return slope, off if bound else None

    return step
