"""Rigorous integrals in one dimension: `integral` returns an interval that surely contains the
value, or refuses, and `integral_evidence` compares such an interval with a constant.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import acb, arb, ctx, fmpq

from numerics.evidence import Evidence, Verdict
from numerics.provers.as_written import Condition, Written, scalar, undue
from numerics.provers.doors import broken, guarded, refusal
from numerics.provers.enclosures.balls import Ball, ball_function, precision, value
from numerics.provers.enclosures.boxes import Side
from numerics.provers.enclosures.enclose import Program, Unsupported
from numerics.provers.exact.exact_numbers import built, put, sign
from numerics.provers.inequalities import forall_without_z3 as forall
from numerics.provers.remembered import remembered
from numerics.rationals import arb_ball, flint_rational
from theory.inputs.kinds import check_kind

__all__ = ["integral", "integral_evidence"]

#: Steps for one proof that an integrand is real.
_EFFORT = 100_000
_OPERATORS = ("<=", "<", ">=", ">", "==")


def integral(
    f: Any, x: sp.Symbol, interval: tuple[Any, Any], *, tail: Any = None, rel: Fraction = Fraction(1, 10**20)
) -> Ball:
    """Enclose the integral of ``f`` over an interval.

    Parameters
    ----------
    f : sympy.Expr
        The integrand, without other symbols and without floats; bounded near finite ends. That all
        its subexpressions are real inside the interval is shown by `forall` first.
    x : sympy.Symbol
        The variable; nothing may be assumed of it that does not hold inside the interval.
    interval : pair
        Exact constants or infinite ends.
    tail : sympy.Expr, optional
        For infinite ends: a sum of terms ``c exp(-k x)``, ``c exp(-k x**2)`` and ``c x**(-p)``, k >
        0, p > 1. That |f| stays below it, as a function of the distance from 0, is certified from
        the first integer N >= 1 beyond the finite end on.
    rel : fractions.Fraction
        Accuracy to aim at. The result is an enclosure whether or not that is reached.

    Returns
    -------
    flint.arb
        A ball that contains the integral.

    Raises
    ------
    TypeError
        If ``f`` is text, or holds a float, another symbol or a function without an enclosure.
    ValueError
        If ``f`` holds the imaginary unit, or a function that cancels; if more is assumed of ``x``
        than the interval implies; if an end is no real constant; if an end is infinite and ``tail``
        is missing, has another form, or is not certified to dominate ``f``.
    ArithmeticError
        If ``f`` was not shown to be real inside the interval, or no finite enclosure was found: it
        is unbounded or undefined there.

    Examples
    --------
    >>> x = sp.Symbol("x", real=True)
    >>> integral(sp.sqrt(1 - x**2), x, (-1, 1)).str(12, radius=False)
    '1.57079632679'
    >>> integral(sp.exp(-x**2) * sp.cos(x), x, (0, sp.oo), tail=sp.exp(-x**2)).str(12, radius=False)
    '0.690194223522'
    """
    try:
        return _integral(f, x, interval, tail, rel)
    except Exception as error:
        if refusal(error):
            raise
        raise ArithmeticError(broken(error)) from error


def _integral(f: Any, x: sp.Symbol, interval: tuple[Any, Any], tail: Any, rel: Fraction) -> Ball:
    if not isinstance(x, sp.Symbol):
        raise TypeError(f"the variable {x!r} is not a SymPy symbol")
    if not isinstance(rel, Fraction) or rel <= 0:
        raise ValueError(f"the accuracy {rel!r} is no positive Fraction; write Fraction(1, 10**20)")
    if not isinstance(interval, tuple) or len(interval) != 2:
        raise TypeError(f"the interval {interval!r} is no pair; write (lower end, upper end)")
    written, a, b = scalar(f), *(_constant_end(e) for e in interval)
    if written.value.has(sp.I):
        raise ValueError(f"{written.given} is not a real expression")
    gone = next((e for e in written.functions if not written.value.has(e)), None)
    if gone is not None:
        raise ValueError(
            f"{gone} cancels in the integrand, and nothing here shows where it is defined; leave it out"
        )
    _check_assumptions(x, a, b)
    y = sp.Symbol(x.name, real=True)  # no more than that is assumed from here on: -x has other signs than x
    g = written.value.xreplace({x: y})
    bound = None if tail is None else scalar(tail).value.xreplace({x: y})
    bits = 64 + max(64, rel.denominator.bit_length() + 32)
    with precision(bits), sp.evaluate(True):
        function = ball_function(g, [y])
        if b == a:  # as written: ends that are equal otherwise make a short interval
            if a.is_infinite:
                raise ValueError(
                    f"the interval from {a} to {b} is empty at infinity; give two ends that differ"
                )
            at = function([value(a, bits)], False)
            if not (at.is_finite() and at.imag.is_zero()):
                raise ArithmeticError(
                    f"{f} is no real number at {a}, so that not even the empty integral has a value"
                )
            return arb(0)
        if a is sp.oo or b is -sp.oo or (not (b - a).is_infinite and sign(b - a) == -1):
            return -_oriented(g, y, b, a, bound, rel, written.conditions, x)
        return _oriented(g, y, a, b, bound, rel, written.conditions, x)


def _constant_end(e: Any) -> sp.Expr:
    if not isinstance(e, str) and (v := sp.sympify(e)) in (sp.oo, -sp.oo):
        return v
    v = scalar(e).value
    if v.free_symbols or not v.is_extended_real:
        raise ValueError(f"the end {v} is not a real constant; an enclosure needs exact ends")
    return v


def _check_assumptions(x: sp.Symbol, a: sp.Expr, b: sp.Expr) -> None:
    above, below = (
        all(getattr(e, f"is_extended_{sign}") for e in (a, b)) for sign in ("nonnegative", "nonpositive")
    )
    extra = undue(x, {"positive": True} if above else {"negative": True} if below else {"real": True})
    if extra is not None:
        raise ValueError(
            f"{x} is declared {extra}, which the interval ({a}, {b}) does not imply; declare it real"
        )


def _oriented(
    f: sp.Expr,
    x: sp.Symbol,
    a: sp.Expr,
    b: sp.Expr,
    bound: sp.Expr | None,
    rel: Fraction,
    needs: Sequence[Condition],
    old: sp.Symbol,
) -> Ball:
    """The integral from the smaller end to the larger one."""
    for g, kind in needs:
        if not _shown(g.xreplace({old: x}), kind, x, a, b):
            raise ArithmeticError(
                f"{f} was not shown to be real on ({a}, {b}), which needs {g} {kind} 0; shrink the "
                "interval, or split it at a pole"
            )
    if a.is_infinite and b.is_infinite:
        return _half_line(f.xreplace({x: -x}), x, sp.S.Zero, bound, rel) + _half_line(
            f, x, sp.S.Zero, bound, rel
        )
    if a.is_infinite:
        return _half_line(f.xreplace({x: -x}), x, -b, bound, rel)
    if b.is_infinite:
        return _half_line(f, x, a, bound, rel)
    return _segment(f, x, a, b, rel)


def _shown(g: sp.Expr, kind: str, x: sp.Symbol, a: sp.Expr, b: sp.Expr) -> bool:
    """Whether ``g > 0``, ``>= 0`` or ``!= 0`` (by `kind`) inside the interval, whose ends may be
    irrational: it becomes one with rational ends. Enclosures in the complex plane rest on it, as
    |x| means something else beside the real line.
    """
    t = sp.Symbol("t", real=True)
    if a.is_infinite:
        put, side = (t, (-sp.oo, sp.oo)) if b.is_infinite else (b - t, (0, sp.oo))
    else:
        put, side = (a + t, (0, sp.oo)) if b.is_infinite else (a + (b - a) * t, (0, 1))
    h = sp.expand(g.xreplace({x: put}))
    for op in (">", "<") if kind == "!=" else (kind,):
        with suppress(TypeError, ValueError):  # it holds something of which only balls know
            if forall(h, op, 0, {t: side}, effort=_EFFORT).verdict.accepted:
                return True
    return False


def _without_ends(
    f: sp.Expr, x: sp.Symbol, a: sp.Expr, b: sp.Expr, rel: Fraction, cut: tuple[int, int]
) -> Ball | None:
    """The integral without short pieces at one or both ends, where the function is bounded but not
    analytic, as exp(-1/x) is at 0; they have their length times its range.
    """
    width = sp.Rational(min(Fraction(1, 2**64), rel / 2**8)) * (b - a)
    t, rest = sp.Symbol("t", positive=True), arb(0)
    for here, end, way in zip(cut, (a, b), (1, -1)):
        if here:
            program = Program([t])
            with suppress(Unsupported):
                v = program.on((Side(fmpq(0), flint_rational(width), True, True),))[
                    program.add(put(f, {x: end + way * t}))
                ]
                rest += arb(flint_rational(width)) * v.lo.union(v.hi) if v.defined else arb.nan()
                continue
            return None
    if not rest.is_finite():
        return None
    with suppress(ArithmeticError):
        return rest + _segment(f, x, a + cut[0] * width, b - cut[1] * width, rel, cut=False)
    return None


def _segment(f: sp.Expr, x: sp.Symbol, a: sp.Expr, b: sp.Expr, rel: Fraction, cut: bool = True) -> Ball:
    """The integral over a finite interval: by `acb.integral` between the binary midpoints of its
    ends, and by the range of ``f`` on the slivers from there to the true ends.
    """
    function, ends = ball_function(f, [x]), [_end(e) for e in (a, b)]
    low, high = (e.mid() for e in ends)
    tolerance = arb_ball(rel)
    total = acb.integral(lambda z, analytic: function([z], analytic), acb(low), acb(high), rel_tol=tolerance)
    for end, exact, way in zip(ends, (low, high), (-1, 1)):
        if not end.is_exact():
            total += way * (end - exact) * function([acb(end)], False)
    if not total.is_finite() and cut and a.is_Rational and b.is_Rational:
        for inner in ((1, 0), (0, 1), (1, 1)):
            found = _without_ends(f, x, a, b, rel, inner)
            if found is not None:
                return found
    if not total.is_finite():
        raise ArithmeticError(
            f"no finite enclosure of the integral of {f} over ({a}, {b}); is it bounded there? "
            f"Substitute at a singular end ({x} = t**2 turns 1/sqrt({x}) into a constant) or split at a pole"
        )
    return total.real


def _end(e: sp.Expr) -> Ball:
    """An enclosure of a real constant at FLINT's present precision."""
    return value(e, ctx.prec).real


