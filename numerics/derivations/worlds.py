"""Terms of the kernel in small finite worlds: few atoms, all prompts, Arb for what is not rational.

A theorem must hold in every world that meets its assumptions, and a statement that fails in one is
refuted there. Nothing is shared with the kernel but the classes of terms, so that a wrong rule is
not tested by itself. A mean over a Gaussian vector has no finite world: a term that contains one
raises `Undecided`. Tasks are three laws on the same atoms, and functions of time are polynomials,
or any values where no derivative is asked for; sequences have any values.
"""

from __future__ import annotations

import copy
import itertools
import random
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, Protocol

from flint import arb, ctx, fmpq

from numerics.derivations.kernel.sorts import KINDS, Range, Sort
from numerics.derivations.kernel.terms import (
    CLOCK,
    FIRST,
    START,
    Apply,
    Bind,
    Bound,
    Defined,
    Function,
    Given,
    Number,
    Op,
    Term,
    Variable,
)
from numerics.derivations.kernel.theorems import Assumption
from numerics.derivations.names import steps_later

__all__ = ["PRECISION", "Undecided", "World", "breaking", "holds", "made", "meets"]

#: The bits with which a comparison is settled, the worlds of a size that are tried, and steps.
PRECISION, WORLDS, STEPS = 200, 40, 3
#: What takes finitely many values in a world, all of which are tried.
FINITE = (Sort.TOKEN, Sort.QUERY, Sort.TASK)
#: Hypotheses that every world is made to meet, and what they speak of there.
MET = {
    "sub-Gaussian": "z v sigma",
    "1-sub-Gaussian query": "y v",
    "E|f|^4 > 0": "f",
    "E|Q|^2 <= u": "Q u",
    "t > 4 sqrt(d)": "t",
    "L >= 2": "L",
    "sigma >= 1": "sigma",
    "|f(z)| <=": "f z C_f",
    "|U| is": "U b normU",
    "|V| is": "V b normV",
}


class Relation(Protocol):
    """A theorem, or a statement."""

    @property
    def lhs(self) -> Term: ...
    @property
    def op(self) -> str: ...
    @property
    def rhs(self) -> Term: ...
    @property
    def assumptions(self) -> frozenset[Assumption]: ...


class Undecided(Exception):
    """A comparison that 200 bits do not settle, or a term without a value in a finite world."""


def _fmpq(x: Fraction | int) -> fmpq:
    x = Fraction(x)
    return fmpq(x.numerator, x.denominator)


def _sign(x: Any) -> int:
    if isinstance(x, fmpq):
        return int(x > 0) - int(x < 0)
    if x > 0 or x < 0:
        return 1 if x > 0 else -1
    raise Undecided(f"the sign of {x}")


