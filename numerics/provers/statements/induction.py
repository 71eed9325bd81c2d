"""Inequalities by induction, and by the step from x to x + 1 for real numbers.

Let F have the sign of the statement. If ``F(x + 1) >= F(x)`` from a whole number on, and F is
nonnegative there, then it is so from there on. If ``F(x) >= F(x + 1)`` everywhere, then F(x) is at
least the limit of ``F(x + n)`` for whole `n`, also where `x` is real. The step is often elementary
where F is not: Gamma, psi, factorials, binomial coefficients and harmonic numbers cancel. Limits
are those of Stirling's formula, whose remainder tends to 0, and of ``log(1 + u)/u`` as `u` does.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from numerics.provers.enclosures.boxes import Side
from numerics.provers.enclosures.enclose import Program
from numerics.provers.enclosures.rules import Binet, BinetSlope
from numerics.provers.exact.exact_numbers import Undecided, put, sign
from numerics.provers.statements.branch import Task
from numerics.provers.statements.equivalent_forms import Signs, asymptotic, split_by_sign
from numerics.provers.statements.sample import Sample
from numerics.provers.statements.statement import assumptions
from numerics.rationals import sympy_rational

__all__ = ["limit", "step", "steps"]

#: Functions whose values at x and x + 1 have an elementary quotient or difference.
STEPPING = (sp.gamma, sp.loggamma, sp.polygamma, sp.harmonic, sp.factorial, sp.binomial, sp.beta)
#: After so many whole numbers, each looked at by itself, the step is tried.
STARTS = (0, 4)
#: Values at whole numbers beyond this one are too long to be written out.
MOST_START = 1000
#: Terms of the power series of a logarithm.
MOST_TERMS = 4
#: The argument of a function may grow by so much in a step, and an expression may be so long.
MOST_SHIFTS, MOST_OPERATIONS = 4, 200


def steps(task: Task) -> Iterator[list[Task]]:
    """Lists of tasks, each of which together imply the task: a base and a step, or a limit and a
    step.
    """
    if len(task.alternatives) != 1 or task.alternatives[0].count_ops() > MOST_OPERATIONS:
        return
    (e,) = task.alternatives
    signs = Signs(Program(task.symbols), task.box)
    for i, (x, side) in enumerate(zip(task.symbols, task.box)):
        ray = side.hi is None and side.lo is not None and 0 <= side.lo <= MOST_START
        if not (ray and e.has(x) and (side.integer or e.has(*STEPPING))):
            continue
        for f in dict.fromkeys(_of_the_same_sign(e, signs)):
            change = step(f, x) if f.has(x) and signs.of(f) is not None else None
            if change is None:
                continue
            end = limit(f, x)
            # At 0 the step is written by log(x).
            for n in (max(n, int(side.lo == 0)) for n in STARTS) if side.integer else (0,):
                if side.integer and _seems(later := _later(task, i, n, change, strict=False)):
                    yield [*_first(task, i, n + 1), later]
                    break
                # What is lost in one step keeps it strict.
                if end is not None and _seems(later := _later(task, i, n, -change, task.strict)):
                    yield [_without(task, i, end, strict=False), *_first(task, i, n), later]
                    break


def _seems(task: Task) -> bool:
    """Whether the statement holds in floating point at some places: else it is not tried."""
    return not Sample(task).refutes(task)


def _first(task: Task, i: int, number: int) -> Iterator[Task]:
    """The statement at the first whole numbers, each by itself."""
    for k in range(number):
        at = {task.symbols[i]: sympy_rational(task.box[i].lo) + k}
        try:
            yield _without(task, i, put(task.alternatives[0], at), task.strict)
        except Undecided:
            yield _without(task, i, sp.nan, task.strict)


def _without(task: Task, i: int, e: sp.Expr, strict: bool) -> Task:
    """A statement without variable `i`, and without the hypotheses on it."""
    x = task.symbols[i]
    where = tuple((h, s) for h, s in task.where if not h.has(x))
    names, box = (*task.symbols[:i], *task.symbols[i + 1 :]), (*task.box[:i], *task.box[i + 1 :])
    return Task(names, box, [e], strict, where, 1 + task.depth)


def _later(task: Task, i: int, n: int, e: sp.Expr, strict: bool) -> Task:
    """``e >= 0`` for all real numbers from the `n`-th on, without the hypotheses on them."""
    x, side = task.symbols[i], task.box[i]
    new = Side(side.lo + n, None, side.lo_open)
    t = sp.Dummy(x.name, **assumptions(new))
    names, box = (*task.symbols[:i], t, *task.symbols[i + 1 :]), (*task.box[:i], new, *task.box[i + 1 :])
    where = tuple((h, s) for h, s in task.where if not h.has(x))
    return Task(names, box, [e.xreplace({x: t})], strict, where, 1 + task.depth)


def _of_the_same_sign(e: sp.Expr, signs: Signs) -> Iterator[sp.Expr]:
    """The difference of the logarithms of two positive parts, and `e`, by Gamma and psi."""
    e = _by_gamma(e)
    if (parts := split_by_sign(e, signs)) is not None:
        a, b = parts
        yield _logarithms(sp.log(a) - sp.log(b), signs)
    if e.has(sp.log, sp.loggamma, sp.polygamma):
        yield _logarithms(e, signs)


def _by_gamma(e: sp.Expr) -> sp.Expr:
    e = e.replace(sp.binomial, lambda n, k: sp.gamma(n + 1) / sp.gamma(k + 1) / sp.gamma(n - k + 1))
    e = e.replace(sp.beta, lambda a, b: sp.gamma(a) * sp.gamma(b) / sp.gamma(a + b))
    e = e.replace(sp.factorial, lambda n: sp.gamma(n + 1))
    return e.replace(sp.harmonic, lambda n: sp.polygamma(0, n + 1) + sp.EulerGamma)


def _logarithms(e: sp.Expr, signs: Signs) -> sp.Expr:
    """Logarithms of products as sums, where all factors are positive; log Gamma as one function."""

    def split(a: sp.Expr) -> sp.Expr:
        factors = [f.as_base_exp() for f in sp.Mul.make_args(sp.factor_terms(sp.together(a)))]
        if not all(signs.strict(b) > 0 for b, _ in factors):
            return sp.log(a)
        return sp.Add(
            *(k * (sp.loggamma(*b.args) if isinstance(b, sp.gamma) else _log(b)) for b, k in factors)
        )

    return sp.expand(e.replace(sp.log, split), log=False, power_base=False, power_exp=False)


def _log(b: sp.Expr) -> sp.Expr:
    """The logarithm of a positive factor."""
    return sp.expand_log(sp.log(b)) if b.is_Rational else b.exp if isinstance(b, sp.exp) else sp.log(b)


def step(f: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """``f(x + 1) - f(x)`` without log Gamma and psi, where the arguments of both and `x` are
    positive; None where they remain.

    >>> x = sp.Symbol("x", positive=True)
    >>> step(sp.loggamma(x) - 2 * sp.polygamma(0, x), x)
    log(x) - 2/x
    """
    after = f.xreplace({x: x + 1})
    for a in f.atoms(sp.loggamma, sp.polygamma):
        u = sp.expand(a.args[-1])
        k = sp.expand(u.xreplace({x: x + 1}) - u)
        if not k.is_Integer or abs(k) > MOST_SHIFTS or not (len(a.args) == 1 or a.args[0].is_Integer):
            return None
        own = [u + j for j in range(k)] if k > 0 else [u - j for j in range(1, 1 - k)]
        if isinstance(a, sp.loggamma):
            gains = [sp.log(v) for v in own]
        else:
            n = a.args[0]
            gains = [(-1) ** n * sp.factorial(n) / v ** (n + 1) for v in own]
        moved = a.func(*a.args[:-1], a.args[-1].xreplace({x: x + 1}))
        after = after.xreplace({moved: a + sp.sign(k) * sp.Add(*gains)})
    change = sp.expand(after - f, log=False, power_base=False, power_exp=False)
    if change.has(*STEPPING, sp.nan, sp.zoo):
        return None
    rest, power, logs = _parts(change, x)
    return change if power != 0 else rest + sp.Add(*(c * sp.log(1 + u) for c, u in logs))


def limit(f: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """The limit of `f` as `x` tends to infinity; None where it is not seen.

    >>> x = sp.Symbol("x", positive=True)
    >>> limit(x * sp.log(x + 2) - x * sp.log(x), x)
    2
    """
    rest, power, logs = _parts(asymptotic(f), x)
    plain = []
    for t in sp.Add.make_args(rest):
        if t.is_rational_function(x):
            plain.append(t)
            continue
        # All of these are positive, and at most a multiple of 1/a + 1/a**2 at a.
        c, g = t.as_independent(Binet, BinetSlope, sp.polygamma, as_Add=False)
        small = isinstance(g, (Binet, BinetSlope)) or (isinstance(g, sp.polygamma) and g.args[0] >= 1)
        if not small or _at_infinity(c / g.args[-1], x) != 0 or _at_infinity(1 / g.args[-1], x) != 0:
            return None
    for c, u in logs:
        for j in range(1, MOST_TERMS + 1):  # the error of the power series is less than |u|**(j + 1)
            plain.append(-c * (-u) ** j / j)
            if _at_infinity(c * u ** (j + 1), x) == 0:
                break
        else:
            return None
    if _at_infinity(power, x) != 0:  # x**-1 log(x) tends to 0
        return None
    return _at_infinity(sp.Add(*plain), x)


def _at_infinity(e: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """The limit of a rational function, if it is finite whatever the other variables are."""
    y = sp.Dummy("y", positive=True)
    if not e.is_rational_function(x):
        return None
    n, d = sp.fraction(sp.cancel(sp.together(e.xreplace({x: 1 / y}))))
    n, d = sp.expand(n).xreplace({y: sp.S.Zero}), sp.expand(d).xreplace({y: sp.S.Zero})
    return n / d if _surely_positive(d) or _surely_positive(-d) else None


def _surely_positive(e: sp.Expr) -> bool:
    """Whether a product of numbers and of symbols with assumptions is positive."""
    number, rest = e.as_independent(*e.free_symbols, as_Add=False)
    powers = (f.as_base_exp() for f in sp.Mul.make_args(rest))
    return sign(number) == 1 and (rest == 1 or all(b.is_Symbol and b.is_positive for b, _ in powers))


def _parts(f: sp.Expr, x: sp.Symbol) -> tuple[sp.Expr, sp.Expr, list[tuple[sp.Expr, sp.Expr]]]:
    """``f = rest + power*log(x) + sum of c*log(1 + u)``, where every u is rational and tends to 0,
    for positive `x`.
    """
    rest, power = [], sp.S.Zero
    logs: dict[sp.Expr, sp.Expr] = {}
    for t in sp.Add.make_args(f):
        found = [g for g in sp.Mul.make_args(t) if isinstance(g, sp.log) and g.has(x)]
        a = found[0].args[0] if len(found) == 1 else None
        growth = _growth(a, x) if a is not None else None
        if growth is None:
            rest.append(t)
            continue
        c, (lead, d) = t / found[0], growth
        power += d * c
        rest += [c * part for part in sp.Add.make_args(sp.expand_log(sp.log(lead)))] if lead != 1 else []
        u = sp.expand(sp.cancel(a / (lead * x**d) - 1))
        if u != 0:
            logs[u] = logs.get(u, sp.S.Zero) + c
    plain = sp.expand(sp.Add(*rest), log=False, power_base=False, power_exp=False)
    return plain, sp.cancel(sp.together(power)), [(c, u) for u, c in logs.items()]


def _growth(a: sp.Expr, x: sp.Symbol) -> tuple[sp.Expr, int] | None:
    """The positive `c` and `d` for which a rational function is about ``c*x**d`` at infinity."""
    if not a.is_rational_function(x):
        return None
    n, d = (sp.Poly(q, x) for q in sp.fraction(sp.cancel(a)))
    lead = n.LC() / d.LC()
    return (lead, n.degree() - d.degree()) if _surely_positive(lead) else None
