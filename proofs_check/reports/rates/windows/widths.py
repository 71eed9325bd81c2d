"""The table of best widths: over Lambda = n L^2/sigma^2 for long prompts and at finite n, over
sigma down to no noise, and over the smoothness of a class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import zeta

from numerics.attention.window.best_width import optimal_window
from numerics.attention.window.long_prompts import long_prompt_window
from theory.attention.window.classes import Spectrum, TaskClass, affine, cosine, relu
from theory.attention.window.laws import crossover_law, curvature_law, exponent, relu_law

__all__ = [
    *(
        "AFFINE",
        "COSINE",
        "CROSSING",
        "DIMENSIONS",
        "FAR_FROM",
        "LENGTHS",
        "RELU",
        "SHOWN_D",
        "THETAS",
        "THETA_DIMENSIONS",
        "WHOLES",
    ),
    *(
        "Smoothness",
        "Table",
        "Width",
        "best",
        "finite",
        "sharp_exponent",
        "sharp_law",
        "shown_dimension",
        "spectrum_for",
        "width_table",
    ),
]

#: The classes of the paper, with L = 1, and that which pictures have of its Section 3.2.
AFFINE, RELU, COSINE = affine(1), relu(1), cosine(1)
#: Dimensions and values of Lambda of the lines, and the dimension of pictures.
DIMENSIONS, WHOLES, SHOWN_D = tuple(range(2, 9)), tuple(10.0**e for e in range(1, 14)), 3
#: From where on the width is a power of Lambda.
FAR_FROM = 1e7
#: Lengths of prompts on the same axes.
LENGTHS = (100, 10_000)
#: Where the noise vanishes: dimension, length and sigma^2.
CROSSING = (5, 10_000, tuple(10.0**e for e in range(1, -9, -1)))
#: Exponents of smoothness, their dimensions, and the widths between which an exponent is fitted.
THETAS, THETA_DIMENSIONS, REACHED = (0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0), (2, 3, 5, 8), (1e4, 1e5)


class Width(NamedTuple):
    """One row of the table: the best width in a place."""

    tasks: str
    d: int
    #: Tokens in a prompt; None is the law for n = oo.
    n: int | None
    #: n/sigma^2 at L = 1; infinite without noise.
    Lambda: float
    #: 0 where no window is best.
    w: float
    #: ``d log w/d log Lambda`` between the neighbouring rows; nan at the ends.
    slope: float
    #: What our law says.
    law: float


class Smoothness(NamedTuple):
    """The exponent of a class with ``b_k = k^{-1-2 theta}``, fitted, and of our R16."""

    theta: float
    d: int
    fitted: float
    law: float


class Table(NamedTuple):
    """All rows."""

    #: For n = oo, in every dimension that was asked for.
    far: list[Width]
    #: At finite n, in the dimension of the pictures.
    near: list[Width]
    #: At one n as sigma -> 0; their law is that of the crossover.
    crossing: list[Width]
    smoothness: list[Smoothness]

    @property
    def rows(self) -> list[Width]:
        """Every width."""
        return [*self.far, *self.near, *self.crossing]


def spectrum_for(tasks: TaskClass, d: int, whole: float) -> Spectrum:
    """The spectrum with the degrees that the best width at Lambda needs, several roots of it."""
    return tasks.spectrum(d, max(400, int(8 * math.sqrt(float(relu_law(d, whole))))))


@cache
def best(tasks: TaskClass, d: int, whole: float) -> float:
    """The best width for long prompts, kept between the table and the lines."""
    return long_prompt_window(spectrum_for(tasks, d, whole), whole)


@cache
def finite(tasks: TaskClass, d: int, n: int, noise: float) -> float:
    """The best width at finite n, by our R13."""
    return optimal_window(tasks, d, n, noise).w


def sharp_exponent(tasks: str, d: int) -> float:
    """The exponent of Lambda in our law: 2/(d+2) with the kink of ReLU tasks, 2/(d+3) without."""
    return 2 / (d + 2) if tasks == RELU.name else 2 / (d + 3)


def sharp_law(tasks: TaskClass, d: int, whole: float) -> float:
    """The best width of our R8 and R14."""
    return float(
        relu_law(d, whole) if tasks is RELU else curvature_law(d, tasks.spectrum(d).curvature, whole)
    )


def _rows(tasks: TaskClass, d: int, n: int | None, wholes: Sequence[float]) -> list[Width]:
    """The widths over Lambda, with local slopes."""
    w = [best(tasks, d, whole) if n is None else finite(tasks, d, n, n / whole) for whole in wholes]
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = np.log(wholes), np.where(np.array(w) > 0, np.log(w), math.nan)
    slopes = [math.nan, *((y[2:] - y[:-2]) / (x[2:] - x[:-2])).tolist(), math.nan]
    return [Width(tasks.name, d, n, *row, sharp_law(tasks, d, row[0])) for row in zip(wholes, w, slopes)]


def _crossing() -> list[Width]:
    """The widths as sigma -> 0 at one n, of smooth classes."""
    d, n, noises = CROSSING
    rows = []
    for tasks in (AFFINE, COSINE):
        s = tasks.spectrum(d)
        for noise in (*noises, 0.0):
            whole = float(round(n / noise)) if noise else math.inf
            law = crossover_law(d, s.curvature, s.slope, n, noise)
            rows.append(Width(tasks.name, d, n, whole, finite(tasks, d, n, noise), math.nan, law))
    return rows


@cache
def power_law(d: int, theta: float) -> Spectrum:
    """The spectrum ``b_k = k^{-1-2 theta}``, k >= 1, with degrees for widths up to `REACHED`."""
    k = np.arange(1.0, 8 * math.sqrt(REACHED[1]))
    return Spectrum(d, np.concatenate([[0.0], k ** (-1 - 2 * theta)]), float(zeta(1 + 2 * theta, len(k) + 1)))


@cache
def fitted_smoothness(d: int, theta: float) -> float:
    """The exponent of Lambda between the two values at which R16 puts the widths `REACHED`."""
    law = float(exponent(d, theta))
    wholes = [w ** (1 / law) for w in REACHED]
    w = [long_prompt_window(power_law(d, theta), whole) for whole in wholes]
    return math.log(w[1] / w[0]) / math.log(wholes[1] / wholes[0])


def smoothness() -> list[Smoothness]:
    """The phase diagram of our R16."""
    return [
        Smoothness(t, d, fitted_smoothness(d, t), float(exponent(d, t)))
        for d in THETA_DIMENSIONS
        for t in THETAS
    ]


def shown_dimension(dimensions: Sequence[int]) -> int:
    """The dimension of the pictures: 3 if it is asked for, and else the first."""
    return SHOWN_D if SHOWN_D in dimensions else dimensions[0]


def width_table(
    dimensions: Sequence[int],
    own: TaskClass | None = None,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> Table:
    """The whole table; `own` is the user's class. `advance` is told how many choices of tasks and
    dimension are done, and of how many.

    >>> row = width_table([3]).far[3]
    >>> row.Lambda, round(row.w, 3), round(row.slope, 3)
    (10000.0, 6.525, 0.333)
    """
    classes = [AFFINE, RELU, COSINE, *([own] if own else [])]
    places, far = [(tasks, d) for tasks in classes for d in dimensions], []
    for i, (tasks, d) in enumerate(places):
        far += _rows(tasks, d, None, WHOLES)
        advance(i + 1, len(places))
    d = shown_dimension(dimensions)
    near = [row for n in LENGTHS for tasks in classes for row in _rows(tasks, d, n, WHOLES[::2])]
    return Table(far, near, _crossing(), smoothness())
