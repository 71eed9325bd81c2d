"""Signs, roundings and comparisons of exact numbers on and next to ties."""

import math
import random

import pytest
import sympy as sp

from numerics.evidence import Verdict
from numerics.provers import identity
from numerics.provers.exact import exact_numbers
from numerics.provers.exact.exact_numbers import Undecided, agreed, built, floor, put, sign

R = sp.Rational
# -(367296043199 + 259717522849 sqrt(2)), just below -734592086398
PELL = 1 / (367296043199 - 259717522849 * sp.sqrt(2))
x = sp.Symbol("x", real=True)
m = sp.Symbol("m", integer=True)

ZEROS = [
    sp.sqrt(2) + sp.sqrt(3) - sp.sqrt(5 + 2 * sp.sqrt(6)),
    sp.cbrt(2 + sp.sqrt(5)) - sp.cbrt(sp.sqrt(5) - 2) - 1,
    sp.sqrt(sp.GoldenRatio + 1) - sp.GoldenRatio,
    1 / (sp.sqrt(2) - 1) - sp.sqrt(2) - 1,
    sp.cos(sp.pi / 7) - sp.cos(2 * sp.pi / 7) + sp.cos(3 * sp.pi / 7) - R(1, 2),
    sp.sin(sp.pi / 7) - sp.cos(5 * sp.pi / 14),
    sp.acos(R(3, 5)) + sp.acos(R(4, 5)) - sp.pi / 2,
    4 * sp.atan(R(1, 5)) - sp.atan(R(1, 239)) - sp.pi / 4,
    sp.log(2 + sp.sqrt(3)) - sp.acosh(2),
    2 * sp.atanh(R(1, 3)) - sp.log(2),
    sp.asinh(1) - sp.log(1 + sp.sqrt(2)),
]


@pytest.mark.parametrize("zero", ZEROS, ids=str)
@pytest.mark.parametrize("digits", [8, 30, 330])
def test_what_is_zero_is_told_from_what_is_almost_zero(zero, digits):
    """330 digits are more than Arb is asked for at first."""
    assert sign(zero) == 0
    assert [sign(zero + s * R(1, 10**digits)) for s in (1, -1)] == [1, -1]
    assert [floor(zero + 5 + s * R(1, 10**digits)) for s in (1, -1)] == [5, 4]


def test_a_product_of_exponentials_that_is_one_does_not_make_a_sum_of_logarithms_zero():
    assert sign(sp.acos(-R(3, 5)) + sp.acos(-R(4, 5)) - 3 * sp.pi / 2) == 0
    assert sign(sp.acos(-R(3, 5)) + sp.acos(-R(4, 5)) + sp.pi / 2) == 1  # two pi away


def test_algebraic_numbers_have_the_sign_of_their_product_with_their_conjugate():
    """a - b sqrt(n) has the sign of (a^2 - n b^2)/(a + b sqrt(n)), which whole numbers tell."""
    rng = random.Random(4)
    for _ in range(200):
        n, b = rng.randint(2, 50), rng.randint(1, 10 ** rng.randint(1, 180))
        a = math.isqrt(n * b * b) + rng.choice((0, 0, 1))
        norm = a * a - n * b * b
        assert sign(a - b * sp.sqrt(n)) == (norm > 0) - (norm < 0)
        assert floor(b * sp.sqrt(n)) == math.isqrt(n * b * b)


def test_what_is_no_real_number_or_not_decided_has_no_sign():
    assert sign(1 + sp.I) is None
    assert sign(sp.gamma(R(1, 3)) * sp.gamma(R(2, 3)) - 2 * sp.pi / sp.sqrt(3)) is None
    with pytest.raises(Undecided, match="not decided"):
        built(sp.floor, [sp.gamma(R(1, 3)) * sp.gamma(R(2, 3)) - 2 * sp.pi / sp.sqrt(3)])


