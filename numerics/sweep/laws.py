"""Laws of tokens as JSON and back, so that a worker on another machine draws from the same law: the
built-in ones by their names and parameters, a user's own by the text of its Python file.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any

from numpy.typing import ArrayLike

from numerics.jobs.hexadecimal import as_hex, from_hex
from numerics.token_laws import TokenLaw, from_identity

__all__ = ["describe_gaussian", "describe_law", "describe_own", "law_of"]


def describe_gaussian(Gamma: ArrayLike) -> dict[str, Any]:
    """JSON of N(0, Gamma), with every bit of the covariance."""
    return {"kind": "gaussian", "Gamma": as_hex(Gamma)}


def describe_law(law: TokenLaw) -> dict[str, Any]:
    """JSON of a built-in law. A law without identity is refused: then only the text that makes it
    can be sent.
    """
    if law.identity is None:
        raise ValueError(
            f"the law {law.name!r} cannot be written down; put the code that makes it into a file of its own"
        )
    return {"kind": "built-in", "identity": dict(law.identity)}


def describe_own(source: str, name: str, image: ArrayLike | None = None) -> dict[str, Any]:
    """JSON of the law ``name`` of a Python file with this text, or of its image under a matrix."""
    return {"kind": "python", "source": source, "name": name} | (
        {} if image is None else {"image": as_hex(image)}
    )


def law_of(description: Mapping[str, Any]) -> Any:
    """The law that a description describes: the covariance of Gaussian tokens, a `TokenLaw`
    otherwise. Whatever a user's file raises goes through.
    """
    if description["kind"] == "gaussian":
        return from_hex(description["Gamma"])
    return _law_of(json.dumps(description, sort_keys=True))


@lru_cache(maxsize=128)
def _law_of(text: str) -> TokenLaw:
    """Make a law once for all runs that share it: its checks take time, and sometimes a search."""
    description = json.loads(text)
    if description["kind"] == "built-in":
        return from_identity(description["identity"])
    law = _own(description["source"], description["name"])
    return law.image(from_hex(description["image"])) if "image" in description else law


def _own(source: str, name: str) -> TokenLaw:
    """Run the text in a module of its own: dataclasses, for one, look for the module in which they
    are made.
    """
    module = ModuleType(f"largeprompt_law_{hashlib.sha256(source.encode()).hexdigest()[:16]}")
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, f"<{module.__name__}>", "exec", dont_inherit=True), module.__dict__)
        found = getattr(module, name, None)
        law = found() if callable(found) and not isinstance(found, TokenLaw) else found
    except SystemExit as error:  # would end the whole sweep without a word
        raise ValueError("it ends the program; leave that out") from error
    if not isinstance(law, TokenLaw):
        raise ValueError(
            f"{name!r} is {'not in it' if found is None else 'no TokenLaw and no function that returns one'}"
        )
    return law
