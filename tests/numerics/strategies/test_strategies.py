"""Every law is centred and sub-Gaussian at its constant; degenerate cases; shrinking."""

import subprocess
import sys
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import numerics
from numerics.regression.flow.starts import Start
from numerics.strategies import (
    covariances,
    functions,
    gaussian_tasks,
    laws,
    lengths,
    matrices,
    queries,
    starts,
    tasks,
)
from numerics.strategies.numbers import simplest
from numerics.token_laws import TokenLaw
from theory.regression.task import RegressionTask

DIMENSIONS = (1, 2, 3)
#: As many as a claim is tried on: what these do not reach no claim is tried on.
A_CLAIM = 100


def drawn(strategy: st.SearchStrategy[Any], examples: int = A_CLAIM) -> list[Any]:
    """Some examples, the same in every run."""
    found: list[Any] = []

    def keep(example: Any) -> None:
        found.append(example)

    settings(derandomize=True, database=None, deadline=None, max_examples=examples)(given(strategy)(keep))()
    return found


@cache
def all_laws(d: int) -> list[TokenLaw]:
    return drawn(laws(d))


def rank(A: np.ndarray) -> int:
    top = np.abs(A).max()
    return int(np.linalg.matrix_rank(A / top, tol=1e-12)) if top else 0


def test_the_room_is_reached_from_the_package():
    assert numerics.strategies.laws is laws
    assert "strategies" in dir(numerics)


def test_without_hypothesis_the_error_says_what_to_install():
    code = "import sys; sys.modules['hypothesis'] = None; import numerics; numerics.strategies"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'pip install "largeprompt[test]"' in run.stderr.splitlines()[-1]


@pytest.mark.parametrize("d", DIMENSIONS)
def test_laws_are_centred_probabilities_on_rational_atoms(d):
    for law in all_laws(d):
        assert (law.d, sum(law.weights)) == (d, 1)
        assert min(law.weights) > 0
        assert all(sum(p * x for p, x in zip(law.weights, axis)) == 0 for axis in zip(*law.atoms))


@pytest.mark.parametrize("d", DIMENSIONS)
def test_the_constant_of_a_law_is_a_variance_proxy(d):
    """The log-mgf at random places of every size, in floating point, never passes it."""
    rng = np.random.default_rng(d)
    for law in all_laws(d):
        sigma = float(law.sigma2) ** 0.5
        if sigma == 0:
            assert not law.covariance.any()
            continue
        atoms = np.array([a for a in law.atoms if any(a)], dtype=float)
        directions = np.concatenate([rng.normal(size=(40, d)), atoms])
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        sizes = 10.0 ** np.linspace(-3, 1.5, 60)[:, None, None] / sigma
        a = sizes * np.concatenate([directions, -directions])
        assert (law.log_mgf(a) <= float(law.sigma2) / 2 * (a * a).sum(-1) * (1 + 1e-9)).all()


def test_the_constant_on_a_line_is_the_optimal_one():
    """Some place nearly reaches it; where no place is above the variance, it is the variance."""
    sizes = 10.0 ** np.linspace(-2, 2.5, 2000)
    a = np.concatenate([sizes, -sizes])
    for law in all_laws(1):
        if law.sigma2:
            at_places = (2 * law.log_mgf((a / (float(law.sigma2) ** 0.5))[:, None]) / a**2).max()
            assert 1 - 3e-5 < max(at_places, float(law.covariance[0, 0]) / float(law.sigma2)) < 1 + 1e-9


@pytest.mark.parametrize(
    "seen",
    [
        lambda law: law.sigma2 > 1e4,
        lambda law: 0 < law.sigma2 < 1e-4,
        lambda law: min(law.weights) < Fraction(1, 10**5),
        lambda law: max(law.weights) > Fraction(99, 100),
        lambda law: rank(law.covariance) == 0 and len(law.atoms) == 1,
        *[lambda law, k=k: len(law.atoms) == k for k in (2, 3, 4)],
        *[lambda law, r=r: rank(law.covariance) == r for r in DIMENSIONS],
    ],
)
def test_decades_and_degenerate_laws_are_reached(seen):
    assert any(seen(law) for d in DIMENSIONS for law in all_laws(d))


def test_no_law_has_more_atoms_than_asked_for():
    assert {len(law.atoms) for d in DIMENSIONS for law in drawn(laws(d, most_atoms=2))} == {1, 2}


def test_functions_have_a_value_at_each_atom():
    law = simplest(laws(2), lambda law: len(law.atoms) == 4)
    found = drawn(functions(law))
    values = [v for f in found for v in f]
    assert {len(f) for f in found} == {4}
    assert min(values) < -1000
    assert max(values) > 1000
    assert 0 in values
    assert any(0 < v < Fraction(1, 1000) for v in values)
    with pytest.raises(ValueError, match="no rational atoms"):
        functions(numerics.edge_case_laws(1)[0])


def test_lengths_cover_their_range():
    found = set(drawn(lengths(1, 1000)))
    assert {1, 2, 3, 1000} <= found
    assert found <= set(range(1, 1001))
    assert set(drawn(lengths(5, 5))) == {5}


