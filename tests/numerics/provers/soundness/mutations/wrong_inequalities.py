"""Wrong versions of the rules for inequalities: enclosures, branch and bound, forms, witnesses."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sympy as sp
from flint import arb

from numerics.provers.enclosures.boxes import Side
from numerics.provers.enclosures.interval import INF, ONE, ZERO, Iv
from tests.numerics.provers.soundness.mutations.planting import mutations

__all__ = ["MUTATIONS"]


def _between(value: Callable[..., Iv]) -> Callable[..., Iv]:
    def rule(u: Iv, *rest: Any) -> Iv:
        v = value(u, *rest)
        if not (u.lo.is_finite() and u.hi.is_finite()):
            return v
        ends = [value(Iv(e, e), *rest) for e in (u.lo, u.hi)]
        return ends[0].hull(ends[1]) if all(e.defined for e in ends) else v

    return rule


def _forgets_a_corner(mul: Any) -> Any:
    def rule(a: Iv, b: Iv) -> Iv:
        v = mul(a, b)
        return Iv(ZERO, v.hi, defined=v.defined) if v.lo < 0 < v.hi and v.hi < INF else v

    return rule


def _odd_power(powi: Any) -> Any:
    def rule(u: Iv, n: int) -> Iv:
        v = powi(u, n)
        even = n > 0 and n % 2 == 0 and u.lo < 0 < u.hi and -u.lo < u.hi
        return Iv(powi(Iv(u.lo, u.lo), n).lo, v.hi) if even else v

    return rule


def _smaller_top(largest: Any) -> Any:
    def rule(a: Iv, b: Iv) -> Iv:
        v = largest(a, b)
        top = a.hi if a.hi < b.hi else b.hi
        return Iv(v.lo, top if top > v.lo else v.hi, v.lo_open, False, v.defined)

    return rule


def _strict(hypothesis: Any) -> Any:
    return lambda h: replace(r, op=r.op[0]) if (r := hypothesis(h)) else r


def _half(image: Any) -> Any:
    def rule(*args: Any) -> Side:
        s = image(*args)
        cut = (s.lo is None or s.lo <= 1) and (s.hi is None or s.hi > 1)
        return Side(1 + 0 * (s.hi or 0) if cut else s.lo, s.hi, False, s.hi_open)

    return rule


MUTATIONS = [
    *mutations(
        # enclosures
        "a product forgets its negative corner; enclosures.interval:Iv.__mul__; polynomials; 26 3",
        _forgets_a_corner,
        "even powers are odd; enclosures.interval:Iv.powi; needles; 8 4",
        _odd_power,
        "Max ends at the smaller upper end; enclosures.interval:Iv.max; slopes of Max and Min; 28 7",
        _smaller_top,
        "rounding goes inwards at the lower end; enclosures.interval:down; last digits; 1 7",
        lambda down: lambda x: x.upper() if x.is_finite() else down(x),
        "rounding goes inwards at the upper end; enclosures.interval:up; last digits; 1 7",
        lambda up: lambda x: x.lower() if x.is_finite() else up(x),
        "x exp(-x) rises; enclosures.interval:powexp; bounds at infinity; 162 19",
        _between,
        "Gamma has no least value between the ends; enclosures.interval:gamma_shape; dips of gamma; 10 3",
        _between,
        "every end is open; enclosures.boxes:Side.iv; equality on the boundary; 7 9",
        lambda iv: lambda s, *a: Iv(v.lo, v.hi, True, True) if (v := iv(s, *a)) else v,
        "whole numbers are lost between two halves; enclosures.boxes:halves; integers; 17 21",
        lambda halves: (
            lambda s: (
                (h[0], Side(h[1].lo + 1, h[1].hi, integer=True))
                if (h := halves(s)) and s.integer and (h[1].hi is None or h[1].hi > h[1].lo)
                else h
            )
        ),
        "the slope of Max is that of one branch; enclosures.rules:RULES; slopes of Max and Min; 19 26",
        lambda t: {**t, sp.Heaviside: lambda u: Iv(ZERO, ZERO) if u.neg else Iv(ONE, ONE)},
        "the arc tangent ends at 3/2; enclosures.rules:RULES; bounds at infinity; 165",
        lambda t: {**t, sp.atan: lambda u: u.increasing(lambda x: x.atan(), arb(-1.5), arb(1.5))},
        "cosh rises everywhere; enclosures.rules:RULES; huge and tiny constants; 114 70",
        lambda t: {**t, sp.cosh: _between(t[sp.cosh])},
        "a new variable ends at 1; enclosures.enclose:image; new variables; 0 3",
        _half,
        "a quotient is defined everywhere; enclosures.where_defined:own_conditions; removable poles; 5 6",
        lambda own: lambda a: [c for c in own(a) if c[1] != "!="],
        "erfc is taken for erf; enclosures.balls:UNARY; integrands; 128 199",
        lambda t: {**t, sp.erfc: t[sp.erf]},
        # statements
        "the mean value leaves the slopes out; statements.branch:Cover._mean_value; needles; 0 4",
        lambda right: (
            lambda self, box, f, gradient: right(self, box, f, [g and Iv(ZERO, ZERO) for g in gradient])
        ),
        "a contact has any derivative; statements.branch:Cover._contact; equality on the boundary; 7 9",
        lambda right: (
            lambda self, box, p: (
                right(self, box, p)
                or any(
                    self.slopes[p].contacts(i, q) for i in range(len(box)) for q in self.slopes[p].suspects(i)
                )
            )
        ),
        "slopes have the wrong sign; statements.slopes:Slopes.gradient; erf; 1 16",
        lambda right: lambda self, values: [g and -g for g in right(self, values)],
        "a box is excluded where a hypothesis may hold; statements.branch:Cover._excluded; hypotheses; 12 11",
        lambda right: lambda self, values: any(not values[i].pos for i, _ in self.hypotheses),
        "everything fades at infinity; statements.slopes:_fades; bounds at infinity; 1 0",
        lambda right: lambda t, x: True,
        "faces are shown; statements.branch:Cover._face; erf; 3 1",
        lambda right: lambda *a: True,
        "zero is positive; statements.branch:Cover._good; equality on the boundary; 7 6",
        lambda right: lambda self, v: v.nonneg,
        "the sign of a denominator is dropped; statements.equivalent_forms:_cleared; real poles; 15 54",
        lambda right: lambda e, signs: sp.fraction(sp.together(e))[0],
        "a bend has one side only; statements.max_and_min:_halves; absolute values; 4 30",
        lambda right: lambda s, root: (h[0], None) if (h := right(s, root))[0] is not None else h,
        "scaling knows no negative numbers; statements.invariance:_weights; invariance; 67 99",
        lambda right: lambda *a: (w[0], w[1][:1]) if (w := right(*a)) else w,
        "every statement may be shifted; statements.invariance:_shifts; invariance; 7 26",
        lambda right: lambda exprs, symbols, box: (0, [sp.S.Zero]),
        "definedness is not asked for; inequalities:_Run.undefined; removable poles; 6 5",
        lambda right: lambda self: "",
        "negative factors are left out; statements.equivalent_forms:bare; real poles; 2 43",
        lambda right: lambda e: sp.Abs(e) if e.is_Mul else right(e),
    ),
    *mutations(
        "hypotheses are not asked of a witness; statements.statement:Statement.meets; hypotheses; 3 6",
        lambda right: lambda self, p: all(s.contains(x) for s, x in zip(self.box, p)),
        "a witness may be undefined; statements.statement:Statement._defined; undefined hypotheses; 7 15",
        lambda right: lambda *a: True,
        "a witness is not evaluated; statements.statement:Statement.violated; nested radicals; 11 6",
        lambda right: lambda self, p: "exact" if self.meets(p) else "",
        "a hypothesis is read as strict; statements.relation:hypothesis; hypotheses; 42 76",
        _strict,
        blind=False,
    ),
]
