"""A statement is made of definitions and written hypotheses, and of no derived theorem: built while
no rule but `assume` may run, and followed through the names of its source.
"""

import ast
import dis
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

import proofs_check.derivations
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, choose, equal, trans
from numerics.derivations.kernel.sorts import ProofError, Sort
from numerics.derivations.kernel.terms import Function, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses, proved
from proofs_check.derivations.linear_attention import bounded_flow
from proofs_check.derivations.proof import one
from proofs_check.derivations.proofs import PROOFS
from proofs_check.derivations.transfer.risks import rates
from proofs_check.derivations.window import signal

DERIVATIONS, ENGINES = proofs_check.derivations.__name__, "numerics.derivations"
#: A name at the top of a module.
Name = tuple[str, str]


# -- statements that take from a derivation what they say ------------------------------------------

SIDE = signal.split().lhs


def by_its_sides() -> Statement:
    return Statement(signal.split().lhs, "==", signal.split().rhs)


def by_a_constant() -> Statement:
    return Statement(SIDE, "==", SIDE)


def by_a_hypothesis() -> Statement:
    return Statement(SIDE, "==", SIDE, rates.second_half().assumptions)


def by_a_rule() -> Statement:
    return Statement(equal(rates.c, rates.c).lhs, "==", rates.c)


# -- what the source of a statement reaches --------------------------------------------------------


@cache
def names(module: str) -> tuple[dict[str, list[ast.stmt]], dict[str, Name]]:
    """What a module defines at its top, and what it imports from where."""
    own: dict[str, list[ast.stmt]] = {}
    imported: dict[str, Name] = {}
    for node in ast.parse(inspect.getsource(importlib.import_module(module))).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            imported |= {a.asname or a.name: (node.module, a.name) for a in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            own.setdefault(node.name, []).append(node)
        else:
            for x in ast.walk(node):
                if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store):
                    own.setdefault(x.id, []).append(node)
    return own, imported


@cache
def loads(code: CodeType) -> tuple[tuple[str, str], ...]:
    """Global names in code, and attributes read off them; off anything if the first is empty."""
    out, last = [], ""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            out.append((step.argval, ""))
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            out.append((last, step.argval))
        last = step.argval if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") else ""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            out += loads(inner)
    return tuple(out)


def found(module: str, name: str, attribute: str = "") -> Iterator[Name]:
    """Where a name of a module is defined, or what is read off it if it is a module."""
    own, imported = names(module)
    if name in own:
        yield module, name
    elif name in imported:
        of, what = imported[name]
        if isinstance(getattr(importlib.import_module(of), what, None), ModuleType):
            if attribute:
                yield from found(f"{of}.{what}", attribute)
        elif of.startswith((DERIVATIONS, __name__)):
            yield from found(of, what)
        else:
            yield of, what


def reached(statement: Callable[..., Any]) -> set[Name]:
    """All that a statement is made of; of a class, methods whose names are read off anything."""
    codes: list[tuple[str, CodeType]] = []
    todo: list[Any] = [statement]
    while todo:  # a statement may be a function in a function, which knows what was given to that one
        f = inspect.unwrap(todo.pop())
        if isinstance(f, FunctionType):
            codes.append((f.__module__, f.__code__))
            todo += [cell.cell_contents for cell in f.__closure__ or ()]
        todo += f if isinstance(f, tuple) else ()
        todo += (f.func, *f.args, *f.keywords.values()) if isinstance(f, partial) else ()
    seen: set[Name] = set()
    attributes: set[str] = set()
    methods: list[tuple[str, str, CodeType]] = []
    while codes:
        module, code = codes.pop()
        for name, attribute in loads(code):
            attributes.add(attribute)
            for at in set(found(module, name, attribute)) - seen:
                seen.add(at)
                for node in (
                    names(at[0])[0].get(at[1], []) if at[0].startswith((DERIVATIONS, __name__)) else []
                ):
                    for part in node.body if isinstance(node, ast.ClassDef) else [node]:
                        if isinstance(part, ast.FunctionDef) and part is not node:
                            methods.append((at[0], part.name, compiled(part)))
                        else:
                            codes.append((at[0], compiled(part)))
        for method in [x for x in methods if x[1] in attributes or x[1].startswith("__")]:
            methods.remove(method)
            codes.append((method[0], method[2]))
    return seen


@cache
def compiled(node: ast.stmt) -> CodeType:
    return compile(ast.Module([node], []), "<part>", "exec")


def derives(at: Name) -> bool:
    """Whether it is a function of the kernel that makes theorems, other than hypotheses."""
    made = getattr(importlib.import_module(at[0]), at[1], None) if at[0].startswith(ENGINES) else None
    return (
        isinstance(made, FunctionType)
        and made is not assume
        and "Theorem" in str(made.__annotations__.get("return"))
    )


