"""LaTeX as MathML, made when a page is written: browsers typeset it by themselves, without scripts
or fonts from the network.
"""

from __future__ import annotations

from proofs_check.documents.latex.reader import LatexError
from proofs_check.documents.latex.typeset import CSS, FORMULA, block, formula, glued, inline, marked, words

__all__ = ["CSS", "FORMULA", "LatexError", "block", "formula", "glued", "inline", "marked", "words"]
