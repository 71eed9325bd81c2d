"""The search goes to either side, keeps its brackets honest, and says when there is no end."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numerics.evidence import Evidence, Verdict
from proofs_check.core.sharp_constant import find_sharp_constant, simplest_between
from proofs_check.papers.sharp_constants import Ends
from tests.proofs_check.core.made import EXACT, opened, proved, refuted


def verdict(kind):
    if kind == "SUPPORTED":
        return Evidence(verdict=Verdict.SUPPORTED, engine=EXACT, covered="all")
    return {"REFUTED": refuted, "OPEN": opened, "PROVED": proved}[kind]()


def edge_of(check, start):
    found = find_sharp_constant(check, start)
    assert found is not None
    return found


@given(
    st.fractions(Fraction(1, 997), 1000, max_denominator=997),
    st.fractions(Fraction(1, 97), 50, max_denominator=97),
    st.booleans(),
)
def test_the_bracket_contains_the_edge_and_is_narrow(edge, start, upwards):
    def holds(c):
        return verdict("PROVED" if (c >= edge) == upwards else "REFUTED")

    found = edge_of(holds, start)
    lo, hi = sorted((found.accepted, found.refuted))
    assert lo <= edge <= hi
    assert hi - lo <= found.accepted / 1000


def test_a_negative_number_can_be_turned_too():
    found = edge_of(lambda c: verdict("PROVED" if c <= -1 else "REFUTED"), Fraction(-3))
    assert found.accepted <= -1 < found.refuted
    assert found.slack(Fraction(-3)) is None


def test_an_engine_that_gives_up_leaves_a_wide_bracket():
    def shy(c):
        return verdict("PROVED" if c > 3 else "REFUTED" if c < 1 else "OPEN")

    found = edge_of(shy, Fraction(8))
    assert 1 <= found.undecided <= 3


def test_no_edge_is_no_edge():
    for kind in ("PROVED", "REFUTED", "OPEN"):
        assert find_sharp_constant(lambda c, kind=kind: verdict(kind), Fraction(1)) is None
    with pytest.raises(ValueError, match="cannot start at 0"):
        find_sharp_constant(lambda c: verdict("PROVED"), Fraction(0))


def test_support_reaches_and_proof_is_sharp():
    for kind, word in (("SUPPORTED", "reached"), ("PROVED", "sharp")):
        found = edge_of(lambda c, kind=kind: verdict(kind if c > 2 else "REFUTED"), Fraction(3))
        assert found.word == word


@given(st.fractions(-5, 5, max_denominator=50), st.fractions(0, 1, max_denominator=50))
def test_the_simplest_fraction_has_the_least_denominator(lo, width):
    found = simplest_between(lo, lo + width)
    assert lo <= found <= lo + width
    for q in range(1, found.denominator):
        assert -(-lo.numerator * q // lo.denominator) > (lo + width) * q  # no multiple of 1/q fits


def counted(edge, values):
    def holds(c):
        values.append(c)
        return verdict("PROVED" if c >= edge else "REFUTED")

    return holds


def test_known_ends_are_judged_again_and_nothing_else_is():
    values = []
    found = edge_of(counted(Fraction(2), values), Fraction(3))
    known = Ends(found.accepted, found.refuted, found.undecided)
    values.clear()
    assert find_sharp_constant(counted(Fraction(2), values), Fraction(3), known) == found
    assert sorted(set(values)) == sorted(known[:2])


@pytest.mark.parametrize(
    "edge", [Fraction(1), Fraction(21, 10)], ids=["refuted end is accepted", "accepted end is refuted"]
)
def test_ends_that_moved_are_searched_anew(edge):
    before, now = edge_of(counted(Fraction(2), []), Fraction(3)), edge_of(counted(edge, []), Fraction(3))
    known = Ends(before.accepted, before.refuted)
    assert find_sharp_constant(counted(edge, []), Fraction(3), known) == now != before


def test_ends_that_are_apart_show_no_edge():
    found = find_sharp_constant(counted(Fraction(2), []), Fraction(3), Ends(Fraction(3), Fraction(1)))
    assert found == edge_of(counted(Fraction(2), []), Fraction(3))


def test_an_undecided_value_has_to_be_undecided_still():
    def shy(c, top=3):
        return verdict("PROVED" if c > top else "REFUTED" if c < 1 else "OPEN")

    before = edge_of(shy, Fraction(8))
    known = Ends(before.accepted, before.refuted, before.undecided)
    assert find_sharp_constant(shy, Fraction(8), known) == before
    decided = lambda c: shy(c, 1)
    assert find_sharp_constant(decided, Fraction(8), known) == edge_of(decided, Fraction(8)) != before
