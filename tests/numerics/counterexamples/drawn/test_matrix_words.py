"""Matrix words are tried as they were put together, at singular and ill-scaled matrices."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from numerics.counterexamples.drawn.dispatch import of_statements
from numerics.counterexamples.drawn.equations.drawn_matrices import SPREAD, drawn_matrices
from numerics.counterexamples.drawn.equations.word_values import Reading, degree, nodes_each
from numerics.counterexamples.drawn.holds import holds
from numerics.counterexamples.drawn.matrix_words import WordIdentity
from numerics.evidence import Contradiction, Evidence, Verdict, confirmed
from numerics.provers.identities import trace_identity
from numerics.seeds import seeded
from theory.symbolic import elements
from theory.symbolic.algebra import Algebra, Words
from theory.symbolic.calculus import expectation, gradient
from theory.symbolic.letters import Alphabet

SHAPE: dict[str, Any] = dict(
    general=["M", "N"],
    symmetric=["G", "H", "C", "S", "T", "E", "F"],
    vectors=["x", "y", "m", "a"],
    params=["u", "v"],
    inverse=[("G", "H")],
    pseudo_inverse=[("S", "T", "E")],
    projectors=["F"],
)
A = Algebra(**SHAPE)
M, N, G, H, C, S, T, E, F, x, y, m, a, u, v = (A[n] for n in "MNGHCSTEFxymauv")

TRUE: dict[str, Callable[[], tuple[Words, Words]]] = {
    "rotation": lambda: ((M * N * C).tr(), (C * N.T * M.T).tr()),
    "powers and numbers": lambda: ((M + u * A.I) ** 2 / 2, M * M / 2 + u * M + u**2 * A.I / 2),
    "inverse": lambda: (G * M * H * G, G * M),
    "completing the square": lambda: (
        a.T * x - x.T * H * x / 2,
        a.T * G * a / 2 - (x - G * a).T * H * (x - G * a) / 2,
    ),
    "pseudo-inverse": lambda: (S * T * S * M + E * S - F * F, S * M + S * E - F),
    "gradient by a matrix": lambda: ((M.T * C * M).tr().grad("M"), 2 * C * M),
    "gradient by a symmetric matrix": lambda: ((C * M).tr().grad("C"), (M + M.T) / 2),
    "gradient of an inverse": lambda: ((H * M).tr().grad("G"), -(H * (M + M.T) * H) / 2),
    "gradient by a vector": lambda: (((x.T * x) * (x.T * x)).grad("x"), 4 * (x.T * x) * x),
    "derivative by a parameter": lambda: ((u**3 * M + v * u * N).diff("u"), 3 * u**2 * M + v * N),
    "fourth moment": lambda: (
        (x.T * M * x * (x.T * x)).gauss("x", C),
        2 * (M * C * C).tr() + (M * C).tr() * C.tr(),
    ),
    "mean": lambda: ((x * x.T).gauss("x", C, mean=m), C + m * m.T),
    "nested": lambda: (((x.T * y) ** 2).gauss("x", C).gauss("y", u * A.I), u * C.tr()),
    "moving covariance": lambda: ((x.T * M * x).gauss("x", y * y.T).gauss("y", C), (M * C).tr()),
    "gradient of an expectation": lambda: ((x.T * M * x).gauss("x", C).grad("M"), C),
    "expectation of a gradient": lambda: ((x.T * M * x).grad("x").gauss("x", C, mean=m), (M + M.T) * m),
    "substitution": lambda: ((x.T * C * x).substitute("x", M * y), y.T * M.T * C * M * y),
    "dimension": lambda: (A.I.tr() * M, A["d"] * M),
}
FALSE: dict[str, Callable[[], tuple[Words, Words]]] = {
    "matrices do not commute": lambda: (M * N, N * M),
    "not in dimension 2": lambda: ((M * M).tr(), M.tr() * M.tr()),
    "a transpose": lambda: ((M * N).tr().grad("M"), N),
    "a singular matrix has no inverse": lambda: (S * T, A.I),
    "a fourth moment": lambda: (((x.T * x) ** 2).gauss("x", C), C.tr() ** 2 + (C * C).tr()),
    "a part in a million": lambda: (x.T * C * x + x.T * x / 10**6, x.T * C * x),
    "a number for the dimension": lambda: (A.I.tr(), A["d"] * A["d"]),
}


def tried(statement: Evidence) -> Evidence:
    with seeded("a statement"):
        return holds(*of_statements(statement.sides))


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_holds_at_all_matrices_and_its_control_does_not(name):
    proof = trace_identity(*TRUE[name]())
    assert proof.verdict is Verdict.PROVED
    assert proof.control is not None
    found = tried(proof)
    assert (found.verdict, found.slack) == (Verdict.SUPPORTED, None), found
    control = tried(proof.control)
    assert control.verdict is Verdict.REFUTED, control
    assert control.witness_by == "exact"


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false_is_refuted_exactly(name):
    lhs, rhs = FALSE[name]()
    found = tried(trace_identity(lhs, rhs))
    assert (found.verdict, found.witness_by) == (Verdict.REFUTED, "exact")
    # The witness alone shows it, by the engine's own evaluation.
    letters = {n: sp.sympify(value) for n, value in found.witness.items()}
    assert lhs.evaluate(letters) != rhs.evaluate(letters)


def test_a_counterexample_has_the_least_dimension():
    assert tried(trace_identity(*FALSE["a fourth moment"]())).witness["d"] == 1
    assert tried(trace_identity(*FALSE["matrices do not commute"]())).witness["d"] == 2


# Wrong rules of the algebra: normal form and exact evaluation of it agree, examples do not.


sorted_words = lambda self, word: tuple(sorted(word)) if not self.is_inner(word) else word
transposed = lambda f, name: gradient(f, name).T
doubled = lambda f, name, covariance: expectation(f, name, covariance + covariance)
of_traces = lambda A: ((A["M"] * A["N"] * A["G"]).tr(), (A["N"] * A["M"] * A["G"]).tr())
of_gradient = lambda A: ((A["M"] * A["N"]).tr().grad("M"), A["N"])
of_mean = lambda A: ((A["x"].T * A["M"] * A["x"]).gauss("x", A["C"]), 2 * (A["M"] * A["C"]).tr())


@pytest.mark.parametrize(
    ("place", "name", "wrong", "statement"),
    [
        (Alphabet, "canonical", sorted_words, of_traces),
        (elements, "gradient", transposed, of_gradient),
        (elements, "expectation", doubled, of_mean),
    ],
    ids=["traces of other words", "gradient", "expectation"],
)
def test_a_wrong_proof_is_contradicted(place, name, wrong, statement, monkeypatch):
    assert trace_identity(*statement(Algebra(**SHAPE))).verdict is not Verdict.PROVED
    monkeypatch.setattr(place, name, wrong)
    proof = trace_identity(*statement(Algebra(**SHAPE)))
    assert proof.verdict is Verdict.PROVED
    assert proof.control is not None
    found = tried(proof)
    assert (found.verdict, found.witness_by) == (Verdict.REFUTED, "exact")
    with pytest.raises(Contradiction, match="trace words accepts what property test refutes"):
        confirmed(proof, found)


# The matrices, and the values of words


@pytest.mark.parametrize(
    "example", [(0, 0, 0, 0), (1, 0, 3, 5), (2, 1, SPREAD, 7), (3, 2, 5, 11), (3, 3, SPREAD, 2), (2, 3, 0, 1)]
)
def test_matrices_obey_the_declared_relations(example):
    d, exact = drawn_matrices(A, example, 4, copy=1)
    _, rounded = drawn_matrices(A, example, 4, bound=True)
    rational = lambda value: [sp.Rational(q.numerator, q.denominator) for q in value.flat]
    matrices = {n: sp.Matrix(*value.shape, rational(value)) for n, (value, _) in exact.items()}
    numbers = {n: value[0, 0] if n in A.params else value for n, value in matrices.items()}
    # The algebra refuses values that break a relation.
    assert (G * H + S * T + F).evaluate({**numbers, "d": d}) == sp.eye(d) + matrices["E"] + matrices["F"]
    assert matrices["C"].is_positive_semidefinite
    assert matrices["C"].rank() <= max(d - example[1], 0)
    assert all(value > 0 for n, value in numbers.items() if n in A.params)
    for n, (value, error) in rounded.items():
        rows = zip(value[1].tolist(), exact[n][0].tolist())
        off = np.array([[abs(Fraction(p) - q) for p, q in zip(*row)] for row in rows])
        assert error is not None
        assert (off <= 1.01 * np.broadcast_to(error, value.shape)[1]).all(), n


@pytest.mark.parametrize(
    "name", [n for n in TRUE if n not in ("gradient of an inverse", "moving covariance")]
)
def test_floats_stay_within_their_bound_of_the_exact_value(name):
    words, example = TRUE[name]()[0], (1, 0, 4, 3)
    d, exact = drawn_matrices(A, example, 4, copy=2)
    _, rounded = drawn_matrices(A, example, 4, bound=True)
    right, _ = Reading(d, exact=True, bound=False).of(words, exact)
    value, error = Reading(d, exact=False, bound=True).of(words, rounded)
    wide = (3, *right.shape)
    value, error = np.broadcast_to(value, wide)[2], np.broadcast_to(error, wide)[2]
    assert (np.abs(np.vectorize(float)(np.vectorize(Fraction)(value) - right)) <= 4 * error).all()
    assert (error <= 1e-7 * (1 + np.abs(value).max())).all()


def test_degrees_and_nodes_are_read_off_the_words_as_they_were_put_together():
    quartic = (x.T * M * x) * (x.T * x)
    assert (degree(quartic - quartic, "x"), degree((y.T * y).substitute("y", M * x), "x")) == (4, 2)
    assert degree(quartic.gauss("x", y * y.T), "y") == 8
    assert nodes_each((quartic * (y.T * y)).gauss("x", C).gauss("y", C)) == 3 * 2


def test_parts_of_one_claim_share_their_matrices():
    one, two = trace_identity(*TRUE["rotation"]()), trace_identity(*TRUE["inverse"]())
    properties = of_statements((*one.sides, *two.sides))
    assert len(properties) == 2
    assert len({p.drawn for p in properties}) == 1
    assert all(isinstance(p, WordIdentity) for p in properties)


def test_matrices_at_which_nothing_is_known_of_the_errors_do_not_count():
    class Blurred(WordIdentity):
        def _sides(self, example: Any, *, bound: bool) -> Any:
            off = np.full((1, 1), np.inf)
            return (np.ones((1, 1)), off), (np.full((1, 1), 2.0), off)

    found = holds(Blurred(*trace_identity(A["M"], A["M"]).sides))
    assert found.verdict is Verdict.OPEN
    assert "none of 100 examples meets the hypotheses" in found.reason