@dataclass
class World:
    """Centred tokens and queries on few atoms, tables for functions, numbers for variables.

    Coordinates of tokens and of queries come in opposite pairs, so that a law on a ball of radius
    r is r-sub-Gaussian; sigma, the norms and the bounds that assumptions name are chosen to meet
    them.
    """

    rng: random.Random
    length: int = 2
    size: int = 1
    weights: tuple[fmpq, ...] = ()
    laws: tuple[tuple[fmpq, ...], ...] = ()
    task: int | None = None
    tables: dict[Any, fmpq] = field(default_factory=dict)
    numbers: dict[Variable, Any] = field(default_factory=dict)
    memory: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        first = self.rng.choice(((1,), (1, 2), (3, 1)))
        law = lambda half: tuple(_fmpq(Fraction(w, 2 * sum(half))) for w in (*half, *half))
        self.weights = law(first)
        tasks = random.Random(sum(first))
        self.laws = tuple(law([tasks.randint(1, 4) for _ in first]) for _ in range(3))

    def _rational(self, lo: int = -8, hi: int = 8) -> fmpq:
        return fmpq(self.rng.randint(lo, hi) or 1, self.rng.choice((3, 4, 6)))

    def apply(self, f: Function, at: tuple[int, ...]) -> fmpq:
        """The value of a function; vectors of tokens and of queries come in opposite pairs."""
        if Sort.NORMAL in f.sorts:
            raise Undecided("a Gaussian vector")
        if Sort.TIME in f.sorts:
            return self.path(f, at)
        if Sort.STEP in f.sorts:
            at, f = self.moved(f, at)
        half = len(self.weights) // 2
        if f.name in ("z", "y") and at[-1] >= half:
            return -self.apply(f, (*at[:-1], at[-1] - half))
        key = (f.name, f.sorts, at)
        if key not in self.tables:
            self.tables[key] = fmpq(self.rng.randint(-4, 4) or 1, 9 if f.name == "y" else 4)
        return self.tables[key]

    @staticmethod
    def moved(f: Function, at: tuple[int, ...]) -> tuple[tuple[int, ...], Function]:
        """A later step, and the sequence whose values there those of `f` are."""
        later = [x + steps_later(f.name) * (s is Sort.STEP) for x, s in zip(at, f.sorts, strict=True)]
        return tuple(later), Function(f.name.rstrip("+"), f.sorts)

    def number(self, x: Fraction) -> Any:
        return _fmpq(x)

    def path(self, f: Function, at: tuple[Any, ...]) -> fmpq:
        """The value of a function of time: a polynomial, its derivative, or any values."""
        place, when = at[:-1], at[-1]
        if f == CLOCK:
            return when
        smooth = f.order == 1 or f.name.endswith("'")
        key = lambda part: (f.name.removesuffix("'"), place, part)
        for part in range(3) if smooth else (str(when),):
            self.tables.setdefault(key(part), self._rational(-4, 4))
        if not smooth:
            return self.tables[key(str(when))]
        a, b, c = (self.tables[key(part)] for part in range(3))
        return a + b * when + c * when**2 if f.order == 1 else b + 2 * c * when

    def variable(self, v: Variable) -> Any:
        """A number in the range of the variable, or the one that the assumptions need."""
        if v not in self.numbers:
            if v.range is not None:
                named = self._named(v)
                self.numbers[v] = self._in_range(v.range) if named is None else named
            elif v.of in (Sort.INDEX, Sort.STEP):
                some = self.size if v.of is Sort.INDEX else 1 if v == FIRST else STEPS
                self.numbers[v] = self.rng.randrange(some)
            elif v.of is Sort.PROMPT:
                self.numbers[v] = tuple(self.rng.randrange(len(self.weights)) for _ in range(self.length))
            elif v.of is Sort.NORMAL:
                raise Undecided("a Gaussian vector")
            elif v.of is Sort.TIME:
                self.numbers[v] = fmpq(0 if v == START else self.rng.randint(0, 4), 4)
            elif v.of is Sort.TASK:
                self.numbers[v] = self.rng.randrange(len(self.laws))
            else:
                self.numbers[v] = self.rng.randrange(len(self.weights))
        return self.numbers[v]

    def _square(self, name: str, at: int, of: Sort = Sort.TOKEN) -> fmpq:
        f = Function(name, (Sort.INDEX, of), None)
        return sum((self.apply(f, (i, at)) ** 2 for i in range(self.size)), fmpq(0))

    def _named(self, v: Variable) -> Any:
        atoms = range(len(self.weights))
        entries = list(itertools.product(range(self.size), repeat=2))
        matrix = lambda f: sum((self.apply(f, at) ** 2 for at in entries), fmpq(0))
        if v.name == "L":
            return fmpq(self.length)
        if v.range is not None and v.range.whole:
            return fmpq(self.size)
        if v.name == "sigma":
            return max(self._square("z", k) for k in atoms) + 1
        if v.name in ("normU", "normV"):
            return matrix(Function(v.name[-1], (Sort.INDEX, Sort.INDEX))) + 1
        if v.name == "C_f":
            return max(self._square("f", k) / self._square("z", k) ** p for k in atoms for p in (1, 2)) + 1
        if v.name == "u" and v.range == Range(Fraction(0), lo_open=False):
            squares = (w * self._square("Q", k) for w, k in zip(self.weights, atoms, strict=True))
            return sum(squares, fmpq(0)) + self.rng.randint(0, 1)
        return fmpq(4 * self.size + 1) if v.name == "t" else None

    def _in_range(self, r: Range) -> fmpq:
        lo, hi = r.lo, r.hi
        step = Fraction(self.rng.randint(1, 5), 6)
        if lo is None:
            free = fmpq(0) if self.rng.random() < 0.2 else self._rational()
            return free if hi is None else _fmpq(hi) - _fmpq(step)
        end = self.rng.choice((0, 1)) == 0 and not r.lo_open
        return _fmpq(lo) if end else _fmpq(lo + step * (1 if hi is None else hi - lo))

    def value(self, e: Term, env: tuple[Any, ...] = ()) -> Any:
        """The value of a term; `env` has the values of bound variables, innermost first."""
        if isinstance(e, Bound):
            return env[e.index]
        key = (e, self.task, tuple([env[n] for n in _places(e.loose)]) if e.loose else ())
        found = self.memory.get(key)
        if found is None:
            found = self.memory[key] = self._value(e, env)
        return found

    def _value(self, e: Term, env: tuple[Any, ...]) -> Any:
        if isinstance(e, Op):
            return self.operation(e.head, [self.value(a, env) for a in e.args])
        if isinstance(e, Apply):
            return self.apply(e.function, tuple([self.value(a, env) for a in e.args]))
        if isinstance(e, Number):
            return self.number(e.value)
        if isinstance(e, Variable):
            return self.variable(e)
        if isinstance(e, Defined):
            return self.value(e.body, ())
        if isinstance(e, Bind):
            return self.integral(e, env)
        assert isinstance(e, Given)
        before, self.task = self.task, self.value(e.task, env)
        try:
            return self.value(e.body, env)
        finally:
            self.task = before

    def operation(self, head: str, args: list[Any]) -> Any:
        if head in ("add", "mul"):
            out = fmpq(0 if head == "add" else 1)
            for x in args:
                out = out + x if head == "add" else out * x
            return out
        x = args[0]
        if head == "exp":
            return fmpq(1) if isinstance(x, fmpq) and x == 0 else arb(x).exp()
        if head == "log":
            return fmpq(0) if isinstance(x, fmpq) and x == 1 else arb(x).log()
        if head == "ind":
            return fmpq(int(_sign(x) >= 0))
        if head == "above":
            return fmpq(int(_sign(x) > 0))
        if head == "pow":
            return _power(x, args[1])
        best = x
        for y in args[1:]:
            best = y if (_sign(y - best) > 0) == (head == "max") and _sign(y - best) != 0 else best
        return best

    def integral(self, e: Bind, env: tuple[Any, ...]) -> Any:
        """A mean, or a sum over distinct positions or coordinates."""
        weights = self.weights if self.task is None else self.laws[self.task]
        atoms = range(len(weights))
        weighted: list[tuple[Any, tuple[Any, ...]]] = []
        if e.kind in ("mean", "query"):
            weighted = [(w, (k,)) for w, k in zip(weights, atoms, strict=True)]
        elif e.kind == "task":
            weighted = [(fmpq(n + 1, 6), (n,)) for n in range(len(self.laws))]
        elif e.kind == "prompt":
            for prompt in itertools.product(atoms, repeat=self.length):
                mass = fmpq(1)
                for k in prompt:
                    mass = mass * weights[k]
                weighted.append((mass, (prompt,)))
        elif e.kind == "sum":
            prompt = self.value(e.heads[0], env)
            weighted = [
                (fmpq(1), tuple(prompt[p] for p in at))
                for at in itertools.permutations(range(self.length), e.count)
            ]
        elif e.kind == "coordinates":
            sizes = [range(int(self.value(h, env).p)) for h in e.heads]
            weighted = [(fmpq(1), at) for at in itertools.product(*sizes)]
        else:
            raise Undecided(f"a {KINDS[e.kind].sort.value} in a finite world")
        values = [self.value(e.body, (*at, *env)) for _, at in weighted]
        return sum((w * x for (w, _), x in zip(weighted, values, strict=True)), fmpq(0))


