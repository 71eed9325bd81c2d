"""How close attention is to its limit: second routes, laws, limits, what sentences promise."""

import math
import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.special import comb

from numerics import AttentionSetting
from numerics.attention.curve import exact_error
from numerics.attention.distance.approach import Law
from numerics.attention.distance.how_linear import how_linear
from numerics.attention.examples import EXAMPLES
from numerics.token_laws import atoms, rademacher, uniform
from tests.proofs_check.reports.pages.page import Page

ONE, ONE2 = np.eye(1), np.eye(2)


def error(setting: AttentionSetting, L: float) -> float:
    found = exact_error(setting, "output", [L])
    T = setting.V @ setting.Gamma @ setting.U @ setting.query_factor
    return math.sqrt(float(found[0]) / float(np.sum(T**2)))


@pytest.fixture(scope="module")
def steep():
    """Here a page was green while a quarter of the output was missing."""
    V = np.diag([1.0, *[0.51] * 15])
    return how_linear(AttentionSetting(np.eye(16), np.eye(16), V, [3.0, *[0.0] * 15]), [4000])


def test_a_case_in_which_the_law_does_not_show_yet(steep):
    assert steep.relative_error[0] == pytest.approx(0.237, abs=0.001)
    assert steep.slope[0] == pytest.approx(-0.4, abs=0.02)
    assert math.exp(18) / 4 < steep.law_from < 4 * math.exp(18)  # e^{2s}
    assert steep.grade.colour == "red"
    assert "for Gaussian tokens its limit T for infinite prompts, by 23.7 %" in steep.sentence


@pytest.mark.parametrize("L", [1, 2, 7])
def test_a_law_on_two_atoms_against_enumeration(L):
    """All prompts of L tokens that are 2 with probability 1/3 and -1 else, at score 0.7 z."""
    p, points = np.array([1 / 3, 2 / 3]), np.array([2.0, -1.0])
    w = np.exp(0.7 * points)
    T = float((p * w) @ points / (p @ w))
    k = np.arange(L + 1)  # how often the first point is drawn
    mean = (k * w[0] * points[0] + (L - k) * w[1] * points[1]) / (k * w[0] + (L - k) * w[1])
    # the variance is 2
    square, whole = (float((comb(L, k) * p[0] ** k * p[1] ** (L - k)) @ (mean - y) ** 2) for y in (T, 1.4))
    found = how_linear(AttentionSetting(atoms([[2.0], [-1.0]], p), [[0.7]], ONE, [1.0]), [L])
    assert found.relative_error[0] == pytest.approx(math.sqrt(whole) / 1.4, rel=1e-10)
    assert found.to_limit[0] == pytest.approx(math.sqrt(square) / 1.4, rel=1e-10)
    assert found.off_linear.value == pytest.approx(abs(T - 1.4) / 1.4, rel=1e-9)
    assert "Its parts, as shares of V Gamma U z" in found.sentence


def test_the_values_may_be_scaled():
    setting = EXAMPLES["anisotropic"]()
    scaled = AttentionSetting(setting.Gamma, setting.U, -300 * setting.V, setting.query)
    a, b = how_linear(setting, [50, 5000]), how_linear(scaled, [50, 5000])
    np.testing.assert_allclose(a.relative_error, b.relative_error, rtol=1e-9)
    np.testing.assert_allclose(300 * a.error, b.error, rtol=1e-9)
    assert a.needed == pytest.approx(b.needed)
    assert a.sentence == b.sentence


def test_tokens_and_query_may_be_rotated_together():
    s, R = EXAMPLES["anisotropic"](), np.linalg.qr(np.random.default_rng(1).standard_normal((4, 4)))[0]
    turned = AttentionSetting(R @ s.Gamma @ R.T, R @ s.U @ R.T, s.V @ R.T, R @ s.query)
    assert how_linear(s, [50, 5000]).sentence == how_linear(turned, [50, 5000]).sentence


