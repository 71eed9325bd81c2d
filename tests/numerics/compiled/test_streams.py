from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from numerics.compiled import streams
from numerics.compiled.streams import (
    LANES,
    box_muller_lanes,
    exp2_32,
    exp32,
    key_of,
    normal_rows,
    philox_lanes,
    start_lanes,
    xoshiro,
)
from tests.numerics.compiled.plain_philox import plain_box_muller, plain_philox, plain_xoshiro

PI = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0)  # binary digits of π


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
def test_philox_known_answers(counter: tuple[int, ...], key: tuple[int, int], words: tuple[int, ...]) -> None:
    draw, low, high, mark = counter
    found = np.empty(4 * LANES, np.uint32)
    philox_lanes(*(np.uint64(x) for x in (draw, low | high << 32, mark, *key)), found)
    assert tuple(found[::LANES].tolist()) == words == plain_philox(counter, key)


@pytest.mark.parametrize(("replicate", "draw"), [(0, 0), (2**32 - 5, 2**32 - 1), (2**63 + 7, 12)])  # the lanes cross a word
def test_lanes_are_the_streams_of_replicates(replicate: int, draw: int) -> None:
    seed, mark, words, tile = 2**40 + 3, 2**31 + 9, np.empty(4 * LANES, np.uint32), np.zeros(6 * LANES, np.float32)
    philox_lanes(*(np.uint64(x) for x in (draw, replicate, mark)), *(np.uint64(k) for k in key_of(seed)), words)
    counters = [(draw, (replicate + i) % 2**32, (replicate + i) >> 32, mark) for i in range(LANES)]
    key = tuple(int(k) for k in key_of(seed))
    assert np.array_equal(words.reshape(4, LANES), np.transpose([plain_philox(c, key) for c in counters]))
    box_muller_lanes(words, tile, np.uint64(LANES))
    x = words.reshape(4, LANES)
    expected = np.stack([*plain_box_muller(x[0], x[1]), *plain_box_muller(x[2], x[3])])
    assert np.allclose(tile[LANES : 5 * LANES].reshape(4, LANES), expected, rtol=1e-5, atol=1e-6)
    assert not np.any(tile[:LANES])
    assert not np.any(tile[5 * LANES :])


