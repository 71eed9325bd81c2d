"""`identity` and `trace_identity` decide equations between scalar expressions and between matrix
words by reducing the difference of both sides to a normal form. Every proof carries a control: a
copy of the statement with one term doubled, which the same procedure must refute.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import sympy as sp
from flint import acb
from sympy.core.function import AppliedUndef

from numerics.evidence import Contradiction, Evidence, Verdict
from numerics.provers.as_written import SAME_SIDES, Written, distinct, latex, scalar, undue
from numerics.provers.doors import guarded
from numerics.provers.enclosures.balls import BINARY, CONSTANTS, UNARY, NoBall, value
from numerics.provers.exact.exact_numbers import sign
from numerics.provers.exact.exact_points import KINDS, assumption, at_point, points
from numerics.provers.exact.normal_form import Letters
from numerics.provers.remembered import remembered
from theory.inputs.kinds import read_items
from theory.symbolic.algebra import Words
from theory.symbolic.values import example

__all__ = ["Equations", "WordEquation", "identity", "trace_identity"]

Pair = tuple[sp.Expr, sp.Expr]
#: Functions that have a meaning here, with the number of their arguments.
_ONE = (*UNARY, sp.log, sp.Abs, sp.sign, sp.re, sp.im, sp.arg, sp.conjugate, sp.floor, sp.ceiling)
_ARGUMENTS = dict.fromkeys(_ONE, 1) | dict.fromkeys((*BINARY, sp.rf, sp.ff), 2)
#: Precisions at which two sides are compared at a point, until they are seen to differ.
_BITS = (64, 256, 1024)


@dataclass(frozen=True)
class Equations:
    """Pairs of sides under side conditions, each of which is an expression that vanishes; `written`
    are the sides before they were evaluated.
    """

    pairs: tuple[Pair, ...]
    given: tuple[sp.Expr, ...]
    labels: tuple[str, ...]
    shape: tuple[int, ...]
    written: tuple[Pair, ...]

    def latex(self) -> str:
        if len(self.shape) == 2:
            return " = ".join(sp.latex(sp.Matrix(*self.shape, side)) for side in zip(*self.written))
        return r" \;\wedge\; ".join(f"{latex(a)} = {latex(b)}" for a, b in self.written)

    def assumes(self) -> tuple[str, ...]:
        used = sorted({s for e in chain(*self.written, self.given) for s in e.free_symbols}, key=str)
        declared = [t for s in used if (t := assumption(s))]
        return (*declared, *(f"{g} = 0" for g in self.given), "both sides are defined")

    def vacuous(self) -> str:
        """Why the pairs say nothing as they are written; a 0 or a 1 that two matrices share is no
        fault beside an entry that differs.
        """
        same = [latex(a) for a, b in self.written if latex(a) == latex(b)]
        small = len(self.shape) == 2 and set(same) <= {"0", "1"} and len(same) < len(self.pairs)
        return SAME_SIDES if same and not small else ""

    def refuted_at(self, point: dict[sp.Expr, sp.Expr]) -> Evidence | None:
        """The two sides at a point that meets the assumptions and side conditions, where exact
        arithmetic or Arb shows that they differ.
        """
        for (a, b), label in zip(self.pairs, self.labels):
            seen = _difference(a, b, point)
            if seen is not None:
                by, values = seen
                place = {"place": label} if label else {}
                witness = {**{str(s): str(v) for s, v in point.items()}, **values, **place}
                return Evidence(verdict=Verdict.REFUTED, witness=witness, witness_by=by, **self.common())
        return None

    def common(self) -> dict[str, Any]:
        """What every evidence about the statement says."""
        return {"engine": "identity", "checked": self.latex(), "assumes": self.assumes(), "sides": (self,)}


@remembered
@guarded("identity")
def identity(lhs: Any, rhs: Any, *, given: Iterable[Any] = ()) -> Evidence:
    """Decide ``lhs = rhs`` for all values of the symbols that meet their assumptions and ``given``.

    Both sides are brought to a normal form in which zero is decidable
    (`numerics.provers.exact.normal_form`); numerical agreement proves nothing here. The engine then
    doubles one term of the statement and must refute what it gets: that is the `control`.

    Parameters
    ----------
    lhs, rhs : sympy.Expr, sympy.Matrix or sequence of sympy.Expr
        Both of the same shape, shown as they are written, perhaps unevaluated
        (`numerics.provers.as_written`). No floats; matrices explicit. What SymPy assumes about the
        symbols is part of the statement.
    given : iterable of sympy.Eq, pair or sympy.Expr
        Polynomial side conditions, such as ``Eq(p1 + p2, 1)``; a lone expression is one that
        vanishes.

    Returns
    -------
    Evidence
        PROVED with a refuted control; REFUTED with a rational point at which exact arithmetic or
        Arb shows a difference; else OPEN. A fault of the program is OPEN too, and named: among them
        a proved identity that fails at a point.

    Raises
    ------
    TypeError
        For text, floats, symbolic matrices, what does not commute, and heads without a normal form
        here (integrals, piecewise functions, O(x)).
    ValueError
        If the shapes differ, a side is infinite or undefined, two symbols share a name, a symbol is
        assumed to be what no point here respects (odd, imaginary), a denominator vanishes
        identically or ``given`` contradicts itself.

    Examples
    --------
    >>> x, y = sp.symbols("x y", positive=True)
    >>> e = identity(sp.log(x * sp.exp(y)), y + sp.log(x))
    >>> e.verdict.value, e.control.verdict.value
    ('PROVED', 'REFUTED')
    >>> identity(sp.exp(sp.pi * sp.sqrt(163)), 262537412640768744).verdict.value
    'REFUTED'
    """
    start = time.perf_counter()
    with sp.evaluate(True):  # the caller's sides may have been built without
        statement = _statement(lhs, rhs, given)
        found = _decide(statement)
    return found.replace(vacuous=statement.vacuous(), seconds=time.perf_counter() - start)


def _decide(statement: Equations) -> Evidence:
    letters = Letters()
    common = statement.common()
    translated = letters.translate([*(a - b for a, b in statement.pairs), *statement.given])
    n = len(statement.pairs)
    zero = letters.vanish(translated[:n], translated[n:])
    zero = [z or (not (a - b).free_symbols and sign(a - b) == 0) for z, (a, b) in zip(zero, statement.pairs)]
    if all(zero):
        assumes = (*common["assumes"], *letters.notes)
        tried = (_refuted(s, statement) for s in islice(_spoiled(statement), 40))
        control = next((c for c in tried if c is not None), None)
        if control is None:
            reason = (
                "the normal form is zero, but no spoiled copy could be refuted: there may be nothing left "
                "to check. What may help: sides that SymPy has not evaluated (sympy.evaluate(False))"
            )
            return Evidence(verdict=Verdict.OPEN, reason=reason, **common)
        return Evidence(verdict=Verdict.PROVED, control=control, **{**common, "assumes": assumes})
    refuted = _refuted(statement)
    if refuted is not None:
        return refuted
    rest = ", ".join(label or "the difference" for label, z in zip(statement.labels, zero) if not z)
    reason = (
        f"the normal form of {rest} is not zero, and no point was found at which the two sides differ. "
        "What may help: stronger assumptions about the symbols (positive, real, integer); a relation "
        "between them (`given=`); a step in between"
    )
    return Evidence(verdict=Verdict.OPEN, reason=reason, **common)


def _statement(lhs: Any, rhs: Any, given: Iterable[Any]) -> Equations:
    left, shape = _entries(lhs)
    right, other = _entries(rhs)
    if shape != other:
        said = f"the two sides have the shapes {shape} and {other}"
        raise ValueError(f"{said}; an identity compares entry by entry")
    sides = [(_scalar(a), _scalar(b)) for a, b in zip(left, right)]
    place = lambda i: f"entry {i if len(shape) == 1 else divmod(i, shape[1])}" if shape else ""
    labels = tuple(map(place, range(len(sides))))
    conditions = tuple(_scalar(_condition(g)).value for g in read_items(given=given))
    distinct(s for pair in sides for side in pair for s in side.given.free_symbols)
    pairs, written = (tuple((getattr(a, n), getattr(b, n)) for a, b in sides) for n in ("value", "given"))
    return Equations(pairs, conditions, labels, shape, written)


def _entries(side: Any) -> tuple[list[Any], tuple[int, ...]]:
    if isinstance(side, sp.MatrixBase):
        return list(side), tuple(side.shape)
    if isinstance(side, sp.MatrixExpr):
        raise TypeError(
            f"{side} is a symbolic matrix; use trace_identity for every dimension, or "
            "side.as_explicit() for this one"
        )
    if isinstance(side, Sequence) and not isinstance(side, str):
        return list(side), (len(side),)
    return [side], ()


def _condition(g: Any) -> Any:
    if isinstance(g, sp.Eq):
        return g.lhs - g.rhs
    return _scalar(g[0]).value - _scalar(g[1]).value if isinstance(g, tuple) else g


def _scalar(given: Any) -> Written:
    """One side, if normal form and points respect all that it holds."""
    side = scalar(given)
    if any(g == 0 and kind != ">=" for g, kind in side.conditions):
        raise ValueError(f"{side.given} is undefined as written: it divides by 0, or holds 0**0")
    nodes = sp.preorder_traversal(side.value)
    for e in nodes:
        named = isinstance(e, (sp.Symbol, sp.Indexed, AppliedUndef))
        extra = undue(e, {k: True for k in KINDS if getattr(e, f"is_{k}")}) if named else None
        if extra is not None:
            raise ValueError(
                f"{e} is assumed to be {extra}, which no point here respects; declare {', '.join(KINDS)} only"
            )
        if isinstance(e, sp.Indexed):
            if not all(i.is_Integer or i.is_Symbol for i in e.indices):
                raise ValueError(
                    f"the index of {e} is neither a whole number nor a symbol; write it as one, so "
                    "that equals look equal"
                )
            nodes.skip()
        elif isinstance(e, sp.Derivative):
            nodes.skip()
        elif not _known(e):
            raise TypeError(
                f"{side.given} holds {e}, and {type(e).__name__} has no normal form here; give its "
                "closed form"
            )
    return side


def _known(e: sp.Basic) -> bool:
    """Whether the outermost head of an expression has a meaning here, in all its arguments."""
    if not e.args:
        return e.is_Rational or e.is_Symbol or e in CONSTANTS
    if isinstance(e, (sp.Add, sp.Mul, sp.Pow, sp.Max, sp.Min, AppliedUndef)):
        return True
    return len(e.args) == _ARGUMENTS.get(e.func)


def _refuted(statement: Equations, true: Equations | None = None) -> Evidence | None:
    """A point at which two sides surely differ; at that point `true`, whose proof is being
    controlled, must not be seen to fail.
    """
    exprs = [e for pair in statement.pairs for e in pair]
    for point in points(exprs, statement.given):
        found = statement.refuted_at(point)
        if found is not None:
            if true is not None and true.refuted_at(point) is not None:
                raise Contradiction(
                    f"the normal form of {true.latex()} is zero, but its sides differ at {point}"
                )
            return found
    return None


def _difference(a: sp.Expr, b: sp.Expr, point: dict[sp.Expr, sp.Expr]) -> tuple[str, dict[str, str]] | None:
    """How the sides were seen to differ at a point (``"exact"`` or ``"Arb"``) and their values;
    None if they were not.
    """
    filled = at_point([a, b], point)
    if filled is None:
        return None
    (left, right), chosen = filled
    functions = {name: str(v) for name, v in chosen.items()}
    if left.is_Rational and right.is_Rational:
        return ("exact", {**functions, "lhs": str(left), "rhs": str(right)}) if left != right else None
    for bits in _BITS:
        try:
            x, y = value(left, bits), value(right, bits)
        except NoBall:
            return None
        if x.is_finite() and y.is_finite() and not x.overlaps(y):
            return "Arb", {**functions, "lhs": _digits(x, bits), "rhs": _digits(y, bits)}
    return None


def _digits(z: acb, bits: int) -> str:
    # enough to tell the two sides apart
    return str((z.real if z.imag.is_zero() else z).str(bits // 3, radius=False))


def _spoiled(statement: Equations) -> Iterator[Equations]:
    """Copies of the statement with one term doubled: on the right, on the left, and then inside."""
    outside = lambda e: (e + t for t in sp.Add.make_args(e))
    inside = lambda e: (e.xreplace({s: s + t}) for s in sp.preorder_traversal(e) if s.is_Add for t in s.args)
    spoilers = (
        lambda a, b: ((a, new) for new in outside(b)),
        lambda a, b: ((new, b) for new in outside(a)),
        lambda a, b: ((new, b) for new in inside(a)),
        lambda a, b: ((a, new) for new in inside(b)),
    )
    for spoil in spoilers:
        for i, (a, b) in enumerate(statement.pairs):
            for pair in spoil(a, b):
                kept = zip(statement.written[i], (a, b), pair)
                shown = tuple(w if new is old else new for w, old, new in kept)
                pairs, written = list(statement.pairs), list(statement.written)
                pairs[i], written[i] = pair, shown
                yield replace(statement, pairs=tuple(pairs), written=tuple(written))


@dataclass(frozen=True, eq=False)
class WordEquation:
    """Two elements of one algebra of words that are to be equal in every dimension."""

    lhs: Words
    rhs: Words


_INSTANCES = tuple((d, seed) for d in (1, 2, 3) for seed in range(4))


@remembered
@guarded("trace words")
def trace_identity(lhs: Words, rhs: Words | int) -> Evidence:
    """Decide an identity between matrix words of one algebra and shape for every dimension; `rhs`
    may be a whole number.

    Returns
    -------
    Evidence
        PROVED for every d if the normal forms agree, with a control from which one term was
        dropped; REFUTED by an exact instance in dimension 1, 2 or 3; OPEN if the normal forms
        differ but no such instance shows it, as small dimensions have further identities.

    Raises
    ------
    TypeError, ValueError
        If ``lhs`` is no element of an algebra of words, or ``rhs`` one of another algebra or shape.

    Examples
    --------
    >>> from theory.symbolic.algebra import Algebra
    >>> A = Algebra(general=["M", "N"])
    >>> M, N = A["M"], A["N"]
    >>> e = trace_identity((M * N).tr(), (N.T * M.T).tr())
    >>> e.verdict.value, e.dimension, e.control.verdict.value
    ('PROVED', 'every d', 'REFUTED')
    >>> trace_identity(M * N, N * M).witness["d"]
    2
    """
    start = time.perf_counter()
    if not isinstance(lhs, Words):
        said = f"{lhs!r} is no element of a theory.symbolic.algebra.Algebra"
        raise TypeError(f"{said}; use identity() for scalars and explicit matrices")
    equal = (lhs - rhs).is_zero()
    found = _decide_words(lhs, rhs if isinstance(rhs, Words) else 0 * lhs + rhs, equal)
    return found.replace(seconds=time.perf_counter() - start)


def _decide_words(lhs: Words, rhs: Words, equal: bool) -> Evidence:
    common = _common(lhs, rhs)
    if not equal:
        reason = "the normal forms differ, but no exact instance in dimension 1, 2 or 3 does"
        found = _words_differ(lhs, rhs)
        return Evidence(verdict=Verdict.OPEN, reason=reason, **common) if found is None else found
    spoiled = (_words_differ(lhs, rhs.without(i)) for i in range(len(rhs.terms)))
    control = next((c for c in spoiled if c is not None), None)
    if control is not None:
        return Evidence(verdict=Verdict.PROVED, dimension="every d", control=control, **common)
    reason = (
        "the normal forms agree, but no term could be dropped to any effect: there may be nothing "
        "left to check"
    )
    return Evidence(verdict=Verdict.OPEN, reason=reason, **common)


def _words_differ(lhs: Words, rhs: Words) -> Evidence | None:
    """An exact instance of the letters at which the two sides differ."""
    used = lhs.letters() | rhs.letters()
    for d, seed in _INSTANCES:
        values = {**example(lhs.algebra, d, seed), "d": d}
        left, right = lhs.evaluate(values), rhs.evaluate(values)
        if left != right:
            witness: dict[str, int | str] = {"d": d}
            for name, v in values.items():
                if name in used or name in lhs.algebra.params:
                    witness[name] = str(v.tolist() if isinstance(v, sp.MatrixBase) else v)
            return Evidence(verdict=Verdict.REFUTED, witness=witness, witness_by="exact", **_common(lhs, rhs))
    return None


def _common(lhs: Words, rhs: Words) -> dict[str, Any]:
    algebra = lhs.algebra  # letters that have cancelled already were used as well
    left, right = lhs.written(), rhs.written()
    relations = [f"{n} symmetric" for n in algebra.symmetric]
    relations += [f"{b} = {a}^-1" for a, b in algebra.inverse]
    relations += [f"{p}^2 = {p}" for p in algebra.projectors]
    relations += [f"{g} = pseudo-inverse of {s}, {p} = {s} {g}" for s, g, p in algebra.pseudo_inverse]
    return {
        "engine": "trace words",
        "checked": f"{left} = {right}",
        "assumes": tuple(relations),
        "vacuous": SAME_SIDES if left == right else "",
        "sides": (WordEquation(lhs, rhs),),
    }
