"""The loss of an attention window against drawn tasks, double integrals, limits and laws."""

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import roots_jacobi

from numerics.attention.window.best_width import optimal_window
from numerics.attention.window.loss import _narrow, one_window, read_spectrum, window_loss
from numerics.attention.window.plain import plain_window_loss
from tests.numerics.attention.window.make_reference import OWN, TABLE
from theory.attention.window.classes import Spectrum, affine, cosine, linear, relu
from theory.attention.window.laws import unified_loss
from theory.attention.window.own_class import from_rho, from_spectrum

repeatable = settings(derandomize=True, database=None, deadline=None, max_examples=40)


@pytest.mark.parametrize(("d", "n", "w"), [(2, 3, 5.0), (3, 8, 2.0), (5, 30, 4.0)])
def test_drawn_tasks_prompts_and_labels_lose_as_much(d, n, w):
    """ReLU tasks, tokens and noisy labels at six standard errors: 2e-9."""
    rng, R, noise = np.random.default_rng(7), 60_000, 0.2
    x = rng.normal(size=(R, n + 1, d))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    u = rng.normal(size=(R, d))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    l, k, b = rng.uniform(-1, 1, size=(3, R, 1))
    s = np.einsum("rnd,rd->rn", x, u)
    f = l * np.maximum(s, 0) + k * np.maximum(-s, 0) + b
    weights = np.exp(-w * ((x[:, :n] - x[:, n:]) ** 2).sum(2))
    weights /= weights.sum(1, keepdims=True)
    labels = f[:, :n] + rng.normal(size=(R, n)) * noise**0.5
    errors = ((weights * labels).sum(1) - f[:, n]) ** 2
    assert abs(errors.mean() - window_loss(relu(1), d, n, w, noise).loss) < 6 * errors.std() / R**0.5


@pytest.mark.parametrize(("name", "d", "n", "w", "noise", "stated"), json.loads(TABLE.read_text()))
def test_the_stored_table_of_another_program(name, d, n, w, noise, stated):
    """Losses to 16 digits by integrals in ball arithmetic, which share no code with the package."""
    tasks = {"affine": affine(1), "relu": relu(1), "cosine6": cosine(6), "own": from_spectrum(OWN)}[name]
    found = window_loss(tasks, d, n, w, noise)
    assert abs(found.loss - stated) <= 1e-10 * stated
    assert abs(found.loss - stated) <= found.error


CASES = [
    (tasks, d, n, w)
    for tasks in (affine(1), relu(1), cosine(4))
    for d, n, w in ((2, 2, 1.0), (3, 5, 0.0), (4, 60, 8.0), (9, 1000, 25.0), (2, 10**5, 300.0))
]


@pytest.mark.parametrize("d", [300, 1000, 3000, 10_000])
def test_in_high_dimensions_three_tokens_are_seen_by_another_rule(d):
    """The products of tokens with the query, by Gauss-Jacobi nodes of their law."""
    t, p = roots_jacobi(40, (d - 3) / 2, (d - 3) / 2)
    p, w = p / p.sum(), 0.25 * d**0.5
    weights = np.exp(2 * w * np.array(np.meshgrid(t, t, t, indexing="ij")))
    weights /= weights.sum(axis=0)
    mass = p[:, None, None] * p[:, None] * p
    # Given their products with the query two tokens have the mean product t_i t_j, and each has 1.
    products = np.array(np.meshgrid(t, t, t, indexing="ij"))
    along, squares = (weights * products).sum(0), (weights**2).sum(0)
    square = along**2 + (weights**2 * (1 - products**2)).sum(0)
    loss = float((mass * (square - 2 * along + 1 + 0.1 * squares)).sum())
    assert float(window_loss([0, 1], d, 3, w, 0.1).loss) == pytest.approx(loss, rel=1e-9)


@pytest.mark.parametrize(("tasks", "d", "n", "w"), CASES, ids=lambda x: getattr(x, "name", str(x)))
def test_the_terms_of_the_definition_add_up_to_it(tasks, d, n, w):
    """The plain route cancels, and loses digits with the width."""
    spectrum = Spectrum(d, tasks.spectrum(d, 150).b)
    expected = plain_window_loss(spectrum, n, w, 0.1)
    assert float(window_loss(spectrum, d, n, w, 0.1).loss) == pytest.approx(expected, rel=1e-8)


def test_two_tokens_in_three_dimensions_are_elementary():
    """2 - E[D tanh(wD)] - E[sech^2(wD)(1 - t_1 t_2)]/2, heights uniform on [-1, 1]."""
    y, weights = np.polynomial.legendre.leggauss(400)
    D, product = y[:, None] - y, np.outer(y, y)
    for w in (0.3, 4.0, 30.0):
        value = 2 - D * np.tanh(w * D) - (1 - np.tanh(w * D) ** 2) * (1 - product) / 2
        stated = weights @ value @ weights / 4 / 9
        assert float(window_loss(affine(1), 3, 2, w).loss) == pytest.approx(stated, rel=1e-9)


