"""The result of the exact engines: the mean squared errors of softmax attention at a list of prompt
lengths, for its output and for its gradients in V, U, K and Q; and how far two quadrature rules
vouch for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.attention.setting import AttentionSetting
from theory.inputs.spectrum import EPS, ROUNDING
from theory.shown.result import Drawn, few

__all__ = [
    "ExactErrors",
    "Named",
    "by_routes",
    "gap_to_linear",
    "of_square",
    "of_two_rules",
    "settled",
    "with_linear",
]

Floats = NDArray[np.float64]
Named = dict[str, Floats]
#: From lengths to values and errors by name.
Route = Callable[[Floats], tuple[Named, Named]]
#: The difference of the two rules is multiplied by this.
SAFETY = 3
#: Largest relative error with which a number is returned; beyond, it is nan.
LARGEST_ERROR = 1e-3
#: The squared bias may be 0, so that its error is relative to this share of its size without
#: cancellation, if that is larger.
BIAS_SHARE = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class ExactErrors(Drawn):
    """Mean squared errors against the infinite prompt, one entry for each length: squared Frobenius
    norms, summed over all rows of V.

    Parameters
    ----------
    lengths, output : array, shape (n,)
        ``E|T_L - T|^2`` at each length.
    from_linear : array, shape (n,)
        ``E|T_L - V Gamma U z|^2``, which is `output` for Gaussian tokens.
    squared_bias : array, shape (n,)
        ``|E[T_L | query] - T|^2``: the part of `output` that no average over prompts removes.
        Averaged over queries it is nan where V sees only directions whose scores have less than
        1e-6 of the largest deviation, which such averages leave out.
    grad_V, grad_U, grad_K, grad_Q : array, shape (n,)
        ``E|grad T_L - grad T|^2``; None in K and Q, if these were not given. For laws that are not
        Gaussian it is nan where the scores are so large that rounding leaves no digit of it; for
        large embedding tables only `grad_V` is computed.
    relative_error : array, shape (n,)
        Estimate of the relative error of these numbers: that of the quadrature at one query; over
        Gaussian queries the largest difference from the rule of twice the step, and by how much
        the probabilities of all nodes miss one. What rounding does to `squared_bias`, which may lie
        in the kernel of V, is relative to 1e-6 of ``output E sum p_k^2`` where that is larger.
    """

    lengths: Floats
    output: Floats
    from_linear: Floats
    squared_bias: Floats
    grad_V: Floats
    grad_U: Floats
    grad_K: Floats | None
    grad_Q: Floats | None
    relative_error: Floats

    def heading(self) -> str:
        at = _lengths(self.lengths)
        return f"Mean squared errors of softmax attention against the infinite prompt, exact, at {at}"

    def table(self) -> list[list[str]]:
        named = self._named()
        cells = zip(self.lengths, *named.values())
        return [["L", *named], *few([[f"{L:g}", *(f"{x:.4g}" for x in row)] for L, *row in cells])]

    def rows(self) -> list[tuple[str, str]]:
        off = self.relative_error[np.isfinite(self.relative_error)]
        return [
            (
                "relative error",
                f"at most {off.max():.1g} of each number, by a second quadrature" if len(off) else "unknown",
            )
        ]

    def _draw(self, ax: Any) -> None:
        colours = ("exact", "run-5", "theorem", "gradient", "paper", "run-6")
        self._curves(
            ax, self.lengths, [(name, y, None, c) for (name, y), c in zip(self._named().items(), colours)]
        )
        ax.set(xlabel="prompt length L", ylabel="mean squared error")

    def _named(self) -> dict[str, Floats]:
        names = ("output", "squared_bias", "grad_V", "grad_U", "grad_K", "grad_Q")
        found = {name: getattr(self, name) for name in names}
        return {name: x for name, x in found.items() if x is not None and np.isfinite(x).any()}


def _lengths(lengths: Floats) -> str:
    return f"{len(lengths)} prompt length{'s' if len(lengths) != 1 else ''}"


def by_routes(L: Floats, routes: Iterable[tuple[NDArray[np.bool_], Route]]) -> tuple[Named, Named]:
    """Values and errors at every length, each from the route whose lengths it belongs to."""
    values: Named = {}
    errors: Named = {}
    for where, route in routes:
        if where.any():
            for known, these in zip((values, errors), route(L[where])):
                for name, x in these.items():
                    known.setdefault(name, np.zeros(L.shape))[where] = x
    return values, errors


def of_two_rules(rules: Sequence[Mapping[str, Floats]], cancelled: float) -> tuple[Named, Named]:
    """Values and errors of means from two quadrature rules: their mean, and their difference. Names
    of the means are ``"mean 0"`` of the output, its ``"bias"``, the part of its mean ``"along"`` a
    direction and the ``"weights"``; under ``"terms of NAME"`` stands the size of the terms that
    cancel in a mean, with the relative rounding error ``cancelled``.
    """
    one, other = rules
    names = [name for name in one if not name.startswith("terms of ")]
    values = {name: (one[name] + other[name]) / 2 for name in names}
    errors = {name: SAFETY * np.abs(one[name] - other[name]) for name in names}
    for name in names:
        errors[name] = errors[name] + cancelled * one.get(f"terms of {name}", 0.0)
    errors["bias"] += of_square(values["bias"], cancelled**2 * values["weights"] * one["terms of mean 0"])
    errors["along"] += cancelled * np.sqrt(values["weights"] * one["terms of mean 0"])
    return values, errors


def gap_to_linear(
    setting: AttentionSetting, Gamma: Floats, mean: Floats, off: Floats
) -> tuple[float, float, Floats]:
    """How far the limit T is from V Gamma U z at a fixed query, the rounding error of that, and V'
    times the direction in which T lies, from the tilted mean of the tokens and its rounding errors.
    """
    tilt = np.abs(setting.U) @ np.abs(setting.query)
    if setting.gaussian or not tilt.any():  # T is V Gamma U z, or both are 0
        return 0.0, 0.0, np.zeros(setting.d)
    gap = setting.V @ (mean - Gamma @ (setting.U @ setting.query))
    products = ROUNDING * setting.d * EPS * np.abs(Gamma) @ tilt
    apart = float(np.linalg.norm(gap))
    return (
        apart,
        float(np.linalg.norm(np.abs(setting.V) @ (off + products))),
        setting.V.T @ gap / (apart or 1.0),
    )


def with_linear(
    values: Mapping[str, Floats], errors: Mapping[str, Floats], apart: float, off: float
) -> tuple[Named, Named]:
    """The means with ``E|T_L - V Gamma U z|^2`` under ``"from linear"`` in place of the mean of
    ``T_L - T`` ``"along"`` the direction from V Gamma U z to T, which are ``apart`` up to ``off``.

    >>> known = {"mean 0": np.array([2.0]), "bias": np.array([1.0]), "along": np.array([-1.0])}
    >>> off = {"mean 0": np.zeros(1), "along": np.zeros(1)}
    >>> with_linear(known, off, 1.0, 0.0)[0]["from linear"]
    array([1.])
    """
    values, errors = dict(values), dict(errors)
    apart = apart if apart > off else 0.0
    values["from linear"] = values["mean 0"] + 2 * apart * values.pop("along") + apart**2
    errors["from linear"] = errors["mean 0"] + 2 * apart * errors.pop("along")
    errors["from linear"] = (
        errors["from linear"] + 2 * off * (np.sqrt(np.abs(values["bias"])) + apart) + off**2
    )
    return values, errors


def of_square(square: Floats, off: Floats) -> Floats:
    """The error of the square of a vector, from that square and that of the vector's error."""
    # Roots come first: the product of the two squares may be below the range of floats.
    return np.asarray(2 * np.sqrt(np.abs(square)) * np.sqrt(off) + off)


