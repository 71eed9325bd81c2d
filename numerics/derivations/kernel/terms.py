"""The terms of the kernel: numbers, variables, functions of a token, arithmetic, and binders.

A binder is an integral against a positive measure, or the largest value over a prompt. Bound
variables are counted (de Bruijn), so that names cannot collide, and every variable has a sort.
Nothing is simplified when a term is built.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

from numerics.derivations.kernel.once import Once
from numerics.derivations.kernel.sorts import KINDS, ProofError, Range, Sort, whole

__all__ = [
    "CLOCK",
    "FIRST",
    "GAUSSIAN",
    "HEADS",
    "ORIGINS",
    "START",
    "Apply",
    "Bind",
    "Bound",
    "Defined",
    "Function",
    "Given",
    "Number",
    "Op",
    "Term",
    "Variable",
    "term",
    "text",
]

NOTHING: frozenset[Any] = frozenset()
#: Operations, with the number of their terms; None is any number.
HEADS = {"pow": 2, "add": None, "mul": None, "max": None, "min": None}
HEADS |= dict.fromkeys(("exp", "log", "ind", "above"), 1)


def _union(sets: tuple[frozenset[Any], ...]) -> frozenset[Any]:
    out: frozenset[Any] = NOTHING
    for s in sets:
        if s is not out and not s <= out:
            out = s if out <= s else out | s
    return out


@dataclass(frozen=True)
class Term(metaclass=Once):
    """A term; `free` are its free variables, `functions` those that occur, `loose` the bound
    variables without a binder, with their sorts. Outside `Given`, `tasks` are the tasks at whose
    tokens or queries functions stand, and `plain` says whether others do.
    """

    free: frozenset[Variable] = field(init=False, compare=False, repr=False)
    functions: frozenset[Function] = field(init=False, compare=False, repr=False)
    loose: frozenset[tuple[int, Sort]] = field(init=False, compare=False, repr=False)
    tasks: frozenset[Any] = field(init=False, compare=False, repr=False)
    plain: bool = field(init=False, compare=False, repr=False)
    _hash: int = field(init=False, compare=False, repr=False)

    def _seal(self, parts: tuple[Term, ...], *own: Any) -> None:
        of_parts = [(p.free, p.functions, p.loose, p.tasks) for p in parts]
        sets = of_parts[0] if len(parts) == 1 else map(_union, zip(*of_parts)) if parts else [NOTHING] * 4
        put = self.__dict__
        put["free"], put["functions"], put["loose"], put["tasks"] = sets
        put["plain"] = True in [p.plain for p in parts]
        put["_hash"] = hash((type(self).__name__, own, parts))

    def __hash__(self) -> int:
        return self._hash

    @property
    def sort(self) -> Sort:
        return Sort.REAL

    def __add__(self, other: Any) -> Term:
        return Op("add", (self, term(other)))

    def __radd__(self, other: Any) -> Term:
        return Op("add", (term(other), self))

    def __sub__(self, other: Any) -> Term:
        return Op("add", (self, Op("mul", (Number(Fraction(-1)), term(other)))))

    def __rsub__(self, other: Any) -> Term:
        return term(other) - self

    def __neg__(self) -> Term:
        return Op("mul", (Number(Fraction(-1)), self))

    def __mul__(self, other: Any) -> Term:
        return Op("mul", (self, term(other)))

    def __rmul__(self, other: Any) -> Term:
        return Op("mul", (term(other), self))

    def __pow__(self, other: Any) -> Term:
        return Op("pow", (self, term(other)))

    def __rpow__(self, other: Any) -> Term:
        return Op("pow", (term(other), self))

    def __truediv__(self, other: Any) -> Term:
        other = term(other)
        if isinstance(other, Number) and other.value:
            return Op("mul", (self, Number(1 / other.value)))
        return Op("mul", (self, Op("pow", (other, Number(Fraction(-1))))))

    def __rtruediv__(self, other: Any) -> Term:
        return term(other) / self

    def __str__(self) -> str:
        return text(self)


@dataclass(frozen=True, eq=True)
class Number(Term):
    """A rational number."""

    value: Fraction
    __hash__ = Term.__hash__

    def __post_init__(self) -> None:
        if type(self.value) is not Fraction:
            raise ProofError(f"{self.value!r} is no Fraction")
        self._seal((), self.value)


@dataclass(frozen=True, eq=True)
class Variable(Term):
    """A free variable; a real one has its range. Names that begin with # are the kernel's."""

    name: str
    of: Sort = Sort.REAL
    range: Range | None = None
    __hash__ = Term.__hash__

    def __post_init__(self) -> None:
        named = type(self.name) is str and type(self.of) is Sort
        if not named or (type(self.range) is Range) != (self.of is Sort.REAL):
            raise ProofError(f"the variable {self.name!r} has no name, or no range that fits its sort")
        self._seal((), self.name, self.of, self.range)
        object.__setattr__(self, "free", frozenset({self}))

    @property
    def sort(self) -> Sort:
        return self.of


