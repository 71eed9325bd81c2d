"""Draws one of several formulas, written between semicolons as a user of SymPy would write them."""

import random
from functools import cache
from types import CodeType
from typing import Any

import sympy as sp

__all__ = ["drawn", "formulas"]

_NAMES = {**vars(sp), "R": sp.Rational}


@cache
def formulas(table: str) -> tuple[CodeType, ...]:
    return tuple(compile(part.strip(), part, "eval") for part in table.split(";"))


def drawn(rng: random.Random, table: str, **names: Any) -> tuple[Any, ...]:
    """The value of one formula of a table: a tuple of SymPy's expressions."""
    found = eval(rng.choice(formulas(table)), _NAMES, names)
    found = found if isinstance(found, tuple) else (found,)
    return tuple(sp.sympify(e) if isinstance(e, int) else e for e in found)
