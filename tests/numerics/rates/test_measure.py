"""The rate experiment: what holds, what must fail, and what is not compared."""

from dataclasses import replace

import numpy as np
import pytest

import numerics.rates.measure
from numerics.attention.curve import exact_error
from numerics.attention.examples import EXAMPLES
from numerics.attention.sampled.estimate import AttentionErrors, Estimate, attention_errors
from numerics.attention.setting import AttentionSetting
from numerics.rates.comparisons import ERROR
from numerics.rates.measure import assess, rates
from numerics.rates.result import Rates
from numerics.rates.series import series_of
from numerics.token_laws import rademacher

LENGTHS = [10, 22, 46, 100, 215, 464, 1000, 2154, 4642, 10000]
ISOTROPIC = EXAMPLES["isotropic"]()
PLAIN = {"effective_samples": 1e4, "largest_share": 0.001, "skewness": 2.0, "kurtosis": 9.0}


def failures(run: Rates) -> set[str]:
    return {c.name for c in run.comparisons if not c.holds}


def estimate(mean: np.ndarray, error: np.ndarray, share: np.ndarray | float = 0.001) -> Estimate:
    """What a sample of that mean, error and largest share would give, unsuspicious otherwise."""
    plain = {name: np.full(mean.shape, value) for name, value in PLAIN.items()}
    return Estimate(
        mean=mean, standard_error=error, **plain | {"largest_share": np.broadcast_to(share, mean.shape)}
    )


@pytest.fixture
def measured(monkeypatch):
    """Replaces the simulation by the exact curve times ``distort(L)`` with known noise."""

    def install(setting, distort=lambda L: 1.0, relative=0.005, share=0.001):
        def fake(_, *, lengths, seed, replicates, **__):
            (L,) = lengths
            rng = np.random.default_rng([seed, L])
            found = {}
            for quantity in ("output", "grad_V", "grad_U"):
                truth = exact_error(setting, quantity, [L])
                value = float(truth[0]) * distort(L) if truth is not None else 1.0 / L
                mean = np.array([value * (1 + relative * rng.standard_normal())])
                found[quantity] = estimate(mean, np.array([relative * value]), np.array([share]))
            return AttentionErrors(np.array([L]), replicates, seed, **found)

        monkeypatch.setattr(numerics.rates.measure, "attention_errors", fake)

    return install


def test_the_simulation_agrees_with_theory():
    for name in ("singular", "averaged"):
        run = rates(EXAMPLES[name](), [1, 2, 10, 100, 1000], replicates=4000, seed=5)
        assert run.holds, failures(run)
        assert len(run.comparisons) >= 9
    assert all(0 <= c.error <= ERROR for c in run.comparisons)


def test_true_data_pass_for_every_seed(measured):
    """Twenty seeds times 15 comparisons at 1e-6: below 4e-4 in all."""
    measured(ISOTROPIC)
    for seed in range(20):
        run = rates(ISOTROPIC, LENGTHS, seed=seed)
        assert run.holds, failures(run)
    assert {"output: exponent = 1", "gradient in U: exponent = 1"} <= {c.name for c in run.comparisons}


@pytest.mark.parametrize(
    ("distort", "broken"),
    [
        (
            lambda L: 1.05,
            {
                "output: measured = exact at each length",
                "gradient in U: measured = exact at each length",
                "output: measured <= Theorem A",
            },
        ),
        (
            lambda L: (L / 400) ** 0.05,
            {
                "output: measured = exact at each length",
                "output: exponent = 1",
                "gradient in U: exponent = 1",
            },
        ),
        (lambda L: 1.05 if L == 464 else 1.0, {"output: measured = exact at each length"}),
        (
            lambda L: 1.015,
            {"output: measured = exact over all lengths"},
        ),  # three standard errors at each length
    ],
    ids=["biased", "wrong exponent", "one wrong length", "slightly biased everywhere"],
)
def test_false_data_fail(measured, distort, broken):
    measured(ISOTROPIC, distort)
    run = rates(ISOTROPIC, LENGTHS)
    assert broken <= failures(run)
    assert not run.holds
    assert [c.holds for c in run.comparisons] == sorted(c.holds for c in run.comparisons)  # failures first