def normals(draws: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of words, of shape (2, 256 draws), and the two normals of each pair."""
    words, x = np.empty((draws, 4 * LANES), np.uint32), np.empty((draws, 4 * LANES), np.float32)
    for draw in range(draws):
        philox_lanes(*(np.uint64(k) for k in (draw, 1, 3, *key_of(77))), words[draw])
        box_muller_lanes(words[draw], x[draw], np.uint64(0))
    pairs, found = (np.moveaxis(y.reshape(draws, 2, 2, LANES), 2, 0).reshape(2, -1) for y in (words, x.astype(float)))
    return pairs, *found


def test_box_muller_against_double_precision() -> None:
    words, a, b = normals(400)
    exact = plain_box_muller(words[0], words[1])
    radius = np.hypot(*exact)
    rounding = 1e-6 + 1e-7 / radius  # d√(−2 log u) = −du / (u r), and u near 1 has the spacing 6e-8
    assert np.all(np.abs(a - exact[0]) < rounding)
    assert np.all(np.abs(b - exact[1]) < rounding)


def test_extreme_words_give_finite_normals() -> None:
    ends = np.array([0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF], np.uint32)
    words = np.stack(np.meshgrid(ends, ends)).reshape(2, -1)
    rows = np.stack([np.resize(w, LANES) for w in words])  # the 49 pairs again and again, one in each lane
    x = np.empty(4 * LANES, np.float32)
    box_muller_lanes(np.resize(rows, 4 * LANES), x, np.uint64(0))
    assert np.all(np.isfinite(x))
    assert np.all(np.hypot(*x.reshape(4, LANES)[:2]) < 6.8)


def test_normals_are_normal_and_independent() -> None:
    # five tests at level 1e-6 each
    _, a, b = normals(800)
    for sample in (a, b, (a + b) / math.sqrt(2)):
        assert stats.kstest(sample, "norm").pvalue > 1e-6
    assert stats.kstest(np.arctan2(a, b) / (2 * math.pi) + 0.5, "uniform").pvalue > 1e-6
    count = int(np.sum(np.maximum(np.abs(a), np.abs(b)) > 4))  # the tail, which a Kolmogorov–Smirnov test hardly sees
    p = 1 - (1 - 2 * stats.norm.sf(4)) ** 2
    assert 5e-7 < stats.binom.cdf(count, a.size, p) < 1 - 5e-7


def test_xoshiro_known_answers() -> None:
    # from the state (1, 2, 3, 4): the vector that ports of the reference implementation test
    # against
    known = [641, 1573767, 3222811527, 3517856514, 836907274, 4247214768, 3867114732, 1355841295, 495546011, 621204420]
    assert plain_xoshiro((1, 2, 3, 4), 10) == known
    state, words = tuple(np.uint32(k) for k in (1, 2, 3, 4)), []
    for _ in known:
        word, *rest = xoshiro(*state)
        state = tuple(np.uint32(s) for s in rest)
        words.append(int(word))
    assert words == known


def test_rows_of_normals_go_on_from_the_state_that_philox_gives() -> None:
    step, replicate, mark, key = 9, 2**62 + 128, 2**31 + 10, (3, 1)
    state, x = np.empty(4 * LANES, np.uint32), np.empty(6 * LANES, np.float32)
    start_lanes(*(np.uint64(n) for n in (step, replicate, mark, *key)), state)
    for rows, at in ((4, 0), (2, 4)):  # in two parts: the state is moved on
        normal_rows(rows, state, x[at * LANES :])
    for lane in (0, 1, LANES - 1):
        words = plain_xoshiro(plain_philox((step, (replicate + lane) % 2**32, replicate >> 32, mark), key), 6)
        pairs = plain_box_muller(np.array(words[::2], np.uint32), np.array(words[1::2], np.uint32))
        assert np.allclose(x.reshape(6, LANES)[:, lane], np.stack(pairs, axis=1).ravel(), rtol=1e-5, atol=1e-6)


def test_exp32() -> None:
    for x in np.linspace(-80, 80, 1601, dtype=np.float32):
        assert exp2_32(x) == pytest.approx(2.0 ** float(x), rel=3e-7)
        assert exp32(x) == pytest.approx(math.exp(x), rel=3e-7 * (1 + abs(float(x)) / 4))  # x log2(e) is rounded to float32


def test_polynomials_are_as_near_as_float32_allows() -> None:
    """Relative error of each, with its coefficients as they are used but without the rounding of
    its sums.
    """
    t = np.linspace(1e-6, 1 / 16, 10_001)
    f = np.linspace(math.sqrt(0.5) - 1, math.sqrt(2) - 1, 10_000)
    x, root = np.linspace(-0.5, 0.5, 10_001), np.sqrt(t)
    at = lambda letter, degree, y: np.polyval([float(getattr(streams, f"{letter}{k}")) for k in range(degree, -1, -1)], y)
    for found, exact in (
        (at("E", 5, x), np.exp2(x)),
        (at("L", 7, f) * f, np.log1p(f)),
        (at("S", 4, t) * root, np.sin(2 * np.pi * root)),
        (1 + at("C", 4, t), 1 + np.cos(2 * np.pi * root)),  # the cosine itself has a zero at the end
    ):
        assert np.max(np.abs(found / exact - 1)) < 2e-7


def test_keys() -> None:
    assert key_of(2**64 - 1) == (2**32 - 1, 2**32 - 1)
    for bad in (-1, 2**64):
        with pytest.raises(ValueError, match="64-bit key"):
            key_of(bad)
