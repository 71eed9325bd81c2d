"""Limits and Polyak-Lojasiewicz constants of flows: true ones stand, each wrong part is seen."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from numerics.counterexamples.drawn.flows import STARTS, drawn_ends, drawn_starts
from numerics.counterexamples.drawn.holds import holds
from numerics.counterexamples.drawn.steepness import drawn_steepness
from numerics.evidence import Verdict
from numerics.regression.flow.starts import Start
from theory.regression.limit import limit_parameters
from theory.regression.polyak_lojasiewicz import polyak_lojasiewicz, polyak_lojasiewicz_f3


def formula(start: Start) -> tuple[Any, float]:
    noise, L = start.noise if start.prompt_length else None, start.prompt_length
    p = limit_parameters(start.Sigma, U0=start.U0, u0=start.u0, prompt_length=L, noise=noise)
    return p.U[:-1, :-1], float(p.V[-1, -1])


@pytest.mark.parametrize("starts", STARTS)
def test_the_stated_limit_stands_from_every_family_of_starts(starts):
    assert holds(drawn_ends(formula, starts, singular=True)).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("prompt", [(1, 0.0), (7, 0.5)])
def test_it_stands_for_finite_prompts_and_not_with_the_length_of_others(prompt):
    finite = drawn_ends(formula, "balanced", singular=True, prompts=(prompt,))
    assert holds(finite).verdict is Verdict.SUPPORTED
    of_infinite = lambda s: formula(Start(s.name, s.Sigma, s.U0, s.u0))
    assert holds(drawn_ends(of_infinite, "balanced", prompts=(prompt,))).verdict is Verdict.REFUTED


WRONG: dict[str, Callable[[Start, Any, float], tuple[Any, float]]] = {
    "larger block": lambda s, U, u: (1.0001 * U, u),
    "larger scalar": lambda s, U, u: (U, 1.0001 * u),
    "another balance": lambda s, U, u: (1.01 * U, u / 1.01),
    "the other minimum": lambda s, U, u: (-U, -u),
    "the start": lambda s, U, u: (s.U0, s.u0),
    "moved in the kernel": lambda s, U, u: (
        U + 0.01 * (np.eye(len(U)) - s.Sigma @ np.linalg.pinv(s.Sigma, rcond=1e-10)),
        u,
    ),
}


@pytest.mark.parametrize("how", WRONG.values(), ids=WRONG)
def test_each_part_of_a_limit_that_is_wrong_is_seen(how):
    found = holds(drawn_ends(lambda start: how(start, *formula(start)), "balanced", singular=True))
    assert (found.verdict, found.witness_by) == (Verdict.REFUTED, "two routes")


def test_drawn_starts_meet_their_hypotheses():
    rng = np.random.default_rng(1)
    for name in STARTS:
        ranges, start = drawn_starts(name, singular=True)
        for _ in range(50):
            value = lambda of: of.value(*rng.integers(-5120, 5121, of.codes).tolist())
            one = start(**{k: value(of) for k, of in ranges.items()})
            assert np.linalg.eigvalsh(one.Sigma)[0] > -1e-12 * np.linalg.norm(one.Sigma)
            if "balanced" in name:
                assert np.linalg.norm(one.U0) == pytest.approx(one.u0)
                assert np.linalg.eigvalsh(one.U0)[0] >= -1e-12 * one.u0
            if "range" in name and "outside" not in name:
                assert one.u0 < 2**0.5 / (len(one.U0) ** 0.25 * np.linalg.norm(one.Sigma, 2))


def test_the_repaired_constant_stands_and_the_printed_one_falls():
    found = holds(drawn_steepness(polyak_lojasiewicz))
    assert (found.verdict, found.slack) == (Verdict.SUPPORTED, pytest.approx(2.0, rel=0.01))
    assert holds(drawn_steepness(polyak_lojasiewicz_f3)).verdict is Verdict.REFUTED


def test_a_constant_that_fails_only_after_the_start_is_seen():
    """The ratio at t = 0 is a constant that the flow leaves behind for d = 1 above the minimum."""

    def at_start(Sigma: sp.Matrix, Theta: sp.Matrix, s: Any) -> sp.Expr:
        l = Sigma[0, 0]
        return 4 * l**3 * s**2 * sp.Rational(999, 1000) if Sigma.shape == (1, 1) else sp.Integer(0) * s

    rising = holds(drawn_steepness(at_start), examples=300)
    assert rising.verdict is Verdict.REFUTED
    assert rising.witness["t"] > 0


def test_twice_the_edge_is_refuted_at_the_start():
    found = holds(drawn_steepness(polyak_lojasiewicz, Fraction(9, 4)))
    assert (found.verdict, found.witness["t"]) == (Verdict.REFUTED, 0)
