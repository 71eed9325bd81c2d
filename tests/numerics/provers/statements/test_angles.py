"""Sines and cosines in other variables: the same values at every point of the domain."""

from __future__ import annotations

import itertools
import math
import random

import pytest
import sympy as sp
from flint import fmpq

from numerics.provers.effort import Effort
from numerics.provers.enclosures.balls import precision
from numerics.provers.enclosures.boxes import Side
from numerics.provers.statements.angles import _range, half_angles, half_turns, unwound
from numerics.provers.statements.branch import Task
from numerics.provers.statements.rational_variables import Changed, inverted, tightened
from numerics.provers.statements.strategy import FEW_TURNS, Proof

x, y = sp.symbols("x y", real=True)
R, oo, pi = sp.Rational, sp.oo, sp.pi
LINE, UNIT = Side(None, None), Side(fmpq(0), fmpq(1))


def _side(lo: object, hi: object, lo_open: bool = False, hi_open: bool = False) -> Side:
    end = lambda q: None if q is None else fmpq(sp.Rational(q).p, sp.Rational(q).q)
    return Side(end(lo), end(hi), lo_open, hi_open)


def _proved(pieces: list[Changed], strict: bool = False) -> bool:
    """Whether every piece is proved."""
    with precision(64):
        tasks = [Task(names, box, [e], strict, where, depth=1) for e, names, box, where in pieces]
        proofs = [Proof(t, Effort(60_000)) for t in tasks]
        return bool(tasks) and all(p.exact() or p.run(FEW_TURNS).proved for p in proofs)


@pytest.mark.parametrize(
    "e",
    [
        *(sp.sin(x), sp.cos(3 * x) - sp.sin(2 * x), sp.tan(x / 2) - sp.cos(x), sp.sin(x + y) * sp.cos(2 * x)),
        *(
            sp.tan(x) + sp.tan(2 * x),
            sp.sin(x / 3 + pi / 7),
            sp.cos(y - x) ** 2,
            sp.sin(x * R(3, 2)) / (2 + sp.sin(x)),
        ),
    ],
    ids=str,
)
def test_the_tangent_of_half_an_angle_keeps_values(e: sp.Expr) -> None:
    rng = random.Random(0)
    found = list(half_angles(e, (x,), (_side(R(-3, 2), R(3, 2)),), ()))
    if e.has(y):  # y is no variable here: it stays
        found = list(half_angles(e, (x, y), (_side(R(-3, 2), R(3, 2)), UNIT), ()))
    (((new, names, _, _), *_), *_) = found
    t = names[0]
    rates = {
        f.args[0].coeff(x) / (1 if isinstance(f, sp.tan) else 2)
        for f in e.atoms(sp.sin, sp.cos, sp.tan)
        if f.has(x)
    }
    h = sp.gcd_terms(sp.gcd(list(rates))) if len(rates) > 1 else rates.pop()
    for _ in range(20):
        at = {x: rng.uniform(-1.5, 1.5), y: rng.uniform(0, 1)}
        other = {t: math.tan(float(h) * at[x]), y: at[y]}
        assert math.isclose(e.evalf(30, subs=at), new.evalf(30, subs=other), abs_tol=1e-7, rel_tol=1e-7)


def test_where_the_tangent_is_infinite_there_is_a_piece() -> None:
    """1 + cos(x) is 0 at pi only: what holds for all finite tangents fails there."""
    e = 1 + sp.cos(x)
    closed, inside = ((pi - x, False), (x + pi, False)), ((3 - x, False), (x + 3, False))
    for box, where, number in ((LINE, (), 2), (LINE, closed, 2), (LINE, inside, 1), (_side(0, 3), (), 1)):
        for strict in (False, True):
            (pieces,) = half_angles(e, (x,), (box,), where)
            assert len(pieces) == number
            assert _proved(pieces, strict) == (not strict or number == 1)
    (pieces,) = half_angles(e, (x,), (LINE,), ((pi - x, True), (x + pi, True)))
    assert _proved(pieces, strict=True)


TRUE_AND_FALSE = [
    (sp.sin(x) ** 4 + sp.cos(x) ** 4 - R(1, 2), R(1, 1000)),
    (R(9, 8) - sp.cos(2 * x) - sp.sin(x), R(1, 10**6)),
    (3 - 2 * sp.sin(x) + sp.cos(2 * x) - 2 * sp.cos(x) ** 2, R(1, 10**6)),
    (4 - 3 * sp.cos(x) - sp.cos(3 * x), R(1, 10**9)),
]


@pytest.mark.parametrize(("e", "less"), TRUE_AND_FALSE, ids=str)
def test_trigonometric_polynomials_of_all_numbers_are_decided(e: sp.Expr, less: sp.Rational) -> None:
    (pieces,) = half_angles(e, (x,), (LINE,), ())
    assert _proved(pieces)
    assert not _proved(pieces, strict=True)
    (pieces,) = half_angles(e - less, (x,), (LINE,), ())
    assert not _proved(pieces)


