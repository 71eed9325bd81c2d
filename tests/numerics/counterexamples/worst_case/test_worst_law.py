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

HALF = Fraction(1, 2)
#: Rademacher tokens at the score 1/2.
SIGNS = Point(on_line((1, -1), (HALF, HALF)), HALF, (Fraction(1), Fraction(-1)))


#: The sides of a bound on one law. The variance is at most the proxy, and equal for fair signs.
variance = lambda laws, _: (laws[0].mean(laws[0].squares), laws[0].sigma2)
gaussian_fourth = lambda laws, _: (laws[0].mean(laws[0].squares ** 2), laws[0].sigma2 ** 2)
gaussians = lambda: [("Gaussian", (edge_case_laws(1)[0],), ())]
without_spread = lambda: [("point mass", (next(law for law in edge_case_laws(1) if not law.sigma2),), ())]
#: A root of a negative number, whatever the law.
nowhere = lambda laws, _: (np.sqrt(-laws[0].mean(laws[0].squares)), laws[0].sigma2)
#: An equality up to the rounding of a constant.
rounded_constant = lambda laws, _: (0 * laws[0].sigma2 + 1, 0 * laws[0].sigma2 + (1 - 2**-50))


def product(populations, numbers):
    first, second = populations
    both = first.mean(first.squares) * second.mean(second.squares)
    return both * numbers[0] ** 2, first.sigma2 * second.sigma2


def undefined(populations, _):
    """Nothing at the nodes of the Gaussian law, 1 at those of laws on two atoms."""
    (p,) = populations
    return p.mean(p.squares) * (np.nan if len(p.nodes) > 2 else 1.0), p.sigma2


def hidden_overflow(populations, numbers):
    """False for large numbers, where both sides are too large for floating point."""
    (p,) = populations
    return np.exp(1000 * numbers[0]) * p.sigma2, np.exp(999 * numbers[0]) * p.sigma2


GAUSSIAN = {"cases": gaussians}
TWO_LAWS = {"laws": ("two atoms", "two atoms"), "numbers": ((0.0, 2.0),)}
#: What is judged, what else it is given, the verdict, and what a reason says.
JUDGED = {
    "the proxy is reached": (variance, {}, Verdict.SUPPORTED, ""),
    "of several laws and numbers": (product, TWO_LAWS | {"limit": 4}, Verdict.SUPPORTED, ""),
    "false of several": (product, TWO_LAWS | {"limit": 3}, Verdict.REFUTED, ""),
    "two atoms and the Gaussian law": (gaussian_fourth, GAUSSIAN | {"limit": 3}, Verdict.SUPPORTED, ""),
    "two atoms only, below 2": (gaussian_fourth, GAUSSIAN | {"limit": HALF * 5}, Verdict.OPEN, "Gaussian"),
    "an instance without a value": (undefined, GAUSSIAN, Verdict.OPEN, "Gaussian"),
    "no values at all": (nowhere, {}, Verdict.OPEN, ""),
    "beyond floating point": (hidden_overflow, {"limit": 10, "numbers": ((0.0, 2.0),)}, Verdict.OPEN, ""),
    "both sides vanish": (variance, {"cases": without_spread}, Verdict.SUPPORTED, ""),
    "a rounded constant": (rounded_constant, {}, Verdict.SUPPORTED, ""),
}


@pytest.mark.parametrize("name", JUDGED)
def test_verdicts(name):
    sides, more, verdict, says = JUDGED[name]
    found = worst_law(sides, **{"limit": 1, "checked": ""} | more)
    assert found.verdict is verdict
    assert says in (found.reason or "")
    assert sides is not variance or found.slack == pytest.approx(1, abs=1e-6)


def test_refutation_is_rational_and_short():
    found = worst_law(variance, Fraction(9, 10), checked="")
    assert (found.verdict, found.witness_by) == (Verdict.REFUTED, "Arb")
    q = Fraction(found.witness["law weights"].split(", ")[0])
    x, y = (Fraction(a) for a in found.witness["law atoms"].split(", "))
    assert q * x + (1 - q) * y == 0
    assert q * x**2 + (1 - q) * y**2 > Fraction(9, 10) * Fraction(float(kearns_saul(float(q)))) * (x - y) ** 2


def test_large_scores_do_not_overflow():
    p = WeightedNodes(np.array([[1.0], [-1.0]]), np.array([0.5, 0.5]), 1.0)
    assert p.tilted(np.array([1e4])).mean(p.nodes[:, 0]) == 1


@pytest.mark.parametrize("bad", [{"limit": 0}, {"laws": ("four atoms",)}])
def test_bad_input(bad):
    with pytest.raises(ValueError, match="positive limit and families"):
        worst_law(variance, **{"limit": 1, "checked": "", **bad})


def at_a_small_number(populations, numbers):
    """Holds with 1 from numbers[0] = 1/100 on; at 0 it would not."""
    (p,) = populations
    return 0 * p.sigma2 + 1, 0 * p.sigma2 + 200 * numbers[0]


def test_a_witness_stays_in_the_range_of_the_numbers():
    found = worst_law(at_a_small_number, Fraction(1, 4), checked="", numbers=((0.01, 1.0),))
    assert found.verdict is Verdict.REFUTED
    assert Fraction(1, 100) <= Fraction(found.witness["number 1"])


def slope(populations, numbers):
    """The tilted mean against sigma^2 |a|."""
    (p,) = populations
    return p.tilted(numbers.reshape(1, *numbers.shape[1:])).mean(p.nodes[:, 0]), p.sigma2 * numbers[0]


def test_a_reference_instance_by_hand():
    at = ReferenceInstance(name="signs", point=SIGNS, length=1, values={})
    found = worst_law(slope, 2, checked="", numbers=((0.1, 3.0),))
    assert at.loss(*found.sides) == pytest.approx(2 * 0.5 / math.tanh(0.5))
