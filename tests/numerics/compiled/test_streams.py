import math

import numpy as np
import pytest
from scipy import stats

from numerics.compiled import streams
from numerics.compiled.streams import (
    LANES,
    exp2_32,
    exp32,
    key_of,
    normal_pair,
    normal_rows,
    philox_lanes,
    start_lanes,
    word_rows,
    xoshiro,
)
from tests.numerics.compiled.plain_philox import plain_box_muller, plain_philox, plain_xoshiro

U32 = np.uint32


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [  # the test vectors published with the generator (Random123, kat_vectors, philox4x32 10)
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_known_answers(counter, key, words):
    draw, low, high, mark = counter
    found = np.empty(4 * LANES, np.uint32)
    philox_lanes(*(np.uint64(x) for x in (draw, low | high << 32, mark, *key)), found)
    assert tuple(found[::LANES].tolist()) == words == plain_philox(counter, key)


# The lanes of the second cross a word.
@pytest.mark.parametrize(("replicate", "draw"), [(0, 0), (2**32 - 5, 2**32 - 1), (2**63 + 7, 12)])
def test_lanes_are_the_streams_of_replicates(replicate, draw):
    seed, mark, words = 2**40 + 3, 2**31 + 9, np.empty(4 * LANES, np.uint32)
    philox_lanes(*(np.uint64(x) for x in (draw, replicate, mark, *key_of(seed))), words)
    counters = [(draw, (replicate + i) % 2**32, (replicate + i) >> 32, mark) for i in range(LANES)]
    key = tuple(int(k) for k in key_of(seed))
    assert np.array_equal(words.reshape(4, LANES), np.transpose([plain_philox(c, key) for c in counters]))


def normals(pairs: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    sizes = (2 * pairs, U32), (2 * pairs, np.float32), (4, U32)
    words, x, state = (np.empty(size * LANES, kind) for size, kind in sizes)
    for rows, out in ((word_rows, words), (normal_rows, x)):
        start_lanes(0, 1, 3, *key_of(77), state)
        rows(2 * pairs, state, out)
    of_pairs = lambda y: y.reshape(pairs, 2, LANES).swapaxes(0, 1).reshape(2, -1)
    return of_pairs(words), *of_pairs(x.astype(float))


def test_box_muller_against_double_precision():
    words, a, b = normals(800)
    exact = plain_box_muller(words[0], words[1])
    rounding = 1e-6 + 1e-7 / np.hypot(*exact)  # d√(−2 log u) = −du / (u r), and u near 1 has the spacing 6e-8
    assert np.all(np.abs(a - exact[0]) < rounding)
    assert np.all(np.abs(b - exact[1]) < rounding)


def test_extreme_words_give_finite_normals():
    ends = np.array([0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF], np.uint32)
    x = np.array([normal_pair(*pair) for pair in np.stack(np.meshgrid(ends, ends)).reshape(2, -1).T])
    assert np.all(np.isfinite(x))
    assert np.all(np.hypot(*x.T) < 6.8)
    assert np.hypot(*x.T).max() > 6.5, "the smallest word is far out"


def test_normals_are_normal_and_independent():
    # five tests at level 1e-6 each
    _, a, b = normals(1600)
    for sample in (a, b, (a + b) / math.sqrt(2)):
        assert stats.kstest(sample, "norm").pvalue > 1e-6
    assert stats.kstest(np.arctan2(a, b) / (2 * math.pi) + 0.5, "uniform").pvalue > 1e-6
    # the tail, which a Kolmogorov–Smirnov test hardly sees
    count = int(np.sum(np.maximum(np.abs(a), np.abs(b)) > 4))
    assert 5e-7 < stats.binom.cdf(count, a.size, 1 - (1 - 2 * stats.norm.sf(4)) ** 2) < 1 - 5e-7


def streams_of(replicate: int, *, mark: int = 1000, seed: int = 5, count: int = 4096) -> np.ndarray:
    state, x = np.empty(4 * LANES, U32), np.empty(count * LANES, np.float32)
    start_lanes(0, np.uint64(replicate), mark, *key_of(seed), state)
    normal_rows(count, state, x)
    return x.reshape(count, LANES).astype(float)


def largest_deviation(sums: np.ndarray, level: float = 1e-6) -> float:
    """What standard normal variables all stay below, but for that probability."""
    return float(np.abs(sums).max() / stats.norm.isf(level / 2 / np.size(sums)))


#: Streams are compared by their numbers, by their signs, and by which are beyond the quartiles.
SHAPES = (lambda x: x, np.sign, lambda x: np.sign(np.abs(x) - stats.norm.isf(0.25)))


def related(x: np.ndarray, y: np.ndarray) -> float:
    """The largest normalised sum of products of what `SHAPES` makes of columns of x and of y."""
    of = lambda f, z: f(z) / math.sqrt(np.mean(f(z) ** 2))
    return max(largest_deviation(of(f, x).T @ of(f, y) / math.sqrt(len(x))) for f in SHAPES)


def test_streams_of_lanes_replicates_lengths_and_seeds_are_independent():
    """Sums of 4096 products, all pairs of 128 lanes: 3 x 6 comparisons, each at level 1e-6."""
    x = streams_of(0)
    others = [streams_of(replicate) for replicate in (LANES, 2**32, 2**63)]
    for other in (*others, streams_of(0, mark=1001), streams_of(0, seed=6)):
        assert related(x, other) < 1
    for f in SHAPES:
        y = f(x) / math.sqrt(np.mean(f(x) ** 2))
        assert largest_deviation((y.T @ y)[np.triu_indices(LANES, 1)] / math.sqrt(len(x))) < 1
    # control: one lane of 128 that shares a sixth of its numbers with a lane elsewhere
    shared = streams_of(LANES)
    shared[::6, 77] = x[::6, 3]
    assert related(x, shared) > 1


def test_numbers_of_one_stream_are_independent():
    """At short lags, and at those of coordinates and tiles: 3 x 9 comparisons at level 1e-6."""
    x = streams_of(0)
    for f in SHAPES:
        y = f(x) / math.sqrt(np.mean(f(x) ** 2))
        for lag in (1, 2, 3, 4, 5, 8, 24, 64, 128):
            assert largest_deviation((y[lag:] * y[:-lag]).sum(0) / math.sqrt(len(x) - lag)) < 1, lag
    repeats = (x[4:] + 0.3 * x[:-4]) / math.sqrt(1.09)  # control: 0.3 of what came four numbers before
    assert largest_deviation((repeats[4:] * repeats[:-4]).sum(0) / math.sqrt(len(repeats) - 4)) > 1


def test_moments_and_tails_of_all_streams():
    """Moments up to the fourth, tails beyond 1 to 5: nine comparisons, each at level 1e-6."""
    x = np.concatenate([streams_of(k * LANES).ravel() for k in range(8)])
    exact = lambda k: math.prod(range(k - 1, 0, -2)) * (1 - k % 2)
    for k in range(1, 5):
        deviation = (np.mean(x**k) - exact(k)) / math.sqrt((exact(2 * k) - exact(k) ** 2) / x.size)
        assert abs(deviation) < stats.norm.isf(5e-7), k
    for far in (1, 2, 3, 4, 5):
        count = int(np.sum(np.abs(x) > far))
        assert 5e-7 < stats.binom.cdf(count, x.size, 2 * stats.norm.sf(far)) < 1 - 5e-7, far
    spoilt = 1.002 * x  # control: a scale that is off by two thousandths
    assert abs(np.mean(spoilt**2) - 1) / math.sqrt(2 / x.size) > stats.norm.isf(5e-7)


def test_xoshiro_known_answers():
    # from the state (1, 2, 3, 4): the vector that ports of the reference implementation test
    # against
    known = [641, 1573767, 3222811527, 3517856514, 836907274, 4247214768, 3867114732, 1355841295, 495546011]
    assert plain_xoshiro((1, 2, 3, 4), 9) == known
    state, words = tuple(np.uint32(k) for k in (1, 2, 3, 4)), []
    for _ in known:
        word, *rest = xoshiro(*state)
        state = tuple(np.uint32(s) for s in rest)
        words.append(int(word))
    assert words == known


def test_rows_of_normals_go_on_from_the_state_that_philox_gives():
    step, replicate, mark, key = 9, 2**62 + 128, 2**31 + 10, (3, 1)
    state, x = np.empty(4 * LANES, np.uint32), np.empty(6 * LANES, np.float32)
    start_lanes(*(np.uint64(n) for n in (step, replicate, mark, *key)), state)
    for rows, at in ((4, 0), (2, 4)):  # in two parts: the state is moved on
        normal_rows(rows, state, x[at * LANES :])
    for lane in (0, 1, LANES - 1):
        words = plain_xoshiro(plain_philox((step, (replicate + lane) % 2**32, replicate >> 32, mark), key), 6)
        pairs = plain_box_muller(np.array(words[::2], np.uint32), np.array(words[1::2], np.uint32))
        expected = np.stack(pairs, axis=1).ravel()
        assert np.allclose(x.reshape(6, LANES)[:, lane], expected, rtol=1e-5, atol=1e-6)


def test_exp32():
    for x in np.linspace(-80, 80, 1601, dtype=np.float32):
        assert exp2_32(x) == pytest.approx(2.0 ** float(x), rel=3e-7)
        # x log2(e) is rounded to float32
        assert exp32(x) == pytest.approx(math.exp(x), rel=3e-7 * (1 + abs(float(x)) / 4))


def test_polynomials_are_as_near_as_float32_allows():
    """Relative error with the coefficients as they are used, without the rounding of sums."""
    t = np.linspace(1e-6, 1 / 16, 10_001)
    f = np.linspace(math.sqrt(0.5) - 1, math.sqrt(2) - 1, 10_000)
    x, root = np.linspace(-0.5, 0.5, 10_001), np.sqrt(t)
    coefficients = lambda letter, degree: [float(getattr(streams, f"{letter}{k}")) for k in range(degree + 1)]
    at = lambda letter, degree, y: np.polyval(coefficients(letter, degree)[::-1], y)
    for found, exact in (
        (at("E", 5, x), np.exp2(x)),
        (at("L", 7, f) * f, np.log1p(f)),
        (at("S", 4, t) * root, np.sin(2 * np.pi * root)),
        (1 + at("C", 4, t), 1 + np.cos(2 * np.pi * root)),  # the cosine itself has a zero at the end
    ):
        assert np.max(np.abs(found / exact - 1)) < 2e-7


def test_keys():
    assert key_of(2**64 - 1) == (2**32 - 1, 2**32 - 1)
    for bad in (-1, 2**64):
        with pytest.raises(ValueError, match="64-bit key"):
            key_of(bad)