@pytest.mark.parametrize("name", ["anisotropic", "singular", "averaged", "averaged-slow"])
def test_needed_lengths_are_the_least_that_do(name):
    setting = EXAMPLES[name]()
    found = how_linear(setting, [10])
    assert found.needed[0.1] < found.needed[0.01]
    for tolerance, L in found.needed.items():
        assert error(setting, L) <= tolerance * (1 + 1e-9)
        assert error(setting, math.floor(L * (1 - 1.1e-3)) if L > 1e4 else L - 1) > tolerance


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_certain_bound_is_above_the_truth_and_needs_more(name):
    for setting in (EXAMPLES[name](), EXAMPLES[name]().with_law("sphere")):
        found = how_linear(setting, [1, 3, 100, 2000])
        assert (found.to_limit <= found.bound.values * (1 + 1e-9) + 5 * found.to_limit_error).all()
        for tolerance, L in found.needed_to_limit.items():
            assert math.isnan(L) or found.bound.needed[tolerance] >= L
        averaged = "Proposition 3.1, our constants" if setting.averaged else "R1"
        assert found.bound.name == ("Theorem A" if setting.gaussian else averaged)


def test_what_theorem_A_promises_is_in_closed_form():
    """``(t + q)/(1 + (L - 1) e^{-s}) <= tolerance^2 q`` with s = q = 1 and t = 2."""
    bound = how_linear(AttentionSetting(np.eye(2), np.eye(2), np.eye(2), [1.0, 0.0]), [10]).bound
    for tolerance, L in bound.needed.items():
        assert pytest.approx(1 + math.e * (3 / tolerance**2 - 1), rel=1e-3) == L
        assert 1 + math.e * (3 / tolerance**2 - 1) <= L


@pytest.mark.parametrize("cov", [None, np.eye(2)])
def test_without_scores_the_limit_is_zero_and_nothing_is_relative_to_it(cov):
    query = {"query": [1.0, 2.0]} if cov is None else {"query_cov": cov}
    found = how_linear(AttentionSetting(np.diag([2.0, 1.0]), np.zeros((2, 2)), np.eye(2), **query), [100])
    assert found.vanishes
    assert found.error[0] == pytest.approx(math.sqrt(3 / 100))
    assert np.isnan(found.relative_error).all()
    assert "which is 0 here, by 0.173" in found.sentence
    assert found.needs() == []
    assert np.isnan(list(found.bound.needed.values())).all()
    assert found.grade.colour == "none"


def test_a_limit_that_is_zero_but_for_rounding_is_zero():
    R = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    hidden = AttentionSetting(
        R @ np.diag([1.0, 0.3, 0.7]) @ R.T, np.eye(3), np.diag([0.0, 1.0, 1.0]) @ R.T, R @ [1.0, 0.0, 0.0]
    )
    flat = AttentionSetting(atoms([[0.1], [-0.2]], [2 / 3, 1 / 3]), 0 * ONE, ONE, [1.0])
    assert how_linear(hidden, [10]).vanishes
    assert how_linear(flat, [10]).vanishes
    tiny = AttentionSetting(ONE, 1e-9 * ONE, ONE, [1.0])
    assert not how_linear(tiny, [10]).vanishes


@pytest.mark.parametrize("scale", [1e-2, 1e-4])
def test_small_scores_make_the_error_that_of_a_mean(scale):
    found = how_linear(AttentionSetting(ONE, scale * ONE, ONE, [1.0]), [100])
    assert found.relative_error[0] == pytest.approx(1 / (10 * scale), rel=1e-3)
    assert found.needed[0.1] == pytest.approx(100 / scale**2, rel=2e-3)


def test_the_law_with_logarithms_sets_in_where_the_slope_says_so():
    found = how_linear(EXAMPLES["averaged-slow"](), [1000])
    assert isinstance(found.law, Law)
    assert found.law.log_power == 0.5
    for L, good in ((found.law_from, True), (math.floor(0.98 * found.law_from), False)):
        slope = how_linear(EXAMPLES["averaged-slow"](), [L]).slope[0]
        law = -found.law.exponent + found.law.log_power / math.log(L)
        assert (abs(slope - law) <= 0.1 * found.law.exponent) == good


