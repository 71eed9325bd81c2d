"""The names that a rate report gives to measured quantities, to the curves of theory, and to its
runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from numerics.rates.result import Rates

__all__ = ["TITLES", "explained", "run_names"]

#: Title and formula of each quantity.
TITLES = {
    "output": ("Output", "E‖T<sub>L</sub> − T‖²"),
    "grad_V": ("Gradient in V", "E‖∇<sub>V</sub>T<sub>L</sub> − ∇<sub>V</sub>T‖²"),
    "grad_U": ("Gradient in U", "E‖∇<sub>U</sub>T<sub>L</sub> − ∇<sub>U</sub>T‖²"),
}
#: What the curves are, by how their names begin; of two names that begin alike the longer is first.
EXPLANATIONS = {
    "Theorem A": (
        "Theorem A: our bound for Gaussian tokens, at every query and every L; averaged over the query if "
        "that is random."
    ),
    "Theorem B, limit": (
        "Theorem B, limit: our leading term of the average over Gaussian queries, for L → ∞; no bound at "
        "finite L."
    ),
    "Theorem B": (
        "Theorem B: our bound C₁/L of the average over Gaussian queries, C₁ the limit of L times the error."
    ),
    "R1": "R1: our bound at one query, for every sub-Gaussian law of tokens.",
    "limit": "limit: the leading term of the error for L → ∞; no bound at finite L.",
    "Proposition 3": (
        "Propositions 3.1, 3.4: the paper’s bounds, averaged over the query, with our constants; it leaves "
        "them open."
    ),
    "eq. (": (
        "eq. (16) and (18): the exponents in the paper’s proofs of these; their curve starts at the first "
        "measured point."
    ),
    "Lemma C.4": "Lemma C.4: the paper’s bound at one query, as printed, from L = 2 on.",
}


def explained(names: Sequence[str]) -> list[str]:
    """The sentences that explain the curves of these names, each once."""
    begins = {next((begin for begin in EXPLANATIONS if name.startswith(begin)), None) for name in names}
    return [text for begin, text in EXPLANATIONS.items() if begin in begins]


def run_names(runs: Sequence[Rates]) -> list[str]:
    """The names of the settings, told apart by a number where several are the same."""
    names: list[str] = []
    for run in runs:
        name, again = run.setting.name, 1
        while name in names:
            again += 1
            name = f"{run.setting.name} ({again})"
        names.append(name)
    return names
