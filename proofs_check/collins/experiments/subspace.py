"""Figure 9 of Collins et al.: what attention learns of the subspace of tasks of low rank."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from numerics.attention.sampled.confidence_limits import clopper_pearson
from numerics.attention.window.circle import circle_loss
from numerics.attention.window.matrix_training import train_matrix
from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.evidence import Evidence
from proofs_check.core.claim import claim
from proofs_check.instances.outcomes import supported, undecided

Floats = NDArray[np.float64]
#: Appendix J: dimensions, tokens, noise; the rate at which softmax attention does best on planes.
D, K, N, SIGMA, RATE = 10, 2, 50, 0.01, 0.001
TRIALS, STEPS = 40, 4000
DRAWN = "It is about runs of Adam, which are drawn."
TASKS: dict[str, Callable[[Floats], Floats]] = {"square": np.square, "plane": lambda t: t + 2}


@cache
def best_inside(task: str, n: int) -> tuple[float, float]:
    """The best alpha of M = alpha BB' on the circle, and its loss."""
    losses = [(circle_loss(a, 0.0, n, TASKS[task]), a) for a in np.linspace(0, 40, 81)]
    near = min(losses)[1]
    found = minimize_scalar(
        lambda a: circle_loss(a, 0.0, n, TASKS[task]), bounds=(max(0, near - 1), near + 1), method="bounded"
    )
    return float(found.x), float(found.fun)


@claim("COL:Fig9/circle", control=dict(task="plane"))
def directions_beyond_help(*, task: str = "square", beta: float = 10.0, n: int = 10) -> Evidence:
    r"""On squares $(a^\top B^\top x)^2$, $d=2$, $k=1$, 10 tokens uniform on the circle and no
    noise, the best $M=\alpha BB^\top$ of those with $0\leq\alpha\leq40$ has a larger loss than
    $M=\beta I$ with $\beta=10$, since $\|B_\perp^\top x\|^2=1-\|B^\top x\|^2$ tells a token with a
    small label; on planes $a^\top B^\top x+2$ it has not. Assumption 4.3 fixes $\|B^\top x\|$, so
    that Theorem 4.4 does not see this.
    """
    alpha, inside = best_inside(task, n)
    other = circle_loss(beta, beta, n, TASKS[task])
    if other < inside:
        covered = f"{inside:.5f} at alpha = {alpha:.3f}, against {other:.5f}"
        return supported("quadrature", covered)
    again = circle_loss(beta, beta, n, TASKS[task], rule="gauss") - circle_loss(
        alpha, 0.0, n, TASKS[task], rule="gauss"
    )
    witness = {
        "n": n,
        "alpha": round(alpha, 3),
        "beta": beta,
        "loss of alpha BB'": inside,
        "loss of beta I": other,
    }
    return refuted_by_two_routes("quadrature", witness, other - inside, 0.0, again)


def trained(
    task: str, seed: int, softmax: bool, steps: int, lr: float, L: float = 1.0
) -> tuple[float, float]:
    """rho of M after training, and the mean loss over the last tenth of the steps."""
    B = np.linalg.qr(np.random.default_rng(seed).standard_normal((D, K)))[0]
    run = train_matrix(
        task,
        d=D,
        n=N,
        L=L,
        sigma=SIGMA,
        steps=steps,
        lr=lr,
        decay=1.0,
        softmax=softmax,
        root="redrawn",
        directions=B,
        normalised=True,
        seed=seed,
    )
    outside = np.linalg.svd(B)[0][:, K:]
    inside = np.linalg.svd(B.T @ run.M @ B, compute_uv=False)[-1]
    return float(np.linalg.norm(outside.T @ run.M @ outside, 2) / inside), float(
        run.losses[-steps // 10 :].mean()
    )


@claim("COL:Fig9", needs=("COL:Fig9/plane", "COL:Fig9/linear", "COL:Fig9/circle"))
def squares_and_cosines_teach_their_subspace() -> Evidence:
    r"""After 4000 steps on squares and on cosines, with $d=10$, $k=2$, $n=50$ and a root of the
    covariates for each task, $\rho$ is small.
    """
    told = []
    for (task, L), lr in product((("square", 1.0), ("cosine", 4.0)), (0.001, 0.01)):
        runs = np.array([trained(task, seed, True, STEPS, lr, L) for seed in range(TRIALS)])
        small = int(np.sum(runs[:, 0] <= 0.25))
        told.append(
            f"{task} tasks at the rate {lr}: rho <= 1/4 in {small} of {TRIALS} trials, mean error "
            f"{runs[:, 1].mean():.3f}"
        )
    return undecided("Monte Carlo", "; ".join(told))


@claim("COL:Fig9/plane", unproved=DRAWN, control=dict(task="square", lr=0.01))
def planes_teach_their_subspace(*, task: str = "plane", lr: float = RATE) -> Evidence:
    r"""After 4000 steps on $a^\top B^\top x+2$ at the rate .001, with $d=10$, $k=2$, $n=50$ and a
    root of the covariates for each task, $\rho\leq\frac14$ in at least half of all trials; error
    probability $10^{-6}$.
    """
    event = lambda rng, n: np.array(
        [trained(task, int(s), True, STEPS, lr)[0] <= 0.25 for s in rng.integers(2**31, size=n)]
    )
    return clopper_pearson(event, ">=", 0.5, TRIALS)


@claim("COL:Fig9/linear", unproved=DRAWN, control=dict(softmax=True))
def linear_attention_learns_nothing(*, softmax: bool = False) -> Evidence:
    r"""After 4000 steps of linear attention on $a^\top B^\top x+2$ the loss is at least nine tenths
    of the least mean square of $f$, which is 4, in at least half of all trials; error probability
    $10^{-6}$.
    """
    event = lambda rng, n: np.array(
        [trained("plane", int(s), softmax, STEPS, RATE)[1] >= 3.6 for s in rng.integers(2**31, size=n)]
    )
    return clopper_pearson(event, ">=", 0.5, TRIALS)
