"""Certificates with sums of squares: the negated goal and products of facts, each times a sum of
squares, add up to 0, and what is positive occurs.

How many products and monomials that are is counted before anything is built. If all facts are
homogeneous, so are the parts of the identity, and if signs of variables may be changed, no
monomials of different parity meet in a square (Gatermann, Parrilo 2004).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import comb

import numpy as np
import sympy as sp
from flint import fmpq_mat, fmpz

from numerics.provers.exact.certificates import Certificate, Poly, Product, Reader
from numerics.provers.exact.gram_matrices import Array, Block, Program, null_space, solved

__all__ = ["sum_of_squares"]

#: Variables at most, products of facts, monomials that a basis is chosen from, entries of all Gram
#: matrices together, and of the largest of them in a row: counted before a program is built.
MOST_VARIABLES, MOST_PRODUCTS, MOST_MONOMIALS, MOST_ENTRIES, MOST_BASIS = 9, 60, 1000, 900, 40


def sum_of_squares(read: Reader, against: Product, known: Sequence[Product]) -> Certificate | None:
    """Why the negated goal, which is positive if that is strict, contradicts what is known, by sums
    of squares of low degree; None if there is none, or if it would be too large. An equation is
    given with both signs.
    """
    if len(read.gens) > MOST_VARIABLES or against.poly == 0:
        return None
    tried = set()
    for program in _programs(read, against, known):
        blocks = ((b.counts, str(b.weight.poly), str(b.basis)) for b in program.blocks)
        key = (*blocks, *((str(e.poly), len(ms)) for e, ms in program.nulls))
        if key not in tried and (found := solved(read, program)) is not None:
            return found
        tried.add(key)
    return None


def _programs(read: Reader, against: Product, known: Sequence[Product]) -> Iterator[Program]:
    """Programs of rising size: the goal alone, with products of facts, and then multiplied."""
    texts = {str(p.poly) for p in known}
    both = [p for p in known if p.poly != 0 and str(-p.poly) in texts]
    nulls = [p for i, p in enumerate(both) if str(-p.poly) not in {str(q.poly) for q in both[:i]}]
    known = [p for p in known if str(-p.poly) not in texts and p.poly.total_degree() > 0]
    known = list({str(p.poly): p for p in sorted(known, key=lambda p: p.strict)}.values())
    one = read.one()
    twos = [a * b for a, b in itertools.combinations(known, 2)]
    threes = [a * b * c for a, b, c in itertools.combinations(known, 3)]
    with_facts = [[one, *known, *twos, *threes], [one, *known, *twos], [one, *known]]
    even = lambda k: k + k % 2
    degree = even(against.poly.total_degree())
    top = even(max([degree, *(p.poly.total_degree() for p in nulls)]))
    plans = [([[one]], [], degree, False), (with_facts, nulls, top, False)]
    plans += [(with_facts, nulls, top + more, True) for more in (2, 4)]
    for choices, equations, most, multiplied in plans:
        for products in choices:
            if len(products) <= MOST_PRODUCTS:
                made = _Graded(read, against, products, equations, most).programs(multiplied)
                if (small := [p for p in made if p is not None]) and len(small) == len(made):
                    yield from small
                    break


class _Graded:
    """An identity of a degree as programs of one multidegree each, in every grading in which all
    facts are homogeneous.
    """

    def __init__(
        self, read: Reader, against: Product, products: list[Product], nulls: list[Product], most: int
    ) -> None:
        self.read, self.against, self.products, self.nulls, self.most = read, against, products, nulls, most
        self.n = len(read.gens)
        polys = [p.poly for p in (against, *products, *nulls)]
        self.grading, self.parity = _gradings(polys, self.n), _parities(polys, self.n)

    def programs(self, multiplied: bool) -> list[Program | None]:
        """Those in which something is positive, for goals that are `multiplied` by a sum of squares
        or themselves, too; None in the place of one that is too large.
        """
        degree = self.against.poly.total_degree()
        withal = [self.against * p for p in self.products if p.poly.total_degree() + degree <= self.most]
        positive = [p for p in (withal if self.against.strict else self.products) if p.strict]
        if self.against.strict and multiplied:
            positive += [self.against * q for q in self._apart()]
            positive += [self.against * self.against] if 2 * degree <= self.most else []
        half = max((self.most - p.poly.total_degree()) // 2 for p in (*self.products, *withal))
        reach = max([half, *(self.most - e.poly.total_degree() for e in self.nulls)])
        if comb(self.n + reach, self.n) > MOST_MONOMIALS:
            return [None]
        targets = sorted({self._degree(p) for p in positive}, key=lambda t: (sum(map(abs, t)), t))
        made = []
        for target in targets:
            blocks = [Block(p, (self.read.one().poly,), True) for p in positive if self._degree(p) == target]
            blocks += [Block(p, basis) for p in (*self.products, *withal) for basis in self._bases(p, target)]
            made.append(Program(tuple(blocks), tuple((e, self._multipliers(e, target)) for e in self.nulls)))
        return [small for program in made for small in _small(program)]

    def _degree(self, p: Product) -> tuple[int, ...]:
        return tuple(map(int, self.grading @ np.array(p.poly.monoms()[0])))

    def _bases(self, p: Product, target: tuple[int, ...]) -> list[tuple[Poly, ...]]:
        """The monomials of which squares times a product have the multidegree, by parity."""
        rows = self._monomials((self.most - p.poly.total_degree()) // 2)
        rows = rows[(2 * rows @ self.grading.T == np.subtract(target, self._degree(p))).all(axis=1)]
        classes: dict[tuple[int, ...], list[Poly]] = {}
        for m in rows:
            classes.setdefault(tuple(self.parity @ m % 2), []).append(self._monomial(m))
        return list(map(tuple, classes.values()))

    def _multipliers(self, e: Product, target: tuple[int, ...]) -> tuple[Poly, ...]:
        """The monomials that an equation may be multiplied by."""
        rows = self._monomials(self.most - e.poly.total_degree())
        rows = rows[(rows @ self.grading.T == np.subtract(target, self._degree(e))).all(axis=1)]
        return tuple(map(self._monomial, rows[(rows @ self.parity.T % 2 == 0).all(axis=1)]))

    def _monomials(self, most: int) -> Array:
        """The exponents of all monomials up to a degree."""
        picks = itertools.combinations_with_replacement(range(self.n + 1), most) if most >= 0 else ()
        rows = [[pick.count(i) for i in range(1, self.n + 1)] for pick in picks]
        return np.array(rows, dtype=int).reshape(-1, self.n)

    def _monomial(self, powers: Array) -> Poly:
        return self.read.ring.from_dict({tuple(map(int, powers)): 1})

    def _apart(self) -> list[Product]:
        """What is positive because the goal fails: ``x**2 + y**2`` where each of its terms has x or
        y, so that it would be 0, and not positive, where both are. The variables of a sum have the
        same degree.
        """
        found = []
        for degree in dict.fromkeys(map(tuple, self.grading.T)):
            own = [i for i, g in enumerate(self.grading.T) if tuple(g) == degree]
            own = [i for i in own if any(m[i] for m in self.against.poly.monoms())]
            if own and all(any(m[i] for i in own) for m in self.against.poly.monoms()):
                e = sp.Add(*(self.read.symbols[i] ** 2 for i in own))
                p = sum((self.read.gens[i] ** 2 for i in own), start=self.read.ring.constant(0))
                found.append(Product(p, True, (e,)))
        return found


def _small(program: Program) -> list[Program | None]:
    """The program without what has to be 0; None in its place if it is too large, and nothing if it
    has no solution.
    """
    if program.size > 4 * MOST_ENTRIES:
        return [None]
    program = _shrunk(program)
    if not any(b.counts for b in program.blocks):
        return []
    few = program.size <= MOST_ENTRIES and all(len(b.basis) <= MOST_BASIS for b in program.blocks)
    return [program if few else None]


def _gradings(polys: Sequence[Poly], n: int) -> Array:
    """Integer vectors that span the degrees of variables for which all are homogeneous."""
    rows = [np.subtract(m, p.monoms()[0]) for p in polys for m in p.monoms()[1:]]
    if not rows:
        return np.eye(n, dtype=int)
    reduced, rank = fmpq_mat(len(rows), n, [int(x) for row in rows for x in row]).rref()
    out = []
    for v in null_space(reduced, rank):
        scale = fmpz(1)
        for x in v:
            scale = scale.lcm(x.q)
        out.append([int((x * scale).p) for x in v])
    return np.array(out, dtype=int).reshape(-1, n)


def _parities(polys: Sequence[Poly], n: int) -> Array:
    """The sets of variables whose signs may be changed together without any change of these."""
    odd = np.array(sorted({tuple(e % 2 for e in m) for p in polys for m in p.monoms()})).reshape(-1, n)
    signs = np.array(list(itertools.product((0, 1), repeat=n)))
    return signs[(signs @ odd.T % 2 == 0).all(axis=1)]


def _shrunk(program: Program) -> Program:
    """The program without what has to be 0: a monomial that only squares have, all with the same
    sign, does not cancel (what is left of a single polynomial is half its Newton polytope).
    """
    dead: set[tuple[int, int]] = set()
    columns = [(j, a, b, p.to_dict()) for j, a, b, p in program.columns()]
    free = {tuple(m) for e, ms in program.nulls for q in ms for m in (e.poly * q).monoms()}
    while True:
        rows: dict[tuple[int, ...], tuple[set[bool], set[tuple[int, int]]]] = {}
        columns = [c for c in columns if (c[0], c[1]) not in dead and (c[0], c[2]) not in dead]
        for j, a, b, p in columns:
            for m, c in p.items():
                signs, squares = rows.setdefault(m, (set(), set()))
                signs |= {c > 0} if a == b else {True, False}
                squares.add((j, a))
        gone = {
            s for m, (signs, squares) in rows.items() if len(signs) == 1 and m not in free for s in squares
        }
        if not gone:
            break
        dead |= gone
    bases = ([q for a, q in enumerate(b.basis) if (j, a) not in dead] for j, b in enumerate(program.blocks))
    blocks = (replace(b, basis=tuple(basis)) for b, basis in zip(program.blocks, bases) if basis)
    return replace(program, blocks=tuple(blocks))