def test_one_token_shows_its_own_value():
    spectrum = relu(1).spectrum(4)
    found = window_loss(spectrum, 4, 1, [0.0, 3.0, 500.0], 0.7)
    np.testing.assert_allclose(found.loss, 2 * spectrum.varying + 0.7, rtol=1e-14)
    assert not found.derivative.any()


def test_no_window_is_the_uniform_average():
    for d, n in ((2, 2), (3, 10), (7, 10**6)):
        spectrum = cosine(3).spectrum(d)
        found = window_loss(spectrum, d, n, 0.0, 0.3)
        assert float(found.loss) == pytest.approx(spectrum.varying * (1 + 1 / n) + 0.3 / n, rel=1e-12)


def test_the_nearest_token_decides_in_narrow_windows():
    """On the circle, linear tasks: to that of the nearest of n angles, (L^2/2) E[2 - 2 cos a]."""
    n = 4
    y, weights = np.polynomial.legendre.leggauss(200)
    a = np.pi / 2 * (1 + y)
    nearest = n / np.pi * (1 - a / np.pi) ** (n - 1)
    stated = 0.5 * np.pi / 2 * (weights * nearest) @ (2 - 2 * np.cos(a))
    losses = window_loss(linear(1), 2, n, [300.0, 1000.0]).loss
    assert np.all(losses < stated)
    assert losses[1] == pytest.approx(stated, rel=1e-2)
    assert abs(losses[1] - stated) < 0.4 * abs(losses[0] - stated)


def test_very_long_prompts_keep_their_digits():
    for d in (2, 3, 6):
        found = float(window_loss(affine(1), d, 10**12, 2.0, 5.0).loss)
        assert found == pytest.approx(float(unified_loss(affine(1).spectrum(d), 2.0, 10**12, 5.0)), rel=1e-9)


def test_the_derivative_is_one():
    for d, n, w in ((2, 3, 2.0), (5, 200, 10.0), (3, 10**6, 50.0)):
        h = 1e-4 * w
        f = window_loss(relu(1), d, n, [w - h, w, w + h], 0.4)
        assert f.derivative[1] == pytest.approx((f.loss[2] - f.loss[0]) / (2 * h), rel=1e-5)


spectra = st.lists(st.floats(0, 2), min_size=2, max_size=6).filter(lambda b: sum(b[1:]) > 1e-3)


@repeatable
@given(spectra, st.integers(2, 8), st.integers(1, 60), st.floats(0, 40), st.floats(0, 3), st.floats(0.1, 5))
def test_laws_of_every_loss(b, d, n, w, noise, scale):
    one = window_loss(b, d, n, w, noise)
    scaled = window_loss([scale**2 * x for x in b], d, n, w, scale**2 * noise)
    assert float(scaled.loss) == pytest.approx(scale**2 * float(one.loss), rel=1e-9)
    shifted = window_loss([b[0] + 1, *b[1:]], d, n, w, noise)
    assert float(shifted.loss) == pytest.approx(float(one.loss), rel=1e-12)  # constants are predicted
    assert 0 <= float(one.noise) <= noise * (1 + 1e-9)
    assert float(one.noise) >= noise / n * (1 - 1e-9)
    assert 0 < float(one.signal) <= 4 * sum(b[1:]) * (1 + 1e-9)
    wider = window_loss(b, d, n, w + 1, noise)
    assert float(wider.noise) >= float(one.noise) * (1 - 1e-9)


def test_arrays_of_widths_and_lengths_broadcast():
    found = window_loss(affine(1), 3, [[2], [50]], [0.5, 1.0, 2.0], 0.1)
    assert found.loss.shape == (2, 3)
    for i, n in enumerate((2, 50)):
        for j, w in enumerate((0.5, 1.0, 2.0)):
            assert found.loss[i, j] == window_loss(affine(1), 3, n, w, 0.1).loss


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: window_loss(affine(1), 1, 5, 1.0), "d >= 2"),
    (lambda: window_loss(affine(1), 3, 0, 1.0), "at least one"),
    (lambda: window_loss(affine(1), 3, 2.5, 1.0), "whole number of tokens"),
    (lambda: window_loss(affine(1), 3, 5, -1.0), "at least 0"),
    (lambda: window_loss(affine(1), 3, 5, float("nan")), "finite"),
    (lambda: window_loss(affine(1), 3, 5, 1.0, -0.1), "sigma\\^2"),
    (lambda: window_loss([0, -1], 3, 5, 1.0), "b_1 = -1.0 is negative"),
    (lambda: window_loss("relu", 3, 5, 1.0), "theory.relu"),
    (lambda: window_loss(np.exp, 3, 5, 1.0), "theory.from_rho"),
    (lambda: window_loss(affine(1).spectrum(3), 4, 5, 1.0), "dimension 3"),
    (lambda: window_loss(from_rho(lambda t: -t), 3, 5, 1.0), "b_1 = -1 < 0"),
    (lambda: window_loss(cosine(3), 3000, 2, 1.0), "take a lower d"),
    (lambda: window_loss(affine(1), 10**6, 2, 1.0), "outside 2 ... 10000"),
    (lambda: window_loss(affine(1), 3, [1, 2], [1.0, 2.0, 3.0]), "do not go together"),
]