def test_a_false_bound_fails(monkeypatch, measured):
    """Half of Theorem A, one hundred-millionth of Lemma C.4, by both curves."""
    import numerics.attention.bound_curves

    theorem, lemma = numerics.attention.bound_curves.theorem_A, numerics.attention.bound_curves.lemma_c4
    monkeypatch.setattr(numerics.attention.bound_curves, "theorem_A", lambda *a: theorem(*a) / 2)
    monkeypatch.setattr(numerics.attention.bound_curves, "lemma_c4", lambda *a: lemma(*a) / 1e8)
    measured(ISOTROPIC)
    names = {
        f"{q}: {kind} <= {b}"
        for q in ("output", "gradient in V")
        for kind in ("measured", "exact")
        for b in ("Theorem A", "Lemma C.4")
    }
    assert names <= failures(rates(ISOTROPIC, LENGTHS))


def test_fit_windows_do_not_look_at_the_data(measured):
    windows = set()
    for seed in range(10):
        measured(ISOTROPIC)
        fit = rates(ISOTROPIC, LENGTHS, seed=seed).series[0].fit
        windows.add((fit.lengths, fit.points))
    assert len(windows) == 1


def test_intervals_of_the_whole_procedure_cover():
    L = np.array(LENGTHS, dtype=float)
    exact = exact_error(ISOTROPIC, "output", L)
    rng = np.random.default_rng(12)
    inside = []
    for _ in range(400):
        mean = exact * (1 + 0.005 * rng.standard_normal(L.size))
        fit = series_of(ISOTROPIC, "output", L, estimate(mean, 0.005 * exact), 0 * L, 20_000).fit
        low, high = fit.interval()
        inside.append(low <= 1 <= high)
    # The binomial standard error is 1.1 %: 92-98 % is 2.7 of them (error 0.6 %, with a fixed seed).
    assert 0.92 <= np.mean(inside) <= 0.98


def test_what_cannot_be_trusted_is_not_compared(measured):
    slow = EXAMPLES["averaged-slow"]()
    measured(slow)
    run = rates(slow, LENGTHS)
    assert not any("exponent = " in c.name for c in run.comparisons)
    assert any("do not recover the sharp exponent" in w for w in run.warnings)
    assert any(
        "cannot show the exponent" in w and "the exact curve, further out, does" in w for w in run.warnings
    )
    # Far out the law of Theorem B finds it in the exact curve, and the straight line does not.
    far, sharp = dict(run.far_models), run.series[0].sharp
    assert abs(far["A (ln L)^0.5 L^-a (1 + B/ln L)"] - sharp) < 1e-4 < abs(far["A L^-a"] - sharp)
    measured(ISOTROPIC)
    fast = rates(ISOTROPIC, LENGTHS)
    assert fast.far_models == ()
    assert all(series.models is not None and series.models.shows for series in fast.series)
    short = rates(ISOTROPIC, [10, 100, 1000])
    assert all(series.fit is None for series in short.series)
    assert (
        "output, gradient in V and gradient in U, no fit: lengths above 1 and well measured: 3; "
        "a fit takes 5 or more" in (short.warnings)
    )
    measured(ISOTROPIC, share=0.3)
    heavy = rates(ISOTROPIC, LENGTHS)
    assert all(series.fit is None for series in heavy.series)
    assert any("one prompt is up to 30% of the mean" in w for w in heavy.warnings)


@pytest.mark.parametrize(
    ("s", "word"), [(2.0, "go to longer prompts"), (60.0, "no feasible length shows it")]
)
def test_advice_that_can_be_followed(measured, s, word):
    """At s = 60 the next order is e^120/L: nobody should be sent to longer prompts."""
    one = AttentionSetting(np.eye(1), np.eye(1), np.eye(1), [s**0.5])
    measured(one)
    found = [w for w in rates(one, LENGTHS).warnings if "does not find the sharp exponent" in w]
    assert len(found) == 1
    assert word in found[0]