def _half_line(f: sp.Expr, x: sp.Symbol, a: sp.Expr, tail: sp.Expr | None, rel: Fraction) -> Ball:
    """The integral from `a` to infinity: up to a cut beyond which the dominating function has
    almost no mass, which is added to the radius.
    """
    if tail is None:
        raise ValueError(f"the integral of {f} reaches infinity: give tail=, a function that dominates |f|")
    start = built(sp.Max, [sp.S.One, built(sp.ceiling, [a])])
    _tail_mass(tail, x, start)
    for side in (tail - f, tail + f):
        found = forall(side.xreplace({x: (t := sp.Symbol("t", positive=True))}), ">=", 0, {t: (start, sp.oo)})
        if not found.verdict.accepted:
            raise ValueError(
                f"{tail} was not certified to dominate |{f}| for {x} >= {start}: {found.verdict}, "
                f"{found.reason}"
            )
    cut, small = start, arb_ball(rel)
    while cut < 2**100 and not _tail_mass(tail, x, cut) < small:
        cut = 2 * cut
    rest = _tail_mass(tail, x, cut)
    return _segment(f, x, a, cut, rel) + arb(0, rest.upper())


def _tail_mass(tail: sp.Expr, x: sp.Symbol, cut: sp.Expr) -> Ball:
    """The integral of the dominating function from ``cut`` on, in closed form."""
    c, k, p = sp.Wild("c", exclude=[x, 0]), sp.Wild("k", exclude=[x, 0]), sp.Wild("p", exclude=[x, 0])
    total, size = sp.S.Zero, lambda e: built(sp.Abs, [e])
    for term in sp.Add.make_args(sp.expand(tail)):
        if (m := term.match(c * sp.exp(-k * x))) and sign(m[k]) == 1:
            total += size(m[c]) * sp.exp(-m[k] * cut) / m[k]
        elif (m := term.match(c * sp.exp(-k * x**2))) and sign(m[k]) == 1:
            total += size(m[c]) * sp.sqrt(sp.pi / m[k]) / 2 * sp.erfc(sp.sqrt(m[k]) * cut)
        elif (m := term.match(c * x ** (-p))) and sign(m[p] - 1) == 1:
            total += size(m[c]) * cut ** (1 - m[p]) / (m[p] - 1)
        else:
            raise ValueError(
                f"the term {term} of tail= is none of c exp(-k x), c exp(-k x**2), c x**(-p) with k > "
                "0, p > 1"
            )
    return _end(total)


