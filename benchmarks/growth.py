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
MATRIX: Any = {"d": 5, "sigma": 0.01, "lr": 0.1, "steps": 500, "every": 500}


@dataclass(frozen=True)
class Growth:
    """A call for each size; the `work` of a call is by what its time is divided, such as steps."""

    call: str
    size: str
    sizes: tuple[int, ...]
    made: Callable[[int], Callable[[], object]]
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


def by(work: int, power: int = 0) -> Callable[[int], int]:
    return lambda size: work // size**power


def descent(features: np.ndarray, steps: int) -> Callable[[], object]:
    return partial(
        attention_descent, FeatureRegression(features, np.eye(len(features))), 1.0, steps, records=[steps]
    )


PLAIN, ANY = by(2**27, 2), by(2**30, 3)
GROWTHS = [
    Growth("exact_errors(query=)", "d", (64, 128, 256, 512), lambda d: exact(d, query=np.ones(d) / d**0.5)),
    Growth("exact_errors(query_cov=)", "d", (32, 64, 128, 256), lambda d: exact(d, query_cov=np.eye(d))),
    Growth('attention_errors(method="tokens")', "L", (64, 128, 256, 512, 1024, 2048), lambda L: drawn("tokens", L)),
    Growth('attention_errors(method="tokens"), L = 100', "d", (8, 16, 32, 64, 128), lambda d: drawn("tokens", d=d)),
    Growth('attention_errors(method="scores")', "L", (64, 128, 256, 512, 1024, 2048), lambda L: drawn("scores", L)),
    Growth("how_linear, rows of 64 numbers", "table rows", (4000, 8000, 16_000, 32_000), lambda n: with_table(n, 64)),
    Growth("how_linear, 8000 rows", "d", (32, 64, 128, 256), lambda d: with_table(8000, d)),
    Growth('train("softmax"), a step', "L", (64, 128, 256, 512), lambda L: partial(train, "softmax", L, steps=100), by(100)),
    Growth("train_matrix, a step", "n", (25, 50, 100, 200, 400), lambda n: partial(train_matrix, "affine", n=n, **MATRIX), by(500)),
    Growth("optimal_window", "n", (400, 800, 1600, 3200, 6400, 12_800), lambda n: partial(optimal_window, affine(1), 5, n, 0.1)),
    Growth("attention_descent, orthonormal", "K", (32, 64, 128, 256, 512), lambda K: descent(np.eye(K), PLAIN(K)), PLAIN),
    Growth("attention_descent, any features", "K", (32, 64, 128, 256), lambda K: descent(setting_of(K)["U"], ANY(K)), ANY),
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
