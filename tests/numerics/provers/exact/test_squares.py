"""Sums of squares: what is nonnegative is found with a certificate that multiplies out, what fails
by a hair never is, and no certificate holds in which anything was changed.
"""

from __future__ import annotations

import dataclasses
import itertools
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import Ordering, fmpq, fmpq_mat, fmpq_mpoly_ctx

from numerics import forall
from numerics.provers.exact import gram_matrices, squares
from numerics.provers.exact.certificates import Certificate, Product, Reader
from numerics.provers.exact.consequences import consequence
from numerics.provers.exact.opaque import Fact
from numerics.rationals import flint_rational

a, b, c, x, y, z, w = sp.symbols("a b c x y z w", real=True)
k, t, p, q, r = sp.symbols("k t p q r", nonnegative=True)
HAIR = sp.Rational(1, 10**6)

MOTZKIN = x**4 * y**2 + x**2 * y**4 - 3 * x**2 * y**2 + 1
CHOI_LAM = 1 + x**2 * y**2 + y**2 * z**2 + z**2 * x**2 - 4 * x * y * z
ROBINSON = (
    *(x**6, y**6, z**6, 3 * x**2 * y**2 * z**2, -(x**4) * y**2, -(x**4) * z**2),
    *(-(y**4) * x**2, -(y**4) * z**2, -(z**4) * x**2, -(z**4) * y**2),
)
VASC = (a**2 + b**2 + c**2) ** 2 - 3 * (a**3 * b + b**3 * c + c**3 * a)
IMO_1971 = sum(sp.prod(u - v for v in (a, b, c, x, 0) if v != u) for u in (a, b, c, x, 0))


def schur(n: int) -> sp.Expr:
    return p**n * (p - q) * (p - r) + q**n * (q - p) * (q - r) + r**n * (r - p) * (r - q)


#: Sharp ones: the goal, what it follows from, and something that is positive where it is 0.
SHARP: dict[str, tuple[sp.Expr, list[sp.Expr], sp.Expr]] = {
    "Motzkin": (MOTZKIN, [], sp.S.One),
    "Motzkin, homogeneous": (
        sp.expand(z**6 * MOTZKIN.subs({x: x / z, y: y / z}, simultaneous=True)),
        [],
        z**6,
    ),
    "Choi and Lam": (CHOI_LAM, [], x * y * z),
    "Robinson": (sp.Add(*ROBINSON), [], x**6 + y**6 + z**6),
    "Vasc, of which the zeros are irrational": (VASC, [], a**4),
    "five numbers": (sp.expand(IMO_1971), [], a**4 + b**4 + c**4 + x**4),
    "Schur, degree 3": (schur(1), [], p**3 + q**3 + r**3),
    "Schur, degree 4": (schur(2), [], p**4 + q**4 + r**4),
    "means": (p**3 + q**3 + r**3 - 3 * p * q * r, [], p * q * r),
    "a quartic": (x**4 + y**4 + z**4 + 1 - 4 * x * y * z, [], x * y * z),
    "a disc": (2 - x - y, [2 - x**2 - y**2], sp.S.One),
    "a point": (x, [-(x**2) - y**2], sp.S.One),
    "traces": (
        (p + q) * (k + t) - (p * k + 2 * b * c + q * t),
        [p * q - b**2, k * t - c**2],
        p * t,
    ),
    "Nesterov": (1 + sp.sqrt(1 + 4 * t**2) - (k + 2), [t - (k + 2) / 2], 1 + k),
    "a softmax": (
        (x**2 + y**2 + z**2) / 2 - (p * x**2 + q * y**2 + r * z**2) + (p * x + q * y + r * z) ** 2,
        [p + q + r - 1, 1 - p - q - r],
        x**2 + y**2 + z**2,
    ),
    "roots of a quartic": (
        5 * (a**2 + b**2) - 4,
        [x**4 + a * x**3 + b * x**2 + a * x + 1, -(x**4) - a * x**3 - b * x**2 - a * x - 1],
        sp.S.One,
    ),
}


