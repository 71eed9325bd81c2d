"""What the figures of Collins et al. are trained on, and what is told of it."""

import csv
import json
import re

import numpy as np
import pytest

from numerics.attention.window.adam_kernel import TASKS, value
from numerics.attention.window.loss import window_loss
from numerics.experiments.collins.exact import linear_attention_loss, minimiser, tasks_of
from numerics.experiments.collins.settings import NAMED, PRETRAINED, RATES, Choices, Curve, Setting, settings
from numerics.experiments.collins.training import TASK_VALUES, Experiments, _error, _prompts, measure
from proofs_check.reports.figures.collins.page import COLUMNS, PAGE
from proofs_check.reports.figures.trained.page import write_page

SMALL = Choices(L=(1.0,), sigmas=(0.1,), lengths=(5,), steps=100, trials=2)


@pytest.fixture(scope="module")
def found():
    return measure(SMALL, [3, 5, 9])


@pytest.mark.parametrize("task", TASK_VALUES)
def test_tests_have_the_tasks_of_the_trainings(task):
    rng = np.random.default_rng(1)
    for t, L, drawn in zip(rng.uniform(-1, 1, 20), rng.uniform(0.1, 5, 20), rng.uniform(-1, 1, (20, 3))):
        plain = TASK_VALUES[task](np.array([[t]]), L, drawn[:, None, None])
        assert float(plain[0, 0]) == pytest.approx(value(TASKS.index(task), t, L, drawn, 1.0, 0.0), abs=1e-14)


def test_every_curve_has_every_rate_of_the_grid():
    for (figure, panel, name, _), s in settings(Choices(), NAMED).items():
        assert all(Curve(figure, panel, name, rate) in settings(Choices(), [figure]) for rate in RATES)
        assert s.queries in (None, 1)


def test_the_norm_of_a_record_is_the_least_where_nothing_was_learned(found):
    slow = found.curves[Curve(3, "cosine, uniform", "L = 1", 0.001)]
    fast = found.curves[Curve(3, "cosine, uniform", "L = 1", 0.1)]
    assert slow.steps.tolist() == list(range(2, 101, 2))
    assert (slow.norm < 0.05).all()
    assert fast.norm.max() > 1
    assert np.isnan(slow.rho).all()


def test_the_best_rate_has_the_least_loss(found):
    rate = found.best_rate(5, "test error", "affine, L = 1")
    finals = {r: found.curves[Curve(5, "test error", "affine, L = 1", r)].final for r in RATES}
    assert finals[rate] == min(finals.values()) < finals[0.001]


def test_errors_on_the_tests_fall_where_the_loss_does(found):
    trained = found.shown(5, "test error", "ReLU, L = 1")
    assert trained.tested.shape == (3, 2, 50)
    assert (trained.tested[1, :, -1] < 0.7 * trained.tested[1, :, 0]).all()


def test_rho_is_that_of_tasks_of_low_rank(found):
    for panel, names in found.names(9).items():
        for name in names:
            assert (found.shown(9, panel, name).rho > 0).all()


def test_without_attention_the_test_error_is_the_exact_loss_of_no_window():
    """M = 0 on 40 sets of 500 tasks; 6 standard errors: below 1e-6."""
    for task, L in PRETRAINED.values():
        s = Setting(task, 5, 200, L, 0.01, 0, 0)
        errors = np.array(
            [_error(np.zeros((5, 5)), _prompts(task, L, s, trial), True) for trial in range(40)]
        )
        tasks = tasks_of(task, L)
        assert tasks is not None
        exact = float(window_loss(tasks, 5, 200, 0.0, 1e-4).loss)
        assert errors.mean() == pytest.approx(exact, abs=6 * errors.std(ddof=1) / 40**0.5)


def test_a_folder_keeps_what_was_trained(tmp_path):
    folder = tmp_path / "measured"
    one = measure(SMALL, [3], folder=folder)
    again = measure(SMALL, [3], folder=folder, threads=1)
    assert again.work_seconds == one.work_seconds
    for curve, trained in one.curves.items():
        np.testing.assert_array_equal(trained.norm, again.curves[curve].norm)


def test_the_page_and_its_files_hold_the_same_curves(found, tmp_path):
    page = write_page(PAGE, found, [("COL:Fig3", "It grows.", "REFUTED", "It does not.")], tmp_path)
    html, document = page.read_text(), json.loads((tmp_path / "data.json").read_text())
    rows = list(csv.DictReader((tmp_path / "data.csv").read_text().splitlines()))
    assert list(rows[0]) == list(COLUMNS)
    assert len(rows) == sum(len(curve["steps"]) for curve in document["curves"])
    norms = [
        np.mean([trial[i] for trial in c["norm"]]) for c in document["curves"] for i in range(len(c["steps"]))
    ]
    np.testing.assert_allclose([float(row["norm"]) for row in rows], norms, rtol=2e-5)
    assert "It does not." in html
    assert html.index('id="figure-3"') < html.index('id="figure-5"') < html.index('id="figure-9"')
    assert "--steps 100" in html


def test_a_diverged_trial_is_null_and_told(tmp_path):
    curve = Curve(9, "a'B'x + 2, one root", "softmax", 0.1)
    found = measure(SMALL, [9])
    broken = found.curves[curve]._replace(norm=np.full((1, 50), np.nan), loss=np.full((1, 50), np.nan))
    page = write_page(PAGE, Experiments(SMALL, (9,), {**found.curves, curve: broken}, 0.0, 0.0), [], tmp_path)
    assert "1 curve diverged" in re_spaced(page.read_text())
    assert (
        None
        in next(
            c for c in json.loads((tmp_path / "data.json").read_text())["curves"] if c["loss"][0][0] is None
        )["norm"][0]
    )


def re_spaced(text: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", text).split())


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (Choices(L=(0.0,)), "L = 0.0 is not positive"),
        (Choices(L=()), "L is empty"),
        (Choices(sigmas=(-1.0,)), "sigmas = -1.0 is less than 0"),
        (Choices(lengths=(5, 5)), "names a number twice"),
        (Choices(trials=0), "trials = 0 is less than 1"),
        (Choices(noise=float("nan")), "noise = nan"),
    ],
)
def test_choices_that_cannot_be_used_are_refused(choices, said):
    with pytest.raises(ValueError, match=said):
        measure(choices, [3])
    with pytest.raises(ValueError, match="are none of"):
        measure(SMALL, [6])


def test_linear_attention_against_drawn_prompts():
    """The least loss over c, linear tasks: 200000 prompts, 5 standard errors."""
    rng, d, n, L, sigma = np.random.default_rng(3), 2, 5, 1.5, 0.3
    x = rng.standard_normal((200_000, n + 1, d))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    f = L * x[..., 0]  # by rotations every direction is as good as the first
    t = np.einsum("mnd,md->mn", x[:, :-1], x[:, -1])
    sums = np.sum(t * (f[:, :-1] + sigma * rng.standard_normal(t.shape)), axis=1)
    errors = (f[:, -1] - sums * np.mean(f[:, -1] * sums) / np.mean(sums**2)) ** 2
    exact = linear_attention_loss("linear", d, n, L, sigma)
    assert errors.mean() == pytest.approx(exact, abs=5 * errors.std() / len(errors) ** 0.5)
    assert linear_attention_loss("phase", 2, 10, 6.0, 0.1) == pytest.approx(0.5)
    assert minimiser("phase", 2, 10, 1.5, 0.1) is None
