"""Compiles SymPy expressions into programs that enclose their values on a box by interval
arithmetic. Common subexpressions are compiled once, and each is evaluated at most once a box.
Products whose factors belong together, such as ``x**a * exp(c*x)``, are evaluated as one monotone
function, because separate enclosures of the factors would lose their dependence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import sympy as sp
from flint import arb, ctx, fmpq

from numerics.provers.effort import COMPILE, Effort
from numerics.provers.enclosures.balls import precision
from numerics.provers.enclosures.boxes import Box, Side
from numerics.provers.enclosures.interval import (
    INF,
    ONE,
    ZERO,
    Iv,
    down,
    meet,
    power,
    powexp,
    rational_power,
    signed_powexp,
    up,
)
from numerics.provers.enclosures.rules import RULES, with_parameter
from numerics.rationals import flint_rational

__all__ = ["Program", "Unsupported", "Values", "image"]


class Unsupported(NotImplementedError):
    """No enclosure is known for a function that occurs."""


Node = Callable[["Values"], Iv]


class Values(dict[int, Iv]):
    """The enclosures of a program's nodes on one box, computed when asked for."""

    __slots__ = ("box", "program")

    def __init__(self, program: Program, box: Box) -> None:
        self.program, self.box = program, box

    def __missing__(self, i: int) -> Iv:
        self.program.effort.spent += 1
        v = self[i] = self.program.nodes[i](self)
        return v


