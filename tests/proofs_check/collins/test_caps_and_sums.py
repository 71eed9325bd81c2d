"""What Appendices D, G and I of Collins et al. are derived as is no more than what was derived."""

from dataclasses import replace
from fractions import Fraction
from math import exp, floor, pi, sqrt

import pytest

from numerics.derivations.kernel.sorts import ProofError
from numerics.derivations.statements import proved
from proofs_check.derivations.proofs import PROOFS
from proofs_check.derivations.window import large_sums, rearranged
from proofs_check.derivations.window.uniform import kernel_sum_order, narrower
from proofs_check.derivations.window.uniform.sums import from_above, from_below, rings, shells
from theory.attention.window.caps import cap_measure


def below(**numbers):
    return kernel_sum_order.statements(**numbers)[0]


def above(**numbers):
    return kernel_sum_order.statements(**numbers)[1]


def lower(case):
    return lambda **numbers: from_below.statements(**numbers)[case]


def shell(part):
    return lambda **numbers: shells.statements(**numbers)[part]


DERIVED = {
    "G.4 from above": (from_above.statement, from_above.sums_from_above, dict(three=5)),
    "G.4 from above, d/2": (from_above.statement, from_above.sums_from_above, dict(dimensions=0)),
    "G.4, d = 2": (lower(0), PROOFS["COL:G.4/lower"].theorems[0], dict(factor=2)),
    "G.4, d = 3": (lower(1), PROOFS["COL:G.4/lower"].theorems[1], dict(factor=2)),
    "G.4, d >= 4": (lower(2), PROOFS["COL:G.4/lower"].theorems[2], dict(factor=2)),
    "shells from above": (shell(0), shells.shells_from_above, dict(one=Fraction(1, 2))),
    "shells from below": (shell(1), shells.shells_from_below, dict(one=Fraction(1, 2))),
    "shells at p = 0": (shell(2), shells.shells_at_0, dict(one=Fraction(1, 2))),
    "D.2": (narrower.growth_statement, narrower.noise_grows, dict(power=1)),
    "G.3 from above": (large_sums.upper_statement, large_sums.sums_from_above, dict(two=Fraction(3, 2))),
    "G.3 from below": (large_sums.lower_statement, large_sums.sums_from_below, dict(constant=2)),
    "G.5 from below": (below, kernel_sum_order.sums_from_below, dict(dimensions=Fraction(3, 2))),
    "G.5 from above": (above, kernel_sum_order.sums_from_above, dict(dimensions=Fraction(1, 2))),
    "I.2": (rearranged.statement, rearranged.hardy_littlewood, dict(share=2)),
}


@pytest.mark.parametrize("name", DERIVED)
def test_another_number_is_refused(name):
    statement, theorem, wrong = DERIVED[name]
    assert proved(statement(), theorem()).op == statement().op
    with pytest.raises(ProofError):
        proved(statement(**wrong), theorem())


@pytest.mark.parametrize("part", range(3))
def test_the_sums_from_below_need_enough_tokens(part):
    statement, theorem = from_below.statements()[part], PROOFS["COL:G.4/lower"].theorems[part]()
    fewer = {a for a in statement.assumptions if not a.name.startswith("n >= 45")}
    assert len(fewer) == len(statement.assumptions) - 1
    with pytest.raises(ProofError, match="assumes more"):
        proved(replace(statement, assumptions=frozenset(fewer)), theorem)


@pytest.mark.parametrize("d", [2, 3, 4, 5, 8, 20, 100])
@pytest.mark.parametrize("eps", [1e-6, 0.01, 0.2, 0.5, 0.9, 1.0])
def test_rings_have_the_share_that_is_derived_or_cited(d, eps):
    share = cap_measure(eps, d) - cap_measure(eps / 4, d)
    assert share >= float(rings.SHARE) * eps ** ((d - 1) / 2) / sqrt(2 * pi * d)
    if d == 2:  # the chords of the larger and of the smaller cap
        assert share >= (sqrt(2 * eps) - sqrt(eps / 2)) / pi
    if d == 3:
        assert cap_measure(eps, d) == pytest.approx(eps / 2)


@pytest.mark.parametrize("r", [1, 1.5, 2, 7.9])
def test_whole_numbers_are_what_is_said_of_them(r):
    numbers = range(1, floor(r) + 1)
    for y in (step / 8 for step in range(8 * floor(r) + 1)):
        assert sum(y <= c <= y + 1 for c in numbers) >= 1
        assert sum(y - 1 < c <= y for c in numbers) <= 1
        assert sum(y <= c < y + 1 for c in numbers) <= 1


def test_the_tail_of_tau_falls_from_1_to_0():
    tail = [(1 + (1 - exp(-2)) * t) * exp(-2 * t) for t in (step / 16 for step in range(400))]
    assert tail[0] == 1
    assert tail == sorted(tail, reverse=True)
    assert tail[-1] < 1e-9
