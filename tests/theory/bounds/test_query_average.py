"""Bounds on query averages: every prompt of small laws, scaling, the form of the paper."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from tests.refusing import refusals
from theory.bounds import query_average as b
from theory.bounds import query_average_constants as c

CORNERS = np.array(list(itertools.product((1.0, -1.0), repeat=2)))  # sigma = 1, and a 1-sub-Gaussian query


def attention(U, V, tokens, z):
    w = np.exp(tokens @ U @ z)
    return V @ (w @ tokens) / w.sum()


def slopes(U, V, tokens, z, h=1e-5):
    steps = [h * np.outer(np.eye(2)[i], np.eye(2)[j]) for i in (0, 1) for j in (0, 1)]
    slope = lambda e: (attention(U + e, V, tokens, z) - attention(U - e, V, tokens, z)) / (2 * h)
    return np.array([slope(e) for e in steps])


@pytest.mark.parametrize("L", [1, 2, 3])
@pytest.mark.parametrize("scale", [0.0, 0.2, 1.0, 4.0])
def test_every_prompt_of_four_tokens_by_brute_force(L, scale):
    """General U and V; sigma = 2 by tokens twice as large; the gradient by finite differences."""
    rng = np.random.default_rng(L)
    U, V = scale * rng.standard_normal((2, 2)), rng.standard_normal((3, 2))
    u, v = np.linalg.norm(U, 2), np.linalg.norm(V, 2)
    for sigma in (1.0, 2.0):
        tokens = sigma * CORNERS
        prompts = [tokens[list(p)] for p in itertools.product(range(4), repeat=L)]
        apart = lambda g, p, z, tokens=tokens: np.sum((g(U, V, p, z) - g(U, V, tokens, z)) ** 2)
        places = list(itertools.product(prompts, CORNERS))
        output, gradient = (np.mean([apart(g, *at) for at in places]) for g in (attention, slopes))
        assert output <= b.output_average(L, sigma, u, v, 2)
        assert gradient <= b.gradient_U_average(L, sigma, u, v, 2) * (1 + 1e-6)


@pytest.mark.parametrize(
    "bound",
    [
        lambda L, s, u, d: b.output_average(L, s, u, 3, d),
        lambda L, s, u, d: b.gradient_V_average(L, s, u, 3, d),
        lambda L, s, u, d: b.gradient_U_average(L, s, u, 3, d),
        lambda L, s, u, d: b.lemma_c6_average(L, s, u, 3, d, 2, 5),
        lambda L, s, u, d: b.lemma_c9_average(L, s, u, 3, d, 5),
        lambda L, s, u, d: sum(c.constants_16(u, 3, d, 2, 5)),
        lambda L, s, u, d: sum(c.constants_18(u, 3, d, 5)),
    ],
)
def test_numbers_symbols_and_arrays_agree(bound):
    exact = bound(sp.Integer(40), sp.Rational(3, 2), sp.Rational(1, 3), sp.Integer(3))
    assert float(exact) == pytest.approx(bound(40, 1.5, 1 / 3, 3), rel=1e-12)
    column = bound(np.full(2, 40.0), 1.5, np.full(2, 1 / 3), 3)
    np.testing.assert_allclose(column, float(exact), rtol=1e-12)


def test_units():
    """z -> s z and U -> U/s multiply the output by s, the gradient in U by s^2."""
    cases = ((b.output_average, 2, ()), (b.gradient_U_average, 4, ()))
    for bound, power, last in (*cases, (b.lemma_c6_average, 4, (2,)), (b.lemma_c9_average, 4, ())):
        for s in (0.5, 3.0):
            scaled, plain = bound(50, s, 0.7 / s, 1, 2, *last), bound(50, 1, 0.7, 1, 2, *last)
            assert scaled == pytest.approx(s**power * plain)


def test_our_bounds_are_below_the_form_of_the_paper():
    rng = np.random.default_rng(0)
    rate = lambda L, s, c1, c2, p: c1 * s ** (4 * p) * math.log(L) ** p / L ** (c2 / s**2)
    for _ in range(300):
        L = float(math.floor(10 ** rng.uniform(0.302, 30)))
        sigma, u = 10 ** rng.uniform(0, 1), 10 ** rng.uniform(-2, 1)
        d, p = int(rng.integers(1, 6)), int(rng.integers(1, 3))
        kappa, log = sigma**2 * u**2, math.log(L)
        assert b.output_average(L, sigma, u, 1, d) <= rate(L, sigma, *c.paper_constants_V(u, 1, d), 1)
        assert b.gradient_U_average(L, sigma, u, 1, d) <= rate(L, sigma, *c.paper_constants_U(u, 1, d), 2)
        second = b.lemma_c6_average(L, sigma, u, 1, d, p)
        assert second <= rate(L, sigma, *c.paper_constants_C6(u, 1, d, p), p)
        c3, c4 = c.constants_16(u, 1, d, p)
        last = c4 * sigma ** (4 * p) * log**p * L ** (-1 / (192 * kappa))
        assert second <= c3 * sigma ** (2 * p) * log / L ** (1 / 3) + last
        fourth = b.lemma_c9_average(L, sigma, u, 1, d)
        assert fourth <= rate(L, sigma, *c.paper_constants_C9(u, 1, d), 2)
        c1, c2, c3, c4 = c.constants_18(u, 1, d)
        first = c1 * sigma**4 * L**1.5 * math.exp(-c2 * math.sqrt(L) / sigma**2)
        last = c4 * sigma**8 * log**2 * L ** (-1 / (384 * kappa))
        assert fourth <= first + c3 / L ** (1 / 6) + last


def test_weighted_moments_of_a_gaussian_query():
    """In d = 1, E z^{2j} e^{lambda z^2} = (1 - 2 lambda)^{-1/2 - j} (2j - 1)!!."""
    for lam in (Fraction(0), Fraction(1, 4), Fraction(9, 20)):
        for j in (0, 1, 2, 3):
            exact = float(1 - 2 * lam) ** (-0.5 - j) * math.prod(range(1, 2 * j, 2))
            assert exact <= b.weighted_query_moment(1, j, lam) * (1 + 1e-12)


test_bad_input = refusals(
    (lambda: b.lemma_c6_average(10, 1, 1, 1, 1, 3), "neither 1 nor 2"),
    (lambda: b.weighted_query_moment(1, 1, Fraction(1)), "infinite beyond"),
    (lambda: b.output_average(0, 1, 1, 1, 1), "at least one token"),
    (lambda: b.output_average(2, 0, 1, 1, 1), "sub-Gaussian constant"),
)
