"""A statement at rational matrices, decided exactly: by rational arithmetic and roots wherever they
give the values, and by Arb for eigenvalues that are roots of polynomials of degree three and four.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import acb, fmpq, fmpq_mat, fmpq_poly

from numerics.lemmas.matrices.comparisons import Comparison
from numerics.lemmas.matrices.heads import (
    FrobeniusNorm,
    LargestEigenvalue,
    Matrices,
    OperatorNorm,
    SmallestEigenvalue,
)
from numerics.lemmas.matrices.values import EXACT, Singular, negative_vector
from numerics.lemmas.matrices.words import Sized
from numerics.provers.as_written import Condition
from numerics.provers.enclosures.balls import NoBall, ball_function, precision, value
from numerics.provers.exact.exact_numbers import Undecided, put, sign
from numerics.rationals import sympy_rational

__all__ = ["Seen", "belongs", "meets", "seen"]

At = Mapping[Any, Any]
BITS = (64, 256, 1024)
#: Small whole vectors that are tried before the one of the elimination.
SMALL = (0, 1, -1, 2, -2)


@dataclass(frozen=True)
class Root:
    """The eigenvalue at a place, counted from the smallest, of a polynomial with distinct real
    roots; its square root, if wanted.
    """

    polynomial: fmpq_poly
    place: int
    rooted: bool = False

    def ball(self, bits: int) -> acb:
        with precision(bits + 64):
            roots = sorted((r.real for r, _ in self.polynomial.complex_roots()), key=lambda r: float(r.mid()))
            chosen = roots[self.place]
            if any(r is not chosen and r.overlaps(chosen) for r in roots):
                raise NoBall("eigenvalues are not separated")
            return acb(chosen.sqrt() if self.rooted else chosen)


def eigenvalue(m: fmpq_mat, largest: bool) -> sp.Expr | Root:
    """An extreme eigenvalue of a symmetric matrix."""
    known: list[tuple[Any, sp.Expr | Root]] = []
    for p, _ in m.charpoly().factor()[1]:
        if p.degree() <= 2:
            c = [sympy_rational(p[k]) for k in range(p.degree() + 1)]
            roots: list[Any] = [-c[0] / c[1]]
            if p.degree() == 2:
                root = sp.sqrt(c[1] ** 2 - 4 * c[2] * c[0])
                roots = [(-c[1] + s * root) / (2 * c[2]) for s in (-1, 1)]
            known += [(value(r, 256).real, r) for r in roots]
        else:
            places = [Root(p, k) for k in range(p.degree())]
            known += [(r.ball(256).real, r) for r in places]
    known.sort(key=lambda pair: float(pair[0].mid()))
    ball, chosen = known[-1 if largest else 0]
    if any(b.overlaps(ball) for b, r in known if r is not chosen):
        raise NoBall("eigenvalues are not separated")
    return chosen


def atom(a: sp.Expr, at: At) -> sp.Expr | Root:
    """The value of what belongs to a matrix in a scalar side."""
    if not isinstance(a, (FrobeniusNorm, OperatorNorm, LargestEigenvalue, SmallestEigenvalue)):
        return sympy_rational(EXACT.number(a, at))
    m = EXACT.matrix(a.args[0], at)
    if isinstance(a, (LargestEigenvalue, SmallestEigenvalue)):
        return eigenvalue(m, isinstance(a, LargestEigenvalue))
    gram = m.transpose() * m if m.ncols() <= m.nrows() else m * m.transpose()
    if isinstance(a, FrobeniusNorm):
        return sp.sqrt(sympy_rational(EXACT.trace(gram)))
    square = eigenvalue(gram, True)
    return Root(square.polynomial, square.place, True) if isinstance(square, Root) else sp.sqrt(square)


@dataclass(frozen=True)
class Numbers:
    """Values for the symbols of scalar sides."""

    values: Mapping[sp.Symbol, sp.Expr | Root]

    def sign(self, e: sp.Expr) -> tuple[int | None, str]:
        """The sign of an expression, None where it is not known, and how it was decided."""
        roots = {s: v for s, v in self.values.items() if isinstance(v, Root) and e.has(s)}
        try:
            e = put(e, {s: v for s, v in self.values.items() if not isinstance(v, Root)})
            if not roots:
                fine = not e.has(sp.I, sp.nan, sp.zoo, sp.oo, -sp.oo)
                return (sign(e) if fine else None), "exact" if e.is_Rational else "Arb"
            f = ball_function(e, list(roots))
            for bits in BITS:
                with precision(bits):
                    ball = f([r.ball(bits) for r in roots.values()], False)
                if ball.imag.is_zero() and ball.is_finite() and not ball.real.contains(0):
                    return (1 if ball.real > 0 else -1), "Arb"
        except (Undecided, NoBall):
            pass
        return None, ""

    def defined(self, conditions: tuple[Condition, ...]) -> bool:
        """Whether the sides are surely defined."""
        fine = {">": (1,), ">=": (1, 0), "!=": (1, -1)}
        return all(self.sign(g)[0] in fine[kind] for g, kind in conditions)


@dataclass(frozen=True)
class Seen:
    """Whether a comparison holds (None: not known, or undefined), how that was decided, and a
    vector that shows it false for matrices.
    """

    holds: bool | None
    by: str = "exact"
    vector: tuple[Any, ...] = ()


def compared(c: Comparison, at: At) -> Seen:
    """A comparison at a point."""
    try:
        return _matrices(c, at) if c.matrices else _scalars(c, at)
    except (Singular, NoBall):
        return Seen(None, "")


def _scalars(c: Comparison, at: At) -> Seen:
    own = {s: sympy_rational(v) for s, v in at.items() if isinstance(s, sp.Symbol)}
    numbers = Numbers({**own, **{s: atom(a, at) for a, s in c.atoms.items()}})
    small, big = c.values
    s, by = numbers.sign(big - small)
    if s is None or not numbers.defined(c.conditions):
        return Seen(None, "")
    fine = {"==": (0,), "!=": (1, -1)}.get(c.op, (1,) if c.strict else (1, 0))
    exact = all(not isinstance(v, Root) and v.is_Rational for v in numbers.values.values())
    return Seen(s in fine, by if exact else "Arb")


def _matrices(c: Comparison, at: At) -> Seen:
    EXACT.matrix(c.lhs, at), EXACT.matrix(c.rhs, at)  # both are defined, also what cancels
    m = EXACT.matrix(c.gap, at)
    if not c.ordered:
        zero = all(x == 0 for x in m.entries())
        return Seen(zero == (c.op == "=="))
    if m != m.transpose():
        return Seen(None, "")
    found = negative_vector(m, c.strict)
    return Seen(True) if found is None else Seen(False, "exact", _simple(m, c.strict) or tuple(found))


def _simple(m: fmpq_mat, strict: bool) -> tuple[int, ...] | None:
    """The simplest small whole vector that shows a matrix not to be positive."""
    n = m.nrows()
    form = lambda v: sum((m[i, j] * v[i] * v[j] for i in range(n) for j in range(n)), fmpq(0))
    vectors = sorted(itertools.product(SMALL, repeat=n), key=lambda v: sum(map(abs, v)))
    return next((v for v in vectors if any(v) and (form(v) < 0 or (strict and form(v) == 0))), None)


def belongs(m: fmpq_mat, kind: Matrices) -> bool:
    """Whether a matrix is of a class."""
    if kind is Matrices.ANY:
        return True
    if m != m.transpose():
        return False
    return kind is Matrices.SYMMETRIC or negative_vector(m, kind is Matrices.DEFINITE) is None


def meets(st: Sized, at: At) -> bool:
    """Whether a point surely lies in the domain and meets every hypothesis."""
    inside = all(side.contains(at[s]) for s, side in st.scalars.items())
    return (
        inside
        and all(belongs(at[m], kind) for m, kind in st.matrices.items())
        and all(compared(c, at).holds is True for c in st.where)
    )


def seen(st: Sized, at: At) -> tuple[bool, Seen]:
    """Whether the point meets the hypotheses, and what the conclusion says there."""
    met = meets(st, at)
    return met, compared(st.goal, at) if met else Seen(None, "")
