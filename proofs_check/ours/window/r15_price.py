"""R15: what a window loses on tasks that are steeper or flatter than those that it was learned for.
Under noise the factor tends to R(r) for long prompts; before the limit it may be larger.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from numerics.attention.window.loss import window_loss
from numerics.attention.window.plain import plain_window_loss
from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.evidence import Evidence, all_of
from proofs_check.core.claim import claim
from proofs_check.instances.compared import Compared, agree
from proofs_check.instances.outcomes import supported, undecided
from proofs_check.ours.window.r14_to_r16 import MINIMISER, SILENT, best, by_scan, spectrum_of
from theory.attention.window.classes import Spectrum
from theory.attention.window.laws import long_prompt_loss, regret

Floats = NDArray[np.float64]
Width = Callable[[str, int, float], float]
Law = Callable[..., float]
#: Length of the prompts of which the loss itself is taken.
TOKENS = 10**6


@cache
def lost(kind: str, d: int, r: float, whole: float, width: Width = best) -> float:
    """The loss of tasks r times as steep as those that the window was learned for, over the least:
    what these tasks lose at a Lambda is r^2 times what the others lose at r^2 times that Lambda.
    """
    of = partial(long_prompt_loss, spectrum_of(kind, d), whole=r**2 * whole)
    return float(of(width(kind, d, whole)) / of(width(kind, d, r**2 * whole)))


@cache
def _terms() -> tuple[Floats, Floats, Floats]:
    """Widths, and the signal and the noise terms of the loss there, for affine tasks and d = 3."""
    widths = np.geomspace(0.5, 200.0, 300)
    signal = window_loss(spectrum_of("affine", 3), 3, TOKENS, widths)
    noise = window_loss(SILENT, 3, TOKENS, widths, 1.0)
    return widths, np.asarray(signal.loss), np.asarray(noise.noise)


@cache
def lost_in_prompts(r: float, noise: float, by_definition: bool = False) -> float:
    """The same for affine tasks, d = 3 and 10^6 tokens, with the widths that are best there."""
    widths, signal, of_noise = _terms()
    learned, own = (int((size**2 * signal + noise * of_noise).argmin()) for size in (1.0, r))
    tasks = Spectrum(3, spectrum_of("affine", 3).b[:200])

    def total(i: int) -> float:
        if by_definition:
            return r**2 * plain_window_loss(tasks, TOKENS, float(widths[i]), noise / r**2, nodes=1200)
        return float(r**2 * signal[i] + noise * of_noise[i])

    return total(learned) / total(own)


@claim(
    "OURS:R15",
    control=(dict(two=Fraction(19, 10)), dict(at_most=True), dict(noise=0)),
    needs=("OURS:R14.law", "OURS:R8.law"),
    unproved=MINIMISER,
)
def price_of_the_wrong_constant(
    *, two: int | Fraction = 2, at_most: bool = False, noise: int = 100
) -> Evidence:
    r"""The loss of affine tasks that are $r$ times as steep as those learned, over the least, is
    $R(r)$, whose $s$ is `two` = 2, within 1 per cent at $\Lambda=10^{10}$, for $r$ from 1/10 to 10
    and $d=3,4,5$, and in prompts of $10^6$ tokens with $\sigma^2=100$, which `noise` stands for and
    which is more than the tasks vary, for $d=3$. With every factor 100 of $\Lambda$ from $10^4$ on
    the difference falls to less than half, also for ReLU tasks, whose $s$ is less by $\frac12$.
    With `at_most` the quotient is to be at most $R(r)$ before the limit, too.
    """
    law = lambda d, r, s=float(two): float(regret(r, s, (d - 1) / 2))
    cases = [
        Compared(
            f"d = {d}, r = {r}",
            lost("affine", d, r, 1e10),
            law(d, r),
            partial(lost, "affine", d, r, 1e10, by_scan),
        )
        for d, r in product((3, 4, 5), (0.1, 0.5, 2.0, 10.0))
    ]
    for r in (0.1, 10.0):
        again = partial(lost_in_prompts, r, float(noise), True)
        cases.append(
            Compared(f"n = 10^6, d = 3, r = {r}", lost_in_prompts(r, float(noise)), law(3, r), again)
        )
    limit = agree("quadrature", cases, 0.01, checked=r"\mathcal L(w^*_L;rL)/\min\mathcal L")
    return all_of(limit, _from_above(law) if at_most else _nearer(law, float(two)))


def _from_above(law: Law) -> Evidence:
    """Evidence on whether the quotient is at most its limit, at Lambda = 1000 for affine tasks."""
    for d, r in product((3, 5, 8), (0.1, 10.0)):
        found, stated = lost("affine", d, r, 1e3), law(d, r)
        if found > stated:
            witness = {"d": d, "r": r, "Lambda": 1000, "quotient": found, "R(r)": stated}
            return refuted_by_two_routes(
                "quadrature", witness, found, stated, lost("affine", d, r, 1e3, by_scan)
            )
    return undecided("quadrature", "no quotient exceeds R(r)")


def _nearer(law: Law, s: float) -> Evidence:
    """Evidence on whether the difference from the limit falls with Lambda."""
    shown = []
    for kind, d, r in (("affine", 2, 0.1), ("affine", 5, 10.0), ("affine", 8, 10.0), ("ReLU", 3, 10.0)):
        stated = law(d, r, s if kind == "affine" else s - 0.5)
        off = _differences(kind, d, r, stated)
        share = _largest(off)
        if share > 0.5:
            witness = {"tasks": kind, "d": d, "r": r, "differences": off}
            again = _largest(_differences(kind, d, r, stated, by_scan))
            return refuted_by_two_routes("quadrature", witness, share, 0.5, again)
        shown.append(f"{kind}, d = {d}, r = {r}: {', '.join(f'{x:.2g}' for x in off)}")
    covered = f"differences at Lambda = 10^4, 10^6, 10^8, 10^10: {'; '.join(shown)}"
    checked = r"\mathcal L(w^*_L;rL)/\min\mathcal L\to R(r)"
    return supported("quadrature", covered, checked=checked)


def _differences(kind: str, d: int, r: float, stated: float, width: Width = best) -> tuple[float, ...]:
    """Relative differences of the quotient from its limit, at growing Lambda."""
    return tuple(abs(lost(kind, d, r, whole, width) / stated - 1) for whole in (1e4, 1e6, 1e8, 1e10))


def _largest(off: tuple[float, ...]) -> float:
    """The largest share of a difference that is left at the next Lambda."""
    return max(after / before for before, after in pairwise(off))
