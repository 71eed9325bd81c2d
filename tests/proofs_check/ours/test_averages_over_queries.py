"""Derivations of our results, Theorem B and the late law R11 among them: steps of the first hold
for two tokens, what the derivations cannot show is refused, and the numbers of the bound from below
can be chosen so that its exponent is b.
"""

import math
import random
from fractions import Fraction

import pytest
import sympy as sp

from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import arithmetic
from numerics.derivations.kernel.sorts import ProofError
from numerics.derivations.kernel.terms import term
from numerics.derivations.statements import from_sympy, proved
from proofs_check.derivations.features import only_orthonormal
from proofs_check.derivations.features.any_tasks import late_law, orthonormal
from proofs_check.derivations.features.independent_tokens import own_and_others
from proofs_check.derivations.gaussian_tokens import averaged_label, bayes, linear_risk
from proofs_check.derivations.linear_attention.any_start import limit as any_start
from proofs_check.derivations.linear_attention.any_start import semidefinite
from proofs_check.derivations.query import (
    average,
    exponent,
    from_above,
    from_below,
    gradient_bracket,
    large_scores,
    near_the_token,
    one_token,
    without_scores,
)
from proofs_check.derivations.softmax_average import query_average
from tests.numerics.derivations.test_tokens_of_theorem_a import ACCURACY, TwoTokens
from theory.bounds.query_average import output_average_long


@pytest.mark.parametrize(
    "derive",
    [from_below.error_from_below, one_token.gains, one_token.mean_gain, near_the_token.near_the_token],
)
def test_every_step_holds_for_two_tokens(derive):
    world, met, steps = TwoTokens(random.Random(2)), 0, derive().steps()
    for theorem in steps:
        if world.meets(theorem):
            met += 1
            assert world.compared(theorem.lhs, theorem.op, theorem.rhs, ACCURACY), str(theorem)
    assert met > 0.9 * len(steps)


SHOWN = {
    "both bounds": (from_below.limit_statements, from_below.limits),
    "weights": (from_above.statement, from_above.theorem),
    "below one half": (
        average.statements,
        lambda: (average.from_above(), average.from_below(), average.finite_limit()),
    ),
    "from above": (exponent.statement, exponent.theorem),
    "from below": (large_scores.statement, large_scores.theorem),
    "moments": (from_below.moment_statements, from_below.moments_at_the_limit),
    "late law": (
        late_law.statements,
        lambda: (late_law.J_is_bounded(), late_law.at_most_1(), late_law.at_least_1()),
    ),
    "orthonormal": (
        orthonormal.statements,
        lambda: (orthonormal.gaps_of_D(), orthonormal.square_of_D(), orthonormal.at_most()),
    ),
    "any start": (any_start.statement, any_start.theorem),
    "semidefinite": (
        semidefinite.statements,
        lambda: (semidefinite.diagonal(), semidefinite.trace_is_not_0()),
    ),
    "heavier weight": (query_average.statement_with_a_weight, query_average.theorem_with_a_weight),
    "no scores": (without_scores.statement, without_scores.theorem),
    "bracket": (gradient_bracket.statements, gradient_bracket.theorems),
    "averaged label": (averaged_label.statement, averaged_label.theorem),
    "linear risk": (linear_risk.risk_statement, linear_risk.risk),
    "Bayes risk": (bayes.statement, bayes.theorem),
    "only orthonormal": (only_orthonormal.statement, only_orthonormal.theorem),
    "own and other tokens": (
        own_and_others.statements,
        lambda: tuple(
            getattr(own_and_others, name)()
            for name in ("of_the_count", "of_the_others", "own_attention", "in_a_prompt")
        ),
    ),
    "small scores": (query_average.statement_of_the_rate, query_average.theorem_of_the_rate),
}
WRONG = [
    ("both bounds", 0, {"factor": 2}),
    ("both bounds", 1, {"factor": Fraction(11, 10)}),
    ("weights", 0, {"c": 19}),
    ("below one half", 0, {"c": Fraction(99, 100)}),
    ("below one half", 1, {"least": 2}),
    ("below one half", 2, {"share": Fraction(1, 2)}),
    ("from above", 0, {"c": 19}),
    ("from below", 0, {"half": 1}),
    ("moments", 0, {"c": 2}),
    ("moments", 1, {"share": Fraction(1, 2)}),
    ("late law", 0, {"one": -3}),
    ("late law", 1, {"four": 5}),
    ("late law", 2, {"four": 3}),
    ("orthonormal", 0, {"one": 0}),
    ("orthonormal", 1, {"one": 0}),
    ("orthonormal", 2, {"one": 0}),
    ("any start", 0, {"factor": 2}),
    ("semidefinite", 0, {"sign": -1}),
    ("semidefinite", 1, {"sign": -1}),
    ("heavier weight", 0, {"c": Fraction(99, 100)}),
    ("no scores", 0, {"factor": 2}),
    ("bracket", 0, {"two": Fraction(21, 10)}),
    ("bracket", 1, {"share": Fraction(11, 10)}),
    ("averaged label", 0, {"one": 2}),
    ("linear risk", 0, {"of_query": 2}),
    ("Bayes risk", 0, {"share": Fraction(11, 10)}),
    ("only orthonormal", 0, {"own": 2}),
    ("own and other tokens", 0, {"chance": 2}),
    ("own and other tokens", 1, {"first": 1}),
    ("own and other tokens", 2, {"other": 2}),
    ("own and other tokens", 3, {"power": 1}),
    ("small scores", 0, {"c": Fraction(99, 100)}),
]


