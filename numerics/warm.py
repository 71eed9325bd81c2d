"""The command ``warm``: compile kernels now, which first calls would wait for."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from numerics.terminal.inputs import InputError

__all__ = ["NAMES", "add_warm"]

#: What there is to compile, by the calls that need it.
NAMES = {
    "exact": "exact_errors, how_linear, ask, rates",
    "sampling": "attention_errors, sweep",
    "training": "train",
    "flows": "gradient flows",
    "features": "attention_descent, attention_flow",
    "windows": "attention windows, train_matrix",
}


def add_warm(commands: Any) -> None:
    """Add the command ``warm``.

    >>> parser = argparse.ArgumentParser()
    >>> add_warm(parser.add_subparsers())
    >>> parser.parse_args(["warm", "exact", "training"]).names
    ['exact', 'training']
    """
    warm = commands.add_parser(
        "warm",
        help="compile kernels now instead of in the first calls, and say how long that takes",
        description="Compiles the kernels that are named, all by default: "
        + "; ".join(f"{name} ({calls})" for name, calls in NAMES.items()),
        epilog="exit status: 0; 2 if a name is none of these",
    )
    warm.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(NAMES)}")
    warm.set_defaults(run=_warm)


def _warm(options: argparse.Namespace) -> int:
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        raise InputError(f"{unknown[0]!r} names no kernels; take any of {', '.join(NAMES)}, or none for all")
    from numba.core import event

    from numerics.attention.quadrature.weight_tables import panel_sums

    for name in dict.fromkeys(options.names or NAMES):
        start = time.perf_counter()
        with event.install_recorder("numba:compile") as recorder:
            _compile(name)
        done = sum(what.is_start for _, what in recorder.buffer)
        print(f"{name:9s} {time.perf_counter() - start:5.1f} s  {done} functions compiled", flush=True)
    folder = Path(panel_sums.stats.cache_path)
    print(f"compiled code is kept in {folder.parents[1] if folder.name == '__pycache__' else folder.parent}")
    return 0


def _compile(name: str) -> None:
    """Make the smallest calls that need the kernels of this name."""
    import numpy as np

    from numerics.attention.distance.how_linear import how_linear
    from numerics.attention.exact.dispatch import exact_errors
    from numerics.attention.sampled.estimate import attention_errors
    from numerics.attention.setting import AttentionSetting
    from numerics.regression.features.descent import attention_descent
    from numerics.regression.features.flow import attention_flow
    from numerics.token_laws import built_in
    from numerics.training.run import train

    one, two, start = np.eye(1), np.eye(2), np.ones(2)
    if name == "exact":
        exact_errors(two, two, two, [10], query=start)
        exact_errors(two, two, two, [10], query_cov=two)
        how_linear(AttentionSetting(two, two, two, query=start), [100])
    elif name == "sampling":
        attention_errors(two, two, two, start, 2, replicates=2, method="scores")
        attention_errors(two, two, two, None, 2, query_cov=two, replicates=2, method="tokens")
        for law in (built_in.rademacher, built_in.uniform, built_in.sphere, built_in.ball):
            attention_errors(law(2), two, two, start, 2, replicates=2, method="tokens")
    elif name == "training":
        for attention, L in (("softmax", 2), ("linear", 2), ("coupled", 2), ("coupled", 100)):
            train(attention, L, steps=1)
    elif name == "flows":
        from numerics.regression.flow.diagonal import Spectrum, finite_prompt_path
        from numerics.regression.flow.infinite_prompt import integrate_flow

        integrate_flow(one, one, 0.5)
        finite_prompt_path([0.5], 0.5, Spectrum((1.0,), (1,)), None, noise=0.0)
    elif name == "features":
        from theory.regression.features.data import FeatureRegression

        attention_descent(FeatureRegression(two, two), 1.0, 1)
        attention_flow(FeatureRegression(two, two), [1.0])
    else:
        from numerics.attention.window.loss import window_loss
        from numerics.attention.window.matrix_training import train_matrix
        from theory.attention.window.classes import affine

        window_loss(affine(1), 3, 5, 2.0, noise=0.01)
        train_matrix(d=2, n=4, steps=1)
