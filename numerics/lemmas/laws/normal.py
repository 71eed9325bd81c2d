"""Samples of the standard normal law: probabilities by their closed forms, which the prover of
inequalities judges for every size, and means of the largest or least value by rigorous integrals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import arb, fmpq

from numerics.evidence import Evidence, Verdict
from numerics.lemmas.laws.statement import SIZES, sizes_of, top_heads
from numerics.lemmas.laws.words import E, Head, Iid, P, SampleMax, SampleMean, SampleMin, SampleSum, Var
from numerics.provers.as_written import Condition, latex, scalar
from numerics.provers.enclosures.balls import Ball, precision
from numerics.provers.enclosures.boxes import Side
from numerics.provers.enclosures.enclose import Program
from numerics.provers.exact.exact_numbers import put
from numerics.provers.inequalities import forall_without_z3 as forall
from numerics.provers.integrals import integral
from numerics.provers.statements.relation import OPS, RELATIONS, Relation, hypothesis
from numerics.provers.statements.statement import statement

__all__ = ["for_normal_samples"]

#: Beyond this the integrals are bounded by e^{-t^2/2}, and up to it enclosed with this accuracy.
CUT, ACCURACY = 12, Fraction(1, 10**15)
#: Steps of the prover of closed forms, which answers within seconds then.
MOST_STEPS = 200_000


@dataclass(frozen=True)
class _Mean:
    """The mean of the largest or least value of a function of X, as an integral from 0 on."""

    integrand: sp.Expr
    negative: bool


class _Normal:
    """The words of a statement about a sample of size n."""

    def __init__(self, x: sp.Symbol, n: sp.Expr) -> None:
        self.x, self.n = x, n
        self.t = sp.Dummy("t", positive=True)
        self.means: dict[sp.Symbol, _Mean] = {}
        self.needs: dict[Condition, None] = {}  # of what stands in the words

    def read(self, e: sp.Expr) -> sp.Expr:
        """An expression without words, but for symbols in the place of integrals."""
        out = self.told(e)
        if self.x in out.free_symbols:
            raise ValueError(f"{e} is random: {self.x} stands in it alone; write E(...) or P(...) around it")
        return out

    def told(self, e: sp.Expr) -> sp.Expr:
        """The same, which may be random."""
        heads: list[Head] = []
        top_heads(e, heads)
        out = e.xreplace({h: self.word(h) for h in dict.fromkeys(heads)})
        self.needs |= dict.fromkeys(c for h in heads for c in _conditions(h))
        return out

    def word(self, h: Head) -> sp.Expr:
        """The value of a word, or a symbol for it."""
        if isinstance(h, P):
            return self.probability(h.args[0])
        g = h.args[0]
        if isinstance(h, E) and isinstance(g, (SampleMean, SampleSum)):
            return self.moment(g.args[0]) * (1 if isinstance(g, SampleMean) else self.n)
        if isinstance(h, E) and isinstance(g, (SampleMax, SampleMin)):
            return self.extreme(type(g), g.args[0])
        if isinstance(h, E) and not g.has(Head):
            return self.moment(g)
        if isinstance(h, Var) and isinstance(g, (SampleMean, SampleSum)):
            return self.word(Var(g.args[0])) * (1 / self.n if isinstance(g, SampleMean) else self.n)
        if isinstance(h, Var) and not g.has(Head):
            return self.moment(g**2) - self.moment(g) ** 2
        raise ValueError(self.unknown(h))

    @staticmethod
    def unknown(what: Any) -> str:
        return (
            f"no closed form of {what} is known for normal samples: probabilities of one relation with "
            "SampleMax, SampleMin, SampleMean or SampleSum, their means, and means of polynomials are; leave "
            "`law` out to try laws on few atoms"
        )

    def moment(self, g: sp.Expr) -> sp.Expr:
        """The mean of a polynomial of X, whose k-th power has the mean (k - 1)!! if k is even."""
        if not g.is_polynomial(self.x):
            raise ValueError(self.unknown(E(g)))
        poly = sp.Poly(g, self.x)
        if poly.degree() > 100:
            raise ValueError(f"{g} has a degree above 100; scale it down")
        return sp.Add(*(c * sp.factorial2(k - 1) for (k,), c in poly.terms() if k % 2 == 0))

    def cdf(self, g: sp.Expr, t: sp.Expr) -> sp.Expr:
        """The probability that a function of X is at most t."""
        root, above = sp.sqrt(2), t if t.is_nonnegative else sp.Max(t, 0)
        if g == self.x:
            return sp.erfc(-t / root) / 2
        if g == sp.Abs(self.x):
            return sp.erf(above / root)
        if g == self.x**2:
            return sp.erf(sp.sqrt(above / 2))
        raise ValueError(self.unknown(g))

    def survival(self, r: sp.Expr, t: sp.Expr) -> sp.Expr:
        """The probability that a statistic, or X, is at least t."""
        n, g = self.n, r.args[0] if r.args else r
        if isinstance(r, SampleMax):
            return 1 - self.cdf(g, t) ** n
        if isinstance(r, SampleMin):
            return (1 - self.cdf(g, t)) ** n
        if isinstance(r, (SampleMean, SampleSum)) and g == self.x:
            return sp.erfc(t * sp.sqrt(n / 2 if isinstance(r, SampleMean) else 1 / (2 * n))) / 2
        if isinstance(r, sp.Abs) and isinstance(g, (SampleMean, SampleSum)) and g.args[0] == self.x:
            return 2 * self.survival(g, t if t.is_nonnegative else sp.Max(t, 0))
        return 1 - self.cdf(r, t)

    def tail(self, event: Any) -> tuple[sp.Expr, sp.Expr, bool]:
        """The statistic, or function of X, in a relation that is linear in it, what it is compared
        with, and whether it is to be the larger one.
        """
        kind = RELATIONS.get(type(event), "")
        if kind not in OPS:
            raise ValueError(self.unknown(P(event)))
        gap = scalar(event.lhs).value - scalar(event.rhs).value
        heads: list[Head] = []
        top_heads(gap, heads)
        numbers = {h: self.word(h) for h in heads if isinstance(h, (E, P, Var))}
        gap = sp.expand(gap.xreplace(numbers))
        terms = [(*a.as_coeff_Mul(), a) for a in sp.Add.make_args(gap)]
        random = [(c, r) for c, r, a in terms if a.has(Head) or self.x in a.free_symbols]
        if len(random) != 1 or set(numbers.values()) & set(self.means):
            raise ValueError(self.unknown(P(event)))
        ((c, r),) = random
        return r, -(gap - c * r) / c, (kind[0] == ">") == bool(c > 0)

    def probability(self, event: Any) -> sp.Expr:
        """Of one relation; ties have the probability 0, as the law has a density."""
        if event in (sp.true, sp.false):
            return sp.Integer(event == sp.true)
        r, t, above = self.tail(event)
        return self.survival(r, t) if above else sp.expand(1 - self.survival(r, t))

    def union_bound(self, e: sp.Expr) -> sp.Expr | None:
        """At least the probability that the largest of n values exceeds a number, if `e` is one."""
        if not isinstance(e, P) or type(e.args[0]) not in RELATIONS:
            return None
        r, t, above = self.tail(e.args[0])
        if not (above and isinstance(r, SampleMax)):
            return None
        g, positive = r.args[0], t if t.is_nonnegative else sp.Max(t, 0)
        if g == self.x:
            return self.n * sp.erfc(t / sp.sqrt(2)) / 2
        return self.n * sp.erfc(positive / sp.sqrt(2) if g == sp.Abs(self.x) else sp.sqrt(positive / 2))

    def extreme(self, head: Any, g: sp.Expr) -> sp.Expr:
        """A symbol for the mean of the largest or the least value of a function of X."""
        t, n, largest = self.t, self.n, head is SampleMax
        below = self.cdf(g, t)
        if g == self.x:
            integrand = 1 - below**n - (1 - below) ** n
        else:
            integrand = 1 - below**n if largest else (1 - below) ** n
        if g == self.x**2:  # of a square: by the square root of its value
            integrand = 2 * t * integrand.xreplace({t: t**2})
        w = sp.Dummy(f"E {head.__name__}", real=True)
        self.means[w] = _Mean(integrand, g == self.x and not largest)
        return w

    def enclosed(self, m: _Mean, size: int) -> Ball:
        """A mean at one size. For the rest beyond the cut: 1 - F^n <= n (1 - F) by Bernoulli, and
        1 - F <= e^{-t^2/2}, so that the integrand lies between 0 and 2 n t e^{-t^2/2}.
        """
        f = m.integrand.xreplace({self.n: sp.Integer(size)}) if isinstance(self.n, sp.Symbol) else m.integrand
        if sp.expand(f) == 0:
            return arb(0)
        inner = integral(f, self.t, (0, CUT), rel=ACCURACY)
        rest = 2 * size * (-(arb(CUT) ** 2) / 2).exp()
        total = inner + arb(0).union(rest)
        return -total if m.negative else total


def _conditions(h: Head) -> Iterator[Condition]:
    """What must hold for all that stands in a word to be defined."""
    for a in h.args[0].args if isinstance(h, P) else h.args:
        yield from scalar(a).conditions
        heads: list[Head] = []
        top_heads(a, heads)
        for inner in heads:
            yield from _conditions(inner)


def _undefined(
    normal: _Normal, needs: Iterable[Condition], ranges: Mapping[Any, Any], where: Iterable[Any]
) -> Evidence | None:
    """The answer where something was not shown to be defined."""
    for g, kind in needs:
        e = normal.told(g)
        domain = {**ranges, normal.x: sp.S.Reals} if normal.x in e.free_symbols else ranges
        ways = (">", "<") if kind == "!=" else (kind,)
        if not any(forall(e, way, 0, domain, where=where).verdict.accepted for way in ways):
            reason = f"the sides were not shown to be defined: that needs {g} {kind} 0; shrink the domain"
            return Evidence(verdict=Verdict.OPEN, engine="branch and bound", reason=reason)
    return None


def for_normal_samples(
    lhs: Any,
    op: str,
    rhs: Any,
    domain: Mapping[Any, Any],
    where: Iterable[Any],
    x: sp.Symbol,
    given: Iid,
    effort: int,
) -> Evidence:
    """Judge a statement about normal samples."""
    goal = Relation(scalar(lhs), op, scalar(rhs))
    size, lo, hi = sizes_of(given, domain)
    normal = _Normal(x, size if size is not None else sp.Integer(lo))
    sides = [normal.read(w.value) for w in (goal.lhs, goal.rhs)]
    hyps = [hypothesis(h) for h in where]
    if any(h.lhs.given.has(Head) or h.rhs.given.has(Head) for h in hyps):
        raise ValueError("the normal law is known: a hypothesis about its moments says nothing; leave it out")
    ranges = {s: r for s, r in domain.items() if s != x}
    _, *ranged = statement(sp.S.Zero, "<=", sp.S.One, {x: sp.S.Reals, **ranges}, where).assumes
    written = rf"{latex(x)}_1, \ldots, {latex(x)}_{{{latex(sp.sympify(given.size))}}} \sim N(0, 1)"
    if normal.means:
        needs = [(normal.read(g), kind) for w in (goal.lhs, goal.rhs) for g, kind in w.conditions]
        ev = _enclosed(normal, sides, needs, op, ranges, where, size, lo, hi)
    else:
        ev = _closed(normal, goal, sides, ranges, where, effort)
    implied = "".join(h.latex + r" \implies " for h in hyps)
    return ev.replace(
        checked=rf"\forall\, {', '.join((written, *(a.strip('$') for a in ranged[: len(ranges)])))}:\; "
        rf"{implied}{goal.latex}",
        assumes=(f"${written}$", *ranged),
    )


def _closed(
    normal: _Normal,
    goal: Relation,
    sides: list[sp.Expr],
    ranges: Mapping[Any, Any],
    where: Iterable[Any],
    effort: int,
) -> Evidence:
    """The prover's verdict on the closed forms, or on the union bound, which is no smaller."""
    op = goal.op
    kept = [c for e in sides for c in scalar(e).conditions]
    needs = [*goal.lhs.conditions, *goal.rhs.conditions, *normal.needs]
    cancelled = [c for c in needs if c not in kept]
    if (gap := _undefined(normal, cancelled, ranges, where)) is not None:
        return gap
    steps = min(effort, MOST_STEPS)
    ev = forall(sides[0], op, sides[1], ranges, where=where, effort=steps // 10)
    step = rf"by closed forms: ${latex(sides[0])} {OPS[op]} {latex(sides[1])}$"
    union = normal.union_bound(goal.small.value) if ev.verdict is Verdict.OPEN else None
    if ev.verdict is Verdict.OPEN and union is None:
        ev = forall(sides[0], op, sides[1], ranges, where=where, effort=steps)
    elif union is not None:
        big = sides[1] if op[0] == "<" else sides[0]
        stronger = forall(union, "<" if len(op) == 1 else "<=", big, ranges, where=where, effort=steps)
        if stronger.verdict.accepted:
            ev, step = (
                stronger,
                rf"by the union bound: ${latex(union)} {OPS[op.replace('>', '<')]} {latex(big)}$",
            )
    return ev.replace(steps=(step, *ev.steps), vacuous="")


def _enclosed(
    normal: _Normal,
    sides: list[sp.Expr],
    needs: list[Condition],
    op: str,
    ranges: Mapping[Any, Any],
    where: Iterable[Any],
    size: sp.Symbol | None,
    lo: int,
    hi: float,
) -> Evidence:
    """Both sides at each size, with enclosures of the integrals."""
    if set(ranges) - {size} or tuple(where):
        raise ValueError(
            "the mean of an extreme value is enclosed at each size, without other parameters and hypotheses; "
            "put numbers in their place"
        )
    if (unsure := _undefined(normal, list(normal.needs), ranges, where)) is not None:
        return unsure
    last = int(min(hi, SIZES[-1]))
    common: dict[str, Any] = {"engine": "rigorous quadrature"}
    undecided: list[int] = []
    small, big = sides if op[0] == "<" else sides[::-1]
    for n in range(lo, last + 1):
        balls = {w: normal.enclosed(m, n) for w, m in normal.means.items()}
        at = {size: sp.Integer(n)} if size is not None else {}
        fine = {">": lambda v: v.pos, ">=": lambda v: v.nonneg, "!=": lambda v: v.nonzero}
        if not all(fine[kind](_value(put(g, at), balls)) for g, kind in needs):
            undecided.append(n)
            continue
        gap, one, two = (_value(put(e, at), balls) for e in (big - small, *sides))
        if gap.defined and (gap.neg or (op in ("<", ">") and gap.nonpos)):
            shown = {"left": _middle(one), "right": _middle(two)}
            witness = {str(size) if size is not None else "n": n, **shown}
            return Evidence(verdict=Verdict.REFUTED, witness=witness, witness_by="Arb", **common)
        if not (gap.defined and (gap.pos or (gap.nonneg and op in ("<=", ">=")))):
            undecided.append(n)
    tried = f"{size or 'n'} = {lo} to {last}, the means enclosed by integrals"
    if undecided or last < lo:
        where_ = f"at {size or 'n'} = {', '.join(map(str, undecided))}" if undecided else "above n = 20"
        reason = f"the two sides were not told apart {where_}, or not shown to be defined; use other sizes"
        return Evidence(verdict=Verdict.OPEN, reason=reason, **common)
    whole = hi == last
    verdict = Verdict.CERTIFIED if whole else Verdict.SUPPORTED
    return Evidence(
        verdict=verdict, covered=tried if whole else f"{tried}; larger sizes were not tried", **common
    )


def _value(e: sp.Expr, balls: Mapping[sp.Symbol, Ball]) -> Any:
    """The enclosure of an expression in numbers that lie in balls."""
    with precision(128):
        box = tuple(Side(*(_rational(end) for end in (b.lower(), b.upper()))) for b in balls.values())
        program = Program(list(balls))
        return program.on(box)[program.add(e)]


def _rational(end: Ball) -> Any:
    """An end of a ball, which is a binary fraction."""
    mantissa, exponent = end.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)


def _middle(v: Any) -> str:
    return str(((v.lo + v.hi) / 2).mid().str(12, radius=False))
