"""Exact points that meet the assumptions of symbols and polynomial side conditions: `identity`
evaluates both sides there to find that an identity is false.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from numerics.provers.enclosures.balls import NoBall, value
from numerics.provers.exact.exact_numbers import Undecided, built, sign
from numerics.provers.exact.normal_form import Letters

__all__ = ["KINDS", "assumption", "at_point", "points", "symbols_of"]

Point = dict[sp.Expr, sp.Expr]
#: What a symbol may be assumed to be; the points respect each of these, and nothing else.
KINDS = (
    "zero",
    "positive",
    "negative",
    "nonnegative",
    "nonpositive",
    "nonzero",
    "integer",
    "real",
    "complex",
)
#: The signs that each of them allows.
_SIGNS = {
    "zero": (0,),
    "positive": (1,),
    "negative": (-1,),
    "nonnegative": (0, 1),
    "nonpositive": (0, -1),
    "nonzero": (1, -1),
}
_TEXT = {
    "zero": "= 0",
    "positive": "> 0",
    "negative": "< 0",
    "nonnegative": ">= 0",
    "nonpositive": "<= 0",
    "nonzero": "!= 0",
}


def assumption(symbol: sp.Expr) -> str:
    """What a symbol is declared to be, strongest first, as a reader would write it; empty if
    nothing.

    >>> assumption(sp.Symbol("L", integer=True, positive=True)), assumption(sp.Symbol("x"))
    ('L integer, L > 0', '')
    """
    kinds = [k for k in KINDS if getattr(symbol, f"is_{k}")]
    whole = [f"{symbol} integer"] if "integer" in kinds else []
    sign = next((f"{symbol} {_TEXT[k]}" for k in kinds if k in _TEXT), "")
    return ", ".join([*whole, sign] if sign else whole or ([f"{symbol} real"] if "real" in kinds else []))


def _meets(value: sp.Expr, symbol: sp.Expr) -> bool:
    """Whether a number is all that the symbol is assumed to be."""
    kinds = [k for k in KINDS if getattr(symbol, f"is_{k}")]
    if not all(getattr(value, f"is_{k}") for k in kinds if k not in _SIGNS):
        return False
    wanted = [_SIGNS[k] for k in kinds if k in _SIGNS]
    return not wanted or all(sign(value) in signs for signs in wanted)


def _draw(symbol: sp.Expr, rng: random.Random, real: bool) -> sp.Expr:
    """A small random number that meets the assumptions of a symbol; if `real`, a real one also
    where the symbol may be complex.
    """
    if symbol.is_zero:
        return sp.S.Zero
    size = (
        sp.Integer(rng.randint(1, 6))
        if symbol.is_integer
        else sp.Rational(rng.randint(1, 12), rng.randint(2, 9))
    )
    if symbol.is_extended_positive or symbol.is_extended_nonnegative:
        return size
    if symbol.is_extended_negative or symbol.is_extended_nonpositive:
        return -size
    size = size * rng.choice((1, -1))
    if real or symbol.is_extended_real:
        return size
    return size + sp.I * sp.Rational(rng.randint(1, 12) * rng.choice((1, -1)), rng.randint(2, 9))


def _least(symbol: sp.Expr, wanted: int) -> sp.Expr:
    """The wanted one of the numbers 1, 0 and -1, or another one of them if a symbol is not that."""
    return next((v for v in map(sp.Integer, (wanted, 1, -1, 0)) if _meets(v, symbol)), sp.S.One)


def _solved(free: Point, given: Sequence[sp.Expr], pivots: Sequence[sp.Expr]) -> Iterator[Point]:
    """Completions of a point so that every side condition holds exactly."""
    for found in _eliminated([g.xreplace(free) for g in given], frozenset(pivots)):
        point = {**free, **found}
        if all(_meets(v, k) for k, v in found.items()) and _all_zero([g.xreplace(point) for g in given]):
            yield point


def _eliminated(conditions: Sequence[sp.Expr], unknown: frozenset[sp.Expr]) -> Iterator[Point]:
    """Solve by linear conditions first, then by conditions in one unknown of degree 2; what needs
    more than that is given up.
    """
    if not unknown:
        yield {}
        return
    for degree, g, s in product((1, 2), conditions, sorted(unknown, key=str)):
        poly = g.as_poly(s)
        others = unknown - {s}
        if poly is None or poly.degree() != degree or (poly.LC() if degree == 1 else g).free_symbols & others:
            continue
        for root in sp.roots(poly, multiple=True):
            for rest in _eliminated([h.xreplace({s: root}) for h in conditions if h is not g], others):
                yield {**rest, s: root.xreplace(rest)}
        return


def _all_zero(values: Sequence[sp.Expr]) -> bool:
    """Whether algebraic numbers are zero, decided by the normal form."""
    letters = Letters()
    return all(letters.vanish(letters.translate(values)))


def points(exprs: Sequence[sp.Expr], given: Sequence[sp.Expr] = (), tries: int = 24) -> Iterator[Point]:
    """Exact values for all symbols (indexed ones, too) of `exprs`, repeatable from run to run:
    points at which all that is `given` vanishes, rational but for values that this makes algebraic.
    A draw that meets no side condition yields nothing.

    >>> p, q = sp.symbols("p q", positive=True)
    >>> all(point[p] + point[q] == 1 for point in points([p * q], [p + q - 1]))
    True
    """
    names = {s for e in [*exprs, *given] for s in symbols_of(e)}
    ordered = sorted(names, key=str)
    bound = sorted({s for g in given for s in symbols_of(g)}, key=str)
    rng = random.Random(len(ordered))
    for k in range(tries):
        drawn = {
            s: _draw(s, rng, real=k < tries // 2) / (len(bound) if s in bound and not s.is_integer else 1)
            for s in ordered
        }
        if not given:
            yield drawn
            continue
        for pivots in islice(combinations(reversed(bound), len(given)), 6):
            yield from islice(_solved({s: v for s, v in drawn.items() if s not in pivots}, given, pivots), 1)
    if not given:  # where whole numbers are least, formulas break that hold otherwise
        yield from ({s: _least(s, v) for s in ordered} for v in (1, 0, -1))


def symbols_of(e: sp.Expr) -> set[sp.Expr]:
    """What gets a value: symbols, and indexed symbols as a whole."""
    indexed = e.atoms(sp.Indexed)
    inside = {s for i in indexed for s in i.free_symbols}
    return {s for s in e.free_symbols if s not in inside and not isinstance(s, sp.Indexed)} | indexed


class _Functions:
    """Values of undefined functions and of their derivatives: one rational for each function and
    exact arguments, so that f(2) is the same everywhere.
    """

    def __init__(self, seed: int) -> None:
        self.rng, self.values = random.Random(seed), dict[tuple[Any, tuple[sp.Expr, ...]], sp.Expr]()

    def __call__(self, e: AppliedUndef, orders: tuple[int, ...], at: tuple[sp.Expr, ...]) -> sp.Expr:
        key = ((e.func, orders), at)
        if key not in self.values:
            self.values[key] = _draw(sp.Dummy(real=True) if any(orders) else e, self.rng, real=True)
        return self.values[key]

    def consistent(self) -> bool:
        """Whether no function got two values at what might be the same arguments in two
        spellings.
        """
        pairs = combinations(self.values, 2)
        return all(f != g or any(_surely_differ(a, b) for a, b in zip(p, q)) for (f, p), (g, q) in pairs)


def _surely_differ(a: sp.Expr, b: sp.Expr) -> bool:
    if a.is_Rational and b.is_Rational:
        return bool(a != b)
    try:
        x, y = value(a), value(b)
    except NoBall:
        return False
    return x.is_finite() and y.is_finite() and not x.overlaps(y)


def _is_pole(number: sp.Expr) -> bool:
    """Whether a function that SymPy leaves as it is has no finite value, as beta(-1, -1)."""
    try:
        return not any(value(number, bits).is_finite() for bits in (64, 256))
    except NoBall:
        return False


def at_point(
    exprs: Sequence[sp.Expr], point: Mapping[sp.Expr, sp.Expr]
) -> tuple[list[sp.Expr], dict[str, sp.Expr]] | None:
    """The expressions with values for the symbols, and for functions and derivatives that are not
    defined, with those values of functions for the witness; None if a function might have got two
    values at one point, or SymPy fails.

    >>> x, f = sp.Symbol("x"), sp.Function("f")
    >>> (a, b), chosen = at_point([f(x) - f(2), f(x)], {x: sp.Integer(2)})
    >>> a, list(chosen) == ["f(2)"]
    (0, True)
    """
    functions, chosen = _Functions(len(point)), dict[str, sp.Expr]()
    known: dict[sp.Expr, sp.Expr] = {}

    def fill(e: sp.Expr) -> sp.Expr:
        if e not in known:
            known[e] = fresh(e)
        return known[e]

    def fresh(e: sp.Expr) -> sp.Expr:
        if isinstance(e, sp.Derivative):
            at = tuple(fill(a) for a in e.expr.args)
            orders = tuple(e.variables.count(a) for a in e.expr.args)
            place = ", ".join(f"{a} = {v}" for a, v in zip(e.expr.args, at))
            return chosen.setdefault(f"{e} at {place}", functions(e.expr, orders, at))
        if isinstance(e, AppliedUndef):
            at = tuple(fill(a) for a in e.args)
            return chosen.setdefault(str(e.func(*at)), functions(e, (0,) * len(at), at))
        if e in point:
            return point[e]
        if e.is_Pow and not e.exp.is_number and fill(e.base) == 0:
            return sp.nan  # SymPy's 0**0 is 1, while the normal form takes a logarithm of the base
        new = built(e.func, [fill(a) for a in e.args]) if e.args else e
        # SymPy takes 0 times a pole for 0.
        return sp.nan if isinstance(new, sp.Function) and new.is_number and _is_pole(new) else new

    try:
        filled = [fill(e) for e in exprs]
    except (RecursionError, Undecided):  # in SymPy, where it asks for the sign of atanh(1 - 10**-20)
        return None
    return (filled, chosen) if functions.consistent() else None
