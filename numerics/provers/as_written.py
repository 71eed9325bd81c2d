"""Sides of a statement as they are written down: they are shown first, and evaluated afterwards.

SymPy folds ``x + x`` into ``2*x`` while it is typed, and a check of ``2*x = 2*x`` shows a reader
nothing. A side may therefore hold what is not evaluated yet: anything that was built under
``sympy.evaluate(False)``, ``UnevaluatedExpr``, ``Derivative``, ``Subs``, finite ``Sum`` and
``Product``, and `computed`, which shows by what name an expression of ours goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.symbol import Str

from numerics.provers.enclosures.balls import NoBall
from numerics.provers.enclosures.balls import value as ball
from numerics.provers.enclosures.where_defined import own_conditions
from numerics.provers.exact.exact_numbers import agreed, built, put

__all__ = [
    "LONGEST",
    "SAME_SIDES",
    "Computed",
    "Condition",
    "Written",
    "computed",
    "distinct",
    "evaluated",
    "expression",
    "latex",
    "scalar",
    "undue",
]

Condition = tuple[sp.Expr, str]
#: Why a check is vacuous whose two sides have the same LaTeX.
SAME_SIDES = "the two sides are the same as written"
#: Functions without a derivative somewhere, although SymPy differentiates most of them.
_BENT = (
    *(sp.Abs, sp.Max, sp.Min, sp.sign, sp.Heaviside, sp.floor, sp.ceiling, sp.frac, sp.Mod),
    *(sp.re, sp.im, sp.arg, sp.conjugate, sp.Piecewise),
)
#: Whole numbers with more bits are refused: Python does not even print them.
LONGEST = 10_000
#: What SymPy may assume of a symbol, the plainest words first.
_ASSUMPTIONS = (
    *("commutative", "infinite", "zero", "imaginary", "antihermitian", "even", "odd", "prime", "composite"),
    *("noninteger", "irrational", "transcendental", "integer", "rational", "algebraic", "positive"),
    *("negative", "nonnegative", "nonpositive", "nonzero", "extended_positive", "extended_negative"),
    *("extended_nonnegative", "extended_nonpositive", "extended_nonzero", "real", "extended_real"),
    *("finite", "complex", "hermitian", "polar"),
)
#: Bits to which a number is compared with what SymPy makes of it.
_CHECKED = 1024
#: Sums and products of more terms than that are refused.
_MOST_TERMS = 1000


class Computed(sp.Expr):
    """An expression under the name of the computation that gave it; `computed` builds it."""

    @property
    def value(self) -> sp.Expr:
        return self.args[1]

    def doit(self, **hints: Any) -> sp.Expr:
        return self.value.doit(**hints)

    def _latex(self, printer: Any) -> str:
        return rf"\underbrace{{{printer.doprint(self.value)}}}_{{{self.args[0].name}}}"

    def _sympystr(self, printer: Any) -> str:
        return str(printer.doprint(self.value))

    def _eval_is_commutative(self) -> bool | None:
        return self.value.is_commutative

    def _eval_is_extended_real(self) -> bool | None:
        return self.value.is_extended_real

    def _eval_derivative(self, x: sp.Symbol) -> sp.Expr:
        return self.value.diff(x)


def computed(name: str, value: Any) -> Computed:
    r"""Show an expression under the name of the computation that gave it.

    SymPy often folds what a program computed into the very formula that is printed beside it. The
    name says what was computed; the engines use the expression alone.

    Parameters
    ----------
    name : str
        LaTeX.
    value : sympy.Expr
        What the computation gave.

    Returns
    -------
    sympy.Expr
        It may stand anywhere in a side of `identity` or `forall`; its ``doit()`` is ``value``.

    Raises
    ------
    TypeError
        If the name is no text, or the value no scalar expression.

    Examples
    --------
    >>> x = sp.Symbol("x")
    >>> slope = computed(r"\partial_x x^2", sp.diff(x**2, x))
    >>> sp.latex(slope + 1), (slope + 1).doit()
    ('\\underbrace{2 x}_{\\partial_x x^2} + 1', 2*x + 1)
    """
    if not isinstance(name, str) or isinstance(value, str):
        raise TypeError("computed() takes the LaTeX name of a computation first, and then a SymPy expression")
    value = expression(value)
    if not isinstance(value, sp.Expr) or value.is_Matrix:
        raise TypeError(
            f"{value!r} is not a scalar expression but a {type(value).__name__}; name its entries one by one"
        )
    return Computed(Str(name), value)


def expression(given: Any) -> Any:
    """What SymPy makes of a value; it says in several ways that it can make nothing of one."""
    try:
        return sp.sympify(given)
    except Exception:  # an IndexError of a structured array among them
        raise TypeError(
            f"{given!r:.200} is no expression; build one from SymPy symbols and exact numbers"
        ) from None


@lru_cache(maxsize=1000)
def latex(e: sp.Expr) -> str:
    r"""One side in LaTeX; remembered, because a control shares all but one number with its
    statement.

    >>> latex(sp.Symbol("x") / 2)
    '\\frac{x}{2}'
    """
    try:
        return str(sp.latex(e))
    except Exception:  # to put terms in order SymPy evaluates them, which fails next to a tie
        return str(sp.latex(e, order="none"))


@dataclass(frozen=True)
class Written:
    """One side as it was given, its value, what must hold for it to be defined, and the functions
    of variables that it holds, also where the value has none of them any more.
    """

    given: sp.Expr
    value: sp.Expr
    conditions: tuple[Condition, ...]
    functions: tuple[sp.Expr, ...]


def scalar(given: Any) -> Written:
    """Read one side of a statement. A TypeError refuses what is no exact scalar expression: text,
    which SymPy would evaluate, and what holds a binary float or does not commute; a ValueError a
    side that is not finite; and both what `evaluated` refuses.
    """
    if isinstance(given, str):
        raise TypeError(
            f"{given!r} is text; build the expression from SymPy symbols, so that its assumptions are known"
        )
    e = expression(given)
    if not isinstance(e, sp.Expr) or e.is_Matrix:
        raise TypeError(
            f"{given!r:.500} is not a scalar expression but a {type(e).__name__}; give lhs and rhs apart"
        )
    if e.has(sp.Float):
        raise TypeError(f"{e} holds a binary float, which is no exact number; write a Rational")
    if any(a.is_commutative is False for a in e.atoms(sp.Symbol, AppliedUndef)):
        raise TypeError(
            f"{e} does not commute, and no engine here respects that; use trace_identity for matrices"
        )
    _finite(e, e)  # first, as SymPy compares with nan in vain
    with sp.evaluate(True):
        reader = _Reader()
        value = reader.read(e)
    _finite(value, e)
    if any(max(abs(q.p), q.q).bit_length() > LONGEST for f in (e, value) for q in f.atoms(sp.Rational)):
        raise ValueError(
            f"a side holds a number of more than {LONGEST} bits; write it as a power, or give it a symbol"
        )
    for a in sp.preorder_traversal(value):
        _trusted(a)
    return Written(e, value, tuple(reader.conditions), tuple(reader.functions))


def _finite(e: sp.Expr, given: sp.Expr) -> None:
    if e.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        try:
            text = str(given)
        except Exception:  # to put terms in order SymPy compares them, nan among them
            text = sp.srepr(given)
        raise ValueError(
            f"{text} is not finite: the statement is undefined as written; leave out what is divided "
            "by 0 or infinite"
        )


def _trusted(e: sp.Expr) -> sp.Expr:
    """`e`, if it is no number of whose sign SymPy is wrong: what holds it would be rewritten by
    that.
    """
    if isinstance(e, (sp.Function, sp.Add)) and e.is_number and not agreed(e):
        raise ValueError(
            f"SymPy takes {e} for a number of another sign, or may do so, and would rewrite by that; "
            "enclose it by rational numbers"
        )
    return e


def _evaluated(e: Any, args: list[Any]) -> Any:
    """A function or power of arguments that were read, and have the signs for which SymPy takes
    them. What SymPy makes of a number must be that number.
    """
    new = _trusted(built(e.func, args))
    if new in (sp.nan, sp.zoo, sp.oo, -sp.oo):  # with which SymPy compares in vain
        _finite(new, e)
    as_it_was = new.func is e.func and not (e.is_Pow and new.args != tuple(args))
    if isinstance(e, (sp.Add, sp.Mul)) or not new.is_number or as_it_was:
        return new
    try:
        old, now = ball(e.func(*args, evaluate=False), _CHECKED), ball(new, _CHECKED)
    except NoBall:
        return new
    if old.is_finite() and now.is_finite() and not old.overlaps(now):
        raise ValueError(f"SymPy takes {e} for {new}, which is another number; write it in another way")
    return new


def undue(e: sp.Expr, implied: Mapping[str, bool]) -> str | None:
    """The first assumption about a symbol that others do not imply; None if they imply them all.

    >>> undue(sp.Symbol("n", prime=True), {"integer": True, "positive": True})
    'prime=True'
    """
    return _undue(e, tuple(implied.items()))


@lru_cache(maxsize=1000)
def _undue(e: sp.Expr, implied: tuple[tuple[str, bool], ...]) -> str | None:
    model = sp.Dummy(**dict(implied))
    known = [(name, getattr(e, f"is_{name}")) for name in _ASSUMPTIONS]
    extra = [(name, v) for name, v in known if v is not None and getattr(model, f"is_{name}") is not v]
    return next((f"{name}={v}" for name, v in sorted(extra, key=lambda a: not a[1])), None)


def distinct(symbols: Iterable[sp.Symbol]) -> None:
    """Refuse two different symbols of one name with a ValueError: a witness could not tell them
    apart.
    """
    seen: dict[str, sp.Symbol] = {}
    for s in symbols:
        if seen.setdefault(str(s), s) != s:
            raise ValueError(
                f"two different symbols are called {s}; give each a name of its own, or declare it once"
            )


def evaluated(e: sp.Expr) -> tuple[sp.Expr, list[Condition]]:
    """The value of a side, without any of the heads that this module names, and what must hold for
    the side as it is written to be defined: pairs such as ``(x, ">")``, read ``x > 0``, also for
    what cancels, as ``x/x`` is 1 where x is not 0. A derivative, sum or product without a value
    that could be trusted is a TypeError or ValueError.
    """
    reader = _Reader()
    return reader.read(e), list(reader.conditions)


class _Reader:
    """One pass through an expression from the leaves up; `conditions` and `functions` are gathered
    on the way.
    """

    def __init__(self) -> None:
        self.conditions: dict[Condition, None] = {}
        self.functions: dict[sp.Expr, None] = {}
        self.known: dict[sp.Expr, sp.Expr] = {}
        self.in_a_sum = False

    def read(self, e: Any) -> Any:
        if not e.args:
            return e
        if e not in self.known:
            self.known[e] = self._new(e)
        return self.known[e]

    def _new(self, e: Any) -> Any:
        if isinstance(e, Computed):
            return self.read(e.value)
        if isinstance(e, sp.UnevaluatedExpr):
            return self.read(e.args[0])
        if isinstance(e, sp.Derivative):
            return self._derivative(e)
        if isinstance(e, sp.Subs):
            return self._substituted(e)
        if isinstance(e, (sp.Sum, sp.Product)):
            return self._terms(e)
        if isinstance(e, sp.log) and len(e.args) == 2:
            raise TypeError(f"the base of {e} would not be shown; write log(x)/log(b)")
        if isinstance(e, sp.Piecewise):
            raise TypeError(
                f"no engine here knows Piecewise, as in {e}; give each piece a check of its own, or "
                "use Max, Min, Abs"
            )
        if not isinstance(e, (sp.Add, sp.Mul, sp.Pow, sp.Max, sp.Min, sp.Function)):
            return e
        if isinstance(e, sp.Pow):  # x**(2 - 1) is defined wherever x is
            e = sp.Pow(e.base, self.read(e.exp), evaluate=False)
            if self.in_a_sum and e.exp == 0:  # the first term of a power series is 1 everywhere
                return self.read(e.base) ** 0
        for g, kind in own_conditions(e):
            condition = self.read(g)
            self.conditions[condition, kind] = None
            if isinstance(e, sp.tan):
                self.functions.pop(condition, None)  # the cosine stands in the condition alone
        new = _evaluated(e, [self.read(a) for a in e.args])
        if isinstance(new, sp.Function) and new.free_symbols:
            self.functions[new] = None
        return new

    def _derivative(self, e: sp.Derivative) -> sp.Expr:
        f, by = self.read(e.expr), e.variables
        for x in by:
            if not x.is_Symbol or x.is_integer:
                raise TypeError(
                    f"{e} is a derivative by {x}; differentiate by a symbol that takes all numbers of "
                    "an interval"
                )
        if isinstance(f, AppliedUndef):
            if all(a.is_Symbol for a in f.args) and len(set(f.args)) == len(f.args) and not f.is_integer:
                return sp.Derivative(f, *by)
            raise TypeError(
                f"{e} is the derivative of an undefined function at a point; write the chain rule with "
                "symbols of its own"
            )
        bent = next(
            (a for a in sp.preorder_traversal(f) if isinstance(a, _BENT) and a.free_symbols & set(by)), None
        )
        if bent is not None:
            raise TypeError(
                f"{e} has no derivative wherever {bent} bends; write the derivative out on each side"
            )
        out = f.diff(*by)
        if any(not isinstance(d.expr, AppliedUndef) for d in out.atoms(sp.Derivative)) or out.has(sp.Subs):
            raise TypeError(f"the derivative {e} has no closed form here; write it out")
        return self.read(out)

    def _substituted(self, e: sp.Subs) -> sp.Expr:
        # What is assumed of the variable need not hold of the point: |x| is x for positive x only.
        inner, at = _Reader(), {sp.Dummy(x.name): self.read(p) for x, p in zip(e.variables, e.point)}
        with sp.evaluate(False):
            body = e.expr.xreplace(dict(zip(e.variables, at)))
        f = inner.read(body)
        if f.has(sp.Derivative):
            raise TypeError(f"{e} is the value of an undefined derivative; give it a symbol of its own")
        for g, kind in inner.conditions:
            self.conditions[put(g, at), kind] = None
        for g in inner.functions:
            self.functions[put(g, at)] = None
        return self.read(put(f, at))

    def _terms(self, e: sp.Sum | sp.Product) -> sp.Expr:
        """The terms of the outermost sum, which comes last among the limits, one after another."""
        *inner, (k, *ends) = e.limits
        lo, hi = map(self.read, ends) if len(ends) == 2 else (None, None)
        name = type(e).__name__
        if not (isinstance(lo, sp.Integer) and isinstance(hi, sp.Integer)):
            raise TypeError(
                f"{e} is a {name} without two whole numbers as limits; give its closed form, and prove "
                "that apart"
            )
        if not 0 < hi - lo + 1 <= _MOST_TERMS:
            raise ValueError(
                f"{e} has {hi - lo + 1} terms; a {name} is evaluated if it has one to {_MOST_TERMS}"
            )
        body = e.func(e.function, *inner) if inner else e.function
        with sp.evaluate(False):  # k*x/x at k = 2 still needs an x that is not 0
            instances = [body.subs(k, n) for n in range(int(lo), int(hi) + 1)]
        outside, self.in_a_sum = self.in_a_sum, True
        terms = [self.read(t) for t in instances]
        self.in_a_sum = outside
        return sp.Add(*terms) if isinstance(e, sp.Sum) else sp.Mul(*terms)
