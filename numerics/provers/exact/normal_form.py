"""A normal form for scalar expressions, in which zero is decided by a polynomial remainder.

Every expression becomes a fraction of polynomials over the rationals in *letters*. A letter stands
for a symbol, an exponential, a logarithm, a root, or a function value that is left alone. Only
rewritings that hold wherever both sides are defined are made:

- exp of a sum is a product over a basis, linearly independent over the rationals, of all exponents;
- a factor that is positive (nonnegative for roots) by its symbols' assumptions leaves a logarithm
  or a root; nothing else does;
- hyperbolic and trigonometric functions are exponentials; Gamma, incomplete Gamma and Bessel
  functions are shifted to a base index.

Roots, |x| and the imaginary unit bring polynomial relations. A numerator in the ideal of the
relations is zero; that two letters might satisfy a relation nobody knows about can only keep a true
identity unproved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sympy as sp
from flint import fmpq

from numerics.provers.exact.exact_numbers import built, floor, sign, told
from numerics.provers.exact.field import Field, Undefined
from numerics.provers.exact.rewriting import rewritten
from numerics.rationals import sympy_rational

__all__ = ["Letters", "Undefined"]

HALF = sp.Rational(1, 2)


def _limit(q: sp.Rational) -> int | None:
    """How far the factors of a number are looked for: for those of a long one it may take years."""
    return None if max(abs(q.p), q.q).bit_length() <= 64 else 2**15


class Letters:
    """The letters of one statement, and the translation of expressions into them."""

    def __init__(self) -> None:
        self.meaning: dict[sp.Dummy, sp.Expr] = {}
        self.age: dict[sp.Dummy, int] = {}
        self.root_of: dict[sp.Dummy, sp.Expr] = {}
        self.exponents: dict[sp.Dummy, sp.Expr] = {}
        self.logarithms: dict[sp.Dummy, sp.Expr] = {}
        self.notes: dict[str, None] = {}
        self.minus_one: sp.Dummy | None = None
        self._by_key: dict[Any, sp.Dummy] = {}
        self._waiting: dict[sp.Dummy, sp.Expr] = {}
        self._translated: dict[sp.Expr, sp.Expr] = {}

    def letter(self, key: Any, meaning: sp.Expr) -> sp.Dummy:
        """The letter that stands for `meaning`; `key` tells letters apart."""
        if key not in self._by_key:
            # positive only so that SymPy adds fractional exponents; nothing is concluded from it
            new = self._by_key[key] = sp.Dummy(f"u{len(self.age)}", positive=True)
            self.age[new], self.meaning[new] = len(self.age), meaning
        return self._by_key[key]

    def meaning_of(self, e: sp.Expr) -> sp.Expr:
        return e.xreplace(self.meaning)

    def translate(self, exprs: Sequence[sp.Expr]) -> list[sp.Expr]:
        """Expressions in letters; the exponentials of all of them share one basis."""
        return self._settle([self._convert(sp.sympify(e)) for e in exprs])

    def field(self, exprs: Iterable[sp.Expr]) -> Field:
        return Field(self, exprs)

    def vanish(self, exprs: Sequence[sp.Expr], given: Sequence[sp.Expr] = ()) -> list[bool]:
        """For each translated expression, whether it is zero wherever the relations and `given`
        hold and everything is defined.
        """
        field = self.field([*exprs, *given])
        fractions = [field.fraction(e) for e in exprs]
        if not given:
            return [field.is_zero(num) for num, _ in fractions]
        field.with_relations([field.fraction(g)[0] for g in given])
        nonzero = [field.gen[g] for g in field.gens if self.meaning[g].is_nonzero]
        return [field.is_zero(num, [den, *nonzero]) for num, den in fractions]

    # Translation into letters

    def _convert(self, e: sp.Expr) -> sp.Expr:
        if e not in self._translated:
            self._translated[e] = self._convert_new(e)
        return self._translated[e]

    def _convert_new(self, e: sp.Expr) -> sp.Expr:
        if e.is_Rational:
            return e
        if e is sp.I:
            return self._minus_one() ** HALF
        if e.is_Add or e.is_Mul:
            return e.func(*(self._convert(a) for a in e.args))
        if isinstance(e, sp.exp) or (e.is_Pow and e.base is sp.E):
            return self._exponential(e.exp)
        if e is sp.E:
            return self._exponential(sp.S.One)
        if e.is_Pow:
            return self._convert_power(e.base, e.exp)
        if isinstance(e, sp.log) and len(e.args) == 1:
            return self._logarithm(self._canonical(e.args[0]))
        if isinstance(e, sp.Abs) and e.args[0].is_extended_real:
            return self._power(self._canonical(e.args[0] ** 2), HALF)
        if e.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
            raise Undefined(f"{e} is no number, and a part of the statement is identically that")
        simpler, notes = rewritten(e, self._regular)
        if simpler is not e:
            self.notes.update(dict.fromkeys(notes))
            return self._convert(simpler)
        if not e.args or e.is_Symbol or isinstance(e, (sp.Indexed, sp.Derivative)):
            return self.letter(e, e)
        arguments = tuple(self._canonical(a) for a in e.args)
        meaning = built(e.func, [self.meaning_of(a) for a in arguments])
        if meaning.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
            raise Undefined(f"{e} is {meaning}, which is no number: the statement is defined nowhere")
        return self.letter((e.func, arguments), meaning)

    def _regular(self, argument: sp.Expr) -> bool:
        """Whether Gamma is not at a pole whatever the symbols are: its argument depends on them, or
        is a number that is positive or not whole.
        """
        a = self.meaning_of(self._canonical(argument))
        if not a.is_number:
            return True
        s, n = sign(a), floor(a)
        return s == 1 or (n is not None and sign(a - n) == 1)

    def _minus_one(self) -> sp.Dummy:
        self.minus_one = self.letter("-1", sp.S.NegativeOne)
        return self.minus_one

    def _canonical(self, e: sp.Expr) -> sp.Expr:
        """One spelling for equal arguments: a cancelled, reduced fraction in letters."""
        (t,) = self.translate([e])
        field = self.field([t])
        num, den = field.fraction(t)
        num, den = field.cancelled(field.reduced(num), field.reduced(den))
        return field.expression(num) / field.expression(den)

    def _convert_power(self, base: sp.Expr, exponent: sp.Expr) -> sp.Expr:
        if exponent.is_Integer:
            if exponent < 0 and not base.is_nonzero:
                self.notes[f"{base} != 0"] = None
            return self._convert(base) ** exponent
        if exponent.is_Rational:
            if isinstance(base, sp.exp) and base.exp.is_extended_real:
                return self._exponential(base.exp * exponent)
            return self._power(self._canonical(base), exponent)
        if not base.is_nonzero:
            self.notes[f"{base} != 0"] = None
        return self._exponential(exponent * sp.log(base, evaluate=False))

    def _exponential(self, argument: sp.Expr) -> sp.Expr:
        a = self._canonical(argument)
        if a == 0:
            return sp.S.One
        waiting = sp.Dummy("exp", positive=True)
        self._waiting[waiting] = a
        return waiting

    def _settle(self, exprs: list[sp.Expr]) -> list[sp.Expr]:
        """Write the waiting exponentials in a common basis."""
        found = sorted(
            {d for e in exprs for d in e.atoms(sp.Dummy) if d in self._waiting}, key=lambda d: d.dummy_index
        )
        if not found:
            return exprs
        arguments = list(dict.fromkeys(self._waiting[d] for d in found))
        product = {a: self._product(a, arguments) for a in arguments}
        return [e.xreplace({d: product[self._waiting[d]] for d in found}) for e in exprs]

    def _product(self, argument: sp.Expr, together: Sequence[sp.Expr]) -> sp.Expr:
        """exp(argument) as a product of rational powers: of what stands in logarithms, of -1, and
        of exponentials in the basis.
        """
        known: list[tuple[Any, sp.Expr]] = [(("log", d), d) for d in self.logarithms]
        if self.minus_one is not None and sp.pi in self._by_key:
            known.append((("unit", None), self.minus_one**HALF * self._by_key[sp.pi]))
        known += [(("exp", d), a) for d, a in self.exponents.items()]
        coefficients = self._combination(argument, [a for _, a in known], together)
        if coefficients is None:
            new = self.letter(("exp", argument), sp.exp(self.meaning_of(argument)))
            self.exponents[new] = argument
            return new
        out = sp.S.One
        for ((kind, d), _), c in zip(known, coefficients):
            if c and kind == "log":
                out = out * self._power(self.logarithms[d], c)
            elif c:
                out = out * (self._minus_one() if kind == "unit" else d) ** c
        return out

    def _combination(
        self, target: sp.Expr, basis: list[sp.Expr], together: Sequence[sp.Expr]
    ) -> list[sp.Rational] | None:
        """Rational c with target = sum c_i basis_i, by elimination on the monomials over one
        denominator.
        """
        field = self.field([target, *basis, *together])
        fractions = [field.fraction(e) for e in [*basis, target]]
        common = field.one
        for _, den in fractions:
            common = common * divmod(den, common.gcd(den))[0]
        columns = [field.reduced(num * divmod(common, den)[0]).to_dict() for num, den in fractions]
        monomials = sorted({m for c in columns for m in c})
        matrix = sp.Matrix(
            len(monomials), len(columns), lambda i, j: sympy_rational(columns[j].get(monomials[i], fmpq(0)))
        )
        echelon, pivots = matrix.rref()
        if len(columns) - 1 in pivots:
            return None
        out = [sp.S.Zero] * len(basis)
        for row, pivot in enumerate(pivots):
            out[pivot] = echelon[row, len(columns) - 1]
        return out

    # Roots and logarithms

    def _split(self, e: sp.Expr) -> tuple[list[tuple[sp.Expr, sp.Rational]], bool, sp.Expr]:
        """``e = prod b**k * (-1 if negative) * rest`` with every b nonnegative; ``negative`` only
        where ``rest`` is 1.
        """
        field = self.field([e])
        num, den = field.fraction(e)
        (c, up), (k, down) = num.factor(), den.factor()
        constant = sympy_rational(c) / sympy_rational(k)
        good: list[tuple[sp.Expr, sp.Rational]] = [
            (sp.Integer(p), sp.Integer(m))
            for p, m in sp.factorrat(abs(constant), limit=_limit(constant)).items()
            if p != 1
        ]
        sign, rest = sp.sign(constant), sp.S.One
        for f, m in [*up, *((f, -m) for f, m in down)]:
            t = field.expression(f)
            if t.could_extract_minus_sign():
                t, sign = -t, sign * (-1) ** m
            base, p = t.as_base_exp()
            meaning = self.meaning_of(base if base.is_Dummy else t)
            if told(meaning, "nonnegative"):
                good.append((base, p * m) if base.is_Dummy else (t, sp.Integer(m)))
            elif not base.is_Dummy and told(meaning, "nonpositive"):
                good.append((-t, sp.Integer(m)))
                sign = sign * (-1) ** m
            else:
                pairs = int(m / 2) if self.meaning_of(t).is_extended_real else 0
                if pairs:
                    good.append((self._canonical(self.meaning_of(t) ** 2), sp.Integer(pairs)))
                rest = rest * t ** (m - 2 * pairs)
        if rest != 1:
            return good, False, self._canonical(self.meaning_of(sign * rest))
        return good, bool(sign < 0), rest

    def _base(self, b: sp.Expr) -> sp.Dummy:
        """The letter for something under a root: itself if it is a letter, else a new one with a
        relation.
        """
        if (
            b.is_Dummy and b not in self.exponents
        ):  # powers of such a letter are exp(c B), which is not the principal power
            return b
        new = self.letter(("root", b), self.meaning_of(b))
        self.root_of[new] = b
        return new

    def _power(self, e: sp.Expr, r: sp.Rational) -> sp.Expr:
        """A canonical ``e`` to a rational power: (a b)^r = a^r b^r for a >= 0."""
        if e == 0 and r < 0:
            raise Undefined(f"0**({r}) is not defined, and a root of the statement is identically that")
        if r.is_Integer or e in (0, 1):
            return e**r
        good, negative, rest = self._split(e)
        out = sp.S.One
        for b, k in good:
            out = out * (b ** (k * r) if b.is_Integer and (k * r).is_Integer else self._base(b) ** (k * r))
        if negative:
            out = out * self._minus_one() ** r
        return out if rest == 1 else out * self._base(rest) ** r

    def _logarithm(self, e: sp.Expr) -> sp.Expr:
        """log(a b) = log a + log b for a > 0; log exp(x) = x for real x."""
        if e == 1:
            return sp.S.Zero
        if e == 0:
            raise Undefined("log(0) is not defined")
        good, negative, rest = self._split(e)
        out = sp.S.Zero
        for b, k in good:
            if b in self.exponents and self.meaning_of(self.exponents[b]).is_extended_real:
                out = out + k * self.exponents[b]
            elif b in self.root_of:
                out = out + k * self._logarithm(self.root_of[b])
            else:
                out = out + k * self._log_letter(b)
        if negative:
            out = out + self._minus_one() ** HALF * self.letter(sp.pi, sp.pi)
        return out if rest == 1 else out + self._log_letter(rest)

    def _log_letter(self, b: sp.Expr) -> sp.Dummy:
        new = self.letter(("log", b), sp.log(self.meaning_of(b)))
        self.logarithms[new] = b
        return new
