"""Two routes must agree; a sequence defeats every constant, or leaves it open."""

import pytest
import sympy as sp

from numerics.counterexamples.by_sequences import defeated, refuted_by_two_routes, vanishing
from numerics.evidence import Verdict

k, c1, c2 = sp.symbols("k c1 c2", positive=True)


def test_routes_that_agree_refute_by_the_measure_of_the_violation():
    judged = lambda left, again: refuted_by_two_routes("quadrature", {"L": 3}, left, 1.5, again, checked="x")
    found = judged(2.0, 2.0 + 1e-8)
    assert (found.verdict, found.witness["L"], found.checked) == (Verdict.REFUTED, 3, "x")
    assert 0 < found.disagreement < 1e-6
    assert judged(1.5 + 1e-6, 1.5 + 1.1e-6).verdict is Verdict.OPEN
    with pytest.raises(ValueError, match="nothing to refute"):
        judged(1.0, 1.0)


def test_the_first_instance_is_the_witness():
    found = defeated(k**2, c1 * k + c2 * sp.log(k), k, at={"L": k, "sigma": k**2}, where={"d": 1}, least=1)
    assert found.verdict is Verdict.REFUTED
    assert {n: found.witness[n] for n in ("L", "sigma", "d", "c1")} == {"L": 2, "sigma": 4, "d": 1, "c1": 1}


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        (2 * k, c1 * k, Verdict.OPEN),
        (k, c1 * k**2, Verdict.OPEN),
        (k ** sp.Rational(1, 2), c1 * k**20 * sp.exp(-c2 * k), Verdict.REFUTED),
        (k, c1 * k**c2, Verdict.OPEN),
    ],
    ids=["a larger constant", "another order", "a constant in the exponent", "a limit that depends on c2"],
)
def test_only_what_no_constant_saves_is_refuted(left, right, verdict):
    assert defeated(left, right, k, at={"L": k}, where={}).verdict is verdict


def test_what_is_no_constant():
    with pytest.raises(ValueError, match="declared positive"):
        defeated(k, sp.Symbol("c") * sp.log(k), k, at={}, where={})
    with pytest.raises(ValueError, match="may depend on k only"):
        defeated(k * c1, sp.log(k), k, at={}, where={})


def test_a_right_side_that_vanishes_at_one_instance():
    assert vanishing(sp.S.One, c1 * sp.log(1), where={"L": 1}).verdict is Verdict.REFUTED
    assert vanishing(sp.S.One, c1 * sp.log(2), where={"L": 2}).verdict is Verdict.OPEN
    assert vanishing(sp.S.Zero, c1 * sp.log(1), where={"L": 1}).verdict is Verdict.OPEN


def test_a_left_side_that_becomes_negative_defeats_nothing():
    # 10 - k <= c1 holds for c1 = 10, although c1/(10 - k) -> 0
    found = defeated(10 - k, c1, k, at={"L": k}, where={})
    assert found.verdict is Verdict.OPEN
    assert "not shown to be positive" in found.reason


def test_a_right_side_that_only_looks_like_0_does_not_vanish():
    tiny = sp.Abs(sp.loggamma(1 + sp.Rational(1, 2**66)), evaluate=False)  # SymPy takes it for 0
    with pytest.raises(ValueError, match="for a number of another sign"):
        vanishing(sp.S.One, c1 * tiny, where={"L": 1})
