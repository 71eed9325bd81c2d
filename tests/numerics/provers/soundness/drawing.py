"""Draws one of several formulas, written between semicolons as a user of SymPy would write them."""

import random
from functools import cache
from types import CodeType
from typing import Any

import sympy as sp

__all__ = ["drawn", "every"]

_NAMES = {**vars(sp), "R": sp.Rational}


@cache
def _formulas(table: str) -> tuple[CodeType, ...]:
    return tuple(compile(part.strip(), part, "eval") for part in table.split(";"))


def every(table: str, **names: Any) -> list[Any]:
    """The values of all formulas of a table."""
    return [eval(code, _NAMES, names) for code in _formulas(table)]


def drawn(rng: random.Random, table: str, **names: Any) -> tuple[Any, ...]:
    """The value of one formula of a table: a tuple of SymPy's expressions."""
    found = eval(rng.choice(_formulas(table)), _NAMES, names)
    found = found if isinstance(found, tuple) else (found,)
    return tuple(sp.sympify(e) if type(e) is int else e for e in found)
