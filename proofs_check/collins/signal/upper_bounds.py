"""Lemma C.4 and the upper half of Corollary C.6 of Collins et al.: the signal term of affine tasks
from above, derived for every number of tokens and in every dimension, and evaluated exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from numerics.evidence import Evidence
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.window.along_lengths import at_most
from theory.attention.window.classes import affine

Floats = NDArray[np.float64]
Bound = Callable[[int, int, Floats], Floats]
DIMENSIONS, LENGTHS = (2, 3, 5, 8), (1, 2, 10, 1000, 10**6)


def least_of_wide(d: int) -> float:
    """Where the wide windows begin."""
    return (d + math.sqrt(d)) / 2


def wide(d: int, n: int) -> Floats:
    return np.geomspace(least_of_wide(d), 300.0, 6)


def narrow(d: int, n: int) -> Floats:
    return np.geomspace(0.1, 0.999 * least_of_wide(d), 4)


def tried(stated: str, of_wide: Bound, of_narrow: Bound) -> Iterator[Evidence]:
    """Bounds on the signal term of affine tasks at L = 1, for wide and for narrow windows."""
    for bound, widths in ((of_wide, wide), (of_narrow, narrow)):
        yield at_most(affine, bound, dimensions=DIMENSIONS, lengths=LENGTHS, widths=widths, checked=stated)


@claim("COL:C.4", control=(dict(power=3), dict(four=Fraction(1, 4))))
def affine_tasks_from_above(*, power: int = 2, four: int | Fraction = 4) -> Evidence:
    r"""The signal term is at most $\frac{L^2}{3d}C(\frac{1}{w^2}+\frac{w^{d/2-1}}{n})$, where the
    exponent of $w^2$ is `power`, plus $\frac{4L^2}{n}$, for every $d\geq2$, every $n$ and all
    $w\geq\frac{d+\sqrt d}{2}$, with a constant $C$ of $d$ that is written out; and at most `four`
    = 4 times $L^2$ at every width. It is tried at $L=1$ for $d$ from 2 to 8, $n$ from 1 to $10^6$
    and $w$ from 1/10 to 300, with $C=1+\frac{d^2}{16}$.
    """
    scale = lambda d: (1 + d * d / 16) / (3 * d)
    bound = lambda d, n, w: scale(d) * (w ** -float(power) + w ** (d / 2 - 1) / n) + 4 / n
    stated = r"\mathcal L_{\rm sig}\leq\tfrac{C}{3d}(w^{-2}+w^{d/2-1}/n)+\tfrac4n"
    return derivation(
        "COL:C.4", *tried(stated, bound, lambda d, n, w: float(four) + 0 * w), power=power, four=four
    )


@claim("COL:C.6/upper", control=(dict(power=3), dict(share=Fraction(1, 5))))
def for_every_width(*, power: int = 2, share: Fraction = Fraction(1, 2)) -> Evidence:
    r"""For $w\geq\frac{d+\sqrt d}{2}$ the signal term is at most $L^2C(\frac{1}{w^2}+
    \frac{w^{d/2-1}}{n}+\frac1n)$, where the exponent of $w^2$ is `power`, for every $d\geq2$ and
    every $n$; and for smaller widths at most `share` = 1/2 times $L^2\frac{d^2}{w^2}$. It is tried
    at $L=1$ for $d$ from 2 to 8, $n$ from 1 to $10^6$ and $w$ from 1/10 to 300, with $C=\frac15$.
    """
    bound = lambda d, n, w: (w ** -float(power) + w ** (d / 2 - 1) / n + 1 / n) / 5
    stated = r"\mathcal L_{\rm sig}\leq C(w^{-2}+w^{d/2-1}/n+\tfrac1n)"
    searches = tried(stated, bound, lambda d, n, w: float(share) * (d / w) ** 2)
    return derivation("COL:C.6/upper", *searches, power=power, share=share)
