"""Numbers in the words of an answer. They are rounded so that what is said stays true: bounds and
needed lengths upwards.
"""

from __future__ import annotations

import math
import re
import textwrap
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context

__all__ = ["asked", "columns", "digits", "equals", "filled", "length", "percent"]


def digits(value: float, rounding: str) -> str:
    """A number that is not negative, with three digits, rounded as `decimal` calls it.

    >>> digits(1234.5, ROUND_CEILING), digits(1.001e-9, ROUND_HALF_EVEN)
    ('1240', '1e-9')
    """
    # a trace of rounding beyond twelve digits is no reason to round up
    exact = Context(prec=12).create_decimal_from_float(float(value))
    text = f"{float(Context(prec=3, rounding=rounding).plus(exact)):.3g}"
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return text
    return (
        f"{float(text):.0f}"
        if abs(float(text)) < 1e5 and int(exponent) > 0
        else f"{mantissa}e{int(exponent)}"
    )


def percent(share: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """A share with three digits; of a bound it is rounded up, with ``ROUND_CEILING``."""
    return "unknown" if math.isnan(share) else f"{digits(100 * share, rounding)} %"


def length(L: float) -> str:
    """A length that is needed: exact below ten thousand, rounded up to three digits above.

    >>> length(137.0), length(201_482.0), length(6.566e7)
    ('137', 'about 2.02e5', 'about 6.57e7')
    """
    return f"{L:.0f}" if L < 10_000 else f"about {digits(L, ROUND_CEILING)}"


def equals(L: float) -> str:
    """What stands behind "L " for such a length: ``= 137``, ``about 2.02e5``."""
    return f"{'= ' if L < 10_000 else ''}{length(L)}"


def asked(L: float) -> str:
    """A length that was asked for, with every digit.

    >>> asked(4000.0), asked(1e12), asked(123456.0)
    ('4000', '1e12', '123456')
    """
    return digits(L, ROUND_HALF_EVEN) if float(f"{L:.3g}") == L else f"{L:.17g}".replace("e+", "e")


def filled(text: str, width: int) -> str:
    r"""A paragraph in lines of a width, none of which ends between a number and its sign.

    >>> filled("It differs by 10 %.", 17)
    'It differs by\n10 %.'
    """
    whole = re.sub(r"(?<=\d) (?=%)|(?<=\bL =) | (?==)", "\N{NO-BREAK SPACE}", text)
    return textwrap.fill(whole, width, break_long_words=False, break_on_hyphens=False).replace(
        "\N{NO-BREAK SPACE}", " "
    )


def columns(rows: list[list[str]]) -> str:
    """Rows as columns that end together."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(text.rjust(width) for text, width in zip(row, widths)) for row in rows)
