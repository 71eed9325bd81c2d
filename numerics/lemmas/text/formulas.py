"""Formulas in a text, read by a grammar of their own; nothing is ever evaluated as Python.

``sum := product (+ | -) ...``, ``product := signed (* | /) ...``, ``signed := [-] power``,
``power := atom [! or '] [^ signed]``; an atom is a number, a name, ``f(x, ...)``, ``|x|`` or a
formula in parentheses; ``sum(f, k = 1..n)`` and ``prod`` bind a variable, and ``P`` takes relations
joined by ``and``, which binds more tightly, and ``or``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import sympy as sp

from numerics.lemmas.text.tokens import Tokens

__all__ = [
    *("CLAUSES", "SIGNS", "Bound", "Call", "Formula", "Name", "Number", "Relation"),
    *("formula", "named", "relation", "signed"),
]

SIGNS = ("<=", "<", ">=", ">", "==", "!=")
#: Words that begin a clause, which therefore name nothing.
CLAUSES = ("for", "given", "as", "in", "iid", "of", "by", "normal", "and", "or")
#: Formulas are read by recursion, which Python bounds.
DEEPEST = 60


class Number(NamedTuple):
    value: sp.Rational


class Name(NamedTuple):
    text: str
    place: int


@dataclass(frozen=True)
class Call:
    """A function, or an operation under its sign, of formulas."""

    head: str
    args: tuple[Formula, ...]
    #: Where the name of the function stands; operations have none.
    place: int = -1


@dataclass(frozen=True)
class Bound:
    """A sum or product, with its variable and its ends."""

    head: str
    body: Formula
    name: str
    ends: tuple[Formula, Formula]
    place: int


@dataclass(frozen=True)
class Relation:
    """A chain such as ``0 < x <= 1``, by its sides and the signs between them."""

    sides: tuple[Formula, ...]
    signs: tuple[str, ...]


Formula: TypeAlias = Number | Name | Call | Bound | Relation


def formula(t: Tokens, depth: int = 0) -> Formula:
    """The longest formula that comes next."""
    found = _product(t, depth)
    while sign := t.take("+", "-"):
        found = Call(sign, (found, _product(t, depth)))
    return found


def relation(t: Tokens, depth: int = 0, first: Formula | None = None) -> Relation:
    """A chain of formulas with signs between them; the first of them may have been read."""
    sides, signs = [first or formula(t, depth)], []
    while sign := t.take(*SIGNS):
        signs.append(sign)
        sides.append(formula(t, depth))
    if not signs:
        t.refuse("a sign such as <= is expected between two sides")
    return Relation(tuple(sides), tuple(signs))


def _product(t: Tokens, depth: int) -> Formula:
    found = signed(t, depth)
    while sign := t.take("*", "/"):
        found = Call(sign, (found, signed(t, depth)))
    starts = t.now.kind == "number" or t.see("(") or (t.now.kind == "name" and t.now.text not in CLAUSES)
    if starts:
        hint = "write 2*x for a product, a comma between conditions, and real or whole before a name"
        t.refuse(f"a sign is missing here; {hint}")
    return found


def signed(t: Tokens, depth: int) -> Formula:
    """A power with or without a sign before it."""
    if depth > DEEPEST:
        t.refuse(f"formulas are nested more than {DEEPEST} deep; write a shorter one")
    if t.take("-"):
        return Call("neg", (signed(t, depth + 1),))
    t.take("+")
    return _power(t, depth)


def _power(t: Tokens, depth: int) -> Formula:
    found = _atom(t, depth)
    while sign := t.take("!", "'"):
        found = Call(sign, (found,))
        if sign == "!" and t.see("!"):
            t.refuse("a double factorial is not read; write a product, or (n!)! if that is meant")
    return Call("^", (found, signed(t, depth + 1))) if t.take("^") else found


def _atom(t: Tokens, depth: int) -> Formula:
    if t.now.kind == "number":
        return Number(sp.Rational(t.advance().text))
    if t.see("["):
        t.refuse("brackets are not read; write ( ) for parentheses, or floor(x)")
    place = t.now.place
    if opening := t.take("(", "|"):
        inner = formula(t, depth + 1)
        t.need("|" if opening == "|" else ")")
        return Call("abs", (inner,), place) if opening == "|" else inner
    if t.see(*CLAUSES) or t.now.kind != "name":
        t.refuse("a number, a name or a formula in parentheses is expected")
    name = t.advance()
    if not t.take("("):
        return Name(name.text, name.place)
    if name.text == "P":
        args: list[Formula] = [_event(t, depth + 1)]
    else:
        args = [formula(t, depth + 1)]
        while t.take(","):
            if name.text in ("sum", "prod") and t.ahead(1).text in ("==", "in"):
                return _bound(t, name.text, args, name.place, depth)
            args.append(formula(t, depth + 1))
    t.need(")")
    return Call(name.text, tuple(args), name.place)


def _bound(t: Tokens, head: str, args: list[Formula], place: int, depth: int) -> Bound:
    if len(args) != 1:
        t.refuse(f"{head} takes one summand and one variable, as in {head}(1/k^2, k = 1..n)")
    name = t.name()
    if not t.take("==", "in"):
        t.refuse("the variable and its range are expected, as in k = 1..n")
    low = formula(t, depth + 1)
    t.need("..")
    high = formula(t, depth + 1)
    t.need(")")
    return Bound(head, args[0], name, (low, high), place)


def _event(t: Tokens, depth: int, words: tuple[str, ...] = ("or", "and")) -> Formula:
    if not words:
        return relation(t, depth)
    found = _event(t, depth, words[1:])
    while t.take(words[0]):
        found = Call(words[0], (found, _event(t, depth, words[1:])))
    return found


def named(f: Formula, *, called: bool = False) -> set[str]:
    """The names that a formula holds, or those of what it calls."""
    found: set[str] = set()
    parts = [f]
    while parts:
        match parts.pop():
            case Name(text):
                found |= set() if called else {text}
            case Call(head, args, place):
                parts += args
                found |= {head} if called and place >= 0 else set()
            case Bound() as b:
                parts += b.ends
                found |= (named(b.body, called=called) - {b.name}) | ({b.head} if called else set())
            case Relation(sides):
                parts += sides
    return found
