"""The rule of arithmetic: what a prover shows of all real numbers holds of opaque terms."""

from __future__ import annotations

import itertools
import re
from typing import Any

import sympy as sp

from numerics.derivations.kernel.normal_form import normal_form
from numerics.derivations.kernel.sorts import Fault, ProofError, Range
from numerics.derivations.kernel.terms import Apply, Bind, Defined, Given, Number, Op, Term, Variable, text
from numerics.derivations.kernel.theorems import Theorem, _prove, read
from numerics.derivations.kernel.values import finite, nonnegative, positive
from numerics.evidence import Verdict
from numerics.provers import Integers, identity
from numerics.provers.doors import FAULT
from numerics.provers.inequalities import forall_without_z3 as forall
from numerics.provers.remembered import noting

__all__ = ["arithmetic", "check_in_range"]

HEADS = {
    "add": sp.Add,
    "mul": sp.Mul,
    "pow": sp.Pow,
    "exp": sp.exp,
    "log": sp.log,
    "max": sp.Max,
    "min": sp.Min,
}
Condition = tuple[sp.Expr, str, sp.Expr]
#: Whether exact arithmetic decided a question, for those that were asked before and answered.
ANSWERS: dict[tuple[Any, ...], bool] = {}
#: What was asked for a theorem: in each case the two sides, the conditions and the domain.
QUESTIONS: dict[Theorem, tuple[tuple[Any, ...], ...]] = {}


def arithmetic(
    lhs: Any,
    op: str,
    rhs: Any,
    *premises: Theorem,
    via: dict[Variable, Term] | None = None,
    hide: tuple[Term, ...] = (),
    effort: int = 1_000_000,
) -> Theorem:
    """``lhs op rhs`` if `forall` (or `identity`) proves it for all real numbers in place of its
    opaque parts that meet the premises.

    Opaque are functions, integrals, defined names, and the terms in `hide`: each becomes a real
    variable with the sign that the term is known to have, so each must be finite, by itself or
    because a premise bounds it. An indicator is 1 or 0 with its condition true or false.

    Parameters
    ----------
    lhs, rhs : Term or rational number
    op : {"<=", "<", "=="}
    premises : Theorem
    via : dict of Variable to Term
        New variables in which the prover tries as well.
    hide : tuple of Term
        Terms that are opaque as wholes.
    effort : int
        How many boxes the prover may look at.

    Raises
    ------
    ProofError
        If an opaque term may be infinite, the premises contradict each other or a range, or the
        prover does not say PROVED or CERTIFIED.
    Fault
        If the prover breaks.

    Examples
    --------
    >>> from numerics.derivations.kernel.sorts import REALS
    >>> x, y = (Variable(name, range=REALS) for name in "xy")
    >>> print(arithmetic(2 * x * y, "<=", x**2 + y**2))
     |- ((2*x)*y) <= ((x^2) + (y^2))
    """
    lhs, rhs = read(lhs), read(rhs)
    table = _Table(tuple(map(read, hide)), premises)
    left, right = table.read(lhs), table.read(rhs)
    where = [(table.read(p.lhs), p.op, table.read(p.rhs)) for p in premises]
    new = {table.read(read(v)): table.read(read(e)) for v, e in (via or {}).items()}
    if not all(isinstance(s, sp.Symbol) for s in new):
        raise ProofError("`via` gives terms for new variables; write {variable: term}")
    exact, ends, questions = True, _ends(table.domain), []
    for values in itertools.product((1, 0), repeat=len(table.switches)):
        fixed = {s: sp.Integer(v) for s, v in zip(table.switches, values)}
        tests = list(table.switches.values())
        cases: list[Condition] = [
            (sp.S.Zero, "<=", u) if v else (u, "<", sp.S.Zero) for u, v in zip(tests, values)
        ]
        at = lambda e, fixed=fixed: e.xreplace(fixed)
        given = [(at(a), o, at(b)) for a, o, b in (*cases, *where)]
        if _contradictory(given, ends):
            continue
        questions.append((at(left), op, at(right), given, dict(table.domain)))
        try:
            with noting():  # what the provers are asked on the way is no question of a claim
                exact = _decided(*questions[-1], new, effort) and exact
        except ProofError as stop:
            raise ProofError(f"{stop}{table.legend(str(stop))}") from None
    if not questions:
        raise ProofError(
            "the premises contradict each other, or the range of a variable, so that anything follows; "
            "correct one of them"
        )
    theorem = _prove(lhs, op, rhs, "arithmetic", premises, exact)
    QUESTIONS[theorem] = tuple(questions)
    return theorem