@remembered
@guarded("rigorous quadrature")
def integral_evidence(
    f: Any,
    x: sp.Symbol,
    interval: tuple[Any, Any],
    op: str,
    closed: Any,
    *,
    tail: Any = None,
    rel: Fraction = Fraction(1, 10**20),
) -> Evidence:
    """Compare an integral with a constant by enclosures of both.

    Parameters
    ----------
    f, x, interval, tail, rel
        As in `integral`.
    op : str
        ``"<="``, ``"<"``, ``">="``, ``">"`` or ``"=="``.
    closed : sympy.Expr
        An exact constant.

    Returns
    -------
    Evidence
        An inequality is CERTIFIED or REFUTED once the enclosures are apart. An equality can be
        REFUTED, but is never more than SUPPORTED: two enclosures that meet prove nothing. It
        carries a control with the constant changed by a thousandth.

    Raises
    ------
    ValueError
        If ``op`` is another, the constant not surely defined and real, or as in `integral`.

    Examples
    --------
    >>> x = sp.Symbol("x", real=True)
    >>> integral_evidence(1 / (1 + x**2), x, (0, 1), "<", sp.Rational(22, 28)).verdict.value
    'CERTIFIED'
    >>> integral_evidence(1 / (1 + x**2), x, (0, 1), "==", sp.pi / 4).verdict.value
    'SUPPORTED'
    """
    check_kind(str, op=op)
    start = time.perf_counter()
    if op not in _OPERATORS:
        raise ValueError(f"the relation {op!r} is none of {_OPERATORS}")
    enclosed, exact = integral(f, x, interval, tail=tail, rel=rel), scalar(closed)
    a, b = interval
    left = sp.latex(sp.Integral(f, (x, a, b)))
    constant = _real_constant(exact)
    found = _compared(enclosed, op, constant, left, sp.latex(exact.given))
    if op == "==" and found.verdict.accepted:
        spoiled = exact.value * sp.Rational(1001, 1000) if exact.value != 0 else sp.Rational(1, 1000)
        found = found.replace(
            control=_compared(enclosed, op, value(spoiled, 192).real, left, sp.latex(spoiled))
        )
    return found.replace(seconds=time.perf_counter() - start)