@dataclass(frozen=True, eq=True)
class Bound(Term):
    """The variable that the binder `index` places further out binds."""

    index: int
    of: Sort
    __hash__ = Term.__hash__

    def __post_init__(self) -> None:
        if type(self.index) is not int or self.index < 0 or type(self.of) is not Sort:
            raise ProofError(f"{self.index!r} is no number of binders, or {self.of!r} no sort")
        self._seal((), self.index, self.of)
        object.__setattr__(self, "loose", frozenset({(self.index, self.of)}))

    @property
    def sort(self) -> Sort:
        return self.of


@dataclass(frozen=True)
class Function:
    """A real function of indices, and of one token, query, time or step at most, at a task or none.

    A function of a token has an `order`: p if its p-th moment is finite, for every index; 0 if
    nothing is known; None if every exponential moment is finite. At a task the moments are those of
    its own law. A function of time has the order 1 if it has a continuous derivative, for every
    index and task, and a mean over the tasks, if it depends on them, at every time; 0 otherwise.
    """

    name: str
    sorts: tuple[Sort, ...]
    order: Fraction | None = Fraction(0)
    _hash: int = field(init=False, compare=False, repr=False)
    __hash__ = Term.__hash__  # which is taken once

    def __post_init__(self) -> None:
        random = [s for s in self.sorts if s not in (Sort.INDEX, Sort.TASK)]
        named = type(self.name) is str and type(self.sorts) is tuple and self.sorts
        if not named or not all(type(s) is Sort for s in self.sorts):
            raise ProofError("a function has a name and sorts of its arguments")
        if len(random) > 1 or Sort.REAL in random or Sort.PROMPT in random or self.sorts.count(Sort.TASK) > 1:
            raise ProofError(f"{self.name} is no function of indices and of one other thing, at one task")
        if Sort.TASK in self.sorts and Sort.NORMAL in random:
            raise ProofError(f"{self.name} depends on a task; Gaussian vectors do not")
        xi = ("xi", (Sort.INDEX, Sort.NORMAL), None)
        if Sort.NORMAL in random and (self.name, self.sorts, self.order) != xi:
            raise ProofError(f"{self.name} is not xi, whose values are the coordinates of a Gaussian vector")
        if self.order is not None and (type(self.order) is not Fraction or self.order < 0):
            raise ProofError(f"the order {self.order!r} of {self.name} is no Fraction from 0 on")
        if Sort.TIME in random and self.order not in (0, 1):
            raise ProofError(f"the order {self.order!r} of {self.name}, which is of time, is neither 0 nor 1")
        if (Sort.STEP in random or (not random and Sort.TASK not in self.sorts)) and self.order != 0:
            raise ProofError(f"{self.name} is not random and has no order")
        self.__dict__["_hash"] = hash((self.name, self.sorts, self.order))

    def __call__(self, *args: Term) -> Apply:
        return Apply(self, args)

    @property
    def rate(self) -> Function:
        """The derivative of a function of time; no other function has its name."""
        if Sort.TIME not in self.sorts or self.order != 1:
            raise ProofError(f"{self.name} is no function of time with a continuous derivative")
        return Function(f"{self.name}'", self.sorts)

    @property
    def after(self) -> Function:
        """The values one step later; no other function has its name."""
        if Sort.STEP not in self.sorts:
            raise ProofError(f"{self.name} is no function of steps")
        return Function(f"{self.name}+", self.sorts)


#: The coordinates of a Gaussian vector.
GAUSSIAN = Function("xi", (Sort.INDEX, Sort.NORMAL), None)
#: The first time, the number that a time is, and the first step.
START, CLOCK = Variable("0", Sort.TIME), Function("time", (Sort.TIME,), Fraction(1))
FIRST = Variable("step0", Sort.STEP)
ORIGINS = (START, FIRST)


@dataclass(frozen=True, eq=True)
class Apply(Term):
    """The value of a function."""

    function: Function
    args: tuple[Term, ...]
    __hash__ = Term.__hash__

    def __post_init__(self) -> None:
        if (
            type(self.function) is not Function
            or type(self.args) is not tuple
            or not all(type(a) in (Variable, Bound) for a in self.args)
        ):
            raise ProofError("a function is applied to variables")
        if tuple([a.sort for a in self.args]) != self.function.sorts:
            raise ProofError(f"{self.function.name} does not take {', '.join(map(text, self.args))}")
        self._seal(self.args, self.function)
        self.__dict__["functions"] = frozenset({self.function})
        if Sort.TOKEN in self.function.sorts or Sort.QUERY in self.function.sorts:
            tasks = frozenset(a for a in self.args if a.sort is Sort.TASK)
            self.__dict__.update(tasks=tasks, plain=not tasks)


@dataclass(frozen=True, eq=True)
class Op(Term):
    """Sum, product, power, exponential, logarithm, largest and smallest value; ``ind(u)`` is 1
    where u >= 0 and 0 elsewhere, ``above(u)`` is 1 where u > 0.
    """

    head: str
    args: tuple[Term, ...]
    __hash__ = Term.__hash__

    def __post_init__(self) -> None:
        known = type(self.head) is str and self.head in HEADS and type(self.args) is tuple
        if not known or not self.args or HEADS[self.head] not in (None, len(self.args)):
            raise ProofError(f"{self.head} does not take {len(self.args)} terms")
        if not all(type(a) in TERMS and a.sort is Sort.REAL for a in self.args):
            raise ProofError(f"{self.head} takes real terms only")
        self._seal(self.args, self.head)


