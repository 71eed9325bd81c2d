"""Lemmas that are not one inequality between numbers. The general `forall` also takes sums up to a
variable, sequences, samples of a law, and matrices; `exists` looks for a constant, `order` and
`limit` for a rate, and `lemma` reads any of these as text.
"""

from __future__ import annotations

from numerics.lemmas.asymptotics.constants import exists
from numerics.lemmas.asymptotics.limits import limit
from numerics.lemmas.asymptotics.orders import order
from numerics.lemmas.every import forall
from numerics.lemmas.laws.words import (
    CdfGap,
    E,
    Iid,
    P,
    Quantile,
    SampleMax,
    SampleMean,
    SampleMedian,
    SampleMin,
    SampleSum,
    SampleVar,
    Var,
)
from numerics.lemmas.matrices.heads import (
    FrobeniusNorm,
    LargestEigenvalue,
    Matrices,
    OperatorNorm,
    SmallestEigenvalue,
)
from numerics.lemmas.text.lemma import Lemma, lemma, read_lemma

__all__ = [
    "CdfGap",
    "E",
    "FrobeniusNorm",
    "Iid",
    "LargestEigenvalue",
    "Lemma",
    "Matrices",
    "OperatorNorm",
    "P",
    "Quantile",
    "SampleMax",
    "SampleMean",
    "SampleMedian",
    "SampleMin",
    "SampleSum",
    "SampleVar",
    "SmallestEigenvalue",
    "Var",
    "exists",
    "forall",
    "lemma",
    "limit",
    "order",
    "read_lemma",
]
