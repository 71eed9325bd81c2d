"""LaTeX as MathML, which browsers typeset by themselves: a page needs no script and nothing from the network."""

from __future__ import annotations

import html
import re
from functools import cache

__all__ = ["mathml", "typeset"]

#: A formula between dollars; ``\$`` is a dollar.
_FORMULA = re.compile(r"(?<!\\)\$((?:\\.|[^$\\])+)\$")
# What the converter takes for an unknown command, and what it is.
_SPELLING = (
    (r"\\phantom\{\}", "{}"),
    (r"\\mathds(?![a-zA-Z])", r"\\mathbb"),
    (r"\\begin\{array\}\[\]", r"\\begin{array}"),
    (r"\\(?:displaystyle|limits|nolimits)(?![a-zA-Z])", ""),
)


@cache
def mathml(latex: str, *, display: bool = False) -> str:
    """A formula as a ``<math>`` element.

    Parameters
    ----------
    latex : str
        LaTeX without its dollars.
    display : bool
        On a line of its own.

    Returns
    -------
    str
        Where the formula cannot be read, its source in a ``<code>`` element: nothing that was printed may be lost.

    Examples
    --------
    >>> mathml("L^2").startswith("<math")
    True
    >>> mathml("a_b_c")
    '<code>a_b_c</code>'
    """
    from latex2mathml.converter import convert

    spelled = latex
    for pattern, instead in _SPELLING:
        spelled = re.sub(pattern, instead, spelled)
    try:
        return str(convert(spelled, display="block" if display else "inline"))
    except Exception:  # the converter raises whatever its parser runs into
        return f"<code>{html.escape(latex)}</code>"


def typeset(text: str) -> str:
    """Words with formulas between dollars, as HTML.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> typeset("a < b")
    'a &lt; b'
    >>> typeset("needs $L > 1$").startswith("needs <math")
    True
    """
    out, end = [], 0
    for found in _FORMULA.finditer(text):
        out += [html.escape(text[end : found.start()]), mathml(found.group(1))]
        end = found.end()
    return "".join([*out, html.escape(text[end:])]).replace("\\$", "$")
