"""A theorem comes from a rule: only the rules import what makes one; `proved` takes no other."""

import ast
import copy
import pickle
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from numerics.derivations.derived import chain
from numerics.derivations.kernel import rules, theorems
from numerics.derivations.kernel.rules import arithmetic, trans
from numerics.derivations.kernel.sorts import REALS, ProofError
from numerics.derivations.kernel.terms import Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, proved

ROOT = Path(__file__).parents[3]
KERNEL = ROOT / "numerics" / "derivations" / "kernel"
#: What makes a theorem, and the key without which none is made.
PRIVATE = {"_prove", "_RULES_ONLY"}
x = Variable("x", range=REALS)
FALSE = Statement(term(0), "<=", term(-1))
SIDES = dict(lhs=term(0), op="<=", rhs=term(-1), assumptions=frozenset(), rule="x", premises=())


def uses(source: str) -> set[str]:
    """The private names in a program, however it gets at them: by import, attribute or text."""
    found: set[str] = set()
    if not any(name in source for name in PRIVATE):
        return found
    for node in ast.walk(ast.parse(source)):
        part = {ast.Name: "id", ast.Attribute: "attr", ast.alias: "name", ast.Constant: "value"}.get(
            type(node)
        )
        found |= PRIVATE & {getattr(node, part)} if part else set()
    return found


def test_only_rules_make_theorems():
    own = {getattr(rules, name).__module__.rpartition(".")[2] for name in rules.__all__}
    rooms = ("theory", "numerics", "proofs_check", "tests", "benchmarks", "examples", "docs")
    paths = (path for room in rooms for path in (ROOT / room).rglob("*.py"))
    users = {path for path in paths if uses(path.read_text(encoding="utf-8"))}
    assert users == {KERNEL / f"{name}.py" for name in (*own, "theorems")} | {Path(__file__)}


@pytest.mark.parametrize(
    "program",
    [
        "from numerics.derivations.kernel.theorems import _prove",
        "theorems._prove(1)",
        "getattr(theorems, '_prove')",
        "import t; t._RULES_ONLY",
    ],
)
def test_a_use_is_seen(program):
    assert uses(program)


def test_what_makes_theorems_is_no_public_name():
    found = (path.relative_to(ROOT).with_suffix("") for path in KERNEL.parent.rglob("[a-z]*.py"))
    modules = [import_module(".".join(path.parts)) for path in found]
    assert theorems in modules
    for module in modules:
        public = {getattr(module, name) for name in module.__all__ if callable(getattr(module, name))}
        assert not public & {theorems._prove, theorems._RULES_ONLY}, module


class Forged(Theorem):
    """A theorem that nobody proved."""

    __slots__ = ()

    def __init__(self) -> None:
        for name, value in SIDES.items():
            super().__setattr__(name, value)


class Likeness:
    """An object with the parts of a theorem."""

    def __init__(self) -> None:
        self.__dict__.update(SIDES, exact=True, functions=frozenset())


def changed() -> Theorem:
    made: Any = copy.copy(arithmetic(0, "<=", x**2))
    made.rhs = term(-1)
    return made


FORGERIES: dict[str, Callable[[], Any]] = {
    "a theorem without the key": lambda: Theorem(object(), **SIDES, exact=True),
    "a subclass": Forged,
    "an object with the same parts": Likeness,
    "an empty theorem": lambda: Theorem.__new__(Theorem),
    "a copy with another side": changed,
    "a theorem from a file": lambda: pickle.loads(
        pickle.dumps(arithmetic(0, "<=", x**2)).replace(b"rhs", b"lhs")
    ),
    "a statement": lambda: FALSE,
    "text": lambda: "0 <= -1",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_theorem_reaches_nothing(forgery):
    for use in (
        lambda t: proved(FALSE, t),
        lambda t: trans(t, arithmetic(-1, "<=", 0)),
        lambda t: chain(0, t, -1),
    ):
        with pytest.raises((ProofError, TypeError, AttributeError)):
            use(FORGERIES[forgery]())
