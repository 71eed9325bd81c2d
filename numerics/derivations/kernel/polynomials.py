"""Polynomials in terms: what the normal form calculates with.

A polynomial maps monomials to rational coefficients. A monomial lists its atoms, which are terms
that no law of arithmetic takes apart, with rational exponents. Whole exponents may be of the type
int: those are equal to Fractions and have their hashes, which are much faster to take. All laws
used hold for real values; `numerics.derivations.kernel.values` says why they hold for infinite
ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from math import gcd, lcm

from numerics.derivations.kernel.terms import Bind, Defined, Given, Number, Op, Term, text

__all__ = [
    "ONE",
    "Mono",
    "Poly",
    "add",
    "constant",
    "content",
    "from_atom",
    "multiply",
    "power",
    "sorted_term",
    "split_exponential",
    "times",
    "to_term",
]

Mono = tuple[tuple[Term, Fraction | int], ...]
Poly = dict[Mono, Fraction]
ONE: Mono = ()


def constant(c: Fraction | int) -> Poly:
    return {ONE: Fraction(c)} if c else {}


def from_atom(a: Term, exponent: Fraction | int = 1) -> Poly:
    return {((a, exponent),): Fraction(1)}


def add(parts: Iterable[Poly]) -> Poly:
    out: Poly = {}
    for p in parts:
        for m, c in p.items():
            out[m] = out[m] + c if m in out else c
    return {m: c for m, c in out.items() if c}


def multiply(p: Poly, q: Poly, polynomial: Callable[[Term], Poly]) -> Poly:
    out: Poly = {}
    for m, c in p.items():
        for n, d in q.items():
            both = times(m, n, polynomial)
            whole = [(a, x) for a, x in both if x > 0 and x.denominator == 1 and _divisible(a)]
            if not whole:
                out[both] = out[both] + c * d if both in out else c * d
                continue
            # roots whose product is none
            parts: Poly = {tuple(pair for pair in both if pair not in whole): c * d}
            for a, x in whole:
                parts = multiply(parts, power(polynomial(a), int(x), polynomial), polynomial)
            for k, b in parts.items():
                out[k] = out[k] + b if k in out else b
    return {m: c for m, c in out.items() if c}


def _divisible(a: Term) -> bool:
    return isinstance(a, Number) or (isinstance(a, Op) and a.head in ("add", "mul", "pow") and not _root(a))


def _root(a: Op) -> bool:
    """Whether a power is an atom: one with an exponent that is no positive whole number."""
    exponent = a.args[-1]
    return a.head == "pow" and not (
        isinstance(exponent, Number) and exponent.value > 0 and exponent.value.denominator == 1
    )


def power(p: Poly, n: int, polynomial: Callable[[Term], Poly]) -> Poly:
    out = constant(1)
    for _ in range(n):
        out = multiply(out, p, polynomial)
    return out


def times(m: Mono, n: Mono, polynomial: Callable[[Term], Poly]) -> Mono:
    """The product: exponents add up, exponentials join, and an indicator is its own square."""
    powers: dict[Term, Fraction | int] = dict(m)
    for a, x in n:
        powers[a] = powers[a] + x if a in powers else x
    exponents = [a for a in powers if isinstance(a, Op) and a.head == "exp"]
    if len(exponents) > 1 or any(powers[a] != 1 for a in exponents):
        scaled = [{k: c * powers[a] for k, c in polynomial(a.args[0]).items()} for a in exponents]
        for a in exponents:
            del powers[a]
        total = add(scaled)
        if total:
            powers[Op("exp", (to_term(total),))] = 1
    for a in powers:
        if isinstance(a, Op) and a.head == "ind":
            powers[a] = 1
    return tuple(sorted(((a, x) for a, x in powers.items() if x), key=lambda pair: text(pair[0])))


def content(p: Poly) -> Fraction:
    """The positive rational number that leaves whole coefficients without a common factor."""
    top, bottom = 0, 1
    for c in p.values():
        top, bottom = gcd(top, c.numerator), lcm(bottom, c.denominator)
    return Fraction(top or 1, bottom)


def split_exponential(
    m: Mono, inside: Callable[[Term], bool], polynomial: Callable[[Term], Poly]
) -> tuple[Mono, Mono]:
    """The factors that are not inside and those that are; an exponential is the product of two."""
    out: list[tuple[Term, Fraction | int]] = []
    kept: list[tuple[Term, Fraction | int]] = []
    for a, x in m:
        if isinstance(a, Op) and a.head == "exp" and inside(a):
            terms = polynomial(a.args[0])
            moving = {k: c for k, c in terms.items() if any(inside(b) for b, _ in k)}
            fixed = {k: c for k, c in terms.items() if k not in moving}
            kept.append((Op("exp", (to_term(moving),)), x))
            if fixed:
                out.append((Op("exp", (to_term(fixed),)), x))
        else:
            (kept if inside(a) else out).append((a, x))
    order = lambda factors: tuple(sorted(factors, key=lambda pair: text(pair[0])))
    return order(out), order(kept)


def to_term(p: Poly) -> Term:
    """The polynomial as a term; equal polynomials give equal terms."""
    terms = []
    for m, c in sorted(p.items(), key=lambda item: [(text(a), x) for a, x in item[0]]):
        factors = [a if x == 1 else Op("pow", (a, Number(Fraction(x)))) for a, x in m]
        if c != 1 or not factors:
            factors.insert(0, Number(c))
        terms.append(factors[0] if len(factors) == 1 else Op("mul", tuple(factors)))
    return Number(Fraction(0)) if not terms else terms[0] if len(terms) == 1 else Op("add", tuple(terms))


@cache
def sorted_term(e: Term) -> Term:
    """The term with the parts of its sums and products in the order of their texts, so that names
    of bound variables, by which they were sorted before, do not matter.
    """
    if isinstance(e, Op):
        args = tuple(map(sorted_term, e.args))
        return Op(e.head, tuple(sorted(args, key=text)) if e.head in ("add", "mul", "max", "min") else args)
    if isinstance(e, Bind):
        return Bind(e.kind, e.heads, e.count, sorted_term(e.body))
    if isinstance(e, Given):
        return Given(e.task, sorted_term(e.body))
    return sorted_term(e.body) if isinstance(e, Defined) else e
