"""What is derived of uniform tokens in every dimension: the hypotheses hold on spheres, the bounds
beside numbers, and statements with another number or fewer hypotheses are refused.
"""

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betainc, gamma

from numerics.derivations.kernel.sorts import ProofError
from numerics.derivations.statements import proved
from proofs_check.derivations.window import below
from proofs_check.derivations.window.theorems_e import ends, wide_windows
from proofs_check.derivations.window.uniform import (
    best_width,
    best_width_from_below,
    cap_measure,
    every_noise,
    learned_width,
    much_noise,
    noise_order,
)
from proofs_check.derivations.window.uniform.loss_bounds import affine, relu


def of_sphere(d, value):
    """The mean of a function of the height of a uniform token."""
    density = lambda angle: math.sin(angle) ** (d - 2)
    top = quad(lambda angle: value(math.cos(angle)) * density(angle), 0, math.pi)[0]
    return top / quad(density, 0, math.pi)[0]


@pytest.mark.parametrize("d", [2, 3, 5, 8])
@pytest.mark.parametrize("s", [0.2, 1.0, 3.0])
def test_the_cited_polar_coordinates_give_the_measures_of_caps(d, s):
    m, edge = d - 1, s / math.sqrt(1 + s**2)
    constant = gamma(d / 2) / (2 * math.sqrt(math.pi) * gamma((d + 1) / 2))
    secant = lambda u: m * u ** (m - 1) / math.sqrt(1 - u**2 / (1 + s**2))
    measure = constant * (1 + s**2) ** (-m / 2) * quad(secant, 0, 1)[0]
    assert measure == pytest.approx(betainc(m / 2, 0.5, 1 - edge**2) / 2, rel=1e-7)
    half = constant * quad(lambda angle: m * math.sin(angle) ** (m - 1), 0, math.pi / 2)[0]
    assert half == pytest.approx(0.5, rel=1e-9)
    assert constant >= 1 / math.sqrt(2 * math.pi * d)


@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize("w", [0.0, 0.7, 9.0])
def test_the_cited_mean_of_the_laplacian_is_0(d, w):
    W, m = lambda t: math.exp(-2 * w * (1 - t)), d - 1
    left = m * of_sphere(d, W) + 2 * w * of_sphere(d, lambda t: W(t) * (1 - t) ** 2)
    assert left == pytest.approx((m + 4 * w) * of_sphere(d, lambda t: W(t) * (1 - t)), rel=1e-8)


@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize("w", [0.3, 1.0, 40.0])
def test_so_is_that_of_the_laplacian_of_a_root(d, w):
    left = (d - 1) * of_sphere(d, lambda t: t**2 / math.sqrt(1 + w * t**2))
    here = of_sphere(d, lambda t: (1 - t**2) * (1 + w * t**2) ** -1.5)
    assert left == pytest.approx(here, rel=1e-7)
    assert of_sphere(d, lambda t: (1 + w * t**2) ** -1.5) <= (d - 1) / math.sqrt(w) + 1 / w


@pytest.mark.parametrize(("d", "n", "w"), [(2, 3, 2.0), (3, 40, 5.0), (5, 7, 1.0)])
def test_the_relu_error_is_at_most_that_of_its_two_causes(d, n, w):
    """The error of u.x and the tokens on the other side of the hyperplane, draw by draw; and few
    tokens are near the query.
    """
    draw = np.random.default_rng(42).normal(size=(4_000, n + 2, d))
    draw /= np.linalg.norm(draw, axis=2, keepdims=True)
    tokens, query, direction = draw[:, :n], draw[:, n, None], draw[:, n + 1]
    way = ((tokens - query) ** 2).sum(2)
    gamma_ = np.exp(-w * way) / np.exp(-w * way).sum(1, keepdims=True)
    at, here = (np.einsum("bnd,bd->bn", x, direction) for x in (tokens, query))
    P, N = ((gamma_ * np.maximum(s * at, 0)).sum(1) - np.maximum(s * here[:, 0], 0) for s in (1, -1))
    A, side = (gamma_ * at).sum(1) - here[:, 0], np.where(here >= 0, np.maximum(-at, 0), np.maximum(at, 0))
    R = (gamma_ * side).sum(1)
    assert (P**2 + N**2 <= 2 * A**2 + 3 * R**2 + 1e-12).all()
    assert (side**2 <= way * (1 + w * way) ** 2 * (1 + w * here**2) ** -1.5 + 1e-12).all()
    for r, t in ((0.3, 0.1), (1.0, 0.5)):
        inside = t / 2 * (way <= r).sum(1) + (gamma_**2).sum(1) / (2 * t) + (gamma_ * way).sum(1) / r
        assert (inside >= 1 - 1e-12).all()
        assert (way <= r).mean() <= 2 * (3 * r) ** ((d - 1) / 2)


