"""Plants a wrong version of a single rule of the provers wherever they hold the right one."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest

__all__ = ["Mutation", "mutations", "planted"]


@dataclass(frozen=True)
class Mutation:
    """A rule, ``module:name`` below ``numerics.provers``, and what makes a wrong version of it; it
    shows at statements that `seeds` draw from `family`. Where `blind`, `forall` looks for no
    counterexample first.
    """

    name: str
    rule: str
    wrong: Callable[[Any], Any]
    family: str
    seeds: tuple[int, ...] = ()
    blind: bool = True
    effort: int = 12_000


def mutations(*told: Any, blind: bool = True, effort: int = 12_000) -> list[Mutation]:
    """Each by its name, rule, family and seeds between semicolons, before the wrong version."""
    texts = [text.split("; ") for text in told[::2]]
    seeds = [tuple(map(int, text[3].split())) for text in texts]
    wrong = zip(texts, told[1::2], seeds)
    return [Mutation(*text[:2], rule, text[2], n, blind, effort) for text, rule, n in wrong]


def planted(mutation: Mutation, patch: pytest.MonkeyPatch) -> None:
    """Put the wrong version wherever provers hold the right one: modules, classes, tables."""
    place, _, path = mutation.rule.partition(":")
    *outer, last = path.split(".")
    owner: Any = import_module(f"numerics.provers.{place}")
    for name in outer:
        owner = getattr(owner, name)
    right = vars(owner)[last]
    wrong = mutation.wrong(right)
    patch.setattr(owner, last, wrong)
    for name, module in list(sys.modules.items()):
        for key, held in list(vars(module).items()) if name.startswith("numerics.provers") else ():
            if held is right:
                patch.setattr(module, key, wrong)
            for k in (
                [k for k, v in held.items() if v is right]
                if isinstance(held, dict) and not key.startswith("__")
                else ()
            ):
                patch.setitem(held, k, wrong)
            if hasattr(held, "cache_clear"):
                held.cache_clear()
