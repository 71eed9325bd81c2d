"""The compiled loop of SGD: its streams, sums in float32, and what must hold bit for bit."""

import numpy as np
import pytest
from scipy import stats

from numerics.compiled.streams import LANES, key_of, normal_rows, start_lanes
from numerics.training.full_tokens import full_token_kernel
from numerics.training.kernels import linear
from numerics.training.kernels.loop import sgd_kernel
from tests.numerics.compiled.plain_philox import plain_box_muller, plain_philox, plain_xoshiro

ATTENTIONS = ("softmax", "linear")
BOTH = pytest.mark.parametrize("attention", ATTENTIONS)
rng = np.random.default_rng(8)
d = 3
A, B = rng.standard_normal((2, d, d)) / 2
START = rng.uniform(-0.5, 0.5, (3 * d + 4, d + 1))


def call(attention, theta, L=7, first=0, steps=1, lr=0.0, **model):
    theta, losses = theta.copy(), np.full(steps, np.nan)
    gradient = np.zeros(theta.shape if lr == 0 else (0, 0))
    said = dict(A=A, B=B, task_sd=0.7, noise_sd=0.3, scale=0.8, factor=1.0, batch=130, seed=2**33 + 5) | model
    *numbers, seed = said.values()
    verdict = sgd_kernel(attention)(theta, L, first, steps, lr, *numbers, *key_of(seed), losses, gradient)
    return theta, losses, gradient, verdict


@BOTH
def test_steps_may_be_cut_anywhere(attention):
    whole = call(attention, START, 13, 5, 9, 0.01)
    half = call(attention, START, 13, 5, 4, 0.01)
    rest = call(attention, half[0], 13, 9, 5, 0.01)
    assert np.array_equal(rest[0], whole[0])
    assert np.array_equal(np.r_[half[1], rest[1]], whole[1])
    assert not np.array_equal(half[0], START)
    # Other steps read other streams.
    assert not np.array_equal(call(attention, half[0], 13, 8, 5, 0.01)[1], rest[1])


def label(lane: int, step: int, mark: int, B: np.ndarray, root: float, noise: float) -> float:
    """By hand from the stream of a lane, number of 64 bits, 2^62 for these kernels added."""
    d = len(B)
    words = np.array(
        plain_xoshiro(plain_philox((step, lane, 1 << 30, mark), (5, 2)), 2 * d + 2), dtype=np.uint32
    )
    x = np.stack(plain_box_muller(words[::2], words[1::2]), axis=1).ravel()
    return float(root * x[:d] @ B @ x[d : 2 * d] + noise * x[2 * d])


@pytest.mark.parametrize("batch", [1, 127, 128, 131, 300])
@pytest.mark.parametrize("roots", [(A, B), (A, A)], ids=["two roots", "one root"])
def test_labels_of_a_model_that_says_nothing(batch, roots):
    """With o = 0 the loss is half the mean square of the labels of the first `batch` lanes."""
    silent = np.r_[np.zeros((1, d + 1)), START[1:]]
    labels = [label(lane, 7, 4, roots[1], 0.7, 0.3) for lane in range(batch)]
    found = call("softmax", silent, 4, 7, batch=batch, A=roots[0], B=roots[1])[1]
    assert found[0] == pytest.approx(np.mean(np.square(labels)) / 2, rel=1e-5)


@BOTH
@pytest.mark.parametrize("noise", [0.3, 0.0])
@pytest.mark.parametrize("dimension", [1, d])
def test_output_and_gradient_of_one_prompt_agree(attention, noise, dimension):
    """By o.grad = (T - y) T, T - y is a root of twice the loss; in dimension 1 no direction."""
    theta, root = START[: 3 * dimension + 4, : dimension + 1], np.eye(dimension)
    mark = 6 + (attention == "linear") * 2**31
    for step in range(20):
        _, losses, gradient, _ = call(attention, theta, 6, step, A=root, B=root, noise_sd=noise, batch=1)
        y, error = label(0, step, mark, root, 0.7, noise), np.sqrt(2 * losses[0])
        gaps = [error * (error + y), error * (error - y)]
        assert np.min(np.abs(theta[0] @ gradient[0] - gaps)) < 1e-5 * (error**2 + y**2)


@BOTH
def test_gradients_of_a_product_know_its_degree(attention):
    """Linear in o and V, a function of K'Q, and bilinear for linear attention: Euler."""
    theta, _, gradient, _ = call(attention, START)
    by_o, by_V, by_K, by_Q = (part.sum() for part in np.split(theta * gradient, [1, d + 2, 2 * d + 3]))
    assert by_o == pytest.approx(by_V, rel=1e-6)
    assert by_K == pytest.approx(by_Q, rel=1e-6)
    assert (by_K == pytest.approx(by_o, rel=1e-4)) == (attention == "linear")


