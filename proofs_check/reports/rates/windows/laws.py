"""Our laws of the best width, R8 and R13 to R16, against exact widths and losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.optimize import minimize_scalar

from numerics.attention.window.loss import window_loss
from numerics.attention.window.plain import plain_window_loss
from proofs_check.reports.rates.lines.line import Line
from proofs_check.reports.rates.windows.monte_carlo import (
    ALLOWED,
    ERROR,
    Drawn,
    attention_weights,
    drawn_prompts,
)
from proofs_check.reports.rates.windows.printed import STEEP, ours
from proofs_check.reports.rates.windows.widths import (
    AFFINE,
    DIMENSIONS,
    RELU,
    SHOWN_D,
    Smoothness,
    Table,
    best,
    finite,
    sharp_law,
    spectrum_for,
)
from theory.attention.window.classes import Spectrum, cosine
from theory.attention.window.error_bound import error_bound
from theory.attention.window.gegenbauer import polynomials
from theory.attention.window.laws import (
    bias,
    curvature_law,
    effective_samples,
    exponent,
    long_prompt_loss,
    noise_constant,
    noiseless_law,
    regret,
    unified_loss,
)

__all__ = ["our_lines"]

#: A prompt length that stands for n = oo, and a relative deviation of order Q/n that it may leave.
LONG, LIMIT = 10**8, 1e-4
#: Relative deviations that are allowed: of two quadratures, and of a law at the largest Lambda.
QUADRATURE, CURVATURE, KINK = 1e-7, 0.01, 0.07
#: Relative deviation of a fitted exponent of R16, as in its claim.
SMOOTHNESS = 0.04
WAVES = cosine(10)


def _relu(seed: int) -> Line:
    """R8: the signal of ReLU tasks, prompt by prompt and on average."""
    d, n, w = 4, 15, 3.0
    heights, squares = drawn_prompts(np.random.default_rng([seed, 8]), 40_000, n, d)
    gamma = attention_weights(squares, w)
    error_of = lambda values: np.sum(gamma * values[:, :-1], axis=1) - values[:, -1]
    right, left = error_of(np.maximum(heights, 0)), error_of(np.maximum(-heights, 0))
    relu, kink = (right**2 + left**2) / 3, error_of(np.abs(heights)) ** 2 / 6
    off = float(np.max(np.abs(relu - error_of(heights) ** 2 / 6 - kink)))
    exact = float(window_loss(RELU, d, n, w).signal - window_loss(AFFINE, d, n, w).signal / 2)
    mean, spread = float(kink.mean()), float(kink.std(ddof=1)) / len(kink) ** 0.5
    says = (
        f"In each of {len(kink)} prompts with d = {d}, n = {n}, w = {w:g} both sides agree up to {off:.0e}; "
        f"the mean of the last term is {mean:.6f} +- {spread:.6f}, and the difference of the two exact "
        f"signals {exact:.6f}."
    )
    law = (
        "R8: the signal of ReLU tasks is half that of affine ones plus L^2/6 times the mean of (sum gamma_i "
        "|u'x_i| - |u'x|)^2"
    )
    return ours("OURS:R8.relu", law, says, off < 1e-14 and abs(mean - exact) < ALLOWED * spread)


def _noise() -> Line:
    """R8: the noise term for long prompts, and its growth."""
    share, growth = {}, {}
    for d in DIMENSIONS:
        share[d] = float(window_loss(AFFINE, d, LONG, 10.0, 1.0).noise) * LONG / effective_samples(d, 10.0)
        growth[d] = effective_samples(d, 1e6) / (noise_constant(d) * 1e6 ** ((d - 1) / 2))
    off, late = (max(abs(value - 1) for value in found.values()) for found in (share, growth))
    says = (
        f"For d = 2 ... 8 and w = 10, n = 10^8 tokens give n E sum gamma_i^2 = Q(w) up to {off:.1e}, and at "
        f"w = 10^6 Q(w) is the power up to {late:.1e}; for d = 3 Q(10) = {effective_samples(3, 10.0):.6f}."
    )
    law = "R8: n E sum gamma_i^2 -> Q(w), which grows like C_d w^((d-1)/2)"
    return ours("OURS:R8.noise", law, says, max(off, late) < LIMIT)


def _signal() -> Line:
    """R8: the signal terms for long prompts."""
    off = {}
    for tasks, d in product((AFFINE, RELU), (2, 3, 5, 8)):
        off[tasks.name, d] = abs(
            float(window_loss(tasks, d, LONG, 10.0).signal) / float(bias(tasks.spectrum(d), 10.0)) - 1
        )
    (name, d), worst = max(off.items(), key=lambda pair: pair[1])
    says = (
        f"At w = 10 and n = 10^8 the signals are those of the limit up to {worst:.1e}, at most for {name} "
        f"tasks with d = {d}."
    )
    return ours(
        "OURS:R8.signal",
        "R8: the signals of affine and ReLU tasks tend to B^2(w) as n -> oo",
        says,
        worst < LIMIT,
    )


def _sharp() -> Line:
    """R8: the sharp laws of the best width."""
    told, holds = [], True
    for tasks, law, allowed in ((AFFINE, "2/(d+3)", CURVATURE), (RELU, "2/(d+2)", KINK)):
        off = {
            d: [best(tasks, d, whole) / sharp_law(tasks, d, whole) for whole in (1e10, 1e13)]
            for d in DIMENSIONS
        }
        # The quotients tend to 1, so that what is left falls unless rounding is all.
        holds &= all(abs(late - 1) < min(allowed, max(abs(early - 1), 1e-5)) for early, late in off.values())
        late = [found[1] for found in off.values()]
        told.append(
            f"{min(late):.5f} to {max(late):.5f} of the law with Lambda^({law}) for {tasks.name} tasks"
        )
    says = (
        f"At Lambda = 10^13 and d = 2 ... 8 the exact width is {'; '.join(told)}, nearer to 1 than at 10^10."
    )
    return ours(
        "OURS:R8.law",
        "R8: w^* goes like Lambda^(2/(d+3)) for affine and like Lambda^(2/(d+2)) for ReLU tasks",
        says,
        holds,
    )


def _drawn(drawn: Sequence[Drawn]) -> Line:
    """R13: drawn losses."""
    worst = max(drawn, key=lambda found: abs(found.deviation))
    says = (
        f"Of {len(drawn)} losses that are drawn, at the best width, half and twice of it, the farthest is "
        f"{worst.mean:.6f} +- {worst.standard_error:.6f} beside {worst.exact:.6f} ({worst.tasks}, d = "
        f"{worst.d}, n = {worst.n}, w = {worst.w:.4g}): {abs(worst.deviation):.2f} standard errors, of which "
        f"{ALLOWED:g} are allowed. By accident a line like this fails with a probability "
        f"of about {ERROR:.0e}."
    )
    law = (
        "R13: the loss at every n, w and sigma is a sum of integrals over single tokens, "
        "in which only rho enters"
    )
    return ours("OURS:R13", law, says, abs(worst.deviation) <= ALLOWED)


def _two_tokens(spectrum: Spectrum, w: float, noise: float, nodes: int = 200) -> float:
    """The loss of two tokens for d = 3, where heights are uniform, as the mean of ``sum b_k [(1 -
    sum gamma_i P_k(t_i))^2 + sum gamma_i^2 (1 - P_k(t_i)^2)] + sigma^2 sum gamma_i^2``.
    """
    t, weights = np.polynomial.legendre.leggauss(nodes)
    P = polynomials(3, len(spectrum.b) - 1, t)[1:]
    one = 1 / (1 + np.exp(2 * w * (t - t[:, None])))
    two = 1 - one
    missed = (1 - one * P[:, :, None] - two * P[:, None, :]) ** 2
    spread = one**2 * (1 - P**2)[:, :, None] + two**2 * (1 - P**2)[:, None, :]
    loss = np.tensordot(spectrum.b[1:], missed + spread, 1) + noise * (one**2 + two**2)
    return float(weights @ loss @ weights) / 4


def _values() -> Line:
    """R13: the integrals beside two other routes."""
    off, noise = {}, 0.1
    for name, tasks, w in (("affine", AFFINE, 1.0), ("ReLU", RELU, 7.0), ("cos(10 u'x)", WAVES, 20.0)):
        spectrum = Spectrum(3, tasks.spectrum(3, 60).b)  # the same degrees on every route
        exact = window_loss(spectrum, 3, [2, 7, 100], w, noise).loss
        again = [
            _two_tokens(spectrum, w, noise),
            *(plain_window_loss(spectrum, n, w, noise) for n in (7, 100)),
        ]
        off[name] = (float(exact[0]), float(np.max(np.abs(exact / again - 1))))
    told = ", ".join(f"{loss:.8f} for {name}" for name, (loss, _) in off.items())
    worst = max(share for _, share in off.values())
    says = (
        f"For d = 3 two tokens lose {told}; a double integral, and at n = 7 and 100 the definition, give the "
        f"same up to {worst:.0e}."
    )
    law = "R13, its values: the integrals give the loss that other routes give"
    return ours("OURS:R13.values", law, says, worst < QUADRATURE)


def _no_window() -> Line:
    """R13: the loss near w = 0."""
    d, n, noise = 3, 5, 0.3
    slope = float(window_loss([1, 0.3, 0.2], d, n, 0.0, noise).derivative) / (-4 * 0.3 * (1 - 1 / n) / d)
    at = lambda w: float(window_loss([0, 0, 1], d, n, w, noise).derivative) / (2 * w)
    bracket = 1 + noise - 2 * (n - 2) / (d + 2)
    curvature = (2 * at(1e-3) - at(2e-3)) / (4 / (d * n) * (1 - 1 / n) * bracket)  # extrapolated to w = 0
    widths = {tokens: finite(WAVES, 5, tokens, 1e-4) for tokens in (200, 500)}
    says = (
        f"For d = {d} and n = {n} the derivative at w = 0 is {slope:.8f} of the law, and for degree 2 alone "
        f"the second order {curvature:.8f}. For cos(10 u'x) with d = 5 and sigma = 0.01 no window is best at "
        f"n = 200 and w = {widths[500]:.4f} is at n = 500."
    )
    law = "R13: a linear part always has a window; without one a short prompt may have none"
    holds = max(abs(slope - 1), abs(curvature - 1)) < LIMIT and widths[200] == 0 < widths[500]
    return ours("OURS:R13.window", law, says, holds)


def _bound() -> Line:
    """R14: the error bound of the unified form, and how near its minimiser is."""
    worst, count = 0.0, 0
    for tasks, d, n, noise in product((AFFINE, cosine(3)), (2, 3, 8), (1, 3, 30, 300), (0.0, 1.0)):
        spectrum, widths = tasks.spectrum(d), (0.3, 3.0, 30.0)
        for w, loss in zip(widths, window_loss(spectrum, d, n, widths, noise).loss.tolist()):
            gap = abs(loss - float(unified_loss(spectrum, w, n, noise)))
            worst, count = max(worst, gap / error_bound(spectrum, w, n, noise)), count + 1
    spectrum, shares = AFFINE.spectrum(5), {}
    for noise in (1e-3, 1e-2, 0.1, 1.0):
        exact = finite(AFFINE, 5, 2000, noise)
        value = lambda u, noise=noise: float(unified_loss(spectrum, math.exp(u), 2000, noise))
        found = minimize_scalar(value, bounds=(math.log(exact / 3), math.log(3 * exact)), method="bounded")
        shares[noise] = math.exp(found.x) / exact
    told = ", ".join(f"{share:.3f} at sigma^2 = {noise:g}" for noise, share in shares.items())
    says = (
        f"In {count} places with d = 2 ... 8, n up to 300 and w up to 30 the difference is at most "
        f"{worst:.3f} of the bound. Its minimiser over the best width, for affine tasks with d = 5 and n = "
        f"2000: {told}."
    )
    law = "R14: the loss is B^2 + (Q/n)(V + sigma^2) up to an error with a bound, at every n, w and sigma"
    return ours("OURS:R14", law, says, worst <= 1)


def _curvature(table: Table) -> Line:
    """R14: the curvature decides, under noise, without it, and between."""
    off, times = [], {}
    for d in (2, 3, 4):
        widths = [best(tasks, d, 1e13) for tasks in (STEEP, WAVES)]
        laws = [float(curvature_law(d, tasks.spectrum(d).curvature, 1e13)) for tasks in (STEEP, WAVES)]
        off += [abs(w / law - 1) for w, law in zip(widths, laws)]
        times[d] = widths[1] / widths[0]
    s = AFFINE.spectrum(5)
    silent = {
        n: finite(AFFINE, 5, n, 0.0) / noiseless_law(5, s.curvature, s.slope, n)
        for n in (10**3, 10**4, 10**5)
    }
    crossing = [row.w / row.law for row in table.crossing if row.tasks == AFFINE.name and row.Lambda >= 1e5]
    says = (
        "At Lambda = 10^13 the exact widths of affine tasks with L = 10 and of cos(10 u'x) are the law up to "
        f"{max(off):.1e} for d = 2, 3, 4; of nearly the same Lipschitz constant, the second are "
        f"{times[3]:.3f} times as large for d = 3. For d = 5 and n = 10^4 the width between noise and none "
        f"is {min(crossing):.3f} to {max(crossing):.3f} of the crossover law from Lambda = 10^5 on, and "
        f"without noise {', '.join(f'{x:.3f}' for x in silent.values())} of the law with n^(2/(d+1)) at n = "
        "10^3, 10^4, 10^5."
    )
    law = (
        "R14: the window adapts to the curvature and not to the Lipschitz constant: w^* ~ [Lambda "
        "lap_2/(4(d-1) C_d)]^(2/(d+3))"
    )
    nearer = np.diff([abs(x - 1) for x in silent.values()])
    holds = (
        max(off) < CURVATURE
        and times[3] > 2
        and bool(np.all(nearer < 0))
        and max(abs(x - 1) for x in crossing) < 0.1
    )
    return ours("OURS:R14.law", law, says, holds)


def _regret() -> Line:
    """R15: the price of the wrong Lipschitz constant."""
    whole, found = 1e10, {}
    for d, r in product((3, 4, 5), (0.1, 0.5, 2.0, 10.0)):
        # Tasks that are r times as steep at Lambda are those of slope 1 at r^2 Lambda, over r^2.
        least = float(
            long_prompt_loss(spectrum_for(AFFINE, d, whole), best(AFFINE, d, r**2 * whole), r**2 * whole)
        )
        loss = float(long_prompt_loss(spectrum_for(AFFINE, d, whole), best(AFFINE, d, whole), r**2 * whole))
        found[d, r] = (loss / least, float(regret(r, 2, (d - 1) / 2)))
    off = max(abs(exact / law - 1) for exact, law in found.values())
    told = ", ".join(
        f"{found[SHOWN_D, r][0]:.4f} at r = {r:g} (law {found[SHOWN_D, r][1]:.4f})"
        for r in (0.1, 0.5, 2.0, 10.0)
    )
    says = (
        f"At Lambda = 10^10, affine tasks, d = {SHOWN_D}: {told}; for d = 3, 4, 5 up to {off:.1e} of the law."
    )
    law = (
        "R15: where noise dominates, on tasks r times as steep as those learned, the loss over the least "
        "tends to R(r)"
    )
    return ours("OURS:R15", law, says, off < CURVATURE)


def _phases(found: Sequence[Smoothness]) -> Line:
    """R16: the exponent by smoothness."""
    off = {(x.theta, x.d): abs(x.fitted / float(exponent(x.d, x.theta)) - 1) for x in found}
    (theta, d), worst = max(off.items(), key=lambda pair: pair[1])
    told = ", ".join(
        f"{x.fitted:.4f} at theta = {x.theta:g} (law {x.law:.4f})"
        for x in found
        if x.d == SHOWN_D and x.theta % 0.5 == 0
    )
    says = (
        f"Between the values of Lambda with widths near 10^4 and 10^5, d = {SHOWN_D}: {told}; of "
        f"{len(found)} exponents with d up to {max(x.d for x in found)} the farthest, by {100 * worst:.1f} "
        f"%, is that of theta = {theta:g}, d = {d}."
    )
    law = (
        "R16: with b_k like k^(-1-2 theta), w^* goes like Lambda^(2/(d-1+2 min(theta, 2))), at theta = 2 "
        "with Lambda ln(Lambda)"
    )
    return ours("OURS:R16", law, says, worst < SMOOTHNESS)


def our_lines(table: Table, drawn: Sequence[Drawn], seed: int) -> list[Line]:
    """A line for each law of ours, with drawn losses for R13 and the seed of the prompts of R8."""
    return [
        *(_relu(seed), _noise(), _signal(), _sharp(), _drawn(drawn), _values(), _no_window()),
        *(_bound(), _curvature(table), _regret(), _phases(table.smoothness)),
    ]
