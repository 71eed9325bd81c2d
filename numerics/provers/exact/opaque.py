"""Expressions as rational functions of letters, with what is known of each letter.

What is no rational function becomes a letter: an exponential of a monomial, a logarithm, a root, an
absolute value, the sine of an angle. The facts say of the letters what holds of every value of
theirs that is real and defined (`numerics.provers.exact.bounds`); that the letters may satisfy more
can only keep a true inequality unproved.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from math import gcd, lcm

import sympy as sp

from numerics.provers.exact.bounds import ODD, Fact, of_function, of_number
from numerics.provers.exact.exact_numbers import sign

__all__ = ["Fact", "Opaque", "Unsure"]

#: Bounds of constants, below and above. Between closer ones the product of the two distances is so
#: small that a program takes it for 0, and proposes what is no combination.
CONSTANTS = {
    sp.pi: (sp.Rational(314, 100), sp.Rational(22, 7)),
    sp.E: (sp.Rational(271, 100), sp.Rational(272, 100)),
}
#: Bounds of pi/2 where pi is no letter.
QUARTER = (sp.Rational(15707, 10**4), sp.Rational(15708, 10**4))
#: The letter of e, however it is written.
NAPIER = sp.exp(1, evaluate=False)
_ROUND, _HYPERBOLIC = (sp.sin, sp.cos, sp.tan), (sp.sinh, sp.cosh)
_OTHER = {sp.sin: sp.cos, sp.cos: sp.sin, sp.sinh: sp.cosh, sp.cosh: sp.sinh}
#: An angle is written by another one if it is at most so many times as large.
MOST_TURNS = 4


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
        exprs = list(exprs)
        atoms: set[sp.Expr] = set().union(*(e.atoms(sp.exp, sp.Pow, *_ROUND, *_HYPERBOLIC) for e in exprs))
        exponents = {u for f in atoms if (u := self._exponent(f)) is not None}
        exponents |= {sp.S.One} if any(e.has(sp.E) for e in exprs) else set()
        #: Whether sinh and cosh are written by exponentials: only beside others.
        self.flat = bool(exponents)
        exponents |= {f.args[0] for f in atoms if isinstance(f, _HYPERBOLIC)} if self.flat else set()
        for c, m in (term for u in exponents for term in _terms(u)):
            self.shared[m] = lcm(self.shared.get(m, 1), int(c.q))
        #: Whether exponentials are products of few, or each is a letter of its own.
        self.split = len(self.shared) <= len(exponents)
        angles = {f.args[0] for f in atoms if isinstance(f, _ROUND)}
        #: The angles whose multiples all angles are; none if each is a letter of its own.
        self.angles: dict[sp.Expr, sp.Rational] = {}
        for c, m in (term for u in angles for term in _terms(u)):
            self.angles[m] = _common(self.angles.get(m, sp.S.Zero), c)
        turns = (sum(abs(c / self.angles[m]) for c, m in _terms(u)) for u in angles)
        if len(self.angles) > len(angles) or any(k > MOST_TURNS for k in turns):
            self.angles = {}
        pi = self.rational(sp.pi) if any(e.has(sp.pi) for e in exprs) else None
        #: Bounds of pi/2, below and above.
        self.quarter = (pi / 2, pi / 2) if pi else QUARTER

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
        if (exponent := sp.S.One if e is sp.E else self._exponent(e)) is not None:
            return self._exponential(exponent)
        if e.is_Pow and e.exp.is_Integer:
            return self.rational(e.base) ** e.exp
        if e.is_Pow and e.exp.is_Rational:
            return self._root(e.base, e.exp.q) ** e.exp.p if e.exp.p > 0 else self._inverse_root(e)
        if e not in self.letters and (other := self._rewritten(e)) is not None:
            return other
        return self._letter(e)

    def _letter(self, e: sp.Expr) -> sp.Dummy:
        if e not in self.letters:
            self.letters[e] = letter = sp.Dummy("u", real=True)
            self.facts += self._known(e, letter)
        return self.letters[e]

    def _exponent(self, e: sp.Expr) -> sp.Expr | None:
        """The exponent to e of an exponential, or of a power of a positive number."""
        if isinstance(e, sp.exp):
            return e.exp
        if not (e.is_Pow and e.base.is_Rational and e.base > 0) or e.exp.is_Rational:
            return None
        return sp.expand(e.exp * sp.expand_log(sp.log(e.base)))

    def _rewritten(self, e: sp.Expr) -> sp.Expr | None:
        """By the letters of other functions what needs none of its own."""
        if isinstance(e, sp.tan):
            return self.rational(sp.sin(e.args[0])) / self.rational(sp.cos(e.args[0]))
        if isinstance(e, sp.acos):
            return self.rational(sp.pi / 2 - sp.asin(e.args[0]))
        if isinstance(e, _HYPERBOLIC) and self.flat:
            E = self._exponential(e.args[0])
            return (E + 1 / E) / 2 if isinstance(e, sp.cosh) else (E - 1 / E) / 2
        if isinstance(e, sp.log):
            parts = sp.Mul.make_args(sp.factor_terms(sp.together(e.args[0])))
            powers = [p.as_base_exp() for p in parts]
            whole = all(k.is_Rational for _, k in powers)
            if powers[1:] and whole and all(self._sure(b, strict=True) for b, _ in powers):
                return sp.Add(*(k * self.rational(sp.log(b)) for b, k in powers))
        return self._turned(e) if isinstance(e, (sp.sin, sp.cos)) else None

    def _turned(self, e: sp.Expr) -> sp.Expr | None:
        """The sine or cosine of a sum of angles; None of a single one."""
        turns = [(c / self.angles.get(m, c), self.angles.get(m, c) * m) for c, m in _terms(e.args[0])]
        if not self.angles or [k for k, _ in turns] == [1] or not all(k.is_Integer for k, _ in turns):
            return None
        cosine, sine = sp.S.One, sp.S.Zero
        for k, u in turns:
            c, s = self.rational(sp.cos(u)), sp.sign(k) * self.rational(sp.sin(u))
            for _ in range(abs(k)):
                cosine, sine = sp.expand(cosine * c - sine * s), sp.expand(cosine * s + sine * c)
        return sine if isinstance(e, sp.sin) else cosine

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
        return [(sp.S.One, sp.S.One)] if name.startswith("root") else [(sp.S.Zero, sp.S.Zero)]

    def _sure(self, e: sp.Expr, strict: bool = False) -> bool:
        """Whether an expression is nonnegative, or positive, wherever what is given holds."""
        if e.is_Rational:
            return bool(e > 0 if strict else e >= 0)
        if e.is_Symbol and (e.is_positive or (e.is_nonnegative and not strict)):
            return True
        if (g := sp.expand(e)) in self.known and (self.known[g] or not strict):
            return True
        if isinstance(e, (sp.exp, sp.cosh)) or e in CONSTANTS:
            return True
        if e.is_number:
            return sign(e) in ((1,) if strict else (0, 1))
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

    def _exponential(self, exponent: sp.Expr) -> sp.Expr:
        out = sp.S.One
        for c, m in _terms(exponent) if self.split else [(sp.S.One, exponent)]:
            q = self.shared.setdefault(m, 1)
            if (c * q).q != 1:
                raise ValueError(f"{exponent} was not among the exponents that are read together")
            key = sp.exp(m / q, evaluate=False)
            if key not in self.letters:
                self.letters[key] = E = sp.Dummy("u", real=True)
                self.facts.append((E, True))
                if key == NAPIER:
                    self.facts += [(E - CONSTANTS[sp.E][0], True), (CONSTANTS[sp.E][1] - E, True)]
            out *= self.letters[key] ** (c * q)
        argument = self.rational(exponent)
        self.values.setdefault("exp", []).append((argument, out))
        return out

    def _known(self, e: sp.Expr, letter: sp.Dummy) -> list[Fact]:
        """What holds of a value: of logarithms, |u|, Max, Min, numbers, functions with bounds."""
        if e in CONSTANTS:
            low, high = CONSTANTS[e]
            return [(letter - low, True), (high - letter, True)]
        if isinstance(e, (sp.Max, sp.Min)):
            s = 1 if isinstance(e, sp.Max) else -1
            gaps = [s * (letter - self.rational(a)) for a in e.args]
            return [*((g, False) for g in gaps), (sp.Mul(*gaps), False), (-sp.Mul(*gaps), False)]
        if e.is_number:
            return of_number(e, letter)
        if len(e.args) != 1:
            return []
        (a,) = e.args
        u = self.rational(a)
        if isinstance(e, sp.log):
            if not self._sure(a, strict=True):
                raise Unsure(f"{a} may not be positive")
            self.values.setdefault("log", []).append((u, letter))
            return [(u, True)]
        if isinstance(e, sp.Abs):
            self.values.setdefault("abs", []).append((u, letter))
            square = letter**2 - u**2
            signs = [(letter, False), (letter - u, False), (letter + u, False)]
            return [*signs, (square, False), (-square, False)]
        if isinstance(e, ODD):
            self.values.setdefault(type(e).__name__, []).append((u, letter))
        way = sp.S.One if self._sure(a) else sp.S.NegativeOne if self._sure(-a) else u
        return [*of_function(type(e), u, letter, way, self.quarter), *self._square(e, letter)]

    def _square(self, e: sp.Expr, letter: sp.Dummy) -> Iterator[Fact]:
        """The equation between the squares of sine and cosine, when the second letter is drawn."""
        other = self.letters.get(_OTHER[type(e)](e.args[0])) if type(e) in _OTHER else None
        if other is not None:
            c, d = (letter, other) if isinstance(e, (sp.cos, sp.cosh)) else (other, letter)
            unit = c**2 + (1 if isinstance(e, (sp.sin, sp.cos)) else -1) * d**2 - 1
            yield from ((unit, False), (-unit, False))


def _terms(exponent: sp.Expr) -> Iterator[tuple[sp.Rational, sp.Expr]]:
    """An exponent as a sum of rational multiples of expressions without a rational factor."""
    for term in sp.Add.make_args(sp.expand(exponent)):
        c, m = term.as_coeff_Mul(rational=True)
        yield c, m


def _common(a: sp.Rational, b: sp.Rational) -> sp.Rational:
    """The largest rational number of which both are multiples."""
    q = lcm(int(a.q), int(b.q))
    return sp.Rational(gcd(int(a * q), int(b * q)), q)