class _Table:
    """Terms as expressions of a prover: opaque parts, and the variables that stand for them."""

    def __init__(self, hide: tuple[Term, ...], premises: tuple[Theorem, ...]) -> None:
        self.names: dict[Term, sp.Symbol] = {}
        self.domain: dict[sp.Symbol, Any] = {}
        self.switches: dict[sp.Symbol, sp.Expr] = {}
        self.hide, self.premises = hide, premises

    def read(self, e: Term) -> sp.Expr:
        if e in self.hide or isinstance(e, (Apply, Bind, Defined, Given)) or _may_be_0_to_a_variable(e):
            return self.variable(e)
        if isinstance(e, Number):
            return sp.Rational(e.value.numerator, e.value.denominator)
        if isinstance(e, Variable):
            return self.variable(e)
        assert isinstance(e, Op)
        if e.head in ("ind", "above"):
            u = e.args[0] if e.head == "ind" else -e.args[0]
            key = Op("ind", (normal_form(u),))
            if key not in self.names:
                self.names[key] = s = sp.Symbol(f"#case{len(self.names)}")
                self.switches[s] = self.read(u)
            return self.names[key] if e.head == "ind" else 1 - self.names[key]
        return HEADS[e.head](*map(self.read, e.args))

    def variable(self, e: Term) -> sp.Expr:
        if (
            isinstance(e, Variable)
            and e.range is not None
            and e.range.lo is not None
            and e.range.lo == e.range.hi
        ):
            return sp.Rational(e.range.lo.numerator, e.range.lo.denominator)  # its only value
        if e not in self.names:
            if not finite(e) and not self.bounded(e):
                raise ProofError(
                    f"{text(e)} is not known to be finite; give its functions orders, or a premise "
                    "that bounds it"
                )
            name = e.name if isinstance(e, (Variable, Defined)) else f"#term{len(self.names)}"
            self.names[e] = s = sp.Symbol(name)
            if s in self.domain:
                raise ProofError(f"the name {name} stands for two things")
            given = e.range if isinstance(e, Variable) else None
            zero = (
                (sp.S.Zero, sp.oo)
                if positive(e)
                else sp.Interval(0, sp.oo)
                if nonnegative(e)
                else (-sp.oo, sp.oo)
            )
            self.domain[s] = zero if given is None else _domain(given)
        return self.names[e]

    def legend(self, said: str) -> str:
        """What the letters of a prover that occur in a text stand for."""
        used = set(re.findall(r"#[a-z]+\d+", said))
        terms = [f"{s} is {text(e)}" for e, s in self.names.items() if str(s) in used]
        more = ["a #theta is a number from 0 to 1"] if "#theta" in said else []
        more += ["a #slack is one from 0 on"] if "#slack" in said else []
        return f"\n  where {', '.join(terms + more)}" if terms or more else ""

    def bounded(self, e: Term) -> bool:
        """Whether a premise shows that the term, which is not negative, is finite."""
        for p in self.premises:
            for small, big in ((p.lhs, p.rhs), (p.rhs, p.lhs))[: 2 if p.op == "==" else 1]:
                parts = small.args if isinstance(small, Op) and small.head == "add" else (small,)
                if e in parts and all(map(nonnegative, parts)) and finite(big):
                    return True
        return False


def _may_be_0_to_a_variable(e: Term) -> bool:
    """Provers take the logarithm of the base of such a power; they see a nonnegative number."""
    return (
        isinstance(e, Op) and e.head == "pow" and not (isinstance(e.args[1], Number) or positive(e.args[0]))
    )


def _domain(r: Range) -> Any:
    ends = [
        inf if x is None else sp.Rational(x.numerator, x.denominator)
        for x, inf in ((r.lo, -sp.oo), (r.hi, sp.oo))
    ]
    return Integers(ends[0], sp.oo) if r.whole else sp.Interval(*ends, r.lo_open, r.hi_open)


