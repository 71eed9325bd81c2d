"""Turns LaTeX into MathML while a page is written. Browsers typeset MathML without scripts or fonts
from the network.
"""

from __future__ import annotations

from proofs_check.documents.latex.reader import LatexError
from proofs_check.documents.latex.typeset import CSS, FORMULA, block, formula, glued, inline, marked, words

__all__ = ["CSS", "FORMULA", "LatexError", "block", "formula", "glued", "inline", "marked", "words"]