@pytest.mark.parametrize(
    ("head", "args", "value"),
    [
        (sp.floor, [PELL], -734592086399),
        (sp.ceiling, [PELL], -734592086398),
        (sp.frac, [PELL], PELL + 734592086399),
        (sp.floor, [PELL + m + R(1, 2)], m - 734592086398),
        (sp.floor, [1 / (sp.sqrt(10**18 + 1) - 10**9)], 2 * 10**9),
        (sp.Mod, [PELL, sp.Integer(2)], PELL + 734592086400),
        (sp.Min, [PELL, sp.Integer(-734592086398)], PELL),
        (sp.Max, [PELL + x, x - 734592086398], x - 734592086398),
        (sp.Max, [PELL, sp.Integer(-734592086398), x], sp.Max(x, -734592086398)),
        (sp.Abs, [PELL + 734592086398], -PELL - 734592086398),
        (sp.sign, [PELL + 734592086398], -1),
        (sp.Heaviside, [PELL + 734592086398], 0),
        (sp.Pow, [sp.Pow(PELL + 734592086398, 2, evaluate=False), R(1, 2)], -PELL - 734592086398),
    ],
    ids=str,
)
def test_heads_that_compare_and_round_are_decided(head, args, value):
    assert sp.expand(built(head, args) - value) == 0


def test_numbers_that_a_substitution_brings_about_are_decided():
    e = sp.Max(x * PELL, -734592086398 * x, evaluate=False)
    assert put(e, {x: sp.S.One}) == -734592086398
    assert put(e, {x: sp.S.NegativeOne}) == -PELL
    assert put(sp.floor(x * PELL, evaluate=False), {x: sp.S.One}) == -734592086399


def test_sympys_opinion_is_compared_with_the_number():
    assert agreed(sp.log(2))
    assert agreed(PELL + 734592086398)
    assert not agreed(sp.LambertW(R(1, 2**60) - sp.exp(-1)))


def test_a_long_number_is_no_long_work(monkeypatch):
    """A root bound of millions of bits is not computed: the answer is that nothing is decided."""
    asked: list[int] = []
    enclosed = exact_numbers._enclosed
    monkeypatch.setattr(exact_numbers, "_enclosed", lambda e, bits: asked.append(bits) or enclosed(e, bits))
    many = sum(sp.sqrt(p) for p in sp.primerange(60))
    sign(sp.sqrt(sp.expand(many**2)) - many)
    assert max(asked) <= exact_numbers._MOST_BITS


# -- what SymPy would rewrite by a sign, write out or leave at a pole ------------------------------

TURNED = (1 + sp.sqrt(2)) ** (10 * sp.I)
z, above = sp.Symbol("z"), sp.Symbol("above", positive=True)
NEAR_1 = 1 + above / 2**20
LEGENDRE = 2 ** (1 - 2 * z) * sp.sqrt(sp.pi) * sp.gamma(z + 2) / sp.gamma(z + sp.Rational(1, 2))
powered = lambda exponent: sp.Pow(TURNED, exponent, evaluate=False)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (powered(sp.Rational(1, 2)), -((1 + sp.sqrt(2)) ** (5 * sp.I))),
        (powered(sp.I), sp.exp(sp.I * sp.log(TURNED))),
        (sp.Abs(z * sp.acosh(NEAR_1)), sp.Abs(z) * sp.acosh(NEAR_1)),
        (sp.sqrt(-sp.loggamma(NEAR_1)), sp.sqrt(-sp.log(sp.gamma(NEAR_1)))),
        (z * (z + 1) * sp.beta(z, z), LEGENDRE),
    ],
    ids=[
        "a root of a turn",
        "a power of a turn",
        "acosh near 1",
        "the logarithm of Gamma near 1",
        "0 times a pole",
    ],
)
def test_what_is_true_is_not_refuted(left, right):
    assert identity(left, right).verdict in (Verdict.PROVED, Verdict.OPEN)


@pytest.mark.parametrize(("exponent", "wrong"), [(sp.Rational(1, 2), 5 * sp.I), (sp.I, -10)])
def test_powers_of_turns_are_not_multiplied(exponent, wrong):
    assert identity(powered(exponent), (1 + sp.sqrt(2)) ** wrong).verdict in (Verdict.REFUTED, Verdict.OPEN)


@pytest.mark.parametrize(
    ("head", "args"),
    [
        (sp.Pow, [sp.Integer(2), sp.Integer(2) ** 64]),
        (sp.Pow, [sp.Rational(999, 1000), sp.Rational(2**90, 3)]),
        (sp.gamma, [2**40]),
    ],
)
def test_long_numbers_are_not_written_out(head, args):
    with pytest.raises(Undecided, match="too many digits"):
        built(head, [sp.Integer(a) if isinstance(a, int) else a for a in args])


def test_the_root_bound_has_no_limit_of_floats():
    big = sp.Pow(sp.Pow(1 + sp.sqrt(2), 10**320, evaluate=False) + 1, sp.Rational(1, 3), evaluate=False)
    assert sign(big - 3) in (None, 1)
