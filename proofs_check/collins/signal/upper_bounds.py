"""Lemma C.4 and the upper half of Corollary C.6 of Collins et al.: the signal term of affine tasks
from above, evaluated exactly.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from numerics.evidence import Evidence
from proofs_check.core.claim import claim
from proofs_check.instances.window.along_lengths import at_most
from theory.attention.window.classes import affine

DIMENSIONS, LENGTHS = (2, 3, 5, 8), (1, 2, 10, 1000, 10**6)


def wide(d: int, n: int) -> NDArray[np.float64]:
    return np.geomspace((d + math.sqrt(d)) / 2, 300.0, 6)


def every(d: int, n: int) -> NDArray[np.float64]:
    return np.geomspace(0.1, 300.0, 8)


@claim(
    "COL:C.4",
    control=(dict(constant=Fraction(2, 5)), dict(power=3)),
    needs=("COL:C.2", "COL:C.4a", "COL:C.4b", "COL:C.4c"),
)
def affine_tasks_from_above(*, constant: int | Fraction = 1, power: int = 2) -> Evidence:
    r"""At $L=1$ the signal term is at most `constant` = 1 times $(1+\frac{d^2}{16})$ times
    $\frac{1}{3d}(\frac{1}{w^2}+\frac{w^{d/2-1}}{n})$, plus $\frac4n$, for $d$ from 2 to 8, $n$ from
    1 to $10^6$ and $w$ from $\frac{d+\sqrt d}{2}$ to 300; in $w^2$ the exponent is `power`.
    """
    scale = lambda d: float(constant) * (1 + d * d / 16) / (3 * d)
    bound = lambda d, n, w: scale(d) * (w ** -float(power) + w ** (d / 2 - 1) / n) + 4 / n
    stated = r"\mathcal L_{\rm sig}\leq\tfrac{C}{3d}(w^{-2}+w^{d/2-1}/n)+\tfrac4n"
    return at_most(affine, bound, dimensions=DIMENSIONS, lengths=LENGTHS, widths=wide, checked=stated)


@claim("COL:C.6/upper", control=(dict(constant=Fraction(1, 10)), dict(power=3)), needs=("COL:C.4",))
def for_every_width(*, constant: int | Fraction = Fraction(1, 5), power: int = 2) -> Evidence:
    r"""At $L=1$ the signal term is at most `constant` = 1/5 times
    $\frac{1}{w^2}+\frac{w^{d/2-1}}{n}+\frac1n$ for $d$ from 2 to 8, $n$ from 1 to $10^6$ and $w$
    from 1/10 to 300; in $w^2$ the exponent is `power`.
    """
    bound = lambda d, n, w: float(constant) * (w ** -float(power) + w ** (d / 2 - 1) / n + 1 / n)
    stated = r"\mathcal L_{\rm sig}\leq C(w^{-2}+w^{d/2-1}/n+\tfrac1n)"
    return at_most(affine, bound, dimensions=DIMENSIONS, lengths=LENGTHS, widths=every, checked=stated)