def test_no_derivation_is_reached_from_a_statement():
    found = {id: set(filter(derives, reached(proof.statements))) for id, proof in PROOFS.items()}
    assert not {id: at for id, at in found.items() if at}


@pytest.mark.parametrize("statement", [by_its_sides, by_a_constant, by_a_hypothesis, by_a_rule])
def test_a_derivation_in_a_statement_is_found(statement):
    for inside in (
        statement,
        one(statement, signal.split).statements,
        partial(statement),
        partial(max, statement),
    ):
        assert any(map(derives, reached(inside)))


# -- what runs while a statement is built ----------------------------------------------------------


class Derived(Exception):
    """A theorem that is no hypothesis is made or read."""


class Closed:
    """A part of a theorem that can be read of hypotheses only."""

    def __init__(self, part: Any) -> None:
        self.part = part

    def __get__(self, thm: Theorem | None, _: Any = None) -> Any:
        if thm is not None and not thm.rule.startswith("hypothesis: "):
            raise Derived(f"a statement reads {thm.rule}")
        return self if thm is None else self.part.__get__(thm)

    def __set__(self, thm: Theorem, value: Any) -> None:
        self.part.__set__(thm, value)


@pytest.fixture
def nothing_derived(monkeypatch):
    """Only hypotheses can be made or read, and nothing is remembered."""
    for found in pkgutil.walk_packages(proofs_check.derivations.__path__, f"{DERIVATIONS}."):
        module = importlib.import_module(found.name)
        for name, value in list(vars(module).items()):
            if hasattr(value, "cache_clear"):
                monkeypatch.setattr(module, name, value.__wrapped__)
    for part in ("lhs", "op", "rhs", "assumptions", "premises"):
        monkeypatch.setattr(Theorem, part, Closed(getattr(Theorem, part)))
    make = Theorem.__init__

    def only_hypotheses(self: Theorem, key: object, **parts: Any) -> None:
        if not parts["rule"].startswith("hypothesis: "):
            raise Derived(f"a statement derives by {parts['rule']}")
        make(self, key, **parts)

    monkeypatch.setattr(Theorem, "__init__", only_hypotheses)


@pytest.mark.usefixtures("nothing_derived")
def test_no_rule_runs_while_a_statement_is_built():
    found = {}
    for id, proof in PROOFS.items():
        try:
            assert proof.statements()
        except Derived as stop:
            found[id] = str(stop)
    assert not found


@pytest.mark.usefixtures("nothing_derived")
@pytest.mark.parametrize("statement", [by_its_sides, by_a_hypothesis, by_a_rule])
def test_a_rule_that_runs_is_found(statement):
    with pytest.raises(Derived):
        statement()


# -- hypotheses ------------------------------------------------------------------------------------


def test_only_hypotheses_are_hypotheses():
    """A theorem is none if it was derived, even from one hypothesis or with a choice."""
    finite = rates.finite
    chosen = choose("K", finite, (rates.task,), rates.square**6, rates.square, rates.K, rates.delta)
    assert hypotheses(finite, rates.tail) == finite.assumptions | rates.tail.assumptions
    for thm in (
        equal(rates.c, rates.c),
        arithmetic(finite.lhs, "<=", 2 * rates.S, finite),
        chosen,
        trans(finite, equal(rates.S, rates.S)),
    ):
        with pytest.raises(ProofError, match="write out"):
            hypotheses(finite, thm)


def test_a_statement_about_numbers_has_no_dimension():
    token, f = Variable("t", Sort.TOKEN), Function("f", (Sort.TOKEN,))
    path = Function("path", (Sort.TIME,), Fraction(1))
    sides = rates.c, path(Variable("s", Sort.TIME)), bind("mean", (token,), f(token))
    assert [Statement(side, "==", side).dimension for side in sides] == ["", "", "every d"]


def test_a_hypothesis_of_the_derivation_does_not_enter_the_statement(monkeypatch):
    """`1 <= 0` in a derivation is no hypothesis of its row, and another theorem is no proof."""
    inverse, false = bounded_flow.inverse, assume("regularity", 1, "<=", 0)
    with_more = arithmetic(
        inverse.lhs, inverse.op, inverse.rhs, inverse, false, hide=(inverse.lhs, inverse.rhs)
    )
    for name in ("law", "excess_falls", "product", "square_of_u"):  # they remember their theorems
        monkeypatch.setattr(bounded_flow, name, getattr(bounded_flow, name).__wrapped__)
    assert proved(bounded_flow.limit_statements()[0], bounded_flow.square_of_u(bounded_flow.finite))
    monkeypatch.setattr(bounded_flow, "inverse", with_more)
    with pytest.raises(ProofError, match="assumes more than the statement: regularity"):
        proved(bounded_flow.limit_statements()[0], bounded_flow.square_of_u(bounded_flow.finite))
    monkeypatch.setattr(signal, "split", lambda: equal(1, 1))
    with pytest.raises(ProofError):
        proved(signal.split_statements()[1], signal.split())
