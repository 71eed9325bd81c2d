"""`trace_identity`: true in every dimension, or refuted by an exact small instance."""

import json

import pytest
import sympy as sp

from numerics.evidence import Verdict
from numerics.provers.identities import identity, trace_identity
from theory.symbolic.algebra import Algebra

A = Algebra(
    general=["M", "N"],
    symmetric=["G", "P", "S", "T", "E"],
    vectors=["x", "m", "a"],
    params=["u"],
    inverse=[("G", "P")],
    pseudo_inverse=[("S", "T", "E")],
)
M, N, G, P, S, T, E = (A[n] for n in "MNGPSTE")
x, m, a, u, I = A["x"], A["m"], A["a"], A["u"], A.I

TRUE = {
    "rotation and transposition": ((M * N * G).tr(), (G * N.T * M.T).tr()),
    "completing the square": (
        a.T * x - (x - m).T * P * (x - m) / 2,
        a.T * m + a.T * G * a / 2 - (x - m - G * a).T * P * (x - m - G * a) / 2,
    ),
    "variance of a quadratic form": (
        ((x.T * M * x) ** 2).gauss("x", G) - (x.T * M * x).gauss("x", G) ** 2,
        (M * G * M * G).tr() + (M * G * M.T * G).tr(),
    ),
    "rank one update": ((I + u * (a * a.T)) * a, a * (1 + u * (a.T * a))),
    "pseudo-inverse": ((S * T * S * M).tr(), (M.T * S).tr()),
    "projector": ((I - E) * (I - E), I - E),
    "commutator is traceless": ((M * N).tr() - (N * M).tr() + I.tr(), A["d"]),
}
FALSE = {
    "matrices do not commute": (M * N, N * M),
    "trace of a product": ((M * N).tr(), M.tr() * N.tr()),
    "a factor 2 of Isserlis lost": ((x.T * x * x.T * x).gauss("x", G), G.tr() * G.tr() + (G * G).tr()),
    "pseudo-inverse is no inverse": (S * T, I),
    "symmetric part": (x.T * M * x, (x.T * (M - M.T) * x) / 2),
    "d = 1 cannot see it": (M * N * M.T, M * M.T * N),
    "one sign": (a.T * (G + I) * a, a.T * G * a - a.T * a),
    "a number for the dimension": (I.tr(), 2),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_in_every_dimension(name):
    e = trace_identity(*TRUE[name])
    assert e.verdict is Verdict.PROVED
    assert e.dimension == "every d"
    assert e.control.verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", FALSE)
def test_false_ones_are_refuted_by_an_exact_instance(name):
    lhs, rhs = FALSE[name]
    e = trace_identity(lhs, rhs)
    assert e.verdict is Verdict.REFUTED
    assert e.witness_by == "exact"
    # the witness alone, read back from the evidence, shows the difference
    read = lambda v: v if isinstance(v, int) else sp.sympify(v)
    values = {k: read(v) for k, v in json.loads(json.dumps(e.to_json()))["witness"].items()}
    other = rhs if not isinstance(rhs, int) else lhs - (lhs - rhs)
    assert lhs.evaluate(values) != other.evaluate(values)


@pytest.mark.parametrize("name", [n for n, (lhs, _) in TRUE.items() if lhs.shape == "scalar"])
def test_disturbed_coefficients_are_refuted(name):
    lhs, rhs = TRUE[name]
    assert trace_identity(lhs, rhs + rhs * sp.Rational(1, 10**12)).verdict is Verdict.REFUTED


def test_second_route_by_explicit_entries():
    """Jacobi's identity of commutators by words, and for d = 3 by entries."""
    L = Algebra(general=["A", "B", "C"])
    bracket = lambda p, q: p * q - q * p
    p, q, r = (L[n] for n in "ABC")
    jacobi = [bracket(p, bracket(q, r)), -bracket(q, bracket(r, p)) - bracket(r, bracket(p, q))]
    assert trace_identity(*jacobi).verdict is Verdict.PROVED
    explicit = [sp.Matrix(3, 3, sp.symbols(f"{n}:9", real=True)) for n in "abc"]
    p, q, r = explicit
    found = identity(bracket(p, bracket(q, r)), -bracket(q, bracket(r, p)) - bracket(r, bracket(p, q)))
    assert found.verdict is Verdict.PROVED


def test_what_holds_in_small_dimensions_only_is_not_proved():
    """Cayley-Hamilton for d = 2 fails for d = 1, 3; s_6 vanishes up to d = 3 and stays OPEN."""
    cayley = M * M - M * M.tr() + I * ((M.tr() ** 2 - (M * M).tr()) / 2)
    assert trace_identity(cayley, cayley - cayley + M * 0).verdict is Verdict.REFUTED
    from sympy.combinatorics.permutations import Permutation

    L = Algebra(general=list("ABCDEF"))
    total = L["A"] * 0
    for k in range(720):
        order = Permutation.unrank_lex(6, k)
        word = L.I
        for i in order.array_form:
            word = word * L["ABCDEF"[i]]
        total = total + word * order.signature()
    e = trace_identity(total, total * 0)
    assert e.verdict is Verdict.OPEN
    assert "differ" in e.reason


def test_bad_input():
    with pytest.raises(TypeError, match="no element"):
        trace_identity(sp.Symbol("x"), 0)
    with pytest.raises(ValueError, match="different algebras"):
        trace_identity(M, Algebra(general=["M"])["M"])
    with pytest.raises(ValueError, match="cannot add"):
        trace_identity(M, x)
    assert trace_identity(M - M, 0).verdict is Verdict.OPEN


def test_relations_are_named():
    assert "P = G^-1" in trace_identity(G * P * M, M).assumes  # although P has cancelled
    assert "T = pseudo-inverse of S, E = S T" in trace_identity(S * T, E).assumes
    assert "G symmetric" in trace_identity(G * M, (M.T * G).T).assumes
