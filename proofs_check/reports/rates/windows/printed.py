"""The laws that Collins et al. print for the best width of an attention window, against exact
widths. A printed law holds up to constants: it is false if the exact quantity, divided by it, grows
(or falls) without bound along a sequence that meets the hypotheses. No table can show this; a line
says whether the ratio still moves like a power of Lambda up to Lambda = 10^13.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import NamedTuple

from numerics.attention.window.loss import window_loss
from proofs_check.reports.rates.lines.line import Line, judged
from proofs_check.reports.rates.lines.slopes import exponent
from proofs_check.reports.rates.windows.widths import (
    AFFINE,
    DIMENSIONS,
    FAR_FROM,
    RELU,
    SHOWN_D,
    WHOLES,
    best,
    finite,
    spectrum_for,
)
from theory.attention.window.classes import TaskClass, affine
from theory.attention.window.laws import bias, long_prompt_loss

__all__ = ["POWERS", "SHOWN", "ours", "printed_lines", "ratio"]

#: Which values of Lambda are told.
SHOWN = {1e3: "10^3", 1e8: "10^8", 1e13: "10^13"}
#: A ratio moves like a power if every local slope is at least this. The least power by which a
#: refuted law is off is 1/66, that of the sketch for d = 8.
POWER = 0.01
#: Places with the noise that the repaired Theorem 3.4 asks for, as in its claims.
PLACES = tuple(
    (d, n, s) for d, n in product((2, 3, 5), (3, 100, 10**5)) for s in (n ** (-2 / d), 1.0, float(n))
)
STEEP = affine(10)
#: Both ends of Theorem 3.4 for both classes, with the range of the noise repaired.
ENDS = "COL:T3.4/range"


class Law(NamedTuple):
    """A printed power law of Lambda."""

    says: str
    #: From which side it speaks.
    bound: str
    #: ``exact(d, Lambda)``, the quantity that it speaks of.
    exact: Callable[[int, float], float]
    #: The tasks whose best width that is, at finite n too.
    tasks: TaskClass | None = None
    #: The claim that it is a part of as repaired, if it has none of its own.
    part_of: str = ""


#: The printed exponent of Lambda, by row and dimension.
POWERS: dict[str, Callable[[int], float]] = {
    "COL:3.1-sketch/width": lambda d: 2 / (d + 4),
    "COL:T3.4/range": lambda d: 1 / (d + 4),
    "COL:T3.4.tight": lambda d: 0.0,
    "COL:T3.5": lambda d: -1 / (d + 2),
    "COL:T3.5.iff": lambda d: 0.0,
    "COL:E.3.txt/own": lambda d: d / (d + 2),
    "affine.lower": lambda d: 1 / (d + 4),
    "affine.upper": lambda d: 2 / (d + 2),
    "relu.lower": lambda d: 1 / (d + 2),
    "relu.upper": lambda d: 2 / (d + 2),
    "COL:E.2/upper": lambda d: 2 * (d + 2) / (d * (d + 4)),
}


def _width(tasks: TaskClass) -> Callable[[int, float], float]:
    return lambda d, whole: best(tasks, d, whole)


def _transferred(tasks: TaskClass, d: int, whole: float) -> float:
    """The loss on some tasks at the width learned on ReLU tasks with L = 1, at sigma = 1."""
    return float(long_prompt_loss(spectrum_for(tasks, d, whole), best(RELU, d, whole), whole))


def _loose(d: int, whole: float) -> float:
    """The bound L^2/w over the signal term of affine tasks, at their best width."""
    w = best(AFFINE, d, whole)
    return 1 / (w * float(bias(AFFINE.spectrum(d), w)))


def _one_token(d: int, whole: float) -> float:
    """The loss of ReLU tasks on prompts of one token, where every width is the same."""
    return float(window_loss(RELU, d, 1, 0.0, 1 / whole).loss)


def _steeper(d: int, whole: float) -> float:
    """The loss of affine tasks with L = 10 at the width learned for L = 1, over their variance."""
    return _transferred(STEEP, d, whole) / STEEP.spectrum(d).varying


def _own_loss(d: int, whole: float) -> float:
    """The loss of ReLU tasks with ``L = sqrt(Lambda)`` at their own width, for n = sigma^2."""
    return whole * _transferred(RELU, d, whole)


LAWS = {
    "COL:3.1-sketch/width": Law(
        "Section 3.1: the best width for linear tasks is of the order Lambda^(2/(d+4)); "
        "here with softmax weights",
        *("both", _width(AFFINE)),
    ),
    "COL:T3.4/range": Law(
        "Theorem 3.4, as read in a damaged place: a range of sigma^2 without L suffices for w >= c "
        "Lambda^(1/(d+4)); here sigma = 1, L -> oo and two tokens",
        *("below", lambda d, whole: finite(AFFINE, d, 2, 2 / whole)),
    ),
    "COL:T3.4.tight": Law(
        "Section 1: the upper bound on the loss, whose signal term is L^2/w, is tight for affine tasks",
        "both",
        _loose,
    ),
    "COL:T3.5": Law(
        "Theorem 3.5, without a hypothesis on n and sigma: the loss is at most C L^2 Lambda^(-1/(d+2)), here "
        "for one token as sigma -> 0",
        *("above", _one_token),
    ),
    "COL:T3.5.iff": Law(
        "After Theorem 3.5: tasks are learned only if their Lipschitz constant is similar; those of 10L keep "
        "a share c of their variance as loss",
        *("below", _steeper),
    ),
    "COL:E.3.txt/own": Law(
        "Appendix E.1, as read in a damaged place: with the window learned for L' the loss grows like "
        "(L')^(2d/(d+2)), which is Lambda^(d/(d+2))",
        *("both", _own_loss),
    ),
    "affine.lower": Law(
        "Theorem 3.4, affine: w >= c Lambda^(1/(d+4))", "below", _width(AFFINE), AFFINE, ENDS
    ),
    "affine.upper": Law(
        "Theorem 3.4, affine: w <= C Lambda^(2/(d+2))", "above", _width(AFFINE), AFFINE, ENDS
    ),
    "relu.lower": Law("Theorem 3.4, ReLU: w >= c Lambda^(1/(d+2))", "below", _width(RELU), RELU, ENDS),
    "relu.upper": Law("Theorem 3.4, ReLU: w <= C Lambda^(2/(d+2))", "above", _width(RELU), RELU, ENDS),
    "COL:E.2/upper": Law(
        "Theorem E.2, affine: w <= C Lambda^(2(d+2)/(d(d+4)))", "above", _width(AFFINE), AFFINE
    ),
}


def ours(row: str, law: str, says: str, holds: bool) -> Line:
    """The line of a law of ours, which holds where `holds` says so."""
    return judged(row, law, says, not holds, printed=False)


def ratio(row: str, d: int, whole: float) -> float:
    """The exact quantity over the printed one.

    >>> round(ratio("COL:3.1-sketch/width", 3, 1e7) / ratio("COL:3.1-sketch/width", 3, 1e4), 3)
    1.389
    """
    return LAWS[row].exact(d, whole) / whole ** POWERS[row](d)


def printed_lines() -> list[Line]:
    """A line for each printed law."""
    return [*(_of_power(row, law) for row, law in LAWS.items()), _inference(), _without_noise()]


def _of_power(row: str, law: Law) -> Line:
    """The line of a power law, from the ratios of the exact quantity to the printed one."""
    far = [whole for whole in WHOLES if whole >= FAR_FROM]
    fits = {d: exponent(far, [ratio(row, d, whole) for whole in far]) for d in DIMENSIONS}
    # A law from below breaks where the ratio falls, one from above where it grows.
    grows, falls = (
        any(end(fit) >= POWER for fit in fits.values())
        for end in (lambda fit: fit.low, lambda fit: -fit.high)
    )
    broken = (grows and law.bound != "below") or (falls and law.bound != "above")
    shown, fit = {name: ratio(row, SHOWN_D, whole) for whole, name in SHOWN.items()}, fits[SHOWN_D]
    at = ", ".join(f"{value:.3g} at Lambda = {name}" for name, value in shown.items())
    powers = [found.value for found in fits.values()]
    end = (
        f"the constant would have to {'grow' if grows else 'fall'} with it"
        if broken
        else "one constant serves on this range"
    )
    says = (
        f"For d = {SHOWN_D} exact over printed is {at}; from 10^7 on it goes like Lambda^{fit.value:.3f}, "
        f"with local slopes from {fit.low:.3f} to {fit.high:.3f}, and for d = {DIMENSIONS[0]} ... "
        f"{DIMENSIONS[-1]} like the powers from {min(powers):.3f} to {max(powers):.3f}: {end}."
    )
    if law.tasks is not None:
        low, high = _at_finite_lengths(law.tasks, row)
        says += (
            f" In {len(PLACES)} places with d <= 5, n <= 10^5 and n^(-2/d) <= sigma^2 <= n, by R13, it is "
            f"{low:.3g} to {high:.3g}."
        )
    of, corrected = law.part_of or row, bool(law.part_of)
    return judged(
        of, law.says, says, broken, printed=True, ratios=shown, power=fit.value, corrected=corrected
    )


@cache
def _at_finite_lengths(tasks: TaskClass, row: str) -> tuple[float, float]:
    """The least and the largest ratio at finite n."""
    found = [finite(tasks, d, n, noise) / (n / noise) ** POWERS[row](d) for d, n, noise in PLACES]
    return min(found), max(found)


def _inference() -> Line:
    """Case 1 of Theorem 3.4 as an inference from Theorem E.2."""
    proved, stated = ([POWERS[row](d) for d in DIMENSIONS] for row in ("COL:E.2/upper", "affine.upper"))
    told = ", ".join(f"{proved[i]:.4f} against {stated[i]:.4f} for d = {DIMENSIONS[i]}" for i in (0, 1, -1))
    says = (
        f"The exponent proved is larger than the one stated: {told}. The upper end itself is true, by R8, "
        "with 2/(d+3)."
    )
    law = "Theorem 3.4, affine: the upper end Lambda^(2/(d+2)) follows from Theorem E.2"
    return judged("COL:T3.4/inference", law, says, any(p > s for p, s in zip(proved, stated)), printed=True)


def _without_noise() -> Line:
    """The best width without noise is finite, at two tokens and more."""
    lengths = (2, 10, 100, 10_000)
    found = {n: finite(AFFINE, SHOWN_D, n, 0.0) for n in lengths}
    finer = {n: window_loss(AFFINE, SHOWN_D, n, [w, 4 * w + 1]).loss for n, w in found.items()}
    told = ", ".join(f"{w:.4g} at n = {n}" for n, w in found.items())
    law = (
        "Behind the range of Theorem 3.4: without noise the best width of two tokens is finite, below 16 "
        "(affine, d = 3)"
    )
    lost = any(not found[n] > 0 or finer[n][0] >= finer[n][1] for n in lengths)
    says = (
        f"Exactly {told}, while Lambda is infinite: some noise is needed for a lower end "
        "that is a power of Lambda."
    )
    return judged("OURS:R8.two", law, says, lost or found[2] >= 16, printed=True)
