"""Numbers and formulas as people read them, for every page that is made here: powers of ten, spaced
thousands, signs in place of their spelling, names as parts of file names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

import numpy as np

__all__ = ["marked", "numbered", "ratio", "sci", "slug", "spaced", "superscript", "text_cell", "typeset"]

#: What makes a spreadsheet take a cell for a formula: the first letter, or a mark that it skips.
FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n")


def superscript(exponent: int) -> str:
    """An integer in raised digits.

    >>> superscript(-12)
    '⁻¹²'
    """
    return str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def sci(value: float | None, digits: int = 4) -> str:
    """A number for people: plain where that is short, with a power of ten elsewhere."""
    if value is None or not np.isfinite(value):
        return "–"
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    return ("10" if mantissa == "1" else f"{mantissa}·10") + superscript(int(exponent))


def spaced(number: float) -> str:
    r"""A number with its thousands apart, by a narrow space at which no line breaks.

    >>> spaced(40000)
    '40\u202f000'
    """
    return f"{number:,.0f}".replace(",", "\u202f")


def text_cell(text: str) -> str:
    """A text for a cell of a CSV file: one that a spreadsheet would run as a formula gets an
    apostrophe in front, which makes it text there.

    >>> text_cell("=1+1"), text_cell("a = 1")
    ("'=1+1", 'a = 1')
    """
    return f"'{text}" if text.startswith(FORMULA_BEGINS) else text


def ratio(value: float) -> str:
    """The ratio of a bound to the truth, with the more digits the closer it is to 1.

    >>> ratio(1.0003), ratio(123.4), ratio(1520.2), ratio(1.5e7)
    ('1.0003', '123', '1520', '1.5·10⁷')
    """
    return (
        f"{value:.5g}"
        if value < 10
        else f"{value:.3g}"
        if value < 1e3
        else f"{value:.0f}"
        if value < 1e4
        else sci(value, 2)
    )


def typeset(text: str) -> str:
    """A text with mathematical signs in place of their spelling on a typewriter.

    >>> typeset("chi^2 = -2")
    'χ² = −2'
    """
    signs = {
        " <= ": " ≤\u00a0",
        " >= ": "\u00a0≥\u00a0",
        "chi^2": "χ²",
        "lambda": "λ",
        "sigma": "σ",
        "+-": "±",
    }
    for typed, sign in signs.items():
        text = text.replace(typed, sign)
    return re.sub(r"(?<![\w.])-(?=\d)", "−", re.sub(r"\^2(?![\w.])", "²", text))


def marked(text: str) -> str:
    """The text of `typeset` as HTML, escaped, with exponents raised and powers of ten."""
    text = re.sub(r"\b1e\+?(-?)0*(\d+)\b", r"10^\1\2", text)
    text = re.sub(r"\b([\d.]+)e\+?(-?)0*(\d+)\b", r"\1·10^\2\3", text)
    return re.sub(
        r"\^([-−]?[\w.]*\w)", lambda m: f"<sup>{m[1].replace('-', '−')}</sup>", escape(typeset(text))
    )


def numbered(figures: Iterable[int]) -> str:
    """Which figures a page shows.

    >>> numbered([2]), numbered({6, 2}), numbered([1, 2, 3, 4, 5, 7, 9])
    ('Figure 2', 'Figures 2 and 6', 'Figures 1 to 5, 7 and 9')
    """
    numbers, parts = sorted(figures), []
    while numbers:
        length = next((i for i, n in enumerate(numbers) if n != numbers[0] + i), len(numbers))
        length = length if length > 2 else 1
        parts.append(f"{numbers[0]} to {numbers[length - 1]}" if length > 1 else str(numbers[0]))
        del numbers[:length]
    several = len(parts) > 1 or " to " in parts[0]
    return ("Figures " if several else "Figure ") + " and ".join(
        filter(None, [", ".join(parts[:-1]), parts[-1]])
    )


def slug(name: str) -> str:
    """A name in lower-case letters, digits and hyphens, as a part of file names and ids.

    >>> slug("averaged, sphere (2)"), slug("λ")
    ('averaged-sphere-2', 'run')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "run"
