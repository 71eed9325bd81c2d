"""Figures 2 to 5 and 7 of Collins et al. by exact minimisers, and what the training of Appendix J
makes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import permutations

import numpy as np
import sympy as sp

from numerics.attention.sampled.confidence_limits import clopper_pearson
from numerics.attention.window.best_width import BestWindow
from numerics.attention.window.loss import window_loss
from numerics.attention.window.matrix_training import train_matrix
from numerics.attention.window.plain import plain_spread, plain_window_loss
from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.evidence import Evidence, all_of
from numerics.provers import forall
from proofs_check.core.claim import claim
from proofs_check.instances.outcomes import charge, supported
from proofs_check.instances.window.ordered import Place, best_window, grows
from theory.attention.window.classes import TaskClass, affine, cosine, relu

#: Section 3.2: dimension, tokens, and standard deviation of the noise; the tokens of Figure 5.
D, N, SIGMA, N_5 = 5, 20, 0.01, 200
#: Trials, of which a probability is estimated with an error of 1e-6, and steps of each.
TRIALS, STEPS = 40, 5000
CLASSES = {"affine": affine, "ReLU": relu, "cosine": cosine}
WIDTHS = "Best widths are found by exact losses; no prover reaches them."


@claim("COL:J.setup", control=dict(most=500))
def rates_sum_up(*, most: int = 1000) -> Evidence:
    r"""With the factor $q=.999$ from step to step the rates of $t$ steps, $\eta\frac{1-q^t}{1-q}$,
    together are at most `most` = 1000 times the first one.
    """
    eta, t = sp.symbols("eta t", positive=True)
    q = sp.Rational(999, 1000)
    return forall(eta * (1 - q**t) / (1 - q), "<=", most * eta, {eta: (0, sp.oo), t: (0, sp.oo)})


def mean_bias(w: float, nodes: int = 800) -> float:
    """The mean square of the difference of an affine task with L = 1, d = 5 and n = 20 and the
    expected value of its estimate, which is (|u'x| l times half the mean spread of the tokens)^2.
    """
    return (plain_spread(D, N, w, nodes=nodes) / 2) ** 2 / (3 * D)


@claim("COL:Fig2", control=dict(sign=-1), needs=("COL:2.tradeoff",))
def bias_falls_and_variance_grows(*, sign: int = 1) -> Evidence:
    r"""For affine tasks with $L=1$, $d=5$ and $n=20$ the mean square of the bias, which is the
    distance of the expected estimate from the label of the query, falls as the window shrinks, on
    40 widths from $10^{-2}$ to $10^2$, and the variance of the estimate for a given task, of the
    tokens and of noise with $\sigma=.01$, grows; `sign` = -1 exchanges the two. The whole signal
    term, which holds the variance of the tokens, first falls and then rises.
    """
    widths = [float(w) for w in np.geomspace(1e-2, 1e2, 40)]
    spectrum = affine(1).spectrum(D)
    losses = window_loss(spectrum, D, N, widths, SIGMA**2).loss
    bias = np.array([mean_bias(w) for w in widths])
    plain = lambda w: plain_window_loss(spectrum, N, w, SIGMA**2, nodes=1600) - mean_bias(w, 1600)
    falls = steps("bias", widths, -sign * bias, lambda w: -sign * mean_bias(w, 1600))
    return all_of(falls, steps("variance", widths, sign * (losses - bias), lambda w: sign * plain(w)))


def steps(
    name: str, widths: Sequence[float], values: np.ndarray, again: Callable[[float], float]
) -> Evidence:
    """The values of a quantity never fall from one width to the next."""
    worst = int(np.argmin(np.diff(values)))
    low, high = widths[worst], widths[worst + 1]
    checked = rf"\text{{{name}}}"
    if values[worst] <= values[worst + 1]:
        covered = (
            f"{len(widths)} widths from {widths[0]:g} to {widths[-1]:g}: from {abs(values[0]):.3g} "
            f"to {abs(values[-1]):.3g}"
        )
        return supported("quadrature", covered, checked=checked)
    witness = {
        "w": low,
        "larger w": high,
        name: abs(float(values[worst])),
        "at the larger": abs(float(values[worst + 1])),
    }
    down = float(values[worst] - values[worst + 1])
    return refuted_by_two_routes("quadrature", witness, down, 0.0, again(low) - again(high), checked=checked)


@claim("COL:Fig2/noise", control=dict(factor=Fraction(9, 10)), needs=("COL:2.tradeoff",))
def variance_grows(*, factor: int | Fraction = 1) -> Evidence:
    r"""The variance of the estimate, for $d=5$, $n=20$ and $\sigma=1$, grows with the width, on 60
    widths from $10^{-2}$ to $10^2$; `factor` = 1 multiplies it at the larger of two widths.
    """
    widths = np.geomspace(1e-2, 1e2, 60)
    noise = window_loss(affine(1), D, N, widths, 1.0).noise
    worst = int(np.argmax(noise[:-1] - float(factor) * noise[1:]))
    low, high = float(noise[worst]), float(factor) * float(noise[worst + 1])
    if high >= low:
        return supported("quadrature", "d = 5, n = 20, w from 0.01 to 100")
    spectrum = affine(1).spectrum(D)
    plain = lambda w: plain_window_loss(spectrum, N, float(w), 1.0) - plain_window_loss(spectrum, N, float(w))
    again = plain(widths[worst]) - float(factor) * plain(widths[worst + 1])
    witness = {
        "w": float(widths[worst]),
        "larger w": float(widths[worst + 1]),
        "variance": low,
        "at the larger": high,
    }
    return refuted_by_two_routes("quadrature", witness, low - high, 0.0, again)


@lru_cache(maxsize=None, typed=True)
def tasks_of(name: str, L: float) -> TaskClass:
    """One class of tasks for each L, so that what is kept of it is found again."""
    return CLASSES[name](L)


def along_slopes(name: str, slopes: tuple[float, ...]) -> Evidence:
    """The best width of a class over L, in the setting of Figure 3."""
    places = [
        Place(f"L = {L:g}", tasks_of(name, L), D, N, SIGMA**2, {"d": D, "n": N, "L": L}) for L in slopes
    ]
    return grows(places, r"\|M^*\|\text{ grows with }L")


@claim("COL:Fig3", control=dict(slopes=(0.3, 1.0, 1.5, 3.0)), needs=("OURS:R13.window",))
def norm_grows_with_the_slope(*, slopes: tuple[float, ...] = (0.1, 0.3, 1.0, 1.5)) -> Evidence:
    r"""The best width of cosine tasks grows with $L=.1,.3,1,\frac32$, for $d=5$, $n=20$ and
    $\sigma=.01$.
    """
    return along_slopes("cosine", slopes)


@claim("COL:Fig3/convex", unproved=WIDTHS, control=dict(slopes=(10.0, 1.0)), needs=("OURS:R13.window",))
def norm_grows_for_homogeneous_tasks(*, slopes: tuple[float, ...] = (0.1, 0.3, 1.0, 3.0, 10.0)) -> Evidence:
    r"""For affine and for ReLU tasks, $d=5$, $n=20$, $\sigma=.01$, the best width grows with $L$,
    though from $L=1$ to 10 by less than half a percent.
    """
    return all_of(*(along_slopes(name, slopes) for name in ("affine", "ReLU")))


def norm_of(
    task: str, n: int, sigma: float, lr: float, seed: int, steps: int, queries: int | None = None
) -> float:
    """The spectral norm of M after training as in Appendix J, with L = 1."""
    run = train_matrix(task, d=D, n=n, sigma=sigma, steps=steps, lr=lr, queries=queries, seed=seed)
    return float(np.linalg.norm(run.M, 2))


def trials(rng: np.random.Generator, n: int) -> list[int]:
    return [int(x) for x in rng.integers(2**31, size=n)]


@claim("COL:Fig3/trained", control=dict(within=Fraction(1, 16)), needs=("OURS:R13.window",))
def training_finds_the_minimiser(*, within: Fraction = Fraction(1, 4)) -> Evidence:
    r"""At the rate .1 with decay .999 the norm of $M$ after 5000 steps on ReLU tasks and on cosine
    tasks with $L=1$ is within a quarter of the exact minimiser $2w^*$, in at least half of all
    trials; error probability $10^{-6}$.
    """
    exact = {
        task: 2 * best_window(tasks_of(name, 1), D, N, SIGMA**2).w
        for task, name in (("relu", "ReLU"), ("cosine", "cosine"))
    }

    def event(rng: np.random.Generator, n: int) -> np.ndarray:
        near = lambda task, seed: abs(norm_of(task, N, SIGMA, 0.1, seed, STEPS) / exact[task] - 1) <= within
        return np.array([all(near(task, seed) for task in exact) for seed in trials(rng, n)])

    return clopper_pearson(event, ">=", 0.5, TRIALS)


def settings(name: str) -> list[Place]:
    """The problems of Figure 4, from much noise to little, and then from few tokens to many."""
    tasks = tasks_of(name, 1)
    noises = [Place(f"sigma = {s}", tasks, D, N, s**2, {"sigma": s, "n": N}) for s in (1.0, 0.3, 0.1, 0.01)]
    return noises + [
        Place(f"n = {n}", tasks, D, n, SIGMA**2, {"sigma": SIGMA, "n": n}) for n in (50, 100, 200)
    ]


@claim(
    "COL:Fig4",
    unproved=WIDTHS,
    control=dict(reverse=True),
    needs=("OURS:R13.window",),
    hypotheses=("n >= 1",),
)
def norm_over_noise_and_length(*, reverse: bool = False) -> Evidence:
    r"""For affine, ReLU and cosine tasks with $L=1$ and $d=5$ the best width does not fall as
    $\sigma$ falls from 1 to .01, and grows with $n$ from 20 to 200.
    """
    return all_of(*(grows(settings(name)[:: -1 if reverse else 1], r"w^*\text{ grows}") for name in CLASSES))


@claim("COL:Fig4/trained", control=dict(reverse=True))
def trained_norm_over_noise_and_length(*, reverse: bool = False) -> Evidence:
    r"""At the printed rate .01 the norm of $M$ after 2000 steps on ReLU tasks is larger for
    $\sigma=.01$ than for .3, and larger for 200 tokens than for 5 (with one query), in at least
    half of all trials; error probability $10^{-6}$.
    """

    def event(rng: np.random.Generator, n: int) -> np.ndarray:
        found = []
        for seed in trials(rng, n):
            norms = [norm_of("relu", N, s, 0.01, seed, 2000) for s in (0.3, 0.01)]
            more = [norm_of("relu", m, SIGMA, 0.01, seed, 2000, 1) for m in (5, 200)]
            found.append(all((a > b) if reverse else (a < b) for a, b in (norms, more)))
        return np.array(found)

    return clopper_pearson(event, ">=", 0.5, TRIALS)


def best_for(tasks: TaskClass) -> BestWindow:
    """The best window in the setting of Figure 5."""
    return best_window(tasks, D, N_5, SIGMA**2)


def compared(trained: TaskClass, tested: TaskClass, times: float, op: str, L: float) -> Evidence:
    """The loss at the width of other tasks is at most, or at least, so many times the best loss."""
    w, best = best_for(trained), best_for(tested)
    ratio = float(window_loss(tested, D, N_5, w.w, SIGMA**2).loss) / best.loss
    if ratio <= times if op == "<=" else ratio >= times:
        at = f"{tested.name} tasks at {w.w:.4g}, the width of {trained.name} tasks with L = {L:g}"
        covered = f"{at}: {ratio:.5f} times the best loss"
        return supported("quadrature", covered)
    spectrum = tested.spectrum(D)
    again = plain_window_loss(spectrum, N_5, w.w, SIGMA**2) / plain_window_loss(
        spectrum, N_5, best.w, SIGMA**2, nodes=1600
    )
    witness = {"d": D, "n": N_5, "L of training": L, "w": round(w.w, 4), "loss over the best loss": ratio}
    sign = 1 if op == "<=" else -1
    return refuted_by_two_routes("quadrature", witness, sign * ratio, sign * times, sign * again)


@claim("COL:Fig5", unproved=WIDTHS, control=dict(times=Fraction(1008, 1000)), needs=("COL:T3.5",))
def pairings_are_similar(*, times: Fraction = Fraction(105, 100)) -> Evidence:
    r"""For $d=5$, $n=200$, $\sigma=.01$ the loss on affine, ReLU and cosine tasks with $L=1$ at the
    width learned on another of these classes is at most 1.05 times the best.
    """
    return all_of(
        *(
            compared(tasks_of(a, 1), tasks_of(b, 1), float(times), "<=", 1)
            for a, b in permutations(CLASSES, 2)
        )
    )


@claim("COL:Fig5/cosines", unproved=WIDTHS, control=dict(slopes=(0.5, 3.0)), needs=("COL:Fig3",))
def cosines_of_other_slopes_fail(*, slopes: tuple[float, ...] = (0.1, 10.0)) -> Evidence:
    r"""At the width learned on cosine tasks with $L=.1$ or 10, which is 0 for both, the loss on
    those with $L=1$ is at least five times the best.
    """
    return all_of(
        *(compared(tasks_of("cosine", slope), tasks_of("cosine", 1), 5.0, ">=", slope) for slope in slopes)
    )


@claim(
    "COL:Fig5/necessary",
    **charge(false="gap", follows="COL:T3.5.iff", costs="nothing"),
    repair=dict(trained="cosine"),
    control=dict(trained="cosine", times=7),
    hypotheses=("d >= 2", "n >= 1"),
)
def similar_slopes_are_necessary(
    *, trained: str = "affine", times: int | Fraction = Fraction(11, 10)
) -> Evidence:
    r"""At the width learned on affine tasks with $L=10$ the loss on those with $L=1$ is at least
    $\frac{11}{10}$ of the best; repaired, the same of cosine tasks with $L=\frac1{10}$ and 10.
    """
    slopes = (10.0,) if trained == "affine" else (0.1, 10.0)
    return all_of(
        *(
            compared(tasks_of(trained, slope), tasks_of(trained, 1), float(times), ">=", slope)
            for slope in slopes
        )
    )


@claim("COL:Fig7", control=dict(share=Fraction(1, 20)), needs=("COL:Fig2",))
def noise_bounds_the_width(*, share: int | Fraction = 1) -> Evidence:
    r"""For affine tasks with $L=1$, $d=5$ and $n=20$ the signal term alone exceeds the least loss
    at $w=0$, and the noise term alone at some width, for which its supremum $\sigma^2$ has to, at
    the least noise $\sigma^2=n^{-2/d}$ of Theorem E.1, times `share` = 1. In the experiments, where
    $\sigma=.01$ is below it, the least loss is 179 times $\sigma^2$ and no noise bounds the width.
    """
    noise = float(share) * N ** (-2 / D)
    best = best_window(tasks_of("affine", 1), D, N, noise)
    without = float(window_loss(affine(1), D, N, 0.0).loss)
    if best.loss <= min(noise, without):
        covered = f"least loss {best.loss:.4f}, sigma^2 = {noise:.4f}, signal term at w = 0 {without:.4f}"
        return supported("quadrature", covered)
    again = plain_window_loss(affine(1).spectrum(D), N, best.w, noise)
    witness = {"d": D, "n": N, "sigma^2": noise, "least loss": best.loss, "at w": round(best.w, 4)}
    return refuted_by_two_routes("quadrature", witness, best.loss, noise, again)


@claim(
    "COL:3.2.beyond",
    **charge(false="gap", costs="a hypothesis"),
    needs=("OURS:R14.law", "OURS:R8.law"),
    repair=dict(sigma=0.01),
    control=dict(sigma=0.2),
    hypotheses=("sigma > 0",),
)
def window_depends_on_the_slope_alone(*, sigma: float = 0.3) -> Evidence:
    r"""The loss on cosine tasks at the best width of affine tasks with the same $L=1$ is at most
    1.1 times their best loss, for $d=5$, $n=20$; $\sigma=.3$, repaired $.01$.
    """
    w, best = (best_window(tasks_of(t, 1), D, N, sigma**2) for t in ("affine", "cosine"))
    ratio = float(window_loss(cosine(1), D, N, w.w, sigma**2).loss) / best.loss
    if ratio <= 1.1:
        return supported("quadrature", f"sigma = {sigma:g}: {ratio:.4f} times the best loss")
    spectrum = cosine(1).spectrum(D)
    again = plain_window_loss(spectrum, N, w.w, sigma**2) / plain_window_loss(spectrum, N, best.w, sigma**2)
    witness = {
        "d": D,
        "n": N,
        "sigma": sigma,
        "w of affine tasks": round(w.w, 4),
        "w of cosine tasks": round(best.w, 4),
    }
    return refuted_by_two_routes(
        "quadrature", witness | {"loss over the best loss": ratio}, ratio, 1.1, again
    )