@pytest.mark.parametrize("name", SHARP)
def test_what_is_sharp_is_found_and_fails_by_a_hair(name: str) -> None:
    goal, facts, positive = SHARP[name]
    given = [(g, False) for g in facts]
    if name != "Nesterov":  # of which the infimum is only approached
        assert consequence((goal - HAIR * positive, False), given) is None
        assert consequence((goal, True), given) is None
    found = consequence((goal, False), given)
    assert found is not None
    assert found.holds()
    again = consequence((goal, False), given)
    assert again is not None
    assert [n for n, *_ in again.terms] == [n for n, *_ in found.terms]


def test_facts_that_say_nothing_or_are_no_floats_do_no_harm() -> None:
    nothing, large = (x + 1) ** 2 - x**2 - 2 * x - 1, sp.Integer(10) ** 400
    assert consequence((VASC, False), [(nothing, False), (sp.S.One, True)]) is not None
    assert consequence((VASC - HAIR * a**4, False), [(nothing, False), (x, False), (-x, False)]) is None
    assert consequence((MOTZKIN - large, False), []) is None
    small = sp.Rational(1, 2**61 - 1)  # of which the denominator is a prime of the size of a word
    found = consequence((VASC + small * a**4, False), [])
    assert found is None or found.holds()


def test_a_perturbed_coefficient_is_not_found() -> None:
    assert consequence((CHOI_LAM - HAIR * x * y * z, False), []) is None
    assert consequence((MOTZKIN - HAIR * x**2 * y**2, False), []) is None
    assert consequence((VASC - HAIR * a**3 * b, False), []) is None


def vanishing(rng: np.random.Generator, at: dict[sp.Symbol, sp.Expr], degree: int) -> sp.Expr:
    """A random polynomial that is 0 at a point."""
    powers = [m for m in itertools.product(range(degree + 1), repeat=len(at)) if sum(m) <= degree]
    drawn = sum(
        int(n) * sp.prod(v**e for v, e in zip(at, m))
        for n, m in zip(rng.integers(-2, 3, len(powers)), powers)
    )
    return sp.expand(drawn - drawn.subs(at))


def nearly_true(rng: np.random.Generator) -> tuple[sp.Expr, list[Fact], dict[sp.Symbol, sp.Expr]]:
    """A goal that is nonnegative by a sum of squares and what is given, all of which are 0 at a
    point, or positive facts whose square is.
    """
    kind, n = int(rng.integers(5)), int(rng.integers(1, 4))
    at = {v: sp.Rational(int(rng.integers(-2, 3)), int(rng.integers(1, 3))) for v in (x, y, z)[:n]}
    degree = int(rng.integers(1, 4 if n < 3 else 3))
    goal = sum(vanishing(rng, at, degree) ** 2 for _ in range(rng.integers(1, 4)))
    facts: list[Fact] = []
    if kind in (1, 4):
        g = vanishing(rng, at, 1) if kind == 1 else vanishing(rng, at, 2) + 1
        facts.append((g, kind == 4))
        goal += g * (vanishing(rng, at, 1) ** 2 if kind == 4 else 1 + x**2)
    if kind == 2:
        e = vanishing(rng, at, 2)
        facts += [(e, False), (-e, False)]
        goal += e * int(rng.integers(-3, 4))
    if kind == 3:  # nothing but the point
        facts.append((-sum((v - value) ** 2 for v, value in at.items()), False))
        goal += vanishing(rng, at, 2)
    return sp.expand(goal), facts, at


def assert_only_true_ones_are_found(seed: int, rounds: int) -> tuple[int, int]:
    """How many of the true ones were found, and that none was that fails at the point."""
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(rounds):
        goal, facts, at = nearly_true(rng)
        assert goal.subs(at) == 0
        assert all(g.subs(at) > 0 if strict else g.subs(at) >= 0 for g, strict in facts)
        hair = sp.Rational(1, 10 ** int(rng.integers(0, 10)))
        assert consequence((goal - hair, False), facts) is None, (goal, facts, at, hair)
        assert consequence((goal, True), facts) is None, (goal, facts, at)
        found += consequence((goal, False), facts) is not None
    return found, rounds


def test_no_random_statement_is_found_that_fails_by_a_hair() -> None:
    found, rounds = assert_only_true_ones_are_found(0, 6)
    assert found > 0.6 * rounds


@pytest.fixture(scope="module")
def motzkin() -> Certificate:
    found = consequence((MOTZKIN, False), [])
    assert found is not None
    return found


