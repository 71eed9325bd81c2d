"""How far attention is from linear attention, and in which of its two parts."""

import math
import re
from decimal import ROUND_CEILING

import numpy as np
import pytest

import numerics
from numerics import AttentionSetting
from numerics.attention.curve import exact_error
from numerics.attention.distance.how_linear import how_linear
from numerics.attention.distance.rounded import percent
from numerics.attention.examples import EXAMPLES
from numerics.token_laws import atoms, embedding_table, rademacher

ONE, ONE2 = np.eye(1), np.eye(2)


FAR_TABLE = np.array([[6.0, 0.0], [-1.0, 1.0], [-1.0, -1.0], [-2.0, 0.5], [-2.0, -0.5]])


@pytest.mark.parametrize("L", [4000, 10**6, 10**30])
def test_a_limit_far_from_linear_attention_is_red_however_close_the_prompt_is_to_it(L):
    found = how_linear(AttentionSetting(embedding_table(FAR_TABLE), ONE2, ONE2, [2.0, 0.5]), [L])
    assert found.to_limit[-1] < 0.01
    assert found.off_linear.value > 0.5
    assert found.relative_error[-1] == pytest.approx(found.off_linear.value, rel=0.01)
    assert found.grade.colour == "red"
    assert math.isinf(found.needed[0.1])
    assert math.isfinite(found.needed_to_limit[0.1])
    assert "It does not stay within 10 % for long prompts, since T itself is further off." in found.sentence
    assert found.needs()[1][1] == "not for good"


def test_a_bias_towards_linear_attention_can_bring_it_within_a_tolerance_that_t_misses():
    p = 0.15
    law = atoms([[1.0], [-p / (1 - p)]], [p, 1 - p])
    found = how_linear(AttentionSetting(law, [[5.061423522974062]], ONE, [1.0]), [60])
    assert found.relative_error[0] < 0.1 < found.off_linear.value
    assert "It does not stay within 10 % for long prompts, since T itself is further off." in found.sentence
    assert "not for good" in str(found)


@pytest.mark.parametrize("name", EXAMPLES)
def test_for_gaussian_tokens_the_whole_is_its_part(name):
    found = how_linear(EXAMPLES[name](), [3, 500])
    assert found.to_limit.tolist() == found.relative_error.tolist()
    assert found.off_linear == (0.0, 0.0)
    assert found.needed == found.needed_to_limit
    assert found.linear == found.size.value
    assert "Its parts" not in found.sentence


@pytest.mark.parametrize("law", ["rademacher", "sphere", "uniform"])
def test_the_parts_and_the_whole_are_sides_of_a_triangle(law):
    found = how_linear(EXAMPLES["anisotropic"]().with_law(law), [1, 2, 20, 1000, 1e9])
    part, off = found.to_limit, found.off_linear.value
    assert (found.relative_error <= (part + off) * (1 + 1e-9)).all()
    assert (found.relative_error >= np.abs(part - off) * (1 - 1e-9)).all()
    assert found.relative_error[-1] == pytest.approx(off, rel=1e-3)


def test_where_linear_attention_is_zero_and_the_limit_is_not_the_answer_is_absolute():
    """Uncorrelated but not independent: T sees the second coordinate, V Gamma U z does not."""
    points = np.array([[2.0, 1.0], [-2.0, 1.0], [0.0, -1.0], [0.0, -1.0]])
    setting = AttentionSetting(atoms(points, np.full(4, 0.25)), np.eye(2), [[0.0, 1.0]], [1.0, 0.0])
    found = how_linear(setting, [10, 10**6])
    T = (math.cosh(2.0) - 1) / (math.cosh(2.0) + 1)
    assert found.vanishes
    assert found.size.value == pytest.approx(T)
    assert found.off_linear.value == pytest.approx(T)
    assert found.error[-1] == pytest.approx(T, rel=1e-5)
    assert np.isnan(found.relative_error).all()
    assert found.grade.colour == "none"
    assert found.needs() == []
    assert "which is 0 here, by 0.58" in found.sentence
    assert f"from T to V Gamma U z {T:.3g}" in found.sentence


def test_needed_lengths_of_the_whole_are_the_least_that_do():
    setting = AttentionSetting(rademacher(2), np.diag([0.2, 0.1]), np.eye(2), [1.0, 0.5])
    found = how_linear(setting, [10])
    share = lambda L: math.sqrt(float(exact_error(setting, "from_linear", [L])[0])) / found.linear
    assert 0 < found.off_linear.value < 0.1
    L = found.needed[0.1]
    assert share(L) <= 0.1
    assert share(math.floor(L * (1 - 1.1e-3)) if L > 1e4 else L - 1) > 0.1
    assert found.needed_to_limit[0.1] < L


def test_queries_and_prompts_that_are_drawn_tell_the_whole_of_a_table_too():
    law, scale = embedding_table(FAR_TABLE), 0.4
    found = how_linear(AttentionSetting(law, scale * ONE2, ONE2, query_cov=ONE2), [6])
    queries = np.random.default_rng(8).standard_normal((400, 2))
    squares = np.array(
        [numerics.exact_errors(law, scale * ONE2, ONE2, [6], query=z).from_linear[0] for z in queries]
    )
    unit = float(np.sum((law.covariance * scale) ** 2))
    spread = math.hypot(2 * found.relative_error[0] * found.standard_error[0], squares.std() / 20 / unit)
    assert abs(found.relative_error[0] ** 2 - squares.mean() / unit) < 5 * spread
    assert found.linear == pytest.approx(math.sqrt(unit))


def test_a_bound_of_more_than_all_is_none():
    rows = 40 * np.random.default_rng(1).standard_normal((60, 3))
    answer = how_linear(
        AttentionSetting(embedding_table(rows), 0.1 * np.eye(3), np.eye(3), [1.0, 0.5, 0.0]), [100, 4000]
    )
    assert not (answer.bound.values <= 1).any()
    assert (
        "Certain bound on T_L to T: no useful bound is known (R1 promises nothing below 100 % at L = 4000"
        in answer.sentence
    )
    assert not any("R1" in cell for row in (*answer.table(), *answer.needs()) for cell in row)
    for text in (answer.text(), answer._repr_html_()):
        assert not re.search(r"e\d\d+ %", text)
    some = how_linear(EXAMPLES["isotropic"](), [10, 10**5])
    expected = ["no useful bound" if v > 1 else percent_up(v) for v in some.bound.values]
    assert [row[-1] for row in some.table()[1:]] == expected


percent_up = lambda share: percent(share, ROUND_CEILING)