def test_errors_that_do_not_vary_are_known_to_rounding(measured):
    flat = AttentionSetting(np.eye(2), np.zeros((2, 2)), np.eye(2), np.ones(2))
    measured(flat, relative=0.0)
    run = rates(flat, LENGTHS)
    assert run.holds, failures(run)
    assert run.series[0].fit.exponent == pytest.approx(1, abs=1e-5)
    assert any("where it is not random" in c.name for c in run.comparisons)
    measured(flat, lambda L: 1 + 3e-5 * (L == 464), relative=0.0)
    assert "output: measured = exact where it is not random" in failures(rates(flat, LENGTHS))


def test_tokens_of_which_theory_says_nothing(measured):
    coins = AttentionSetting(rademacher(2), 0.4 * np.eye(2), np.eye(2), query_cov=np.eye(2))
    measured(coins)
    run = rates(coins, LENGTHS)
    assert run.far is None
    assert not any("exact" in c.name or "exponent = " in c.name for c in run.comparisons)
    assert any("no exact curve" in warning for warning in run.warnings)


def test_no_query_no_gradient_in_U():
    silent = AttentionSetting(np.eye(2), np.eye(2), np.eye(2), np.zeros(2))
    run = rates(silent, [1, 10, 100], replicates=500)
    assert [s.quantity for s in run.series] == ["output", "grad_V"]
    assert run.holds


def test_same_seed_same_numbers_whatever_else_is_asked():
    one = rates(ISOTROPIC, [10, 40], replicates=300, seed=3, threads=1)
    two = rates(ISOTROPIC, [40, 10, 10, 90], replicates=300, seed=3, threads=2)
    other = rates(ISOTROPIC, [10, 40], replicates=300, seed=4)
    assert two.lengths.tolist() == [10, 40, 90]
    for a, b, c in zip(one.series, two.series, other.series):
        assert np.array_equal(a.mean, b.mean[:2])
        assert np.array_equal(a.standard_error, b.standard_error[:2])
        assert not np.any(a.mean == c.mean)


def test_assessing_is_the_other_half_of_measuring():
    """Any order, repeated lengths, all in one call: the same run."""
    errors = attention_errors(ISOTROPIC, lengths=[40, 10, 40], replicates=300, seed=3)
    run, same = assess(ISOTROPIC, errors), rates(ISOTROPIC, [10, 40], replicates=300, seed=3)
    assert run.comparisons == same.comparisons
    assert run.warnings == same.warnings
    assert all(np.array_equal(a.mean, b.mean) for a, b in zip(run.series, same.series))
    with pytest.raises(ValueError, match="no standard error"):
        assess(ISOTROPIC, replace(errors, replicates=1))


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_single_length_is_compared_but_has_no_slope(name):
    run = rates(EXAMPLES[name](), [30], replicates=2000, seed=1)
    assert run.holds, failures(run)
    assert any("measured = exact at each length" in c.name for c in run.comparisons)
    assert all(series.slopes.slope.size == 0 and series.fit is None for series in run.series)
    assert any("one length has no slope" in warning for warning in run.warnings)


def test_progress_ends_complete():
    seen: list[tuple[int, int]] = []
    rates(ISOTROPIC, [10, 20, 30], replicates=100, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(30, 60), (50, 60), (60, 60)]


@pytest.mark.parametrize(
    ("lengths", "options", "message"),
    [
        ([0, 10], {}, "L = 0 is not a prompt length"),
        ([10, 2.5], {}, r"L = 2\.5 is not a prompt length"),
        ([10, float("nan")], {}, "L = nan is not a prompt length"),
        ([True, 10], {}, "L = True is not a prompt length"),
        ([], {}, "no lengths; ask for one or more"),
        ([10, 20], {"replicates": 99}, "replicates = 99; draw at least 100"),
    ],
)
def test_bad_arguments_are_refused(lengths, options, message):
    with pytest.raises(ValueError, match=message):
        rates(ISOTROPIC, lengths, **options)


def test_assess_takes_a_setting_and_what_was_measured_of_it():
    setting = EXAMPLES["anisotropic"]()
    for wrong in ((None, None), (setting, 5), ({}, setting)):
        with pytest.raises(TypeError, match="in this order"):
            assess(*wrong)
