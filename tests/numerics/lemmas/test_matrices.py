"""Bounds on matrices: lemmas that are known to be true or false, refutations that are evaluated
again by other means, planted errors, and what is refused.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import fmpq, fmpq_mat

from numerics.counterexamples.drawn.holds import holds
from numerics.evidence import Evidence, Verdict
from numerics.lemmas.matrices.exact import belongs
from numerics.lemmas.matrices.heads import (
    FrobeniusNorm,
    LargestEigenvalue,
    Matrices,
    OperatorNorm,
    SmallestEigenvalue,
)
from numerics.lemmas.matrices.judge import for_every_matrix, speaks_of_matrices
from numerics.lemmas.matrices.values import negative_vector
from numerics.provers import Closed, Integers

PSD, DEFINITE, SYMMETRIC, ANY = Matrices
A, B, C = (sp.MatrixSymbol(n, 2, 2) for n in "ABC")
x = sp.MatrixSymbol("x", 2, 1)
d = sp.Symbol("d", integer=True, positive=True)
X, Y, Z = (sp.MatrixSymbol(n, d, d) for n in "XYZ")
t = sp.Symbol("t", nonnegative=True)
tr, det, identity = sp.Trace, sp.Determinant, sp.Identity(2)
frobenius, norm, largest, smallest = FrobeniusNorm, OperatorNorm, LargestEigenvalue, SmallestEigenvalue


def ask(lhs: Any, op: str, rhs: Any, domain: Any, where: Any = (), effort: int = 1_000_000) -> Evidence:
    assert speaks_of_matrices(lhs, rhs, domain, where)
    return for_every_matrix(lhs, op, rhs, domain, where=where, effort=effort)


TRUE = {
    "monotone trace": (tr(A**2), ">=", tr(B**2), {A: PSD, B: PSD}, [(A, ">=", B)]),
    "trace of a product": (tr(A * B), ">=", 0, {A: PSD, B: PSD}),
    "at most the traces": (tr(A * B), "<=", tr(A) * tr(B), {A: PSD, B: PSD}),
    "logarithm of a determinant": (sp.log(det(A)), "<=", tr(A) - 2, {A: DEFINITE}),
    "Minkowski": (det(A + B), ">=", det(A) + det(B), {A: PSD, B: PSD}),
    "submultiplicative": (norm(A * B), "<=", norm(A) * norm(B), {A: ANY, B: ANY}),
    "trace and norm": (tr(A), "<=", 2 * norm(A), {A: ANY}),
    "antitone inverse": (B**-1, ">=", A**-1, {A: DEFINITE, B: DEFINITE}, [(A, ">=", B)]),
    "convex square": (
        ((1 - t) * A + t * B) ** 2,
        "<=",
        (1 - t) * A**2 + t * B**2,
        {A: SYMMETRIC, B: SYMMETRIC, t: Closed(0, 1)},
    ),
    "Cauchy-Schwarz": (sp.Abs(tr(A * B)), "<=", frobenius(A) * frobenius(B), {A: ANY, B: ANY}),
    "Weyl": (largest(A + B), "<=", largest(A) + largest(B), {A: SYMMETRIC, B: SYMMETRIC}),
    "harmonic mean": ((A + B) ** -1, "<=", (A**-1 + B**-1) / 4, {A: DEFINITE, B: DEFINITE}),
    "Rayleigh": (x.T * A * x, "<=", largest(A) * (x.T * x), {A: SYMMETRIC, x: ANY}),
    "Schur": (sp.HadamardProduct(A, B), ">=", 0, {A: PSD, B: PSD}),
    "Hadamard": (det(A), "<=", A[0, 0] * A[1, 1], {A: PSD}),
    "congruence": (B * A * B, "<=", B * C * B, {A: SYMMETRIC, B: SYMMETRIC, C: SYMMETRIC}, [(A, "<=", C)]),
    "commuting": (A * B + B * A, ">=", 0, {A: PSD, B: PSD}, [(A * B, "==", B * A)]),
    "below the identity": (A**2, "<=", A, {A: PSD}, [(A, "<=", identity)]),
    "trace one": (tr(A**2), "<=", 1, {A: PSD}, [sp.Eq(tr(A), 1)]),
    "triangle": (frobenius(A + B), "<=", frobenius(A) + frobenius(B), {A: ANY, B: ANY}),
    "smallest and mean": (2 * smallest(A), "<=", tr(A), {A: SYMMETRIC}),
    "strict": (tr(A), ">", 0, {A: DEFINITE}),
    "determinants": (det(A * B), "==", det(A) * det(B), {A: ANY, B: ANY}),
}
FALSE = {
    "square": (A**2, ">=", B**2, {A: PSD, B: PSD}, [(A, ">=", B)]),
    "three factors": (tr(A * B * C), ">=", 0, {A: PSD, B: PSD, C: PSD}),
    "anticommutator": (A * B + B * A, ">=", 0, {A: PSD, B: PSD}),
    "norms": (frobenius(A), "<=", norm(A), {A: ANY}),
    "convex cube": (
        ((1 - t) * A + t * B) ** 3,
        "<=",
        (1 - t) * A**3 + t * B**3,
        {A: PSD, B: PSD, t: Closed(0, 1)},
    ),
    "strict at 0": (tr(A), ">", 0, {A: PSD}),
    "no order": (tr(A**2), "<=", tr(A) ** 2, {A: SYMMETRIC}),
    "monotone inverse": (A**-1, ">=", B**-1, {A: DEFINITE, B: DEFINITE}, [(A, ">=", B)]),
    "they commute": (A * B, "==", B * A, {A: SYMMETRIC, B: SYMMETRIC}),
    "commutator of many sizes": (tr(X * Y * Z), ">=", 0, {X: PSD, Y: PSD, Z: PSD}),
    "half a norm": (tr(A), "<=", sp.Rational(199, 100) * norm(A), {A: ANY}),
    "smallest": (smallest(A + B), "<=", smallest(A) + smallest(B), {A: SYMMETRIC, B: SYMMETRIC}),
}


@pytest.mark.parametrize("name", TRUE)
def test_lemmas_that_are_true_are_shown(name):
    e = ask(*TRUE[name])
    assert e.verdict.executed, e.covered
    assert e.steps
    assert "2 x 2" in e.covered or e.dimension == "every d"
    assert e.vacuous == ""


@pytest.mark.parametrize("name", FALSE)
def test_lemmas_that_are_false_are_refuted(name):
    e = ask(*FALSE[name])
    assert e.verdict is Verdict.REFUTED
    assert e.witness_by in ("exact", "Arb")


def matrix(text: Any) -> np.ndarray:
    rows = [row.split(",") for row in str(text).strip("[]").split("], [")]
    return np.array([[Fraction(x.strip()) for x in row] for row in rows])


def test_the_witness_of_an_order_is_checked_by_hand():
    w = ask(*FALSE["square"]).witness
    a, b, v = (matrix(w[n]) for n in "ABv")
    assert (v @ (a @ a - b @ b) @ v.T)[0, 0] < 0
    for m in (b, a - b):
        assert m[0, 0] >= 0
        assert m[1, 1] >= 0
        assert m[0, 0] * m[1, 1] >= m[0, 1] * m[1, 0]
    assert max(map(abs, [*a.flat, *b.flat])) <= 4


def test_the_witness_of_three_factors_is_checked_by_hand():
    w = ask(*FALSE["commutator of many sizes"]).witness
    assert w["d"] == 2
    x, y, z = (matrix(w[n]) for n in "XYZ")
    assert np.trace(x @ y @ z) < 0


@pytest.mark.parametrize("name", ["square", "three factors", "norms", "half a norm"])
def test_a_property_test_refutes_what_is_false(name):
    assert holds(*ask(*FALSE[name]).sides).verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", ["monotone trace", "Weyl", "trace one", "antitone inverse", "determinants"])
def test_a_property_test_supports_what_is_true(name):
    sides = ask(*TRUE[name], effort=0).sides
    assert holds(*sides).verdict is Verdict.SUPPORTED


def test_a_bound_that_is_lowered_is_refuted():
    (side,) = ask(*TRUE["Weyl"]).sides
    assert holds(side.scaled(Fraction(9, 10))).verdict is Verdict.REFUTED


def test_symbolic_sizes_are_supported_and_words_are_proved():
    some = ask(tr(X * Y), ">=", 0, {X: PSD, Y: PSD})
    assert some.verdict is Verdict.SUPPORTED
    assert some.dimension == "d = 1; d = 2; d = 3"
    assert ask(tr(X * Y * Z), "==", tr(Z * X * Y), {X: ANY, Y: ANY, Z: ANY}).dimension == "every d"
    larger = ask(tr(X * Y), ">=", 0, {X: PSD, Y: PSD, d: Integers(2, 3)})
    assert larger.dimension == "d = 2; d = 3"


def test_an_equation_that_holds_at_the_sizes_that_are_tried_is_not_proved():
    e = ask((d - 1) * (d - 2) * (d - 3) * tr(X), "==", 0, {X: ANY})
    assert e.verdict is not Verdict.PROVED


def test_larger_sizes_are_supported_with_the_number_of_points():
    M, N = (sp.MatrixSymbol(n, 3, 3) for n in "MN")
    e = ask(largest(M + N), "<=", largest(M) + largest(N), {M: SYMMETRIC, N: SYMMETRIC})
    assert (e.verdict, e.engine) == (Verdict.SUPPORTED, "property search")
    assert e.samples > 1000
    false = ask(norm(M * N), ">=", norm(M) * norm(N), {M: SYMMETRIC, N: SYMMETRIC})
    assert false.verdict is Verdict.REFUTED


def test_size_one_is_proved_and_size_two_refuted():
    M, N, K = (sp.MatrixSymbol(n, 1, 1) for n in "MNK")
    assert ask(tr(M * N * K), ">=", 0, {M: PSD, N: PSD, K: PSD}).verdict is Verdict.PROVED


def test_rectangular_matrices():
    M = sp.MatrixSymbol("M", 2, 1)
    assert ask(M * M.T, ">=", 0, {M: ANY}).verdict is Verdict.PROVED
    assert ask(norm(M), "==", frobenius(M), {M: ANY}).verdict is not Verdict.REFUTED


def test_nothing_is_proved_of_no_matrices():
    impossible = [(A, "<=", -identity)]
    e = ask(tr(A), "<=", -7, {A: PSD}, impossible)
    assert e.verdict is Verdict.OPEN
    assert "vacuous" in e.reason
    also = ask(tr(A), "<=", -7, {A: PSD}, [(det(A), "<", 0)])
    assert also.verdict is Verdict.OPEN


def test_an_inverse_that_may_not_exist_is_not_proved():
    assert not ask(tr(A**-1), ">=", 0, {A: PSD}).verdict.executed
    assert not ask(sp.log(det(A)), "<=", tr(A) - 2, {A: PSD}).verdict.executed
    assert ask(tr(A**-1), ">", 0, {A: DEFINITE}).verdict.executed


def test_without_effort_there_is_a_search_only():
    assert ask(*TRUE["trace of a product"], effort=0).verdict is Verdict.SUPPORTED
    assert ask(*FALSE["three factors"], effort=0).verdict is Verdict.REFUTED


def test_what_says_nothing_is_called_vacuous():
    assert "hypotheses" in ask(A, ">=", B, {A: PSD, B: PSD}, [(A, ">=", B)]).vacuous
    assert ask(tr(A), "<=", tr(A), {A: PSD}).vacuous


@pytest.mark.parametrize(
    ("lhs", "op", "rhs", "domain", "words"),
    [
        (A, ">=", 1, {A: PSD}, "Identity"),
        (A * B, ">=", 0, {A: PSD, B: PSD}, "symmetric part"),
        (largest(A), ">=", 0, {A: ANY}, "symmetric part"),
        (A, ">=", B, {A: PSD}, "no range"),
        (A, ">=", 0, {A: (0, 1)}, "wrong kind"),
        (tr(A), "!=", 0, {A: PSD}, "choose one of these"),
        (A ** sp.Rational(1, 2), ">=", 0, {A: PSD}, "whole power"),
        (sp.MatrixSymbol("M", 2, 3), ">=", 0, {sp.MatrixSymbol("M", 2, 3): PSD}, "not square"),
        (tr(sp.MatrixSymbol("M", 9, 9)), ">=", 0, {sp.MatrixSymbol("M", 9, 9): PSD}, "between 1 and 4"),
        (tr(A), ">=", 0, {A: PSD, t: (1, 0)}, "empty"),
    ],
)
def test_wrong_values_are_refused(lhs, op, rhs, domain, words):
    with pytest.raises(ValueError, match=words):
        ask(lhs, op, rhs, domain)


@pytest.mark.parametrize(
    ("lhs", "rhs", "words"),
    [
        (tr(A), "0", "no exact expression"),
        (tr(A), 0.5, "no exact expression"),
        (tr(A) * sp.Float(0.5), 0, "binary float"),
        (frobenius(A) * A, 0, "symbol of its own"),
        (sp.KroneckerProduct(A, A) if hasattr(sp, "KroneckerProduct") else sp.exp(A), 0, "no value here"),
    ],
)
def test_wrong_kinds_are_refused(lhs, rhs, words):
    with pytest.raises(TypeError, match=words):
        ask(lhs, ">=", rhs, {A: PSD})


def test_a_norm_takes_a_matrix():
    with pytest.raises(TypeError, match="takes a matrix"):
        OperatorNorm(t)


def test_the_verdict_is_the_same_again():
    one, two = (ask(*FALSE["convex cube"]) for _ in range(2))
    assert one.witness == two.witness


def test_negative_vectors_against_eigenvalues():
    rng = np.random.default_rng(5)
    for _ in range(300):
        n = int(rng.integers(1, 5))
        half = rng.integers(-2, 3, (n, int(rng.integers(1, n + 1))))
        m = half @ half.T + int(rng.integers(-1, 2)) * np.diag(rng.integers(0, 2, n))
        exact = fmpq_mat(n, n, [fmpq(int(v)) for v in m.flat])
        least = np.linalg.eigvalsh(m.astype(float))[0]
        found = negative_vector(exact)
        assert (found is not None) == (least < -1e-9)
        assert belongs(exact, PSD) == (least > -1e-9)
        assert belongs(exact, DEFINITE) == (least > 1e-9)
        if found is not None:
            v = np.array([Fraction(int(q.p), int(q.q)) for q in found])
            assert v @ m @ v < 0


def test_bases_are_not_turned_where_entries_stand():
    """In a basis in which A is diagonal these would be true."""
    entry = {A: SYMMETRIC, B: SYMMETRIC}
    assert ask(A[0, 1] * B[0, 0], "<=", 0, entry).verdict is Verdict.REFUTED
    given = sp.Matrix([[2, 1], [1, 1]])
    assert ask(tr(A * given), ">=", tr(A), {A: PSD}).verdict is Verdict.REFUTED
    inside = sp.Matrix([[tr(A * B), 0], [0, 1]])
    e = ask(tr(A * sp.ImmutableMatrix(inside)), ">=", 0, {A: PSD, B: PSD})
    assert e.verdict is not Verdict.REFUTED
    false = ask(A * B * A, "<=", tr(A) ** 2 * B, {A: PSD, B: PSD})
    assert false.verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "kind", [{A: DEFINITE, B: DEFINITE}, {A: DEFINITE, B: PSD}, {A: DEFINITE, B: SYMMETRIC}]
)
def test_a_definite_matrix_is_the_identity_only_where_bases_may_be_any(kind):
    """True if A is the identity, and false otherwise."""
    assert ask(A * B + B * A, "<=", B * B + A * A - (A - B) ** 2 + A - A**2, kind).verdict is Verdict.REFUTED
    assert ask(A * B + B * A, ">=", 2 * B - identity + A * A, kind).verdict is Verdict.REFUTED
    assert ask(tr(A * B), "<=", tr(B) * largest(A) / 2 + tr(B) / 2, kind).verdict is Verdict.REFUTED


def test_hypotheses_that_simple_matrices_fail_are_met_by_others():
    e = ask(tr(A), ">=", tr(B), {A: DEFINITE, B: PSD}, [(A, ">=", B)])
    assert e.verdict is Verdict.PROVED
