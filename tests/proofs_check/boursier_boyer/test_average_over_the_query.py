"""The claims on Lemmas C.6 and C.9 see the printed numbers; sums that share no code with them."""

import itertools
from fractions import Fraction

import pytest

from numerics.counterexamples.worst_case.query_average import tightest
from numerics.derivations import statements
from numerics.evidence import Verdict
from proofs_check.boursier_boyer.averages import average_steps
from proofs_check.boursier_boyer.averages import lemmas_c6_and_c9_statements as of_statements
from proofs_check.boursier_boyer.averages import lemmas_c6_and_c9_steps as steps
from proofs_check.boursier_boyer.averages import propositions_3_1_and_3_4 as propositions
from proofs_check.instances.random_query.average_split import PRODUCTS, instances, products, split

HALF = Fraction(1, 2)


def refuted(found):
    """Which parts of a conjunction are refuted."""
    return [part.verdict is Verdict.REFUTED for part in found.parts]


@pytest.mark.parametrize(("claim", "share", "powers"), [(steps.term_3, 6, 2), (steps.term_3_of_c9, 12, 1)])
def test_the_exponent_of_term_3_is_that_of_the_radius(claim, share, powers, monkeypatch):
    rate = claim.numbers["rate"]
    assert rate == 32 * share
    assert claim().verdict.executed
    assert refuted(claim(rate=rate - 1)) == [False, False, True, True, True] * powers
    # A weaker bound: whether it can be derived takes a prover a million boxes, and is not asked.
    monkeypatch.setattr(statements, "EFFORT", statements.REFUTED_EFFORT)
    assert claim(rate=rate + 1).verdict is not Verdict.REFUTED


@pytest.mark.parametrize(("claim", "printed"), [(steps.term_1, 6), (steps.term_1_of_c9, 12)])
def test_the_radius_of_the_ball_is_seen_by_term_1(claim, printed):
    assert claim.numbers["share"] == printed
    assert refuted(claim()) == [False] * 4
    assert refuted(claim(share=printed - 1)) == [True] * 4
    for share in (1, printed + 1, 1000):
        assert average_steps.square_of_the_radius(share, printed).verdict is Verdict.REFUTED


@pytest.mark.parametrize("claim", [steps.radius_of_the_ball, steps.radius_of_the_ball_of_c9])
def test_a_larger_ball_is_refuted_for_every_norm(claim):
    printed = claim.numbers["share"]
    assert claim(norm="n", share=printed + 1).verdict.accepted
    assert claim(norm="n", share=printed - 1).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("claim", "power"),
    [
        (of_statements.term_1_free_of_sigma, 2),
        (of_statements.term_1_free_of_sigma_of_c9, 4),
        (of_statements.third_constant_free_of_sigma, 2),
    ],
)
def test_no_smaller_power_of_sigma_is_enough(claim, power):
    assert claim(power=power).verdict.accepted
    assert claim(power=power - 1).verdict is Verdict.REFUTED
    assert claim().verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("claim", "least"),
    [(propositions.output_error_averaged_over_the_query, 2), (propositions.gradient_in_U, 4)],
)
def test_the_errors_outgrow_smaller_powers_of_sigma(claim, least):
    assert claim(least=2, power=least).verdict.accepted
    assert claim(least=2, power=least - 1).verdict is Verdict.REFUTED


@pytest.mark.parametrize("powers", [(1,), (1, 2)])
def test_a_lost_moment_of_g_is_noticed_and_the_simplification_needs_its_exponents(powers):
    def verdict(sigma, moment):
        exponents = lambda p: (2 * p, p, -2 * p, sigma * p)
        return average_steps.second_term_simplified(powers, exponents, moment).verdict

    assert verdict(sigma=6, moment=1) is Verdict.PROVED
    assert verdict(sigma=5, moment=1) is Verdict.REFUTED
    assert verdict(sigma=6, moment=0) is Verdict.REFUTED


