"""A plan says what is trained and measured for Figures 1 to 8: data, architectures, prompt lengths,
seeds and steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from theory.inputs.whole_numbers import read_whole
from theory.regression.experiment import COVARIANCES, PROMPT_LENGTHS, VARIANTS
from theory.regression.task import RegressionTask

__all__ = ["FIGURES", "Plan", "RunKey", "number_of"]

FIGURES = (1, 2, 3, 4, 5, 6, 7, 8)
#: Figures 1 to 4 are drawn for isotropic data; Figures 5 to 8 repeat them for anisotropic data.
ISOTROPIC_FIGURES = 4
#: Prompt lengths of the curves over the steps in the paper.
CURVE_LENGTHS = (10, 100, 1000)
#: How an error about a length or a number of runs, steps or prompts ends.
COUNTS = "take a whole number from 1 on"


def number_of(kind: int, covariance: str) -> int:
    """The number in the paper of the figure that shows what Figure `kind`, of 1 to 4, shows.

    >>> number_of(2, "isotropic"), number_of(2, "anisotropic")
    (2, 6)
    """
    return kind + ISOTROPIC_FIGURES * list(COVARIANCES).index(covariance)


class RunKey(NamedTuple):
    """One training run."""

    #: "isotropic" or "anisotropic".
    covariance: str
    #: "as written" or "as coded".
    variant: str
    #: "coupled" trains both architectures on the same prompts.
    attention: str
    L: int
    #: It decides the start and the prompts.
    seed: int


@dataclass(frozen=True)
class Plan:
    """What is trained and measured: everything that determines the numbers behind the figures."""

    #: Some of 1, ..., 8.
    figures: tuple[int, ...] = FIGURES
    #: Prompt lengths of Figures 2 and 6, the risk of the trained models.
    lengths: tuple[int, ...] = PROMPT_LENGTHS
    #: The lengths of Figures 3, 4, 7 and 8, curves over the steps; here both architectures are
    #: trained on the same prompts.
    curve_lengths: tuple[int, ...] = CURVE_LENGTHS
    #: The lengths of Figures 1 and 5, both architectures at the same random parameters.
    gap_lengths: tuple[int, ...] = PROMPT_LENGTHS
    variants: tuple[str, ...] = tuple(VARIANTS)
    #: Runs at every length.
    seeds: int = 1
    #: Seed of the only run where a length has one; further runs have the seeds 0, 1, ... besides.
    #: The default was chosen because training succeeds from it at most lengths: from others a run
    #: ends far above the limit of the flow, and the paper trained failed runs again.
    first_seed: int = 4
    #: Runs at the lengths of `band_lengths`, where that is more than `seeds`.
    band_seeds: int = 5
    band_lengths: tuple[int, ...] = (10, 100)
    #: Starts at which Figures 1 and 5 compare the two architectures.
    gap_seeds: int = 5
    #: Steps of a run where the variant asks for more.
    most_steps: int | None = None
    #: Whether a run of one architecture ends once its risk has settled at its exact limit, see the
    #: module `stop_rule`. Runs of both on the same prompts go on to their last step: their distance
    #: has no exact limit.
    settle: bool = False
    #: Recorded points of a run.
    records: int = 200
    #: Variance of the label noise, prompts of a step, learning rate.
    noise: float = 0.1
    batch: int = 128
    lr: float = 1e-3
    #: Prompts behind each gap of outputs in Figures 1 and 5; those of gradients are means over all
    #: prompts.
    gap_prompts: int = 2**17
    #: Queries behind each final risk.
    points: int = 2**12

    def __post_init__(self) -> None:
        for name, known in (("figures", FIGURES), ("variants", tuple(VARIANTS))):
            entries = _entries(name, getattr(self, name))
            if strange := [entry for entry in entries if entry not in known]:
                raise ValueError(f"{name} has {strange[0]!r}; take some of {', '.join(map(repr, known))}")
        for name in ("lengths", "curve_lengths", "gap_lengths", "band_lengths"):
            for L in _entries(name, getattr(self, name)):
                read_whole(name, L, COUNTS)
        for name in ("seeds", "band_seeds", "gap_seeds", "records", "batch", "gap_prompts", "points"):
            read_whole(name, getattr(self, name), COUNTS)
        read_whole("first_seed", self.first_seed, "take a seed from 0 to 2^64 - 1", least=0, most=2**64 - 1)
        if self.most_steps is not None:
            read_whole("most_steps", self.most_steps, COUNTS)
        if not isinstance(self.settle, bool):
            raise TypeError(f"settle = {self.settle!r} is neither True nor False")
        for name, strictly in (("noise", False), ("lr", True)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"{name} = {value!r} is no number")
            if not math.isfinite(value) or value < 0 or (strictly and value == 0):
                raise ValueError(f"{name} = {value}; it must be finite and {'> 0' if strictly else '>= 0'}")

    @classmethod
    def full(cls, seeds: int = 1) -> Plan:
        """The runs of the paper, each to its last step: one seed (or `seeds`) at every length, five
        (or `seeds`) where the bands are drawn.
        """
        return cls(
            seeds=read_whole("seeds", seeds, COUNTS), band_seeds=max(seeds, 5), gap_seeds=max(seeds, 5)
        )

    @classmethod
    def usual(cls, seeds: int = 1) -> Plan:
        """As `full`, but runs end once they have settled, and bands are drawn from three seeds."""
        return replace(cls.full(seeds), settle=True, band_seeds=max(seeds, 3))

    @classmethod
    def quick(cls) -> Plan:
        """All figures in a minute: one seed, five prompt lengths, and a fifth of the steps."""
        lengths = (10, 30, 100, 300, 1000)
        return cls(
            lengths=lengths,
            gap_lengths=lengths,
            band_seeds=1,
            gap_seeds=2,
            most_steps=100_000,
            settle=True,
            records=100,
        )

    def only(self, *figures: int) -> Plan:
        """The same plan for some of its figures."""
        return replace(self, figures=tuple(figure for figure in self.figures if figure in figures))

    def steps(self, variant: str) -> int:
        """Steps of a run."""
        steps = VARIANTS[variant].steps
        return steps if self.most_steps is None else min(steps, self.most_steps)

    def task(self, covariance: str) -> RegressionTask:
        """The task of Section 6 on these data, ``w ~ N(0, I/d)``."""
        Sigma = COVARIANCES[covariance]
        return RegressionTask(Sigma, noise=self.noise, task_variance=1 / len(Sigma))

    def every(self, variant: str) -> int:
        """Steps between two records."""
        return max(1, self.steps(variant) // self.records)

    @property
    def covariances(self) -> tuple[str, ...]:
        """The data that the figures show."""
        return tuple(
            name
            for name in COVARIANCES
            if any(self.shows(kind, name) for kind in range(1, ISOTROPIC_FIGURES + 1))
        )

    @property
    def runs(self) -> tuple[RunKey, ...]:
        """Every run that is to be trained, each once."""
        return tuple(
            RunKey(covariance, variant, attention, L, seed)
            for covariance in self.covariances
            for variant in self.variants
            for L in self.lengths_of(covariance)
            for seed in self.seeds_of(L)
            for attention in (("coupled",) if L in self.curve_lengths else ("softmax", "linear"))
        )

    def seeds_at(self, L: int) -> int:
        """Runs at one prompt length."""
        return max(self.seeds, self.band_seeds) if L in self.band_lengths else self.seeds

    def seeds_of(self, L: int) -> tuple[int, ...]:
        """The seeds of these runs: `first_seed`, which every length has, and the least others."""
        count = self.seeds_at(L)
        others = [seed for seed in range(count) if seed != self.first_seed]
        return tuple(sorted([self.first_seed, *others[: count - 1]]))

    @property
    def all_seeds(self) -> tuple[int, ...]:
        """The seeds of all runs."""
        lengths = {L for covariance in self.covariances for L in self.lengths_of(covariance)}
        return tuple(sorted({seed for L in lengths for seed in self.seeds_of(L)}))

    def shows(self, kind: int, covariance: str) -> bool:
        """Whether Figure `kind`, of 1 to 4, is drawn for these data (where anisotropic, as Figure
        `kind` + 4).
        """
        return number_of(kind, covariance) in self.figures

    def lengths_of(self, covariance: str) -> list[int]:
        """Prompt lengths of the runs on these data."""
        lengths = set(self.lengths) if self.shows(2, covariance) else set()
        if self.shows(3, covariance) or self.shows(4, covariance):
            lengths |= set(self.curve_lengths)
        return sorted(lengths)


def _entries(name: str, value: object) -> tuple[object, ...]:
    if not isinstance(value, tuple):
        raise TypeError(f"{name} = {value!r} is no tuple; write {name}=(1, 2)")
    if not value:
        raise ValueError(f"{name} is empty; name at least one")
    if len(set(value)) < len(value):
        raise ValueError(f"{name} = {value} names something twice; name it once")
    return value
