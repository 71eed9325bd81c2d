"""The field in which the normal form of identities lives: fractions of polynomials in letters,
modulo the polynomial relations between the letters. Zero is decided by the remainder of a
numerator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias

import sympy as sp
from flint import Ordering, fmpq_mpoly, fmpq_mpoly_ctx
from sympy.polys.groebnertools import groebner
from sympy.polys.orderings import lex
from sympy.polys.rings import ring as sympy_ring

from numerics.rationals import flint_rational, sympy_rational

__all__ = ["Field", "Fraction", "Poly", "Undefined"]

Poly: TypeAlias = fmpq_mpoly
Fraction: TypeAlias = tuple[Poly, Poly]


class Undefined(ValueError):
    """A denominator of the statement is identically zero, or its hypotheses contradict each
    other.
    """


class Alphabet(Protocol):
    """What a field must know of the letters: which letter is older, and which is a root of what."""

    age: dict[sp.Dummy, int]
    root_of: dict[sp.Dummy, sp.Expr]
    minus_one: sp.Dummy | None

    def meaning_of(self, e: sp.Expr) -> sp.Expr:
        """An expression in letters as the expression for which it stands."""


class Field:
    """The polynomial ring of some expressions in letters, and the relations between its roots."""

    def __init__(self, letters: Alphabet, exprs: Iterable[sp.Expr]) -> None:
        self.letters = letters
        self.order: dict[sp.Dummy, int] = {}
        queue, degree = list(exprs), self.order
        while queue:
            e = queue.pop()
            found = {
                (b, p)
                for b, p in (x.as_base_exp() for x in e.atoms(sp.Pow) | e.atoms(sp.Dummy))
                if b.is_Dummy
            }
            for letter, p in found:
                if letter not in degree and letter in letters.root_of:
                    queue.append(letters.root_of[letter])
                degree[letter] = sp.ilcm(degree.get(letter, 1), p.q)
        # what is built later is eliminated first
        self.gens = sorted(degree, key=letters.age.__getitem__, reverse=True)
        self.ctx = fmpq_mpoly_ctx.get(tuple(f"g{i}" for i in range(max(1, len(self.gens)))), Ordering.lex)
        self.gen = dict(zip(self.gens, self.ctx.gens()))
        self.one = self.ctx.constant(1)
        self.ring = sympy_ring([f"g{i}" for i in range(max(1, len(self.gens)))], sp.QQ, lex)[0]
        self.basis: list[Any] = []
        self._cache: dict[sp.Expr, Fraction] = {}
        for letter in reversed(self.gens):
            relation = self._relation(letter)
            if relation is not None:
                self.basis.append(self._to_sympy(relation))
        self._complete()

    def _relation(self, letter: sp.Dummy) -> Poly | None:
        """The polynomial that vanishes at a letter: a cyclotomic one for a root of -1, ``g^n - e``
        for a root of ``e``; None for a letter that is free.
        """
        g, n = self.gen[letter], self.order[letter]
        if letter is self.letters.minus_one:
            return sum(
                (int(c) * g**k for (k,), c in sp.Poly(sp.cyclotomic_poly(2 * n, sp.Dummy())).terms()),
                0 * self.one,
            )
        if letter in self.letters.root_of:
            num, den = self.fraction(self.letters.root_of[letter])
            return den * g**n - num
        return None

    def _complete(self) -> None:
        """Make the relations a Groebner basis, which they are already if their leading monomials
        have no letter in common.
        """
        used: set[int] = set()
        for p in self.basis:
            support = {i for i, k in enumerate(p.LM) if k}
            if not support or support & used:
                self.basis = groebner(self.basis, self.ring)
                return
            used |= support

    def _to_sympy(self, p: Poly) -> Any:
        return self.ring.from_dict({m: sp.QQ(int(c.p), int(c.q)) for m, c in p.to_dict().items()})

    def reduced(self, p: Poly) -> Poly:
        """The remainder by the relations: zero if `p` lies in their ideal."""
        if not self.basis or p.is_zero():
            return p
        rest = self._to_sympy(p).rem(self.basis)
        return self.ctx.from_dict({m: flint_rational(c) for m, c in rest.terms()})

    def with_relations(self, polys: Sequence[Poly]) -> None:
        """Let further polynomials vanish: the side conditions of a statement."""
        self.basis = groebner(
            [*self.basis, *(self._to_sympy(p) for p in polys if not p.is_zero())], self.ring
        )
        if any(p.is_ground and p for p in self.basis):
            raise Undefined("the hypotheses in `given` contradict each other: no point satisfies them")

    def cancelled(self, num: Poly, den: Poly) -> Fraction:
        """The same fraction without common factor, its denominator monic."""
        if den.is_constant():
            return num / den.leading_coefficient(), self.one
        g = num.gcd(den)
        num, den = (num, den) if g.is_one() else (divmod(num, g)[0], divmod(den, g)[0])
        lead = den.leading_coefficient()
        return num / lead, den / lead

    def fraction(self, e: sp.Expr) -> Fraction:
        """Numerator and denominator of an expression in letters, without common factor, the
        denominator monic.
        """
        if e not in self._cache:
            self._cache[e] = self._fraction(e)
        return self._cache[e]

    def _fraction(self, e: sp.Expr) -> Fraction:
        if e.is_Rational:
            return self.one * flint_rational(e), self.one
        base, exponent = e.as_base_exp()
        if base.is_Dummy:
            k = exponent * self.order[base]
            return self._power((self.gen[base], self.one), int(k), e)
        if e.is_Pow:
            return self._power(self.fraction(base), int(exponent), e)
        parts = [self.fraction(a) for a in e.args]
        num, den = parts[0]
        for n, d in parts[1:]:
            if e.is_Mul:
                num, den = self.cancelled(num * n, den * d)
            elif d == den:
                num, den = (num + n, den) if den.is_constant() else self.cancelled(num + n, den)
            else:
                num, den = self.cancelled(num * d + n * den, den * d)
        return num, den

    def _power(self, f: Fraction, k: int, e: sp.Expr) -> Fraction:
        if k >= 0:
            return f[0] ** k, f[1] ** k
        if self.reduced(f[0]).is_zero():
            raise Undefined(
                f"the denominator {self.letters.meaning_of(1 / e)} is identically zero: defined nowhere"
            )
        return self.cancelled(f[1] ** -k, f[0] ** -k)

    def expression(self, p: Poly) -> sp.Expr:
        """A polynomial of this ring as a SymPy expression in letters."""
        roots = [g ** sp.Rational(1, self.order[g]) for g in self.gens]
        return sp.Add(
            *(
                sympy_rational(c) * sp.Mul(*(g**k for g, k in zip(roots, m) if k))
                for m, c in p.to_dict().items()
            )
        )

    def is_zero(self, p: Poly, nonzero: Sequence[Poly] = ()) -> bool:
        """Whether `p` vanishes where the relations hold and each of `nonzero` does not (over the
        complex numbers: a radical).
        """
        if self.reduced(p).is_zero():
            return True
        if not nonzero:
            return False
        bigger, t, *_ = sympy_ring(["t", *map(str, self.ring.symbols)], sp.QQ, lex)
        lift = lambda q: bigger.from_dict({(0, *m): c for m, c in q.terms()})
        product = self._to_sympy(p)
        for n in nonzero:
            product = product * self._to_sympy(n)
        return any(
            g.is_ground and g for g in groebner([*map(lift, self.basis), t * lift(product) - 1], bigger)
        )
