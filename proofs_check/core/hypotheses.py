"""Tests whether the witness of a refutation meets the printed hypotheses. These are written as
relations in the names of the witness, such as ``"L >= 1"``. They are read by a grammar of their own
(nothing is ever evaluated as Python) and decided exactly.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import sympy as sp

__all__ = ["comparisons", "outside", "read", "unmet"]

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS = {name: getattr(sp, name) for name in ("exp", "log", "sqrt", "Abs", "Max", "Min")}
_RELATIONS: dict[type, Any] = {
    ast.Lt: sp.Lt,
    ast.LtE: sp.Le,
    ast.Gt: sp.Gt,
    ast.GtE: sp.Ge,
    ast.Eq: sp.Eq,
    ast.NotEq: sp.Ne,
}
_ORDER: dict[type, str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_SETS = {"Integers": sp.S.Integers, "Reals": sp.S.Reals}


class _Unreadable(ValueError):
    """A text is no formula of the grammar, or names what has no value."""


def read(text: str, values: Mapping[str, sp.Expr]) -> sp.Expr:
    """The number that a formula denotes: of whole and decimal numbers, which are read as the
    fractions that they are, names with `values`, ``+ - * / **``, ``pi``, ``exp``, ``log``,
    ``sqrt``, ``Abs``, ``Max`` and ``Min``. A ValueError says that it is none, or not real and
    finite.

    >>> read("exp(2 * a) / 3", {"a": sp.Integer(0)})
    1/3
    """
    return _number(_parsed(text), values)


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(_renamed(text), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise _Unreadable(f"{text!r} is no formula") from error


def _renamed(text: str) -> str:
    """The text with another word for the paper's lambda, which is a word of Python, and with
    decimals as fractions, since Python would round long ones.
    """
    words = re.sub(r"\blambda\b", "lambda_", text.strip())
    return re.sub(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?(?![\w.])", _fraction, words)


def _fraction(decimal: re.Match[str]) -> str:
    exact = sp.Rational(decimal[0])
    return f"({exact.p}/{exact.q})"


def _number(node: ast.expr, values: Mapping[str, sp.Expr]) -> sp.Expr:
    found = _expression(node, values)
    if found.free_symbols or not found.is_extended_real or not found.is_finite:
        raise _Unreadable(f"{found} is no real number")
    return found


def _expression(node: ast.expr, values: Mapping[str, sp.Expr]) -> sp.Expr:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int()):
            return sp.Integer(node.value)
        case ast.Name(id="pi"):
            return sp.pi
        case ast.Name(id=name):
            if name not in values:
                raise _Unreadable(f"the witness says nothing of {name.rstrip('_')}")
            return values[name]
        case ast.UnaryOp(op=ast.USub()):
            return -_expression(node.operand, values)
        case ast.BinOp(op=op) if type(op) in _BINARY:
            return sp.sympify(
                _BINARY[type(op)](_expression(node.left, values), _expression(node.right, values))
            )
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_expression(a, values) for a in node.args))
    raise _Unreadable(f"{ast.unparse(node)} is none of the formulas that a hypothesis may hold")


def _holds(text: str, values: Mapping[str, sp.Expr]) -> bool:
    """Whether a relation, or a chain of them, holds; every part of it must have a value."""
    match _parsed(text):
        case ast.Compare(left=left, ops=[ast.In()], comparators=[ast.Name(id=name)]) if name in _SETS:
            return bool(_SETS[name].contains(_number(left, values)) == sp.true)
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _RELATIONS for op in ops):
            sides = [_number(side, values) for side in (left, *others)]
            return all(_RELATIONS[type(op)](a, b) == sp.true for op, a, b in zip(ops, sides, sides[1:]))
        case ast.Call(func=ast.Name(id="Eq"), args=[a, b], keywords=[]):
            return bool(sp.Eq(_number(a, values), _number(b, values)) == sp.true)
    raise _Unreadable("it is no relation; write 'L >= 1', '0 < delta < 1', 'Eq(U, 0)' or 'L in Integers'")


def comparisons(text: str, values: Mapping[str, sp.Expr]) -> list[tuple[sp.Expr, str, sp.Expr]]:
    """The inequalities of which a relation consists, where the values may hold a variable; none for
    a relation of another kind.

    >>> n = sp.Symbol("n")
    >>> comparisons("0 < x <= 1", {"x": 1 / n})
    [(0, '<', 1/n), (1/n, '<=', 1)]
    """
    match _parsed(text):
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _ORDER for op in ops):
            sides = [_expression(side, values) for side in (left, *others)]
            return [(a, _ORDER[type(op)], b) for op, a, b in zip(ops, sides, sides[1:])]
    return []


def _names(text: str) -> set[str]:
    tree = _parsed(text)
    called = {n.func for n in ast.walk(tree) if isinstance(n, ast.Call)}
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n not in called and n.id != "pi"}


def unmet(hypotheses: Iterable[str], witness: Mapping[str, Any], *, known: bool = False) -> list[str]:
    """The hypotheses, such as ``"L >= 1"``, ``"Eq(U, 0)"`` or ``"L in Integers"``, that a witness
    does not meet: each that fails or cannot be decided, with what was found; those about names of
    which the witness says nothing, unless only what is `known` counts. Texts in the witness, such
    as ``"1/3"``, are read as exact numbers. What is not real and finite is no value.
    """
    values: dict[str, sp.Expr] = {}
    for name, value in witness.items():
        try:
            values[_renamed(name)] = read(str(value), {})
        except (_Unreadable, ArithmeticError, TypeError, ValueError):
            continue  # words, and what is no real number, say nothing
    out = []
    for text in hypotheses:
        try:
            used = sorted(_names(text) & set(values))
            if known and _names(text) - set(values) - set(_SETS):
                continue
            if _holds(text, values):
                continue
            out.append(f"{text} ({', '.join(n.rstrip('_') + f' = {values[n]}' for n in used)})")
        except (_Unreadable, ArithmeticError, TypeError) as reason:
            out.append(f"{text} ({reason})")
    return out


def outside(
    what: str, hypotheses: Iterable[str], point: Mapping[str, Any], *, known: bool = False
) -> list[str]:
    """The faults of a point that is not inside what the paper assumes; see `unmet`."""
    return [
        f"the {what} is outside the printed hypotheses: {h}" for h in unmet(hypotheses, point, known=known)
    ]
