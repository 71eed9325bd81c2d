"""Claims that lie, one for each hole that the core must close: each says more than it executed, or
could not fail, and each is named as faulty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from numerics.evidence import Evidence, Verdict, all_of, confirmed
from proofs_check.core.claim import REGISTRY, claim
from proofs_check.core.hypotheses import unmet
from proofs_check.core.robust import Diverging, Robust

ROW = "BB:CC.3.b"
x = sp.Symbol("x", positive=True)
n = Diverging.n


@pytest.fixture(autouse=True)
def _clean_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The row lends its place only: who read it answered of its own claims, and not of these."""
    monkeypatch.setattr("proofs_check.core.printed.is_read", lambda key: False)
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def yes(checked: str = "", **more: Any) -> Evidence:
    return Evidence(verdict=Verdict.PROVED, engine="exact arithmetic", checked=checked, **more)


def no(checked: str = "", **witness: Any) -> Evidence:
    point = witness or {"x": 1}
    return Evidence(
        verdict=Verdict.REFUTED, engine="exact arithmetic", checked=checked, witness=point, witness_by="exact"
    )


def at_least_two(c: Any, **witness: Any) -> Evidence:
    return yes("c") if c >= 2 else no("c", **witness)


@dataclass(frozen=True)
class Lie:
    """A check, how it is declared, and what the core must say of it."""

    named: str
    check: Callable[..., Evidence]
    how: dict[str, Any] = field(default_factory=dict)


def cannot_fail(*, c: int = 3) -> Evidence:
    return yes()


def only_the_engine_spoils_it(*, c: int = 3) -> Evidence:
    return yes("x = y", control=no())


def one_conjunct_is_never_spoiled(*, c: int = 3) -> Evidence:
    return all_of(at_least_two(c), yes("always"))


def the_control_lies_outside(*, c: int = 3) -> Evidence:
    return at_least_two(c, L=0, y=c)


def the_dial_lies_outside(*, c: int = 3) -> Evidence:
    return at_least_two(c, delta=Fraction(3, 2))


def tightest_outside(*, c: int = 3) -> Evidence:
    found = at_least_two(c)
    return found.replace(tightest={"L": Fraction(1, 2), "delta": 1}) if found.verdict.accepted else found


def refuted_outside(*, c: int = 1) -> Evidence:
    return at_least_two(c, L="oo")


def refuted_where_a_hypothesis_is_silent(*, c: int = 1) -> Evidence:
    return at_least_two(c, delta=Fraction(1, 2))


def refuted_without_hypotheses(*, c: int = 1) -> Evidence:
    return at_least_two(c)


def identical_sides(*, c: int = 3) -> Evidence:
    return all_of(
        at_least_two(c), yes("X = X", vacuous="the two sides are the same as written", control=no())
    )


def its_own_hypothesis(*, c: int = 1) -> Evidence:
    return no("c") if c < 2 else yes("c", vacuous="the conclusion is one of the hypotheses")


def too_far(*, c: int = 3) -> Evidence:
    return at_least_two(c)


def unconfirmed(*, c: int = 3) -> Evidence:
    other = Evidence(verdict=Verdict.OPEN, engine="quadrature", reason="0 in place of 86")
    found = at_least_two(c)
    return confirmed(found, other) if found.verdict.accepted else found


def unconfirmed_in_part(*, c: int = 3) -> Evidence:
    """One of two parts of the second route of one of two conjuncts."""
    look = Evidence(verdict=Verdict.SUPPORTED, engine="quadrature", covered="L = 1")
    other = Evidence(verdict=Verdict.OPEN, engine="quadrature", reason="0 in place of 86")
    found = at_least_two(c)
    return all_of(confirmed(all_of(found), all_of(look, other)), found) if found.verdict.accepted else found