def test_random_ones_are_not_proved_where_they_fail() -> None:
    """Against values on a grid; the least value is added, and a little more or less."""
    rng = random.Random(1)
    proved = 0
    grid = [-math.pi + math.pi * k / 720 for k in range(1441)]
    for _ in range(60):
        lo, hi = rng.choice(((None, None), (-1, 1), (0, 2), (-3, R(1, 2)), (0, None)))
        terms = rng.sample([sp.sin(x), sp.cos(x), sp.sin(2 * x), sp.cos(2 * x), sp.sin(3 * x)], 2)
        f = sp.Add(*(rng.choice((-2, -1, 1, 2)) * g for g in terms))
        value = sp.lambdify(x, f, "math")
        least = min(
            value(a) for a in grid if (lo is None or lo <= a or hi is None) and (hi is None or a <= hi)
        )
        off = rng.choice((R(1, 100), R(-1, 100), R(1, 10), R(-1, 1000)))
        e = f - sp.Rational(round(least * 10**6), 10**6) + off
        (pieces,) = half_angles(e, (x,), (_side(lo, hi),), ())
        result = _proved(pieces)
        proved += result
        assert not (result and off < 0), (e, lo, hi)
    assert proved > 10


def test_half_turns_make_multiples_of_pi_rational() -> None:
    parabola = sp.sin(x) - 4 * x * (pi - x) / pi**2
    for e, good in ((-parabola, True), (parabola, False), (sp.sin(x) - x * (pi - x) / pi, True)):
        (pieces,) = half_turns(e, (x,), (_side(0, 4),), ((pi - x, False),))
        ((_, _, (side,), where),) = pieces
        assert (side, where) == (UNIT, ())
        assert _proved(pieces) == good
        assert not _proved(pieces, strict=True)
    ((piece,),) = half_turns(e, (x,), (_side(1, 3),), ())
    assert piece[2][0].lo < fmpq(1, 3)  # rounded outwards, with the range as a hypothesis
    assert {g.subs(piece[1][0], x / pi).expand() for g, _ in piece[3]} == {x - 1, 3 - x}


def test_ranges_are_cut_by_hypotheses_on_one_variable_only() -> None:
    box = (_side(-1, None, True),)
    for where, range_ in (
        (((2 * x - pi, True),), ((pi / 2, True), None)),
        (((2 - x, False), (pi - x, False), (x * y, True)), ((-1, True), (2, False))),
        (((x + 1, False),), ((-1, True), None)),
        (((x**2 - 1, False),), ((-1, True), None)),
        (((x - 5, False), (1 - x, False)), (None, None)),  # it is empty
    ):
        assert _range(x, box[0], where) == range_
    ((_, (t,), (side,), rest),) = next(tightened(x - y, (x,), box, ((3 - x, True), (x - y, False))))
    assert (side, rest) == (_side(-1, 3, True, True), ((t - y, False),))
    assert list(tightened(x, (x,), (_side(0, 1),), ((x + 1, False), (2 - x, True)))) == []


def test_quotients_in_quotients_are_defined_at_infinity() -> None:
    p = sp.Symbol("p", positive=True)
    e = sp.sin(1 / (p - 1)) - 2 * sp.sin(1 / p) + sp.sin(1 / (p + 1))
    for factor in (1, -1):
        pieces = inverted(factor * e, (p,), (_side(2, None),), ())
        assert _proved(pieces, strict=True) == (factor == 1)


OTHERWISE = list(itertools.combinations((x, sp.sin(x), x**2 * sp.cos(x), sp.exp(x)), 2))


@pytest.mark.parametrize("pair", OTHERWISE, ids=str)
def test_nothing_is_changed_where_the_variable_occurs_otherwise(pair: tuple[sp.Expr, sp.Expr]) -> None:
    changed = list(half_angles(sp.Add(*pair), (x,), (LINE,), ()))
    assert changed == []
    assert list(half_angles(sp.sin(x), (x,), (Side(fmpq(0), None, integer=True),), ())) == []
    assert list(half_angles(sp.sin(pi * x), (x,), (LINE,), ())) == []


def _unwound(e: sp.Expr, side: Side, strict: bool) -> bool:
    with precision(64):
        lists = unwound(Task((x,), (side,), [e], strict))
        return any(all(Proof(t, Effort(60_000)).run(FEW_TURNS).proved for t in tasks) for tasks in lists)


@pytest.mark.parametrize(
    ("e", "side", "less"),
    [
        (pi * x / 2 - sp.asin(x), UNIT, R(1, 50)),
        (3 * sp.atan(x) - 2 * x + x, UNIT, R(1, 50)),
        (pi * x - sp.asin(pi * x * (1 - x)), _side(R(-1, 5), 1), R(1, 100)),
        (sp.acos(x) + x * pi / 2 - pi / 2, UNIT, R(1, 50)),
        (pi * 3 / 2 + x - 2 * sp.asin(x), UNIT, 3),
        (sp.atan(x) + 2 + sp.atan(5), LINE, 2),
    ],
    ids=str,
)
def test_inverse_functions_are_compared_by_sines(e: sp.Expr, side: Side, less: sp.Rational) -> None:
    assert _unwound(e, side, strict=False)
    assert not _unwound(e - less, side, strict=False)


def test_angles_below_those_of_an_inverse_function_are_seen() -> None:
    """sin(-5) is near 1, and -5 is below every value of asin."""
    with precision(64):
        for e in (-5 - sp.asin(x), sp.asin(x) - 5, -5 - sp.atan(x), -R(8, 5) - sp.asin(x)):
            assert not _unwound(e, UNIT, strict=False)
        assert not _unwound(-sp.asin(x), UNIT, strict=False)
        assert not _unwound(x - sp.asin(x) * R(9, 10), UNIT, strict=True)  # equal at 0