@BOTH
@pytest.mark.parametrize("unit", [1e-8, 1e8])
def test_units_do_not_matter(attention, unit):
    """Outputs and labels are `unit` times as great, the loss its square."""
    loss = call(attention, START)[1][0]
    other = call(attention, START, A=unit * A, B=unit * B, noise_sd=0.3 * unit, scale=0.8 / unit**2)[1][0]
    assert other / unit**2 == pytest.approx(loss, rel=1e-4)


@BOTH
def test_a_run_that_diverges_stops_at_the_last_finite_parameters(attention):
    theta, losses, _, step = call(attention, START, steps=200, lr=30.0)
    assert 0 < step < 200
    assert np.all(np.isfinite(theta))
    assert np.all(np.isfinite(losses[:step]))
    assert np.all(np.isnan(losses[step:]))
    same = call(attention, START, steps=step, lr=30.0)
    assert same[3] == -1
    assert np.array_equal(same[0], theta)
    # It cannot go on from there either.
    assert call(attention, theta, first=step, steps=3, lr=30.0)[3] == step
    for size in (1e25, 1e200):  # beyond the squares of float32, and beyond float32
        stuck = call(attention, size * START, lr=0.1)
        assert stuck[3] == 0
        assert np.array_equal(stuck[0], size * START)


def test_one_token_moves_neither_keys_nor_queries():
    _, _, gradient, _ = call("softmax", START, L=1)
    assert np.all(gradient[d + 2 :] == 0)
    assert np.all(gradient[: d + 2] != 0)


def test_enormous_scores_pick_one_token():
    """Then the loss has the law of all tokens drawn: six standard errors, 2e-9."""
    loss = [call("softmax", START, 12, scale=scale)[1][0] for scale in (1.0, 1e7, 1e9)]
    assert loss[1] == pytest.approx(loss[2], rel=1e-3)
    assert loss[0] != pytest.approx(loss[1], rel=1e-2)
    ours, plain = np.empty(500), np.empty(500)
    run = (12, 0, 500, 0.0, A, B, 0.7, 0.3, 1e7, 1.0, 64)
    sgd_kernel("softmax")(START.copy(), *run, *key_of(1), ours, np.empty((0, 0)))
    full_token_kernel("softmax")(START.copy(), *run, *key_of(2), plain, np.empty((0, 0)))
    assert abs(ours.mean() - plain.mean()) < 6 * np.hypot(stats.sem(ours), stats.sem(plain))
    assert ours.std() == pytest.approx(plain.std(), rel=0.5)


def replayed(step: int, L: int, scale: float) -> tuple[float, np.ndarray]:
    """Of softmax attention on a step's first prompt, in double precision from its words."""
    n, o, V, K, Q = d + 1, START[0], *np.split(START[1:], 3)
    words = np.array(
        plain_xoshiro(plain_philox((step, 0, 1 << 30, L), (5, 2)), 4 * n + 2 * L), dtype=np.uint32
    )
    x = np.stack(plain_box_muller(words[::2], words[1::2]), axis=1).ravel().astype(float)
    w, query, (g, r) = 0.7 * x[:d], np.r_[B @ x[d : 2 * d], 0.0], x[4 * n :].reshape(L, 2).T
    M = np.block([[A, np.zeros((d, 1))], [w @ A, np.full((1, 1), 0.3)]])
    a, b = scale * M.T @ K.T @ Q @ query, M.T @ V.T @ o
    e = b / np.linalg.norm(b)
    f = a - (a @ e) * e
    f /= np.linalg.norm(f)
    p, q = (y - (y @ e) * e - (y @ f) * f for y in x[2 * n : 4 * n].reshape(2, n))
    scores = (a @ e) * g + (a @ f) * r
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    values = np.linalg.norm(b) * g
    T = weights @ values
    shift = weights * (values - T)
    # sums over the tokens of what is across e and f: two Gaussian vectors with the covariance of
    # the weights and of their shifts
    root = np.linalg.norm(weights)
    along = weights @ shift / root
    mean = M @ ((weights @ g) * e + (weights @ r) * f + root * p)
    by_score = M @ (
        (shift @ g) * e + (shift @ r) * f + along * p + np.sqrt(max(shift @ shift - along**2, 0)) * q
    )
    error = T - (x[:d] * 0.7 @ query[:d] + 0.3 * x[2 * d])
    parts = (
        V @ mean[:, None],
        np.outer(o, mean),
        scale * np.outer(Q @ query, by_score),
        scale * np.outer(K @ by_score, query),
    )
    return error**2 / 2, error * np.concatenate([parts[0].T, *parts[1:]])