@pytest.mark.parametrize(("d", "n", "w"), [(2, 3, 2.0), (3, 40, 5.0), (5, 7, 1.0)])
def test_the_noise_is_between_its_bounds(d, n, w):
    x = np.random.default_rng(41).normal(size=(40_000, n, d))
    W = np.exp(-2 * w * (1 - x[:, :, 0] / np.linalg.norm(x, axis=2)))
    drawn = ((W**2).sum(1) / W.sum(1) ** 2).mean()
    one, two = (of_sphere(d, lambda t, a=a: math.exp(-2 * a * w * (1 - t))) for a in (1, 2))
    assert n * two / (1 + n * one) ** 2 <= drawn <= 7 * two / (n * one**2)
    moment, constant = gamma((d + 1) / 2), gamma(d / 2) / (2 * math.sqrt(math.pi) * gamma((d + 1) / 2))
    assert math.exp(-2) * constant * (1 + w) ** (-(d - 1) / 2) <= one
    assert one <= 2 * 3 ** ((d - 1) / 2) * moment * w ** (-(d - 1) / 2)


ABOVE, BELOW = best_width.from_above, best_width_from_below.from_below
WRONG = [
    (best_width.upper_statement(affine, Fraction(3, 4)), partial(ABOVE, affine)),
    (best_width.upper_statement(relu, Fraction(3, 4)), partial(ABOVE, relu)),
    (best_width_from_below.lower_statement(affine, 2), partial(BELOW, affine)),
    (best_width_from_below.lower_statement(relu, 2), partial(BELOW, relu)),
    (learned_width.lipschitz_statement(2), learned_width.every_lipschitz_task),
    (learned_width.lipschitz_statement(1, Fraction(1, 2)), learned_width.every_lipschitz_task),
    (learned_width.flat_statement(4), learned_width.noise_of_the_learned_width),
    (learned_width.steep_statement(3), learned_width.bias_of_the_learned_width),
    (much_noise.noisy_statement(affine, 2), partial(much_noise.no_wide_window, affine)),
    *(
        (
            every_noise.upper_statements(relu, every_noise.OF_RELU, Fraction(3, 4))[part],
            partial(lambda part: every_noise.upper_end(relu, every_noise.OF_RELU)[part], part),
        )
        for part in range(3)
    ),
    (learned_width.any_constant_statement(2), learned_width.tasks_of_any_constant),
    (wide_windows.statement(Fraction(1, 2)), wide_windows.noise_beyond),
    (ends.first_statement(1), ends.first_ends),
    (ends.first_statement(2, 1), ends.first_ends),
    (ends.second_statement(3), ends.second_ends),
    (noise_order.lower_statement(Fraction(1, 2)), noise_order.noise_from_below),
    (noise_order.upper_statement(2), noise_order.noise_from_above),
    (cap_measure.last_statement(Fraction(1, 2)), cap_measure.last_link),
    (below.narrow_statement(7), below.of_narrow_windows),
    (below.relu_statement(14), below.of_relu_tasks),
]


@pytest.mark.parametrize(("statement", "theorem"), WRONG, ids=range(len(WRONG)))
def test_another_number_is_refused(statement, theorem):
    with pytest.raises(ProofError):
        proved(statement, theorem(), 20_000)


@pytest.mark.parametrize(
    ("statement", "theorem"),
    [
        (wide_windows.statement(), wide_windows.noise_beyond),
        (ends.first_statement(), ends.first_ends),
        (ends.second_statement(), ends.second_ends),
    ],
)
def test_no_hypothesis_can_be_dropped(statement, theorem):
    for dropped in statement.assumptions:
        with pytest.raises(ProofError, match="assumes more"):
            proved(replace(statement, assumptions=statement.assumptions - {dropped}), theorem())


@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize("R", [1e-3, 0.5, 1.0, 40.0])
@pytest.mark.parametrize("C", [0.1, 1.0, 5.0])
def test_the_ends_where_the_tokens_are_just_enough(d, R, C):
    """In logarithms: the least n, from which on both sides of either end are in order."""
    for N in np.geomspace(0.05, 300, 60):
        l, r, c = math.log(N), math.log(R), math.log(C)
        if c + d / 2 * r + (d + 2) / 2 * l <= N:
            assert 2 / (d + 2) * (N + r) <= -4 / (d * (d + 2)) * c + 2 / d * (N - l) + 1e-9
        if c + (d + 4) / 2 * (r + l) <= N:
            cost = 4 / (d * (d + 4)) * (math.log((d + 4) / 2) - 1 - (d + 2) / (d + 4) * c)
            assert 2 * (d + 2) / (d * (d + 4)) * (N + r) <= cost + 2 / d * (N - l) + 1e-9
