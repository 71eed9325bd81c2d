"""Runs by the compiled kernels: cut anywhere, killed, diverging, at the edges allowed."""

from typing import Any

import numpy as np
import pytest

import numerics.training.run as run
from numerics.training import train
from numerics.training.parameters import pack
from theory.regression.experiment import kms

ATTENTIONS = pytest.mark.parametrize("attention", ["softmax", "linear", "coupled"])


@ATTENTIONS
def test_records_and_interrupts_change_no_bit(attention, tmp_path, monkeypatch):
    settings: dict[str, Any] = dict(
        Sigma=kms(2), lr=0.05, steps=1500, seed=3, variant="as coded", checkpoint=None
    )
    whole = train(attention, 7, every=1500, **settings)

    def in_the_middle(done: int, total: int) -> None:
        if done >= 700:
            raise KeyboardInterrupt

    monkeypatch.setattr(run, "PROGRESS_PAUSE", 0.0)
    settings["checkpoint"] = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt):
        train(attention, 7, every=137, progress=in_the_middle, **settings)
    with np.load(tmp_path / "run.npz") as saved:
        assert 700 <= saved["where"][0] < 1500
    fine = train(attention, 7, every=137, **settings)
    assert np.array_equal(pack(fine.final), pack(whole.final))
    assert fine.diverged is None
    # the risk falls, by far more than its errors
    first, last = fine.risk[0], fine.risk[-2]
    assert (first - last > 6 * np.hypot(fine.risk_error[0], fine.risk_error[-2])).all()


@ATTENTIONS
def test_a_step_goes_down_the_gradient_of_its_own_batch(attention):
    """Twice the gradient factor is twice the rate; small steps add up along first gradients."""
    start = train(attention, 5, d=2, lr=0.0, steps=1).initial
    one, two = (pack(train(attention, 5, d=2, lr=lr, steps=1, start=start).final) for lr in (1e-6, 2e-6))
    assert np.allclose(two - pack(start), 2 * (one - pack(start)), rtol=1e-6, atol=1e-15)


@ATTENTIONS
def test_divergence_leaves_finite_numbers_and_the_step(attention):
    result = train(attention, 7, d=2, lr=1e4, steps=300, every=2)
    assert result.step[-1] == result.diverged
    for numbers in (result.risk, pack(result.parameters)):
        assert np.isfinite(numbers).all()
    cut = train(attention, 7, d=2, lr=1e4, steps=result.diverged, every=2)
    assert cut.diverged is None
    assert np.array_equal(pack(cut.final), pack(result.final))
    assert train(attention, 7, d=2, lr=1e4, steps=result.diverged + 1, every=2).diverged == result.diverged


@ATTENTIONS
def test_a_start_beyond_floats_is_no_matter_of_the_learning_rate(attention):
    says = r"risk or its gradient at the start leaves the range of floats .* other units"
    with pytest.raises(ValueError, match=says):
        train(attention, 3, Sigma=np.diag([1e24, 1.0]), lr=0, steps=2)
    assert "a smaller start or other units" in str(train(attention, 3, Sigma=np.diag([1e24, 1.0]), steps=2))


def test_labels_that_vanish_in_float32_are_refused():
    """A risk of 0 would be said: in units a power of two smaller it is that power smaller."""
    unit = 2.0**-48
    risk = lambda scale: (
        train("softmax", 3, Sigma=scale**2 * np.eye(2), noise=0.0, lr=0, steps=2, every=1).risk
    )
    np.testing.assert_allclose(risk(unit), 2.0**-16 * risk(2.0**8 * unit), rtol=1e-3)
    with pytest.raises(ValueError, match=r"labels have the variance .*, of which nothing is left in float32"):
        risk(2.0**-60)


EDGES: dict[str, dict[str, Any]] = {
    "one token, one coordinate": dict(prompt_length=1, d=1),
    "two tokens, no noise": dict(prompt_length=2, d=2, noise=0.0),
    "one prompt": dict(batch=1),
    "two blocks of prompts": dict(batch=129),
    "no covariates": dict(Sigma=np.zeros((2, 2))),
    "nothing at all": dict(Sigma=np.zeros((2, 2)), noise=0.0),
    "singular": dict(Sigma=np.diag([0.0, 1.0]), noise=0.0),
    "tiny": dict(Sigma=1e-28 * np.eye(2), noise=0.0),
    "huge": dict(Sigma=1e200 * np.eye(2)),
    "loud": dict(noise=1e200),
    "zero start": dict(start=[np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))], d=2),
    "huge start": dict(start=[np.full(3, 1e160), *[np.full((3, 3), 1e160)] * 3], d=2),
    "huge scores": dict(start=[np.full(3, 0.1), np.full((3, 3), 0.1), *[np.full((3, 3), 1e20)] * 2], d=2),
    "seed": dict(seed=2**64 - 1),
    "wide": dict(d=17, prompt_length=4),
}


@ATTENTIONS
@pytest.mark.parametrize("L", [3, 20])
@pytest.mark.parametrize("edge", EDGES)
def test_edges_give_finite_numbers_or_say_that_they_do_not(edge, attention, L):
    result = train(**dict(attention=attention, prompt_length=L, steps=3, every=1) | EDGES[edge])
    assert (result.diverged == 0) == (edge in ("huge", "loud", "huge start", "huge scores"))
    assert len(result.step) == (0 if result.diverged == 0 else 3)
    assert np.isfinite(result.risk).all()
    assert np.isfinite(pack(result.final)).all()
    if edge in ("zero start", "nothing at all", "no covariates"):
        # no prediction, or no query: T = 0 and nothing to learn about q
        assert np.array_equal(result.final.Q, result.initial.Q)
    if edge == "nothing at all":
        assert not result.risk.any()
