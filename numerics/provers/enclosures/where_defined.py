"""Where an expression is a real number: the conditions that its roots, quotients and functions set
to their arguments. `forall` shows them before it believes an enclosure.
"""

from __future__ import annotations

import sympy as sp

__all__ = ["conditions", "own_conditions"]

Condition = tuple[sp.Expr, str]


def conditions(e: sp.Expr) -> list[Condition]:
    """What must hold for `e` to be a real number (and continuous): pairs such as ``(x, ">")``, read
    as ``x > 0``.
    """
    return list(dict.fromkeys(c for a in sp.preorder_traversal(e) for c in own_conditions(a)))


def own_conditions(a: sp.Expr) -> list[Condition]:
    """The conditions that the outermost function of an expression sets to its arguments."""
    if isinstance(a, sp.Pow) and not (a.exp.is_Integer and a.exp > 0):
        if a.exp.is_Rational:
            return [(a.base, "!=" if a.exp.is_Integer else ">" if a.exp < 0 else ">=")]
        return [] if a.base == sp.E else [(a.base, ">")]
    if isinstance(a, (sp.log, sp.besselk, sp.gamma, sp.loggamma, sp.polygamma)):
        return [(a.args[-1], ">")]
    if isinstance(a, sp.tan):
        return [(sp.cos(a.args[0]), "!=")]
    if isinstance(a, sp.harmonic) and len(a.args) == 1:
        return [(1 + a.args[0], ">")]
    if isinstance(a, (sp.coth, sp.csch)):
        return [(a.args[0], "!=")]
    if isinstance(a, (sp.uppergamma, sp.lowergamma, sp.besseli, sp.besselj)):
        return [(a.args[1], ">=")]
    if isinstance(a, sp.factorial):
        return [(1 + a.args[0], ">")]
    if isinstance(a, sp.erfcinv):
        return [(a.args[0], ">"), (2 - a.args[0], ">")]
    if isinstance(a, (sp.atanh, sp.erfinv)):
        return [(1 + a.args[0], ">"), (1 - a.args[0], ">")]
    if isinstance(a, sp.acosh):
        return [(a.args[0] - 1, ">=")]
    if isinstance(a, (sp.asin, sp.acos)):
        return [(1 + a.args[0], ">="), (1 - a.args[0], ">=")]
    if isinstance(a, sp.LambertW):
        return [(a.args[0] + sp.exp(-1), ">=")]
    if isinstance(a, sp.beta):
        return [(b, ">") for b in a.args]
    if isinstance(a, sp.binomial) and not (
        a.args[1].is_integer and a.args[1].is_nonnegative
    ):  # else a polynomial
        return [(1 + a.args[0], ">")]
    return []