def test_matrices_and_queries():
    found = drawn(matrices(3))
    assert {rank(U) for U in found} == {0, 1, 2, 3}
    assert any(U.any() and not np.linalg.matrix_power(U, 3).any() for U in found)
    assert any(np.abs(U).max() > 100 for U in found)
    assert simplest(matrices(3), lambda U: 0 < np.abs(U).max() < 0.01).shape == (3, 3)
    assert any((U != U.T).any() for U in found)
    assert any(not z.any() for z in drawn(queries(2)))


def negative_trace(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> bool:
    """Whether tr(ABC) < 0 for three semidefinite matrices."""
    return bool(np.trace(a @ a.T @ b @ b.T @ c @ c.T) < 0)


def no_larger_square(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> bool:
    """Whether A >= B >= 0, but not A^2 >= B^2, clearly."""
    small = a @ a.T
    large = small + b @ b.T
    return bool(np.linalg.eigvalsh(large @ large - small @ small)[0] < -1e-3 * np.abs(large).max() ** 2)


@pytest.mark.parametrize("fails", [negative_trace, no_larger_square])
def test_what_is_false_of_matrices_is_met_within_a_hundred_examples(fails):
    three = st.tuples(*[matrices(2)] * 3)
    assert any(fails(*example) for example in drawn(three))
    tried: list[Any] = []

    def seen(example: Any) -> bool:
        tried.append(example)
        return fails(*example)

    found = simplest(three, seen)
    assert len(tried) < 1000  # examples that are drawn and that shrink
    assert sum(np.abs(m).max() for m in found) <= 6


@pytest.mark.parametrize("d", DIMENSIONS)
def test_covariances_are_ones_of_every_rank(d):
    found = drawn(covariances(d))
    for S in found:
        top = np.abs(S).max()
        assert (S == S.T).all()
        assert np.linalg.eigvalsh(S).min() >= -1e-13 * top
    assert {rank(S) for S in found} == set(range(1, d + 1))
    regular = drawn(covariances(d, singular=False))
    assert all(np.linalg.slogdet(S)[0] > 0 for S in regular)
    assert d == 1 or max(np.linalg.cond(S) for S in regular) > 1e4


def test_tasks_are_centred_and_noiseless():
    for own in drawn(tasks(exact=True)):
        assert sum(task.probability for task in own) == 1
        for task in own:
            assert sum(task.masses) == 1
            assert sum(p * x for p, (x, _) in zip(task.masses, task.tokens)) == 0
            (x, y), *rest = task.tokens
            assert all(x * v == y * u for u, v in rest)
    found = drawn(tasks())
    assert {len(own) for own in found} == {1, 2, 3}
    assert any(all(y == 0 for task in own for _, y in task.tokens) for own in found)


def test_gaussian_tasks_meet_the_definition():
    found = drawn(gaussian_tasks(2))
    assert all(isinstance(task, RegressionTask) for task in found)
    assert {task.noise > 0 for task in found} == {True, False}


@pytest.mark.parametrize("d", DIMENSIONS)
def test_starts_meet_their_hypotheses(d):
    for s in drawn(starts(d, "theta")):
        assert s.u0 > 0
        assert np.linalg.norm(s.U0) == pytest.approx(s.u0)
        assert np.linalg.eigvalsh(s.U0).min() >= -1e-12 * s.u0
    for s in drawn(starts(d, "positive")):
        diagonal = np.diag(np.linalg.eigh(s.Sigma)[1].T @ s.U0 @ np.linalg.eigh(s.Sigma)[1])
        assert diagonal.min() >= -1e-12 * np.abs(s.U0).max()
        assert s.u0 > 0 or (s.u0 == 0 and diagonal.max() > 0)
    assert {np.sign(s.u0) for s in drawn(starts(d, "any"))} == {-1, 0, 1}
    with pytest.raises(ValueError, match="no kind of starts"):
        starts(d, "balanced")


@pytest.mark.parametrize("kind", ["theta", "positive", "any"])
def test_the_flow_arrives_from_the_simplest_start(kind):
    start: Start = simplest(starts(1, kind))
    assert (start.Sigma, start.U0.any() or start.u0) == (1, True)
    assert start.flow().converged


def test_examples_shrink_to_the_simplest():
    law = simplest(laws(3))
    assert (law.atoms, law.weights) == (((1, 0, 0), (-1, 0, 0)), (Fraction(1, 2),) * 2)
    assert len(simplest(laws(1), lambda law: min(law.weights) < Fraction(1, 100)).atoms) == 2
    assert not simplest(matrices(2)).any()
    assert (simplest(covariances(3)) == np.eye(3)).all()
    assert simplest(lengths()) == 1
    one = simplest(tasks())
    assert (one, one[0].tokens) == (simplest(tasks(most=1)), ((1, 0), (-1, 0)))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: laws(4),
        lambda: laws(1, most_atoms=0),
        lambda: laws(1, octaves=-1),
        lambda: lengths(0),
        lambda: lengths(5, 4),
        lambda: matrices(0),
        lambda: queries(True),
        lambda: covariances(2, octaves=11),
        lambda: tasks(most=0),
    ],
)
def test_bad_input_is_refused(wrong):
    with pytest.raises(ValueError, match="choose one of these"):
        wrong()


def test_functions_of_a_strategy_are_refused():
    wrong: Any = laws()
    with pytest.raises(ValueError, match=r"is no law; draw one first.*flatmap"):
        functions(wrong)
    assert len(simplest(laws().flatmap(functions), any)) == 2
