"""The scalar inequalities that a conclusion about matrices of size 1 and 2 comes down to, in a
list of ways, each of which suffices.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from numerics.lemmas.matrices.comparisons import Comparison
from numerics.lemmas.matrices.entries import Entries, Hypothesis, gram
from numerics.lemmas.matrices.heads import (
    FrobeniusNorm,
    LargestEigenvalue,
    Matrices,
    OperatorNorm,
    SmallestEigenvalue,
    Spectral,
)
from numerics.lemmas.matrices.values import SYMBOLIC
from numerics.provers.exact.exact_numbers import told

__all__ = ["Way", "factored", "needs", "ways"]

#: Determinants with more operations are not brought to a common denominator.
LONGEST = 2000
#: Longer polynomials are not factored.
LONGEST_PRODUCT = 500
NORMS = (FrobeniusNorm, OperatorNorm)


@dataclass(frozen=True)
class Way:
    """Inequalities that imply the conclusion, with further hypotheses on further numbers."""

    goals: tuple[Hypothesis, ...]
    words: str = ""
    where: tuple[Hypothesis, ...] = ()
    #: Numbers that take all real values.
    free: tuple[sp.Symbol, ...] = ()
    #: Numbers of which the hypotheses are left out.
    without: frozenset[sp.Expr] = frozenset()


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
    turns = (_extreme, _squares) if any(isinstance(a, Spectral) for a in c.atoms) else (_squares, _extreme)
    for turn in turns:
        yield from turn(c, small, big, entries)
    goal = (entries.put(small, c), "<" if c.strict else "<=", entries.put(big, c))
    columns = [v for m, v in entries.at.items() if getattr(m, "shape", ()) == (2, 1)]
    facts = [(v.T * p * v)[0, 0] for v in columns for p in entries.facts if p.rows == 2]
    yield Way((goal,), where=tuple((sp.expand(g), ">=", sp.S.Zero) for g in facts))


def _order(m: sp.Matrix, strict: bool, entries: Entries) -> Iterator[Way]:
    """A matrix is semidefinite: by the diagonal and the determinant, and by its quadratic form."""
    diagonal, op = [m[i, i] for i in range(m.rows)], ">" if strict else ">="
    alone = m.rows == 1 or m[0, 1] == 0
    goals = diagonal if alone else [*diagonal, m[0, 0] * m[1, 1] - m[0, 1] ** 2]
    words = "" if alone else "the diagonal and the determinant of the difference"
    yield Way(tuple((g, op, sp.S.Zero) for g in goals), words)
    if alone:
        return
    if strict:
        return
    x = sp.Matrix([sp.Symbol("x_1", real=True), sp.Symbol("x_2", real=True)])
    if any(str(s) in ("x_1", "x_2") for s in entries.domain):
        return
    form = lambda p: sp.expand((x.T * p * x)[0, 0])
    facts = tuple((form(p), ">=", sp.S.Zero) for p in entries.facts if p.rows == 2)
    yield Way(((form(m), ">=", sp.S.Zero),), "the quadratic form of the difference", facts, tuple(x))


def factored(e: sp.Expr) -> sp.Expr:
    """The expression over a common denominator, as a product if that is found fast."""
    if sp.count_ops(e) > LONGEST:
        return e
    e = sp.together(e)
    n, d = sp.fraction(e)
    short = all(sp.count_ops(sp.expand(part)) <= LONGEST_PRODUCT for part in (n, d))
    return sp.factor(n) / sp.factor(d) if short else e


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
            yield from _on_a_vector(c, a.args[0], bound, entries)
            m, bound = gram(m), bound**2
        elif isinstance(a, LargestEigenvalue):
            positive = ()
        for way in _order((sp.eye(m.rows) * bound - m).applyfunc(sp.expand), c.strict, entries):
            yield Way((*positive, *way.goals), way.words, way.where, way.free)
    k, s = big.as_coeff_Mul()
    a = atoms.get(s)
    if k.is_positive and isinstance(a, SmallestEigenvalue) and not small.has(s):
        m = (
            SYMBOLIC.matrix(a.args[0], entries.at)
            - sp.eye(int(a.args[0].shape[0])) * entries.put(small, c) / k
        )
        yield from _order(m.applyfunc(sp.expand), c.strict, entries)


def _on_a_vector(c: Comparison, x: Any, bound: sp.Expr, entries: Entries) -> Iterator[Way]:
    """A bound on a norm by the lengths of images of a unit vector. A matrix that only meets this
    vector, and of which nothing but its norm is known otherwise, is its image, a free vector.
    """
    sides = [e for k in entries.st.comparisons for e in (k.lhs, k.rhs)]
    count = lambda e, inner: sum(a == inner for a in sp.preorder_traversal(e))
    met = _meets(x)
    loose = [
        m for m in dict.fromkeys(met)
        if entries.st.matrices.get(m) is Matrices.ANY
        and sum(count(e, m) for e in sides) == met.count(m) + sum(count(e, OperatorNorm(m)) for e in sides)
    ]  # fmt: skip
    unit = _vector("x", int(x.shape[1]))
    images = {m: _vector(f"{m.name}x", int(m.shape[0])) for m in loose}
    free = {s for v in (unit, *images.values()) for s in v}
    if not loose or {str(s) for s in free} & {str(s) for s in entries.domain}:
        return
    square = lambda v: sp.expand((v.T * v)[0, 0])
    where: list[Hypothesis] = [(square(unit), "==", sp.S.One)]
    norms: list[tuple[sp.Expr, sp.Matrix]] = []
    for m, v in images.items():
        n = entries.heads.get((OperatorNorm, sp.ImmutableMatrix(entries.at[m])))
        where += [] if n is None else [(n**2, ">=", square(v))]
        norms += [] if n is None else [(n, v)]
    for (n, v), (k, w) in itertools.combinations(norms, 2):  # Cauchy and Schwarz
        if v.shape == w.shape:
            where += [(sign * sp.expand((v.T * w)[0, 0]), "<=", n * k) for sign in (1, -1)]
    gone = frozenset(s for m in loose for s in entries.at[m].free_symbols)
    gap = sp.expand(bound**2 - square(_image(x, unit, images, entries)))
    goal = gap, ">" if c.strict else ">=", sp.S.Zero
    words = "images of a unit vector $x$"
    yield Way(((bound, ">=", sp.S.Zero), goal), words, tuple(where), tuple(sorted(free, key=str)), gone)


def _vector(name: str, n: int) -> sp.Matrix:
    return sp.Matrix([sp.Symbol(f"{name}_{k + 1}", real=True) for k in range(n)])


def _meets(e: Any) -> list[Any]:
    """The variables that meet a vector on which an expression acts."""
    if isinstance(e, sp.MatAdd):
        return [m for a in e.args for m in _meets(a)]
    return _meets(e.args[-1]) if isinstance(e, sp.MatMul) else [e]


def _image(e: Any, v: sp.Matrix, images: Mapping[Any, sp.Matrix], entries: Entries) -> sp.Matrix:
    """The image of the vector under an expression."""
    if e in images:
        return images[e]
    if isinstance(e, sp.MatAdd):
        return sum((_image(a, v, images, entries) for a in e.args), sp.zeros(int(e.shape[0]), 1))
    if isinstance(e, sp.MatMul):
        v = _image(e.args[-1], v, images, entries)
        for a in reversed(e.args[:-1]):
            v = SYMBOLIC.matrix(a, entries.at) * v if a.is_Matrix else v * SYMBOLIC.number(a, entries.at)
        return v
    return SYMBOLIC.matrix(e, entries.at) * v


def _squares(c: Comparison, small: sp.Expr, big: sp.Expr, entries: Entries) -> Iterator[Way]:
    """A sum of products of norms is at least a number if its square is; what is left of the square
    besides products of norms is brought to the other side, and squared again.
    """
    atoms = {s: a for a, s in c.atoms.items()}
    terms = [sp.Mul.make_args(t) for t in sp.Add.make_args(big)]
    fine = lambda f: isinstance(atoms.get(f), NORMS) or f.is_nonnegative
    if not any(isinstance(a, FrobeniusNorm) for a in atoms.values()) or not all(map(fine, sum(terms, ()))):
        return
    left, right, op = entries.put(small, c), entries.put(big, c), "<" if c.strict else "<="
    known = {n: sp.expand(sum(x**2 for x in m)) for (kind, m), n in entries.heads.items()
             if kind is FrobeniusNorm}  # fmt: skip
    without = lambda e: sp.expand(e).replace(
        lambda a: a.is_Pow and a.base in known and a.exp.is_Integer and a.exp > 1,
        lambda a: known[a.base] ** (a.exp // 2) * a.base ** (a.exp % 2),
    )
    for _ in range(2):
        square = sp.expand(without(right**2))
        rest, right = square.as_independent(*known, as_Add=True)
        left = sp.expand(without(left**2)) - rest
        if not right.has(*known):
            break
    yield Way(((left, op, right),), "both sides squared")
