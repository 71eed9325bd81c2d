"""Certificates with sums of squares: the negated goal and products of facts, each times a sum of
squares, add up to 0.

Sums of squares of polynomials from a basis are Gram matrices (Choi, Lam, Reznick 1995), and
semidefinite programming in floating point proposes them (Parrilo 2003). Where the goal is sharp the
matrices are singular. What spans their kernels, the values of the basis where the goal is an
equality, is then made rational, and the program is solved again without it (facial reduction). The
matrices inside that face are rounded and projected on the identity in rational numbers (Peyrl,
Parrilo 2008), and factored exactly: nothing that the floats said is believed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq, fmpq_mat, fmpz, nmod_mat

from numerics.provers.exact.certificates import Certificate, Poly, Product, Reader
from numerics.rationals import flint_rational, fraction

__all__ = ["sum_of_squares"]

Array = Any
DEBUG=0
#: Variables at most, monomials that a basis is chosen from, entries of all Gram matrices together,
#: and of the largest of them in a row: all are counted before a program is built.
MOST_VARIABLES, MOST_MONOMIALS, MOST_ENTRIES, MOST_BASIS = 9, 1000, 1500, 40
#: Steps of the interior point method, and how often a face is looked for.
MOST_STEPS, MOST_FACES = 60, 4
#: Least eigenvalues below this are taken for 0, and not for negative if they are above its negative.
SHARP = 1e-6
#: Denominators that Gram matrices are rounded to.
DENOMINATORS = (1, 2, 12, 2**10, 2**20, 2**36)


@dataclass(frozen=True)
class _Block:
    """``weight * (a sum of squares of combinations of the basis)``."""

    weight: Product
    basis: tuple[Poly, ...]
    #: Whether it is a positive number times a positive weight, of which some are needed.
    counts: bool = False


@dataclass(frozen=True)
class _Program:
    """Blocks, and equations with the monomials that they may be multiplied by."""

    blocks: tuple[_Block, ...]
    nulls: tuple[tuple[Product, tuple[Poly, ...]], ...]

    def columns(self) -> Iterator[tuple[int, int, int, Poly]]:
        """For every entry above the diagonals what it is multiplied by."""
        for j, block in enumerate(self.blocks):
            for b, q in enumerate(block.basis):
                of = block.weight.poly * q
                yield from ((j, a, b, of * block.basis[a] * (1 if a == b else 2)) for a in range(b + 1))


def sum_of_squares(read: Reader, against: Product, known: Sequence[Product]) -> Certificate | None:
    """Why the negated goal `against` contradicts what is known, by sums of squares of low degree."""
    if len(read.gens) > MOST_VARIABLES or against.poly == 0:
        return None
    seen = set()
    for program in _programs(read, against, known):
        key = str(program)
        if key in seen:
            continue
        seen.add(key)
        if DEBUG: print("program", [(b.weight.factors, len(b.basis), b.counts) for b in program.blocks], [len(m) for _, m in program.nulls])
        if (found := _solved(read, program)) is not None:
            return found
    return None


def _programs(read: Reader, against: Product, known: Sequence[Product]) -> Iterator[_Program]:
    """Programs of rising size: the goal alone, then with products of facts, and then multiplied."""
    texts = {str(p.poly) for p in known}
    nulls = [p for p in known if str(-p.poly) in texts]
    nulls = [p for i, p in enumerate(nulls) if str(-p.poly) not in {str(q.poly) for q in nulls[:i]}]
    known = [p for p in known if str(-p.poly) not in texts and p.poly.total_degree() > 0]
    known = list({str(p.poly): p for p in sorted(known, key=lambda p: p.strict)}.values())
    one = read.one()
    twos = [a * b for a, b in itertools.combinations(known, 2)]
    threes = [a * b * c for a, b, c in itertools.combinations(known, 3)]
    degree = against.poly.total_degree() + against.poly.total_degree() % 2
    top = max([degree, *(p.poly.total_degree() for p in nulls)])
    top += top % 2
    plans: list[tuple[list[list[Product]], list[Product], int, int]] = [([[one]], [], degree, 0)]
    with_facts = [[one, *known, *twos, *threes], [one, *known, *twos], [one, *known]]
    plans += [(with_facts, nulls, top, 0)] if known or nulls else []
    plans += [(with_facts, nulls, top + 2 * k, k) for k in (1, 2)]
    for choices, equations, most, level in plans:
        for products in choices:
            if len(products) > 60:
                continue
            made = list(_graded(read, against, products, equations, most, level))
            if made and all(p is not None for p in made):
                yield from (p for p in made if p is not None)
                break


def _graded(
    read: Reader, against: Product, products: list[Product], nulls: list[Product], most: int, level: int
) -> Iterator[_Program | None]:
    """The parts of a program of one multidegree each, in every grading in which all facts are
    homogeneous; None in the place of one that is too large.
    """
    n = len(read.gens)
    grading = _gradings([against.poly, *(p.poly for p in (*products, *nulls))], n)
    parity = _parities([against.poly, *(p.poly for p in (*products, *nulls))], n)
    weight = lambda p: tuple(grading @ np.array(p.poly.monoms()[0])) if p.poly != 0 else ()
    withal = [against * p for p in products if p.poly.total_degree() + against.poly.total_degree() <= most]
    positive = [p for p in withal if p.strict] if against.strict else [p for p in products if p.strict]
    if against.strict and level:
        positive += [against * q for q in _apart(read, against, grading)]
        positive += [against * against] if 2 * against.poly.total_degree() <= most else []
    weights = [*products, *withal]
    most_of = max((most - p.poly.total_degree()) // 2 for p in weights)
    if comb(n + max([most_of, *(most - e.poly.total_degree() for e in nulls)]), n) > MOST_MONOMIALS:
        yield None
        return
    monomials: dict[int, Array] = {}

    def upto(k: int) -> Array:
        if k not in monomials:
            picks = itertools.combinations_with_replacement(range(n + 1), k) if k >= 0 else ()
            rows = [[pick.count(i) for i in range(1, n + 1)] for pick in picks]
            monomials[k] = np.array(rows, dtype=int).reshape(-1, n)
        return monomials[k]

    poly = lambda m: read.ring.from_dict({tuple(map(int, m)): 1})
    for target in sorted({weight(p) for p in positive}, key=lambda t: (sum(map(abs, t)), t)):
        blocks = [_Block(p, (read.one().poly,), True) for p in positive if weight(p) == target]
        for p in weights:
            rows = upto((most - p.poly.total_degree()) // 2)
            left = np.array(target) - np.array(weight(p))
            rows = rows[(2 * rows @ grading.T == left).all(axis=1)]
            classes: dict[tuple[int, ...], list[Any]] = {}
            for m in rows:
                classes.setdefault(tuple(parity @ m % 2), []).append(m)
            blocks += [_Block(p, tuple(map(poly, ms))) for ms in classes.values()]
        free = []
        for e in nulls:
            rows = upto(most - e.poly.total_degree())
            rows = rows[(rows @ grading.T == np.array(target) - np.array(weight(e))).all(axis=1)]
            rows = rows[(rows @ parity.T % 2 == 0).all(axis=1)]
            free.append((e, tuple(map(poly, rows))))
        entries = sum(len(b.basis) * (len(b.basis) + 1) // 2 for b in blocks)
        if entries > 4 * MOST_ENTRIES:
            yield None
        elif (program := _shrunk(_Program(tuple(blocks), tuple(free)))) is not None:
            entries = sum(len(b.basis) * (len(b.basis) + 1) // 2 for b in program.blocks)
            small = entries <= MOST_ENTRIES and all(len(b.basis) <= MOST_BASIS for b in program.blocks)
            yield program if small else None


def _gradings(polys: Sequence[Poly], n: int) -> Array:
    """Integer vectors that span the degrees of variables for which all are homogeneous."""
    rows = [np.subtract(m, p.monoms()[0]) for p in polys for m in p.monoms()[1:]]
    if not rows:
        return np.eye(n, dtype=int)
    reduced, rank = fmpq_mat(len(rows), n, [int(x) for row in rows for x in row]).rref()
    out = []
    for v in _null_space(reduced, rank):
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


def _apart(read: Reader, against: Product, grading: Array) -> list[Product]:
    """What is positive because the goal fails: ``x**2 + y**2`` where each of its terms has x or y,
    so that it would be 0, and not positive, where both are. The variables of a sum have the same
    degree.
    """
    found = []
    for degree in dict.fromkeys(map(tuple, grading.T)):
        own = [i for i, g in enumerate(grading.T) if tuple(g) == degree]
        own = [i for i in own if any(m[i] for m in against.poly.monoms())]
        if own and all(any(m[i] for i in own) for m in against.poly.monoms()):
            e = sp.Add(*(read.symbols[i] ** 2 for i in own))
            p = sum((read.gens[i] ** 2 for i in own), start=read.ring.constant(0))
            found.append(Product(p, True, (e,)))
    return found


def _shrunk(program: _Program) -> _Program | None:
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
        gone = {s for m, (signs, squares) in rows.items() if len(signs) == 1 and m not in free for s in squares}
        if not gone:
            break
        dead |= gone
    blocks = (
        replace(b, basis=tuple(q for a, q in enumerate(b.basis) if (j, a) not in dead))
        for j, b in enumerate(program.blocks)
    )
    blocks = tuple(b for b in blocks if b.basis)
    return replace(program, blocks=blocks) if any(b.counts for b in blocks) else None


class _Linear:
    """The identity as linear equations: a row for each monomial, and one that says how much is
    positive; a column for each entry of the Gram matrices and of the multipliers of equations.
    """

    def __init__(self, program: _Program) -> None:
        self.program = program
        self.entries = list(program.columns())
        self.free = [(e, q, e.poly * q) for e, ms in program.nulls for q in ms]
        of = [p.to_dict() for *_, p in self.entries] + [p.to_dict() for *_, p in self.free]
        keys = dict.fromkeys(m for p in of for m in p)
        self.rows = {m: i for i, m in enumerate(keys)}
        self.columns = [{self.rows[m]: c for m, c in p.items()} for p in of]
        self.last = len(self.rows)
        for (j, *_), column in zip(self.entries, self.columns):
            if (block := program.blocks[j]).counts:
                column[self.last] = max(abs(c) for _, c in block.weight.poly.terms())

    def optimum(self) -> tuple[float, list[Array], list[Array], Array] | None:
        """The greatest least eigenvalue of all Gram matrices, these, the moments that are dual to
        them, and the multipliers of equations: all in floating point.
        """
        import clarabel
        from scipy.sparse import csc_matrix

        rows, n = self.last + 1, len(self.entries)
        sizes = [max(abs(float(fraction(c))) for c in column.values()) for column in self.columns]
        scale = [max(abs(float(fraction(c))) for _, c in b.weight.poly.terms()) for b in self.program.blocks]
        at: list[tuple[int, int, float]] = []  # in the order of clarabel: triangles by columns
        cost = np.zeros(rows)
        cost[self.last] = 1.0
        trace = np.zeros(rows)
        for k, ((j, a, b, _), column) in enumerate(zip(self.entries, self.columns)):
            for i, c in column.items():
                v = float(fraction(c)) / scale[j]
                at.append((k, i, -v if a == b else -v / 2**0.5))
                trace[i] += v if a == b else 0.0
        for k, column in enumerate(self.columns[n:]):
            at += [(n + k, i, float(fraction(c)) / sizes[n + k]) for i, c in column.items()]
        at += [(len(self.columns), i, float(v)) for i, v in enumerate(trace) if v]
        A = csc_matrix(
            ([v for *_, v in at], ([k for k, _, _ in at], [i for _, i, _ in at])),
            shape=(len(self.columns) + 1, rows),
        )
        to = np.zeros(len(self.columns) + 1)
        to[-1] = 1.0
        cones = [clarabel.PSDTriangleConeT(len(b.basis)) for b in self.program.blocks]
        cones += [clarabel.ZeroConeT(len(self.free))] if self.free else []
        settings = clarabel.DefaultSettings()
        settings.verbose, settings.max_iter, settings.max_threads = False, MOST_STEPS, 1
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
        none = csc_matrix((rows, rows))
        cones.append(clarabel.NonnegativeConeT(1))
        found = clarabel.DefaultSolver(none, cost - trace, A, to, cones, settings).solve()
        z, s = np.array(found.z), np.array(found.s)
        if "Infeasible" in str(found.status) or not (np.isfinite(z).all() and np.isfinite(s).all()):
            return None
        least = 1.0 - z[-1]
        grams, moments, k = [], [], 0
        for b, size in zip(self.program.blocks, scale):
            r = len(b.basis)
            above = np.triu_indices(r)
            pair = []
            for v in (z, s):
                M = np.zeros((r, r))
                M.T[np.tril_indices(r)] = v[k : k + r * (r + 1) // 2]
                M[above] = np.where(above[0] == above[1], M[above], M[above] / 2**0.5)
                pair.append(M + np.triu(M, 1).T)
            grams.append((pair[0] + least * np.eye(r)) / size)
            moments.append(pair[1])
            k += r * (r + 1) // 2
        multipliers = -z[k:-1] / np.array(sizes[n:]) if self.free else np.zeros(0)
        return least, grams, moments, multipliers

    def exact(self, grams: list[Array], multipliers: Array) -> Iterator[list[fmpq]]:
        """Rational solutions near these, with denominators that rise."""
        start = [grams[j][a, b] for j, a, b, _ in self.entries] + [float(v) for v in multipliers]
        prime = 2**61 - 1
        transposed = [[0] * (self.last + 1) for _ in self.columns]
        for k, column in enumerate(self.columns):
            for i, c in column.items():
                transposed[k][i] = int(c.p) * pow(int(c.q), -1, prime) % prime
        reduced, rank = nmod_mat(len(self.columns), self.last + 1, list(itertools.chain(*transposed)), prime).rref()
        rows = [next(i for i in range(self.last + 1) if reduced[k, i] != 0) for k in range(rank)]
        place = {i: k for k, i in enumerate(rows)}
        square = fmpq_mat(rank, rank)
        for column in self.columns:
            own = [(place[i], c) for i, c in column.items() if i in place]
            for (i, c), (k, d) in itertools.product(own, repeat=2):
                square[i, k] += c * d
        for D in DENOMINATORS:
            x = [fmpq(round(v * D), D) for v in start]
            gap = self._gap(x)
            y = square.solve(fmpq_mat(rank, 1, [gap[i] for i in rows]), algorithm="dixon")
            for k, column in enumerate(self.columns):
                x[k] += sum((c * y[place[i], 0] for i, c in column.items() if i in place), start=fmpq(0))
            if any(v != 0 for v in self._gap(x)):
                return  # the rows contradict each other
            yield x

    def _gap(self, x: list[fmpq]) -> list[fmpq]:
        gap = [fmpq(0)] * self.last + [fmpq(1)]
        for v, column in zip(x, self.columns):
            for i, c in column.items():
                gap[i] -= v * c
        return gap


def _solved(read: Reader, program: _Program) -> Certificate | None:
    """A certificate by the program, on smaller and smaller faces."""
    for _ in range(MOST_FACES):
        linear = _Linear(program)
        found = linear.optimum()
        if DEBUG: print("  t", found and found[0], linear.last, len(linear.entries), [len(b.basis) for b in program.blocks])
        if found is None or found[0] < -SHARP:
            return None
        least, grams, moments, multipliers = found
        smaller = _face(program, grams, moments) if least < SHARP else None
        if smaller is None:
            for x in linear.exact(grams, multipliers):
                if (certificate := _certificate(read, linear, x)) is not None:
                    return certificate
            return None
        if not any(b.counts for b in smaller.blocks):
            return None
        program = smaller
    return None


def _face(program: _Program, grams: list[Array], moments: list[Array]) -> _Program | None:
    """The program on the face that its solution spans; None if that is all, or is not rational."""
    blocks = []
    for block, Q, Z in zip(program.blocks, grams, moments):
        values, vectors = np.linalg.eigh(Q - Z)
        kernel = vectors[:, values < 0].T
        if not len(kernel):
            blocks.append(block)
            continue
        reduced = _rational(kernel)
        if reduced is None:
            return None
        basis = []
        for v in _null_space(reduced, len(kernel)):
            q = sum((c * p for c, p in zip(v, block.basis) if c != 0), start=0 * block.basis[0])
            basis.append(q)
        if basis:
            blocks.append(replace(block, basis=tuple(basis)))
    same = len(blocks) == len(program.blocks) and all(
        len(b.basis) == len(c.basis) for b, c in zip(blocks, program.blocks)
    )
    return None if same else replace(program, blocks=tuple(blocks))


def _rational(kernel: Array) -> fmpq_mat | None:
    """The reduced echelon form of rows in floating point, if it is rational with small
    denominators.
    """
    M, (r, n), i = kernel.copy(), kernel.shape, 0
    for j in range(n):
        if i == r:
            break
        k = i + int(np.argmax(abs(M[i:, j])))
        if abs(M[k, j]) < 1e-2:
            continue
        M[[i, k]] = M[[k, i]]
        M[i] /= M[i, j]
        others = np.arange(r) != i
        M[others] -= np.outer(M[others, j], M[i])
        i += 1
    near = [_simple(float(v)) for v in M.ravel()]
    return None if i < r or None in near else fmpq_mat(r, n, near)


def _simple(v: float) -> fmpq | None:
    """The simplest rational near a number, if it has a small denominator."""
    near = (Fraction(v).limit_denominator(most) for most in (1, 2, 3, 4, 6, 12, 24, 60, 100))
    return next((flint_rational(q) for q in near if abs(float(q) - v) < 1e-3), None)


def _null_space(reduced: fmpq_mat, rank: int) -> list[list[fmpq]]:
    """A basis of what the rows of a reduced echelon form annihilate."""
    n = reduced.ncols()
    pivots = [next(j for j in range(n) if reduced[i, j] != 0) for i in range(rank)]
    out = []
    for j in sorted(set(range(n)) - set(pivots)):
        v = [fmpq(0)] * n
        v[j] = fmpq(1)
        for i, p in enumerate(pivots):
            v[p] = -reduced[i, j]
        out.append(v)
    return out


def _certificate(read: Reader, linear: _Linear, x: list[fmpq]) -> Certificate | None:
    """The squares of a rational solution, if its Gram matrices have no negative eigenvalue."""
    terms: dict[tuple[sp.Expr, ...], tuple[fmpq, bool]] = {}

    def add(c: fmpq, factors: tuple[sp.Expr, ...], strict: bool) -> None:
        more, firm = terms.get(factors, (0, False))
        terms[factors] = (c + more, strict or firm)

    k = 0
    for block in linear.program.blocks:
        r = len(block.basis)
        Q = fmpq_mat(r, r)
        for b in range(r):
            for a in range(b + 1):
                Q[a, b] = Q[b, a] = x[k]
                k += 1
        squares = _squares(Q)
        if squares is None:
            return None
        for c, row in squares:
            p = sum((v * q for v, q in zip(row, block.basis) if v != 0), start=0 * block.basis[0])
            size = p.coeffs()[0]
            square = read.square(p / size).factors if p.total_degree() else ()
            add(c * size**2, (*square, *block.weight.factors), block.counts)
    for e, ms in linear.program.nulls:
        p = sum((v * m for v, m in zip(x[k:], ms) if v != 0), start=0 * e.poly)
        k += len(ms)
        if p != 0:
            add(fmpq(1), (*e.factors, read.expression(p)), False)
    found = tuple((fraction(c), factors, strict) for factors, (c, strict) in terms.items())
    return Certificate(found) if any(strict for *_, strict in found) else None


def _squares(Q: fmpq_mat) -> list[tuple[fmpq, list[fmpq]]] | None:
    """A symmetric matrix as a sum of positive multiples of squares, or None if it has a negative
    eigenvalue.
    """
    n, out = Q.nrows(), []
    M = [[Q[i, j] for j in range(n)] for i in range(n)]
    for k in range(n):
        c = M[k][k]
        if c < 0 or (c == 0 and any(v != 0 for v in M[k])):
            return None
        if c == 0:
            continue
        row = [v / c for v in M[k]]
        out.append((c, row))
        for i in range(k + 1, n):
            if (f := M[k][i]) != 0:
                for j in range(i, n):
                    M[i][j] = M[j][i] = M[i][j] - f * row[j]
        for i in range(n):
            M[i][k] = M[k][i] = fmpq(0)
    return out
