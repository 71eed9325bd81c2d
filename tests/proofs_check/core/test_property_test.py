"""The property test beside the engines of a claim, and claims whose examples see too little."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from numerics.counterexamples.drawn.holds import MISSING
from numerics.evidence import Contradiction, Evidence, Verdict, all_of
from numerics.provers import Closed, Integers, forall
from numerics.seeds import EXAMPLES
from proofs_check.core import property_test as second_route
from proofs_check.core.claim import Claim
from proofs_check.core.property_test import beyond
from proofs_check.core.sharp_constant import SharpConstant
from tests.numerics.counterexamples.drawn.test_holds import AtMost
from tests.proofs_check.core.made import proved, refuted

x = sp.Symbol("x", positive=True)
n = sp.Symbol("n", integer=True, positive=True)
POSITIVE = {x: (0, sp.oo)}


def judged(check, reseed=0, **said):
    said.setdefault("control", ({"c": Fraction(49, 100)},))
    return Claim(id="BB:X", check=check, **said).judge(reseed)


def half(*, c=Fraction(1, 2)):
    return forall(x / (1 + x**2), "<=", sp.Rational(c), POSITIVE)


def test_a_claim_gets_its_property_test_as_a_route_with_a_control():
    found = judged(half)
    assert found.faults == ()
    (route,) = found.held.routes
    assert (route.engine, route.verdict) == ("property test", Verdict.SUPPORTED)
    assert route.slack == pytest.approx(1)
    assert route.control.verdict is Verdict.REFUTED
    at = Fraction(str(route.control.witness["x"]))
    assert at / (1 + at**2) > Fraction(49, 100)
    assert found.printed is found.held


def test_the_repaired_statement_is_tried_not_the_printed_one():
    def printed(*, c=Fraction(1, 3)):
        return half(c=c)

    found = judged(printed, repair={"c": Fraction(1, 2)}, false="gap", hypotheses=("x > 0",))
    assert found.printed.routes == ()
    assert found.held.routes[0].verdict is Verdict.SUPPORTED


def test_the_dial_is_spoiled_five_percent_beyond_its_edge():
    seen = []

    def check(*, c=Fraction(1)):
        seen.append(c)
        return half(c=c)

    found = judged(check, sharp="c", control=())
    assert found.faults == ()
    assert seen[-1] == beyond(found.sharp) == found.sharp.refuted * Fraction(95, 100)
    up = replace(found.sharp, accepted=Fraction(1), refuted=Fraction(2))
    assert beyond(up) == Fraction(21, 10)
    assert isinstance(up, SharpConstant)


def test_a_wrong_prover_is_contradicted():
    def believes(*, c=Fraction(49, 100)):
        said = dict(verdict=Verdict.PROVED, engine="Sturm", witness={}, witness_by="", slack=None)
        return half(c=c).replace(**said)

    with pytest.raises(Contradiction, match="property test"):
        judged(believes, control=({"c": Fraction(1, 4)},))


def test_a_control_that_the_examples_do_not_see_is_replaced_by_a_lower_bound():
    """It fails at n = 10^9 + 7 only; at 95 % of the largest ratio it fails everywhere."""

    def needle(*, c=0):
        bump = c * sp.Max(0, 1 - sp.Abs(n - 10**9 - 7))
        return forall(n / (1 + n**2) + bump, "<=", sp.Rational(1, 2), {n: Integers(1, sp.oo)})

    spoiled = refuted(n=10**9 + 7).replace(sides=needle(c=1).sides)
    found = judged(lambda *, c=0: needle() if c == 0 else spoiled, control=({"c": 1},))
    assert found.faults == ()
    control = found.held.routes[0].control
    assert "times" in control.checked


def test_examples_that_stay_far_below_the_known_ratio_are_a_fault():
    def known(*, c=Fraction(1)):
        found = half(c=c)
        return found.replace(slack=1.01) if found.verdict.accepted else found

    found = judged(known)
    assert [f for f in found.faults if "reaches the ratio 0.5 only, where 0.9901 is known" in f]
    assert found.held.routes[0].samples == EXAMPLES
    # However many are drawn.
    assert [f for f in judged(known, reseed=1).faults if "where 0.9901 is known" in f]


def test_each_conjunct_needs_a_control_that_the_examples_see():
    """The second conjunct is refuted by its engine only, and its bound cannot be lowered."""

    def second(most):
        found = proved() if most == 1000 else refuted(n=1)
        return found.replace(checked="n at most 1000", sides=(AtMost(1000.0),))

    def both(*, c=Fraction(1, 2)):
        return all_of(half(c=c), second(1000 if c == Fraction(1, 2) else 900))

    (fault,) = judged(both).faults
    assert "its property test does not see that n at most 1000 is false" in fault


def test_how_many_parts_are_tried_is_said():
    def both(*, c=Fraction(1, 2)):
        return all_of(half(c=c), forall(sp.exp(1), "<=", sp.Integer(3 if c == Fraction(1, 2) else 2), {}))

    found = judged(both)
    assert found.faults == ()
    assert found.held.routes[0].covered.startswith("1 of 2 parts: ")


def test_what_hypothesis_cannot_run_without_is_said_and_no_fault(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "hypothesis", None)
    found = judged(half)
    assert found.faults == ()
    assert (found.held.routes[0].verdict, found.held.routes[0].reason) == (Verdict.OPEN, MISSING)


def test_no_example_that_meets_the_hypotheses_is_a_fault():
    def narrow(*, c=1):
        far = [(x, ">=", 10**12), (x, "<=", 10**12 + 1)]
        return forall(sp.Integer(c), "<=", x / 10**12, POSITIVE, where=far)

    assert [f for f in judged(narrow, control=({"c": 2},)).faults if "undecided" in f]


def test_what_the_examples_refute_is_not_open():
    def gives_up(*, c=Fraction(1, 4)):
        return Evidence(verdict=Verdict.OPEN, engine="Sturm", reason="it gives up", sides=half(c=c).sides)

    faults = judged(gives_up, open="nothing settles it").faults
    assert "its property test refutes what the engines leave open" in faults


def test_statements_without_variables_have_nothing_to_try():
    def constant(*, c=3):
        return forall(sp.exp(1), "<=", sp.Integer(c), {})

    assert judged(constant, control=({"c": 2},)).held.routes == ()


def test_the_number_of_examples_is_handed_on():
    made = Claim(id="BB:X", check=half, control=({"c": Fraction(49, 100)},))
    assert made.judge(examples=300).held.routes[0].samples == 300
    assert made.judge(reseed=1).held.routes[0].seed != made.judge().held.routes[0].seed


def test_what_is_proved_gets_fewer_examples_than_what_nobody_executed_as_a_whole():
    def supported(*, c=Fraction(1, 2)):
        found, less = half(c=c), dict(verdict=Verdict.SUPPORTED, covered="a few points")
        return found.replace(**less) if found.verdict.accepted else found

    def argued(*, c=Fraction(1, 2)):
        found = half(c=c)
        return found.argued("it follows") if found.verdict.accepted else found

    assert half().verdict.executed
    routes = [judged(claim).held.routes[0] for claim in (half, supported, argued)]
    assert all(route.control is not None for route in routes)
    of_proof, *others = (route.samples for route in routes)
    assert all(of_proof < samples == EXAMPLES for samples in others)


def large(*, c=1000):
    """Whole numbers up to 1000, which the first example, that is 0, says nothing of."""
    found = proved(slack=1.0) if c >= 1000 else refuted(n=1000)
    return found.replace(checked=f"n at most {c}", sides=(AtMost(float(c)),))


def test_where_few_examples_see_too_little_the_usual_number_is_drawn(monkeypatch):
    monkeypatch.setattr(second_route, "FEWER", 1)
    found = judged(large, control=({"c": 900},))
    assert found.faults == ()
    assert found.held.routes[0].samples == EXAMPLES


def test_a_proved_statement_whose_examples_are_dear_keeps_them():
    class Dear(AtMost):
        each = 5

    dear = lambda *, c=1000: large(c=c).replace(sides=(Dear(float(c)),))
    assert judged(dear, control=({"c": 900},)).held.routes[0].samples == EXAMPLES // Dear.each


def test_a_refutation_by_few_examples_is_the_last_word(monkeypatch):
    drawn = []

    def judged_once(held, copies, examples, drive):
        drawn.append(examples)
        return refuted(n=1000).replace(engine="property test"), ["some control is not seen"]

    monkeypatch.setattr(second_route, "_judged", judged_once)
    with pytest.raises(Contradiction, match="property test"):
        judged(large, control=({"c": 900},))
    assert len(drawn) == 1
    assert drawn[0] < EXAMPLES


def test_ends_of_ranges_are_tried():
    r = sp.Symbol("r", real=True)

    def at_the_end(*, c=1):
        return forall(r**40, "<=", sp.Rational(c), {r: Closed(0, 1)})

    assert judged(at_the_end, control=({"c": Fraction(99, 100)},)).held.routes[0].slack == 1.0