FALSE: dict[str, Any] = dict(
    false="gap", why="the edge is 2", instead="$c\\geq 2$", costs="constants", repair=dict(c=2)
)
CONTROL: dict[str, Any] = dict(control=dict(c=Fraction(3, 2)))
LIES = [
    Lie("a control was not refuted", cannot_fail, dict(control=dict(c=2))),
    Lie("the check cannot fail", cannot_fail, dict(dial="c")),
    Lie("no control changes a number", cannot_fail),
    Lie("no control changes a number", only_the_engine_spoils_it),
    Lie("no control refutes the conjunct always", one_conjunct_is_never_spoiled, CONTROL),
    Lie("no control refutes the conjunct always", one_conjunct_is_never_spoiled, dict(dial="c")),
    Lie(
        "a control is outside the printed hypotheses: L >= 1",
        the_control_lies_outside,
        CONTROL | dict(hypotheses=("L >= 1",)),
    ),
    Lie(
        "a control is outside the printed hypotheses: delta < 1",
        the_dial_lies_outside,
        dict(dial="c", hypotheses=("delta < 1",)),
    ),
    Lie(
        "the tightest instance is outside the printed hypotheses: L >= 1",
        tightest_outside,
        CONTROL | dict(hypotheses=("L >= 1",)),
    ),
    Lie(
        "outside the printed hypotheses: L >= 1",
        refuted_outside,
        FALSE | CONTROL | dict(hypotheses=("L >= 1",)),
    ),
    Lie(
        "says nothing of L",
        refuted_where_a_hypothesis_is_silent,
        FALSE | CONTROL | dict(hypotheses=("L >= 1",)),
    ),
    Lie("refuted without hypotheses=", refuted_without_hypotheses, FALSE | CONTROL),
    Lie("X = X: the two sides are the same", identical_sides, CONTROL),
    Lie(
        "the conclusion is one of the hypotheses",
        its_own_hypothesis,
        FALSE | CONTROL | dict(hypotheses=("x >= 1",)),
    ),
    Lie("its second route, quadrature, does not confirm it: 0 in place of 86", unconfirmed, CONTROL),
    Lie("its second route, quadrature, does not confirm it: 0 in place of 86", unconfirmed_in_part, CONTROL),
    Lie("more than a factor 2 beyond the edge", too_far, dict(control=dict(c=Fraction(1, 2)))),
    Lie("more than a factor 2 beyond the edge", too_far, dict(control=dict(c=sp.Rational(1, 2)))),
]


def faults(check: Callable[..., Evidence], **how: Any) -> str:
    return "\n".join(claim(f"{ROW}/{check.__name__}", **how)(check).judge().faults)


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: f"{lie.check.__name__}: {lie.named}")
def test_a_lie_is_named(lie: Lie) -> None:
    assert lie.named in faults(lie.check, **lie.how)


def test_the_same_claims_without_the_lie_are_in_order() -> None:
    assert faults(too_far, **CONTROL) == ""
    assert faults(the_control_lies_outside, **CONTROL, hypotheses=("y < 3",)) == ""

    def each_conjunct_fails_once(*, a: int = 3, b: int = 3) -> Evidence:
        return all_of(at_least_two(a).replace(checked="a"), at_least_two(b).replace(checked="b"))

    assert faults(each_conjunct_fails_once, control=(dict(a=Fraction(3, 2)), dict(b=Fraction(3, 2)))) == ""
    assert faults(each_conjunct_fails_once, dial="a", control=dict(b=Fraction(3, 2))) == ""


DEEP = (
    0.5,
    np.float32(0.5),
    (1, [0.1]),
    {"a": {"b": 0.1}},
    sp.Float("0.1"),
    sp.Symbol("x") + 0.5,
    np.array([0.5]),
    1j,
)


@pytest.mark.parametrize("number", DEEP, ids=repr)
def test_nothing_is_proved_from_a_float_of_any_type_or_depth(number: Any) -> None:
    def floating(*, c: Any = number) -> Evidence:
        return yes()

    with pytest.raises(TypeError, match="PROVED from floats in c"):
        claim(f"{ROW}/floating")(floating).judge()


def test_an_argument_or_a_fragment_is_never_proved() -> None:
    argued = claim(f"{ROW}/argued", argument="the bound is averaged")(too_far)
    assert (argued().verdict, argued().weakest) == (Verdict.ARGUED, Verdict.PROVED)
    part = claim(f"{ROW}/part", fragment="d = 1 only")(too_far)
    assert (part().verdict, part().covered) == (Verdict.SUPPORTED, "d = 1 only")
    with pytest.raises(ValueError, match="drop one of the two"):
        claim(f"{ROW}/both", argument="averaged", fragment="d = 1")


