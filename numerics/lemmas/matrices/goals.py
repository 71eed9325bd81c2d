"""The scalar inequalities that a conclusion about matrices of size 1 and 2 comes down to, in a
list of ways, each of which suffices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp

from numerics.lemmas.matrices.entries import Entries, Hypothesis, gram, psd
from numerics.lemmas.matrices.heads import (
    FrobeniusNorm,
    LargestEigenvalue,
    OperatorNorm,
    SmallestEigenvalue,
)
from numerics.lemmas.matrices.values import SYMBOLIC
from numerics.lemmas.matrices.words import Comparison
from numerics.provers.exact.exact_numbers import told

__all__ = ["Way", "needs", "ways"]

#: Determinants with more operations are not brought to a common denominator.
LONGEST = 4000
NORMS = (FrobeniusNorm, OperatorNorm)


@dataclass(frozen=True)
class Way:
    """Inequalities that imply the conclusion, with further hypotheses on further numbers."""

    goals: tuple[Hypothesis, ...]
    words: str = ""
    where: tuple[Hypothesis, ...] = ()
    #: Numbers that take all real values.
    free: tuple[sp.Symbol, ...] = ()


def needs(c: Comparison, entries: Entries) -> list[tuple[sp.Expr, str]]:
    """What has to hold for the sides to be defined, such as ``(g, "!=")``."""
    out = [] if c.matrices else [(entries.put(g, c), kind) for g, kind in c.conditions]
    for e in c.inner:
        for a in sp.preorder_traversal(e):
            if isinstance(a, sp.MatPow) and a.exp.is_negative:
                out.append((SYMBOLIC.det(SYMBOLIC.matrix(a.base, entries.at)), "!="))
            elif a.is_Pow and not a.is_Matrix and a.exp.is_negative:
                out.append((SYMBOLIC.number(a.base, entries.at), "!="))
    sure = lambda g, kind: told(g, "nonnegative" if kind == ">=" else "positive")
    return [(g, kind) for g, kind in dict.fromkeys(out) if not sure(g, kind)]


def ways(c: Comparison, entries: Entries) -> Iterator[Way]:
    """The ways to a conclusion, the likeliest first."""
    if c.matrices:
        yield from _order(SYMBOLIC.matrix(c.gap, entries.at), c.strict, entries)
        return
    small, big = c.values
    yield from _extreme(c, small, big, entries)
    yield from _squares(c, small, big, entries)
    goal = (entries.put(small, c), "<" if c.strict else "<=", entries.put(big, c))
    columns = [v for m, v in entries.at.items() if getattr(m, "shape", ()) == (2, 1)]
    facts = [(v.T * p * v)[0, 0] for v in columns for p in entries.facts if p.rows == 2]
    yield Way((goal,), where=tuple((sp.expand(g), ">=", sp.S.Zero) for g in facts))


def _order(m: sp.Matrix, strict: bool, entries: Entries) -> Iterator[Way]:
    """A matrix is semidefinite: by the diagonal and the determinant, and by its quadratic form."""
    if m.rows == 1 or m[0, 1] == 0 or sp.count_ops(m[0, 0] * m[1, 1] - m[0, 1] ** 2) > LONGEST:
        goals = [*(x for x, *_ in psd(m)[: m.rows])]
        if m.rows == 1 or m[0, 1] == 0:
            yield Way(tuple((_factored(g), ">" if strict else ">=", sp.S.Zero) for g in goals))
            return
    else:
        det = m[0, 0] * m[1, 1] - m[0, 1] ** 2
        goals = [m[0, 0], m[1, 1], det]
        words = "the diagonal and the determinant of the difference"
        yield Way(tuple((_factored(g), ">" if strict else ">=", sp.S.Zero) for g in goals), words)
    if strict:
        return
    x = sp.Matrix([sp.Symbol("x_1", real=True), sp.Symbol("x_2", real=True)])
    if any(str(s) in ("x_1", "x_2") for s in entries.domain):
        return
    form = lambda p: sp.expand((x.T * p * x)[0, 0])
    facts = tuple((form(p), ">=", sp.S.Zero) for p in entries.facts if p.rows == 2)
    yield Way(((form(m), ">=", sp.S.Zero),), "the quadratic form of the difference", facts, tuple(x))


def _factored(e: sp.Expr) -> sp.Expr:
    return sp.factor(sp.together(e)) if sp.count_ops(e) <= LONGEST else e


def _extreme(c: Comparison, small: sp.Expr, big: sp.Expr, entries: Entries) -> Iterator[Way]:
    """A bound on the largest eigenvalue, or on a norm, is an order of matrices."""
    atoms = {s: a for a, s in c.atoms.items()}
    k, s = small.as_coeff_Mul()
    a = atoms.get(s)
    if k.is_positive and isinstance(a, (LargestEigenvalue, *NORMS)) and not big.has(s):
        m, bound = SYMBOLIC.matrix(a.args[0], entries.at), entries.put(big, c) / k
        positive: tuple[Hypothesis, ...] = ((bound, ">=", sp.S.Zero),)
        if isinstance(a, FrobeniusNorm):
            square = sp.expand(sum(x**2 for x in m))
            yield Way((*positive, (square, "<" if c.strict else "<=", bound**2)), "both sides squared")
            return
        if isinstance(a, OperatorNorm) and not entries.semidefinite(a.args[0]):
            m, bound = gram(m), bound**2
        elif isinstance(a, LargestEigenvalue):
            positive = ()
        for way in _order((sp.eye(m.rows) * bound - m).applyfunc(sp.expand), c.strict, entries):
            yield Way((*positive, *way.goals), way.words, way.where, way.free)
    k, s = big.as_coeff_Mul()
    a = atoms.get(s)
    if k.is_positive and isinstance(a, SmallestEigenvalue) and not small.has(s):
        m = SYMBOLIC.matrix(a.args[0], entries.at) - sp.eye(int(a.args[0].shape[0])) * entries.put(small, c) / k
        yield from _order(m.applyfunc(sp.expand), c.strict, entries)


def _squares(c: Comparison, small: sp.Expr, big: sp.Expr, entries: Entries) -> Iterator[Way]:
    """A product of norms is at least a number if its square is."""
    atoms = {s: a for a, s in c.atoms.items()}
    factors = sp.Mul.make_args(big)
    if not any(isinstance(atoms.get(f), FrobeniusNorm) for f in factors):
        return
    if all(isinstance(atoms.get(f), NORMS) or f.is_nonnegative for f in factors):
        sides = [entries.put(side, c) ** 2 for side in (small, big)]
        known = {n**2: sp.expand(sum(x**2 for x in m)) for (kind, m), n in entries.heads.items()
                 if kind is FrobeniusNorm}  # fmt: skip
        left, right = (sp.expand(side).xreplace(known) for side in sides)
        yield Way(((left, "<" if c.strict else "<=", right),), "both sides squared")


