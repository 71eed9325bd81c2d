"""Where an expression is a real number: the conditions that its roots, quotients and functions set
to their arguments. `forall` shows them before it believes an enclosure.
"""

from __future__ import annotations

import sympy as sp

__all__ = ["conditions"]


def conditions(e: sp.Expr) -> list[tuple[sp.Expr, str]]:
    """What must hold for `e` to be a real number (and continuous): pairs such as ``(x, ">")``, read
    as ``x > 0``.
    """
    out: dict[tuple[sp.Expr, str], None] = {}
    for a in sp.preorder_traversal(e):
        if isinstance(a, sp.Pow) and not (a.exp.is_Integer and a.exp > 0):
            if a.exp.is_Rational:
                out[a.base, "!=" if a.exp.is_Integer else ">" if a.exp < 0 else ">="] = None
            elif a.base != sp.E:
                out[a.base, ">"] = None
        elif isinstance(a, (sp.log, sp.besselk, sp.gamma, sp.loggamma, sp.polygamma)):
            out[a.args[-1], ">"] = None
        elif isinstance(a, (sp.coth, sp.csch)):
            out[a.args[0], "!="] = None
        elif isinstance(a, (sp.uppergamma, sp.lowergamma, sp.besseli)):
            out[a.args[1], ">="] = None
        elif isinstance(a, (sp.factorial, sp.atanh)):
            out[1 + a.args[0], ">"] = None
            if isinstance(a, sp.atanh):
                out[1 - a.args[0], ">"] = None
        elif isinstance(a, sp.acosh):
            out[a.args[0] - 1, ">="] = None
    return list(out)
