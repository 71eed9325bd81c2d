"""The random streams from their definition: Python integers, nothing shared with the package."""

import math

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]


def plain_philox(counter: tuple[int, ...], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Philox 4x32-10 (Salmon et al. 2011, Section 3.3)."""
    a, b, c, d = counter
    k, l = key
    for _ in range(10):
        p, q = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (q >> 32) ^ b ^ k, q & 0xFFFFFFFF, (p >> 32) ^ d ^ l, p & 0xFFFFFFFF
        k, l = (k + 0x9E3779B9) & 0xFFFFFFFF, (l + 0xBB67AE85) & 0xFFFFFFFF
    return a, b, c, d


def plain_box_muller(radius: Words, angle: Words) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r = np.sqrt(-2 * np.log((radius >> 1) * 2.0**-31 + 2.0**-32))
    phi = 2 * math.pi * angle.view(np.int32) * 2.0**-33
    sign = 1.0 - 2.0 * (radius & 1)
    return r * np.cos(phi) * sign, r * np.sin(phi)


def plain_normals(seed: int, replicate: int, mark: int, count: int) -> NDArray[np.float64]:
    """The first `count` normals of a replicate's stream; mark: the length, + 2^31 for its query."""
    state = plain_philox((0, replicate & 0xFFFFFFFF, replicate >> 32, mark), (seed & 0xFFFFFFFF, seed >> 32))
    words = np.array(plain_xoshiro(state, count + count % 2), dtype=np.uint32)
    return np.stack(plain_box_muller(words[::2], words[1::2]), axis=1).ravel()[:count]


def plain_tokens(seed: int, replicate: int, L: int, rank: int) -> NDArray[np.float64]:
    """White tokens (L, rank): four normals in turn are one coordinate of four tokens."""
    draws = plain_normals(seed, replicate, L, 4 * -(-L // 4) * rank).reshape(-1, rank, 4)
    return np.swapaxes(draws, 1, 2).reshape(-1, rank)[:L]


def plain_xoshiro(state: tuple[int, ...], count: int) -> list[int]:
    """The first words of xoshiro128++ from a state, line by line as its authors publish it."""
    mask, s, words = 0xFFFFFFFF, list(state), []
    rotl = lambda x, k: (x << k | x >> (32 - k)) & mask
    for _ in range(count):
        words.append((rotl((s[0] + s[3]) & mask, 7) + s[0]) & mask)
        t = s[1] << 9 & mask
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 11)
    return words
