"""A fault inside a prover is an answer that names it, one of the question an error in words."""

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import sympy as sp

from numerics.evidence import Contradiction, Evidence, Verdict
from numerics.provers import (
    Closed,
    Integers,
    forall,
    identities,
    identity,
    inequalities,
    integral,
    integral_evidence,
    integrals,
)
from numerics.provers.doors import FAULT, refusal

R = sp.Rational
x, p = sp.Symbol("x", real=True), sp.Symbol("p", positive=True)
n, k = sp.Symbol("n", integer=True), sp.Symbol("k", integer=True, nonnegative=True)
FAULTS = [
    Contradiction("two"),
    ZeroDivisionError(),
    AttributeError("no"),
    ValueError("zoo"),
    RecursionError("deep"),
    OverflowError("big"),
]


def _raising(fault: Exception) -> Any:
    def broken(*args: Any, **options: Any) -> Any:
        raise fault

    return broken


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: type(f).__name__)
def test_a_fault_of_the_program_is_an_open_answer_that_names_it(fault, monkeypatch):
    monkeypatch.setattr(identities, "_decide", _raising(fault))
    monkeypatch.setattr(inequalities, "scan", _raising(fault))
    monkeypatch.setattr(integrals, "_compared", _raising(fault))
    for e in (identity(x, p), forall(p, "<=", 1, {p: (0, 1)}), integral_evidence(x, x, (0, 1), "<", 1)):
        assert e.verdict is Verdict.OPEN
        assert e.reason.startswith(f"{FAULT}: {type(fault).__name__}")
        assert "report" in e.reason
    monkeypatch.setattr(integrals, "ball_function", _raising(fault))
    with pytest.raises(ArithmeticError, match=FAULT):
        integral(x, x, (0, 1))


def test_a_refusal_is_raised_by_a_line_of_ours():
    calls = (lambda: identity("x", 1), lambda: sp.sqrt(2) < sp.I, lambda: 1 // 0)
    for call, ours in zip(calls, (True, False, False)):
        with pytest.raises((TypeError, ArithmeticError)) as caught:
            call()
        assert refusal(caught.value) is ours


#: What is hard, undefined or senseless.
_PARTS: list[Any] = [
    *(x, p, n, k, 0, 1, -1, R(1, 2), sp.I, sp.pi, sp.zoo, sp.oo, sp.nan),
    *(sp.sqrt(2), 10**40, R(1, 10**40), sp.EulerGamma),
    *(sp.gamma(n), sp.gamma(-k), sp.rf(-7, k), sp.ff(n, k), sp.binomial(-1, k), sp.beta(-2, n)),
    *(sp.LambertW(-R(1, 2)), sp.zeta(k), sp.floor(x), sp.sign(x), sp.atanh(1 - R(1, 10**20))),
    *(sp.Mod(n, 3), sp.harmonic(k), sp.polygamma(k, x), sp.Heaviside(x)),
    *(
        sp.Pow(0, -1, evaluate=False),
        sp.log(0, evaluate=False),
        sp.Piecewise((x, x > 0), (0, True)),
        sp.besselk(n, x),
        sp.erf(sp.I),
    ),
]


def _expression(rng: random.Random, depth: int = 2) -> Any:
    if depth == 0:
        return rng.choice(_PARTS)
    a, b = _expression(rng, depth - 1), _expression(rng, depth - 1)
    bent = (lambda u, v: sp.Abs(u) - v, lambda u, v: sp.exp(u) + v, lambda u, v: sp.log(u) * v)
    make = (sp.Add, sp.Mul, sp.Pow, sp.Max, sp.Min, *bent)
    try:
        with sp.evaluate(rng.random() < 0.5):
            return rng.choice(make)(sp.sympify(a), sp.sympify(b))
    except (TypeError, ValueError, AttributeError):  # of the caller, in SymPy
        return a


def _fault(ask: Callable[[], Any]) -> str:
    """What comes out that is neither an answer nor a word of ours."""
    try:
        answer = ask()
    except Exception as error:
        return "" if refusal(error) and FAULT not in str(error) else f"{type(error).__name__}: {error}"
    return answer.reason if isinstance(answer, Evidence) and answer.reason.startswith(FAULT) else ""


@pytest.mark.parametrize("seed", range(6))
def test_nothing_but_answers_and_words_comes_out(seed):
    rng = random.Random(seed)
    for _ in range(25):
        lhs, rhs = _expression(rng), _expression(rng, 1)
        domain = {x: rng.choice(((0, 1), (-sp.oo, sp.oo))), p: (0, sp.oo), n: Integers(-3), k: Closed(0, 0)}
        asked = (partial(identity, lhs, rhs), partial(forall, lhs, "<=", rhs, domain, effort=3000))
        faults = [_fault(ask) for ask in (*asked, partial(integral, lhs, x, (0, 1)))]
        assert not any(faults), (faults, sp.srepr(lhs), sp.srepr(rhs))


def test_an_open_answer_says_what_was_tried_and_what_may_help():
    third = R(1, 3)
    tie = sp.gamma(third) * sp.gamma(2 * third), 2 * sp.pi / sp.sqrt(3)
    constant, factor = forall(tie[0], "<=", tie[1], {}), forall(p * tie[0], "<=", p * tie[1], {p: (0, 1)})
    undefined = forall(sp.log(x**2) ** 2, ">=", 0, {x: (-1, 1)})
    far = forall(sp.cos(p), "<=", 1 + p**2 / 10**9, {p: (0, sp.oo)}, effort=0)
    for e in (constant, factor, undefined, far, identity(*tie)):
        assert e.verdict is Verdict.OPEN
        assert "What may help: " in e.reason
        assert "stuck at ," not in e.reason
    for e, words in (
        (constant, "sign of the number"),
        (factor, "sign of the number"),
        (undefined, "`where=`"),
        (far, "`effort=`"),
    ):
        assert words in e.reason


def test_a_fault_of_sympy_that_is_known_comes_with_what_avoids_it():
    n = sp.Integer(7846797554627506170)
    with sp.evaluate(False):
        root = sp.sqrt(sp.Add(sp.Pow(n, 2), -1))
    answer = identity(root, n)
    if answer.verdict is not Verdict.REFUTED:  # as SymPy 1.13 lets it be
        assert (answer.verdict, answer.reason.startswith(FAULT)) == (Verdict.OPEN, False)
        assert "as its factors" in answer.reason
