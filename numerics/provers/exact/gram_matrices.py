"""Gram matrices of sums of squares that make an identity true (Choi, Lam, Reznick 1995).

Semidefinite programming in floating point proposes them (Parrilo 2003). Where the goal is sharp the
matrices are singular. What spans their kernels, the values of the basis where the goal is an
equality, is then made rational, and the program is solved again without it (facial reduction:
Borwein, Wolkowicz 1981). The matrices inside that face are rounded and projected on the identity in
rational numbers (Peyrl, Parrilo 2008), and factored exactly: nothing that the floats said is
believed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq, fmpq_mat, nmod_mat

from numerics.provers.exact.certificates import Certificate, Poly, Product, Reader
from numerics.rationals import flint_rational, fraction

__all__ = ["Array", "Block", "Program", "null_space", "solved"]

Array = Any
#: Steps of the interior point method, and how often a smaller face is looked for.
MOST_STEPS, MOST_FACES = 60, 4
#: A least eigenvalue below this is taken for 0 by a program that was solved to ten digits, and for
#: negative below the negative of it.
SHARP = 1e-6
#: The same for a matrix that is known exactly.
ROUNDING = 1e-9
#: A PRIME, modulo which equations are found that depend on each other.
PRIME = 2**61 - 31
#: Denominators that Gram matrices are rounded to; the long ones only where there is room around.
DENOMINATORS, FEW = (1, 2, 12, 2**10, 2**20, 2**36), 3


@dataclass(frozen=True)
class Block:
    """``weight * (a sum of squares of combinations of the basis)``."""

    weight: Product
    basis: tuple[Poly, ...]
    #: Whether it is a positive number times a positive weight, of which some are needed.
    counts: bool = False


@dataclass(frozen=True)
class Program:
    """Blocks, and equations with the monomials that they may be multiplied by."""

    blocks: tuple[Block, ...]
    nulls: tuple[tuple[Product, tuple[Poly, ...]], ...]

    @property
    def size(self) -> int:
        """How many entries the Gram matrices have."""
        return sum(len(b.basis) * (len(b.basis) + 1) // 2 for b in self.blocks)

    def columns(self) -> Iterator[tuple[int, int, int, Poly]]:
        """For every entry above the diagonals what it is multiplied by."""
        for j, block in enumerate(self.blocks):
            for b, q in enumerate(block.basis):
                of = block.weight.poly * q
                yield from ((j, a, b, of * block.basis[a] * (1 if a == b else 2)) for a in range(b + 1))


class _Linear:
    """The identity as linear equations: a row for each monomial, and one that says how much is
    positive; a column for each entry of the Gram matrices and of the multipliers of equations.
    """

    def __init__(self, program: Program) -> None:
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
        largest = lambda numbers: max(abs(float(fraction(c))) for c in numbers)
        blocks, n = self.program.blocks, len(self.entries)
        scale = [largest(block.weight.poly.coeffs()) for block in blocks]
        sizes = [scale[j] for j, *_ in self.entries] + [largest(c.values()) for c in self.columns[n:]]
        solved = self._solution(sizes)
        if solved is None:
            return None
        least, z, s = solved
        grams, moments, k = [], [], 0
        for block, size in zip(blocks, scale):
            r = len(block.basis)
            grams.append((_symmetric(z[k:], r) + least * np.eye(r)) / size)
            moments.append(_symmetric(s[k:], r))
            k += r * (r + 1) // 2
        return least, grams, moments, -z[n:-1] / np.array(sizes[n:])

    def _solution(self, sizes: list[float]) -> tuple[float, Array, Array] | None:
        """The least eigenvalue that moments tell by duality, the multipliers of all constraints on
        moments, and how far these are met. The program is solved for the moments, of which there
        are fewer than entries. Triangles are read by columns, with off-diagonal entries times the
        root of 2.
        """
        import clarabel
        from scipy.sparse import csc_matrix, vstack

        n, moments = len(self.entries), self.last + 1
        at = [
            (k, i, float(fraction(c)) / sizes[k])
            for k, column in enumerate(self.columns)
            for i, c in column.items()
        ]
        row, place, value = map(np.array, zip(*at))
        on_diagonal = np.array([a == b for _, a, b, _ in self.entries] + [False] * len(self.free))
        trace = np.bincount(place, value * on_diagonal[row], moments)
        factor = np.where(on_diagonal, -1.0, -(0.5**0.5))
        factor[n:] = 1.0
        A = csc_matrix((value * factor[row], (row, place)), shape=(len(self.columns), moments))
        A = vstack([A, csc_matrix(trace)], format="csc")
        to = np.append(np.zeros(len(self.columns)), 1.0)
        cones = [clarabel.PSDTriangleConeT(len(b.basis)) for b in self.program.blocks]
        cones += [clarabel.ZeroConeT(len(self.free))] if self.free else []
        cones.append(clarabel.NonnegativeConeT(1))
        settings = clarabel.DefaultSettings()
        settings.verbose, settings.max_iter, settings.max_threads = False, MOST_STEPS, 1
        settings.direct_solve_method = "qdldl"  # the same on every machine
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
        cost = np.append(np.zeros(self.last), 1.0) - trace
        found = clarabel.DefaultSolver(csc_matrix((moments, moments)), cost, A, to, cones, settings).solve()
        z, s = np.array(found.z), np.array(found.s)
        if "Infeasible" in str(found.status) or not (np.isfinite(z).all() and np.isfinite(s).all()):
            return None
        return 1.0 - z[-1], z, s

    def exact(
        self, grams: list[Array], multipliers: Array, denominators: Sequence[int]
    ) -> Iterator[list[fmpq]]:
        """Rational solutions near these, with denominators that rise."""
        start = [grams[j][a, b] for j, a, b, _ in self.entries] + [float(v) for v in multipliers]
        transposed = [[0] * (self.last + 1) for _ in self.columns]
        for k, column in enumerate(self.columns):
            for i, c in column.items():
                transposed[k][i] = int(c.p) * pow(int(c.q), -1, PRIME) % PRIME
        reduced, rank = nmod_mat(
            len(self.columns), self.last + 1, list(itertools.chain(*transposed)), PRIME
        ).rref()
        rows = [next(i for i in range(self.last + 1) if reduced[k, i] != 0) for k in range(rank)]
        place = {i: k for k, i in enumerate(rows)}
        square = fmpq_mat(rank, rank)
        for column in self.columns:
            own = [(place[i], c) for i, c in column.items() if i in place]
            for (i, c), (k, d) in itertools.product(own, repeat=2):
                square[i, k] += c * d
        for D in denominators:
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


def solved(read: Reader, program: Program) -> Certificate | None:
    """A certificate by the program, on smaller and smaller faces."""
    for _ in range(MOST_FACES):
        linear = _Linear(program)
        found = linear.optimum()
        if found is None or found[0] < -SHARP:
            return None
        least, grams, moments, multipliers = found
        smaller = _face(program, grams, moments) if least < SHARP else None
        if smaller is None:
            denominators = DENOMINATORS if least > SHARP else DENOMINATORS[:FEW]
            for x in linear.exact(grams, multipliers, denominators):
                if (certificate := _certificate(read, linear, x)) is not None:
                    return certificate
            return None
        if not any(b.counts for b in smaller.blocks):
            return None
        program = smaller
    return None


def _face(program: Program, grams: list[Array], moments: list[Array]) -> Program | None:
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
        for v in null_space(reduced, len(kernel)):
            q = sum((c * p for c, p in zip(v, block.basis) if c != 0), start=0 * block.basis[0])
            basis.append(q)
        if basis:
            blocks.append(replace(block, basis=tuple(basis)))
    same = len(blocks) == len(program.blocks) and all(
        len(b.basis) == len(c.basis) for b, c in zip(blocks, program.blocks)
    )
    return None if same else replace(program, blocks=tuple(blocks))


def _symmetric(triangle: Array, r: int) -> Array:
    """A matrix from the start of an array that has the columns of its upper triangle."""
    M = np.zeros((r, r))
    M.T[np.tril_indices(r)] = triangle[: r * (r + 1) // 2]
    off = np.triu(M, 1) / 2**0.5
    return np.diag(np.diag(M)) + off + off.T


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


def null_space(reduced: fmpq_mat, rank: int) -> list[list[fmpq]]:
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
        values = np.linalg.eigvalsh([[float(fraction(Q[a, b])) for b in range(r)] for a in range(r)])
        if values[0] < -ROUNDING * max(1.0, values[-1]):  # before long numbers are divided
            return None
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