def _decided(
    left: sp.Expr, op: str, right: sp.Expr, given: list[Condition], domain: Any, via: Any, effort: int
) -> bool:
    """Whether exact arithmetic decided the inequality; refused if nothing did."""
    asked = (left, op, right, tuple(given), tuple(domain.items()), tuple(via.items()), effort)
    if asked not in ANSWERS:
        try:
            ANSWERS[asked] = _asked(left, op, right, given, domain, via, effort)
        except (ProofError, Fault):
            raise
        except (TypeError, ValueError) as words:  # with these provers say what they do not read
            raise ProofError(f"the prover refuses {left} {op} {right}: {words}") from None
        except Exception as fault:
            raise Fault(
                f"a prover breaks at {left} {op} {right}, with {type(fault).__name__}: {fault}; "
                "nothing is proved or refuted; "
                "please report this, and split the step meanwhile"
            ) from fault
    return ANSWERS[asked]


def _asked(
    left: sp.Expr, op: str, right: sp.Expr, given: list[Condition], domain: Any, via: Any, effort: int
) -> bool:
    (left, right), where, box = _eliminated([left, right], given, domain)
    if left == right and op != "<":
        return True
    used = set().union(*(e.free_symbols for e in (left, right, *(x for a, _, b in where for x in (a, b)))))
    if op == "==":
        real = {s: sp.Symbol(s.name, real=True, **_sign(box[s])) for s in used}
        evidence = identity(left.xreplace(real), right.xreplace(real))
    else:
        met = [(a, "<=" if o == "==" else o, b) for a, o, b in where] + [
            (b, "<=", a) for a, o, b in where if o == "=="
        ]
        met = [(a, o, b) for a, o, b in met if not (a - b).is_number]
        ranges = {s: box[s] for s in sorted(used, key=str)}
        evidence = forall(left, op, right, ranges, where=met, via=via or None, effort=effort)
    if evidence.reason.startswith(FAULT):
        raise Fault(f"{evidence.reason}; the question was {left} {op} {right}")
    if not evidence.verdict.accepted:
        why = (
            evidence.reason or f"at {dict(evidence.witness)}, which is not necessarily a point that a law has"
        )
        raise ProofError(f"the prover says {evidence.verdict} of {left} {op} {right}: {why}")
    return evidence.verdict is Verdict.PROVED


def _sign(given: Any) -> dict[str, bool]:
    lo = given[0] if isinstance(given, tuple) else given.lo if isinstance(given, Integers) else given.start
    is_open = isinstance(given, tuple) or (isinstance(given, sp.Interval) and given.left_open)
    return {} if lo < 0 else {"positive": True} if lo > 0 or is_open else {"nonnegative": True}


def _ends(domain: Any) -> list[Condition]:
    """The ranges of variables as conditions."""
    out: list[Condition] = []
    for s, given in domain.items():
        ends = (
            given
            if isinstance(given, tuple)
            else given.args[:2]
            if isinstance(given, sp.Interval)
            else (given.lo, sp.oo)
        )
        opened = (
            (given.left_open, given.right_open)
            if isinstance(given, sp.Interval)
            else (isinstance(given, tuple), True)
        )
        low, high = ("<" if is_open else "<=" for is_open in opened)
        out += [(a, o, b) for a, o, b in ((ends[0], low, s), (s, high, ends[1])) if sp.oo not in (-a, b)]
    return out


def _contradictory(given: list[Condition], ends: list[Condition]) -> bool:
    """Two conditions, or one and the end of a range, that cannot hold together, as their sum is a
    number.
    """
    gaps = lambda conditions: [(sp.expand(b - a), o, (b - a).free_symbols) for a, o, b in conditions]
    both = gaps([*given, *((b, "<=", a) for a, o, b in given if o == "==")])
    beside = [
        (one, end) for one, end in itertools.product(both, gaps(ends) if both else ()) if one[2] == end[2]
    ]
    for (gap, o, _), (other, q, _) in [*itertools.combinations(both, 2), *beside]:
        total = gap + other
        if total.is_Rational and (total < 0 or (total == 0 and "<" in (o, q))):
            return True
    return False


