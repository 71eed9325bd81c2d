"""Sets the pieces of a formula beside one another on a line of text: what stands between them, and
what needs parentheses (`numerics.terminal.mathematics` cuts formulas into pieces).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate

__all__ = ["KINDS", "Piece", "is_one", "is_product", "script", "written"]

#: What a script may be written with, if every character of it is here.
_ABOVE = dict(
    zip(
        "0123456789+−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδθφχ⊤′″‴*∗⋆†",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᶿᵠᵡᵀ′″‴***†",
    )
)
_BELOW = dict(zip("0123456789+−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ"))
#: Expectation and probability, which act on all of a fraction behind them.
_MEANS = ("𝔼", "ℙ")
#: Operators that are written apart from what they act on.
_LARGE = ("∑", "∏", "∫", "⋃", "⋂", "∀", "∃")
KINDS = {
    **dict.fromkeys([*"=<>≤≥≠~≃≈≡∝∈∉⊂⊆→←⇒⟹⇔⟺↦≪≫⪯⪰≺≻↓↑∧∨", ":=", "=:"], "relation"),
    **dict.fromkeys("+−±", "sign"),
    **dict.fromkeys("([{⟨⌊⌈", "opening"),
    **dict.fromkeys(")]}⟩⌋⌉", "closing"),
    **dict.fromkeys("|‖", "bar"),
    **dict.fromkeys(",;:", "comma"),
    **dict.fromkeys(_LARGE, "word"),
    **dict.fromkeys("/·×∘", "slash"),
}


@dataclass(frozen=True)
class Piece:
    """A part of a line: its text, and the kind that decides what stands between it and others.
    Kinds are those of `KINDS`, prefix (a sign in front of a term), fraction, words, gap and atom.
    """

    text: str
    kind: str = "atom"


_NOTHING = Piece("", "words")


def written(given: list[Piece], tight: bool = False) -> str:
    """Pieces on a line; a script is written tightly, with no spaces around signs.

    >>> written([Piece("2"), Piece("a/b", "fraction"), Piece("+", "sign"), Piece("c")])
    '2·a/b + c'
    """
    pieces = [p for p in given if p.kind != "gap"]
    gaps = {sum(p.kind != "gap" for p in given[:i]) for i, p in enumerate(given) if p.kind == "gap"}
    out = ""
    for i, piece in enumerate(pieces):
        before, after = pieces[i - 1] if i else _NOTHING, pieces[i + 1] if i + 1 < len(pieces) else _NOTHING
        of_function = (before.kind == "word" and before.text[0] not in _LARGE) or before.text[:1] in _MEANS
        goes_on = of_function or after.kind in ("atom", "word", "fraction", "opening", "bar")
        space = _between(before, piece) or (" " if i in gaps else "")
        out += (space.strip() if tight else space) + (
            f"({piece.text})" if piece.kind == "fraction" and goes_on else piece.text
        )
    return out


def _between(before: Piece, piece: Piece) -> str:
    kinds = (before.kind, piece.kind)
    if "words" in kinds or "prefix" in kinds[:1] or piece.kind == "comma":
        return ""
    if before.kind == "comma" or {"relation", "sign"} & set(kinds):
        return " "
    if before.text[:1] in _LARGE and piece.kind != "slash":
        return " "
    if piece.kind == "fraction":
        return "·" if before.kind in ("atom", "closing", "fraction") and before.text[:1] not in _MEANS else ""
    if kinds in (("word", "bar"), ("closing", "word")) or (
        "word" in kinds and set(kinds) <= {"atom", "word", "fraction"}
    ):
        return " "
    return " " if re.search(r"[_^√][^()]+$", before.text) and piece.text[0].isalnum() else ""


def is_one(pieces: list[Piece], *, divides: bool) -> bool:
    """Whether what is written is one thing: a letter or number with its scripts, or what stands in
    brackets or between bars; where it divides, also a function of what stands in brackets.

    >>> is_one([Piece("a"), Piece("b")], divides=True), is_one([Piece("a²")], divides=True)
    (False, True)
    """
    whole = [p for p in pieces if p.kind != "gap"]
    if divides and len(whole) == 2 and whole[0].text in ("d", "∂") and whole[1].kind == "atom":
        return True
    if (
        divides
        and len(whole) > 1
        and (whole[0].kind == "word" or whole[0].text[:1] in _MEANS)
        and whole[1].kind == "opening"
    ):
        whole = whole[1:]
    if len(whole) == 1:
        return whole[0].kind not in ("fraction", "words")
    depth = _depths(whole)
    return bool(whole) and depth[0] == 1 and depth[-1] == 0 and all(depth[:-1])


def _depths(pieces: list[Piece]) -> list[int]:
    """How many brackets are open behind each piece."""
    return list(accumulate({"opening": 1, "bar": 1, "closing": -1}.get(p.kind, 0) for p in pieces))


def is_product(pieces: list[Piece]) -> bool:
    """Whether what is written can be divided by something without brackets around it.

    >>> a, plus, b = Piece("a"), Piece("+", "sign"), Piece("b")
    >>> is_product([a, b]), is_product([a, plus, b])
    (True, False)
    """
    outside = {p.kind for p, inside in zip(pieces, [0, *_depths(pieces)]) if not inside}
    return not outside & {"relation", "sign", "prefix", "comma", "words", "word", "fraction"}


def script(text: str, mark: str) -> str:
    """A script in the small characters of Unicode if there are such for all of it.

    >>> script("k+1", "_"), script("min", "_"), script("1/p", "^")
    ('ₖ₊₁', '_min', '^(1/p)')
    """
    small = _BELOW if mark == "_" else _ABOVE
    if not text:
        return ""
    if all(letter in small for letter in text) and not re.search("[a-zA-Z]{3}", text):
        return "".join(small[letter] for letter in text)
    return f"{mark}{text}" if len(text) == 1 or (text.isascii() and text.isalpha()) else f"{mark}({text})"
