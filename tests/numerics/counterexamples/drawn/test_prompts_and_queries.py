"""Averages over prompt and query: laws meet the hypotheses, false bounds fall, two routes."""

from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
import sympy as sp

from numerics.counterexamples.drawn.dispatch import of_statements
from numerics.counterexamples.drawn.holds import holds
from numerics.counterexamples.drawn.prompts_and_queries import (
    DIRECTIONS,
    MIDDLE,
    RARE,
    SCALE,
    SHAPES,
    SKEW,
    TOKENS,
    PromptsAndQueries,
    drawn_query,
    drawn_tokens,
)
from numerics.counterexamples.worst_case.query_average import (
    PromptAndQuery,
    covariance_error,
    fourth_error,
    moments,
    squared_error,
)
from numerics.counterexamples.worst_case.query_average_bound import Grid, Place, QueryAverageBound, Term
from numerics.evidence import Verdict
from numerics.seeds import seeded
from numerics.token_laws import atoms

ONE = F(1)


def codes(seed: int, count: int) -> list[tuple[int, ...]]:
    rng = np.random.default_rng(seed)
    tables = (TOKENS, RARE, SKEW, MIDDLE, SCALE, range(5), RARE, range(6), range(4), range(31))
    return [tuple(int(rng.integers(len(t))) for t in tables) for _ in range(count)]


def pair(d: int, rows: tuple[str, ...]) -> PromptAndQuery:
    """Skewed tokens on d + 1 points, a query on three, and a matrix of norm 1."""
    points = [tuple(F(i == j) for j in range(d)) for i in range(d)] + [tuple(F(-1, d) for _ in range(d))]
    weights = [F(1, 2 * d)] * d + [F(1, 2)]
    query = [tuple(F(v) for v in row) for row in ((1,) * d, (0,) * d, (-1,) * d)]
    shape = tuple(tuple(F(v) for v in row.split()) for row in rows)
    of_query = atoms(query, [F(1, 4), F(1, 2), F(1, 4)])
    return PromptAndQuery(atoms(points, weights, sigma2=ONE), of_query, ONE, "", shape)


@pytest.mark.parametrize("rows", [("-1",), ("0 1", "0 0"), ("3/5 4/5", "0 0"), ("0 1 0", "0 0 1/2", "1 0 0")])
def test_averages_in_vectors_are_those_of_one_instance(rows):
    x, lengths, sizes = pair(len(rows), rows), (1, 2, 5), (F(0), F(3, 4), F(7))
    grid = Grid.of(x, lengths, sizes)
    averaged = [(squared_error, None, None), (fourth_error, None, lambda z: (z * z).sum(0))]
    for statistic, f, g in (*averaged, (covariance_error, moments, None)):
        found = grid.mean(statistic, f, g)
        for i, L in enumerate(lengths):
            for j, u in enumerate(sizes):
                one = PromptAndQuery(x.tokens, x.query, u, "", x.direction)
                expected = float(one.average(L, statistic, f, g))
                assert found[i, j, 0] == pytest.approx(expected, rel=1e-10, abs=1e-15)


def test_the_sides_at_a_place_and_on_a_grid_are_the_same():
    x = pair(2, ("0 1", "0 0"))
    grid, place = Grid.of(x, (3,), (x.u,)), Place(x, 3)
    square, fourth = (lambda z: (z * z).sum(0)), (lambda tokens: (tokens * tokens).sum(1) ** 2)
    for of_grid, exact in (
        (grid.over_queries(square), place.over_queries(square)),
        (grid.over_tokens(fourth), place.over_tokens(fourth)),
        (grid.a2, place.a2),
        (grid.tilted(fourth), place.tilted(fourth)),
        (grid.mean(squared_error), place.mean(squared_error)),
    ):
        assert np.ravel(of_grid) == pytest.approx([float(exact)], rel=1e-12)


def sub_gaussian(points: Any, weights: Any, proxy: float, seed: int) -> bool:
    """Whether E e^{a.z} <= e^{proxy |a|^2/2} at many a, those towards the points among them."""
    rng, x = np.random.default_rng(seed), np.array(points, dtype=float)
    directions = np.concatenate([rng.standard_normal((20, x.shape[1])), x[np.any(x != 0, axis=1)]])
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    a = (directions[:, None] * np.geomspace(1e-2, 60, 200)[:, None]).reshape(-1, x.shape[1])
    a /= max(proxy, 1e-9) ** 0.5
    score = a @ x.T
    top = score.max(1, keepdims=True)
    log_mgf = np.log(np.exp(score - top) @ np.array(weights, dtype=float)) + top[:, 0]
    return bool(np.all(log_mgf <= proxy * (a * a).sum(1) / 2 + 1e-12))


@pytest.mark.parametrize("seed", range(3))
def test_drawn_laws_meet_the_hypotheses(seed):
    for kind, rare, skew, middle, scale, of_query, rare_query, *_ in codes(seed, 25):
        law = drawn_tokens(kind, rare, skew, middle, abs(SCALE[scale]))
        query = drawn_query(TOKENS[kind][0], of_query, rare_query)
        for drawn in (law, query):
            assert sum(drawn.weights) == 1
            mean = lambda i, law=drawn: sum(w * p[i] for w, p in zip(law.weights, law.points))
            assert not any(mean(i) for i in range(TOKENS[kind][0]))
        proxy = law.certain()
        assert float(proxy) == pytest.approx(law.proxy, rel=1e-5)
        assert TOKENS[kind][1] == "point" or proxy >= 1 - F(1, 10**5)
        assert query.certain() <= 1
        assert sub_gaussian(law.points, law.weights, float(proxy), seed)
        assert sub_gaussian(query.points, query.weights, 1.0, seed)
        # the check can fail
        assert not (proxy and sub_gaussian(law.points, law.weights, float(proxy) / 1e3, seed))


