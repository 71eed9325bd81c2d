"""Derivatives of the functions that branch and bound covers, compiled when they are first asked
for: slopes and their signs, and the order to which a function vanishes on a face.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import reduce
from math import lcm, prod

import sympy as sp
from flint import fmpq

from numerics.provers.enclosures.boxes import Box, Side, middle
from numerics.provers.enclosures.enclose import Program, Unsupported, Values
from numerics.provers.enclosures.interval import Iv, meet
from numerics.provers.exact.exact_numbers import put, told
from numerics.provers.exact.normal_form import Letters, Undefined
from numerics.provers.statements.equivalent_forms import Signs, forms, with_tanh
from numerics.rationals import sympy_rational

__all__ = ["Slopes", "derivative", "monomials", "vanishes"]

#: Highest derivative that a contact is followed to.
MAX_CONTACT = 8
#: Slopes with more operations are not rewritten.
LONGEST = 120
#: Values at which a function is suspected to vanish whatever the other variables are.
SIMPLE_RATIONALS = [
    fmpq(p, q) for p, q in ((0, 1), (1, 1), (-1, 1), (2, 1), (1, 2), (-2, 1), (3, 1), (-1, 2), (4, 1), (1, 3))
]


class Slopes:
    """Derivatives of one writing `f` of a task on `box`, compiled into the task's program."""

    def __init__(self, f: sp.Expr, program: Program, box: Box) -> None:
        self.f, self.program, self.box = f, program, box
        self._gradient: list[list[int]] | None = None
        self._known: dict[tuple[sp.Expr, sp.Symbol], sp.Expr] = {}
        self._writings: dict[sp.Expr, list[int]] = {}
        self._signs: dict[int, list[int]] = {}
        self._forms: dict[int, Iterator[sp.Expr]] = {}
        self._contacts: dict[tuple[int, fmpq], list[tuple[int, int]]] = {}
        self._fading: dict[int, bool] = {}
        self._suspects: dict[int, list[fmpq]] = {}

    def gradient(self, values: Values) -> list[Iv | None]:
        """Enclosures of the slopes in all variables, None where one is not defined on the whole box
        or has no enclosure.
        """
        if self._gradient is None:
            self._gradient = [
                self._compiled(with_tanh(self._derivative(i))) for i in range(len(self.program.symbols))
            ]
        return [_meet([values[i] for i in row]) for row in self._gradient]

    def _derivative(self, i: int) -> sp.Expr:
        """The derivative in variable `i`."""
        return derivative(self.f, self.program.symbols[i], self._known)

    def _compiled(self, d: sp.Expr) -> list[int]:
        """The writings of a derivative; the first derivative is both a slope and a contact."""
        if d not in self._writings:
            out = self._writings[d] = []
            for w in _writings(d):
                with suppress(Unsupported):
                    out.append(self.program.add(w))
        return self._writings[d]

    def sign(self, values: Values, i: int) -> int:
        """The sign of slope `i` from its writings without denominators or divided by a term, at
        infinity where it tends to 0.
        """
        if not values.box[i].infinite:
            return 0
        known = (values[j] for j in self._rewritten(i))
        return next((1 if v.nonneg else -1 for v in known if v.defined and (v.nonneg or v.nonpos)), 0)

    def _rewritten(self, i: int) -> Iterator[int]:
        """Those writings of slope `i`, each made when all earlier ones have failed."""
        if i not in self._signs:
            self._signs[i] = []
            d = self._derivative(i)
            few = 8 if d.count_ops() <= LONGEST else 1  # SymPy takes seconds for each form of a long one
            self._forms[i] = itertools.islice(forms(d, Signs(self.program, self.box)), 1, few)
        yield from list(self._signs[i])
        for h in self._forms[i]:
            with suppress(Unsupported):
                self._signs[i].append(self.program.add(h))
                yield self._signs[i][-1]

    def fades(self, i: int) -> bool:
        """Whether `f` tends to 0 as variable `i` grows, whatever the other variables."""
        if i not in self._fading:
            self._fading[i] = all(
                _fades(t, self.program.symbols[i]) for t in sp.Add.make_args(sp.expand(self.f))
            )
        return self._fading[i]

    def suspects(self, i: int) -> list[fmpq]:
        """Values of variable `i` on which `f` may vanish whatever the other variables: ends of its
        range, and simple numbers.
        """
        if i not in self._suspects:
            s = self.box[i]
            closed, index = Side(s.lo, s.hi), self.program.add(self.f)
            ends = [e for e in (s.lo, s.hi) if e is not None]
            tried = dict.fromkeys([*ends, *(q for q in SIMPLE_RATIONALS if closed.contains(q))])
            found = []
            for p in tried:
                v = self.program.on(self.sample(i, p))[index]
                if not (v.defined and v.nonzero):
                    found.append(p)
            self._suspects[i] = found
        return self._suspects[i]

    def sample(self, i: int, p: fmpq) -> Box:
        """A point of the box, except that variable `i` is `p`."""
        return tuple(Side(p, p) if j == i else Side(m, m) for j, m in enumerate(map(middle, self.box)))

    def contacts(self, i: int, p: fmpq) -> list[tuple[int, int]]:
        """Every `m`, with the index of the `m`-th derivative in variable `i`, for which all lower
        ones vanish where that is `p`.
        """
        key = (i, p)
        if key not in self._contacts:
            rows = self._contacts[key] = []
            e, x = self.f, self.program.symbols[i]
            for m in range(1, MAX_CONTACT + 1):
                if not self._vanishes(e, {x: sympy_rational(p)}, self.sample(i, p)):
                    break
                e = with_tanh(derivative(e, x, self._known))
                if e == 0 or e.has(sp.DiracDelta, sp.Derivative, sp.Subs, sp.nan, sp.zoo):
                    break
                rows.extend((m, j) for j in self._compiled(e))
        return self._contacts[key]

    def _vanishes(self, e: sp.Expr, at: dict[sp.Symbol, sp.Expr], sample: Box) -> bool:
        """Whether `e` is identically zero under a substitution; one enclosure at a sample point
        settles most cases that are not.
        """
        with suppress(Unsupported):
            v = self.program.on(sample)[self.program.add(e)]
            if v.defined and v.nonzero:
                return False
        try:
            value = put(e, at)
        except (TypeError, ValueError):  # undecided, or undefined there: SymPy compares it in vain
            return False
        return vanishes(value)


