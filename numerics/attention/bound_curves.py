"""Every bound and every limit that theory has for an error, as curves over the prompt length, with
the hypotheses of each. Theorems A and B are about Gaussian tokens. Lemma C.4 (the paper's) and R1
(ours) hold at one query for every sub-Gaussian law, and so do, on average over the query, the
bounds that replace Propositions 3.1 and 3.4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from numerics.attention.exponents import paper_exponent, theorem_B_constant, theorem_B_law
from numerics.attention.quadrature.query_form import QuadraticFormLaw
from numerics.attention.setting import AttentionSetting, Quantity
from numerics.token_laws import TokenLaw
from numerics.token_laws.radial import of_coordinates
from theory.attention.gaussian_errors import limit_of_grad_U_error, theorem_A
from theory.bounds.concentration import lemma_c4, second_moment_R1
from theory.bounds.query_average import gradient_U_average, output_average, output_average_short
from theory.bounds.sub_gaussian import maximum_R3
from theory.shown.result import in_a_line

__all__ = ["Bound", "bounds", "certain_bound", "fourth_moment"]

Floats = NDArray[np.float64]
#: Where our bounds stand in the ledger, by the names of their curves.
OURS = {
    "Theorem A": "OURS:R4.A",
    "R1": "OURS:R1",
    "Proposition 3.1": "OURS:P3.1",
    "Proposition 3.4": "OURS:P3.4.V",
}
#: Our bounds with explicit constants; the ledger tells the evidence. Lemma C.4 is false as printed
#: at L = 1.
CERTAIN = ("Theorem A", "R1", "Proposition 3.1, our constants")

#: Logarithm of the longest prompt, and the step in ln s that the average of Theorem A takes up to
#: ln L, times ln L: the trapezoid rule then errs by a share of order e^{-2 pi^2 / 0.8} < 1e-10.
LONGEST, STEP = math.log(1e100), 0.8


@dataclass(frozen=True, eq=False)
class Bound:
    """A curve of theory beside the measurement."""

    #: Where it comes from.
    name: str
    #: A limit is what the error is asymptotically equal to. An exponent bounds nothing: its curve
    #: is drawn through the first measured point.
    kind: Literal["upper bound", "limit", "exponent"]
    #: NaN where the bound says nothing.
    values: Floats
    #: Hypotheses or reading aids.
    note: str

    __repr__ = in_a_line


def fourth_moment(law: TokenLaw, W: Floats) -> tuple[float, bool]:
    """``E (Z'WZ)^2`` for a positive semidefinite W (d, d) and whether that is exact; where only
    sigma is known of the law, it is a bound from sigma.
    """
    if isinstance(law.coordinates, str) and law.factor is not None:
        return of_coordinates(law.coordinates, law.factor).fourth_moment(W), True
    top = float(np.linalg.eigvalsh(W)[-1])
    return top**2 * float(maximum_R3(1, law.d, 4, law.sigma)), False


def bounds(setting: AttentionSetting, quantity: Quantity, lengths: Floats, first: float) -> tuple[Bound, ...]:
    """Every curve that theory has for one quantity ("output", "grad_V" or "grad_U"), ours first. A
    curve of which only the exponent is known starts at the measured value at the first length.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found = [*_ours(setting, quantity, lengths), *_papers(setting, quantity, lengths, first)]
    # A limit that exceeds the range of floats is left out.
    return tuple(_within_floats(b) for b in found if b.name != "limit" or np.isfinite(b.values).any())


def certain_bound(setting: AttentionSetting, lengths: Floats) -> Bound | None:
    """The first bound of ours on the output, with explicit constants, whose hypotheses the setting
    meets.

    >>> one = np.eye(1)
    >>> found = certain_bound(AttentionSetting(one, 0 * one, one, [1.0]), np.array([4.0]))
    >>> found.name, found.values.tolist()
    ('Theorem A', [0.25])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found = next((b for b in _ours(setting, "output", lengths) if b.name in CERTAIN), None)
    return None if found is None else _within_floats(found)


def _within_floats(bound: Bound) -> Bound:
    """The bound without values that exceed the range of floats, which say nothing."""
    return replace(bound, values=np.where(np.isfinite(bound.values), bound.values, np.nan))


def _ours(setting: AttentionSetting, quantity: Quantity, L: Floats) -> Iterator[Bound]:
    """Theorems A and B, R1, the averages over the query, and limits."""
    if quantity == "grad_U":
        yield from _gradient_U(setting, L)
        return
    W, factor = setting.weight(quantity)
    if setting.gaussian:
        law = _law_for_theorem_A(
            setting, quantity, max(int(math.log2(LONGEST / max(math.log(L.max()), 1e-3))), 0)
        )
        t = float(np.trace(W @ setting.Gamma))
        mean = "averaged over the query; " if setting.averaged else ""
        proved = factor * (t * law.density + law.moment) @ theorem_A(law.nodes[:, None], L, 1.0, 0.0)
        yield Bound(
            "Theorem A",
            "upper bound",
            proved,
            f"{mean}holds for every L and every query; in the ledger {OURS['Theorem A']}",
        )
    if setting.averaged:
        yield from _theorem_B(setting, quantity, L)
        V_norm = math.sqrt(factor * float(np.linalg.eigvalsh(W)[-1]))
        sigma, U_norm = math.sqrt(setting.sigma2), float(np.linalg.norm(setting.U @ setting.query_factor, 2))
        values = output_average(L, sigma, U_norm, V_norm, setting.d)
        if 8 * setting.sigma2 * U_norm**2 < 1:
            values = np.minimum(values, output_average_short(L, sigma, U_norm, V_norm, setting.d))
        name = "Proposition 3.1" if quantity == "output" else "Proposition 3.4"
        note = f"every sub-Gaussian law; the paper leaves its constants open; in the ledger {OURS[name]}"
        yield Bound(f"{name}, our constants", "upper bound", values, note)
        return
    F4, exact = fourth_moment(setting.law, W)
    a2 = setting.sigma2 * float(np.sum((setting.U @ setting.query) ** 2))
    known = (
        "" if exact else "; E|VZ|^4 bounded by sigma" if quantity == "output" else "; E|Z|^4 bounded by sigma"
    )
    values = factor * second_moment_R1(L, a2, math.sqrt(F4))
    yield Bound(
        "R1",
        "upper bound",
        np.asarray(values),
        f"every sub-Gaussian law; sigma^2 |Uz|^2 = {a2:.4g}{known}; in the ledger {OURS['R1']}",
    )
    if not setting.gaussian and (limit := _limit(setting, W)) is not None:
        yield Bound("limit", "limit", factor * limit / L, f"L times the error tends to {factor * limit:.4g}")


@lru_cache(maxsize=8)
def _law_for_theorem_A(
    setting: AttentionSetting, quantity: Literal["output", "grad_V"], halved: int
) -> QuadraticFormLaw:
    """The law of the score variance s, for prompts up to 1e100 tokens or that root of it which
    halves its logarithm so often.
    """
    # The bound jumps where e^s passes L, within a few units of s however large that is, while the
    # exact errors bend there: it takes finer nodes than they do.
    reach = LONGEST / 2**halved
    return setting.query_law(setting.weight(quantity)[0], reach, min(0.08, STEP / reach))


def _theorem_B(
    setting: AttentionSetting, quantity: Literal["output", "grad_V"], L: Floats
) -> Iterator[Bound]:
    """The bound C1/L of Theorem B where it holds, its leading term elsewhere."""
    if not setting.gaussian:
        return
    C1 = theorem_B_constant(setting, quantity)
    if C1 is not None:
        yield Bound(
            "Theorem B", "upper bound", C1 / L, f"C1/L with C1 = {C1:.4g}, the limit of L times the error"
        )
        return
    try:
        law = theorem_B_law(setting, quantity)
    except ValueError:  # rho = 0: the power of ln L drops by one, and the constant is not known
        return
    c, k, b = float(law.constant), float(law.log_power), float(law.exponent)
    values = np.where(L > 1, c * np.log(L) ** k / L**b, np.nan)
    yield Bound(
        "Theorem B, limit",
        "limit",
        values,
        f"{c:.4g} (ln L)^{k:g} / L^{b:.4g}: checked by quadrature, reached far beyond feasible lengths only",
    )


def _gradient_U(setting: AttentionSetting, L: Floats) -> Iterator[Bound]:
    """Our bound on the gradient in U averaged over the query, or its limit at one query."""
    if setting.query_cov is not None:
        size = float(np.linalg.eigvalsh(setting.query_cov)[-1])
        V_norm, U_norm = (float(np.linalg.norm(M, 2)) for M in (setting.V, setting.U @ setting.query_factor))
        values = size * gradient_U_average(L, math.sqrt(setting.sigma2), U_norm, V_norm, setting.d)
        note = "every sub-Gaussian law; the paper leaves its constants open"
        yield Bound("Proposition 3.4, our constants", "upper bound", values, note)
    elif setting.gaussian:
        h, z2, s = (
            setting.Gamma @ setting.U @ setting.query,
            float(np.sum(setting.query**2)),
            setting.score_variance,
        )
        if s < 600:
            limit = sum(float(limit_of_grad_U_error(s, v, setting.Gamma, h, z2)) for v in setting.V)
            yield Bound("limit", "limit", limit / L, f"L times the error tends to {limit:.4g}")


def _limit(setting: AttentionSetting, W: Floats) -> float | None:
    """Limit of ``L E|W^{1/2} err|^2`` at one query, which for weights w = e^{a.z} is ``E w^2
    |W^{1/2}(Z - E_a Z)|^2 / (E w)^2``: a second moment under the law tilted by ``e^{2 a.z}``. None
    if the law has no log-mgf, or the limit exceeds the range of floats.
    """
    law, a = setting.law, setting.U @ setting.query
    if law.log_mgf is None:
        return None
    once, (twice, spread) = law.tilted(a)[0], law.tilted(2 * a)
    growth = float(np.real(law.log_mgf(2 * a) - 2 * law.log_mgf(a)))
    return (
        math.exp(growth) * float(np.trace(W @ spread) + (twice - once) @ W @ (twice - once))
        if growth < 600
        else None
    )


def _papers(setting: AttentionSetting, quantity: Quantity, L: Floats, first: float) -> Iterator[Bound]:
    """Lemma C.4 at one query, as printed, and the exponents of Appendix C on average."""
    exponent = paper_exponent(setting, quantity)
    if exponent is not None:
        where, how = ("eq. (18)", ", half that of (18) by (21)") if quantity == "grad_U" else ("eq. (16)", "")
        note = f"{exponent:.4g}{how}: drawn from the first measured point, without logarithms"
        yield Bound(f"{where}, exponent only", "exponent", first * (L / L[0]) ** -exponent, note)
    if setting.averaged or quantity == "grad_U":
        return
    # The lemma is applied to f(z) = Vz, p = 1; for the gradient in V d_out times to f(z) = z. It is
    # drawn from L = 2 on, since it is false as printed at L = 1.
    W, factor = setting.weight(quantity)
    F4, C_f = math.sqrt(fourth_moment(setting.law, W)[0]), math.sqrt(float(np.linalg.eigvalsh(W)[-1]))
    a2 = setting.sigma2 * float(np.sum((setting.U @ setting.query) ** 2))
    values = np.full(L.shape, np.nan)
    values[L >= 2] = factor * lemma_c4(L[L >= 2], a2, F4, setting.sigma2, C_f, setting.d)
    yield Bound(
        "Lemma C.4",
        "upper bound",
        values,
        f"sigma^2 = {setting.sigma2:.4g}, sigma^2 |Uz|^2 = {a2:.4g}; from L = 2 on",
    )