@pytest.mark.parametrize(
    "scale", [0.8, 20.0, 1e6]
)  # the sums of moderate scores, and those that follow the greatest
@pytest.mark.parametrize("L", [1, 2, 10, 131])
def test_softmax_against_double_precision(L, scale):
    for step in range(3):
        loss, gradient = replayed(step, L, scale)
        _, losses, found, _ = call("softmax", START, L, step, scale=scale, batch=1)
        assert losses[0] == pytest.approx(loss, rel=5e-5)  # sums of up to 60 numbers of float32
        gap = abs(found - gradient)
        assert gap[: d + 2].max() < 2e-5 * abs(gradient[: d + 2]).max()
        # one token has all the weight in the end: what is left of its difference from the mean is
        # the root of a rounding error
        assert gap[d + 2 :].max() < (5e-5 if scale < 1e6 else 1e-3) * scale


@pytest.mark.parametrize("L", [1, 2, 10])
def test_linear_moments_against_the_matrix_that_bartlett_draws(L):
    """Over tokens with (g, r) ~ G and Gaussian across: means, squares and products across."""
    state, rows = np.empty(4 * LANES, np.uint32), np.empty(6 * LANES, np.float32)
    moments = np.empty(8 * LANES, np.float32)
    start_lanes(np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4), np.uint64(5), state)
    normals, scalars = np.empty(2 * LANES, np.float32), np.ones((4, LANES), np.float32)
    normal_rows(2, state, normals)
    scalars *= np.array([[2.0], [-0.8], [1.2], [0.4]], np.float32)
    scalars[1:3, 5] = 0.0  # a model without scores
    linear.linear_moments(L, state, scalars.ravel(), normals, 1, rows, moments)
    x, y = rows.reshape(6, LANES)[:2].astype(float)
    z = normals.reshape(2, LANES)[1].astype(float)
    G = np.array([[x, np.sqrt(x) * z], [np.sqrt(x) * z, z**2 + y]]) / L
    size, along, across, labels = scalars.astype(float)
    by_score, by_value = along * G[0] + across * G[1], size * G[0]
    m = moments.reshape(8, LANES).astype(float)
    assert np.allclose(m[0:2], by_score, atol=1e-5)
    assert np.allclose(m[3:5], by_value, atol=1e-5)
    assert np.allclose(m[2] ** 2 * L, along * by_score[0] + across * by_score[1], atol=1e-4)
    assert np.allclose(m[2] * m[5] * L, size * by_score[0], atol=1e-4)
    assert np.allclose((m[5] ** 2 + m[6] ** 2) * L, size * by_value[0], atol=1e-4)
    assert np.allclose(m[7], size * m[0] - labels, atol=1e-5)


def test_the_quick_test_of_a_gamma_variable_is_on_the_safe_side():
    """1 - e^h < QUICK_TEST g^4/d, c g > -1/2; h = g^2/2 + d - d v + d log v, v = (1 + c g)^3."""
    y = np.r_[np.linspace(-0.5, -0.01, 2000), np.linspace(0.01, 5, 2000)]
    for size in (1 / 6, 2 / 3, 14 / 3, 500.0):
        g = y * np.sqrt(9 * size)
        h = 3 * size * (np.log1p(y) - y + y**2 / 2 - y**3 / 3)
        ratio = -np.expm1(h) / (g**4 / size)
        assert ratio.max() < linear.QUICK_TEST
        # It is no larger than 1 - e^h < -h makes it.
        assert np.max(-h / (g**4 / size)) > 0.98 * linear.QUICK_TEST


@pytest.mark.parametrize("L", [1, 2, 3, 10, 1000])
def test_chi_squares(L):
    """Kolmogorov–Smirnov for each, and a rank correlation: three tests at level 1e-7 for each L."""
    state, rows, drawn = np.empty(4 * LANES, np.uint32), np.empty(6 * LANES, np.float32), []
    for step in range(80):
        start_lanes(np.uint64(step), np.uint64(0), np.uint64(L), np.uint64(4), np.uint64(5), state)
        linear.chi_squares(L, state, rows)
        drawn.append(rows.reshape(6, LANES)[:2].astype(float))
    first, second = np.concatenate(drawn, axis=1)
    assert stats.kstest(first, stats.chi2(L).cdf).pvalue > 1e-7
    assert stats.kstest(first, stats.chi2(L * 1.2).cdf).pvalue < 1e-7
    if L == 1:
        assert not np.any(second)
    else:
        assert stats.kstest(second, stats.chi2(L - 1).cdf).pvalue > 1e-7
        assert stats.spearmanr(first, second).pvalue > 1e-7


def test_unknown_attention():
    with pytest.raises(ValueError, match='"softmax", "linear" or "coupled"'):
        sgd_kernel("hardmax")
