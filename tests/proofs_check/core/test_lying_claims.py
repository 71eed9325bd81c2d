"""Claims that say more than they executed, or could not fail: each is named as faulty."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from numerics.evidence import Evidence, Verdict, all_of, confirmed
from proofs_check.core.claim import REGISTRY, claim
from proofs_check.core.hypotheses import unmet
from proofs_check.core.robust import Diverging, Robust
from tests.proofs_check.core.made import ROW, at_least_two, opened, proved, refuted
from tests.refusing import refusals

pytestmark = pytest.mark.usefixtures("nobody_read_the_row")
x = sp.Symbol("x", positive=True)
n = Diverging.n


def accepted(c, more, **witness):
    """A claim on c >= 2 that does more with what it found where that holds."""
    return more(at_least_two(c)) if c >= 2 else at_least_two(c, **witness)


def seems(found):
    return confirmed(found, opened("0 in place of 86", "quadrature"))


def seems_in_part(found):
    """One of two parts of the second route of one of two conjuncts."""
    look = Evidence(verdict=Verdict.SUPPORTED, engine="quadrature", covered="L = 1")
    return all_of(confirmed(all_of(found), all_of(look, opened("0 in place of 86", "quadrature"))), found)


FALSE = dict(false="gap", why="the edge is 2", instead="$c\\geq 2$", costs="constants")
FALSE |= dict(repair=dict(c=2))
CONTROL = dict(control=dict(c=Fraction(3, 2)))
LONG = dict(hypotheses=("L >= 1",))
SAME = "the two sides are the same as written"
ALWAYS = lambda *, c=3: all_of(at_least_two(c), proved("always"))
TIGHT = lambda found: found.replace(tightest={"L": Fraction(1, 2), "delta": 1})
OWN = lambda found: found.replace(vacuous="the conclusion is one of the hypotheses")
HOLDS, FAILS = lambda *, c=3: at_least_two(c), lambda *, c=1: at_least_two(c)
#: What the core says of a claim, how it is declared, and its check.
LIES = [
    ("a control was not refuted", dict(control=dict(c=2)), lambda *, c=3: proved()),
    ("the check cannot fail", dict(sharp="c"), lambda *, c=3: proved()),
    ("no control changes a number", {}, lambda *, c=3: proved()),
    ("no control changes a number", {}, lambda *, c=3: proved("x = y", control=refuted())),
    ("no control refutes the conjunct always", CONTROL, ALWAYS),
    ("no control refutes the conjunct always", dict(sharp="c"), ALWAYS),
    (
        "a control is outside the printed hypotheses: L >= 1",
        CONTROL | LONG,
        lambda *, c=3: at_least_two(c, L=0),
    ),
    (
        "a control is outside the printed hypotheses: delta < 1",
        dict(sharp="c", hypotheses=("delta < 1",)),
        lambda *, c=3: at_least_two(c, delta=Fraction(3, 2)),
    ),
    (
        "the tightest instance is outside the printed hypotheses: L >= 1",
        CONTROL | LONG,
        lambda *, c=3: accepted(c, TIGHT),
    ),
    (
        "outside the printed hypotheses: L >= 1",
        FALSE | CONTROL | LONG,
        lambda *, c=1: at_least_two(c, L="oo"),
    ),
    ("says nothing of L", FALSE | CONTROL | LONG, lambda *, c=1: at_least_two(c, delta=Fraction(1, 2))),
    ("refuted without hypotheses=", FALSE | CONTROL, FAILS),
    (
        "X = X: the two sides are the same",
        CONTROL,
        lambda *, c=3: all_of(at_least_two(c), proved("X = X", vacuous=SAME, control=refuted())),
    ),
    (
        "the conclusion is one of the hypotheses",
        FALSE | CONTROL | dict(hypotheses=("x >= 1",)),
        lambda *, c=1: accepted(c, OWN),
    ),
    (
        "its second route, quadrature, does not confirm it: 0 in place of 86",
        CONTROL,
        lambda *, c=3: accepted(c, seems),
    ),
    (
        "its second route, quadrature, does not confirm it: 0 in place of 86",
        CONTROL,
        lambda *, c=3: accepted(c, seems_in_part),
    ),
    ("more than a factor 2 too far", dict(control=dict(c=Fraction(1, 2))), HOLDS),
    ("more than a factor 2 too far", dict(control=dict(c=sp.Rational(1, 2))), HOLDS),
]


def faults(check, **how):
    REGISTRY.pop(f"{ROW}/made", None)
    return "\n".join(claim(f"{ROW}/made", **how)(check).judge().faults)


@pytest.mark.parametrize(("named", "how", "check"), LIES, ids=[named for named, *_ in LIES])
def test_a_lie_is_named(named, how, check):
    assert named in faults(check, **how)


def test_the_same_claims_without_the_lie_are_in_order():
    assert faults(HOLDS, **CONTROL) == ""
    assert faults(lambda *, c=3: at_least_two(c, L=0, y=c), **CONTROL, hypotheses=("y < 3",)) == ""
    each = lambda *, a=3, b=3: all_of(*(at_least_two(x).replace(checked=s) for x, s in ((a, "a"), (b, "b"))))
    half = Fraction(3, 2)
    assert faults(each, control=(dict(a=half), dict(b=half))) == ""
    assert faults(each, sharp="a", control=dict(b=half)) == ""


DEEP = [0.5, np.float32(0.5), (1, [0.1]), {"a": {"b": 0.1}}, sp.Float("0.1"), x + 0.5, np.array([0.5]), 1j]


@pytest.mark.parametrize("number", DEEP, ids=repr)
def test_nothing_is_proved_from_a_float_of_any_type_or_depth(number):
    for verdict, found in ((Verdict.PROVED, proved()), (Verdict.ARGUED, proved().argued("it is averaged"))):
        with pytest.raises(TypeError, match=f"{verdict} from floats in c"):
            claim(f"{ROW}/{verdict.lower()}")(lambda *, c=number, found=found: found).judge()


def test_an_argument_or_a_fragment_is_never_proved():
    argued = claim(f"{ROW}/argued", argument="the bound is averaged")(HOLDS)
    assert (argued().verdict, argued().weakest) == (Verdict.ARGUED, Verdict.PROVED)
    part = claim(f"{ROW}/part", fragment="d = 1 only")(HOLDS)
    assert (part().verdict, part().covered) == (Verdict.SUPPORTED, "d = 1 only")
    with pytest.raises(ValueError, match="drop one of the two"):
        claim(f"{ROW}/both", argument="averaged", fragment="d = 1")


def robust(**how):
    usual = dict(point={"x": Fraction(2)}, hypotheses=("x > 0",), violation=lambda x: x - 1)
    return Robust(**usual | how).faults()


WHOLE = dict(hypotheses=("L in Integers", "L >= 2"))
FRAGILE = [
    ("fails no longer at x = 19899/20000", dict(point={"x": Fraction(201, 200)})),
    (
        "x = 0: no quantity of the statement may vanish",
        dict(point={"x": 0}, hypotheses=("x >= 0",), violation=lambda x: 1),
    ),
    ("L = 1; it needs L >= 2", dict(point={"L": 1}, hypotheses=("L >= 1",), violation=lambda L: 1)),
    ("not strictly inside x > 2", dict(hypotheses=("x >= 2",))),
    ("leaves the hypothesis x < 401/200", dict(hypotheses=("x < 401/200",))),
    ("fails no longer at L = 3", WHOLE | dict(point={"L": 2}, violation=lambda L: 3 - L)),
    ("give whole numbers", dict(point={"x": 0.5})),
    ("the robust witness fails no longer", dict(point={"x": Fraction(1)}, equality=True)),
    ("fails no longer", dict(point={"x": Fraction(51, 50)}, equality=True)),
]


@pytest.mark.parametrize(("complaint", "how"), FRAGILE)
def test_a_degenerate_witness_is_not_robust(complaint, how):
    assert complaint in "\n".join(robust(**how))


def test_a_robust_witness_may_stand_at_the_end_of_a_range_of_whole_numbers():
    assert robust() == []
    assert robust(point={"L": 2}, **WHOLE, violation=lambda L: Fraction(1, L)) == []
    assert robust(violation=lambda x: -x, equality=True) == []
    assert robust(point={"L": 4}, **WHOLE, violation=lambda L: L**2 / 3 - 2) == []  # no float
    for broken in (lambda x: 0.5, lambda x: x / 0.5, lambda x: 1 / (x - 2)):
        assert "has no exact value" in robust(violation=broken)[0]


SEQUENCE = dict(sequence=lambda n, x: {"L": n + 1, "x": x}, ratio=lambda L, x: x * L)


def diverging(**how):
    usual = dict(point={"x": Fraction(1, 2)}, hypotheses=("L >= 2", "x < 1"), exceeds=n / 3)
    return Diverging(**usual | SEQUENCE | how).faults()


def test_a_sequence_must_be_certified_to_diverge_also_when_it_is_moved():
    assert diverging() == []
    for ratio in (lambda L, x: x + 1 / sp.sympify(L), lambda L, x: L if x == sp.Rational(1, 2) else 1):
        assert "was not certified to exceed" in diverging(ratio=ratio)[0]
    assert "is no c n^p" in diverging(exceeds=sp.Integer(3))[0]
    assert "outside x < 1" in diverging(sequence=lambda n, x: {"L": n + 1, "x": x * n})[0]
    assert "needs L >= 2" in diverging(hypotheses=(), sequence=lambda n, x: {"L": 1, "x": x})[0]
    assert "leaves the hypothesis" in diverging(hypotheses=("x <= 1/2",))[0]


SAID = dict(why="the edge is 2", instead="$c\\geq 2$", costs="constants")


test_an_error_is_declared_whole = refusals(
    (dict(SAID, false="false"), "needs a robust witness"),
    (dict(SAID, false="edge"), "names its degenerate points"),
    (dict(SAID, false="gap", at="L = 1"), "at= belongs to an edge"),
    (dict(SAID, false="gap", costs="a lot"), "what the error costs"),
    (dict(SAID, false="gap", why="x" * 201), "in one line of at most 200"),
    (dict(SAID, false="gap", why="a\nb"), "in one line of at most 200"),
    (dict(SAID, false="gap", open="why"), "false or open, not both"),
    (dict(SAID, false="material"), "is none of false, gap"),
    (dict(false="gap", instead="yes", costs="nothing"), "tell the author why"),
    (dict(costs="nothing"), "belong to a false statement"),
    (dict(follows="BB:LC.4"), "belong to a false statement"),
    (dict(repair=dict(c=2)), "belong to a false statement"),
    of=lambda how: claim(f"{ROW}/made", **how),
)


def test_a_claim_with_a_fragile_witness_is_faulty():
    how = FALSE | CONTROL | dict(hypotheses=("x >= 1",), false="false")
    for at, fault in ((Fraction(201, 200), "fails no longer at"), (Fraction(2), "")):
        witness = Robust(point={"x": at}, hypotheses=("x > 0",), violation=lambda x: x - 1)
        found = faults(FAILS, robust=witness, **how)
        assert fault in found if fault else found == ""


def test_a_text_is_never_evaluated():
    calls = ("__import__('os').getcwd() == 1", "x._called() == 1", "(lambda: 1)() > 0", "[1] == [1]")
    for text in (*calls, "L", "L >= True"):
        assert unmet((text,), {"x": 1, "L": 2}), text
    for value in ("oo", "-oo", "nan", "I", "2 + I", "x", "", "true", "a b"):
        assert unmet(("L**2 >= 0",), {"L": value}) == ["L**2 >= 0 (the witness says nothing of L)"]
    assert unmet(("0 < L < 5", "lambda >= 1", "1/L <= 1/2", "L != 3"), {"L": 2, "lambda": "1"}) == []
    assert unmet(("1/L > 0", "log(L) > 0"), {"L": 0})
    assert unmet(("x < 1",), {"x": 0.1 + 0.2}) == []


def test_a_sequence_must_not_leave_the_hypotheses_after_the_members_that_are_tried():
    late = diverging(sequence=lambda n, x: {"L": n + 1, "x": x * (1 + n / sp.Integer(200))})
    assert late == ["the robust sequence was not certified to stay inside x < 1"]


def test_a_long_decimal_is_not_rounded():
    assert unmet(("x <= 1",), {"x": "1.00000000000000000001"})
    assert unmet(("x < 1.00000000000000000001", "x > .5", "x >= 1e-400", "x**2 == 1.e0"), {"x": "1"}) == []
    assert unmet(("x > 0",), {"x": "1e-400"}) == []


def test_an_edge_beside_an_undecided_value_is_not_sharp():
    gap = lambda *, c=3: opened("?") if 2 < c < 3 else at_least_two(c - Fraction(1, 2))
    edge = claim(f"{ROW}/gap", sharp="c")(gap).judge().sharp
    assert edge.undecided is not None
    assert edge.word == "reached"


@pytest.mark.parametrize(
    "elsewhere",
    [
        Robust(point={"x": Fraction(5)}, hypotheses=("x > 0",), violation=lambda x: x - 1),
        Diverging(point={"x": Fraction(5)}, hypotheses=(), exceeds=n / 3, **SEQUENCE),
    ],
)
def test_a_robust_witness_meets_the_hypotheses_of_the_claim_and_not_only_its_own(elsewhere):
    how = FALSE | CONTROL | dict(false="false", hypotheses=("x < 3", "L >= 1"), robust=elsewhere)
    found = faults(lambda *, c=1: at_least_two(c, x=1, L=2), **how)
    assert found == "the robust witness is outside the printed hypotheses: x < 3 (x = 5)"