def _eliminated(
    goal: list[sp.Expr], where: list[Condition], domain: Any
) -> tuple[list[sp.Expr], list[Condition], Any]:
    """The goal at all values of a variable x that meet a premise about it.

    Where x is not in Y: for x = Y put Y; for 0 <= x <= Y put theta Y with theta in [0, 1], and in
    [0, 1) if x < Y; for other x <= Y put Y - h, and for Y <= x put Y + h, with h >= 0. More values
    than those that meet the premise may be covered, never fewer. A positive factor of both sides of
    a premise is cancelled before. A premise that leaves one value to a whole number puts it.
    """
    rest: list[Condition] = []
    todo, domain = list(where), dict(domain)
    while todo:
        a, op, b = todo.pop(0)
        a, b = _divided(a, b, domain)
        alone = lambda x, y: (
            isinstance(x, sp.Symbol) and x not in y.free_symbols and not isinstance(domain[x], Integers)
        )
        new = {}
        if op == "==" and alone(a, b):
            new = {a: b}
        elif op != "==" and alone(a, b) and _sign(domain[a]):
            theta = sp.Symbol(f"#theta{len(domain)}")
            new, domain[theta] = {a: theta * b}, sp.Interval(0, 1, "positive" in _sign(domain[a]), op == "<")
        elif op != "==" and (alone(a, b) or alone(b, a)):
            slack = sp.Symbol(f"#slack{len(domain)}")
            new = {a: b - slack} if alone(a, b) else {b: a + slack}
            domain[slack] = sp.Interval(0, sp.oo, left_open=op == "<")
        elif at := _solved(a, op, b, domain):
            new = at
        put = lambda e, new=new: _at(e, new)
        goal = [put(e) for e in goal]
        rest, todo = ([(put(x), o, put(y)) for x, o, y in part] for part in (rest, todo))
        rest += [] if new else [(a, op, b)]
    return goal, rest, domain


def _at(e: sp.Expr, new: dict[sp.Symbol, sp.Expr]) -> sp.Expr:
    try:
        out = e.xreplace(new)
    except ValueError:  # in a largest value, by the words of SymPy
        out = sp.nan
    if new and out.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        values = ", ".join(f"{x} = {value}" for x, value in new.items())
        raise ProofError(
            f"a premise leaves {values}, where {e} is undefined; it contradicts a range or another "
            "premise, so correct it"
        )
    return out


def _solved(a: sp.Expr, op: str, b: sp.Expr, domain: Any) -> dict[sp.Symbol, sp.Expr]:
    """The value of a whole number x, if a premise c x <= k leaves only the least one."""
    gap = sp.expand(b - a)
    if len(gap.free_symbols) == 1:
        (x,) = gap.free_symbols
        c = gap.coeff(x)
        if isinstance(domain[x], Integers) and c.is_Rational and c < 0 and not (gap - c * x).free_symbols:
            most = (gap - c * x) / -c  # x <= most, strictly if the premise is strict
            if domain[x].lo <= most and (most < domain[x].lo + 1 or (op == "<" and most == domain[x].lo + 1)):
                return {x: domain[x].lo}
    return {}


def _divided(a: sp.Expr, b: sp.Expr, domain: Any) -> tuple[sp.Expr, sp.Expr]:
    """Both sides of an inequality without the positive variables that are factors of both."""
    common = set(sp.Mul.make_args(a)) & set(sp.Mul.make_args(b))
    for x in common:
        if isinstance(x, sp.Symbol) and "positive" in _sign(domain[x]):
            a, b = (sp.Mul(*(y for y in sp.Mul.make_args(e) if y != x)) for e in (a, b))
    return a, b


def check_in_range(value: Term, given: Range, premises: tuple[Theorem, ...]) -> tuple[Theorem, ...]:
    """What shows that a finite term lies in a range; refused if nothing does."""
    if not finite(value):
        raise ProofError(f"{text(value)} is not known to be finite")
    if isinstance(value, Variable) and value.range == given:
        return ()
    if given.whole:
        least = value.range.lo if isinstance(value, Variable) and value.range and value.range.whole else None
        least = value.value if isinstance(value, Number) and value.value.denominator == 1 else least
        if least is None or given.lo is None or least < given.lo:
            raise ProofError(f"{text(value)} is not known to be a whole number from {given.lo} on")
        return ()
    if given.lo == 0 and given.hi is None and (positive(value) if given.lo_open else nonnegative(value)):
        return ()
    shown = []
    if given.lo is not None:
        shown.append(_shown(Number(given.lo), given.lo_open, value, premises))
    if given.hi is not None:
        shown.append(_shown(value, given.hi_open, Number(given.hi), premises))
    return tuple(shown)


def _shown(lhs: Term, strictly: bool, rhs: Term, premises: tuple[Theorem, ...]) -> Theorem:
    """A premise that says it, or else what arithmetic makes of them."""
    same = (p for p in premises if p.lhs == lhs and p.rhs == rhs and (p.op == "<" or not strictly))
    return next(same, None) or arithmetic(lhs, "<" if strictly else "<=", rhs, *premises)
