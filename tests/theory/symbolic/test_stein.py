"""The Stein calculus with symbolic L against explicit tokens and quadrature."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from tests.refusing import refusals
from theory.symbolic.stein import TokenAlgebra

A = TokenAlgebra("u", "v")
SHORT = TokenAlgebra("u", highest=3)
P2, P3, P4 = A.symbols[1:4]


def mean(form):
    return A.sum(1, form)


def explicit(polynomial, L):
    """A polynomial in power sums, written out in the weights p_1..p_L with p_L = 1 - the others."""
    p = [*sp.symbols(f"p1:{L}"), 1 - sum(sp.symbols(f"p1:{L}"))]
    powers = {A.symbols[k - 1]: sum(x**k for x in p) for k in range(2, A.highest + 1)}
    return sp.expand(polynomial.subs({**powers, A.symbols[0]: L}))


@pytest.mark.parametrize("L", [1, 2, 3])
def test_stein_written_out_token_by_token(L):
    """E sum_i u(z_i) c_i = h E sum_i D_i c_i, with D_i p_j = a p_j (1{i=j} - p_i), twice."""
    p, z, a = sp.symbols(f"p1:{L + 1}"), sp.symbols(f"z1:{L + 1}"), sp.Symbol("a")

    def slope(f, i):
        return sp.diff(f, z[i]) + sum(sp.diff(f, p[j]) * a * p[j] * (int(i == j) - p[i]) for j in range(L))

    def without_tokens(f):
        f = sp.expand(f)
        for i in range(L):
            if f.has(z[i]):
                rest = f.subs(z[i], 0)
                return without_tokens(rest) + without_tokens(slope(sp.expand((f - rest) / z[i]), i))
        return f

    token_mean = sum(pi * zi for pi, zi in zip(p, z))
    d1 = TokenAlgebra("z")
    square, rest = sum(pi**2 for pi in p), d1.sum(0, "z") * d1.sum(1, "z")
    cases = {
        token_mean**2: d1.sum(1, "z") ** 2,
        sum(pi * zi**2 for pi, zi in zip(p, z)): d1.sum(1, "z", "z"),
        sum(pi**2 * zi**3 for pi, zi in zip(p, z)) * token_mean: d1.sum(2, "z", "z", "z") * d1.sum(1, "z"),
        square * sum(z) * token_mean: d1.sum(2) * rest,
    }
    closing = {p[-1]: 1 - sum(p[:-1])}
    for written, symbolic in list(cases.items())[: 4 if L < 3 else 2]:
        values = {sp.Symbol("h_z", real=True): a, sp.Symbol("Gamma_zz", real=True): 1}
        found = symbolic.expectation().subs(values)
        powers = {d1.symbols[k - 1]: sum(x**k for x in p) for k in range(2, d1.highest + 1)}
        apart = without_tokens(written) - found.subs({**powers, d1.symbols[0]: L})
        assert sp.expand(apart.subs(closing)) == 0


def test_one_token_has_gaussian_moments():
    Guu, Guv, Gvv = sp.symbols("Gamma_uu Gamma_uv Gamma_vv", real=True)
    assert (mean("u") ** 2).at_one_token() == Guu
    assert (mean("u") * A.sum(3, "u", "v", "v")).at_one_token() == sp.expand(Guu * Gvv + 2 * Guv**2)
    assert (mean("u") * A.sum(2, "v", "v")).at_one_token() == 0
    assert (A.sum(1, "u", "v") - mean("u") * mean("v")).at_one_token() == 0


def test_without_scores_weights_are_equal():
    """a = 0: h = 0 and pi_k = L^{1-k}; the mean of L tokens has the variance Gamma/L."""
    L = A.symbols[0]
    equal = {A.symbols[k - 1]: L ** (1 - k) for k in range(2, A.highest + 1)}
    at_rest = {sp.Symbol("h_u", real=True): 0, sp.Symbol("h_v", real=True): 0, **equal}
    Guv = sp.Symbol("Gamma_uv", real=True)
    assert sp.simplify((mean("u") * mean("v")).expectation().subs(at_rest) - Guv / L) == 0
    spread = A.sum(1, "u", "v") - mean("u") * mean("v")
    assert sp.simplify(spread.expectation().subs(at_rest) - Guv * (1 - 1 / L)) == 0


@pytest.mark.parametrize("s", [Fraction(1, 4), Fraction(2)])
@pytest.mark.parametrize("L", [2, 3])
def test_expectations_against_product_quadrature(s, L):
    """A trapezoid rule over L scores; the poles cost exp(-2 pi^2/(0.3 sqrt(2 s)))."""
    grid = np.arange(-8.4, 8.41, 0.3)
    g = np.stack([x.ravel() for x in np.meshgrid(*[grid] * L, indexing="ij")])
    w = 0.3**L * np.exp(-(g**2).sum(axis=0) / 2) / (2 * np.pi) ** (L / 2)
    tau = float(s) ** 0.5
    p = np.exp(tau * g - (tau * g).max(axis=0))
    p /= p.sum(axis=0)
    one = TokenAlgebra("g")
    for powers in [((1, 1),), ((1, 1), (2, 1)), ((1, 2), (1, 1), (1, 1)), ((2, 3), (1, 1))]:
        symbolic, direct = one.sum(0) - one.sum(0) + 1, np.ones(g.shape[1])
        for m, count in powers:
            symbolic, direct = symbolic * one.sum(m, *["g"] * count), direct * (p**m * g**count).sum(axis=0)
        values = {sp.Symbol("h_g", real=True): tau, sp.Symbol("Gamma_gg", real=True): 1}
        reduced = sp.lambdify(one.symbols[: one.highest], symbolic.expectation().subs(values))
        reduced = reduced(L, *((p**k).sum(axis=0) for k in range(2, one.highest + 1)))
        assert w @ direct == pytest.approx(float(w @ (reduced + 0 * w)), rel=1e-7)


@pytest.mark.parametrize("L", [2, 3])
def test_heat_equation_written_out(L):
    p = sp.symbols(f"p1:{L + 1}")

    def slope(f, i):
        return sum(sp.diff(f, p[j]) * p[j] * (int(i == j) - p[i]) for j in range(L))

    closing = {p[-1]: 1 - sum(p[:-1])}
    for k, l in itertools.combinations_with_replacement((2, 3) if L == 2 else (2,), 2):
        F = sum(x**k for x in p) * sum(x**l for x in p)
        written = sum(slope(slope(F, i), i) for i in range(L)) / 2
        assert sp.expand(explicit((A.sum(k) * A.sum(l)).heat(), L) - written.subs(closing)) == 0


def test_power_sums_of_a_distribution():
    assert A.sum(1).as_expr() == 1
    assert A.sum(0).as_expr() == A.symbols[0]
    # sum_{i<j} p_i p_j (p_i - p_j)^2 = pi_1 pi_3 - pi_2^2
    gap = A.sum(3) * A.sum(1) - A.sum(2) ** 2
    weights = sp.symbols("p1:4")
    closing = {weights[2]: 1 - weights[0] - weights[1]}
    pairs = sum(x * y * (x - y) ** 2 for x, y in itertools.combinations(weights, 2)).subs(closing)
    assert sp.expand(explicit(gap.as_expr(), 3) - pairs.subs(dict(zip(weights, sp.symbols("p1:3"))))) == 0


def test_expectation_is_linear_and_products_commute():
    x, y = mean("u") ** 2, A.sum(2, "v") * mean("u")
    apart = (3 * x - Fraction(1, 2) * y).expectation() - 3 * x.expectation() + y.expectation() / 2
    assert sp.expand(apart) == 0
    assert sp.expand((x * y).expectation() - (y * x).expectation()) == 0


test_requests_without_meaning = refusals(
    (lambda: A.sum(1, "w"), ValueError, "w is none of the forms u, v"),
    (lambda: A.h("w") + A.Gamma("u", "v"), ValueError, "w is none of the forms u, v"),
    (lambda: A.sum(-1), ValueError, "power = -1"),
    (lambda: (SHORT.sum(2, "u") ** 2).expectation(), ValueError, "ends at 3; raise highest="),
    (lambda: mean("u").heat(), ValueError, "take the expectation first"),
    (lambda: 0.5 * mean("u"), TypeError, "no exact number"),
    (lambda: mean("u") + SHORT.sum(1, "u"), ValueError, "different algebras"),
)
