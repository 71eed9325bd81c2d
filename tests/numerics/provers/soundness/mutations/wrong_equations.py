"""Wrong versions of the exact rules, and of those for equations, integrals and matrices."""

from typing import Any

import sympy as sp
from flint import arb

from numerics.evidence import Evidence, Verdict
from numerics.provers.enclosures import balls
from numerics.provers.exact import exact_numbers
from tests.numerics.provers.soundness.mutations.planting import mutations

__all__ = ["MUTATIONS"]

_YES = Evidence(verdict=Verdict.PROVED, engine="exact sign")


def _only_on_the_diagonal(cases: Any) -> Any:
    return lambda: iter(list(cases())[:2])


MUTATIONS = mutations(
    # exact
    "one root is not counted; exact.rational_functions:_isolate; needles; 12 63",
    lambda right: lambda p, width: right(p, width)[:-1],
    "a root has the sign next to it; exact.rational_functions:_at_root; needles; 8 15",
    lambda right: lambda q, a, b: q.eval(a),
    "corners stand for all Bernstein coefficients; exact.bernstein:_shown; polynomials; 5 6",
    lambda right: lambda t, ends, strict: all(c > 0 for c in (t.flat[0], t.flat[-1])),
    "half of a box is not looked at; exact.bernstein:_halve; polynomials; 5 6",
    lambda right: lambda t, axis: (right(t, axis)[0],) * 2,
    "every quadratic form is nonnegative; exact.rational_functions:_quadratic; invariance; 99 67",
    lambda right: lambda p, symbols, strict: bool(sp.Poly(p, *symbols).total_degree() == 2),
    "a slack is subtracted; exact.rational_functions:slack_variables; hypotheses; 103 73",
    lambda right: (
        lambda *a, **k: (
            ({v: e.subs({q: -q for q in names}) for v, e in put.items()}, names, region)
            for put, names, region in right(*a, **k)
        )
    ),
    "the sign under a root or logarithm is dropped; exact.normal_form:Letters._split; branches; 237 274",
    lambda right: lambda self, e: (lambda s: (s[0], False, s[2]))(right(self, e)),
    "the root of a square is the number; exact.normal_form:Letters._convert_power; branches; 141 173",
    lambda right: (
        lambda self, b, p: self._convert(b.base) if b.is_Pow and b.exp * p == 1 else right(self, b, p)
    ),
    "a constant remainder is zero; exact.field:Field.is_zero; rewriting; 7 2",
    lambda right: lambda self, p, nonzero=(): p.is_constant() or right(self, p, nonzero),
    "the sine is taken for the cosine; exact.rewriting:_RULES; branches; 220 283",
    lambda t: {**t, sp.sin: t[sp.cos]},
    "points ignore the side conditions; exact.exact_points:points; side conditions; 2 3",
    lambda right: lambda exprs, given=(), **k: right(exprs, **k),
    "points ignore signs; exact.exact_points:_draw; rewriting; 2 3",
    lambda right: lambda s, rng, real: -abs(v) if (v := right(s, rng, real)).is_real else v,
    "assumptions that nobody respects are let pass; as_written:undue; denied assumptions; 1 3",
    lambda right: lambda e, implied: None,
    "numbers are compared and rounded by SymPy; exact.exact_numbers:built; units; 50 100",
    lambda right: lambda head, args: head(*args),
    "roots are told apart by too few bits; exact.exact_numbers:_bounds; nested roots; 15 24",
    lambda right: lambda e, roots: (right(e, roots)[0] // 64, 0),
    "logarithms of close numbers add up; exact.exact_numbers:_logarithmic_zero; sums of logarithms; 28 48",
    lambda right: lambda e: exact_numbers._enclosed(e, 64) is not None,
    "Gamma has a value everywhere; exact.normal_form:Letters._regular; factorials of whole numbers; 22 23",
    lambda right: lambda self, argument: True,
    # identities, integrals, eigenbasis
    "balls that meet are taken to differ; identities:_difference; rewriting; 0 1",
    lambda right: lambda a, b, point: right(a, b, point) or ("Arb", {"lhs": "0", "rhs": "1"}),
    "the tail of an integral is dropped; integrals:_tail_mass; infinite ends; 0 1",
    lambda right: lambda *a: arb(0),
    "any tail; integrals:forall; infinite ends; 50 74",
    lambda right: lambda *a, **k: _YES,
    "the declared sign of a variable is believed; integrals:_check_assumptions; declared variables; 1 3",
    lambda right: lambda *a: None,
    "imaginary parts of constants are dropped; integrals:_real_constant; constants beside integrals; 0 1",
    lambda right: lambda exact: balls.value(exact.value, 192).real,
    "matrices have no kernel; eigenbasis:cases; eigenbasis; 1 0",
    lambda right: lambda: iter(list(right())[:1]),
    "matrices are diagonal; eigenbasis:cases; eigenbasis; 1 0",
    _only_on_the_diagonal,
)