def test_matrices_have_norm_1_and_directions_length_1():
    for d, shapes in SHAPES.items():
        ranks = set()
        for text in shapes:
            matrix = np.array([float(F(v)) for v in text.split()]).reshape(d, d)
            assert np.linalg.norm(matrix, 2) == pytest.approx(1)
            ranks.add(int(np.linalg.matrix_rank(matrix)))
        assert ranks == set(range(1, d + 1))
        assert all(sum(v * v for v in direction) == 1 for direction in DIRECTIONS[d])


def statement(right: Any, **more: Any) -> QueryAverageBound:
    return QueryAverageBound((Term(lambda at: at.mean(squared_error), right),), **more)


def test_a_false_bound_is_refuted_at_the_simplest_prompt():
    """At one sign and U = 0 the error is the variance 1."""
    found = holds(PromptsAndQueries(statement(lambda at: at.sigma**2 * at.d * (1 + at.u) / (at.L + 1))))
    assert found.verdict is Verdict.REFUTED
    shown = {"tokens": "1, -1", "U": 0, "L": 1, "left": 1.0, "right": 0.5}
    assert {name: found.witness[name] for name in shown} == shown
    assert found.witness_by == "Arb"


quadratic = lambda at: 2 * (1 + 8 * (at.sigma * at.u) ** 2) * at.sigma**2 * at.d
ninth = lambda power: lambda at: 10**9 * at.sigma**9 * (1 + at.u) ** power


@pytest.mark.parametrize(
    ("left", "wrong", "right"),
    [
        (squared_error, lambda at: 9 * at.sigma**2 * at.d, quadratic),
        (squared_error, lambda at: 40 * (at.L - 1) * at.sigma**4, ninth(4)),
        (fourth_error, lambda at: 10**3 * at.sigma**2 * (1 + at.u) ** 9, ninth(9)),
    ],
    ids=["without U", "0 at one token", "the second power of sigma for a fourth moment"],
)
def test_planted_errors_are_found_and_what_is_true_is_not_refuted(left, wrong, right):
    for seed in range(2):
        with seeded("planted", seed):
            bounds = [QueryAverageBound((Term(lambda at: at.mean(left), side),)) for side in (wrong, right)]
            verdicts = [holds(PromptsAndQueries(bound)).verdict for bound in bounds]
        assert verdicts == [Verdict.REFUTED, Verdict.SUPPORTED]


def test_equality_is_no_violation_and_less_than_it_is_one():
    same = statement(lambda at: at.mean(squared_error))
    assert holds(PromptsAndQueries(same)).slack == 1
    assert holds(PromptsAndQueries(same).scaled(F(99, 100))).verdict is Verdict.REFUTED


OWN_HYPOTHESES: dict[str, tuple[Any, dict[str, Any], dict[str, Any], Any]] = {
    "sigma = 1": (lambda at: at.sigma ** (2 + 40), {"unit": True}, {"unit": False}, lambda at: True),
    "L >= 2": (lambda at: (at.L - 1) * at.sigma**4, {"least": 2}, {"least": 1}, lambda at: at["L"] == 1),
    "U != 0": (lambda at: at.u * at.sigma**4, {"nonzero": True}, {"nonzero": False}, lambda at: at["U"] == 0),
    "d <= 2": (lambda at: (3 - at.d) * at.sigma**4, {"d": (1, 2)}, {"d": (1, 2, 3)}, lambda at: at["d"] == 3),
}


@pytest.mark.parametrize("name", OWN_HYPOTHESES)
def test_hypotheses_of_the_statement_are_kept(name):
    """Each is false outside its own hypothesis only."""
    right, inside, outside, witness = OWN_HYPOTHESES[name]
    side = lambda at: 10**6 * right(at) * (1 + at.u) ** 4
    judged = lambda more: holds(PromptsAndQueries(statement(side, **more)))
    assert judged(inside).verdict is Verdict.SUPPORTED
    found = judged(outside)
    assert found.verdict is Verdict.REFUTED
    assert witness(found.witness)


def test_the_statement_of_an_evidence_becomes_a_property():
    true = statement(lambda at: 1 + at.L)
    (found,) = of_statements([true])
    assert isinstance(found, PromptsAndQueries)
    assert found.statement is true


def test_nothing_is_refuted_by_a_law_whose_constant_is_not_certain(monkeypatch):
    def fails(*_: Any) -> F:
        raise ArithmeticError("no proof")

    monkeypatch.setattr("numerics.counterexamples.drawn.prompts_and_queries._certain", fails)
    nothing = statement(lambda at: sp.S.Zero if isinstance(at.L, sp.Basic) else 0 * at.L)
    assert holds(PromptsAndQueries(nothing)).verdict is Verdict.OPEN


@pytest.mark.parametrize("times", [0, -1])
def test_a_side_that_is_not_positive_exceeds_a_smaller_one(times):
    more, less = (lambda at: times * at.u), (lambda at: -2 * at.u)
    assert holds(PromptsAndQueries(QueryAverageBound((Term(more, less),)))).verdict is Verdict.REFUTED
    assert holds(PromptsAndQueries(QueryAverageBound((Term(less, more),)))).verdict is Verdict.SUPPORTED
