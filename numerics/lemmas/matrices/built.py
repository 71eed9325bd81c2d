"""How matrices that meet the hypotheses are built: ``A >= B`` is met by ``A = B + P`` for a
semidefinite P, and ``A == B`` by putting B in the place of A. What is built so is drawn by a
search, and has fewer hypotheses in a proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from numerics.lemmas.matrices.comparisons import Comparison
from numerics.lemmas.matrices.heads import Matrices
from numerics.lemmas.matrices.words import Sized

__all__ = ["Built", "built"]

SYMMETRIC = (Matrices.PSD, Matrices.DEFINITE, Matrices.SYMMETRIC)


@dataclass(frozen=True)
class Built:
    """A variable as ``base + sign * part``, where the part ranges over a class; without a base the
    variable is the part, without a class it is the base.
    """

    symbol: sp.MatrixSymbol
    part: Matrices | None
    base: Any = None
    sign: int = 1
    #: Whether the class of the variable follows.
    sure: bool = True


def built(st: Sized) -> tuple[list[Built], list[Comparison]]:
    """The variables in an order in which they can be built, and the hypotheses that remain."""
    found: dict[sp.MatrixSymbol, Built] = {}
    needs: dict[sp.MatrixSymbol, set[Any]] = {}
    remain = []
    for c in st.where:
        one = next((b for b in _ways(c, st) if b.symbol not in found and not _circular(b, needs)), None)
        if one is None:
            remain.append(c)
            continue
        found[one.symbol] = one
        needs[one.symbol] = one.base.atoms(sp.MatrixSymbol)
    order: list[Built] = []
    left = [found.get(m, Built(m, kind)) for m, kind in st.matrices.items()]
    while left:
        ready = [b for b in left if not needs.get(b.symbol, set()) & {a.symbol for a in left}]
        order += ready
        left = [b for b in left if b not in ready]
    return order, remain


def _ways(c: Comparison, st: Sized) -> list[Built]:
    """The ways in which a hypothesis can be met, the best first."""
    if not c.matrices or c.op == "!=":
        return []
    plain = [m for m in (c.big, c.small) if m in st.matrices]
    out = []
    for m in plain:
        base, sign = (c.small, 1) if m == c.big else (c.big, -1)
        kind = st.matrices[m]
        if c.op == "==":
            out.append(Built(m, None, base, 1, semidefinite(base, st) is kind or kind is Matrices.ANY))
        elif kind in SYMMETRIC:
            own = semidefinite(base, st) if sign == 1 else None
            part = Matrices.DEFINITE if c.strict else Matrices.PSD
            definite = Matrices.DEFINITE in (own, part)
            sure = kind is Matrices.SYMMETRIC or (own is not None and (kind is Matrices.PSD or definite))
            out.append(Built(m, part, base, sign, sure))
    return sorted(out, key=lambda b: not b.sure)


def _circular(b: Built, needs: dict[Any, set[Any]]) -> bool:
    """Whether what a variable would be built from is built from it."""
    below = set(b.base.atoms(sp.MatrixSymbol))
    while more := {n for m in below for n in needs.get(m, ())} - below:
        below |= more
    return b.symbol in below


def semidefinite(e: Any, st: Sized) -> Matrices | None:
    """PSD or DEFINITE, if an expression is so by its form."""
    if e in st.matrices:
        kind = st.matrices[e]
        return kind if kind in (Matrices.PSD, Matrices.DEFINITE) else None
    if isinstance(e, sp.Identity):
        return Matrices.DEFINITE
    if isinstance(e, sp.ZeroMatrix):
        return Matrices.PSD
    if isinstance(e, sp.MatAdd):
        kinds = [semidefinite(a, st) for a in e.args]
        return None if None in kinds else Matrices.DEFINITE if Matrices.DEFINITE in kinds else Matrices.PSD
    if isinstance(e, sp.MatMul) and len(e.args) == 2 and e.args[0].is_Rational and e.args[0] > 0:
        return semidefinite(e.args[1], st)
    return None
