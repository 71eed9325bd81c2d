"""Equations of matrix words, which `trace_identity` proves for every size at once."""

from __future__ import annotations

from functools import reduce
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.lemmas.matrices.heads import Matrices
from numerics.lemmas.matrices.words import Sized
from numerics.provers.identities import trace_identity
from theory.symbolic.algebra import Algebra

__all__ = ["every_size"]


class _Foreign(Exception):
    """A side is no combination of words."""


def every_size(st: Sized) -> Evidence | None:
    """The proof of an equation by the normal form of its words, if that is one."""
    if st.goal.op != "==":
        return None
    try:
        words = _Words(st)
        left, right = (words.read(e) for e in st.written)
        said = trace_identity(left, left * 0 + right)
    except (_Foreign, KeyError, TypeError, ValueError):
        return None
    # A control that cannot fail is no proof here either.
    return said.replace(assumes=()) if said.verdict is Verdict.PROVED else None


class _Words:
    """The letters of a statement, and its sides as words in them."""

    def __init__(self, st: Sized) -> None:
        shapes = {m: m.shape for m in st.variables}
        sizes = {n for shape in shapes.values() for n in shape if n != 1}
        if len(sizes) > 1 or not all(shape[0] == shape[1] or shape[1] == 1 for shape in shapes.values()):
            raise _Foreign
        self.size = next(iter(sizes), sp.S.One)
        self.kinds = {m.name: kind for m, kind in st.variables.items()}
        square = {m.name: kind for m, kind in st.variables.items() if shapes[m][0] == shapes[m][1]}
        general = [name for name, kind in square.items() if kind is Matrices.ANY]
        definite = [name for name, kind in square.items() if kind is Matrices.DEFINITE]
        inverse = [(name, f"{name}^-1") for name in definite]
        self.algebra = Algebra(
            general=general,
            symmetric=[n for n in square if n not in general] + [b for _, b in inverse],
            vectors=[m.name for m in shapes if m.name not in square],
            params=[str(s) for s in st.scalars],
            inverse=inverse,
        )

    def read(self, e: Any) -> Any:
        """An expression as words; a number if it is one."""
        if isinstance(e, sp.MatrixSymbol):
            return self.algebra[e.name]
        if isinstance(e, sp.Identity):
            return self.algebra.I
        if isinstance(e, sp.Rational):
            return e
        if isinstance(e, sp.Symbol):
            return self.algebra["d" if e == self.size else str(e)]
        if isinstance(e, (sp.Add, sp.MatAdd)):
            return reduce(lambda a, b: a + b, map(self.read, e.args))
        if isinstance(e, (sp.Mul, sp.MatMul)):
            factors = list(map(self.read, e.args))
            words = [f for f in factors if not isinstance(f, sp.Rational)]
            number = sp.Mul(*(f for f in factors if isinstance(f, sp.Rational)))
            return number * reduce(lambda a, b: a * b, words) if words else number
        if isinstance(e, (sp.Pow, sp.MatPow)) and e.exp.is_Integer:
            if e.exp > 0:
                return reduce(lambda a, b: a * b, [self.read(e.base)] * int(e.exp))
            if self.kinds.get(getattr(e.base, "name", None)) is Matrices.DEFINITE:
                return reduce(lambda a, b: a * b, [self.algebra[f"{e.base.name}^-1"]] * -int(e.exp))
        if isinstance(e, (sp.Transpose, sp.Adjoint)):
            return self.read(e.arg).T
        if isinstance(e, sp.Trace):
            return self.read(e.arg).tr()
        raise _Foreign
