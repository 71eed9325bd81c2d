"""Goals as formulas of z3 over real numbers. A root r of b is a number with r >= 0 and r^q = b
where b >= 0, and 1/b one whose product with b is 1 where b is not 0; what is needed for a root,
quotient, logarithm or power to be defined is kept apart. exp, log and powers become numbers E > 0,
y that belong together by E = exp(y).
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import lcm
from operator import eq, ge, gt, le, lt, mul, ne
from typing import Any

import sympy as sp
import z3
from sympy.core.function import AppliedUndef

from numerics.second_opinion.goals import Goal, NotAsked, Span, text

__all__ = ["Reader", "rational"]

#: A polynomial in what is no sum, product or whole power: coefficients by sorted pairs of a factor
#: and its power.
Monomial = tuple[tuple[sp.Expr, int], ...]
Polynomial = dict[Monomial, Fraction]
#: Powers of exp(m/q) beyond this one are numbers of their own.
MOST = 24
MOST_TERMS = 100_000  # pairs of terms of two exponents that are multiplied out
SIGNS = {"<=": le, "<": lt, ">=": ge, ">": gt, "==": eq, "!=": ne}
HYPERBOLIC = {sp.cosh: (1, 2), sp.sinh: (-1, 2), sp.tanh: (-1, 0)}


def rational(q: Any, ctx: z3.Context) -> Any:
    return z3.RealVal(f"{int(q.numerator)}/{int(q.denominator)}", ctx)


class Reader:
    """Reads the sides of one goal; `facts` hold for all values, `needs` have to hold for what was
    read last to be defined, `pairs` are the (y, E) with E = exp(y) where the third holds. `bases`
    are those of powers that are read where they are positive only, after what they need themselves.
    """

    def __init__(self, goal: Goal, ctx: z3.Context) -> None:
        self.ctx, self.free = ctx, any(span.free for _, span in goal.domain)
        if self.free and any(op != "!=" for _, op, _ in goal.given):
            raise NotAsked("conditions on complex numbers")  # real points may say nothing of others
        self.facts: list[Any] = []
        self.needs: list[Any] = []
        self.pairs: list[tuple[Any, Any, Any]] = []
        self.constants: dict[sp.Expr, Any] = {}
        self.whole: list[Any] = []
        self.bases: list[tuple[list[Any], Any]] = []
        self.known: dict[sp.Expr, tuple[Any, tuple[Any, ...]]] = {}
        self.exps: dict[tuple[Monomial, Fraction, bool], Any] = {}
        self.shares: dict[Monomial, int] = {}
        self.roots: dict[sp.Expr, dict[int, Any]] = {}
        self.same: list[tuple[sp.Expr, sp.Expr]] = []
        self.split: dict[sp.Expr, Polynomial] = {}
        self.spans = dict(goal.domain)
        self.named = 0
        self.variables = {s: z3.Real(f"x{n}", ctx) for n, (s, _) in enumerate(goal.domain)}
        for s, span in goal.domain:
            self.facts += self._inside(self.variables[s], span)
            self.whole += [self.variables[s]] if span.whole else []
        sides = [e for r in (*goal.given, (goal.lhs, goal.op, goal.rhs)) for e in (r[0], r[2])]
        for e in (n for side in sides for n in sp.preorder_traversal(side)):
            u = self._polynomial(e.args[0]) if e.func in HYPERBOLIC else self._exponent(e)
            if u is not None:
                for m, c in u.items():
                    self.shares[m] = lcm(self.shares.get(m, 1), c.denominator)

    def relation(self, a: sp.Expr, op: str, b: sp.Expr) -> tuple[Any, list[Any]]:
        """The formula, and what is needed for its sides to be defined."""
        self.needs = []
        formula = SIGNS[op](self.read(a), self.read(b))
        return formula, list(self.needs)

    def pair_split(self) -> None:
        """Products whose logarithms were read as sums belong to these sums."""
        for u, terms in self.split.items():
            y = z3.Sum([rational(c, self.ctx) * self._value(m) for m, c in terms.items()])
            self.pairs.append((y, self.read(u), self.read(u) > 0))

    def _inside(self, x: Any, span: Span) -> list[Any]:
        ends = ((span.lo, ">" if span.lo_open else ">="), (span.hi, "<" if span.hi_open else "<="))
        return [SIGNS[op](x, rational(end, self.ctx)) for end, op in ends if end is not None]

    def fresh(self) -> Any:
        self.named += 1
        return z3.Real(f"y{self.named}", self.ctx)

    def read(self, e: sp.Expr) -> Any:
        if e not in self.known:
            outer, self.needs = self.needs, []
            new = self._read(e)
            self.known[e], self.needs = (new, tuple(self.needs)), outer
        new, needs = self.known[e]
        self.needs += [n for n in needs if not any(n.eq(m) for m in self.needs)]
        return new

    def _read(self, e: sp.Expr) -> Any:
        one = rational(1, self.ctx)
        if e.is_Rational:
            return rational(Fraction(int(e.p), int(e.q)), self.ctx)
        if e in self.variables:
            return self.variables[e]
        if type(e).__name__ == "Computed":
            return self.read(e.args[1])
        if isinstance(e, sp.UnevaluatedExpr):
            return self.read(e.args[0])
        if isinstance(e, sp.Add):
            return z3.Sum([self.read(a) for a in e.args])
        if isinstance(e, sp.Mul):
            exponents = [(a, None if self.free else self._exponent(a)) for a in e.args]
            joined = [u for _, u in exponents if u is not None]
            if len(joined) > 1:  # their product is exp of a sum
                for a, _ in exponents:
                    self.read(a)
                self._exponential(_plus(*joined))
            return z3.Product([self.read(a) for a in e.args])
        if isinstance(e, sp.Pow) and (n := _constant(e.exp)).is_Rational and not (self.free and n.q > 1):
            return self._power(e.base, Fraction(int(n.p), int(n.q)))
        if self.free:
            raise NotAsked(f"{type(e).__name__} of complex numbers")
        if (exponent := self._exponent(e)) is not None:
            for a in e.args:
                self.read(a)  # what the exponent needs as it is written
            if isinstance(e, sp.Pow):
                self._positive_base(e.base)
            return self._exponential(exponent)
        if isinstance(e, sp.log) and len(e.args) == 1:
            u = e.args[0]
            self.needs.append(self.read(u) > 0)
            terms = self._polynomial(e)
            if terms == {((e, 1),): 1}:
                return self._logarithm(u)
            return z3.Sum(
                [rational(0, self.ctx), *(rational(c, self.ctx) * self._value(m) for m, c in terms.items())]
            )
        if isinstance(e, (sp.Max, sp.Min)):
            out, *rest = [self.read(a) for a in e.args]
            for b in rest:
                out = z3.If(out >= b if isinstance(e, sp.Max) else out <= b, out, b)
            return out
        if isinstance(e, sp.Abs):
            u = self.read(e.args[0])
            return z3.If(u >= 0, u, -u)
        if e.func in (*HYPERBOLIC, sp.sin, sp.cos, sp.erf, sp.erfc) or isinstance(e, AppliedUndef):
            for a in e.args:
                self.read(a)  # whatever it is of has to be defined
        if e.func in HYPERBOLIC:
            sign, two = HYPERBOLIC[e.func]
            up, down = (
                self._exponential({m: s * c for m, c in self._polynomial(e.args[0]).items()}) for s in (1, -1)
            )
            return (up + sign * down) / 2 if two else self._quotient(up - down, up + down)
        if isinstance(e, (sp.sin, sp.cos)):
            s, c = (self._opaque(f(e.args[0])) for f in (sp.sin, sp.cos))
            self.facts.append(s * s + c * c == one)
            return s if isinstance(e, sp.sin) else c
        if isinstance(e, (sp.floor, sp.ceiling)):
            n, u = self.fresh(), self.read(e.args[0])
            low, high = (u - 1, u) if isinstance(e, sp.floor) else (u, u + 1)
            self.facts += [n > low, n <= high] if isinstance(e, sp.floor) else [n >= low, n < high]
            self.whole.append(n)
            return n
        if (e.is_number and not e.args) or isinstance(e, (AppliedUndef, sp.Derivative, sp.erf, sp.erfc)):
            return self._opaque(e)
        raise NotAsked(type(e).__name__)

    def _positive_base(self, base: sp.Expr) -> None:
        outer, self.needs = self.needs, []
        b, needs = self.read(base), self.needs
        self.needs = [*outer, *needs, b > 0]
        if not self._positive(base):
            self.bases.append((needs, b > 0))

    def _opaque(self, e: sp.Expr) -> Any:
        """A number of which nothing is known, if it is no constant."""
        if e not in self.constants:
            self.constants[e] = z3.Real(f"c{len(self.constants)}", self.ctx)
        return self.constants[e]

    def _quotient(self, a: Any, b: Any) -> Any:
        i = self.fresh()
        self.facts.append(z3.Implies(b != 0, i * b == 1))
        self.needs.append(b != 0)
        return a * i

    def _power(self, base: sp.Expr, n: Fraction) -> Any:
        one, b = rational(1, self.ctx), self.read(base)
        if n.denominator > 1:
            self.needs.append(b >= 0)
            b = self._root(base, n.denominator)
        if n <= 0:
            self.needs.append(b != 0)
        top = _product([b] * abs(n.numerator)) if n else one
        return top if n >= 0 else self._quotient(one, top)

    def _root(self, base: sp.Expr, q: int) -> Any:
        roots, b = self.roots.setdefault(base, {}), self.read(base)
        if q not in roots:
            r = self.fresh()
            self.facts.append(z3.Implies(b >= 0, z3.And(r >= 0, _product([r] * q) == b)))
            for p, s in roots.items():
                small, large = ((q, r), (p, s)) if p > q else ((p, s), (q, r))
                if large[0] % small[0] == 0:
                    self.facts.append(
                        z3.Implies(b >= 0, small[1] == _product([large[1]] * (large[0] // small[0])))
                    )
            roots[q] = r
        return roots[q]

    # Exponents are polynomials in what is no sum or product, so that exp of a sum is a product.

    def _exponent(self, e: sp.Expr) -> Polynomial | None:
        """The polynomial y with e = exp(y), if e is an exponential or no rational power."""
        if isinstance(e, sp.exp):
            return self._reduced(self._polynomial(e.exp))
        if isinstance(e, sp.Pow) and not _constant(e.exp).is_Rational:
            log = self._polynomial(sp.log(e.base, evaluate=False))
            return self._reduced(_times(self._polynomial(e.exp), log))
        return {(): Fraction(1)} if e is sp.E else None

    def _reduced(self, exponent: Polynomial) -> Polynomial:
        """An exponent that divides by a sum, as one quotient; z3 shall say that it is the same."""
        if not any(k < 0 and isinstance(f, sp.Add) for m in exponent for f, k in m):
            return exponent
        number = lambda c: sp.Rational(c.numerator, c.denominator)
        whole = sp.Add(*(sp.Mul(number(c), *(f**k for f, k in m)) for m, c in exponent.items()))
        quotient = sp.cancel(whole)
        if quotient != whole and (whole, quotient) not in self.same:
            self.same.append((whole, quotient))
        return self._polynomial(quotient)

    def _polynomial(self, e: sp.Expr) -> Polynomial:
        if e.is_Rational:
            return {(): Fraction(int(e.p), int(e.q))} if e else {}
        if isinstance(e, sp.Add):
            return _plus(*map(self._polynomial, e.args))
        if isinstance(e, sp.Mul):
            product: Polynomial = {(): Fraction(1)}
            for a in e.args:
                product = _times(product, self._polynomial(a))
            return product
        if isinstance(e, sp.Pow) and e.exp.is_Integer:
            base, n = self._polynomial(e.base), int(e.exp)
            if 0 < n < 9:
                product = {(): Fraction(1)}
                for _ in range(n):
                    product = _times(product, base)
                return product
            if len(base) == 1 and n:
                ((m, c),) = base.items()
                return {tuple((f, k * n) for f, k in m): c**n}
            if n < 0 and base:
                return {((e.base, n),): Fraction(1)}
        if type(e).__name__ == "Computed":
            return self._polynomial(e.args[1])
        if isinstance(e, sp.log) and len(e.args) == 1:
            return self._log_polynomial(e)
        return {((e, 1),): Fraction(1)}

    def _log_polynomial(self, e: sp.Expr) -> Polynomial:
        """The logarithm of a product of what is positive as a sum."""
        u = e.args[0]
        if (inside := self._exponent(u)) is not None:
            return inside
        if u.is_Rational and u > 0:
            primes = [(p, s * k) for n, s in ((u.p, 1), (u.q, -1)) for p, k in _primes(int(n))]
            return {((sp.log(p, evaluate=False), 1),): Fraction(k) for p, k in primes}
        product = sp.factor(u) if isinstance(u, sp.Add) else u
        if isinstance(product, (sp.Mul, sp.Pow)) and all(
            map(self._positive, product.args[: 1 if product.is_Pow else None])
        ):
            if product != u and (u, product) not in self.same:
                self.same.append((u, product))  # z3 shall say so
            if isinstance(product, sp.Mul):
                self.split.setdefault(
                    u, _plus(*(self._polynomial(sp.log(a, evaluate=False)) for a in product.args))
                )
                return self.split[u]
            return _times(
                self._polynomial(product.exp), self._polynomial(sp.log(product.base, evaluate=False))
            )
        return {((e, 1),): Fraction(1)}

    def _positive(self, e: sp.Expr, strictly: bool = True) -> bool:
        """Whether this is seen at once to be positive, or else not to be negative."""
        if e in self.spans:
            lo = self.spans[e].lo
            return lo is not None and (lo > 0 or (lo == 0 and (self.spans[e].lo_open or not strictly)))
        if isinstance(e, sp.Add):
            return all(self._positive(a, False) for a in e.args) and (
                not strictly or any(map(self._positive, e.args))
            )
        if isinstance(e, (sp.Mul, sp.Pow)):
            return all(self._positive(a, strictly) for a in e.args[: 1 if e.is_Pow else None])
        number = e.is_Rational and (e > 0 or (e == 0 and not strictly))
        return bool(number) or isinstance(e, sp.exp) or e is sp.pi

    def _value(self, m: tuple[tuple[sp.Expr, int], ...]) -> Any:
        return _product([self._power(f, Fraction(k)) for f, k in m]) if m else rational(1, self.ctx)

    def _exponential(self, exponent: Polynomial) -> Any:
        """exp of the exponent, as a product of powers of one number for each monomial."""
        factors, terms, positive, n = [], [], [], 1
        for m, c in exponent.items():
            if len(m) == 1 and isinstance(m[0][0], sp.log) and m[0][1] == 1:
                base = m[0][0].args[0]
                positive.append(self.read(base) > 0)
                self.needs.append(positive[-1])
                factors.append(self._power(base, c))
                terms.append(rational(c, self.ctx) * self.read(m[0][0]))
                continue
            q = Fraction(self.shares.get(m, c.denominator))
            q, n = (q, int(c * q)) if (c * q).denominator == 1 and abs(c * q) <= MOST else (1 / c, 1)
            factors.append(self._power_of_e(m, q, n))
            terms.append(rational(c, self.ctx) * self._value(m))
        if not factors:
            return rational(1, self.ctx)
        out = _product(factors)
        if len(factors) > 1 or abs(n) > 1:
            self.pairs.append((z3.Sum(terms), out, z3.And(z3.BoolVal(True, self.ctx), *positive)))
        return out

    def _power_of_e(self, m: Monomial, q: Fraction, n: int) -> Any:
        """``exp(m/q)**n``."""
        y, inverted = rational(1 / q, self.ctx) * self._value(m), n < 0
        if (m, q, False) not in self.exps:
            self.exps[m, q, False] = E = self.fresh()
            self.facts.append(E > 0)
            self.pairs.append((y, E, z3.BoolVal(True, self.ctx)))
        if inverted and (m, q, True) not in self.exps:
            self.exps[m, q, True] = E = self.fresh()
            self.facts += [E > 0, E * self.exps[m, q, False] == 1]
            self.pairs.append((-y, E, z3.BoolVal(True, self.ctx)))
        return _product([self.exps[m, q, inverted]] * abs(n))

    def _logarithm(self, u: sp.Expr) -> Any:
        """log(u) where u > 0, whose factors need not be positive."""
        kept = list(self.needs)
        y, E = self.fresh(), self.read(u)
        self.pairs.append((y, E, E > 0))
        if isinstance(u, sp.Mul):
            parts = [(self.read(a), self.read(sp.log(a, evaluate=False))) for a in u.args]
            self.facts.append(
                z3.Implies(z3.And([a > 0 for a, _ in parts]), y == z3.Sum([b for _, b in parts]))
            )
        elif isinstance(u, sp.Pow) and u.exp.is_Rational:
            a, b = self.read(u.base), self.read(sp.log(u.base, evaluate=False))
            self.facts.append(z3.Implies(a > 0, y == self.read(u.exp) * b))
        self.needs = kept
        return y


def _constant(exponent: sp.Expr) -> sp.Expr:
    """An exponent without symbols, worked out."""
    return exponent if exponent.is_Rational or exponent.free_symbols else exponent.doit()


def _plus(*parts: Polynomial) -> Polynomial:
    out: Polynomial = {}
    for part in parts:
        for m, c in part.items():
            out[m] = out.get(m, Fraction(0)) + c
    return {m: c for m, c in out.items() if c}


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    out: Polynomial = {}
    if len(a) * len(b) > MOST_TERMS:
        raise NotAsked("an exponent of too many terms")
    for m, c in a.items():
        for n, d in b.items():
            powers = dict(m)
            for f, k in n:
                powers[f] = powers.get(f, 0) + k
            key = tuple(sorted(((f, k) for f, k in powers.items() if k), key=lambda p: text(p[0])))
            out[key] = out.get(key, Fraction(0)) + c * d
    return {m: c for m, c in out.items() if c}


def _product(factors: list[Any]) -> Any:
    return reduce(mul, factors)


def _primes(n: int) -> list[tuple[int, int]]:
    """The prime powers in n; what is left when small factors are out counts as a prime."""
    out, p = [], 2
    while n > 1:
        p = p if p * p <= n and p < 10_000 else n
        k = 0
        while n % p == 0:
            n, k = n // p, k + 1
        out += [(p, k)] if k else []
        p += 1
    return out
