"""The derivations of Section 4 and Appendix E need what they assume, and show no more than that."""

from dataclasses import replace
from fractions import Fraction

import pytest

from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import ProofError
from numerics.derivations.statements import proved
from proofs_check.derivations.proofs import PROOFS
from proofs_check.derivations.transfer.flows import long_prompts, two_flows
from proofs_check.derivations.transfer.flows import parameters_at_a_time as parameters


@pytest.mark.parametrize(("id", "part"), [("BB:E.1", 2), ("BB:E.1", 3), ("BB:T4.3", 0), ("BB:T4.3", 1)])
def test_half_of_the_bound_is_not_shown(id, part):
    with pytest.raises(ProofError):
        proved(PROOFS[id].statements(c=Fraction(1, 2))[part], PROOFS[id].theorems[part]())


@pytest.mark.parametrize(
    ("part", "wrong"),
    [(0, {"share": Fraction(9, 10)}), (1, {"radius": 1}), (2, {"radius": 1}), (3, {"moment": 6})],
)
def test_the_majorant_is_that_of_the_ball_and_has_a_mean_by_twelve_moments(part, wrong):
    proof = PROOFS["BB:LE.4.split/majorant"]
    with pytest.raises(ProofError):
        proved(proof.statements(**wrong)[part], proof.theorems[part]())


def test_prompts_have_to_be_as_long_as_that():
    """With twice the bound of g2 the distance may be twice as large, and no bound is half of it."""
    rho = two_flows.rho
    assert two_flows.small_at_T(rho, long_prompts.at_most(long_prompts.FOR_E1)).rhs == rho
    twice = lambda most: assume("g2 is small", two_flows.g2, "<=", 2 * most)
    with pytest.raises(ProofError):
        two_flows.small_at_T(rho, twice)
    with pytest.raises(ProofError):
        proved(
            replace(PROOFS["BB:4.E1cor2"].statements()[1], rhs=parameters.eps / 2),
            parameters.parameters_converge(),
        )


@pytest.mark.parametrize(("factor", "more"), [(1, 3), (2, 2)])
def test_the_supremum_has_to_be_nearly_attained(factor, more, monkeypatch):
    """A number that is 3/L above the value at a point need not be at most the bound that 2/L and
    Corollary E.5 give, and neither need one that is above twice that value.
    """
    prompts = long_prompts.FOR_E1
    (bound,), (apart,) = prompts.bounds, prompts.apart
    assert long_prompts.small(prompts, bound, two_flows.g2, long_prompts.SMOOTH).op == "<="
    above = assume("g2 is above a value", two_flows.g2, "<=", factor * apart + more / L)
    monkeypatch.setattr(long_prompts.Prompts, "supremum", lambda *_: above)
    with pytest.raises(ProofError):
        long_prompts.small.__wrapped__(prompts, bound, two_flows.g2, long_prompts.SMOOTH)
