"""The answer of `attention_heads`: a line for each head, in sentences, as a table, as a heat map
over layers and heads, as JSON and as CSV.
"""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.distance.many_queries import LONGEST
from numerics.attention.distance.rounded import asked, columns, filled, length, percent
from numerics.models.real_windows import Real
from theory.shown.result import Drawn

__all__ = ["TOLERANCE", "AttentionHeads", "Measured"]

Floats = NDArray[np.float64]
#: The relative error for which the needed length is told.
TOLERANCE = 0.1


class Measured(NamedTuple):
    """One head."""

    layer: int
    head: int
    #: At each length the distance from linear attention, relative to that, and its standard error
    #: for other queries.
    relative_error: Floats
    standard_error: Floats
    #: The distance of the limit for infinite prompts, relative to linear attention.
    off_linear: float
    #: The least length from which on the relative error is at most `TOLERANCE`; infinity if there
    #: is none up to 1e12, nan if linear attention is 0.
    needed: float
    #: That of ln E|T_L - T|^2 over ln L at each length.
    slope: Floats
    #: In real prompts, and for as many independent tokens with its standard error.
    real: Real | None = None
    independent: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class AttentionHeads(Drawn):
    """How far the heads of a transformer are from linear attention, a line for each.

    Parameters
    ----------
    model : str
        What the file or folder is called.
    lengths : array, shape (n,)
        Increasing.
    heads : tuple of Measured
        In the order of layers and heads.
    notes : tuple of str
        What the numbers rest on, and what they leave out, a sentence each.
    """

    model: str
    lengths: Floats
    heads: tuple[Measured, ...]
    notes: tuple[str, ...]

    @property
    def relative_error(self) -> Floats:
        """The distances, shape (heads, n)."""
        return np.stack([head.relative_error for head in self.heads])

    def heading(self) -> str:
        """The answer for the longest prompt in a few sentences."""
        at, last = f"At L = {asked(self.lengths[-1])}", self.relative_error[:, -1]
        layers = sorted({head.layer for head in self.heads})
        where = f"of layer {layers[0]}" if len(layers) == 1 else f"in {len(layers)} layers"
        known = np.flatnonzero(~np.isnan(last))
        out = [f"{self.model}: {_heads(len(last))} {where}."]
        if not known.size:
            return f"{out[0]} Linear attention V Gamma U z is 0 for all: no error is relative to it."
        name = lambda i: f"layer {self.heads[i].layer} head {self.heads[i].head} ({percent(float(last[i]))})"
        nearest, farthest = known[last[known].argmin()], known[last[known].argmax()]
        if known.size == 1:
            away = percent(float(last[nearest]))
            out.append(f"{at} the distance of softmax attention from linear attention is {away} of that.")
        else:
            within = int((last[known] <= TOLERANCE).sum())
            middle = percent(float(np.median(last[known])))
            out.append(
                f"{at} softmax attention is within {percent(TOLERANCE)} of linear attention in "
                f"{within or 'none'} of them; half are within {middle}. Closest is {name(nearest)}, farthest "
                f"{name(farthest)}."
            )
        return " ".join([*out, *self._real()])

    def _real(self) -> list[str]:
        """How far independence is off."""
        both = [(h.real, h.independent) for h in self.heads if h.real and h.independent]
        both = [(real, one) for real, one in both if not math.isnan(real.value + one[0])]
        if not both:
            return []
        windows, tokens = both[0][0].windows, both[0][0].tokens
        real, alone = (float(np.median(x)) for x in ([r.value for r, _ in both], [x[0] for _, x in both]))
        farther = sum(r.value > x[0] for r, x in both)
        middle = "median of the heads: " if len(both) > 1 else ""
        further = f"; farther in real windows: {farther} of {_heads(len(both))}" if len(both) > 1 else ""
        return [
            f"In {windows} real windows of {tokens} tokens ({middle}real windows {percent(real)}, "
            f"independent tokens {percent(alone)}{further})."
        ]

    def table(self) -> list[list[str]]:
        """The numbers of each head, under a head."""
        at = [f"L = {asked(L)}" for L in self.lengths]
        real = ["real windows", "independent"] if self.heads[0].real else []
        rows = [["layer", "head", *at, "10 % needs L", "slope", "T off linear", *real]]
        for head in self.heads:
            rows.append([str(head.layer), str(head.head), *(percent(float(x)) for x in head.relative_error)])
            rows[-1] += [self._needs(head), f"{head.slope[-1]:.3f}", percent(head.off_linear)]
            if head.real and head.independent:
                rows[-1] += [percent(head.real.value), percent(head.independent[0])]
        return rows

    @staticmethod
    def _needs(head: Measured) -> str:
        if math.isfinite(head.needed):
            return length(head.needed).removeprefix("about ")
        if math.isnan(head.needed):
            return "unknown"
        return "not for good" if head.off_linear > TOLERANCE else f"beyond {LONGEST:.0e}"

    def rows(self) -> list[tuple[str, str]]:
        """The notes; the names say nothing."""
        return [("", note) for note in self.says]

    @property
    def says(self) -> tuple[str, ...]:
        """What the columns mean, and the notes."""
        shares = [head.standard_error / head.relative_error for head in self.heads]
        worst = float(np.nanmax(shares)) if np.isfinite(shares).any() else 0.0
        words = [
            "Distance: sqrt(E|T_L - V Gamma U z|^2 / E|V Gamma U z|^2), exact over prompts of independent "
            "tokens, on average over the queries."
        ]
        if worst > 0:
            words.append(f"For other such queries its standard error is at most {percent(worst)} of it.")
        words.append(
            "10 % needs L: from there on the distance stays below; not for good: T, the limit for infinite "
            f"prompts, is further off. Slope: of ln E|T_L - T|^2 over ln L at {asked(self.lengths[-1])}."
        )
        if real := [head.real for head in self.heads if head.real]:
            off = percent(max(one.error / one.value for one in real))
            words.append(
                "Real windows: every token asks its whole window (under a causal mask the last one does); "
                f"for other windows the standard error is at most {off} of it. Independent: as many "
                "independent tokens."
            )
        return (" ".join(words), *self.notes)

    def text(self, width: int = 100) -> str:
        """The whole answer, in lines of a width where words allow it."""
        said, *notes = (filled(text, width) for text in (self.heading(), *self.says))
        return "\n\n".join([said, columns(self.table()), *notes])

    def __str__(self) -> str:
        return self.text()

    def as_json(self) -> dict[str, Any]:
        """The answer for ``json.dumps``; what is not finite is None."""
        return {
            "model": self.model,
            "lengths": self.lengths.tolist(),
            "heads": [
                {name: value if math.isfinite(value) else None for name, value in self._record(head).items()}
                for head in self.heads
            ],
            "notes": list(self.says),
        }

    def as_csv(self) -> str:
        """A line for each head, under a head."""
        out = io.StringIO()
        records = [self._record(head) for head in self.heads]
        writer = csv.DictWriter(out, records[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        return out.getvalue()

    def _record(self, head: Measured) -> dict[str, float | int]:
        record: dict[str, float | int] = {"layer": head.layer, "head": head.head}
        for i, L in enumerate(self.lengths):
            at = asked(L)
            record |= {
                f"relative_error_{at}": float(head.relative_error[i]),
                f"standard_error_{at}": float(head.standard_error[i]),
                f"slope_{at}": float(head.slope[i]),
            }
        record |= {"needs_10_percent": head.needed, "off_linear": head.off_linear}
        if head.real and head.independent:
            record |= {
                "window": head.real.tokens,
                "real_windows": head.real.value,
                "real_windows_standard_error": head.real.error,
                "independent": head.independent[0],
                "independent_standard_error": head.independent[1],
            }
        return record

    def _draw(self, ax: Any) -> None:
        layers = sorted({head.layer for head in self.heads})
        numbers = sorted({head.head for head in self.heads})
        image = np.full((len(layers), len(numbers)), math.nan)
        for head in self.heads:
            image[layers.index(head.layer), numbers.index(head.head)] = 100 * head.relative_error[-1]
        ax.grid(False)
        most = float(image[np.isfinite(image)].max(initial=0.0))
        drawn = ax.imshow(image, cmap="viridis", aspect="auto", vmin=0, vmax=most or 1.0)
        if image.size <= 200:
            for (i, j), value in np.ndenumerate(image):
                colour = "black" if value > 0.6 * most else "white"
                ax.text(j, i, f"{value:.0f}", ha="center", va="center", fontsize=7, color=colour)
        for axis, names in ((ax.xaxis, numbers), (ax.yaxis, layers)):
            step = max(1, len(names) // 12)
            axis.set_ticks(range(0, len(names), step), names[::step])
        ax.set(xlabel="head", ylabel="layer")
        at = asked(self.lengths[-1])
        ax.figure.colorbar(drawn, ax=ax, label=f"distance at L = {at}, % of linear attention")


def _heads(n: int) -> str:
    return f"{n} head{'s' * (n != 1)}"