@cache
def _places(loose: frozenset[tuple[int, Sort]]) -> tuple[int, ...]:
    """Which bound variables have no binder, innermost first."""
    return tuple(sorted(n for n, _ in loose))


def _power(x: Any, n: Any) -> Any:
    if isinstance(n, fmpq) and n.q == 1 and abs(n.p) < 40:
        out = fmpq(1)
        for _ in range(abs(int(n.p))):  # Arb's own power of a ball around 0 has no value
            out = out * x
        return out if n >= 0 else 1 / out
    if isinstance(x, fmpq) and x == 0 and n > 0:
        return fmpq(0)
    return arb(x) ** arb(n)


def _tried(r: Range) -> list[fmpq]:
    """Numbers of a range, its ends among them."""
    ends = [x for x in (r.lo, r.hi, Fraction(0)) if x is not None]
    near = [x + step for x in ends for step in (0, Fraction(1, 7), Fraction(-1, 7))]
    above = lambda x: r.lo is None or x > r.lo or (x == r.lo and not r.lo_open)
    below = lambda x: r.hi is None or x < r.hi or (x == r.hi and not r.hi_open)
    return [_fmpq(x) for x in {*near, Fraction(10**9), Fraction(-(10**9))} if above(x) and below(x)]


def holds(theorem: Relation, world: World) -> bool:
    """Whether a theorem holds in a world, as far as 200 bits can tell."""
    left, right = (arb(world.value(e)) for e in (theorem.lhs, theorem.rhs))
    if left.is_nan() or right.is_nan():
        raise Undecided("no value")
    if theorem.op == "==":
        return bool(left.overlaps(right))
    return not left > right and not (theorem.op == "<" and left == right and left.is_exact())