@pytest.mark.parametrize(("call", "says"), BAD)
def test_bad_input_says_what_to_do(call, says):
    with pytest.raises((ValueError, TypeError), match=says):
        call()


# The best width


@pytest.mark.parametrize(
    ("make", "known"),
    [
        (affine, [5.695, 6.553, 6.681, 6.692, 6.694]),
        (relu, [5.405, 6.548, 6.732, 6.749, 6.751]),
        (cosine, [0.0, 3.759, 7.285, 7.129, 0.0]),
    ],
)
def test_best_widths_that_another_program_found(make, known):
    """2 w* for d = 5, n = 20, sigma = .01, by Monte Carlo and another quadrature."""
    found = [2 * optimal_window(make(L), 5, 20, 1e-4).w for L in (0.1, 0.3, 1, 3, 10)]
    np.testing.assert_allclose(found, known, atol=6e-4)


def test_a_far_minimum_is_found_beside_one_without_a_window():
    few, many = (optimal_window(cosine(10), 5, n, 1e-4) for n in (200, 500))
    assert not few.exists
    assert many.exists
    assert many.others == (0.0,)
    assert many.loss < float(window_loss(cosine(10), 5, 500, 0.0, 1e-4).loss)


@pytest.mark.parametrize(
    ("tasks", "d", "n", "noise"), [(affine(1), 2, 7, 0.0), (relu(1), 4, 300, 0.5), (cosine(3), 3, 50, 0.01)]
)
def test_no_width_on_a_fine_grid_is_better(tasks, d, n, noise):
    best = optimal_window(tasks, d, n, noise)
    grid = np.geomspace(1e-3, 400.0, 150)
    assert window_loss(tasks, d, n, grid, noise).loss.min() >= best.loss * (1 - 1e-10)
    low, high = best.interval
    slopes = window_loss(tasks, d, n, [low, high], noise).derivative
    assert slopes[0] < 0 < slopes[1]


def test_where_no_width_matters_the_interval_is_everything():
    assert optimal_window(affine(1), 3, 1, 0.5).interval == (0.0, np.inf)
    assert optimal_window([1.0], 3, 8, 0.5).w == 0.0


def test_a_search_that_leaves_the_widths_which_can_be_computed_says_so(monkeypatch):
    """As it does without noise for ReLU tasks, d = 2 and 1e5 tokens, after four seconds."""
    monkeypatch.setattr("numerics.attention.window.loss.MOST", 10_000)
    with pytest.raises(ValueError, match=r"give more noise than 0\.0, or fewer tokens"):
        optimal_window(affine(1), 2, 500, 0.0)


@pytest.mark.parametrize("d", [2, 3, 10])
def test_a_narrow_window_is_near_its_limit_as_it_says(d):
    known = read_spectrum(affine(1), d)
    exact, narrow = one_window(known, 8192.0, 4, 0.1), _narrow(known, 8192.0, 4, 0.1, 1024.0)
    assert abs(exact.loss - narrow.loss) <= narrow.error < 1e-3 * exact.loss
    for part in ("signal", "noise"):
        assert abs(getattr(exact, part) - getattr(narrow, part)) <= narrow.error
    assert narrow.derivative == pytest.approx(exact.derivative, rel=0.5 if d == 2 else 0.01)


@pytest.mark.parametrize("w", [1e8, 1e30, 1e300])
def test_an_ever_narrower_window_attends_to_the_nearest_token(w):
    """d = 3: 1 - x'y is uniform on (0, 2), its least of n 2/(n + 1): half the error."""
    n = np.array([1, 2, 20])
    found = window_loss([0, 1], 3, n, w, noise=0.1)
    np.testing.assert_allclose(found.loss, np.append(2.0, 4 / (n[1:] + 1)) + 0.1, atol=max(1e-6, 1 / w))
    np.testing.assert_allclose(found.noise, 0.1, atol=max(1e-8, 1 / w))
    assert (found.error < 1e-6).all()
    assert (found.derivative >= 0).all()


def test_a_narrow_window_whose_loss_is_still_on_its_way_is_refused():
    words = r"not yet near its limit 0\.100003, .* nearest of 1000 tokens alone; take"
    with pytest.raises(ValueError, match=words):
        window_loss(affine(1), 2, 1000, 1e8, noise=0.1)
