"""Fixing a variable by scaling or shifting, and cutting at bends, only where justified."""

from fractions import Fraction

import pytest
import sympy as sp
from flint import fmpq

from numerics.evidence import Verdict
from numerics.provers import Closed, forall
from numerics.provers.enclosures.boxes import Box, Side
from numerics.provers.statements.invariance import reductions
from numerics.provers.statements.max_and_min import cases
from tests.numerics.provers.statement import R, X, Y, Z

oo = sp.oo
LINE, RAY, CLOSED_RAY = Side(None, None), Side(fmpq(0), None, True), Side(fmpq(0), None)
UNIT = Side(fmpq(0), fmpq(1))
exp, log, sqrt = sp.exp, sp.log, sp.sqrt


def _pieces(e: sp.Expr, box: Box, where: tuple[tuple[sp.Expr, bool], ...] = ()) -> list[list[sp.Expr]]:
    return [[p[0] for p in pieces] for pieces in reductions(e, [X, Y, Z][: len(box)], box, where)]


def test_open_rays_need_one_case_closed_ones_two_lines_three():
    norm = sp.sqrt(X**2 + Y**2) - X
    assert _pieces(norm, (RAY, RAY)) == [[sqrt(Y**2 + 1) - 1]]
    assert {e.subs(Y, 2) for e in _pieces(norm, (CLOSED_RAY, CLOSED_RAY))[0]} == {sqrt(5) - 1, 2}
    assert len(_pieces(norm, (LINE, LINE))[0]) == 3


def test_weights_may_differ():
    """x y and x^3 + y^(3/2) have degree 3 for weights 1 and 2."""
    assert len(_pieces(X**3 + Y ** R(3, 2) - X * Y, (RAY, RAY))) == 1


@pytest.mark.parametrize(
    ("e", "box"),
    [
        (X + Y - 1, (RAY, RAY)),  # a constant has degree 0
        (exp(X) - Y, (RAY, RAY)),
        (X**Y - 1, (RAY, RAY)),
        (X - Y, (UNIT, UNIT)),  # scaling leaves the unit interval
        (X - Y, (RAY, Side(fmpq(1), None))),
        (X - Y, (Side(fmpq(0), None, integer=True), RAY)),
        (log(exp(X) + exp(Y)) - 2 * sp.Max(X, Y), (LINE, LINE)),  # shifts change it
        (sp.tanh(X) - sp.tanh(Y), (LINE, LINE)),
        (log(exp(X) + exp(Y)) - sp.Max(X, Y), (LINE, CLOSED_RAY)),
    ],
    ids=str,
)
def test_nothing_is_fixed_where_the_sign_may_change(e, box):
    assert _pieces(e, box) == []


def test_hypotheses_must_be_invariant_too():
    e = X**2 + Y**2 - X * Y
    assert _pieces(e, (RAY, RAY), ((X - Y, False),)) != []
    assert _pieces(e, (RAY, RAY), ((X - 1, False),)) == []


def test_a_case_that_is_undefined_prevents_the_reduction():
    assert _pieces(Y * log(X / Y) - X, (CLOSED_RAY, CLOSED_RAY)) == []
    assert _pieces(Y * log(X / Y) - X, (RAY, RAY)) != []


@pytest.mark.parametrize(("small", "big", "domain", "true"), [
    (sqrt(X**2 + Y**2), sp.Abs(X) + sp.Abs(Y), (-oo, oo), True),
    (sqrt(X**2 + Y**2), X + Y, (-oo, oo), False),  # fails for negative numbers only
    (sqrt(X**2 + Y**2), X + Y, Closed(0, oo), True),
    (X, sp.Max(X, Y) * R(999, 1000), (0, oo), False),  # fails at y = 0 too
    (X * Y, (X**2 + Y**2) * R(499, 1000), (-oo, oo), False),
    (X * Y, -(X**2 + Y**2) / 2, (-oo, oo), False),
    (log(exp(X) + exp(Y)), (X + Y) / 2 + sp.Abs(X - Y) / 2 + log(2), (-oo, oo), True),
    # fails far from the diagonal
    (log(exp(X) + exp(Y)), (X + Y) / 2 + sp.Abs(X - Y) / 3 + 1, (-oo, oo), False),
], ids=str)  # fmt: skip
def test_verdicts_of_invariant_statements(small, big, domain, true):
    e = forall(small, "<=", big, {X: domain, Y: domain})
    assert e.verdict in ((Verdict.PROVED, Verdict.CERTIFIED) if true else (Verdict.REFUTED,))


@pytest.mark.parametrize("integer", [False, True])
@pytest.mark.parametrize(
    "e",
    [
        sp.Abs(X - R(5, 2)) + sp.Max(X, 1) - sp.Min(2 * X, 3, 7 - X),
        sp.Max(sp.Abs(X), 2 - X) * sp.Abs(2 * X + 3),
        sp.Min(X, -X) + exp(sp.Abs(X)),
    ],
    ids=str,
)
def test_parts_cover_the_box_and_agree_with_the_expression(e, integer):
    box = (Side(fmpq(-4), fmpq(6), integer=integer),)
    parts = cases(e, [X], box)
    assert len(parts) > 1
    assert not any(f.has(sp.Max, sp.Min, sp.Abs) for f, _ in parts)
    for q in (Fraction(k, 1 if integer else 4) for k in range(-4, 7)):
        holding = [f for f, (side,) in parts if side.contains(q)]
        assert holding
        for f in holding:
            assert sp.simplify((f - e).subs(X, R(q.numerator, q.denominator))) == 0


def test_bends_elsewhere_are_left_alone():
    e = sp.Max(X, Y) + sp.Abs(X**2 - 2)
    assert cases(e, [X, Y], (LINE, LINE)) == [(e, (LINE, LINE))]
    assert len(cases(sp.Abs(X), [X], (Side(fmpq(0), fmpq(1)),))) == 1
