"""What refutes a negated goal: products that are not negative where the hypotheses hold and the
goal fails, of which a combination vanishes although it is positive. A certificate knows the facts
that its products consist of, so that it can be checked by itself, however it was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

import sympy as sp

from numerics.provers.exact.opaque import Fact
from numerics.rationals import flint_rational, in_short, sympy_rational

__all__ = ["Certificate", "Poly", "Product", "Reader"]

Poly = Any  # of FLINT

#: The degree up to which a fact is multiplied out, and the numbers that may occur in it: products
#: of a few of them are still floats.
MOST_DEGREE, LARGEST = 40, 2**200


@dataclass(frozen=True)
class Certificate:
    """``sum of coefficient * product of factors == 0``, where no product is negative wherever the
    hypotheses hold and the goal fails, and one of them is positive.

    >>> x, y = sp.symbols("x y", real=True)
    >>> terms = (1, (2 * x * y - x**2 - y**2,), True), (1, ((x - y) ** 2,), False)
    >>> failed = (2 * x * y - x**2 - y**2, True)
    >>> Certificate(terms, given=(failed,)).holds(), Certificate(terms).holds()
    (True, False)
    """

    #: Each with whether its product is positive.
    terms: tuple[tuple[Fraction, tuple[sp.Expr, ...], bool], ...]
    #: What the letters in it stand for.
    letters: Mapping[sp.Expr, sp.Expr] = field(default_factory=dict)
    #: What holds where the hypotheses do and the goal fails: all that factors may be, but squares.
    given: tuple[Fact, ...] = ()

    def holds(self) -> bool:
        """Whether the sum vanishes, multiplied out by SymPy, though a term is positive, no
        coefficient is negative, and the facts say that no product is.
        """
        signs = all(c > 0 for c, *_ in self.terms) and any(strict for *_, strict in self.terms)
        return signs and self._signs_are_given() and self._vanishes()

    def _vanishes(self) -> bool:
        """Whether the polynomials of all terms add up to 0."""
        symbols = {x for _, factors, _ in self.terms for g in factors for x in g.free_symbols}
        ring = sp.ring([f"x{i}" for i in range(len(symbols) or 1)], sp.QQ)[0]
        names = dict(zip(symbols, ring.symbols))  # two letters may have the same name
        read: dict[sp.Expr, Any] = {}

        def poly(e: sp.Expr) -> Any:
            if e not in read:
                power = e.is_Pow and e.exp.is_Integer and e.exp > 1
                read[e] = poly(e.base) ** int(e.exp) if power else ring.from_expr(e.xreplace(names))
            return read[e]

        total = ring.zero
        for c, factors, _ in self.terms:
            total += prod(map(poly, factors), start=ring.one) * sp.QQ(c.numerator, c.denominator)
        return bool(total == 0)

    def _signs_are_given(self) -> bool:
        """Whether each product has the sign that it is said to have: a factor is a fact, a positive
        number or a square, or it stands beside one of which facts say that it is 0.
        """
        facts: dict[sp.Expr, bool] = {}
        for g, strict in self.given:
            for key in (g, sp.expand(g)):
                facts[key] = strict or facts.get(key, False)
        zero = {g for g in facts if sp.expand(-g) in facts}

        def positive(e: sp.Expr) -> bool:
            if e.is_Rational and e > 0:
                return True
            return facts.get(e, False) or facts.get(sp.expand(e), False) or apart(e)

        def apart(e: sp.Expr) -> bool:
            """Whether x**2 + y**2 is positive, as what is positive would be 0 where x and y are."""
            origin = dict.fromkeys(e.free_symbols, sp.S.Zero)
            square = all(x.is_real for x in origin) and e == sp.Add(*(x**2 for x in origin))
            return square and any(strict and sp.expand(g.xreplace(origin)) == 0 for g, strict in self.given)

        def nonnegative(e: sp.Expr) -> bool:
            even = e.is_Pow and e.exp.is_Integer and e.exp > 0 and e.exp % 2 == 0 and bool(e.base.is_real)
            product = e.is_Mul and all(map(nonnegative, e.args))  # SymPy writes (x*y)**2 as x**2*y**2
            return even or e in facts or product or sp.expand(e) in facts or positive(e)

        return all(
            all(map(positive, factors))
            if strict
            else any(e in zero for e in factors) or all(map(nonnegative, factors))
            for _, factors, strict in self.terms
        )

    def steps(self, names: Mapping[sp.Expr, sp.Expr]) -> tuple[str, ...]:
        """The terms in LaTeX, under the names of a caller, and that they add up to 0."""

        def named(e: sp.Expr) -> sp.Expr:
            while (out := e.xreplace(dict(self.letters))) != e:
                e = out
            return e.xreplace(dict(names))

        lines = []
        for c, factors, strict in self.terms:
            shown = [in_short(sp.Rational(c))] if c != 1 or not factors else []
            for g, k in Counter(map(named, factors)).items():
                alone = (not shown and len(factors) == 1) or g.is_Pow or g.is_Symbol
                text = in_short(g) if alone else rf"\left({in_short(g)}\right)"
                shown.append(text if k == 1 else rf"\left({in_short(g)}\right)^{{{k}}}")
            lines.append(f"${' '.join(shown)} {'>' if strict else chr(92) + 'ge'} 0$")
        return (*lines, "all of this would hold if the statement failed, but its sum is $0$")


@dataclass(frozen=True)
class Product:
    """A product of facts that is not negative, and positive if `strict`; its factors are kept to be
    shown, and a square is one factor.
    """

    poly: Poly
    strict: bool
    factors: tuple[sp.Expr, ...]

    def __mul__(self, other: Product) -> Product:
        return Product(self.poly * other.poly, self.strict and other.strict, (*self.factors, *other.factors))


class Reader:
    """Polynomials over the symbols, as FLINT holds them."""

    def __init__(
        self, ring: Any, symbols: Sequence[sp.Symbol], positive: set[sp.Expr], least_0: set[sp.Expr]
    ) -> None:
        self.ring, self.symbols, self.positive, self.least_0 = ring, symbols, positive, least_0
        self.gens = ring.gens()

    def fact(self, f: Fact) -> Product | None:
        """A rational function has the sign of numerator times denominator where it is defined, and
        their positive factors do not matter.
        """
        e, strict = f
        if not e.is_rational_function(*self.symbols) or _degree(e) > MOST_DEGREE:
            return None
        n, d = sp.fraction(sp.cancel(e))
        try:
            (c, above), (k, below) = (sp.factor_list(q, *self.symbols, domain="QQ") for q in (n, d))
        except (sp.CoercionFailed, sp.PolynomialError):
            return None
        factors = [*above, *((p, m % 2) for p, m in below)]
        if kept := [(p, m) for p, m in factors if not self._positive(p)]:
            factors = kept  # else it is what says that they are positive
        left = sp.sign(k) * c * sp.Mul(*(p**m for p, m in factors))
        poly = self._flint(sp.Poly(left, *self.symbols, domain="QQ"))
        long = any(abs(c.p) > LARGEST or c.q > LARGEST for c in poly.coeffs())
        return None if long else Product(poly, strict, (left,))

    def _positive(self, p: sp.Expr) -> bool:
        """Whether a factor is known to be positive: as it is, or as a sum of positive terms."""
        if p in self.positive:
            return True
        terms = sp.Poly(p, *self.symbols, domain="QQ").terms()
        sure = lambda powers: all(x in self.positive for x, k in zip(self.symbols, powers) if k)
        fine = lambda powers: all(x in self.least_0 or k % 2 == 0 for x, k in zip(self.symbols, powers))
        return all(c > 0 and fine(m) for m, c in terms) and any(sure(m) for m, _ in terms)

    def square(self, p: Poly) -> Product:
        return Product(p * p, False, (self.expression(p) ** 2,))

    def expression(self, p: Poly) -> sp.Expr:
        """A polynomial of FLINT as SymPy's."""
        return sp.Add(*(sympy_rational(c) * self._monomial(m) for m, c in p.terms()))

    def times(self, p: Product, monomial: Poly) -> Product:
        """An equation times a monomial, whose sign does not matter."""
        (powers,) = (m for m, _ in monomial.terms())
        return Product(p.poly * monomial, False, (*p.factors, self._monomial(powers)))

    def one(self) -> Product:
        return Product(self.ring.constant(1), True, ())

    def _monomial(self, powers: Sequence[int]) -> sp.Expr:
        return sp.Mul(*(x ** int(k) for x, k in zip(self.symbols, powers)))

    def _flint(self, p: sp.Poly) -> Poly:
        return self.ring.from_dict({tuple(m): flint_rational(c) for m, c in p.terms()})


def _degree(e: sp.Expr) -> int:
    """A bound for the degrees of numerator and denominator of a rational function."""
    if e.is_Add or e.is_Mul:
        return sum(map(_degree, e.args)) if e.is_Mul or _divides(e) else max(map(_degree, e.args))
    return abs(int(e.exp)) * _degree(e.base) if e.is_Pow else int(e.is_Symbol)


def _divides(e: sp.Expr) -> bool:
    return any(p.exp.is_negative for p in e.atoms(sp.Pow))