# -- the product of a difference, summed over all prompts of signs ---------------------------------


def averages(L, f, order, times):
    """E|(R_L/S_L - R/S) g|^order and E|R_L/S_L - R/S|^order for U = 0, where R/S = E f."""
    limit = [(a + b) / 2 for a, b in zip(f(1), f(-1))]
    product = apart = Fraction(0)
    for prompt in itertools.product((1, -1), repeat=L):
        values = [f(z) for z in prompt]
        error = [sum(v[i] for v in values) / L - limit[i] for i in range(len(limit))]
        product += HALF**L * times(error) ** order
        apart += HALF**L * sum(e * e for e in error) ** (order // 2)
    return product, apart


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("L", [1, 2, 3])
def test_no_constant_bounds_the_product_of_a_difference(order, L):
    for n in (3, 11, 60):  # eta = 2n/(n^2 - 1), so that sqrt(1 + eta^2) = (n^2 + 1)/(n^2 - 1) is rational
        eta, root = Fraction(2 * n, n * n - 1), Fraction(n * n + 1, n * n - 1)
        f = lambda z, eta=eta: (Fraction(1), eta * z)
        times = lambda x, eta=eta, root=root: root / eta * x[1]
        for z in (1, -1):  # the lemma's hypothesis |f(z) g| = |f(z)| |g|
            assert times(f(z)) ** 2 == sum(v * v for v in f(z))
        product, apart = averages(L, f, order, times)
        assert product / apart == ((1 + eta**2) / eta**2) ** (order // 2)


@pytest.mark.parametrize("order", [2, 4])
def test_the_instances_are_sums_over_all_prompts(order):
    signs = lambda z: (Fraction(max(z, 0)), Fraction(max(-z, 0)))
    maps = (signs, lambda z: (Fraction(1), Fraction(3 * z, 4)))
    folds = (lambda x: x[0] - x[1], lambda x: Fraction(5, 3) * x[1])
    flat = {"U": 0, "sigma2": 1, "tokens": "1, -1"}
    for product, f, times in zip(PRODUCTS, maps, folds):
        for L in (1, 2, 3):
            at = flat | {"L": L, "product": product.name}
            found = next(i for i in instances(products(order)) if at.items() <= i.where.items())
            known = tuple(map(float, averages(L, f, order, times)))
            assert (found.left, found.right) == pytest.approx(known, rel=1e-12)


def test_the_inner_product_is_a_product_that_the_line_allows():
    rows = [i for i in instances(products(2)) if i.where["product"] == PRODUCTS[2].name]
    assert rows
    assert all(i.left <= i.right * (1 + 1e-12) for i in rows)


@pytest.mark.parametrize("rows", [products, lambda *a: split(*a, Fraction(2 ** (a[0] - 1)))])
@pytest.mark.parametrize("order", [2, 4])
def test_a_bound_that_is_too_small_is_refuted_by_balls(rows, order):
    tiny = lambda *at: at[4] ** order / 2  # half of C_f^order, while one sign has the error C_f^order
    found = tightest(instances(rows(order, tiny)), checked="", covered="signs")
    assert found.verdict is Verdict.REFUTED
    assert found.witness["L"] == 1
    assert found.witness["left"] == 2 * found.witness["right"]


def test_the_first_lines_need_a_product_of_matrices():
    """For another product they fail at the smallest prompt, and the bounds of the lemmas hold."""
    checks = steps.split_for_any_product, steps.split_at_the_ball_of_c9
    second, fourth = (check(through="|f| |g|") for check in checks)
    assert (second.witness["left"], second.witness["right"]) == (1, 0.5)
    assert (fourth.witness["left"], fourth.witness["right"]) == (1, 0.25)
    assert second.witness["L"] == fourth.witness["L"] == 1
    assert [check().verdict for check in checks] == [Verdict.SUPPORTED] * 2
