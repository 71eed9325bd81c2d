"""What the kernel says where it refuses, and where an engine below it breaks."""

from fractions import Fraction

import pytest

from numerics.derivations.derived import chain, exp, log
from numerics.derivations.kernel import arithmetic as module
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, arithmetic, assume, equal
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Fault, ProofError, Range, Sort
from numerics.derivations.kernel.terms import CLOCK, START, Bound, Function, Number, Op, Variable, term
from numerics.derivations.statements import Statement, derived
from numerics.evidence import Evidence, Verdict
from numerics.provers.doors import guarded

k, f = Variable("k", Sort.TOKEN), Function("f", (Sort.TOKEN,), Fraction(4))
x, p, n = (Variable(name, range=of) for name, of in (("x", REALS), ("p", POSITIVE), ("n", NONNEGATIVE)))
one = Variable("one", range=Range(Fraction(1), Fraction(1), False, False))
mean = bind("mean", (k,), f(k) ** 2)


@pytest.mark.parametrize("op", ["==", "<="])
def test_a_variable_of_one_value_is_that_value(op):
    assert arithmetic(one * x + 1 / one, op, x + 1).op == op
    with pytest.raises(ProofError):
        arithmetic(one, op, Fraction(1, 2))


@pytest.mark.parametrize(
    "premise",
    [lambda: assume("h", p, "<=", 0 * x), lambda: assume("h", p, "==", 0), lambda: assume("h", 0, "==", p)],
)
@pytest.mark.parametrize("side", [log(p), Op("max", (x, log(p))), 1 / p])
def test_a_premise_against_a_range_is_named_as_such(premise, side):
    for op, most in (("<=", side + x**2), ("==", side + 1)):
        with pytest.raises(
            ProofError, match="the premises contradict each other, or the range of a variable"
        ):
            arithmetic(side, op, most, premise())


def test_a_premise_that_leaves_an_undefined_value_is_named():
    with pytest.raises(ProofError, match=r"a premise leaves x = 0, where .* is undefined"):
        arithmetic(Op("max", (x, log(p))), "<=", 1, assume("h", p, "<=", x), assume("j", x, "==", 0))


def test_a_case_against_a_range_is_no_case():
    """The logarithm of p is not asked for at p = 0."""
    assert arithmetic(Op("above", (-p,)) * log(p), "<=", 0).rhs == term(0)


@pytest.mark.parametrize(
    "door", [lambda prover: prover, guarded("branch and bound")], ids=["open", "guarded"]
)
@pytest.mark.parametrize(
    "broken", [AttributeError, ZeroDivisionError, KeyError, RecursionError, AssertionError]
)
def test_a_broken_prover_is_a_fault_and_no_refusal(monkeypatch, broken, door):
    """It is seen through `derived`, too, where a refusal would leave the verdict to a search."""

    def breaks(*_: object, **__: object) -> None:
        raise broken("inside")

    monkeypatch.setattr(module, "forall", door(breaks))
    monkeypatch.setattr(module, "identity", door(breaks))
    monkeypatch.setattr(module, "ANSWERS", {})
    search = Evidence(verdict=Verdict.SUPPORTED, engine="enumeration", checked="x", covered="some")
    for op in ("<=", "=="):
        says = r"a prover breaks .* nothing is proved or refuted; please|internal fault: .* was decided"
        with pytest.raises(Fault, match=says):
            arithmetic(x**2 + p, op, x * p)
        with pytest.raises(Fault):
            derived(Statement(x**2 + p, op, x * p), lambda op=op: arithmetic(x**2 + p, op, x * p), search)


def test_a_refusal_says_what_letters_stand_for():
    with pytest.raises(ProofError) as stop:
        arithmetic(mean, "<=", n, assume("h", n, "<=", p))
    assert "where #term0 is mean[1: (f(_0)^2)], a #theta is a number from 0 to 1" in str(stop.value)
    assert "which is not necessarily a point that a law has" in str(stop.value)


@pytest.mark.parametrize("op", [">", ">="])
def test_a_relation_the_other_way_is_refused_with_its_remedy(op):
    with pytest.raises(ProofError, match="X > Y is written Y < X, and X >= Y as Y <= X"):
        assume("u > 0", x, op, 0)


def test_what_a_chain_does_not_join_is_joined_by_arithmetic():
    whole, parts = p / (p + x**2), 1 - x**2 / (p + x**2)
    with pytest.raises(ProofError, match=r"fractions are joined and cancelled by arithmetic\(.., '==', ..\)"):
        chain(whole, parts)
    assert chain(whole, arithmetic(whole, "==", parts), parts).op == "=="


def test_a_positive_path_is_an_exponential():
    """1/u may be undefined, and e^{-v} is not: from u' <= -c u^2 to 1/u >= 1/u(0) + c t."""
    t, u = Variable("t", Sort.TIME), Function("u", (Sort.TIME,), Fraction(1))
    with pytest.raises(ProofError, match=r"is not known to be positive and finite, as exp\(v\) is"):
        equal(1 / u(t), 1 / u(t))
    v = Function("v", (Sort.TIME,), Fraction(1))
    flow = assume("u' <= -c u^2", exp(v(t)) * v.rate(t), "<=", -p * exp(v(t)) ** 2, every=(t,))
    e, hidden = p * CLOCK(t) - exp(-v(t)), (exp(v(t)),)
    slow = arithmetic(v.rate(t), "<=", -p * exp(v(t)), flow, hide=hidden)
    scaled = arithmetic(p + v.rate(t) / exp(v(t)), "<=", 0, slow, hide=hidden)
    falls = antitone(e, t, chain(derivative(e, t), scaled))
    assert falls.rhs == p * CLOCK(START) - exp(-v(START))


def test_equal_terms_are_one_object_and_what_only_equals_an_argument_is_refused():
    one = Number(Fraction(1))
    assert Number(Fraction(1)) is one
    assert one + 2 is Op("add", (one, Number(Fraction(2))))
    assert Bound(1, Sort.TOKEN) != Bound(1, Sort.QUERY)
    for like_one in (1, True, 1.0):  # they have the hash of 1, which is built
        with pytest.raises(ProofError, match="no Fraction"):
            Number(like_one)
    with pytest.raises(ProofError):
        Bound(True, Sort.TOKEN)
