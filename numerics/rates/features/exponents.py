"""The exponents that the table of times shows, beside those of the printed laws and of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numerics.rates.features.times import FAR, VARIED_EPS, VARIED_K, Exponent, Time, exponent

__all__ = ["Fit", "fits"]


class Fit(NamedTuple):
    """One fitted exponent.

    Attributes
    ----------
    event, features, variable : str
    window : tuple of (float, float)
    fit : Exponent
    printed, ours : str
        The exponents that the printed law and ours have.
    """

    event: str
    features: str
    variable: str
    window: tuple[float, float]
    fit: Exponent
    printed: str
    ours: str


#: Family, and the exponents of K that the law of Proposition 2 and ours have.
IN_K = {
    "orthonormal": "2",
    "equiangular": "2",
    "cube": "1, and 1/log K",
    "polygon": "0",
    "torus": "0",
    "random": "none known",
}


def fits(rows: Sequence[Time]) -> list[Fit]:
    """The fitted exponents of the table.

    Parameters
    ----------
    rows : sequence of Time
        What `numerics.rates.features.times.time_table` returns.

    Returns
    -------
    list of Fit
        Families with fewer than two numbers of classes have none.
    """
    base = [row for row in rows if (row.L, row.eta, row.N) == (1.0, 1.0, None) and row.features != "orthogonal of one norm"]
    varied = [row for row in rows if row.features == "orthogonal of one norm"]
    found: list[Fit] = []

    def add(event: str, features: str, variable: str, chosen: Sequence[Time], printed: str, ours: str) -> None:
        pairs = {(1 / row.eps if variable == "1/eps" and row.eps else getattr(row, variable, 0.0)): row.steps for row in chosen}
        x = sorted(pairs)
        if len(x) >= 2:
            found.append(Fit(event, features, variable, (x[0], x[-1]), exponent(x, [pairs[v] for v in x]), printed, ours))

    half = "Attn >= 1/2"
    for family, ours in IN_K.items():
        near = [row for row in base if row.family == family and row.event == half and row.K not in FAR]
        add(half, family, "K", near, "1, and log K", ours)
    add(half, "orthonormal", "K", [row for row in base if row.K in FAR and row.event == half], "1, and log K", "2")
    least = min(row.K for row in base if row.family == "orthonormal")
    for event, printed in {"Attn >= 1-eps": "0, and a log", "loss <= eps^2": "0 or 1, and a log"}.items():
        one = [row for row in base if row.family == "orthonormal" and row.K == least and row.event == event]
        add(event, f"orthonormal, K = {least}", "1/eps", one, printed, "2")
    where = f"orthogonal, K = {VARIED_K}, eps = {VARIED_EPS:g}"
    for variable, eta, laws in (
        ("L", 1e-6, {half: ("-2", "-2"), "loss <= eps^2": ("-2", "0")}),
        ("Delta", 1e-3, {half: ("-2", "-6"), "loss <= eps^2": ("-2", "-4")}),
    ):
        for event, (printed, ours) in laws.items():
            chosen = [r for r in varied if r.event == event and r.eta == eta and (variable == "L" or r.Delta != 2**0.5)]
            add(event, where, variable, chosen, printed, ours)
    return found