def robust(**how: Any) -> list[str]:
    return Robust(
        **{"point": {"x": Fraction(2)}, "hypotheses": ("x > 0",), "violation": lambda x: x - 1, **how}
    ).faults()


FRAGILE = {
    "fails no longer at x = 19899/20000": dict(point={"x": Fraction(201, 200)}),
    "x = 0: no quantity of the statement may vanish": dict(
        point={"x": 0}, hypotheses=("x >= 0",), violation=lambda x: 1
    ),
    "L = 1; it needs L >= 2": dict(point={"L": 1}, hypotheses=("L >= 1",), violation=lambda L: 1),
    "not strictly inside x > 2": dict(hypotheses=("x >= 2",)),
    "leaves the hypothesis x < 401/200": dict(hypotheses=("x < 401/200",)),
    "fails no longer at L = 3": dict(
        point={"L": 2}, hypotheses=("L in Integers", "L >= 2"), violation=lambda L: 3 - L
    ),
    "give whole numbers": dict(point={"x": 0.5}),
    "fails no longer at x = 201/200": dict(
        point={"x": Fraction(1)}, violation=lambda x: x - 1, equality=True
    ),
    "fails no longer": dict(point={"x": Fraction(51, 50)}, violation=lambda x: x - 1, equality=True),
}


@pytest.mark.parametrize("complaint", FRAGILE)
def test_a_degenerate_witness_is_not_robust(complaint: str) -> None:
    shown = (
        complaint if complaint != "fails no longer at x = 201/200" else "the robust witness fails no longer"
    )
    assert shown in "\n".join(robust(**FRAGILE[complaint]))


def test_a_robust_witness_may_stand_at_the_end_of_a_range_of_whole_numbers() -> None:
    assert robust() == []
    held: dict[str, Any] = dict(hypotheses=("L in Integers", "L >= 2"), violation=lambda L: Fraction(1, L))
    assert robust(point={"L": 2}, **held) == []
    assert robust(violation=lambda x: -x, equality=True) == []
    with pytest.raises(TypeError, match="no exact real number"):
        robust(violation=lambda x: 0.5)


def diverging(**how: Any) -> list[str]:
    usual: dict[str, Any] = dict(point={"x": Fraction(1, 2)}, hypotheses=("L >= 2", "x < 1"), exceeds=n / 3)
    usual |= dict(sequence=lambda n, x: {"L": n + 1, "x": x}, ratio=lambda L, x: x * L)
    return Diverging(**usual | how).faults()


def test_a_sequence_must_be_certified_to_diverge_also_when_it_is_moved() -> None:
    assert diverging() == []
    assert "was not certified to exceed" in diverging(ratio=lambda L, x: x + 1 / sp.sympify(L))[0]
    assert (
        "was not certified to exceed" in diverging(ratio=lambda L, x: L if x == sp.Rational(1, 2) else 1)[0]
    )
    assert "is no c n^p" in diverging(exceeds=sp.Integer(3))[0]
    assert "outside x < 1" in diverging(sequence=lambda n, x: {"L": n + 1, "x": x * n})[0]
    assert "needs L >= 2" in diverging(hypotheses=(), sequence=lambda n, x: {"L": 1, "x": x})[0]
    assert "leaves the hypothesis" in diverging(hypotheses=("x <= 1/2",))[0]


def test_false_needs_a_robust_witness_and_an_edge_its_points() -> None:
    said = dict(why="the edge is 2", instead="$c\\geq 2$", costs="constants")
    for how, complaint in (
        (dict(said, false="false"), "needs a robust witness"),
        (dict(said, false="edge"), "names its degenerate points"),
        (dict(said, false="gap", at="L = 1"), "at= belongs to an edge"),
        (dict(said, false="gap", costs="a lot"), "what the error costs"),
        (dict(said, false="gap", why="x" * 201), "in one line of at most 200"),
        (dict(said, false="gap", why="a\nb"), "in one line of at most 200"),
        (dict(said, false="gap", open="why"), "false or open, not both"),
        (dict(said, false="material"), "is none of false, gap"),
        (dict(false="gap", instead="yes", costs="nothing"), "tell the author why"),
        (dict(costs="nothing"), "belong to a false statement"),
        (dict(follows="BB:LC.4"), "belong to a false statement"),
        (dict(repair=dict(c=2)), "belong to a false statement"),
    ):
        with pytest.raises(ValueError, match=complaint):
            claim(f"{ROW}/made", **how)


