"""How an element of matrix words was put together, as LaTeX: a normal form decides an identity, but
a reader compares what was written down.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import sympy as sp

__all__ = ["formula"]

#: How strongly an operation binds its operands, the weakest first.
SUM, PRODUCT, POWER, ATOM = range(4)


class Element(Protocol):
    """What is known of an element: the operation and operands that made it, its normal form."""

    @property
    def origin(self) -> tuple[Any, ...] | None: ...

    def latex(self) -> str: ...


@dataclass(frozen=True)
class _Formula:
    """LaTeX, and how strongly its outermost operation binds."""

    text: str
    binds: int

    def within(self, binds: int) -> str:
        """The text, in parentheses if it binds less than that."""
        return self.text if self.binds >= binds else rf"\left({self.text}\right)"


def _read(text: str) -> _Formula:
    """A normal form, or a letter, with how strongly its outermost operation binds."""
    if re.search(r" [+-] |^-", text):
        return _Formula(text, SUM)
    return _Formula(text, PRODUCT if r"\, " in text else POWER if "^" in text else ATOM)


def _name(name: str) -> str:
    return str(sp.latex(sp.Symbol(name)))


def formula(element: Element) -> _Formula:
    """The operations that made an element, down to its letters and numbers."""
    if element.origin is None:
        return _read(element.latex())
    operation, *parts = element.origin
    return _OPERATIONS[operation](*parts)


def _add(a: Element, b: Element) -> _Formula:
    left, right = formula(a).text, formula(b).text
    return _Formula(f"{left} - {right[1:]}" if right.startswith("-") else f"{left} + {right}", SUM)


def _minus(a: Element) -> _Formula:
    return _Formula(f"-{formula(a).within(PRODUCT)}", SUM)


def _times(a: Element, b: Element) -> _Formula:
    return _Formula(rf"{formula(a).within(PRODUCT)}\, {formula(b).within(PRODUCT)}", PRODUCT)


def _over(a: Element, n: Any) -> _Formula:
    return _Formula(rf"\frac{{{formula(a).text}}}{{{sp.latex(sp.sympify(n))}}}", PRODUCT)


def _power(a: Element, n: int) -> _Formula:
    return _Formula(f"{formula(a).within(ATOM)}^{{{n}}}", POWER)


def _transpose(a: Element) -> _Formula:
    return _Formula(rf"{formula(a).within(ATOM)}^{{\top}}", POWER)


def _trace(a: Element) -> _Formula:
    return _Formula(rf"\operatorname{{tr}}\left({formula(a).text}\right)", ATOM)


def _gradient(a: Element, name: str) -> _Formula:
    return _Formula(rf"\nabla_{{{_name(name)}}}\left({formula(a).text}\right)", ATOM)


def _derivative(a: Element, name: str) -> _Formula:
    return _Formula(rf"\partial_{{{_name(name)}}}\left({formula(a).text}\right)", ATOM)


def _expectation(a: Element, name: str, covariance: Element, mean: Element | None) -> _Formula:
    centre = "0" if mean is None else formula(mean).text
    law = rf"{_name(name)} \sim N({centre}, {formula(covariance).text})"
    return _Formula(rf"\mathbb{{E}}_{{{law}}}\left[{formula(a).text}\right]", ATOM)


def _substitution(a: Element, name: str, value: Element) -> _Formula:
    return _Formula(rf"\left[{formula(a).text}\right]_{{{_name(name)} = {formula(value).text}}}", ATOM)


_OPERATIONS: Mapping[str, Callable[..., _Formula]] = {
    "+": _add,
    "-": _minus,
    "*": _times,
    "/": _over,
    "**": _power,
    "T": _transpose,
    "tr": _trace,
    "grad": _gradient,
    "diff": _derivative,
    "gauss": _expectation,
    "substitute": _substitution,
}
