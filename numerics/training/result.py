"""`Training`, what a run of SGD leaves behind, and the rule by which a run counts as failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.training.parameters import Parameters, pack
from theory.regression.task import RegressionTask
from theory.shown.colours import COLOURS
from theory.shown.result import Drawn

__all__ = ["Training", "has_failed"]

Floats = NDArray[np.float64]
#: A run has failed if more than this part of the drop of its risk is missing at its end. The risk
#: at the critical point off the block manifold falls with the length: at L = 1000 linear attention
#: misses there 0.08 of its drop.
TOLERATED_SHORTFALL = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class Training(Drawn):
    """A run of SGD: what was trained, and its k records.

    Attributes
    ----------
    attention : {"softmax", "linear", "coupled"}
    prompt_length : int
    variant : str
    task : RegressionTask
    batch : int
    lr : float
    steps, every, seed : int
    step : ndarray of shape (k,)
        Steps done at each record.
    risk : ndarray of shape (k,), or (k, 2) for (softmax, linear) if coupled
        Mean of (T - y)² / 2 over the steps since the record before, each on fresh prompts and
        before its update.
    risk_error : ndarray of the shape of risk
        Its standard error, from the differences of neighbouring steps; nan for a record of a single
        step.
    parameters : Parameters
        After `step` steps; axes (k,), or (k, 2) if coupled, in front.
    initial : Parameters
    diverged : int or None
        The number of the step (from 0) whose loss or update was not a finite number. The run ends
        before it, and so do the records.

    Notes
    -----
    A run that `until` ended has fewer records than `steps` asks for, see `stopped`.
    """

    attention: str
    prompt_length: int
    variant: str
    task: RegressionTask
    batch: int
    lr: float
    steps: int
    every: int
    seed: int
    step: NDArray[np.int64]
    risk: Floats
    risk_error: Floats
    parameters: Parameters
    initial: Parameters
    diverged: int | None

    def heading(self) -> str:
        return f"{self.attention} attention, L = {self.prompt_length}, {self.variant}, seed {self.seed}"

    def rows(self) -> list[tuple[str, str]]:
        shown = []
        if len(self.step):
            pairs = zip(np.atleast_1d(self.risk[-1]), np.atleast_1d(self.risk_error[-1]))
            risks = " and ".join(
                f"{risk:.6g}" + f" ± {error:.2g}" * bool(error == error) for risk, error in pairs
            )  # nan: one step
            shown.append(("risk", f"{risks} up to step {self.step[-1]} of {self.steps}"))
        if self.diverged is not None:
            remedy = f"take a smaller learning rate than {self.lr:g}" + ", a smaller start or other units" * (
                self.diverged == 0
            )
            shown.append(("diverged", f"not finite at step {self.diverged}; {remedy}"))
        return shown

    def _draw(self, ax: Any) -> None:
        names = {"coupled": ("softmax", "linear")}.get(self.attention, (self.attention,))
        risks, errors = (x.reshape(len(self.step), -1).T for x in (self.risk, self.risk_error))
        for name, risk, error, colour in zip(names, risks, errors, (COLOURS["exact"], COLOURS["paper"])):
            ax.plot(self.step, risk, color=colour, linewidth=1.4, label=f"{name} attention")
            ax.fill_between(self.step, risk - error, risk + error, color=colour, alpha=0.25, linewidth=0)
        ax.axhline(
            self.task.null_risk, color=COLOURS["muted"], linewidth=1, linestyle="--", label="predicting 0"
        )
        ax.set(xlabel="step", ylabel="risk, ± standard error")

    @property
    def stopped(self) -> int | None:
        """The steps after which `until` ended the run; None if it went to its end, or diverged."""
        last = int(self.step[-1]) if len(self.step) else 0
        return last if self.diverged is None and 0 < last < self.steps else None

    @property
    def final(self) -> Parameters:
        """The last parameters that are finite; axis (2,) in front if coupled."""
        return self.parameters.at(-1) if len(self.step) else self.initial

    @property
    def distance(self) -> Floats:
        """|theta_soft - theta_lin|² at each record (k,), over all of O, V, K, Q."""
        if self.attention != "coupled":
            raise ValueError(
                f'only {self.attention} attention was trained; a distance needs train("coupled", ...)'
            )
        theta = pack(self.parameters)
        return np.asarray(((theta[:, 0] - theta[:, 1]) ** 2).sum((1, 2)))


def has_failed(risk: float, limit: float, null_risk: float) -> bool:
    """Whether a run ended far above the limit of the gradient flow from the block start: with more
    than a twentieth of the drop from the risk of predicting 0 to that limit still missing.
    """
    return risk - limit > TOLERATED_SHORTFALL * (null_risk - limit)