@dataclass(frozen=True, eq=True)
class Defined(Term):
    """A name for a term, which has its value; a prover sees the name only."""

    name: str
    body: Term
    __hash__ = Term.__hash__

    def __post_init__(self) -> None:
        if (
            type(self.name) is not str
            or type(self.body) not in TERMS
            or self.body.loose
            or self.body.sort is not Sort.REAL
        ):
            raise ProofError(f"{self.name!r} names no real term")
        self._seal((self.body,), self.name)


@dataclass(frozen=True, eq=True)
class Bind(Term):
    """An integral, a sum or a largest value; `bind` builds one from named variables."""

    kind: str
    heads: tuple[Term, ...]
    count: int
    body: Term
    __hash__ = Term.__hash__

    def __post_init__(self) -> None:
        kind = KINDS.get(self.kind) if type(self.kind) is str else None
        if (
            kind is None
            or type(self.count) is not int
            or self.count < 1
            or kind.count not in (None, self.count)
        ):
            raise ProofError(f"{self.kind} does not bind {self.count} variables")
        wanted = 0 if kind.head is None else self.count if kind.head is Sort.REAL else 1
        headed = type(self.heads) is tuple and len(self.heads) == wanted
        if not headed or not all(type(h) in (Variable, Bound) for h in self.heads):
            raise ProofError(f"{self.kind} needs {wanted} variables as heads")
        for h in self.heads:
            if h.sort is not kind.head or (
                kind.head is Sort.REAL and not (isinstance(h, Variable) and h.range == whole(1))
            ):
                raise ProofError(
                    f"{text(h)} is no prompt, or no number of coordinates, a whole one from 1 on"
                )
        if type(self.body) not in TERMS or self.body.sort is not Sort.REAL:
            raise ProofError(f"{self.kind} is taken of a real term")
        if any(s is not kind.sort for n, s in self.body.loose if n < self.count):
            raise ProofError(f"{self.kind} binds a {kind.sort.value}")
        self._seal((*self.heads, self.body), self.kind, self.count)
        outer = {(n - self.count, s) for n, s in self.body.loose if n >= self.count}
        put = lambda name, value: object.__setattr__(self, name, value)
        put("loose", frozenset(outer.union(*(h.loose for h in self.heads))))
        if any(isinstance(w, Bound) and w.index < self.count for w in self.body.tasks):
            raise ProofError(f"a function of a token of a task stands in {text(self)} without `Given` it")
        outside = lambda w: Bound(w.index - self.count, w.of) if isinstance(w, Bound) else w
        put("tasks", frozenset(map(outside, self.body.tasks)))
        put("plain", self.plain or kind.sort is Sort.TASK)


@dataclass(frozen=True, eq=True)
class Given(Term):
    """The value of a term if tokens, queries and prompts have the laws of a task."""

    task: Term
    body: Term
    __hash__ = Term.__hash__

    def __post_init__(self) -> None:
        if type(self.task) not in (Variable, Bound) or self.task.sort is not Sort.TASK:
            raise ProofError(f"{self.task!r} is no task")
        if (
            type(self.body) not in TERMS
            or self.body.sort is not Sort.REAL
            or self.body.plain
            or self.body.tasks - {self.task}
        ):
            raise ProofError(
                f"{text(self.body)} is no term whose tokens and queries are those of the task "
                f"{text(self.task)}"
            )
        self._seal((self.task, self.body), "given")
        self.__dict__.update(tasks=NOTHING, plain=True)


TERMS = (Number, Variable, Bound, Apply, Op, Defined, Bind, Given)


def term(x: Any) -> Term:
    """A term, or a whole number or Fraction as one. A float is refused: it is not the number that
    was meant.
    """
    if type(x) in (int, Fraction):
        return Number(Fraction(x))
    if type(x) not in TERMS:
        raise ProofError(f"{x!r} is no term; write whole numbers, Fractions and terms")
    return x


@cache
def text(e: Term) -> str:
    """The term as one line; a bound variable is shown by its count."""
    if isinstance(e, Number):
        return str(e.value)
    if isinstance(e, (Variable, Defined)):
        return e.name
    if isinstance(e, Bound):
        return f"_{e.index}"
    if isinstance(e, Apply):
        return f"{e.function.name}({', '.join(map(text, e.args))})"
    if isinstance(e, Given):
        return f"given[{text(e.task)}: {text(e.body)}]"
    if isinstance(e, Op):
        sign = {"add": " + ", "mul": "*", "pow": "^"}.get(e.head)
        return f"({sign.join(map(text, e.args))})" if sign else f"{e.head}({', '.join(map(text, e.args))})"
    assert isinstance(e, Bind)
    return f"{e.kind}[{', '.join([*map(text, e.heads), str(e.count)])}: {text(e.body)}]"