def test_a_claim_with_a_fragile_witness_is_faulty() -> None:
    def false_nearby(*, c: int = 1) -> Evidence:
        return at_least_two(c)

    fragile = Robust(point={"x": Fraction(201, 200)}, hypotheses=("x > 0",), violation=lambda x: x - 1)
    how: dict[str, Any] = FALSE | CONTROL | dict(hypotheses=("x >= 1",), false="false")
    assert "fails no longer at" in faults(false_nearby, robust=fragile, **how)
    steady = Robust(point={"x": Fraction(2)}, hypotheses=("x > 0",), violation=lambda x: x - 1)
    assert faults(false_nearby, robust=steady, **how) == ""


def test_a_text_is_never_evaluated() -> None:
    for text in (
        "__import__('os').getcwd() == 1",
        "x._called() == 1",
        "(lambda: 1)() > 0",
        "[1] == [1]",
        "L",
        "L >= True",
    ):
        assert unmet((text,), {"x": 1, "L": 2}), text
    for value in ("oo", "-oo", "nan", "I", "2 + I", "x", "", "true", "a b"):
        assert unmet(("L**2 >= 0",), {"L": value}) == ["L**2 >= 0 (the witness says nothing of L)"]
    assert unmet(("0 < L < 5", "lambda >= 1", "1/L <= 1/2", "L != 3"), {"L": 2, "lambda": "1"}) == []
    assert unmet(("1/L > 0", "log(L) > 0"), {"L": 0})
    assert unmet(("x < 1",), {"x": 0.1 + 0.2}) == []


def test_a_sequence_must_not_leave_the_hypotheses_after_the_members_that_are_tried() -> None:
    late = diverging(sequence=lambda n, x: {"L": n + 1, "x": x * (1 + n / sp.Integer(200))})
    assert late == ["the robust sequence was not certified to stay inside x < 1"]


def test_an_argument_hides_no_float() -> None:
    def floating(*, c: float = 0.1) -> Evidence:
        return yes().argued("the bound is averaged")

    with pytest.raises(TypeError, match="ARGUED from floats in c"):
        claim(f"{ROW}/floating")(floating).judge()


def test_a_long_decimal_is_not_rounded() -> None:
    assert unmet(("x <= 1",), {"x": "1.00000000000000000001"})
    assert unmet(("x < 1.00000000000000000001", "x > .5", "x >= 1e-400", "x**2 == 1.e0"), {"x": "1"}) == []
    assert unmet(("x > 0",), {"x": "1e-400"}) == []


def test_an_edge_beside_an_undecided_value_is_not_sharp() -> None:
    def gap(*, c: int = 3) -> Evidence:
        return (
            Evidence(verdict=Verdict.OPEN, engine="identity", reason="?")
            if 2 < c < 3
            else at_least_two(c - Fraction(1, 2))
        )

    edge = claim(f"{ROW}/gap", dial="c")(gap).judge().edge
    assert edge is not None
    assert edge.undecided is not None
    assert edge.word == "reached"


@pytest.mark.parametrize(
    "elsewhere",
    [
        Robust(point={"x": Fraction(5)}, hypotheses=("x > 0",), violation=lambda x: x - 1),
        Diverging(
            point={"x": Fraction(5)},
            hypotheses=(),
            exceeds=n / 3,
            sequence=lambda n, x: {"L": n + 1, "x": x},
            ratio=lambda L, x: x * L,
        ),
    ],
)
def test_a_robust_witness_meets_the_hypotheses_of_the_claim_and_not_only_its_own(
    elsewhere: Robust | Diverging,
) -> None:
    how = FALSE | CONTROL | dict(false="false", hypotheses=("x < 3", "L >= 1"), robust=elsewhere)

    def false_elsewhere(*, c: int = 1) -> Evidence:
        return at_least_two(c, x=1, L=2)

    assert (
        faults(false_elsewhere, **how)
        == "the robust witness is outside the printed hypotheses: x < 3 (x = 5)"
    )
