"""Orbits against the features themselves, and lattices that are built from codes."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.refusing import refusals
from theory import FeatureRegression, ReducedAttention
from theory.regression.features.orbits import LATTICES, Orbit, cube, lattice, polygon, simplex, torus

Floats = NDArray[np.float64]


def corners(m):
    """The regular polygon of side 1, as columns."""
    angles = 2 * np.pi * np.arange(m) / m
    return np.array([np.cos(angles), np.sin(angles)]) / (2 * np.sin(np.pi / m))


def signed(supports, n, value, even):
    """Entries +-value on each support; ``even`` asks for an even number of minus signs."""
    out = []
    for support in supports:
        for signs in product((1, -1), repeat=len(support)):
            if not even or np.prod(signs) == 1:
                vector = np.zeros(n, dtype=np.int64)
                vector[list(support)] = value * np.array(signs)
                out.append(vector)
    return np.array(out)


def roots_of_E8():
    """Twice the 240 roots."""
    pairs = signed(list(combinations(range(8), 2)), 8, 2, even=False)
    return np.concatenate([pairs, signed([tuple(range(8))], 8, 1, even=True)])


def barnes_wall():
    """The 4 320 minimal vectors of norm 8: two entries +-2, or +-1 on a codeword of weight 8 of the
    Reed-Muller code RM(1, 4) with an even number of minus signs.
    """
    points = np.array(list(product((0, 1), repeat=4)))
    words = [(points @ np.array(a) + b) % 2 for a in product((0, 1), repeat=4) for b in (0, 1)]
    octads = [tuple(np.flatnonzero(w)) for w in words if w.sum() == 8]
    pairs = signed(list(combinations(range(16), 2)), 16, 2, even=False)
    return np.concatenate([pairs, signed(octads, 16, 1, even=True)])


def leech():
    """The 196 560 minimal vectors of norm 32, from the extended Golay code."""
    generator = np.zeros((12, 24), dtype=np.int64)
    residues = {x * x % 11 for x in range(1, 11)}
    generator[:, :12] = np.eye(12)
    for i, j in product(range(11), repeat=2):
        generator[i, 12 + j] = int((j - i) % 11 not in residues)
    generator[:11, 23], generator[11, 12:23] = 1, 1
    words = np.array([np.array(c) @ generator % 2 for c in product((0, 1), repeat=12)])
    assert Counter(words.sum(axis=1).tolist()) == {0: 1, 8: 759, 12: 2576, 16: 759, 24: 1}
    octads = [tuple(np.flatnonzero(w)) for w in words if w.sum() == 8]
    # +-1, and one +-3 of the other sign
    ones = (1 - 2 * words)[:, None, :] * (1 - 4 * np.eye(24, dtype=np.int64))
    pairs = signed(list(combinations(range(24), 2)), 24, 4, even=False)
    return np.concatenate([signed(octads, 24, 2, even=True), ones.reshape(-1, 24), pairs])


@pytest.mark.parametrize(
    ("name", "vectors", "norm"), [("E8", roots_of_E8, 8), ("BW16", barnes_wall, 8), ("Leech", leech, 32)]
)
def test_inner_products_of_minimal_vectors(name, vectors, norm):
    v = vectors()
    r, least, products = LATTICES[name]
    assert v.shape == (sum(products.values()), r)
    assert set((v * v).sum(axis=1).tolist()) == {norm}
    for k in (0, len(v) // 2, len(v) - 1):
        assert Counter((v @ v[k] * least // norm).tolist()) == products


@pytest.mark.parametrize(
    ("orbit", "V"),
    [
        (cube(3), np.array(list(product((-1, 1), repeat=3)), dtype=float).T),
        (polygon(7), corners(7)),
        (torus(4, 2), np.array([np.concatenate([a, b]) for a, b in product(corners(4).T, repeat=2)]).T),
        (lattice("E8"), roots_of_E8().T / 8**0.5),
        (simplex(5, 2.0), 2**0.5 * (np.eye(5) - 1 / 5)),
    ],
    ids=["cube", "polygon", "torus", "E8", "simplex"],
)
def test_an_orbit_is_trained_along_the_identity(orbit, V):
    problem, lam = FeatureRegression(V, np.eye(V.shape[1])), 0.6
    assert (orbit.K, orbit.r) == (problem.K, np.linalg.matrix_rank(V))
    along = V @ np.linalg.pinv(V)  # the identity of the span
    np.testing.assert_allclose(-problem.gradient(lam * along), orbit.slope(lam) * along, atol=1e-13)
    assert problem.loss(lam * along) == pytest.approx(float(orbit.loss(lam)), rel=1e-12)
    np.testing.assert_allclose(problem.attention(lam * along).diagonal(), orbit.attention(lam), rtol=1e-12)


def test_a_simplex_is_the_reduced_attention():
    for K in (2, 16, 300):
        scalar, orbit = ReducedAttention(K, 1.0), simplex(K, 2**0.5)
        for eps in (0.4, 1e-3):
            assert orbit.attention_time(eps) == pytest.approx(scalar.attention_time(eps), rel=1e-10)


def test_scaling_and_products():
    square = Orbit([2.0, 4.0], [2, 1], 2).attention_time(0.5)
    assert cube(2).attention_time(0.5) == pytest.approx(square, rel=1e-11)
    # distances s times as large: lambda is divided by s^2, and time by s^4
    near = simplex(9).attention_time(0.1)
    assert simplex(9, 3.0).attention_time(0.1) == pytest.approx(near / 81, rel=1e-11)
    # corners that lie close beside each other far away play no part
    assert polygon(2000).attention_time(0.5) == pytest.approx(polygon(1000).attention_time(0.5), rel=1e-4)


test_bad_input = refusals(
    (lambda: Orbit([0.0], [1], 1), "half_squares has the entry 0"),
    (lambda: Orbit([1.0], [-1], 1), "multiplicities has the entry -1"),
    (lambda: polygon(2), "m = 2 is below 3"),
    (lambda: simplex(1), "K = 1 is below 2"),
    (lambda: lattice("D4"), "pass one of E8, BW16, Leech"),
    (lambda: cube(2).lam(0.9), "outside"),
    (lambda: cube(2).time(-1.0), "negative"),
)
