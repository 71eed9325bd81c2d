"""Inequalities between polynomials that follow from others by multiplying and adding.

If the goal failed at a point, then the negated goal would hold there, and so would products of the
hypotheses, of the negated goal with them, and with squares. A combination of such products with
nonnegative coefficients which vanishes identically, while a product that is positive has a positive
coefficient, shows that there is no such point (Krivine 1964, Stengle 1974). Linear programming in
floating point only proposes the products; their coefficients are solved for in rational numbers,
and the identity is then multiplied out: nothing that the floats said is believed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp
from flint import Ordering, fmpq, fmpq_mat, fmpq_mpoly_ctx

from numerics.provers.exact.certificates import Certificate, Product, Reader
from numerics.provers.exact.opaque import Fact, Opaque, Unsure
from numerics.provers.exact.squares import sum_of_squares
from numerics.rationals import fraction

__all__ = ["Certificate", "consequence"]

#: Letters for what is no rational function, at most.
MOST_LETTERS = 8
#: Products that are tried at most, and steps of the simplex method: both are counted, never timed.
MOST_PRODUCTS, MOST_STEPS = 4000, 5000
#: Coefficients below this are taken for 0 when a program proposes which products matter.
ROUNDING = 1e-9


def consequence(goal: Fact, facts: Iterable[Fact]) -> Certificate | None:
    """Why the goal holds wherever the facts do and where goal and facts are defined; None if no
    short combination of them was found.

    >>> x, y = sp.symbols("x y", real=True)
    >>> found = consequence((x * y - 1, False), [(x - 1, False), (y - 1, False)])
    >>> found.holds(), consequence((x * y - 2, False), [(x - 1, False), (y - 1, False)])
    (True, None)
    """
    facts = list(dict.fromkeys(facts))
    words = Opaque([goal[0], *(g for g, _ in facts)], facts)
    try:
        negated = (words.rational(-goal[0]), not goal[1])
        given = [(words.rational(g), strict) for g, strict in facts]
    except Unsure:
        return None
    if len(words.letters) > MOST_LETTERS:
        return None
    given = [f for f in dict.fromkeys((*given, *words.facts, *words.compared(given))) if not f[0].is_number]
    symbols = negated[0].free_symbols.union(*(g.free_symbols for g, _ in given))
    symbols = sorted(symbols, key=lambda x: (str(x), getattr(x, "dummy_index", 0)))
    if not symbols:
        return None
    given += [(x, bool(x.is_positive)) for x in symbols if x.is_nonnegative]
    signs = [(h, strict) for g, strict in given for h in (g, sp.expand(g))]
    positive, least_0 = {g for g, strict in signs if strict}, {g for g, _ in signs}
    ring = fmpq_mpoly_ctx.get(tuple(f"x{i}" for i in range(len(symbols))), Ordering.degrevlex)
    read = Reader(ring, symbols, positive, least_0)
    against = read.fact(negated)
    known = [p for p in map(read.fact, given) if p is not None]
    if against is None:
        return None
    found = _found(read, against, known)
    if found is None:
        return None
    hold = ((f, p.strict) for p in (against, *known) for f in p.factors)
    found = replace(
        found,
        letters={letter: e for e, letter in words.letters.items()},
        given=(*found.given, *hold),
    )
    return found if found.holds() else None


def _found(read: Reader, against: Product, known: list[Product]) -> Certificate | None:
    """The combination of the first kind of products that has one."""
    for products in _pools(read, against, known):
        if len(products) > MOST_PRODUCTS:
            break
        if (found := _combination(products)) is not None:
            return found
    return sum_of_squares(read, against, known)


def _pools(read: Reader, against: Product, known: list[Product]) -> Iterator[list[Product]]:
    """What a combination may consist of, the small sets first. What is known with both signs is an
    equation, and stands with every monomial, too.
    """
    texts = {str(p.poly) for p in known}
    equations = [p for p in known if str(-p.poly) in texts]
    known = [p for p in known if str(-p.poly) not in texts]
    gens, one = read.gens, read.one()
    yield _distinct([one, *known, *equations, against])
    pairs = list(itertools.combinations(gens, 2))
    linear = [*gens, *(x - y for x, y in pairs), *(x + y for x, y in pairs)]
    linear += [x + s for x in gens for s in (-1, 1)]
    squares = [read.square(p) for p in linear]
    twos = [a * b for a, b in itertools.combinations_with_replacement(known, 2)]
    nulls = [*equations, *(read.times(p, x) for p in equations for x in gens)]
    withal = [against, against * against, *(against * k for k in known)]
    yield _distinct([one, *known, *twos, *squares, *nulls, *withal])
    monomials = [*gens, *(x * y for x, y in itertools.combinations_with_replacement(gens, 2))]
    further = [read.square(p) for p in monomials]
    further += [read.square(a - b) for a, b in itertools.combinations(monomials, 2)]
    threes = [a * b for a in twos for b in known] if len(known) <= 7 else []
    weighted = [s * k for s in (*squares, *further) for k in known]
    weighted = weighted if len(weighted) <= 1500 else []
    nulls += [read.times(p, x) for p in equations for x in monomials[len(gens) :]]
    withal += [against * s for s in squares] + ([against * k for k in twos] if len(known) <= 6 else [])
    yield _distinct([one, *known, *twos, *threes, *squares, *further, *weighted, *nulls, *withal])


def _distinct(products: Iterable[Product]) -> list[Product]:
    """One product for each polynomial, a positive one if there is one; none that is 0 and says
    nothing. What is 0 and positive refutes itself, and stays.
    """
    found: dict[Any, Product] = {}
    for p in products:
        key = str(p.poly)
        if (p.poly != 0 or p.strict) and not (key in found and (found[key].strict or not p.strict)):
            found[key] = p
    return list(found.values())


def _combination(products: list[Product]) -> Certificate | None:
    """Nonnegative coefficients, of which some positive product has a positive one, such that the
    sum of all vanishes.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix, diags, vstack

    rows: dict[tuple[int, ...], int] = {}
    entries: list[tuple[int, int, fmpq]] = []
    for j, p in enumerate(products):
        entries += [(rows.setdefault(tuple(m), len(rows)), j, c) for m, c in p.poly.terms()]
    strict = np.array([float(p.strict) for p in products])
    if not rows or not strict.any():
        return None
    place = ([i for i, _, _ in entries], [j for _, j, _ in entries])
    A = csr_matrix(([float(fraction(c)) for *_, c in entries], place), shape=(len(rows), len(products)))
    size = np.maximum(abs(A).max(axis=0).toarray().ravel(), 1e-9)
    A = vstack([A @ diags(1 / size), csr_matrix(strict)])
    to = np.zeros(len(rows) + 1)
    to[-1] = 1.0
    found = linprog(
        np.ones(len(products)),
        A_eq=A,
        b_eq=to,
        bounds=(0, None),
        method="highs-ds",
        options={"maxiter": MOST_STEPS},
    )
    if found.status != 0:
        return None
    used = [j for j, x in enumerate(found.x) if x > ROUNDING]
    return _exact([products[j] for j in used])


def _exact(products: list[Product]) -> Certificate | None:
    """Rational coefficients of these products, checked by multiplying out."""
    rows: dict[tuple[int, ...], int] = {}
    for p in products:
        for m, _ in p.poly.terms():
            rows.setdefault(tuple(m), len(rows))
    n = len(products)
    M = fmpq_mat(len(rows) + 1, n + 1)
    for j, p in enumerate(products):
        for m, c in p.poly.terms():
            M[rows[tuple(m)], j] = c
        M[len(rows), j] = fmpq(int(p.strict))
    M[len(rows), n] = fmpq(1)
    reduced, rank = M.rref()
    values = [fmpq(0)] * n
    for i in range(rank):
        pivot = next(j for j in range(n + 1) if reduced[i, j] != 0)
        if pivot == n:
            return None  # no solution
        values[pivot] = reduced[i, n]
    if any(v < 0 for v in values) or not any(v > 0 for v, p in zip(values, products) if p.strict):
        return None
    used = ((fraction(v), p.factors, p.strict) for v, p in zip(values, products) if v != 0)
    return Certificate(tuple(used))