def vanishes(value: sp.Expr) -> bool:
    """Whether an expression is identically zero, where it is defined.

    >>> x = sp.Symbol("x", positive=True)
    >>> vanishes(sp.gamma(x + 1) - x * sp.gamma(x)), vanishes(x - 1)
    (True, False)
    """
    if value == 0:
        return True
    if value.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        return False
    if sp.expand(value) == 0 or sp.expand(sp.fraction(sp.together(value))[0]) == 0:
        return True
    if value.count_ops() >= 40 or any(
        max(abs(q.p), q.q).bit_length() > 100 for q in value.atoms(sp.Rational)
    ):
        return False
    letters = Letters()
    try:
        return letters.vanish(letters.translate([value]))[0]
    except Undefined:
        return False


def derivative(e: sp.Expr, x: sp.Symbol, known: dict[tuple[sp.Expr, sp.Symbol], sp.Expr]) -> sp.Expr:
    """What ``e.diff(x)`` gives, with the derivative of every subexpression noted in `known`: SymPy
    differentiates each factor of a product again for every factor beside it.

    >>> x = sp.Symbol("x")
    >>> derivative(x * sp.exp(-x), x, {})
    -x*exp(-x) + exp(-x)
    """
    if (e, x) not in known:
        known[e, x] = _differentiated(e, x, known)
    return known[e, x]


def _differentiated(e: sp.Expr, x: sp.Symbol, known: dict[tuple[sp.Expr, sp.Symbol], sp.Expr]) -> sp.Expr:
    if not e.args:
        return sp.Integer(e == x)
    chain_rule = len(e.args) == 1 and type(e)._eval_derivative is sp.Function._eval_derivative
    if not (e.is_Add or e.is_Mul or e.is_Pow or chain_rule):  # SymPy has another rule, as for |x|
        return sp.diff(e, x)
    each = [derivative(a, x, known) for a in e.args]
    if e.is_Add:
        return sp.Add(*each)
    if e.is_Mul:
        return sp.Add(*(sp.Mul(*e.args[:i], d, *e.args[i + 1 :]) for i, d in enumerate(each) if d != 0))
    if e.is_Pow:
        return e * (each[1] * sp.log(e.base) + each[0] * e.exp / e.base) if each != [0, 0] else sp.S.Zero
    return e.fdiff(1) * each[0] if each[0] != 0 else sp.S.Zero


def _fades(t: sp.Expr, x: sp.Symbol) -> bool:
    """Whether a product tends to 0 as `x` grows: one factor falls exponentially, or as a power, and
    the others are bounded.
    """
    power, fast = sp.S.Zero, False
    for f in sp.Mul.make_args(t):
        b, p = f.as_base_exp()
        if b == x and p.is_Rational:
            power += p
        elif isinstance(f, (sp.exp, sp.erfc, sp.uppergamma, sp.besselk)) and f.has(x):
            c, u = f.args[-1].as_independent(x, as_Add=True)[1].as_independent(x, as_Add=False)
            v, q = u.as_base_exp()
            away = told(-c if isinstance(f, sp.exp) else c, "positive")
            if v != x or not told(q, "positive") or not away or any(a.has(x) for a in f.args[:-1]):
                return False
            fast = True
        elif f.has(x) and not isinstance(f, (sp.tanh, sp.erf, sp.atan)):
            return False
    return fast or bool(power < 0)


def monomials(e: sp.Expr) -> int:
    """How many products of powers there are up to the highest power of each letter, when every root
    and exponential is written by powers of letters, as SymPy does before it factors: exp(x/9) and
    exp(x/7) as powers of exp(x/63).
    """
    rates: dict[tuple[sp.Expr, sp.Expr], list[sp.Rational]] = {}
    for a in e.atoms(sp.Pow, sp.exp):
        base, exponent = a.as_base_exp()
        for t in sp.Add.make_args(sp.expand(exponent)):
            c, m = t.as_coeff_Mul()
            rates.setdefault((base, m), []).append(c)
    return prod(int(1 + max(abs(c) for c in cs) * lcm(*(int(c.q) for c in cs))) for cs in rates.values())


def _writings(e: sp.Expr) -> list[sp.Expr]:
    size = e.count_ops()
    more = ([sp.factor(e)] if size < 40 and monomials(e) < 100 else []) + (
        [sp.expand(e)] if size < 80 else []
    )
    return list(dict.fromkeys([sp.factor_terms(e), *more]))


def _meet(ivs: Sequence[Iv]) -> Iv | None:
    """What the defined ones of several enclosures of one quantity leave."""
    known = [v for v in ivs if v.defined]
    return reduce(meet, known) if known else None
