"""Laws: it finds known extremes, refutes with rational laws, hides no doubt."""

import math
from fractions import Fraction

import numpy as np
import pytest

from numerics.counterexamples.worst_case.families import Point, on_line
from numerics.counterexamples.worst_case.reference import ReferenceInstance
from numerics.counterexamples.worst_case.worst_law import worst_law
from numerics.evidence import Verdict
from numerics.token_laws.edge_cases import edge_case_laws
from numerics.token_laws.sub_gaussian import kearns_saul
from numerics.token_laws.weighted_nodes import WeightedNodes

#: Rademacher tokens at the score 1/2.
SIGNS = Point(on_line((1, -1), (Fraction(1, 2), Fraction(1, 2))), Fraction(1, 2), (Fraction(1), Fraction(-1)))


def variance(populations, _):
    """At most the proxy, with equality for symmetric two-point laws."""
    (p,) = populations
    return p.mean(p.squares), p.sigma2


def product(populations, numbers):
    first, second = populations
    return first.mean(first.squares) * second.mean(second.squares) * numbers[
        0
    ] ** 2, first.sigma2 * second.sigma2


def gaussian_fourth(populations, _):
    (p,) = populations
    return p.mean(p.squares**2), p.sigma2**2


def gaussians():
    return [("Gaussian", (edge_case_laws(1)[0],), ())]


def undefined(populations, _):
    """Nothing at the nodes of the Gaussian law, 1 at those of laws on two atoms."""
    (p,) = populations
    return p.mean(p.squares) * (np.nan if len(p.nodes) > 2 else 1.0), p.sigma2


def without_spread():
    return [("point mass", (next(law for law in edge_case_laws(1) if not law.sigma2),), ())]


def test_variance_reaches_the_proxy():
    found = worst_law(variance, 1, checked="E Z^2 <= sigma^2")
    assert found.verdict is Verdict.SUPPORTED
    assert found.slack == pytest.approx(1, abs=1e-6)


def test_refutation_is_rational_and_short():
    found = worst_law(variance, Fraction(9, 10), checked="")
    assert found.verdict is Verdict.REFUTED
    assert found.witness_by == "Arb"
    q = Fraction(found.witness["law weights"].split(", ")[0])
    x, y = (Fraction(a) for a in found.witness["law atoms"].split(", "))
    assert q * x + (1 - q) * y == 0
    assert q * x**2 + (1 - q) * y**2 > Fraction(9, 10) * Fraction(float(kearns_saul(float(q)))) * (x - y) ** 2


def test_several_laws_and_numbers():
    made = worst_law(product, 4, checked="", laws=("two atoms", "two atoms"), numbers=((0.0, 2.0),))
    assert made.verdict is Verdict.SUPPORTED
    seen = worst_law(product, 3, checked="", laws=("two atoms", "two atoms"), numbers=((0.0, 2.0),))
    assert seen.verdict is Verdict.REFUTED


def test_a_listed_case_beyond_the_limit_is_open_not_accepted():
    # two atoms stay below 2, the Gaussian law has 3
    assert worst_law(gaussian_fourth, 3, checked="", cases=gaussians).verdict is Verdict.SUPPORTED
    found = worst_law(gaussian_fourth, Fraction(5, 2), checked="", cases=gaussians)
    assert found.verdict is Verdict.OPEN
    assert "Gaussian" in found.reason


def test_an_instance_without_a_value_is_not_accepted():
    found = worst_law(undefined, 1, checked="", cases=gaussians)
    assert found.verdict is Verdict.OPEN
    assert "Gaussian" in found.reason


def nowhere(populations, _):
    """A root of a negative number, whatever the law."""
    (p,) = populations
    return np.sqrt(-p.mean(p.squares)), p.sigma2


def test_a_search_without_values_is_not_accepted():
    found = worst_law(nowhere, 1, checked="")
    assert found.verdict is Verdict.OPEN


def test_an_instance_on_which_both_sides_vanish_bounds_nothing():
    assert worst_law(variance, 1, checked="", cases=without_spread).verdict is Verdict.SUPPORTED


def test_large_scores_do_not_overflow():
    p = WeightedNodes(np.array([[1.0], [-1.0]]), np.array([0.5, 0.5]), 1.0)
    assert p.tilted(np.array([1e4])).mean(p.nodes[:, 0]) == 1


@pytest.mark.parametrize("bad", [{"limit": 0}, {"laws": ("four atoms",)}])
def test_bad_input(bad):
    with pytest.raises(ValueError, match="positive limit and families"):
        worst_law(variance, **{"limit": 1, "checked": "", **bad})


def hidden_overflow(populations, numbers):
    """False for large numbers, where both sides are too large for floating point."""
    (p,) = populations
    return np.exp(1000 * numbers[0]) * p.sigma2, np.exp(999 * numbers[0]) * p.sigma2


def test_a_search_that_runs_out_of_floating_point_accepts_nothing():
    assert worst_law(hidden_overflow, 10, checked="", numbers=((0.0, 2.0),)).verdict is not Verdict.SUPPORTED


def at_a_small_number(populations, numbers):
    """Holds with 1 from numbers[0] = 1/100 on; at 0 it would not."""
    (p,) = populations
    return 0 * p.sigma2 + 1, 0 * p.sigma2 + 200 * numbers[0]


def test_a_witness_stays_in_the_range_of_the_numbers():
    found = worst_law(at_a_small_number, Fraction(1, 4), checked="", numbers=((0.01, 1.0),))
    assert found.verdict is Verdict.REFUTED
    assert Fraction(1, 100) <= Fraction(found.witness["number 1"])


def rounded_constant(populations, _):
    """An equality up to the rounding of a constant."""
    (p,) = populations
    return 0 * p.sigma2 + 1, 0 * p.sigma2 + (1 - 2**-50)


def test_the_rounding_of_a_constant_refutes_nothing():
    assert worst_law(rounded_constant, 1, checked="").verdict is Verdict.SUPPORTED


def slope(populations, numbers):
    """The tilted mean against sigma^2 |a|."""
    (p,) = populations
    return p.tilted(numbers.reshape(1, *numbers.shape[1:])).mean(p.nodes[:, 0]), p.sigma2 * numbers[0]


def test_a_reference_instance_by_hand():
    at = ReferenceInstance(name="signs", point=SIGNS, length=1, values={})
    found = worst_law(slope, 2, checked="", numbers=((0.1, 3.0),))
    assert at.loss(*found.sides) == pytest.approx(2 * 0.5 / math.tanh(0.5))
