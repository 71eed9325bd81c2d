"""How the cost of calls grows: `python -m benchmarks.growth`.

The exponent is the slope of the logarithm of the CPU time over that of the size, fitted by least
squares to the medians of repeated calls at sizes that double. Run it with OMP_NUM_THREADS=1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks._ratio import typical
from numerics import AttentionSetting, attention_descent, attention_errors, exact_errors, how_linear, train
from numerics.attention.window.best_width import optimal_window
from numerics.attention.window.matrix_training import train_matrix
from numerics.token_laws import embedding_table
from theory import FeatureRegression
from theory.attention.window.classes import affine

LENGTHS = (10, 100, 1000, 10**4)
Made = Callable[[int], Callable[[], object]]
MATRIX: Any = {"d": 5, "sigma": 0.01, "lr": 0.1, "steps": 500, "every": 500}


@dataclass(frozen=True)
class Growth:
    """A call for each size; the `work` of a call is by what its time is divided, such as steps."""

    call: str
    size: str
    sizes: tuple[int, ...]
    made: Made
    work: Callable[[int], float] = lambda size: 1.0


def setting_of(d: int) -> dict[str, Any]:
    """Tokens of different variances and an U of scores of order 1 for a query of order 1."""
    rng = np.random.default_rng(d)
    return {
        "Gamma": np.diag(np.linspace(0.5, 1.5, d)),
        "U": rng.standard_normal((d, d)) / (2 * d),
        "V": np.eye(d),
    }


def table_of(n: int, d: int) -> AttentionSetting:
    X = np.random.default_rng(n).standard_normal((n, d), dtype=np.float32)
    return AttentionSetting(embedding_table(X), np.eye(d) / d, np.eye(d), np.ones(d) / d**0.5)


def exact(d: int, **query: Any) -> Callable[[], object]:
    return partial(exact_errors, **setting_of(d), lengths=LENGTHS, **query)


def with_table(n: int, d: int) -> Callable[[], object]:
    return lambda: how_linear(table_of(n, d), LENGTHS)


def drawn(method: str, L: int = 100, d: int = 4) -> Callable[[], object]:
    given = setting_of(d)
    return partial(
        attention_errors,
        **given,
        query=np.ones(d),
        lengths=L,
        replicates=2048,
        seed=1,
        threads=1,
        method=method,
    )


def trained(L: int) -> Callable[[], object]:
    return partial(train, "softmax", L, steps=100)


def matrix_trained(n: int) -> Callable[[], object]:
    return partial(train_matrix, "affine", n=n, **MATRIX)


def doubled(first: int, count: int) -> tuple[int, ...]:
    return tuple(first * 2**k for k in range(count))


def by(work: int, power: int = 0) -> Callable[[int], int]:
    return lambda size: work // size**power


def any_features(K: int) -> np.ndarray:
    return setting_of(K)["U"]


def descent(features: Callable[[int], np.ndarray], steps: Callable[[int], int]) -> Made:
    def made(K: int) -> Callable[[], object]:
        problem = FeatureRegression(features(K), np.eye(K))
        return partial(attention_descent, problem, 1.0, steps(K), records=[steps(K)])

    return made


PLAIN, ANY = by(2**27, 2), by(2**30, 3)
GROWTHS = [
    Growth("exact_errors(query=)", "d", doubled(64, 4), lambda d: exact(d, query=np.ones(d) / d**0.5)),
    Growth("exact_errors(query_cov=)", "d", doubled(32, 4), lambda d: exact(d, query_cov=np.eye(d))),
    Growth('attention_errors(method="tokens")', "L", doubled(64, 6), lambda L: drawn("tokens", L)),
    Growth('attention_errors(method="tokens"), L = 100', "d", doubled(8, 5), lambda d: drawn("tokens", d=d)),
    Growth('attention_errors(method="scores")', "L", doubled(64, 6), lambda L: drawn("scores", L)),
    Growth("how_linear, rows of 64 numbers", "table rows", doubled(4000, 4), lambda n: with_table(n, 64)),
    Growth("how_linear, 8000 rows", "d", doubled(32, 4), lambda d: with_table(8000, d)),
    Growth('train("softmax"), a step', "L", doubled(64, 4), trained, by(100)),
    Growth("train_matrix, a step", "n", doubled(25, 5), matrix_trained, by(500)),
    Growth("optimal_window", "n", doubled(400, 6), lambda n: partial(optimal_window, affine(1), 5, n, 0.1)),
    Growth("attention_descent, orthonormal", "K", doubled(32, 5), descent(np.eye, PLAIN), PLAIN),
    Growth("attention_descent, any features", "K", doubled(32, 4), descent(any_features, ANY), ANY),
]  # fmt: skip


def row(growth: Growth) -> str:
    seconds = np.array([typical(growth.made(size), repeats=3) / growth.work(size) for size in growth.sizes])
    exponent = np.polyfit(np.log(growth.sizes), np.log(seconds), 1)[0]
    ends = (
        f"{growth.sizes[0]:,} to {growth.sizes[-1]:,} | {1e3 * seconds[0]:.3g} to {1e3 * seconds[-1]:.3g} ms"
    )
    call, comma, more = growth.call.partition(", ")
    return f"| `{call}`{comma}{more} | {growth.size} | {exponent:.2f} | {ends} |"


if __name__ == "__main__":
    print("| call | in | exponent | from, to | CPU time |\n|---|---|--:|---|---|")
    for growth in GROWTHS:
        print(row(growth), flush=True)
