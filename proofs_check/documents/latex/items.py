"""The pieces of a formula, each with its class in TeX's sense (ordinary, operator, relation, ...),
and the spaces between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

__all__ = ["EMPTY", "Item", "mo", "row", "script", "sized", "width"]


@dataclass(frozen=True)
class Item:
    """A piece: MathML, TeX's class, and about how many ems wide it is.

    `limits`: scripts stand above and below; `sign`: the operator inside; `text`: words outside
    mathematics; `cells`: rows and columns of an aligned block; `breaks`: a line may end here.
    """

    kind: str
    xml: str
    width: float = 0.6
    limits: bool = False
    sign: str = ""
    text: str = ""
    cells: tuple[tuple[tuple[Item, ...], ...], ...] = ()
    breaks: bool = False


EMPTY = Item("ord", "<mrow></mrow>", 0.0)


def mo(sign: str, **attributes: str) -> str:
    """An operator."""
    given = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<mo{given}>{escape(sign)}</mo>"


def width(items: Sequence[Item]) -> float:
    """About how many ems a row takes."""
    return sum(i.width for i in items)


def _spaced(items: Sequence[Item]) -> list[Item]:
    """A sign in front of a term is no binary operator; a function keeps a thin space from what it
    is applied to.
    """
    out: list[Item] = []
    before = ""
    for i, item in enumerate(items):
        after = next((j.kind for j in items[i + 1 :] if j.kind != "space"), "")
        if item.kind == "bin" and before in ("", "open", "bin", "rel", "punct", "op", "big"):
            item = replace(item, kind="ord", xml=mo(item.sign, form="prefix", lspace="0", rspace="0"), width=0.8)
        elif item.kind == "bin" and after in ("", "close", "rel", "punct"):
            item = replace(item, kind="ord", xml=mo(item.sign, form="postfix", lspace="0", rspace="0"), width=0.8)
        named = item.kind in ("op", "big")
        if named and before in ("ord", "close", "inner", "op") and item.kind == "op":
            out.append(Item("space", '<mspace width="0.167em"></mspace>', 0.17))
        out.append(item)
        if item.kind == "op" and after in ("ord", "big") and items[i + 1].kind != "space":
            out.append(Item("space", '<mspace width="0.167em"></mspace>', 0.17))
        before = before if item.kind == "space" else item.kind
    return out


def row(items: Sequence[Item], *, always: bool = False) -> str:
    """MathML of a row, wrapped unless it is a single element."""
    found = _spaced(items)
    inside = "".join(i.xml for i in found)
    return inside if len(found) == 1 and not always else f"<mrow>{inside}</mrow>"


def sized(sign: str, size: str, form: str) -> str:
    """A delimiter of a fixed size; nothing for TeX's empty delimiter."""
    if not sign:
        return "<mrow></mrow>"
    return mo(sign, form=form, stretchy="true", symmetric="true", minsize=size, maxsize=size, lspace="0", rspace="0")


def script(base: Item, sub: Sequence[Item] | None, sup: Sequence[Item] | None) -> Item:
    """A base with what stands below and above it."""
    low, high = (None if part is None else row(part) for part in (sub, sup))
    tags = ("munder", "mover", "munderover") if base.limits else ("msub", "msup", "msubsup")
    if low is not None and high is not None:
        xml = f"<{tags[2]}>{base.xml}{low}{high}</{tags[2]}>"
    elif low is not None:
        xml = f"<{tags[0]}>{base.xml}{low}</{tags[0]}>"
    else:
        xml = f"<{tags[1]}>{base.xml}{high}</{tags[1]}>"
    scripts = 0.72 * max(width(sub or ()), width(sup or ()))
    kind = base.kind if base.kind in ("op", "big", "rel", "open", "close", "inner") else "ord"
    return Item(kind, xml, max(base.width, scripts) if base.limits else base.width + scripts)
