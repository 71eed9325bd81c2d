"""Second routes of the claims on Appendices D and F, and all of their domains."""

from fractions import Fraction

import pytest
import sympy as sp

from numerics.evidence import Contradiction
from proofs_check.boursier_boyer.dynamics import appendix_f2, appendix_f3, lemma_d1, lemma_f1
from proofs_check.core.controls import conjuncts
from proofs_check.core.robust import Robust


def assumed(evidence):
    return {text for _, leaf in conjuncts(evidence) for text in leaf.assumes}


@pytest.mark.parametrize("a", [-2, 0, Fraction(1, 3)])
def test_the_hessian_of_the_log_laplace_transform_is_half_the_mean_square_of_two_copies(a):
    """For the centred law with P(2) = 1/3 and P(-1) = 2/3, whose tilted mean has either sign."""
    z, atoms = sp.Symbol("z"), {sp.Integer(2): sp.Rational(1, 3), sp.Integer(-1): sp.Rational(2, 3)}
    curvature = sp.log(sum(p * sp.exp(x * z) for x, p in atoms.items())).diff(z, 2).subs(z, sp.Rational(a))
    tilted = {x: p * sp.exp(x * sp.Rational(a)) for x, p in atoms.items()}
    mass = sum(tilted.values())
    copies = sum(p * q * (x - y) ** 2 for x, p in tilted.items() for y, q in tilted.items()) / (2 * mass**2)
    assert sp.simplify(curvature - copies) == 0


def test_the_tilted_mean_of_lemma_d1_may_be_negative():
    found = assumed(lemma_d1.gradient_of_the_log_laplace_transform.check())
    assert not any(text.startswith("m_1 >") for text in found)
    assert "m_0 > 0" in found


def test_alpha_is_checked_for_an_invertible_covariance_too():
    found = assumed(appendix_f3.balancedness_gives_the_printed_alpha.check())
    assert "b >= 0" in found
    assert "b > 0" not in found


def test_the_risk_is_a_polynomial_in_every_dimension_and_its_coded_gradient_is_compared(monkeypatch):
    assert appendix_f2.the_risk_is_a_polynomial.check().dimension == "every d"
    right = appendix_f2.full_risk_gradient
    monkeypatch.setattr(appendix_f2, "full_risk_gradient", lambda *at: tuple(2 * side for side in right(*at)))
    with pytest.raises(Contradiction):
        appendix_f2.the_risk_is_a_polynomial.check()


@pytest.mark.parametrize(
    ("Lambda", "too_large"), [(Fraction(1, 5), True), (Fraction(1, 4), False), (Fraction(1, 3), False)]
)
def test_item_3_of_f3_fails_below_a_quarter_on_the_line(Lambda, too_large):
    sigma = Fraction(3, 2)
    left_minus_right = appendix_f3.too_steep(d=1, Lambda=Lambda, sigma=sigma)
    risk = Lambda / 2 * (sigma**2 * Lambda - 1) ** 2
    assert left_minus_right == (Lambda**2 - 4 * Lambda**3) * sigma**2 * risk
    assert bool(left_minus_right > 0) is too_large


def test_the_robust_witness_of_item_3_needs_room():
    point = {"d": 1, "Lambda": Fraction(249, 1000), "sigma": Fraction(1, 2)}
    known = ("d in Integers", "d >= 1", "Lambda > 0")
    at_the_edge = Robust(point=point, hypotheses=known, violation=lambda **at: appendix_f3.too_steep(**at))
    assert "fails no longer" in at_the_edge.faults()[0]


@pytest.mark.parametrize(
    "check", [lemma_f1.sub_gaussian_parameter_of_tokens.check, lemma_f1.moments_with_the_parameter.check]
)
def test_the_repaired_parameter_of_lemma_f1_is_sharp(check):
    assert check(parameter="repaired").verdict.accepted  # the moments rest on a sentence
    assert check(parameter="repaired", k=Fraction(99, 100)).verdict.value == "REFUTED"
