"""Numbers and names as people read them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

import numpy as np

from numerics.rates.measure import Rates

__all__ = ["TITLES", "explained", "marked", "ratio", "run_names", "sci", "slug", "spaced", "typeset"]

#: What is measured, and its formula.
TITLES = {
    "output": ("Output", "E‖T<sub>L</sub> − T‖²"),
    "grad_V": ("Gradient in V", "E‖∇<sub>V</sub>T<sub>L</sub> − ∇<sub>V</sub>T‖²"),
    "grad_U": ("Gradient in U", "E‖∇<sub>U</sub>T<sub>L</sub> − ∇<sub>U</sub>T‖²"),
}
#: What the curves are, by how their names begin: the longer name first.
EXPLAINED = {
    "Theorem A": "Theorem A: our bound for Gaussian tokens, at every query and every L; averaged over the query if that is random.",
    "Theorem B, limit": "Theorem B, limit: our leading term of the average over Gaussian queries, for L → ∞; no bound at finite L.",
    "Theorem B": "Theorem B: our bound C₁/L of the average over Gaussian queries, C₁ the limit of L times the error.",
    "R1": "R1: our bound at one query, for every sub-Gaussian law of tokens.",
    "limit": "limit: the leading term of the error for L → ∞; no bound at finite L.",
    "Proposition 3": "Propositions 3.1, 3.4: the paper’s bounds, averaged over the query, with our constants; it leaves them open.",
    "eq. (": "eq. (16) and (18): the exponents in the paper’s proofs of these; their curve starts at the first measured point.",
    "Lemma C.4": "Lemma C.4: the paper’s bound at one query, as printed, from L = 2 on.",
}


def explained(names: Sequence[str]) -> list[str]:
    """What the curves of these names are, each once.

    Examples
    --------
    >>> explained(["R1", "Theorem A", "R1"])[1]
    'R1: our bound at one query, for every sub-Gaussian law of tokens.'
    """
    begins = {next((begin for begin in EXPLAINED if name.startswith(begin)), None) for name in names}
    return [text for begin, text in EXPLAINED.items() if begin in begins]


def sci(value: float | None, digits: int = 4) -> str:
    """A number for people: plain where that is short, with a power of ten elsewhere.

    Examples
    --------
    >>> sci(0.25), sci(1.5e-7), sci(None)
    ('0.25', '1.5·10⁻⁷', '–')
    """
    if value is None or not np.isfinite(value):
        return "–"
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    superscript = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{superscript}" if mantissa == "1" else f"{mantissa}·10{superscript}"


def spaced(number: float) -> str:
    """Thousands apart, by a narrow space that does not break.

    Examples
    --------
    >>> spaced(40000)
    '40\\u202f000'
    """
    return f"{number:,.0f}".replace(",", "\u202f")


def ratio(value: float) -> str:
    """A bound over the truth: the more digits the closer to 1.

    Examples
    --------
    >>> ratio(1.0003), ratio(123.4), ratio(1520.2), ratio(1.5e7)
    ('1.0003', '123', '1520', '1.5·10⁷')
    """
    return f"{value:.5g}" if value < 10 else f"{value:.3g}" if value < 1e3 else f"{value:.0f}" if value < 1e4 else sci(value, 2)


def typeset(text: str) -> str:
    """Signs instead of their spelling on a typewriter.

    Examples
    --------
    >>> typeset("chi^2 = -2")
    'χ² = −2'
    """
    signs = {" <= ": " ≤\u00a0", " >= ": "\u00a0≥\u00a0", "chi^2": "χ²", "lambda": "λ", "sigma": "σ", "+-": "±"}
    for typed, sign in signs.items():
        text = text.replace(typed, sign)
    return re.sub(r"(?<![\w.])-(?=\d)", "−", re.sub(r"\^2(?![\w.])", "²", text))


def marked(text: str) -> str:
    """`typeset`, escaped, with exponents raised and powers of ten: to be put into the page as it
    is.

    Examples
    --------
    >>> marked("L^-0.5 < 1")
    'L<sup>−0.5</sup> &lt; 1'
    >>> marked("1e-06 at 2.5e+20")
    '10<sup>−6</sup> at 2.5·10<sup>20</sup>'
    """
    text = re.sub(r"\b1e\+?(-?)0*(\d+)\b", r"10^\1\2", text)
    text = re.sub(r"\b([\d.]+)e\+?(-?)0*(\d+)\b", r"\1·10^\2\3", text)
    return re.sub(r"\^([-−]?[\w.]*\w)", lambda m: f"<sup>{m[1].replace('-', '−')}</sup>", escape(typeset(text)))


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


def slug(name: str) -> str:
    """A name as part of file names and ids.

    Examples
    --------
    >>> slug("averaged, sphere (2)"), slug("λ")
    ('averaged-sphere-2', 'run')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "run"
