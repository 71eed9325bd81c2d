"""Embedding tables are the laws on their points, however read; half diameters bound."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

import numerics.token_laws.diameter
import numerics.token_laws.embeddings
from numerics.evidence import Verdict
from numerics.sweep.laws import describe_law
from numerics.token_laws import TokenLaw, atoms, check_variance_proxy, embedding_table
from numerics.token_laws.atomic import Atomic
from numerics.token_laws.diameter import diameter
from numerics.token_laws.embeddings import EmbeddingTable, silent

Floats = np.ndarray[Any, Any]
RNG = np.random.default_rng(5)
ROWS = RNG.standard_normal((23, 3)) * [1.0, 2.0, 0.1] + [5.0, -3.0, 0.0]
TILTS = np.array([0.0, *[1e-4] * 2, *[3.0] * 4])[:, None] * RNG.standard_normal((7, 3))


def as_atoms(rows: Floats) -> TokenLaw:
    return atoms(rows - rows.mean(0), np.full(len(rows), 1 / len(rows)))


def alike(one: TokenLaw, other: TokenLaw) -> bool:
    """Whether transforms, real and complex, tilted means and covariances agree."""
    a = TILTS[None, :, : one.d]
    transforms = lambda law: (law.log_mgf(a), law.log_mgf(a + 0.2j))
    shown = lambda law: (*transforms(law), *law.tilted(a), law.tilted_mean(a), law.covariance)
    near = lambda x, y: x.shape == y.shape and np.allclose(x, y, rtol=1e-10, atol=1e-12)
    return all(map(near, shown(one), shown(other)))


def half_the_diameter(rows: Floats) -> float:
    return max(float(np.linalg.norm(x - y)) for x in rows for y in rows) / 2


@pytest.mark.parametrize("at_once", [1, 10, 4_000_000])
def test_a_table_is_the_law_on_its_rows_however_it_is_read(at_once, monkeypatch):
    for name in ("ENTRIES_AT_ONCE", "SCORES_AT_ONCE"):
        monkeypatch.setattr(numerics.token_laws.embeddings, name, at_once)
    law, A = embedding_table(ROWS), [[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]]
    assert alike(law, as_atoms(ROWS))
    assert alike(law.image(A), as_atoms(ROWS).image(A))
    assert not alike(law, as_atoms(ROWS[1:]))


def test_a_shift_changes_nothing_and_repeated_rows_weigh_more():
    assert alike(embedding_table(ROWS + np.array([100.0, 0.0, -7.0])), embedding_table(ROWS))
    few, often = ROWS[:3], [1, 2, 5]
    mean = np.array(often) @ few / 8
    assert alike(embedding_table(np.repeat(few, often, axis=0)), atoms(few - mean, np.array(often) / 8))
    law = embedding_table(ROWS)
    scaled = embedding_table(1e-3 * ROWS)
    known = 1e-6 * law.tilted(TILTS)[1]
    np.testing.assert_allclose(scaled.tilted(1e3 * TILTS)[1], known, rtol=1e-9, atol=1e-20)
    assert scaled.sigma == pytest.approx(1e-3 * law.sigma, rel=1e-6)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8, ">f8"])
def test_rows_of_every_kind_are_taken_as_they_are(kind, tmp_path):
    rows = np.round(4 * ROWS).astype(kind)
    np.save(tmp_path / "table.npy", rows)
    law = embedding_table(np.load(tmp_path / "table.npy", mmap_mode="r"))
    assert alike(law, as_atoms(rows.astype(float)))
    assert isinstance(law.structure, EmbeddingTable)
    assert law.structure.rows.dtype == rows.dtype


def test_a_table_on_disk_is_never_held_as_a_whole(tmp_path, monkeypatch):
    rows = np.random.default_rng(1).standard_normal((20_000, 50)).astype(np.float32)
    np.save(tmp_path / "table.npy", rows)
    monkeypatch.setattr(numerics.token_laws.embeddings, "ENTRIES_AT_ONCE", 20_000)
    monkeypatch.setattr(numerics.token_laws.diameter, "BLOCK", 256)
    tracemalloc.start()
    embedding_table(np.load(tmp_path / "table.npy", mmap_mode="r")).tilted(np.zeros(50))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < rows.nbytes


@pytest.mark.parametrize("block", [1, 4, 4096])
@pytest.mark.parametrize("shape", [(23, 3), (40, 1), (30, 60)])
def test_sigma_is_half_the_diameter(block, shape, monkeypatch):
    monkeypatch.setattr(numerics.token_laws.diameter, "BLOCK", block)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal(shape) * rng.pareto(1.5, (shape[0], 1)) + 10
        assert half_the_diameter(rows) <= embedding_table(rows).sigma <= half_the_diameter(rows) * (1 + 1e-4)


def test_a_diameter_that_is_not_finished_is_bounded(monkeypatch):
    monkeypatch.setattr(numerics.token_laws.diameter, "BLOCK", 4)
    rows = np.random.default_rng(2).standard_normal((60, 40))
    true = half_the_diameter(rows)
    for products in (1.0, 1e4, 3e4):
        law = EmbeddingTable.of(rows, silent, most_products=products)
        assert law.sigma / law.excess <= true <= law.sigma
        assert 1.01 < law.excess <= 2
        assert f"at most {law.excess:.3g} times it" in law.says_sigma
    with monkeypatch.context() as large:
        large.setitem(diameter.__kwdefaults__, "most_products", 1e4)
        bound, asked = embedding_table(rows), embedding_table(rows, diameter=True)
    assert 1.01 * true < bound.sigma <= np.linalg.norm(rows - rows.mean(0), axis=1).max()
    assert true <= asked.sigma < 1.0001 * true
    done = EmbeddingTable.of(rows)
    assert done.excess < 1.0001
    assert "is half the diameter" in done.says_sigma
    # The search may stop only because sums of norms bound distances: with norms that are too small
    # it stops early, and misses the truth.
    x = rows - rows.mean(0)
    norms = np.linalg.norm(x, axis=1)
    short = np.where(norms > np.median(norms), 1e-3 * norms, norms)
    assert diameter(lambda i: x[i], norms, progress=silent).most >= 2 * true
    assert diameter(lambda i: x[i], short, progress=silent).most < 2 * true


def test_many_rows_far_out_are_centred_and_their_sigma_is_no_less_than_half_their_diameter():
    x = np.random.default_rng(0).uniform(-0.01, 0.01, 30_000) + 1e14 / 3
    law = embedding_table(np.column_stack([x, 0 * x]))
    assert law.sigma >= (x.max() - x.min()) / 2
    assert isinstance(law.structure, EmbeddingTable)
    assert law.structure.excess == pytest.approx(1, abs=1e-4)
    assert abs(law.structure.mean[0] - x.min() - np.mean(x - x.min())) <= np.spacing(x[0])


def test_half_the_diameter_is_an_honest_sigma():
    assert check_variance_proxy(embedding_table(ROWS)).verdict is Verdict.SUPPORTED
    two = embedding_table([[0.0], [1.0]])  # Rademacher over two: half the diameter is optimal
    assert two.sigma == pytest.approx(0.5, rel=1e-6)
    claimed = TokenLaw(name="two rows", d=1, sigma=0.49, sample=two.sample, log_mgf=two.log_mgf)
    assert check_variance_proxy(claimed).verdict is Verdict.REFUTED


def test_what_was_done_is_said():
    law = embedding_table(ROWS)
    assert isinstance(law.structure, EmbeddingTable)
    assert f"norm {np.linalg.norm(ROWS.mean(0)):.3g}, is taken out" in law.structure.says_mean
    assert law.structure.says_sigma.startswith(f"sigma = {law.sigma:.4g} is half the diameter")
    assert "23 rows, their mean taken out" in law.name
    assert law.identity is None
    with pytest.raises(ValueError, match="cannot be written down"):
        describe_law(law)


def test_long_computations_tell_how_far_they_are():
    told: list[tuple[float, float, str]] = []
    tell = lambda done, total, doing="", seconds_left=None: told.append((done, total, doing))
    embedding_table(ROWS, progress=tell)
    expected = ["reading the table", "centring the table", "measuring the diameter of the table"]
    assert [doing for _, _, doing in told] == expected
    assert all(done == total for done, total, _ in told)


def test_tokens_are_rows_drawn_alike_often():
    rows = np.array([[3.0, 0.0], [0.0, 3.0], [0.0, 0.0]])
    drawn = embedding_table(rows).sample(np.random.default_rng(0), 30_000) + 1
    found = [(np.abs(drawn - row).max(1) < 1e-12).sum() for row in rows]
    assert sum(found) == 30_000
    assert np.abs(np.array(found) - 10_000).max() < 6 * np.sqrt(30_000 * 2 / 9)


def test_the_points_of_a_table_serve_exact_sums():
    law = embedding_table(ROWS)
    assert isinstance(law.on_points, Atomic)
    exact = np.trace(law.covariance)
    np.testing.assert_allclose(law.weighted_nodes.mean(law.weighted_nodes.squares), exact, rtol=1e-12)
    nothing = law.image(np.zeros((2, 3)))
    assert (nothing.sigma, nothing.covariance.tolist()) == (0.0, [[0.0, 0.0], [0.0, 0.0]])
    same = embedding_table([[0.1, 1.0], [0.1, 2.0], [0.1, 4.0]])  # the mean of 0.1, 0.1, 0.1 is rounded
    assert same.image([[1.0, 0.0]]).sigma == 0.0


@pytest.mark.parametrize(
    ("table", "error", "says"),
    [
        ([[1.0, 2.0]], ValueError, r"all rows of the table of tokens are equal \(1 of them\)"),
        (np.full((4, 2), 0.1), ValueError, "every prompt then gives its limit exactly"),
        ([[1.0], [2.0], [np.nan]], ValueError, "row 2 of the table of tokens has the entry nan in column 0"),
        ([[1.0, -np.inf], [0.0, 0.0]], ValueError, "row 0 of the table of tokens has the entry -inf"),
        ([[1e31], [0.0]], ValueError, "beyond 1e\\+30"),
        ([1.0, 2.0], ValueError, r"shape \(2,\)"),
        (np.zeros((0, 3)), ValueError, r"shape \(0, 3\)"),
        ([[1j], [0.0]], TypeError, "array of real numbers"),
        ([["a"], ["b"]], TypeError, "array of real numbers"),
        (np.array([[None], [1]], dtype=object), TypeError, "object"),
        ([[True], [False]], TypeError, "array of real numbers"),
        ([[1e-200], [3e-200]], ValueError, "lie within 1e-70 of their mean; choose other units"),
        (np.ma.array([[1.0], [2.0], [9.0]], mask=[[False], [False], [True]]), TypeError, "masked entries"),
    ],
)
def test_tables_that_are_none(table, error, says):
    with pytest.raises(error, match=says):
        embedding_table(table)


def test_a_tilt_of_another_dimension_is_refused():
    with pytest.raises(ValueError, match="its last axis must be 3"):
        embedding_table(ROWS).tilted_mean(np.zeros(2))
