"""The best width of two tokens of the sphere of R^3, and the noise there: derivations need all of
their hypotheses, and the numbers bound what two drawn tokens gain.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from numerics.derivations.kernel.sorts import ProofError
from numerics.derivations.statements import proved
from numerics.evidence import Verdict
from numerics.provers import integral_evidence
from proofs_check.derivations.window.sphere_in_3d import best_width, noise
from proofs_check.ours.window.signal.r8_signal import D, best_width_of_two_tokens, two_tokens


@pytest.mark.parametrize("dropped", sorted(a.name for a in best_width.statement().assumptions))
def test_no_hypothesis_can_be_dropped(dropped):
    statement = best_width.statement()
    fewer = frozenset(a for a in statement.assumptions if a.name != dropped)
    with pytest.raises(ProofError, match="assumes more"):
        proved(replace(statement, assumptions=fewer), best_width.no_minimiser())


@pytest.mark.parametrize("numbers", [dict(widest=15), dict(best=Fraction(7, 5)), dict(widest=2)])
def test_other_numbers_are_not_derived(numbers):
    assert best_width_of_two_tokens(**numbers).verdict is Verdict.OPEN


@pytest.mark.parametrize("numbers", [dict(widest=1), dict(best=0), dict(best=Fraction(1, 4))])
def test_what_is_false_is_refuted(numbers):
    assert best_width_of_two_tokens(**numbers).verdict is Verdict.REFUTED


def test_the_bounds_enclose_the_gain():
    rational = lambda x: sp.Rational(x.numerator, x.denominator)
    at = lambda w, op, bound: integral_evidence(two_tokens(w), D, (0, 2), op, rational(bound)).verdict
    assert at(sp.Rational(13, 10), ">=", best_width.LOW) is Verdict.CERTIFIED
    assert at(16, "<=", best_width.HIGH) is at(100, "<=", best_width.HIGH) is Verdict.CERTIFIED
    assert best_width.HIGH < best_width.LOW


@pytest.mark.parametrize("w", [1.3, 16.0])
def test_the_signal_of_drawn_tokens_is_2_less_the_gain(w):
    rng, x = np.random.default_rng(8), np.array([0.0, 0.0, 1.0])
    tokens = rng.normal(size=(2, 200_000, 3))
    tokens /= np.linalg.norm(tokens, axis=-1, keepdims=True)
    weights = np.exp(-w * np.sum((tokens - x) ** 2, axis=-1))
    centre = np.sum((weights / weights.sum(axis=0))[..., None] * tokens, axis=0)
    drawn = np.sum((centre - x) ** 2, axis=-1)
    gain = float(sp.Integral(two_tokens(sp.Rational(w)), (D, 0, 2)).evalf(12))
    assert abs(drawn.mean() - (2 - gain)) < 5 * drawn.std() / np.sqrt(drawn.size)


def test_few_squares_need_the_law_of_the_heights():
    statement = noise.statement()
    with pytest.raises(ProofError, match="assumes more"):
        proved(replace(statement, assumptions=frozenset()), noise.few_squares())
    with pytest.raises(ProofError):
        proved(noise.statement(35), noise.few_squares())


def test_uniform_tokens_meet_what_is_assumed_of_them():
    """With the query as the third axis: the law of the heights, and the line of the query."""
    rng, size = np.random.default_rng(9), 400_000
    tokens = rng.normal(size=(size, 3))
    tokens /= np.linalg.norm(tokens, axis=-1, keepdims=True)
    height = tokens[:, 2]
    share = np.exp(-2 * (1 - height)) / (np.exp(-2 * (1 - height)) + 0.3) ** 2
    drawn = [(height >= 0.3, 0.35), (height >= -2, 1), (np.exp(2 * height), np.sinh(2) / 2)]
    drawn += [(share * tokens[:, j], 0.0) for j in (0, 1)]
    for values, mean in drawn:
        assert abs(np.mean(values) - mean) <= 5 * np.std(values) / np.sqrt(size)