def test_a_mean_of_the_tokens_changes_the_limit_and_not_the_difference():
    rng, s, m = np.random.default_rng(2), EXAMPLES["anisotropic"](), np.array([1.0, -2.0, 0.5, 0.0])
    z = rng.standard_normal((50, 4))
    attention = lambda x: s.V @ (np.exp(x @ s.U @ s.query) @ x) / np.exp(x @ s.U @ s.query).sum()
    np.testing.assert_allclose(attention(z + m), attention(z) + s.V @ m, rtol=1e-12)
    plain, shifted = how_linear(s, [500]), how_linear(s, [500], mean=m)
    assert plain.sentence == shifted.sentence
    size = float(np.linalg.norm(s.V @ (m + s.Gamma @ s.U @ s.query)))
    assert shifted.with_mean == pytest.approx(size)
    assert any("is taken out" in note and f"size {size:.4g}" in note for note in shifted.notes)
    assert not any("mean" in note for note in how_linear(s, [500], mean=0 * m).notes)
    averaged = how_linear(EXAMPLES["averaged"](), [500], mean=[3.0, 4.0, 0.0])
    assert averaged.with_mean == pytest.approx(math.sqrt(25 + averaged.size.value**2))


def test_other_laws_over_many_queries_are_measured_and_it_is_said():
    """Of +1 and -1 at queries N(0, 1), T is tanh(z)."""
    found = how_linear(AttentionSetting(rademacher(1), ONE, ONE, query_cov=ONE), [2, 50, 10**8])
    assert (found.standard_error[:2] > 0).all()
    z, w = np.polynomial.hermite_e.hermegauss(101)
    mean = lambda values: float(w @ values / w.sum())
    size = mean(np.tanh(z) ** 2)
    off = math.sqrt(mean((np.tanh(z) - z) ** 2))
    assert abs(found.size.value - math.sqrt(size)) < 5 * found.size.error
    assert abs(found.off_linear.value - off) < 5 * found.off_linear.error
    # Two equal tokens give +1 or -1, two different ones the limit itself; linear attention is z.
    two = mean((1 - np.tanh(z)) ** 2 + (1 + np.tanh(z)) ** 2) / 4
    assert abs(found.to_limit[0] - math.sqrt(two)) < 5 * found.to_limit_error[0]
    two = mean((1 - z) ** 2 + (1 + z) ** 2) / 4 + off**2 / 2
    assert abs(found.relative_error[0] - math.sqrt(two)) < 5 * found.standard_error[0]
    assert np.isnan([found.relative_error[2], *found.needed_to_limit.values(), *found.slope]).all()
    assert set(found.needed.values()) == {math.inf}  # T alone is 43 % off
    assert "is not known" in found.sentence
    short = how_linear(found.setting, [50])
    assert "measured on" in short.sentence
    assert any("Nothing exact is known here" in note for note in short.notes)


numbers = lambda text: [float(n) for n in re.findall(r"\d[\d.]*(?:e\d+)?", text)]


@pytest.mark.parametrize("name", ["anisotropic", "isotropic", "averaged"])
def test_what_the_sentence_promises_is_true(name):
    setting = EXAMPLES[name]()
    found = how_linear(setting, [700])
    needs, bound = (
        re.search(pattern, found.sentence)
        for pattern in (r"10 % needs L (.*?), 1 % (.*?)\. The", r"10 % from L (.*?) on")
    )
    for text, tolerance in ((needs[1], 0.1), (needs[2], 0.01), (bound[1], 0.1)):
        (L,) = numbers(text)
        assert error(setting, L) <= tolerance * (1 + 1e-12)
        assert text in found.sentence


def test_every_prompt_length_counts_once_and_in_order():
    found = how_linear(EXAMPLES["isotropic"](), [1000, 1, 1000, 1e100])
    assert found.lengths.tolist() == [1, 1000, 1e100]
    assert found.relative_error[0] == pytest.approx(error(found.setting, 1))
    assert (np.diff(found.relative_error) < 0).all()
    assert [row[0] for row in found.table()[1:]] == ["1", "1000", "1e100"]


def test_the_answer_shows_itself():
    for setting, L in product((EXAMPLES["isotropic"](), EXAMPLES["averaged"]().with_law("ball")), (1, 100)):
        found = how_linear(setting, [L], mean=[1.0, 0.0, 0.0])
        assert max(len(line) for line in str(found).splitlines()) <= 100
        assert repr(found) == str(found)
        page = Page(f"<html>{found._repr_html_()}</html>")
        assert " ".join(page.words).split()[:3] == ["At", "L", "="]


