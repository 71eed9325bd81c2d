"""Wrong versions of the exact rules, and of those for equations, integrals and matrices."""

from typing import Any

import sympy as sp
from flint import arb

from numerics.evidence import Evidence, Verdict
from numerics.provers.enclosures import balls
from numerics.provers.exact import exact_numbers
from tests.numerics.provers.soundness.mutations.planting import Mutation

__all__ = ["MUTATIONS"]

_YES = Evidence(verdict=Verdict.PROVED, engine="exact sign")


def _only_on_the_diagonal(cases: Any) -> Any:
    return lambda: iter(list(cases())[:2])


MUTATIONS = [
    # exact
    Mutation(
        "one root is not counted",
        "exact.rational_functions:_isolate",
        lambda right: lambda p, width: right(p, width)[:-1],
        "needles",
        (12, 63),
    ),
    Mutation(
        "a root has the sign next to it",
        "exact.rational_functions:_at_root",
        lambda right: lambda q, a, b: q.eval(a),
        "needles",
        (8, 15),
    ),
    Mutation(
        "corners stand for all Bernstein coefficients",
        "exact.bernstein:_shown",
        lambda right: lambda t, ends, strict: all(c > 0 for c in (t.flat[0], t.flat[-1])),
        "polynomials",
        (5, 6),
    ),
    Mutation(
        "half of a box is not looked at",
        "exact.bernstein:_halve",
        lambda right: lambda t, axis: (right(t, axis)[0],) * 2,
        "polynomials",
        (5, 6),
    ),
    Mutation(
        "every quadratic form is nonnegative",
        "exact.rational_functions:_quadratic",
        lambda right: lambda p, symbols, strict: bool(sp.Poly(p, *symbols).total_degree() == 2),
        "invariance",
        (99, 67),
    ),
    Mutation(
        "a slack is subtracted",
        "exact.rational_functions:slack_variables",
        lambda right: (
            lambda *a, **k: (
                ({v: e.subs({q: -q for q in names}) for v, e in put.items()}, names, region)
                for put, names, region in right(*a, **k)
            )
        ),
        "hypotheses",
        (103, 73),
    ),
    Mutation(
        "the sign under a root or logarithm is dropped",
        "exact.normal_form:Letters._split",
        lambda right: lambda self, e: (lambda s: (s[0], False, s[2]))(right(self, e)),
        "branches",
        (237, 274),
    ),
    Mutation(
        "the root of a square is the number",
        "exact.normal_form:Letters._convert_power",
        lambda right: (
            lambda self, b, p: self._convert(b.base) if b.is_Pow and b.exp * p == 1 else right(self, b, p)
        ),
        "branches",
        (141, 173),
    ),
    Mutation(
        "a constant remainder is zero",
        "exact.field:Field.is_zero",
        lambda right: lambda self, p, nonzero=(): p.is_constant() or right(self, p, nonzero),
        "rewriting",
        (7, 2),
    ),
    Mutation(
        "the sine is taken for the cosine",
        "exact.rewriting:_RULES",
        lambda t: {**t, sp.sin: t[sp.cos]},
        "branches",
        (220, 283),
    ),
    Mutation(
        "points ignore the side conditions",
        "exact.exact_points:points",
        lambda right: lambda exprs, given=(), **k: right(exprs, **k),
        "side conditions",
        (2, 3),
    ),
    Mutation(
        "points ignore signs",
        "exact.exact_points:_draw",
        lambda right: lambda s, rng, real: -abs(v) if (v := right(s, rng, real)).is_real else v,
        "rewriting",
        (2, 3),
    ),
    Mutation(
        "assumptions that nobody respects are let pass",
        "as_written:undue",
        lambda right: lambda e, implied: None,
        "denied assumptions",
        (1, 3),
    ),
    Mutation(
        "numbers are compared and rounded by SymPy",
        "exact.exact_numbers:built",
        lambda right: lambda head, args: head(*args),
        "units",
        (50, 100),
    ),
    Mutation(
        "roots are told apart by too few bits",
        "exact.exact_numbers:_bounds",
        lambda right: lambda e, roots: (right(e, roots)[0] // 64, 0),
        "nested roots",
        (15, 24),
    ),
    Mutation(
        "logarithms whose exponentials are close add up",
        "exact.exact_numbers:_logarithmic_zero",
        lambda right: lambda e: exact_numbers._enclosed(e, 64) is not None,
        "sums of logarithms",
        (28, 48),
    ),
    Mutation(
        "Gamma has a value everywhere",
        "exact.normal_form:Letters._regular",
        lambda right: lambda self, argument: True,
        "factorials of whole numbers",
        (22, 23),
    ),
    # identities, integrals, eigenbasis
    Mutation(
        "balls that meet are taken to differ",
        "identities:_difference",
        lambda right: lambda a, b, point: right(a, b, point) or ("Arb", {"lhs": "0", "rhs": "1"}),
        "rewriting",
        (0, 1),
    ),
    Mutation(
        "the tail of an integral is dropped",
        "integrals:_tail_mass",
        lambda right: lambda *a: arb(0),
        "infinite ends",
        (0, 1),
    ),
    Mutation("any tail", "integrals:forall", lambda right: lambda *a, **k: _YES, "infinite ends", (50, 74)),
    Mutation(
        "the declared sign of a variable is believed",
        "integrals:_check_assumptions",
        lambda right: lambda *a: None,
        "declared variables",
        (1, 3),
    ),
    Mutation(
        "imaginary parts of constants are dropped",
        "integrals:_real_constant",
        lambda right: lambda exact: balls.value(exact.value, 192).real,
        "constants beside integrals",
        (0, 1),
    ),
    Mutation(
        "matrices have no kernel",
        "eigenbasis:cases",
        lambda right: lambda: iter(list(right())[:1]),
        "eigenbasis",
        (1, 0),
    ),
    Mutation("matrices are diagonal", "eigenbasis:cases", _only_on_the_diagonal, "eigenbasis", (1, 0)),
]
