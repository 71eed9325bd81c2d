"""Exact errors for the rows of large tables: all prompts, the engine for few points, symmetries."""

from typing import Any

import numpy as np
import pytest

import numerics.attention.exact.embedding_rows
import numerics.token_laws.embeddings
from numerics import AttentionSetting, exact_errors
from numerics.attention.curve import exact_error
from numerics.attention.exact.any_law import law_errors
from numerics.attention.exact.embedding_rows import is_large, table_errors
from numerics.attention.exact.enumeration import compositions, multinomial
from numerics.token_laws import atoms, embedding_table

Floats = np.ndarray[Any, Any]
LENGTHS = np.array([1, 2, 3, 10, 200, 1e5, 1e12, 1e30, 1e100])


def problem(seed: int, n: int, d: int, scale: float, d_out: int = 2) -> tuple[Floats, dict[str, Floats]]:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, d)) * rng.uniform(0.3, 2.0, d) + 3.0
    U, V = scale * rng.standard_normal((d, d)), rng.standard_normal((d_out, d))
    z = rng.standard_normal(d) / np.sqrt(d)
    return rows, dict(U=U, V=V, query=z)


fields = lambda e: np.array([e.output, e.squared_bias, e.grad_V])


def of_table(rows: Floats, given: dict[str, Floats], L: Floats = LENGTHS) -> Floats:
    return fields(table_errors(AttentionSetting(embedding_table(rows), **given), L))


law_on = lambda rows: atoms(rows - rows.mean(0), np.full(len(rows), 1 / len(rows)))


def by_all_prompts(rows: Floats, given: dict[str, Floats], L: int) -> Floats:
    """Output, squared bias and gradient in V, from every prompt of L rows as they came."""
    U, V, z = given["U"], given["V"], given["query"]
    counts = compositions(L, len(rows))
    p = multinomial(counts, np.full(len(rows), 1 / len(rows)))
    w = np.exp(rows @ U @ z - (rows @ U @ z).max())
    gap = (counts * w @ rows) / (counts * w).sum(1, keepdims=True) - w @ rows / w.sum()
    out = gap @ V.T
    return np.array([p @ (out**2).sum(1), np.sum((p @ out) ** 2), len(V) * p @ (gap**2).sum(1)])


@pytest.mark.parametrize(("n", "d", "scale"), [(3, 1, 1.0), (4, 2, 0.3), (5, 3, 1.5)])
def test_against_a_sum_over_all_prompts_of_rows_with_their_mean(n, d, scale):
    rows, given = problem(n, n, d, scale)
    L = np.array([1.0, 2.0, 3.0, 6.0])
    brute = np.array([by_all_prompts(rows, given, int(k)) for k in L]).T
    assert of_table(rows, given, L) == pytest.approx(brute, rel=1e-11)


@pytest.mark.parametrize(("n", "d", "scale", "d_out"), [(6, 2, 1.0, 1), (40, 5, 0.5, 9), (100, 3, 3.0, 3)])
def test_against_the_engine_for_few_points(n, d, scale, d_out):
    rows, given = problem(n, n, d, scale, d_out)
    e = table_errors(AttentionSetting(embedding_table(rows), **given), LENGTHS)
    other = law_errors(AttentionSetting(law_on(rows), **given), LENGTHS)
    assert fields(e) == pytest.approx(fields(other), rel=1e-11)
    assert np.all(np.abs(e.output / other.output - 1) <= e.relative_error + other.relative_error)
    assert np.all(e.relative_error < 1e-11)


def test_scores_of_any_size():
    rows, given = problem(3, 30, 3, 1.0)
    for scale in (10.0, 100.0, 600.0):
        loud = given | {"U": scale * np.eye(3) / np.linalg.norm(given["query"]) / 6}
        L = np.array([2.0])
        assert of_table(rows, loud, L)[:, 0] == pytest.approx(by_all_prompts(rows, loud, 2), rel=1e-9)
    with pytest.raises(ValueError, match="beyond 2000, where exact errors end; scale U"):
        of_table(rows, given | {"U": 1e5 * np.eye(3)}, np.array([2.0]))


def test_a_table_in_a_space_of_many_dimensions():
    """Three dimensions, turned into 150: too many for moments of every order."""
    rows, given = problem(8, 50, 3, 0.7)
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((150, 3)))[0]
    high = {"U": turn @ given["U"] @ turn.T, "V": given["V"] @ turn.T, "query": turn @ given["query"]}
    law = embedding_table((rows @ turn.T).astype(np.float64))
    assert is_large(law)
    e = exact_errors(law, **high, lengths=LENGTHS, K=turn.T, Q=given["U"] @ turn.T)
    assert fields(e) == pytest.approx(fields(exact_errors(law_on(rows), **given, lengths=LENGTHS)), rel=1e-9)
    assert np.isnan([e.grad_U, e.grad_K, e.grad_Q]).all()
    setting = AttentionSetting(law, **high)
    assert exact_error(setting, "output", LENGTHS) == pytest.approx(e.output, rel=1e-12)
    assert exact_error(setting, "grad_U", LENGTHS) is None