@pytest.mark.parametrize(
    ("error_", "slope", "colour"),
    [
        (0.1, -0.901, "green"),
        (0.1, -0.89, "amber"),
        (0.1, math.nan, "green"),
        (0.101, -1.0, "amber"),
        (0.5, -1.099, "amber"),
        (0.101, -0.8, "red"),
        (0.51, -1.0, "red"),
        (0.3, math.nan, "amber"),
        (math.nan, -1.0, "none"),
    ],
)
def test_colours_go_by_error_and_slope(error_, slope, colour, steep):
    grade = replace(steep, relative_error=np.array([error_]), slope=np.array([slope])).grade
    assert grade.colour == colour
    assert grade.says.startswith("no colour" if colour == "none" else f"{colour}: the error is")


@pytest.mark.parametrize(
    ("lengths", "mean", "message"),
    [
        ([0], None, "lengths contain 0"),
        ([1.5], None, "lengths contain 1.5"),
        ([], None, "lengths must be a whole number"),
        ([10], [1.0, 2.0], r"mean has shape \(2,\)"),
        ([10], [1.0, 2.0, np.inf], "mean has the entry inf"),
    ],
)
def test_what_is_no_question(lengths, mean, message):
    with pytest.raises((TypeError, ValueError), match=message):
        how_linear(EXAMPLES["isotropic"](), lengths, mean=mean)


def test_attention_that_says_nothing_is_refused():
    with pytest.raises(ValueError, match="V Gamma = 0"):
        how_linear(AttentionSetting(ONE, ONE, 0 * ONE, [1.0]), [10])


def test_prompts_too_rare_to_be_drawn_are_part_of_the_standard_error():
    """Of +1 and -1 at scores +-1000 attention is wrong by 2 only where all tokens are -1."""
    found = how_linear(AttentionSetting(rademacher(1), [[1000.0]], ONE, [1.0]), [1, 10, 50, 100])
    assert found.replicates
    right = 2.0 ** (-found.lengths / 2)
    assert (1000 * found.to_limit + 5000 * found.to_limit_error >= 2 * right).all()
    assert found.to_limit_error[2] < 1e-8
    exact = np.sqrt((1 - right**2) * 999.0**2 + right**2 * 1001.0**2) / 1000
    assert (np.abs(found.relative_error - exact) <= 5 * found.standard_error + 1e-9).all()
    assert any("may be missed" in note for note in found.notes)


def test_the_slope_of_a_law_with_logarithms_at_one_token_is_no_number():
    says = how_linear(EXAMPLES["averaged-slow"](), [1]).grade.says
    assert says.endswith("is not that of the law")


def test_an_atom_that_comes_into_play_late_is_waited_for():
    """A token of probability 1e-35 and score 53 shows from about 1e23 tokens on."""
    points, p = np.array([[53.0, 2.5e4], [-0.5, -1.0], [0.5, 1.0]]), np.array([1e-35, 0.5, 0.5])
    setting = AttentionSetting(atoms(points - p @ points, p), np.eye(2), [[0.0, 1.0]], [1.0, 0.0])
    found = how_linear(setting, [10**9, 10**23])
    assert found.to_limit[0] < 1e-4
    assert found.to_limit[1] > 1e-3
    assert found.law_from > 1e23


@pytest.mark.parametrize(("tokens", "name"), [(np.eye(2), "Theorem A"), (rademacher(2), "R1")])
def test_a_bound_says_what_it_bounds_and_from_where(tokens, name):
    one = np.eye(2)
    answer = how_linear(AttentionSetting(tokens, one, one, [0.5, 0.0]), [100])
    told = " ".join(str(answer).split())
    of = "" if answer.setting.gaussian else " on T_L to T"
    assert f"Certain bound ({name}){of}: " in told
    assert "certain from L" in told


@pytest.mark.parametrize("law", [rademacher(2), uniform(2)])
@pytest.mark.parametrize("tilt", [1e-8, 1e-16])
def test_small_scores_need_long_prompts_and_not_more(law, tilt):
    """The error is 2/L, and linear attention is tilt * (1, 1)."""
    found = how_linear(AttentionSetting(law, tilt * ONE2, ONE2, [1.0, 1.0]), [100])
    for share, length in found.needed.items():
        assert length == pytest.approx((share * tilt) ** -2, rel=0.02)
