"""Rows of a table by Monte Carlo: exact errors, the sampler for any law, whoever draws them."""

from typing import Any

import numpy as np
import pytest

import numerics.attention.sampled.table_rows
from numerics import AttentionSetting, attention_errors, exact_errors
from numerics.attention.sampled.estimate import AttentionErrors, Estimate
from numerics.attention.sampled.sampler import error_sampler
from numerics.token_laws import atoms, embedding_table

QUANTITIES = ("output", "grad_V", "grad_U")
RNG = np.random.default_rng(12)
ROWS = RNG.standard_normal((9, 3)) + 4.0
U, V, QUERY = 0.7 * RNG.standard_normal((3, 3)), RNG.standard_normal((4, 3)), RNG.standard_normal(3)
#: Prompts that are shorter than the table, as long, and longer.
LENGTHS = [1, 2, 9, 300, 10**9]


def drawn(law: Any, seed: int, lengths: list[int] = LENGTHS, **given: Any) -> AttentionErrors:
    return attention_errors(law, U, V, lengths=lengths, replicates=20_000, seed=seed, threads=1, **given)


def gaps(one: AttentionErrors, other: Any) -> np.ndarray:
    out = []
    for name in QUANTITIES:
        e, known = getattr(one, name), getattr(other, name)
        mean, error = (known.mean, known.standard_error) if isinstance(known, Estimate) else (known, 0.0)
        out.append(np.abs(e.mean - mean) / np.hypot(e.standard_error, error))
    return np.array(out)


def test_one_query_against_exact_errors():
    exact = exact_errors(embedding_table(ROWS), U, V, LENGTHS, query=QUERY)
    assert gaps(drawn(embedding_table(ROWS), 3, query=QUERY), exact).max() < 6


def test_many_queries_against_the_sampler_for_any_law():
    law, S = atoms(ROWS - ROWS.mean(0), np.full(9, 1 / 9)), np.diag([1.0, 0.5, 0.1])
    one = drawn(embedding_table(ROWS), 4, LENGTHS[:-1], query=QUERY, query_cov=S)
    assert gaps(one, drawn(law, 5, LENGTHS[:-1], query=QUERY, query_cov=S)).max() < 6


@pytest.mark.parametrize("planted", ["repeated rows", "a coin for a sign"])
def test_a_planted_error_is_caught(planted, monkeypatch):
    module: Any = numerics.attention.sampled.table_rows
    if planted == "repeated rows":  # every prompt holds each of its rows twice
        right = module._counts
        monkeypatch.setattr(module, "_counts", lambda rng, L, n: 2 * right(rng, max(L // 2, 1), n))
    else:
        prompts = module.RowSampler._prompts
        monkeypatch.setattr(
            module.RowSampler, "_prompts", lambda *given: prompts(*given[:-1], np.maximum(given[-1], 0))
        )
    exact = exact_errors(embedding_table(ROWS), U, V, [300], query=QUERY)
    assert gaps(drawn(embedding_table(ROWS), 3, [300], query=QUERY), exact).max() > 20


def test_the_same_numbers_for_every_number_of_threads_and_every_cut():
    setting = AttentionSetting(embedding_table(ROWS), U, V, QUERY, query_cov=np.eye(3))
    one, two = (
        attention_errors(setting, lengths=[5, 40], replicates=3000, seed=8, threads=n) for n in (1, 3)
    )
    for name in QUANTITIES:
        np.testing.assert_array_equal(getattr(one, name).mean, getattr(two, name).mean)
    sampler = error_sampler(setting, seed=8)
    np.testing.assert_array_equal(sampler.values(5, 0, 300)[:, 70:90], sampler.values(5, 70, 20))
    assert sampler.method == "tokens"


def test_prompts_that_are_worked_on_one_by_one_have_the_same_errors(monkeypatch):
    sampler = error_sampler(AttentionSetting(embedding_table(ROWS), U, V, QUERY, query_cov=np.eye(3)), seed=8)
    together = sampler.values(5, 0, 64)
    monkeypatch.setattr(numerics.attention.sampled.table_rows, "WEIGHTS_AT_ONCE", 1)
    np.testing.assert_allclose(sampler.values(5, 0, 64), together, rtol=1e-9, atol=1e-12)