class Program:
    """Expressions in fixed symbols, compiled on demand with common subexpressions shared."""

    def __init__(self, symbols: Sequence[sp.Symbol], effort: Effort | None = None) -> None:
        self.symbols = list(symbols)
        self.effort = effort or Effort(0)  # it is counted here, and looked at by whoever gave it
        self.nodes: list[Node] = []
        self._index: dict[sp.Expr, int] = {}
        self._symbols_of: dict[sp.Expr, frozenset[sp.Symbol]] = {}

    def on(self, box: Box) -> Values:
        return Values(self, box)

    def add(self, e: sp.Expr) -> int:
        """The index of `e` among the nodes. A function for which no enclosure is known is
        `Unsupported`.
        """
        if e not in self._index:
            self.effort.spent += COMPILE
            node = self._build(e)
            self._index[e] = len(self.nodes)
            self.nodes.append(node)
        return self._index[e]

    def _build(self, e: sp.Expr) -> Node:
        if e.is_number:
            return self._constant(e)
        line = self._affine(e)
        if line:
            return line
        if isinstance(e, sp.Add):
            return self._fold([self.add(a) for a in e.args], Iv.__add__)
        if isinstance(e, sp.Mul):
            return self._fold(list(self._factors(e)), Iv.__mul__)
        if isinstance(e, sp.Pow):
            return self._pow(e)
        return self._function(e)

    @staticmethod
    def _fold(parts: list[int], op: Callable[[Iv, Iv], Iv]) -> Node:
        if not parts:  # an empty product: its exponentials cancelled each other
            return lambda v: Iv(ONE, ONE)

        def node(v: Values) -> Iv:
            r = v[parts[0]]
            for i in parts[1:]:
                r = op(r, v[i])
            return r

        return node

    def _constant(self, e: sp.Expr) -> Node:
        if e.is_Rational:
            q = flint_rational(e)
            return lambda v: Iv.of(q, q)
        for c, f in ((sp.E, arb.const_e), (sp.pi, arb.pi), (sp.EulerGamma, arb.const_euler)):
            if e == c:
                return lambda v, f=f: Iv.of(f(), f())  # type: ignore[misc]
        if e.is_Float:
            raise TypeError(f"the float {e} occurs in an exact statement; write a rational number")
        if e.is_Add:
            return self._sum_of_numbers([self.add(a) for a in e.args])
        if e.is_Mul:
            return self._fold([self.add(a) for a in e.args], Iv.__mul__)
        return self._pow(e) if isinstance(e, sp.Pow) else self._function(e)

    def _sum_of_numbers(self, parts: list[int]) -> Node:
        """Terms that almost cancel are enclosed at a higher precision: the sum may be a factor."""
        total = self._fold(parts, Iv.__add__)
        known: dict[int, Iv] = {}

        def node(v: Values) -> Iv:
            bits = ctx.prec
            if bits not in known:
                known[bits] = r = total(v)
                for more in (4 * bits, 16 * bits) if not (r.defined and r.nonzero) else ():
                    with precision(more):
                        r = total(self.on(()))
                    if r.defined and r.nonzero:
                        known[bits] = Iv(down(r.lo), up(r.hi), r.lo_open, r.hi_open, r.defined)
                        break
            return known[bits]

        return node

    def _affine(self, e: sp.Expr) -> Node | None:
        """``a + b*x`` with rational `a`, `b` is evaluated exactly before rounding: its sign at the
        ends of a domain is not lost.
        """
        if not (e.is_Symbol or e.is_Add or e.is_Mul) or len(free := self._free(e)) != 1:
            return None
        if any(
            self._free(a) and not (a.is_Symbol or a.is_Add or a.is_Mul) for a in e.args
        ):  # a power or function of it
            return None
        (x,) = free
        a, bx = e.as_independent(x, as_Add=True)
        b, rest = bx.as_independent(x, as_Add=False)
        if rest != x or not (a.is_Rational and b.is_Rational):
            return None
        i, scale, shift = self.symbols.index(x), flint_rational(b), flint_rational(a)
        return lambda v: v.box[i].iv(scale, shift)

    def _free(self, e: sp.Expr) -> frozenset[sp.Symbol]:
        """The variables of `e`, remembered, because its parts are compiled as well."""
        if e not in self._symbols_of:
            self._symbols_of[e] = (
                frozenset().union(*map(self._free, e.args)) if e.args else frozenset(e.free_symbols)
            )
        return self._symbols_of[e]

    def _pow(self, e: sp.Pow) -> Node:
        b = self.add(e.base)
        if e.exp.is_Rational:
            q = flint_rational(e.exp)
            return lambda v: rational_power(v[b], q)
        x = self.add(e.exp)
        return lambda v: power(v[b], v[x])

    def _factors(self, e: sp.Mul) -> Iterator[int]:
        """The factors of a product, some taken together because their common monotone pieces are
        known: ``x**a * exp(c*x**p)``, ``x**a * log(x)**n`` and Bessel functions beside powers and
        exponentials.
        """
        powers: dict[sp.Symbol, sp.Rational] = {}
        logs: dict[sp.Symbol, int] = {}
        bessels: list[tuple[sp.Expr, int]] = []
        exponent, rest = sp.S.Zero, []
        for a in e.args:
            b, p = a.as_base_exp()
            if b.is_Symbol and p.is_Rational:
                powers[b] = p
            elif isinstance(b, sp.log) and b.args[0].is_Symbol and p.is_Integer and p > 0:
                logs[b.args[0]] = int(p)
            elif (
                isinstance(b, (sp.besselk, sp.besseli))
                and b.args[1].is_Symbol
                and b.args[0].is_nonnegative
                and p.is_Integer
            ):
                bessels.append((b, int(p)))
            elif b == sp.E or isinstance(a, sp.exp):
                exponent += a.exp if isinstance(a, sp.exp) else p
            else:
                rest.append(a)
        for f, k in bessels:
            n, x = f.args
            r = sp.expand(exponent).coeff(x) * k
            if (
                isinstance(f, sp.besselk)
                and r.is_positive
                and n.is_Rational
                and n > 0
                and powers.get(x, sp.S.Zero) * k >= n
            ):
                name, powers[x], exponent = "x^n e^x K", powers[x] - n * k, exponent - k * x
            elif isinstance(f, sp.besselk) and r.is_positive and n.is_Rational:
                name, powers[x], exponent = (
                    "sqrt(x) e^x K",
                    powers.get(x, sp.S.Zero) - sp.Rational(k, 2),
                    exponent - k * x,
                )
            elif isinstance(f, sp.besselk) and n.is_Rational and n > 0:
                name, powers[x] = "x^n K", powers.get(x, sp.S.Zero) - n * k
            elif isinstance(f, sp.besseli) and r.is_negative and n == 0:
                name, exponent = "e^-x I_0", exponent + k * x
            else:
                rest.append(f**k)
                continue
            yield self._scaled_bessel(name, self.add(x), flint_rational(n), k)
        powers = {x: a for x, a in powers.items() if a != 0}
        left, taken = [], False
        for t in sp.Add.make_args(sp.expand(exponent)):
            c, u = t.as_coeff_Mul()
            x, p = u.as_base_exp()
            if (
                c.is_Rational
                and p.is_Rational
                and x in powers
                and (x.is_nonnegative or (p == 1 and powers[x].is_Integer))
            ):
                yield self._unimodal(self.add(x**p), powers.pop(x) / p, c)
                taken = True
            else:
                left.append(t)
        for x, n in logs.items():
            if x in powers:  # x**a * log(x)**n = u**n * exp(a*u) at u = log(x)
                yield self._unimodal(self.add(sp.log(x)), sp.Integer(n), powers.pop(x))
            else:
                rest.append(sp.log(x) ** n)
        rest += [x**p for x, p in powers.items()]
        if exponent != 0:
            rest.append(sp.exp(sp.Add(*left) if taken else exponent))
        yield from (self.add(r) for r in rest if r != 1)

    def _scaled_bessel(self, name: str, u: int, n: fmpq, k: int) -> int:
        """A node for a product of a Bessel function with a power or an exponential. The integral
        representations show that these products are monotone, and give their limits at 0 and
        infinity.
        """

        def at(name: str, v: Values) -> Iv:
            x, q = v[u], arb(n)
            if name == "e^-x I_0":
                return x.decreasing(lambda t: t.bessel_i(q, scaled=True), ONE, ZERO, ZERO, attained=True)
            if name == "x^n K":
                top = up(((q - 1) * arb(2).log()).exp() * q.gamma())
                return x.decreasing(lambda t: (q * t.log()).exp() * t.bessel_k(q), top, ZERO, ZERO)
            if name == "x^n e^x K":
                return meet(
                    at("x^n K", v) * x.exp(),
                    at("sqrt(x) e^x K", v) * power(x, Iv.of(n - fmpq(1, 2), n - fmpq(1, 2))),
                )
            end = (arb.pi() / 2).sqrt()
            f = lambda t: t.sqrt() * t.bessel_k(q, scaled=True)
            return (
                x.increasing(f, ZERO, up(end), ZERO) if 2 * n < 1 else x.decreasing(f, INF, down(end), ZERO)
            )

        self.nodes.append(lambda v: at(name, v).powi(k))
        return len(self.nodes) - 1

    def _unimodal(self, u: int, a: sp.Rational, c: sp.Rational) -> int:
        """A node for ``u**a * exp(c*u)``, which has at most one extremum for ``u > 0``."""
        n, r, k = int(a) if a.is_Integer else None, flint_rational(a), flint_rational(c)
        self.nodes.append(lambda v: powexp(v[u], r, k) if n is None else signed_powexp(v[u], n, k))
        return len(self.nodes) - 1

    def _function(self, e: sp.Expr) -> Node:
        f, args = e.func, e.args
        if f is sp.binomial:  # where all of these are positive; elsewhere it has no enclosure
            n, k = args
            logs = sp.loggamma(n + 1), -sp.loggamma(k + 1), -sp.loggamma(n - k + 1)
            total = self._fold([self.add(g) for g in logs], Iv.__add__)
            return lambda v: total(v).exp()
        if f in (sp.Max, sp.Min):
            parts = [self.add(a) for a in args]
            return self._fold(parts, Iv.max if f is sp.Max else lambda a, b: -((-a).max(-b)))
        if f in (sp.uppergamma, sp.lowergamma, sp.besselk, sp.besseli, sp.polygamma):
            if f in (sp.besselk, sp.besseli) and (
                args[0].is_Integer or f is sp.besselk
            ):  # even in a whole order, K in every order
                args = (abs(args[0]), args[1])
            if not args[0].is_Rational or args[0] < 0:
                raise Unsupported(
                    f"{f.__name__} is enclosed for a rational first argument >= 0 only, not {args[0]}"
                )
            rule = with_parameter(f, flint_rational(args[0]))
            args = args[1:]
        elif f is sp.Heaviside and args[1] == sp.S.Half:  # the value at the jump, which no formula shows
            rule, args = RULES[f], args[:1]
        else:
            rule = RULES.get(f)
        if rule is None or len(args) != 1:
            raise Unsupported(f"no enclosure is known for {e}: {f.__name__} with {len(e.args)} arguments")
        if f is sp.factorial:
            args = (args[0] + 1,)
        if f is sp.atanh:  # one occurrence of the argument: log((1 + x)/(1 - x)) = log(2/(1 - x) - 1)
            args = (2 / (1 - args[0]) - 1,)
        i = self.add(args[0])
        return lambda v: rule(v[i])


def image(program: Program, e: sp.Expr, box: Box) -> Side:
    """A range, with exact rational ends, that contains the values of `e` on a box. A ValueError
    says that `e` cannot be enclosed, or is not surely defined everywhere on the box.
    """
    try:
        v = program.on(box)[program.add(e)]
    except Unsupported as fault:
        raise ValueError(f"{e} cannot be a new variable: {fault}") from None
    if not v.defined:
        raise ValueError(f"{e} cannot be a new variable: it was not shown to be defined on the whole domain")
    return Side(_end(v.lo), _end(v.hi), v.lo_open and v.lo.is_finite(), v.hi_open and v.hi.is_finite())


def _end(a: arb) -> fmpq | None:
    if not a.is_finite():
        return None
    mantissa, exponent = a.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)
