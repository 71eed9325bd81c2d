"""Wrong versions of the rules for inequalities: enclosures, branch and bound, forms, witnesses."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sympy as sp
from flint import arb

from numerics.provers.enclosures.boxes import Side
from numerics.provers.enclosures.interval import INF, ONE, ZERO, Iv
from tests.numerics.provers.soundness.mutations.planting import Mutation

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
        return (
            Iv(powi(Iv(u.lo, u.lo), n).lo, v.hi)
            if n > 0 and n % 2 == 0 and u.lo < 0 < u.hi and -u.lo < u.hi
            else v
        )

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
    # enclosures
    Mutation(
        "a product forgets its negative corner",
        "enclosures.interval:Iv.__mul__",
        _forgets_a_corner,
        "polynomials",
        (26, 3),
    ),
    Mutation("even powers are odd", "enclosures.interval:Iv.powi", _odd_power, "needles", (8, 4)),
    Mutation(
        "Max ends at the smaller upper end",
        "enclosures.interval:Iv.max",
        _smaller_top,
        "slopes of Max and Min",
        (28, 7),
    ),
    Mutation(
        "rounding goes inwards at the lower end",
        "enclosures.interval:down",
        lambda down: lambda x: x.upper() if x.is_finite() else down(x),
        "last digits",
        (1, 7),
    ),
    Mutation(
        "rounding goes inwards at the upper end",
        "enclosures.interval:up",
        lambda up: lambda x: x.lower() if x.is_finite() else up(x),
        "last digits",
        (1, 7),
    ),
    Mutation("x exp(-x) rises", "enclosures.interval:powexp", _between, "bounds at infinity", (162, 19)),
    Mutation(
        "Gamma has no least value between the ends",
        "enclosures.interval:gamma_shape",
        _between,
        "dips of gamma",
        (10, 3),
    ),
    Mutation(
        "every end is open",
        "enclosures.boxes:Side.iv",
        lambda iv: lambda s, *a: Iv(v.lo, v.hi, True, True) if (v := iv(s, *a)) else v,
        "equality on the boundary",
        (7, 9),
    ),
    Mutation(
        "whole numbers are lost between two halves",
        "enclosures.boxes:halves",
        lambda halves: (
            lambda s: (
                (h[0], Side(h[1].lo + 1, h[1].hi, integer=True))
                if (h := halves(s)) and s.integer and (h[1].hi is None or h[1].hi > h[1].lo)
                else h
            )
        ),
        "integers",
        (17, 21),
    ),
    Mutation(
        "the slope of Max is that of one branch",
        "enclosures.rules:RULES",
        lambda t: {**t, sp.Heaviside: lambda u: Iv(ZERO, ZERO) if u.neg else Iv(ONE, ONE)},
        "slopes of Max and Min",
        (19, 26),
    ),
    Mutation(
        "the arc tangent ends at 3/2",
        "enclosures.rules:RULES",
        lambda t: {**t, sp.atan: lambda u: u.increasing(lambda x: x.atan(), arb(-1.5), arb(1.5))},
        "bounds at infinity",
        (165,),
    ),
    Mutation(
        "cosh rises everywhere",
        "enclosures.rules:RULES",
        lambda t: {**t, sp.cosh: _between(t[sp.cosh])},
        "huge and tiny constants",
        (114, 70),
    ),
    Mutation("a new variable ends at 1", "enclosures.enclose:image", _half, "new variables", (0, 3)),
    Mutation(
        "a quotient is defined everywhere",
        "enclosures.where_defined:own_conditions",
        lambda own: lambda a: [c for c in own(a) if c[1] != "!="],
        "removable poles",
        (5, 6),
    ),
    Mutation(
        "erfc is taken for erf",
        "enclosures.balls:UNARY",
        lambda t: {**t, sp.erfc: t[sp.erf]},
        "integrands",
        (128, 199),
    ),
    # statements
    Mutation(
        "the mean value leaves the slopes out",
        "statements.branch:Cover._mean_value",
        lambda right: (
            lambda self, box, f, gradient: right(self, box, f, [g and Iv(ZERO, ZERO) for g in gradient])
        ),
        "needles",
        (0, 4),
    ),
    Mutation(
        "a contact does not look at the derivative",
        "statements.branch:Cover._contact",
        lambda right: (
            lambda self, box, p: (
                right(self, box, p)
                or any(
                    self.slopes[p].contacts(i, q) for i in range(len(box)) for q in self.slopes[p].suspects(i)
                )
            )
        ),
        "equality on the boundary",
        (7, 9),
    ),
    Mutation(
        "slopes have the wrong sign",
        "statements.slopes:Slopes.gradient",
        lambda right: lambda self, values: [g and -g for g in right(self, values)],
        "erf",
        (1, 16),
    ),
    Mutation(
        "a box is excluded where a hypothesis may hold",
        "statements.branch:Cover._excluded",
        lambda right: lambda self, values: any(not values[i].pos for i, _ in self.hypotheses),
        "hypotheses",
        (12, 11),
    ),
    Mutation(
        "everything fades at infinity",
        "statements.slopes:_fades",
        lambda right: lambda t, x: True,
        "bounds at infinity",
        (1, 0),
    ),
    Mutation(
        "faces are shown", "statements.branch:Cover._face", lambda right: lambda *a: True, "erf", (3, 1)
    ),
    Mutation(
        "zero is positive",
        "statements.branch:Cover._good",
        lambda right: lambda self, v: v.nonneg,
        "equality on the boundary",
        (7, 6),
    ),
    Mutation(
        "hypotheses are not asked of a witness",
        "statements.statement:Statement.meets",
        lambda right: lambda self, p: all(s.contains(x) for s, x in zip(self.box, p)),
        "hypotheses",
        (3, 6),
        blind=False,
    ),
    Mutation(
        "a witness may be undefined",
        "statements.statement:Statement._defined",
        lambda right: lambda *a: True,
        "undefined hypotheses",
        (7, 15),
        blind=False,
    ),
    Mutation(
        "a witness is not evaluated",
        "statements.statement:Statement.violated",
        lambda right: lambda self, p: "exact" if self.meets(p) else "",
        "nested radicals",
        (11, 6),
        blind=False,
    ),
    Mutation(
        "a hypothesis is read as strict",
        "statements.relation:hypothesis",
        _strict,
        "hypotheses",
        (42, 76),
        blind=False,
    ),
    Mutation(
        "the sign of a denominator is dropped",
        "statements.equivalent_forms:_cleared",
        lambda right: lambda e, signs: sp.fraction(sp.together(e))[0],
        "real poles",
        (15, 54),
    ),
    Mutation(
        "a bend has one side only",
        "statements.max_and_min:_halves",
        lambda right: lambda s, root: (h[0], None) if (h := right(s, root))[0] is not None else h,
        "absolute values",
        (4, 30),
    ),
    Mutation(
        "scaling knows no negative numbers",
        "statements.invariance:_weights",
        lambda right: lambda *a: (w[0], w[1][:1]) if (w := right(*a)) else w,
        "invariance",
        (67, 99),
    ),
    Mutation(
        "every statement may be shifted",
        "statements.invariance:_shifts",
        lambda right: lambda exprs, symbols, box: (0, [sp.S.Zero]),
        "invariance",
        (7, 26),
    ),
    Mutation(
        "definedness is not asked for",
        "inequalities:_Run.undefined",
        lambda right: lambda self: "",
        "removable poles",
        (6, 5),
    ),
    Mutation(
        "negative factors are left out",
        "statements.equivalent_forms:bare",
        lambda right: lambda e: sp.Abs(e) if e.is_Mul else right(e),
        "real poles",
        (2, 43),
    ),
]
