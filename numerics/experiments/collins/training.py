"""Trains what the figures of Collins et al. show, with Adam on M, by their Appendix J."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.window.matrix_training import train_matrix
from numerics.compiled.source_digest import digest_of_sources
from numerics.experiments.collins.settings import (
    FIGURES,
    K_9,
    NAMED,
    RATES,
    ROOTS,
    Choices,
    Curve,
    Setting,
    settings,
)
from numerics.experiments.trained import run_jobs
from numerics.jobs.job import Attempt, Job, Progress

__all__ = ["TASK_VALUES", "Experiments", "Trained", "measure"]

Floats = NDArray[np.float64]
#: Records of a training, and tasks on which M is tested.
RECORDS, TESTED = 50, 500
#: Rough seconds of a step, for the time left.
SECONDS = 3e-6
#: The tasks that M is tested on: f of t = u'x and of what is drawn, of shape (3, tasks, 1).
TASK_VALUES: Mapping[str, Callable[[Floats, float, Floats], Floats]] = {
    "affine": lambda t, L, drawn: L * (drawn[0] * t + drawn[2]),
    "relu": lambda t, L, drawn: L * (np.where(t > 0, drawn[0], -drawn[1]) * t + drawn[2]),
    "cosine": lambda t, L, drawn: np.cos(L * t),
    "plane": lambda t, L, drawn: L * t + 2,
    "square": lambda t, L, drawn: (L * t) ** 2,
}


class Trained(NamedTuple):
    """The trials of a curve at one rate, of which a record ends each fiftieth of the steps."""

    #: Steps done at a record.
    steps: Floats
    #: The spectral norm of M.
    norm: Floats
    #: The mean over the steps of a record.
    loss: Floats
    #: ``|B_perp' M B_perp| / sigma_k(B' M B)``; nan where tasks are not of low rank.
    rho: Floats
    #: Squared error on 500 tasks of each class of the tests.
    tested: Floats

    @property
    def final(self) -> float:
        """The mean loss over the last tenth of the steps; infinite where a trial diverged."""
        last = float(self.loss[:, -RECORDS // 10 :].mean())
        return last if np.isfinite(last) else float("inf")


@dataclass(frozen=True)
class Experiments:
    """Everything that was trained."""

    choices: Choices
    figures: tuple[int, ...]
    curves: Mapping[Curve, Trained]
    #: Seconds by the clock, and of processor time.
    seconds: float
    work_seconds: float

    def best_rate(self, figure: int, panel: str, name: str) -> float:
        """The rate of the paper's grid with the least loss at the end."""
        return min(RATES, key=lambda rate: self.curves[Curve(figure, panel, name, rate)].final)

    def shown(self, figure: int, panel: str, name: str) -> Trained:
        """A curve at the rate that the paper names, or at the best one where it names none."""
        rate = NAMED.get(figure) or self.best_rate(figure, panel, name)
        return self.curves[Curve(figure, panel, name, rate)]

    def names(self, figure: int) -> dict[str, list[str]]:
        """The curves of each panel of a figure."""
        found: dict[str, list[str]] = {}
        for curve in self.curves:
            if curve.figure == figure and curve.rate == RATES[0]:
                found.setdefault(curve.panel, []).append(curve.name)
        return found


class _Prompts(NamedTuple):
    """Tokens (tasks, n, d), queries (tasks, d), labels (tasks, n) and targets (tasks,)."""

    tokens: Floats
    query: Floats
    labels: Floats
    target: Floats


def _spread(s: Setting, trial: int) -> tuple[Floats | str | None, Floats | None]:
    """The root of the covariates of a trial, and the directions B of its tasks. The vector
    ``(J'J)^{1/2} z`` of Appendix J has the law of ``J'z``, for J and z Gaussian.
    """
    if s.covariates == "stretched":
        return np.diag(np.arange(1.0, s.d + 1)), None
    if s.covariates == "uniform":
        return None, None
    rng = np.random.default_rng([trial, s.d])
    B = np.linalg.qr(rng.standard_normal((s.d, K_9)))[0]
    return ("redrawn" if s.covariates == ROOTS[0] else rng.standard_normal((s.d, s.d))), B


@lru_cache(maxsize=32)
def _prompts(task: str, slope: float, s: Setting, trial: int) -> _Prompts:
    """The tasks on which the trials of a setting are tested."""
    root, directions = _spread(s, trial)
    rng = np.random.default_rng([trial, s.n, s.d, 1])
    x = rng.standard_normal((TESTED, s.n + 1, s.d))
    if root is not None:
        x = x @ (rng.standard_normal((TESTED, s.d, s.d)) if isinstance(root, str) else root.T)
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    D = np.eye(s.d) if directions is None else directions
    u = rng.standard_normal((TESTED, D.shape[1]))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    t = np.einsum("mnd,md->mn", x, u @ D.T)
    f = TASK_VALUES[task](t, slope, rng.uniform(-1, 1, (3, TESTED, 1)))
    return _Prompts(x[:, :-1], x[:, -1], f[:, :-1] + s.sigma * rng.standard_normal((TESTED, s.n)), f[:, -1])