def _parts(name, **numbers):
    statements, theorems = (f(**n) for f, n in zip(SHOWN[name], (numbers, {}), strict=True))
    return [(x,) if not isinstance(x, tuple) else x for x in (statements, theorems)]


@pytest.mark.parametrize(("name", "part", "numbers"), WRONG)
def test_wrong_numbers_are_refused(name, part, numbers):
    statements, theorems = _parts(name)
    assert proved(statements[part], theorems[part]).lhs == statements[part].lhs
    with pytest.raises(ProofError):
        proved(_parts(name, **numbers)[0][part], theorems[part], effort=2_000)


@pytest.mark.parametrize("sizes", [(2, Fraction(1, 3), 3, 3), (1, 0, 1, 1), (5, 4, 2, 7)])
def test_a_weight_of_the_query_gives_the_bound_of_theory(sizes):
    L, *rest = symbols = sp.symbols("L sigma U V d", positive=True)
    q, numbers = query_average, [sp.Rational(x) for x in sizes]
    bound = output_average_long(*symbols, lam=Fraction(9, 20)).subs(dict(zip(rest, numbers, strict=True)))
    at = {q.odds: 9, **dict(zip((q.sigma, q.norm_U, q.norm_V, q.d), sizes, strict=True))}
    ours = instantiated(q.statement_with_a_weight().rhs, {x: term(value) for x, value in at.items()})
    assert arithmetic(ours, "==", from_sympy(bound, {L: q.L})).op == "=="


def bound_from_below(lam, B, d=1):
    """ln L and the power in the bound from below, for numbers that meet all its conditions."""
    b = math.sqrt(1 / lam + 1 / 4) - 1 / 2
    theta, s1, s2 = 1 + b, lam * (B - 2) ** 2, lam * (B**2 + 16 * B + 2 * d + 8)
    steep, eps, c = math.sqrt(6 / s2), 1 / B, math.sqrt(s2)
    a = theta * s1 - steep * s2 / 2 - 3 / steep
    w = theta * s2 + steep * s2 / 2 + 3 / steep - a
    rest = theta * w + 3
    length = min(a - s2 / 2 - rest, (1 - eps) * a - (1 - eps) ** 2 * s2 / 2 - rest + math.log(eps))
    assert w > 0
    assert c >= 1
    assert s2 + c + 1 <= a
    assert length > 0
    return b, length, length + theta**2 * s1 / 2 - theta * (a + w) - B**2 / 2 - 2 * B


@pytest.mark.parametrize("lam", [0.5, 1.0, 1.5, 10.0])
def test_the_bound_from_below_has_the_exponent_b(lam):
    off = []
    for B in (1e4, 1e6, 1e8):
        b, length, power = bound_from_below(lam, B)
        off.append(-power / length - b)
    assert off[0] > off[1] > off[2] > 0
    assert off[2] < 1e-5