def settled(
    values: Mapping[str, Floats], errors: Mapping[str, Floats], L: Floats, *, rounding: float, law: str
) -> tuple[dict[str, Floats], Floats]:
    """The means of `of_two_rules` without those of which rounding leaves no digit, which become
    nan, and the relative error of the others. ``rounding`` is the relative error of every number;
    an output of which no digit is left is refused.

    >>> known = {"mean 0": np.array([2.0]), "bias": np.array([0.0]), "weights": np.array([0.5])}
    >>> off = {"mean 0": np.array([1e-9]), "bias": np.array([0.0]), "weights": np.array([0.0])}
    >>> settled(known, off, np.array([10.0]), rounding=1e-13, law="signs")[1].round(11)
    array([5.e-10])
    """
    left = dict(values)
    least = {"bias": BIAS_SHARE * left.pop("weights") * left["mean 0"]}
    relative = np.full(L.shape, rounding)
    for name, x in left.items():
        with np.errstate(divide="ignore", invalid="ignore"):
            share = errors[name] / np.maximum(np.abs(x), least.get(name, 0.0))
        apart = rounding + np.where(errors[name] == 0, 0.0, share)
        lost = ~(apart <= LARGEST_ERROR)
        if name == "mean 0" and lost.any():
            worst = int(np.argmax(np.where(np.isnan(apart), np.inf, apart)))
            raise ValueError(
                f"for the law {law} and L = {L[worst]:g} the output is known to {apart[worst]:.1g} of "
                "itself only: scores so large leave less of it than rounding does; scale U down, leave out "
                "such lengths, or sample by numerics.attention_errors"
            )
        left[name] = np.where(lost, np.nan, x)
        relative = np.maximum(relative, np.where(lost, 0.0, apart))
    return left, relative