def test_a_certificate_in_which_one_thing_is_changed_does_not_hold(motzkin: Certificate) -> None:
    assert motzkin.holds()
    for i, (n, factors, strict) in enumerate(motzkin.terms):
        less = (*motzkin.terms[:i], *motzkin.terms[i + 1 :])
        for spoiled in (
            (n + Fraction(1, 10**12), factors, strict),
            (-n, factors, strict),
            (n, (*factors, x), strict),
            (n, factors, not strict),
        ):
            assert not dataclasses.replace(motzkin, terms=(*less, spoiled)).holds()
        assert not dataclasses.replace(motzkin, terms=less).holds()
    assert not dataclasses.replace(motzkin, given=()).holds()


@pytest.mark.parametrize(
    ("terms", "given"),
    [
        # x**3 is called a square; its base is one that may not be real; x is not said to be 0
        ([(1, (x**3,), False), (1, (1 - x**3,), True)], [(1 - x**3, True)]),
        (
            [(1, (sp.Symbol("i") ** 2,), False), (1, (1 - sp.Symbol("i") ** 2,), True)],
            [(1 - sp.Symbol("i") ** 2, True)],
        ),
        ([(1, (x, y), False), (1, (1 - x * y,), True)], [(1 - x * y, True), (x, False)]),
        # an indefinite form as a difference of squares, and as the product of two factors
        (
            [(1, ((x - y) ** 2,), False), (-1, (y**2,), False), (1, (2 * x * y - x**2,), True)],
            [(2 * x * y - x**2, True)],
        ),
        ([(1, (x - y, x + y), False), (1, (y**2 - x**2,), True)], [(y**2 - x**2, True)]),
        # nothing is positive
        ([(1, (x,), True), (1, (-x,), False)], [(x, False), (-x, False)]),
        # x**2 + y**2 may be 0 where 1 + x is positive, and x**2 where -y**2 is
        (
            [(1, (x**2 + y**2, 1 + x), True), (1, (-(x**2) - y**2, 1 + x), False)],
            [(1 + x, True), (-(x**2) - y**2, False)],
        ),
        ([(1, (x**2, -(y**2)), True), (1, (x**2, y**2), False)], [(-(y**2), True)]),
    ],
)
def test_a_certificate_whose_signs_are_not_given_does_not_hold(terms: Any, given: list[Fact]) -> None:
    certificate = Certificate(tuple((Fraction(n), factors, s) for n, factors, s in terms), given=tuple(given))
    assert not certificate.holds()


def test_equations_may_have_any_factor_and_what_would_vanish_is_not_0() -> None:
    """The same rules where they do apply."""
    terms = ((Fraction(1), (x, y - 2), False), (Fraction(1), (-x * (y - 2),), True))
    assert Certificate(terms, given=((x, False), (-x, False), (-x * (y - 2), True))).holds()
    assert not Certificate(terms, given=((x, False), (-x * (y - 2), True))).holds()
    apart = ((Fraction(1), (x**2 + y**2, -x * y), True), (Fraction(1), (x * y, x**2 + y**2), False))
    assert Certificate(apart, given=((-x * y, True), (x * y, False))).holds()