def meets(assumption: Assumption, world: World, linear: bool = False) -> bool:
    """Whether an assumption is true in the world, for all values of what it is said of; it counts
    as false if these are numbers or functions, of which not all can be tried. If it is linear in
    the numbers, they are tried at 0, near it and far away, which decides.
    """
    tokens, tasks = range(len(world.weights)), range(len(world.laws))
    times = {fmpq(n, 4) for n in range(5)} | {x for v, x in world.numbers.items() if v.of is Sort.TIME}
    values: dict[Sort, Any] = dict.fromkeys((Sort.TOKEN, Sort.QUERY), tokens)
    values |= {Sort.TASK: tasks, Sort.TIME: times, Sort.STEP: range(STEPS)}
    values[Sort.INDEX] = range(max(world.size, world.length))
    named = [
        v
        for v in assumption.every
        if isinstance(v, Variable) and (v.of in values or (linear and v.range and not v.range.whole))
    ]
    if len(named) < len(assumption.every):
        return False
    for at in itertools.product(*(_tried(v.range) if v.range else values[v.of] for v in named)):
        here = copy.copy(world)
        here.numbers, here.memory = {**world.numbers, **dict(zip(named, at, strict=True))}, {}
        left, right = (arb(here.value(e)) for e in (assumption.lhs, assumption.rhs))
        if {"==": not left.overlaps(right), "<=": left > right, "<": not left < right}[assumption.op]:
            return False
        world.numbers = {**here.numbers, **world.numbers}
    return True


def made(a: Assumption, length: int) -> bool:
    """Whether worlds of so many tokens are made to meet the assumption: it has a known name and
    speaks of nothing else than is known.
    """
    sides = (a.lhs, a.rhs)
    named = {v.name for e in sides for v in e.free} | {f.name for e in sides for f in e.functions}
    named -= {"d", "m"}
    known = any(a.name.startswith(name) and named <= set(of.split()) for name, of in MET.items())
    return known and (a.name != "L >= 2" or length > 1)


def breaking(statement: Relation) -> dict[str, str] | None:
    """A world that meets the hypotheses of a statement and breaks it, the smallest ones first: the
    probabilities `P` of the atoms, and the values of variables and functions. None if none is
    found, or a hypothesis is about more than a world has values of.
    """
    tried = lambda a: all(isinstance(v, Variable) and v.range is None and v.of in FINITE for v in a.every)
    kept = lambda a, world: made(a, world.length) or (tried(a) and meets(a, world))
    if not all(tried(a) or made(a, 2) for a in statement.assumptions):
        return None
    precision, ctx.prec = ctx.prec, PRECISION
    try:
        for size, length, seed in itertools.product((1, 2), (1, 2), range(WORLDS)):
            world = World(random.Random(seed), length, size)
            try:
                broken = not holds(statement, world) and all(kept(a, world) for a in statement.assumptions)
            except (Undecided, ZeroDivisionError):
                continue
            if broken:
                return _shown(statement, world)
    finally:
        ctx.prec = precision
    return None


def _shown(statement: Relation, world: World) -> dict[str, str]:
    number = lambda x: str(x) if isinstance(x, fmpq) else str(float(arb(x)))
    told = {v.name: number(x) for v, x in world.numbers.items() if v.range is not None}
    told |= {f"{name}{at}": str(x) for (name, _, at), x in world.tables.items()}
    sides = {"left": number(world.value(statement.lhs)), "right": number(world.value(statement.rhs))}
    return {"P": ", ".join(map(str, world.weights)), **told, **sides}