def _error(M: Floats, at: _Prompts, softmax: bool) -> float:
    """The mean squared error of attention with M."""
    weights = np.einsum("mnd,md->mn", at.tokens, at.query @ M.T)
    if softmax:
        weights = np.exp(weights - weights.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
    return float(np.mean((np.einsum("mn,mn->m", weights, at.labels) - at.target) ** 2))


def _rho(M: Floats, B: Floats) -> float:
    """How much of M lies beyond the columns of B, over its least singular value on them."""
    outside = np.linalg.svd(B)[0][:, B.shape[1] :]
    inside = np.linalg.svd(B.T @ M @ B, compute_uv=False)[-1]
    return float(np.linalg.norm(outside.T @ M @ outside, 2) / inside) if inside else float("inf")


def _trial(s: Setting, rate: float, trial: int) -> Floats:
    """The records of a trial: norm, loss, rho, and a column for each test; nan if it diverged."""
    root, B = _spread(s, trial)
    every = max(1, s.steps // RECORDS)
    records = s.steps // every
    model: dict[str, Any] = {
        "d": s.d,
        "n": s.n,
        "L": s.L,
        "sigma": s.sigma,
        "queries": s.queries,
        "softmax": s.softmax,
    }
    try:
        run = train_matrix(
            s.task,
            steps=records * every,
            lr=rate,
            decay=s.decay,
            root=root,
            directions=B,
            normalised=root is not None,
            every=every,
            seed=trial,
            **model,
        )
    except ValueError as error:
        if "is not finite" not in str(error):
            raise
        return np.full((records, 3 + len(s.tests)), np.nan)
    found = np.empty((records, 3 + len(s.tests)))
    for i, M in enumerate([*run.kept[1:], run.M]):
        rho = np.nan if B is None else _rho(M, B)
        tested = [
            _error(M, _prompts(*test, s._replace(task="", L=0.0, tests=(), steps=0), trial), s.softmax)
            for test in s.tests
        ]
        found[i] = [np.linalg.norm(M, 2), run.losses[i * every : (i + 1) * every].mean(), rho, *tested]
    return found


def _job(curve: Curve, s: Setting, code: str) -> Job:
    def compute(attempt: Attempt) -> Floats:
        return np.concatenate([_trial(s, curve.rate, trial) for trial in range(s.trials)])

    content = {name: float(v).hex() if isinstance(v, float) else str(v) for name, v in s._asdict().items()}
    label = f"Figure {curve.figure}, {curve.panel}, {curve.name}, rate {curve.rate:g}"
    return Job(
        label, content | {"rate": curve.rate.hex(), "code": code}, s.steps * s.trials * SECONDS, compute
    )


def measure(
    choices: Choices = Choices(),
    figures: Iterable[int] = FIGURES,
    *,
    folder: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] = lambda state: None,
) -> Experiments:
    """Train what the figures show (nothing is trained for 2 and 7), at every rate of the paper's
    grid: Collins, Parulekar, Mokhtari, Sanghavi & Shakkottai, Section 3.2 and Appendix J. Finished
    runs are kept in the folder, and the same call goes on where a killed one was; the numbers do
    not depend on the threads.
    """
    figures = tuple(sorted(set(figures)))
    if not figures or not set(figures) <= set(FIGURES):
        raise ValueError(
            f"figures = {list(figures)} are none of {FIGURES}; pass some of these, such as [3, 4]"
        )
    _check(choices)
    code = digest_of_sources(__name__)
    wanted = settings(choices, figures)
    jobs = {curve: _job(curve, s, code) for curve, s in wanted.items()}
    numbers, seconds, work = run_jobs(jobs, folder, threads, progress)
    curves = {}
    for curve, s in wanted.items():
        every = max(1, s.steps // RECORDS)
        table = numbers[curve].reshape(s.trials, s.steps // every, -1)
        steps = every * np.arange(1.0, table.shape[1] + 1)
        curves[curve] = Trained(
            steps, table[..., 0], table[..., 1], table[..., 2], np.moveaxis(table[..., 3:], 2, 0)
        )
    return Experiments(choices, figures, curves, seconds, work)


def _check(choices: Choices) -> None:
    for field in fields(Choices):
        value = getattr(choices, field.name)
        values = value if isinstance(value, tuple) else (value,)
        least = 0.0 if field.name in ("sigmas", "noise") else 1.0 if field.name != "L" else None
        if not values:
            raise ValueError(f"{field.name} is empty; pass some numbers")
        if len(set(values)) < len(values):
            raise ValueError(f"{field.name} = {value} names a number twice; pass each once")
        for x in values:
            if not (np.isfinite(x) and (x > 0 if least is None else x >= least)):
                raise ValueError(
                    f"{field.name} = {x} is {'not positive' if least is None else f'less than {least:g}'}; "
                    "pass more"
                )
