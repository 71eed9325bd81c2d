"""What each curve of the figures of Collins et al. trains on, by Section 3.2 and Appendix J."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

__all__ = [
    "FIGURES",
    "LINEAR",
    "NAMED",
    "RATES",
    "READINGS",
    "TRAINED",
    "Choices",
    "Curve",
    "Setting",
    "settings",
]

#: The figures that are drawn, and those of them that are trained; the others are exact.
FIGURES, TRAINED = (1, 2, 3, 4, 5, 7, 9), (1, 3, 4, 5, 9)
#: The learning rates that the paper tried, and those that it names for a figure.
RATES = (0.001, 0.01, 0.1)
NAMED = {1: 0.01, 3: 0.1, 4: 0.01, 5: 0.1}
LINEAR = "linear attention"
#: The two readings of the class of Figure 1: what varies with nu, the height or the angle.
READINGS = {"nu cos(angle - b), as printed": "linear", "cos(nu angle - b)": "phase"}
NUS = (0.0, 1.5, 6.0)
#: Section 3.2: dimension, Lipschitz constant, tokens, and standard deviation of the noise.
D, L, N, SIGMA = 5, 1.0, 20, 0.01
#: The length and dimensions of Figures 5 and 9, and the lengths of Figure 1.
N_5, D_9, K_9, N_9 = 200, 10, 2, 50
CONTEXTS = (5, 10, 20, 50, 100, 200)
STEPS_1 = 15_000
#: Figure 5: what is trained on, by its name; the first three are also what is tested on.
PRETRAINED = {
    "affine, L = 1": ("affine", 1.0),
    "ReLU, L = 1": ("relu", 1.0),
    "cosine, L = 1": ("cosine", 1.0),
    "cosine, L = 0.1": ("cosine", 0.1),
    "cosine, L = 10": ("cosine", 10.0),
}
#: Figure 9: the classes of low rank, with their Lipschitz constants.
LOW_RANK = {"a'B'x + 2": ("plane", 1.0), "(a'B'x)^2": ("square", 1.0), "cos(4 a'B'x)": ("cosine", 4.0)}
#: The readings of "a random matrix J", of which covariates are a Gaussian vector times a root.
ROOTS = ("a root for each task", "one root")


@dataclass(frozen=True)
class Choices:
    """What only the pictures of the paper show, or nothing, and how large the experiment is."""

    #: Lipschitz constants of Figure 3.
    L: tuple[float, ...] = (0.3, 1.0, 3.0, 10.0)
    #: Standard deviations of the noise in Figure 4.
    sigmas: tuple[float, ...] = (0.01, 0.1, 0.3, 1.0)
    #: Labelled tokens in Figure 4.
    lengths: tuple[int, ...] = (5, 20, 50, 200)
    #: Standard deviation of the noise in Figure 1.
    noise: float = 0.1
    #: The steps of Figures 3 to 5; those of Figure 1 are printed, Figure 9 has four times as many.
    steps: int = 5000
    #: Figure 9 has half of them.
    trials: int = 10


class Curve(NamedTuple):
    """A curve of a figure at a learning rate: ``name`` tells it from the others of its panel."""

    figure: int
    panel: str
    name: str
    rate: float


class Setting(NamedTuple):
    """How a curve is trained."""

    #: As in `numerics.attention.window.matrix_training.train_matrix`, for d, n, L and sigma too.
    task: str
    d: int
    n: int
    L: float
    sigma: float
    steps: int
    trials: int
    #: The factor of the learning rate from step to step.
    decay: float = 0.999
    #: floor(sqrt n) where None.
    queries: int | None = None
    softmax: bool = True
    #: On the sphere: uniform; or a Gaussian vector times a matrix, over its norm. The matrix is
    #: diag(1, ..., d), or has Gaussian entries, drawn for each task or for each trial; then tasks
    #: are of B'x alone.
    covariates: str = "uniform"
    #: The tasks on which M is tested as it is trained.
    tests: tuple[tuple[str, float], ...] = ()


def settings(choices: Choices, figures: Iterable[int]) -> dict[Curve, Setting]:
    """The trainings of some figures, in the order of their curves."""
    makers = {1: _first, 3: _third, 4: _fourth, 5: _fifth, 9: _ninth}
    curves = [(number, *one) for number in figures if number in makers for one in makers[number](choices)]
    return {Curve(number, panel, name, rate): s for number, panel, name, s in curves for rate in RATES}


Named = tuple[str, str, Setting]


def _first(c: Choices) -> list[Named]:
    """Errors over n, for both attentions and readings; as printed, nu = 0 has the task 0 only."""
    return [
        (
            f"{reading}, nu = {nu:g}",
            f"{'softmax' if softmax else LINEAR}, n = {n}",
            Setting(task, 2, n, nu, c.noise, STEPS_1, c.trials, decay=1.0, softmax=softmax),
        )
        for reading, task in READINGS.items()
        for nu in NUS
        if nu or task == "phase"
        for softmax in (True, False)
        for n in CONTEXTS
    ]


def _third(c: Choices) -> list[Named]:
    return [
        (
            f"{title}, {covariates}",
            f"L = {slope:g}",
            Setting(task, D, N, slope, SIGMA, c.steps, c.trials, covariates=covariates),
        )
        for title, task in (("ReLU", "relu"), ("cosine", "cosine"))
        for covariates in ("uniform", "stretched")
        for slope in c.L
    ]


def _fourth(c: Choices) -> list[Named]:
    kinds = (("ReLU", "relu"), ("cosine", "cosine"))
    noises = [
        (f"{t}, noise", f"sigma = {s:g}", Setting(k, D, N, L, s, c.steps, c.trials))
        for t, k in kinds
        for s in c.sigmas
    ]
    lengths = [
        (f"{t}, length", f"n = {n}", Setting(k, D, n, L, SIGMA, c.steps, c.trials, queries=1))
        for t, k in kinds
        for n in c.lengths
    ]
    return [*noises, *lengths]


def _fifth(c: Choices) -> list[Named]:
    tests = tuple(PRETRAINED.values())[:3]
    return [
        ("test error", name, Setting(task, D, N_5, slope, SIGMA, c.steps, c.trials, tests=tests))
        for name, (task, slope) in PRETRAINED.items()
    ]


def _ninth(c: Choices) -> list[Named]:
    trials = -(-c.trials // 2)
    return [
        (
            f"{title}, {covariates}",
            "softmax" if softmax else LINEAR,
            Setting(
                task,
                D_9,
                N_9,
                slope,
                SIGMA,
                4 * c.steps,
                trials,
                1.0,
                None,
                softmax,
                covariates,
                ((task, slope),),
            ),
        )
        for title, (task, slope) in LOW_RANK.items()
        for covariates in ROOTS
        for softmax in (True, False)
    ]
