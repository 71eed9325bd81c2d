"""Steps and limits against values at high precision; what is false is never proved by them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import mpmath
import pytest
import sympy as sp
from flint import fmpq

from numerics.provers.effort import Effort
from numerics.provers.enclosures.balls import precision
from numerics.provers.enclosures.boxes import Side
from numerics.provers.statements import induction
from numerics.provers.statements.branch import Task
from numerics.provers.statements.induction import limit, step, steps
from numerics.provers.statements.strategy import Proof

x, a = sp.symbols("x a", positive=True)
R, gamma, log, psi = sp.Rational, sp.gamma, sp.log, sp.polygamma
RAY, WHOLE = Side(fmpq(0), None, True), Side(fmpq(1), None, integer=True)
TURNS = ((60, 0), (100, 1), (400, 1))

#: Functions of x, with their limits, if they are seen.
LIMITS: dict[sp.Expr, sp.Expr | None] = {
    sp.loggamma(x + 1) - sp.loggamma(x + R(1, 2)) - log(x) / 2: sp.S.Zero,
    sp.loggamma(x) - (x - R(1, 2)) * log(x) + x: log(2 * sp.pi) / 2,
    x * log(1 + 3 / (2 * x)): R(3, 2),
    x**2 * log(x + 1) - x**2 * log(x) - x: -R(1, 2),
    x * log(2 * x + 1) - x * log(x) - x * log(2): R(1, 2),
    psi(0, x + 3) - log(x): sp.S.Zero,
    x * psi(1, x): None,
    psi(1, x) + log(x) / x + 5: sp.Integer(5),
    log(x): None,
    log(x + a) - log(x): sp.S.Zero,
    x * log(x + a) - x * log(x): a,
    (x - a) / (a * x + 1): 1 / a,
    sp.sqrt(x) * log(1 + 1 / x): None,
    x * log(x**2 + x + 1) - 2 * x * log(x): sp.S.One,
}


@pytest.mark.parametrize("f", LIMITS, ids=str)
def test_limits_are_approached(f: sp.Expr) -> None:
    found, expected = limit(f, x), LIMITS[f]
    assert (found is None) == (expected is None)
    if found is not None:
        far = sp.lambdify((x, a), f - found, "mpmath")
        with mpmath.workdps(80):
            assert abs(sp.N((found - expected).subs(a, 3), 30)) < 1e-20
            gaps = [abs(far(mpmath.mpf(10) ** k, mpmath.mpf(3))) for k in (8, 16)]
        assert gaps[0] < 1e-6
        assert gaps[1] < 1e-13


FUNCTIONS = [
    *(
        sp.loggamma(x) + x * log(x + 1),
        psi(0, 2 * x + a) - psi(2, x),
        sp.loggamma(4 * x + 1) - 2 * sp.loggamma(x),
    ),
    *(
        sp.loggamma(x + a) * a + log(x**2 + 3),
        sp.loggamma(9 - x) + sp.loggamma(x),
        log(2 * x + 1) - log(x) * x,
    ),
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=str)
def test_steps_are_differences(f: sp.Expr) -> None:
    change = step(f, x)
    assert change is not None
    assert not change.has(*induction.STEPPING)
    both = sp.lambdify((x, a), [f.subs(x, x + 1) - f, change], "mpmath")
    for at in (0.3, 1.0, 2.75, 7.5):
        exact, found = both(mpmath.mpf(at), mpmath.mpf(0.7))
        assert mpmath.almosteq(exact, found, 1e-10, 1e-10)


@pytest.mark.parametrize(
    "f", [sp.loggamma(x / 2), x * sp.loggamma(x), psi(0, x) ** 2, sp.loggamma(x**2)], ids=str
)
def test_without_an_elementary_step_there_is_none(f: sp.Expr) -> None:
    assert step(f, x) is None


def _proved(e: sp.Expr, side: Side, strict: bool) -> bool:
    with precision(64):
        effort = Effort(400_000)
        for tasks in steps(Task((x,), (side,), [e], strict)):
            if all(Proof(t, effort).run(TURNS).proved for t in tasks):
                return True
    return False


STIRLING = sp.sqrt(2 * sp.pi) * x ** (x - R(1, 2)) * sp.exp(-x)
QUOTIENT, CENTRAL = gamma(x + 1) / gamma(x + R(1, 2)), sp.binomial(2 * x, x)
SUM = sp.harmonic(x) - log(x) - sp.EulerGamma
#: What is positive, and what is nearly so.
TRUE: list[tuple[sp.Expr, Side, sp.Expr]] = [
    (gamma(x) - STIRLING, RAY, gamma(x) - STIRLING * R(10001, 10000)),
    (STIRLING * sp.exp(1 / (12 * x)) - gamma(x), RAY, STIRLING * sp.exp(1 / (13 * x)) - gamma(x)),
    (psi(0, x) - log(x) + 1 / x, RAY, psi(0, x) - log(x) + 1 / (3 * x)),
    (psi(1, x) - 1 / x - 1 / (2 * x**2), RAY, psi(1, x) - 1 / x - 1 / (2 * x**2) - R(1, 10**6)),
    (QUOTIENT - sp.sqrt(x + R(1, 4)), RAY, QUOTIENT - sp.sqrt(x + R(1, 3))),
    (SUM, WHOLE, SUM - R(1, 10**9)),
    (4**x / sp.sqrt(sp.pi * x) - CENTRAL, WHOLE, 4**x / sp.sqrt(sp.pi * (x + R(1, 3))) - CENTRAL),
    (sp.factorial(x) - (x / sp.E) ** x, WHOLE, sp.factorial(x) - x * (x / sp.E) ** x),
    (2**x - x**2 + 2, WHOLE, 2**x - x**2 + R(1, 2)),
]


@pytest.mark.parametrize(("e", "side", "wrong"), TRUE, ids=str)
def test_what_is_true_is_proved_and_what_is_not_is_not(e: sp.Expr, side: Side, wrong: sp.Expr) -> None:
    assert _proved(e, side, strict=True)
    assert not _proved(wrong, side, strict=False)


def test_an_equality_is_strict_nowhere() -> None:
    """n! = 2**(n - 1) at 1 and 2, and both arguments of the same function."""
    power = sp.factorial(x) - 2 ** (x - 1)
    assert _proved(power, WHOLE, strict=False)
    assert not _proved(power, WHOLE, strict=True)
    assert _proved(power, Side(fmpq(3), None, integer=True), strict=True)
    same = sp.harmonic(x) - psi(0, x + 1) - sp.EulerGamma
    assert not _proved(same, WHOLE, strict=True)


def test_whole_numbers_say_nothing_of_those_between() -> None:
    """Gamma(x) at whole numbers is at least 1, and less between 1 and 2."""
    e = gamma(x) - 1
    assert _proved(e, WHOLE, strict=False)
    assert not _proved(e, Side(fmpq(1), None), strict=False)
    wave = sp.loggamma(x + 1) - sp.loggamma(x) - log(x) - sp.sin(sp.pi * x) ** 2
    assert not _proved(wave, Side(fmpq(1), None), strict=False)


def test_parameters_stay_general() -> None:
    """(1 + a)**n >= 1 + n a, for whole n and all positive a, and no more."""
    with precision(64):
        box = (WHOLE, RAY)
        tried = {}
        for more in (0, R(1, 100)):
            e = x * log(1 + a) - log(1 + x * a * (1 + more))
            lists = list(steps(Task((x, a), box, [e], False)))
            tried[more] = any(all(Proof(t, Effort(200_000)).run(TURNS).proved for t in ts) for ts in lists)
    assert tried == {0: True, R(1, 100): False}


def test_random_inequalities_of_gamma_are_not_proved_where_they_fail() -> None:
    rng = random.Random(0)
    proved = 0
    for _ in range(25):
        shift, half = R(rng.randint(0, 8), 8), R(rng.randint(1, 4), 2)
        c = R(rng.randint(0, 8), 8)
        f = rng.choice((
            sp.loggamma(x + half) - sp.loggamma(x) - half * log(x + shift),
            psi(0, x + shift + R(1, 8)) - log(x + c),
            sp.loggamma(x + 1) - (x + R(1, 2)) * log(x + c) + x + c - R(rng.randint(7, 11), 10),
        ))  # fmt: skip
        e, side = rng.choice((1, -1)) * f, rng.choice((RAY, WHOLE, Side(fmpq(2), None)))
        if not _proved(e, side, strict=True):
            continue
        proved += 1
        start = 1 if side is WHOLE else float(R(str(side.lo or 0)))
        value = sp.lambdify(x, e, "mpmath")
        with mpmath.workdps(50):
            for k in range(60):
                at = start + mpmath.mpf(k) ** 4 / 100 + (0 if side.lo else mpmath.mpf(10) ** -6)
                at = mpmath.ceil(at) if side.integer else at
                assert value(at) > 0, (e, side, at)
    assert proved > 3


def _backwards(f: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    found = right_step(f, x)
    return None if found is None else -found


right_step, right_limit = induction.step, induction.limit
#: A wrong rule, and something false that it proves.
WRONG: dict[str, tuple[str, Callable[..., Any], sp.Expr, Side]] = {
    "what tends to -1 tends to 0": ("limit", lambda f, x: sp.S.Zero, psi(0, x) - log(x) + 1 / x - 1, RAY),
    "what falls rises": ("step", _backwards, sp.harmonic(x) - log(x) - sp.EulerGamma - R(1, 10), WHOLE),
    "no number is looked at": ("_first", lambda *args: (), sp.factorial(x) - 3**x, WHOLE),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_proves_something_false(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rule, wrong, e, side = WRONG[name]
    assert not _proved(e, side, strict=True)
    monkeypatch.setattr(induction, rule, wrong)
    assert _proved(e, side, strict=True)


def test_the_first_whole_numbers_are_looked_at_one_by_one() -> None:
    """From 0 on, where the logarithm in the step is not defined; and not from a million on."""
    e = (x + 1) ** x - sp.factorial(x)
    for lo, number in ((0, 2), (1, 1), (2, 1), (10**6, 0)):
        task = Task((x,), (Side(fmpq(lo), None, integer=True),), [e], False)
        with precision(64):
            found = [t.alternatives[0] for tasks in steps(task) for t in tasks]
        assert {e.subs(x, lo + k) for k in range(number)} <= set(found)
        assert bool(found) == (lo < 1000)