def test_small_tables_have_all_gradients():
    rows, given = problem(2, 12, 2, 1.0)
    assert not is_large(embedding_table(rows))
    assert is_large(embedding_table(np.arange(10_001.0)[:, None]))
    found, other = (
        exact_errors(law, **given, lengths=LENGTHS) for law in (embedding_table(rows), law_on(rows))
    )
    for name in ("output", "squared_bias", "grad_V", "grad_U"):
        assert getattr(found, name) == pytest.approx(getattr(other, name), rel=1e-11)


def test_pieces_of_rows_and_of_nodes_agree_with_the_whole(monkeypatch):
    rows, given = problem(4, 60, 4, 1.0)
    whole = of_table(rows, given)
    monkeypatch.setattr(numerics.token_laws.embeddings, "ENTRIES_AT_ONCE", 50)
    monkeypatch.setattr(numerics.attention.exact.embedding_rows, "ENTRIES_AT_ONCE", 1000)
    assert of_table(rows, given) == pytest.approx(whole, rel=1e-11)


def test_symmetries():
    rows, given = problem(6, 20, 3, 0.8)
    plain = of_table(rows, given)
    moved = rows + np.array([50.0, -20.0, 3.0])
    assert of_table(moved, given) == pytest.approx(plain, rel=1e-9)
    assert of_table(np.repeat(rows, 3, axis=0), given) == pytest.approx(plain, rel=1e-11)
    assert of_table(rows[::-1], given) == pytest.approx(plain, rel=1e-11)
    known = pytest.approx(plain[:2], rel=1e-10)
    assert of_table(1e3 * rows, given | {"U": 1e-3 * given["U"], "V": 1e-3 * given["V"]})[:2] == known
    weights = np.array([1, 2, 4])
    weighted = atoms(rows[:3] - weights @ rows[:3] / 7, weights / 7)
    found = fields(law_errors(AttentionSetting(weighted, **given), LENGTHS))
    assert of_table(np.repeat(rows[:3], weights, axis=0), given) == pytest.approx(found, rel=1e-11)


@pytest.mark.parametrize("n", [3, 40])  # few rows are summed over, of many the moments are taken
def test_rows_far_out_lose_nothing_to_the_rounding_of_their_mean(n):
    rng = np.random.default_rng(2)
    small = rng.integers(-40, 41, (n, 2)) / 8.0
    _, given = problem(2, n, 2, 1.0)
    # the sum of the rows is rounded, their differences are not
    far = AttentionSetting(embedding_table(small + 2.0**40), **given)
    L = np.array([1.0, 2.0, 3.0])
    true = (
        np.array([by_all_prompts(small, given, int(k)) for k in L]).T if n == 3 else of_table(small, given, L)
    )
    for engine in (table_errors, law_errors):
        assert fields(engine(far, L)) == pytest.approx(true, rel=1e-10)


def test_the_relative_error_of_a_squared_bias_does_not_vanish_for_long_prompts():
    """The square of its error is below the range of floats there, and its root is not."""
    _, given = problem(3, 40, 3, 1e-3)
    for engine in (table_errors, law_errors):
        e = engine(
            AttentionSetting(embedding_table(problem(3, 40, 3, 1.0)[0]), **given), np.array([1e60, 1e100])
        )
        assert e.relative_error[1] == pytest.approx(e.relative_error[0], rel=0.1)


@pytest.mark.parametrize("planted", ["weights", "mean", "norms"])
def test_a_planted_error_is_caught_by_the_sum_over_all_prompts(planted, monkeypatch):
    rows, given = problem(4, 4, 2, 1.0)
    module: Any = numerics.attention.exact.embedding_rows
    right_weights, right_seen = module._weights, module._at_query

    def seen(setting: AttentionSetting) -> Any:
        s = right_seen(setting)
        if planted == "mean":
            s.away[:] *= 1.001
        else:
            s.squares[1:] *= 1.001
        return s

    if planted == "weights":
        monkeypatch.setattr(module, "_weights", lambda v, log_w: right_weights(v, 1.001 * log_w))
    else:
        monkeypatch.setattr(module, "_at_query", seen)
    expected = by_all_prompts(rows, given, 3)[0]
    assert of_table(rows, given, np.array([3.0]))[0, 0] != pytest.approx(expected, rel=1e-5)


def test_averages_over_queries_and_large_entries_are_refused():
    rows, given = problem(1, 5, 2, 1.0)
    law = embedding_table(rows)
    with pytest.raises(ValueError, match="are those at one query"):
        table_errors(AttentionSetting(law, given["U"], given["V"], query_cov=np.eye(2)), np.array([2.0]))
    with pytest.raises(ValueError, match="choose other units"):
        table_errors(AttentionSetting(law, given["U"], 1e31 * given["V"], given["query"]), np.array([2.0]))
