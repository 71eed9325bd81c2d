"""The distance from linear attention, for any law of tokens."""

import numpy as np
import pytest

from numerics import TokenLaw, attention_errors, exact_errors
from numerics.attention.exact.embedding_rows import table_errors
from numerics.attention.setting import AttentionSetting
from numerics.token_laws import atoms, ball, embedding_table, rademacher, sphere, uniform


@pytest.mark.parametrize("make", [rademacher, uniform, sphere, ball])
def test_the_distance_from_linear_attention_in_its_limits(make):
    """L = 1: ``E|Vz|^2 + |V Gamma U z|^2``; L = oo: T; without scores all attention is linear."""
    rng = np.random.default_rng(2)
    law, U, V, z = make(3), rng.standard_normal((3, 3)), rng.standard_normal((2, 3)), rng.standard_normal(3)
    linear, limit = V @ U @ z, V @ law.tilted_mean(U @ z)
    one, many = exact_errors(law, U, V, [1, 1e100], query=z).from_linear
    assert one == pytest.approx(np.sum(V**2) + linear @ linear, rel=1e-12)
    assert many == pytest.approx(np.sum((limit - linear) ** 2), rel=1e-9)
    flat = exact_errors(law, 0 * U, V, [1, 10, 1e5], query=z)
    np.testing.assert_allclose(flat.from_linear, flat.output, rtol=1e-12)


@pytest.mark.parametrize("law", [rademacher(2), uniform(2), atoms([[1.0, 1.0], [-1.0, -1.0]], [0.5, 0.5])])
@pytest.mark.parametrize("tilt", [1e-8, 1e-12])
def test_rounding_errors_of_the_limit_are_no_distance_from_linear_attention(law, tilt):
    """Both agree up to the third power of the scores, and so the error is that of a mean."""
    L = np.array([1e20, 1e30])
    found = exact_errors(law, tilt * np.eye(2), np.eye(2), L, query=[1.0, 1.0]).from_linear
    assert found[0] == pytest.approx(2e-20, rel=1e-6)
    # atoms are added up with rounding errors of their own size, which leave no digit of the last
    assert found[1] == pytest.approx(2e-30, rel=1e-6) if law.factor is not None else np.isnan(found[1])


def test_the_distance_from_linear_attention_by_a_sample_a_table_and_a_transform():
    rng = np.random.default_rng(4)
    X, U, V = rng.exponential(size=(40, 2)) * [3.0, 1.0], 0.5 * np.eye(2), rng.standard_normal((3, 2))
    z = [1.0, -0.5]
    L = [1, 3, 40, 1e6]
    laws = atoms(X - X.mean(0), np.full(40, 1 / 40)), embedding_table(X)
    by_atoms, by_table = (exact_errors(law, U, V, L, query=z) for law in laws)
    large = table_errors(AttentionSetting(laws[1], U, V, z), np.array(L, dtype=float))
    np.testing.assert_allclose(by_table.from_linear, by_atoms.from_linear, rtol=1e-10)
    np.testing.assert_allclose(large.from_linear, by_atoms.from_linear, rtol=1e-10)
    own = TokenLaw(name="own", d=2, sigma=laws[0].sigma, sample=laws[0].sample, log_mgf=laws[0].log_mgf)
    expected = by_atoms.from_linear
    np.testing.assert_allclose(exact_errors(own, U, V, L, query=z).from_linear, expected, rtol=1e-8)
    for law in laws:
        drawn = attention_errors(law, U, V, z, [1, 3, 40], replicates=20_000, seed=1, against="linear").output
        assert (np.abs(drawn.mean - by_atoms.from_linear[:3]) < 5 * drawn.standard_error).all()


def test_gaussian_tokens_have_a_linear_limit():
    g = dict(U=np.diag([0.5, 1.0]), V=np.eye(2), lengths=[1, 30])
    for query in ({"query": [1.0, 2.0]}, {"query_cov": np.eye(2)}):
        found = exact_errors(np.diag([2.0, 0.3]), **g, **query)
        assert found.from_linear.tolist() == found.output.tolist()
