"""Matrices of size 1 and 2 by their entries: the variables of a statement as matrices of symbols,
with what is known of these. A statement that no rotation changes is looked at in the basis in which
one of its matrices is diagonal; a norm or an eigenvalue is a number with the inequalities that
define it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp

from numerics.lemmas.matrices.built import Built, built
from numerics.lemmas.matrices.comparisons import Comparison
from numerics.lemmas.matrices.heads import (
    FrobeniusNorm,
    Head,
    LargestEigenvalue,
    Matrices,
    OperatorNorm,
    Spectral,
)
from numerics.lemmas.matrices.spaces import spaces
from numerics.lemmas.matrices.values import SYMBOLIC
from numerics.lemmas.matrices.words import Sized
from numerics.provers.as_written import latex
from numerics.provers.statements.statement import Closed

__all__ = ["Basis", "Entries", "Hypothesis", "bases", "gram", "psd"]

Hypothesis = tuple[sp.Expr, str, sp.Expr]
R, NONNEGATIVE, POSITIVE = (-sp.oo, sp.oo), Closed(0, sp.oo), (0, sp.oo)
ASSUMED = {R: "real", POSITIVE: "positive"}


def psd(m: sp.Matrix, strict: bool = False) -> list[Hypothesis]:
    """A symmetric matrix of size 1 or 2 is semidefinite, or definite."""
    op = ">" if strict else ">="
    out: list[Hypothesis] = [(m[i, i], op, sp.S.Zero) for i in range(m.rows)]
    return out if m.rows == 1 else [*out, (sp.expand(m[0, 0] * m[1, 1] - m[0, 1] ** 2), op, sp.S.Zero)]


def gram(x: sp.Matrix) -> sp.Matrix:
    """The smaller one of ``x'x`` and ``xx'``, whose largest eigenvalue is the squared norm."""
    return SYMBOLIC.product(x.T, x) if x.cols <= x.rows else SYMBOLIC.product(x, x.T)


@dataclass(frozen=True)
class Basis:
    """A choice of bases, and of symbols."""

    #: The variable that is diagonal (a column: along the first axis).
    diagonal: sp.MatrixSymbol | None = None
    #: Whether its rows and columns are turned apart.
    apart: bool = False
    #: The definite variable that is the identity.
    unit: sp.MatrixSymbol | None = None
    #: Whether semidefinite variables are written as products of triangular ones.
    triangular: bool = False


@dataclass
class Entries:
    """The variables in one basis."""

    st: Sized
    basis: Basis
    #: How many inequalities were left open.
    failed: int = 0
    at: dict[Any, Any] = field(default_factory=dict)
    domain: dict[sp.Symbol, Any] = field(default_factory=dict)
    where: list[Hypothesis] = field(default_factory=list)
    #: The numbers in the place of heads, and the matrices that they belong to.
    heads: dict[Any, sp.Symbol] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    #: Matrices that are known to be semidefinite.
    facts: list[sp.Matrix] = field(default_factory=list)
    #: The larger and the smaller number on the diagonal.
    ordered: tuple[sp.Expr, sp.Expr] | None = None

    def __post_init__(self) -> None:
        for s, given in self.st.ranges.items():
            self.at[s], self.domain[s] = s, given
        order, remain = built(self.st)
        for b in order:
            self.at[b.symbol] = self.variable(b)
            if not b.sure:
                self.where += self.belongs(self.at[b.symbol], self.st.matrices[b.symbol])
        for c in remain:
            self.where += self.hypothesis(c)

    def new(self, name: str, given: Any) -> sp.Symbol:
        """A fresh number with a range."""
        taken = {s.name for s in self.domain}
        full = next(n for n in (name, *(f"{name}{k}" for k in range(1, 99))) if n not in taken)
        s = sp.Symbol(full, **{ASSUMED.get(given, "nonnegative"): True})
        self.domain[s] = given
        return s

    def variable(self, b: Built) -> sp.Matrix:
        """The matrix of symbols of a variable, whose shape is told in words."""
        base = None if b.base is None else SYMBOLIC.matrix(b.base, self.at)
        part = None if b.part is None else self.part(b)
        name = latex(b.symbol)
        if base is None:
            self.words.append(f"${name} = {sp.latex(part)}$")
            return part
        if part is None:
            self.words.append(f"${name} = {latex(b.base)}$")
            return base
        sign = "+" if b.sign == 1 else "-"
        self.words.append(f"${name} = {latex(b.base)} {sign} {sp.latex(part)}$")
        return (base + b.sign * part).applyfunc(sp.expand)

    def part(self, b: Built) -> sp.Matrix:
        """A free matrix of a class."""
        n, m = map(int, b.symbol.shape)
        low, kind = str(b.symbol.name).lower(), b.part
        if b.symbol is self.basis.unit:
            return sp.eye(n)
        size = {Matrices.PSD: NONNEGATIVE, Matrices.DEFINITE: POSITIVE}.get(kind or Matrices.ANY, R)
        if n != m or n == 1:
            lone = b.symbol is self.basis.diagonal and n == 2  # a column, turned onto the first axis
            ranges = [NONNEGATIVE, None] if lone else [size] * (n * m)
            names = [f"{low}_{k + 1}" for k in range(n * m)]
            return sp.Matrix(n, m, [self.new(x, r) if r else sp.S.Zero for x, r in zip(names, ranges)])
        if b.symbol is self.basis.diagonal:
            size = NONNEGATIVE if self.basis.apart else size
            p, q = self.new(f"{low}_1", size), self.new(f"{low}_2", size)
            if any(c.has(Spectral) for k in self.st.comparisons for c in (k.lhs, k.rhs)):
                self.where.append((p, ">=", q))
                self.ordered = (p, q)
            k = self.new(f"{low}_3", R) if kind is Matrices.ANY and not self.basis.apart else sp.S.Zero
            return sp.Matrix([[p, k], [-k, q]])
        if self.basis.triangular and kind in (Matrices.PSD, Matrices.DEFINITE):
            x, z = self.new(f"{low}_11", size), self.new(f"{low}_22", size)
            y = self.new(f"{low}_21", R)
            self.facts.append(sp.Matrix([[x**2, x * y], [x * y, y**2 + z**2]]))
            return self.facts[-1]
        a, d = self.new(f"{low}_11", size), self.new(f"{low}_22", size)
        k = self.new(f"{low}_12", R)
        other = self.new(f"{low}_21", R) if kind is Matrices.ANY else k
        out = sp.Matrix([[a, k], [other, d]])
        if kind in (Matrices.PSD, Matrices.DEFINITE):
            self.where.append(psd(out, kind is Matrices.DEFINITE)[-1])
            self.facts.append(out)
        return out

    def belongs(self, m: sp.Matrix, kind: Matrices) -> list[Hypothesis]:
        if kind is Matrices.ANY:
            return []
        alike = [(m[0, 1], "==", m[1, 0])] if m.rows == 2 and sp.expand(m[0, 1] - m[1, 0]) != 0 else []
        more = [] if kind is Matrices.SYMMETRIC else psd(m, kind is Matrices.DEFINITE)
        return [*alike, *more]

    def hypothesis(self, c: Comparison) -> list[Hypothesis]:
        """A hypothesis in the entries."""
        if not c.matrices:
            small, big = (self.put(side, c) for side in c.values)
            fine = [(self.put(g, c), kind, sp.S.Zero) for g, kind in c.conditions]
            return [(small, {">": "<", ">=": "<="}.get(c.op, c.op), big), *fine]
        m = SYMBOLIC.matrix(c.gap, self.at)
        if c.ordered:
            self.facts.append(m)
            return psd(m, c.strict)
        if c.op == "==":
            return [(sp.numer(sp.together(x)), "==", sp.S.Zero) for x in m if sp.expand(x) != 0]
        return [(sp.Add(*(x**2 for x in m)), ">", sp.S.Zero)]

    def put(self, e: sp.Expr, c: Comparison) -> sp.Expr:
        """A scalar in the entries."""
        return e.xreplace({s: self.atom(a) for a, s in c.atoms.items() if e.has(s)})

    def atom(self, a: sp.Expr) -> sp.Expr:
        """What belongs to a matrix in a scalar side."""
        return self.head(type(a), SYMBOLIC.matrix(a.args[0], self.at), a) if isinstance(a, Head) else (
            SYMBOLIC.number(a, self.at)
        )  # fmt: skip

    def head(self, kind: Any, m: sp.Matrix, a: Any) -> sp.Expr:
        """A norm or an eigenvalue, as a number of which its definition is known."""
        if kind is OperatorNorm and self.semidefinite(a.args[0]):
            kind = LargestEigenvalue
        key = (kind, sp.ImmutableMatrix(m))
        if key in self.heads:
            return self.heads[key]
        if kind is FrobeniusNorm:
            n = self.new("n", NONNEGATIVE)
            self.where.append((n**2, "==", sp.expand(sum(x**2 for x in m))))
        elif kind is OperatorNorm:
            n = self.new("n", NONNEGATIVE)
            self.extreme(n**2, gram(m), 1)
        else:
            sign = 1 if kind is LargestEigenvalue else -1
            if m.rows == 1:
                return m[0, 0]
            if m[0, 1] == 0 and self.ordered and (k := self._multiple(m)) is not None:
                return m[0, 0] if (k >= 0) == (sign == 1) else m[1, 1]
            n = self.new("l", R)
            self.extreme(n, m, sign)
        self.heads[key] = n
        return n

    def extreme(self, n: sp.Expr, m: sp.Matrix, sign: int) -> None:
        """What is known of the largest (or smallest) eigenvalue of a matrix."""
        if m.rows == 1:
            self.where.append((n, "==", m[0, 0]))
            return
        self.facts.append(sign * (n * sp.eye(2) - m))
        self.where += [(n, ">=" if sign == 1 else "<=", m[i, i]) for i in range(2)]
        self.where.append((sp.expand((n - m[0, 0]) * (n - m[1, 1]) - m[0, 1] ** 2), "==", sp.S.Zero))

    def semidefinite(self, e: Any) -> bool:
        return self.st.matrices.get(e) in (Matrices.PSD, Matrices.DEFINITE)

    def _multiple(self, m: sp.Matrix) -> sp.Rational | None:
        """The first eigenvalue minus the second one, in units of that of the diagonal matrix."""
        assert self.ordered is not None
        p, q = self.ordered
        k = sp.cancel((m[0, 0] - m[1, 1]) / (p - q))
        return k if k.is_Rational else None


def bases(st: Sized) -> list[Basis]:
    """The choices that are tried, the best first."""
    order = built(st)[0]
    known = spaces(st, [(b.symbol, b.base) for b in order if b.base is not None])
    shape = {b.symbol: tuple(map(int, b.symbol.shape)) for b in order}
    parts = {b.symbol: b for b in order if b.part is not None}
    free = [m for m in parts if known.free((m, "rows", False)) and known.free((m, "columns", False))]
    square = [m for m in free if shape[m] == (2, 2)]
    sides = [e for c in st.comparisons for e in (c.lhs, c.rhs)]
    often = {m: sum(_count(e, m) for e in sides) for m in square}
    loose = {m: parts[m].part is Matrices.ANY and not known.apart(m) for m in square}
    square.sort(key=lambda m: (loose[m], -often[m]))
    columns = [m for m in parts if shape[m] == (2, 1) and known.free((m, "rows", False))]
    unit = next((m for m in square if parts[m].part is Matrices.DEFINITE and known.any_basis(m)), None)
    chosen = [m for m in square if m is not unit][:2] or ([] if unit else columns[:1])
    first, *others = [Basis(m, m in square and known.apart(m), unit) for m in chosen] or [Basis(unit=unit)]
    semidefinite = [m for m, b in parts.items() if b.part in (Matrices.PSD, Matrices.DEFINITE)]
    entries = any(m not in (first.diagonal, unit) and shape[m] == (2, 2) for m in semidefinite)
    again = [replace(first, triangular=True)] if entries else []
    return [first, *again, *others] if first.diagonal or unit else [*again, first]


def _count(e: Any, m: Any) -> int:
    return sum(1 for a in sp.preorder_traversal(e) if a == m)