def test_what_is_called_definite_and_is_not_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither with negative pivots nor with their absolute values."""
    right = gram_matrices._squares
    wrong: tuple[Callable[[fmpq], fmpq], ...] = (lambda v: v, abs)
    for change in wrong:

        def pivots(Q: fmpq_mat, change: Callable[[fmpq], fmpq] = change) -> Any:
            if (rows := right(Q)) is not None:
                return rows
            shift = 10**6
            rows = right(
                Q
                + shift
                * fmpq_mat(
                    Q.nrows(), Q.nrows(), [int(i == j) for i in range(Q.nrows()) for j in range(Q.nrows())]
                )
            )
            unit = [[fmpq(int(i == j)) for j in range(Q.nrows())] for i in range(Q.nrows())]
            return [*(rows or []), *((change(fmpq(-shift)), row) for row in unit)]

        monkeypatch.setattr(gram_matrices, "_squares", pivots)
        monkeypatch.setattr(gram_matrices, "SHARP", 1.0)
        monkeypatch.setattr(gram_matrices, "ROUNDING", 1e9)
        assert consequence((x**2 + y**2 - 3 * x * y, False), []) is None
        assert consequence((MOTZKIN - 1, False), []) is None


@pytest.mark.parametrize("seed", range(3))
def test_a_program_that_lies_is_not_believed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)

    def lies(linear: Any) -> Any:
        sizes = [len(block.basis) for block in linear.program.blocks]
        roots = [rng.normal(size=(n, n)) for n in sizes]
        nothing = [np.zeros((n, n)) for n in sizes]
        return (
            float(rng.choice([1.0, 0.0])),
            [R @ R.T for R in roots],
            nothing,
            rng.normal(size=len(linear.free)),
        )

    monkeypatch.setattr(gram_matrices._Linear, "optimum", lies)
    for goal, facts, positive in itertools.islice(SHARP.values(), seed, None, 4):
        given = [(g, False) for g in facts]
        assert consequence((goal - HAIR * positive, False), given) is None
        found = consequence((goal, False), given)
        assert found is None or found.holds()


def test_squares_of_a_matrix_add_up_to_it_or_it_is_indefinite() -> None:
    rng = np.random.default_rng(2)
    for n in range(1, 7):
        for rank in range(n + 1):
            L = rng.integers(-3, 4, (n, rank))
            Q = fmpq_mat(n, n, [int(v) for v in (L @ L.T).ravel()]) / 7
            rows = gram_matrices._squares(Q)
            assert rows is not None
            assert all(c > 0 for c, _ in rows)
            total = [
                [sum((c * v[i] * v[j] for c, v in rows), start=fmpq(0)) for j in range(n)] for i in range(n)
            ]
            assert total == Q.tolist()
            u = fmpq_mat(n, 1, [int(v) for v in rng.integers(1, 4, n)])
            least = (u.transpose() * Q * u)[0, 0] / (u.transpose() * u)[0, 0] ** 2
            assert gram_matrices._squares(Q - u * u.transpose() * (least + flint_rational(HAIR))) is None


def reader(*symbols: sp.Symbol) -> Reader:
    ring = fmpq_mpoly_ctx.get(tuple(map(str, symbols)), Ordering.degrevlex)
    return Reader(ring, symbols, set(), set())


def programs(goal: sp.Expr, *symbols: sp.Symbol) -> list[Any]:
    read = reader(*symbols)
    against = read.fact((-goal, True))
    assert isinstance(against, Product)
    return list(squares._programs(read, against, []))


def test_of_a_basis_half_the_newton_polytope_is_left() -> None:
    first = programs(MOTZKIN + 4 * x**2 * y**2, x, y)[0]
    left = {m for block in first.blocks if not block.weight.factors for q in block.basis for m in q.monoms()}
    assert left == {(0, 0), (1, 1), (2, 1), (1, 2)}


def test_what_is_too_large_is_not_even_built(monkeypatch: pytest.MonkeyPatch) -> None:
    many = sp.symbols("v:10", real=True)
    assert consequence((sum(v**2 for v in many) - many[0] ** 3, False), []) is None
    columns = gram_matrices.Program.columns

    def counted(program: Any) -> Any:
        entries = sum(len(block.basis) * (len(block.basis) + 1) // 2 for block in program.blocks)
        assert entries <= 4 * squares.MOST_ENTRIES
        return columns(program)

    monkeypatch.setattr(gram_matrices.Program, "columns", counted)
    for n, degree in itertools.product((2, 5, 9), (4, 10, 40)):
        made = programs(sum(v**degree for v in many[:n]) + sp.prod(many[:n]) - 3 * many[0] + 1, *many[:n])
        assert all(len(block.basis) <= squares.MOST_BASIS for program in made for block in program.blocks)


def test_the_solver_is_imported_where_it_is_used() -> None:
    code = "import sys, numerics; assert 'clarabel' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_prover_shows_the_squares() -> None:
    line = dict.fromkeys((x, y), (-sp.oo, sp.oo))
    asked = forall(3 * x**2 * y**2, "<=", x**4 * y**2 + x**2 * y**4 + 1, line)
    assert (asked.verdict.value, asked.engine) == ("PROVED", "Positivstellensatz")
    assert any("x^{2} y^{2} - 1" in step for step in asked.steps)
    assert not forall(3 * x**2 * y**2, "<=", x**4 * y**2 + x**2 * y**4 + 1 - HAIR, line).verdict.accepted
