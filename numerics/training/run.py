"""SGD as in Appendix A.1 of Boursier & Boyer, in compiled steps, with records, checkpoints and an eye on divergence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from numpy.typing import ArrayLike

from numerics.training.result import Training
from theory.experiment import Variant

__all__ = ["train"]


def train(
    attention: str,
    prompt_length: int,
    *,
    d: int | None = None,
    Sigma: ArrayLike | None = None,
    noise: float = 0.1,
    batch: int = 128,
    lr: float = 1e-3,
    steps: int = 500_000,
    seed: int = 0,
    variant: str | Variant = "as written",
    start: Sequence[ArrayLike] | None = None,
    task_variance: float | None = None,
    every: int | None = None,
    checkpoint: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Training:
    """Train one layer of attention on in-context linear regression by SGD."""
    raise NotImplementedError
