"""Expressions as rational functions of letters, with what is known of each letter.

What is no rational function becomes a letter: an exponential of a monomial, a logarithm, a root, an
absolute value. The facts say of the letters what holds of every value of theirs that is real and
defined; that the letters may satisfy more can only keep a true inequality unproved.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from math import lcm

import sympy as sp

__all__ = ["Fact", "Opaque", "Unsure"]

#: A rational function, and whether it is positive; else it is nonnegative.
Fact = tuple[sp.Expr, bool]
#: Bounds of constants, below and above: closer ones would drown in the rounding of a program.
CONSTANTS = {
    sp.pi: (sp.Rational(31415, 10**4), sp.Rational(31416, 10**4)),
    sp.E: (sp.Rational(27182, 10**4), sp.Rational(27183, 10**4)),
}
#: The letter of e, however it is written.
NAPIER = sp.exp(1, evaluate=False)


class Unsure(ValueError):
    """A root or logarithm may be undefined where the statement is not. SymPy writes sqrt(x*y) as
    sqrt(x)*sqrt(y) for x >= 0, so that y may be negative where x is 0: there the letter of sqrt(y)
    stands for nothing.
    """


class Opaque:
    """The letters of some expressions, which have to be read together: the exponents of all of them
    share one basis. That bases of roots are nonnegative, and arguments of logarithms positive, has
    to be seen from them or to be `given`.

    >>> x, y = sp.symbols("x y", real=True)
    >>> words = Opaque([sp.exp(2 * x) - sp.exp(x)])
    >>> e = words.rational(sp.exp(2 * x) - sp.exp(x))
    >>> len(e.free_symbols), words.meaning(e) == sp.exp(2 * x) - sp.exp(x)
    (1, True)
    """

    def __init__(self, exprs: Iterable[sp.Expr], given: Iterable[Fact] = ()) -> None:
        self.known: dict[sp.Expr, bool] = {}
        for g, strict in given:
            g = sp.expand(g)
            self.known[g] = strict or self.known.get(g, False)
        self.letters: dict[sp.Expr, sp.Dummy] = {}
        self.facts: list[Fact] = []
        #: Values of increasing functions, by function: argument and value as rational functions.
        self.values: dict[str, list[tuple[sp.Expr, sp.Expr]]] = {}
        self.shared: dict[sp.Expr, int] = {}
        heads = [(e.atoms(sp.exp), e.has(sp.E)) for e in exprs]
        exponents = {f.exp for found, _ in heads for f in found}
        exponents |= {sp.S.One} if any(e for _, e in heads) else set()
        for c, m in (term for u in exponents for term in _terms(u)):
            self.shared[m] = lcm(self.shared.get(m, 1), int(c.q))
        #: Whether exponentials are products of few, or each is a letter of its own.
        self.split = len(self.shared) <= len(exponents)

    def meaning(self, e: sp.Expr) -> sp.Expr:
        """What an expression in letters stands for."""
        meaning = {letter: value for value, letter in self.letters.items()}
        while (out := e.xreplace(meaning)) != e:
            e = out
        return e

    def rational(self, e: sp.Expr) -> sp.Expr:
        """The expression as a rational function of symbols and letters."""
        if e.is_Symbol or e.is_Rational:
            return e
        if e.is_Add or e.is_Mul:
            return e.func(*map(self.rational, e.args))
        if isinstance(e, sp.exp) or e is sp.E:
            return self._exponential(NAPIER if e is sp.E else e)
        if e.is_Pow and e.exp.is_Integer:
            return self.rational(e.base) ** e.exp
        if e.is_Pow and e.exp.is_Rational:
            return self._root(e.base, e.exp.q) ** e.exp.p if e.exp.p > 0 else self._inverse_root(e)
        if e not in self.letters:
            self.letters[e] = letter = sp.Dummy("u", real=True)
            self.facts += self._known(e, letter)
        return self.letters[e]

    def compared(self, facts: Iterable[Fact] = ()) -> Iterator[Fact]:
        """What is known of two values of one function: tangents of exp lie below, those of log
        above, strictly where the facts say that the arguments differ; where others rise,
        ``(f(u) - f(v)) (u - v) >= 0``. And |u + v| <= |u| + |v|.
        """
        apart = {sp.expand(s * g) for g, strict in facts if strict for s in (1, -1)}
        for (u, A), (v, B), (w, C) in itertools.permutations(self.values.get("abs", ()), 3):
            if sp.expand(u + v - w) == 0 or sp.expand(u - v - w) == 0:
                yield (A + B - C, False)
        for name, pairs in self.values.items():
            for (u, f), (v, g) in itertools.permutations(
                dict.fromkeys((*self._known_values(name), *pairs)), 2
            ):
                differ = sp.expand(u - v) in apart
                if name == "exp":
                    yield (f - g - g * (u - v), differ)
                elif name == "log":
                    yield ((u - v) / v - f + g, differ)
                elif name != "abs":
                    yield ((f - g) * (u - v), False)

    def _known_values(self, name: str) -> list[tuple[sp.Expr, sp.Expr]]:
        """Arguments of a function with its values there."""
        e = [self.letters[NAPIER]] if NAPIER in self.letters else []
        if name == "exp":
            return [(sp.S.Zero, sp.S.One), *((sp.S.One, x) for x in e)]
        if name == "log":
            return [(sp.S.One, sp.S.Zero), *((x, sp.S.One) for x in e)]
        return [(sp.S.Zero, sp.S.Zero)] if name == "tanh" else [(sp.S.One, sp.S.One)]  # a root of 1

    def _sure(self, e: sp.Expr, strict: bool = False) -> bool:
        """Whether an expression is nonnegative, or positive, wherever what is given holds."""
        if e.is_Rational:
            return bool(e > 0 if strict else e >= 0)
        if e.is_Symbol and (e.is_positive or (e.is_nonnegative and not strict)):
            return True
        if (g := sp.expand(e)) in self.known and (self.known[g] or not strict):
            return True
        if isinstance(e, sp.exp) or e in CONSTANTS:
            return True
        if e.is_Add:
            return all(map(self._sure, e.args)) and (
                not strict or any(self._sure(a, strict=True) for a in e.args)
            )
        if e.is_Mul:
            return all(self._sure(a, strict) for a in e.args)
        if e.is_Pow and e.exp.is_Rational and not (e.exp.is_Integer and e.exp % 2 == 0):
            return self._sure(e.base, strict or e.exp < 0)
        even = e.is_Pow and e.exp.is_Integer and bool(e.base.is_real)
        return not strict and (even or isinstance(e, sp.Abs))

    def _root(self, base: sp.Expr, q: int) -> sp.Dummy:
        key = base ** sp.Rational(1, q)
        if key not in self.letters:
            if not self._sure(base):
                raise Unsure(f"{base} may be negative")
            b = self.rational(base)
            self.letters[key] = w = sp.Dummy("u", real=True)
            self.facts += [(w, False), (w**q - b, False), (b - w**q, False)]
            self.values.setdefault(f"root {q}", []).append((b, w))
        return self.letters[key]

    def _inverse_root(self, e: sp.Expr) -> sp.Expr:
        """A power with a negative exponent, which is defined where its base is positive."""
        if not self._sure(e.base, strict=True):
            raise Unsure(f"{e.base} may not be positive")
        w = self._root(e.base, e.exp.q)
        self.facts.append((w, True))
        return w**e.exp.p

    def _exponential(self, e: sp.Expr) -> sp.Expr:
        out = sp.S.One
        for c, m in _terms(e.exp) if self.split else [(sp.S.One, e.exp)]:
            q = self.shared.setdefault(m, 1)
            if (c * q).q != 1:
                raise ValueError(f"{e} was not among the expressions that are read together")
            key = sp.exp(m / q, evaluate=False)
            if key not in self.letters:
                self.letters[key] = E = sp.Dummy("u", real=True)
                self.facts.append((E, True))
                if key == NAPIER:
                    self.facts += [(E - CONSTANTS[sp.E][0], True), (CONSTANTS[sp.E][1] - E, True)]
            out *= self.letters[key] ** (c * q)
        argument = self.rational(e.exp)
        self.values.setdefault("exp", []).append((argument, out))
        return out

    def _known(self, e: sp.Expr, letter: sp.Dummy) -> list[Fact]:
        """What holds of a value: of logarithms, |u|, Max, Min, sin, cos, tanh and constants."""
        if e in CONSTANTS:
            low, high = CONSTANTS[e]
            return [(letter - low, True), (high - letter, True)]
        if isinstance(e, (sp.Max, sp.Min)):
            s = 1 if isinstance(e, sp.Max) else -1
            gaps = [s * (letter - self.rational(a)) for a in e.args]
            return [*((g, False) for g in gaps), (sp.Mul(*gaps), False), (-sp.Mul(*gaps), False)]
        if len(e.args) != 1 or not isinstance(e, (sp.log, sp.Abs, sp.sin, sp.cos, sp.tanh)):
            return []
        u = self.rational(e.args[0])
        if isinstance(e, sp.log):
            if not self._sure(e.args[0], strict=True):
                raise Unsure(f"{e.args[0]} may not be positive")
            self.values.setdefault("log", []).append((u, letter))
            return [(u, True)]
        if isinstance(e, sp.Abs):
            self.values.setdefault("abs", []).append((u, letter))
            square = letter**2 - u**2
            signs = [(letter, False), (letter - u, False), (letter + u, False)]
            return [*signs, (square, False), (-square, False)]
        if isinstance(e, sp.tanh):
            self.values.setdefault("tanh", []).append((u, letter))
            return [(1 - letter, True), (letter + 1, True)]
        out: list[Fact] = [(1 - letter, False), (letter + 1, False)]
        other = self.letters.get((sp.cos if isinstance(e, sp.sin) else sp.sin)(e.args[0]))
        if other is not None:
            circle = letter**2 + other**2 - 1
            out += [(circle, False), (-circle, False)]
        return out


def _terms(exponent: sp.Expr) -> Iterator[tuple[sp.Rational, sp.Expr]]:
    """An exponent as a sum of rational multiples of expressions without a rational factor."""
    for term in sp.Add.make_args(sp.expand(exponent)):
        c, m = term.as_coeff_Mul(rational=True)
        yield c, m