def _real_constant(exact: Written) -> Ball:
    """An enclosure of a constant that is surely defined and real."""
    fine: dict[str, Callable[[Ball], bool]] = {
        "!=": lambda v: v != 0,
        ">": lambda v: v > 0,
        ">=": lambda v: v >= 0,
    }
    for g, kind in exact.conditions:
        v = value(g, 192)
        if not (v.imag.is_zero() and v.is_finite() and fine[kind](v.real)):
            raise ValueError(
                f"the constant {exact.given} was not shown to be defined: that needs {g} {kind} 0"
            )
    v = value(exact.value, 192)
    if not (v.is_finite() and v.imag.is_zero()):
        raise ValueError(f"the constant {exact.given} was not shown to be a real number; give its real form")
    return v.real


def _compared(enclosed: Ball, op: str, constant: Ball, left: str, right: str) -> Evidence:
    """The verdict on an enclosed integral and a constant, with both in LaTeX."""
    holds = {
        "<=": enclosed <= constant,
        "<": enclosed < constant,
        ">=": enclosed >= constant,
        ">": enclosed > constant,
    }
    fails = {
        "<=": enclosed > constant,
        "<": enclosed >= constant,
        ">=": enclosed < constant,
        ">": enclosed <= constant,
    }
    apart = not enclosed.overlaps(constant)
    sign = {"==": "=", "<=": r"\le", ">=": r"\ge"}.get(op, op)
    common: dict[str, Any] = {"engine": "rigorous quadrature", "checked": f"{left} {sign} {right}"}
    shown = {"integral": enclosed.str(20, radius=False), "constant": constant.str(20, radius=False)}
    if fails.get(op, apart):
        return Evidence(verdict=Verdict.REFUTED, witness=shown, witness_by="Arb", **common)
    if holds.get(op, False):
        gap = float(abs(enclosed - constant).lower())
        return Evidence(verdict=Verdict.CERTIFIED, margin=gap, **common)
    if op == "==":
        width = (
            "the enclosures meet; they leave room for a difference of "
            f"{float((enclosed - constant).abs_upper()):.1e}"
        )
        return Evidence(verdict=Verdict.SUPPORTED, covered=width, **common)
    reason = (
        f"the enclosures {enclosed.str(20)} and {constant.str(20)} overlap. What may help: a smaller `rel=`;"
        " `identity` of a closed form, if the two are equal"
    )
    return Evidence(verdict=Verdict.OPEN, reason=reason, **common)
