"""The exponents that the table of times shows, beside those of the printed laws and of ours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from proofs_check.reports.rates.features.times import VARIED_EPS, VARIED_K, Table
from proofs_check.reports.rates.lines.slopes import Exponent, exponent

__all__ = ["Fit", "fits"]


class Fit(NamedTuple):
    """One fitted exponent."""

    event: str
    features: str
    variable: str
    window: tuple[float, float]
    fit: Exponent
    #: The exponents of the printed laws, that of Theorem 1 before that of Theorem 2 where they
    #: differ, and that of our law.
    printed: str
    ours: str


HALF, LOSS = "Attn >= 1/2", "loss <= eps^2"
#: Our exponent of K in the time to one half, by family; the printed one has the features nowhere.
IN_K = {
    "orthonormal": "2",
    "equiangular": "2",
    "cube": "1, and 1/log K",
    "polygon": "0",
    "torus": "0",
    "random": "none known",
}
#: The exponents of accuracy by event, printed and ours.
IN_EPS = {"Attn >= 1-eps": ("0, and a log", "2"), LOSS: ("0 or 1, and a log", "2")}
#: Those of the varied quantities, by event.
VARIED = {
    "L": {HALF: ("-2", "-2"), LOSS: ("-2", "0")},
    "Delta": {HALF: ("-2", "-6"), LOSS: ("-2", "-4")},
    "eta": {HALF: ("-1", "-1"), LOSS: ("-1", "-1")},
}


def fits(table: Table) -> list[Fit]:
    """The fitted exponents of the table; families with fewer than two numbers of classes have
    none.
    """
    found: list[Fit] = []

    def add(
        event: str,
        features: str,
        variable: str,
        pairs: Iterable[tuple[float, float]],
        printed: str,
        ours: str,
    ) -> None:
        x, y = zip(*sorted(pairs)) if (pairs := list(pairs)) else ((), ())
        if len(x) >= 2:
            found.append(Fit(event, features, variable, (x[0], x[-1]), exponent(x, y), printed, ours))

    for family, ours in IN_K.items():
        pairs = [(float(row.K), row.steps) for row in table.near if (row.family, row.event) == (family, HALF)]
        add(HALF, family, "K", pairs, "1, and log K", ours)
        if family == "orthonormal":
            add(
                HALF,
                family,
                "K",
                [(row.K, row.steps) for row in table.far if row.event == HALF],
                "1, and log K",
                ours,
            )
    alike = [row for row in table.near if row.family == "orthonormal"]
    K = min(row.K for row in alike)
    for event, laws in IN_EPS.items():
        pairs = [(1 / row.eps, row.steps) for row in alike if row.K == K and row.event == event and row.eps]
        add(event, f"orthonormal, K = {K}", "1/eps", pairs, *laws)
    where = f"orthogonal, K = {VARIED_K}, eps = {VARIED_EPS:g}"
    for variable, by_event in VARIED.items():
        for event, laws in by_event.items():
            pairs = [
                (getattr(row, variable), row.steps) for row in table.varied[variable] if row.event == event
            ]
            add(event, where, variable, pairs, *laws)
    return found
