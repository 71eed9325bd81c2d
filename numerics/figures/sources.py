"""A digest of all of our code on which numbers may depend, so that those of other code are never taken for these."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

__all__ = ["PACKAGES", "ROOT", "imports_of", "sources_of"]

ROOT = Path(__file__).parents[2]
OURS = ("numerics", "theory")
PACKAGES = ("numpy", "scipy", "numba", "llvmlite")


@cache
def sources_of(*modules: str) -> str:
    """SHA-256 of the source of these modules and of all of ours that they import, at any depth, and of the versions of packages.

    The imports are read from the text, those inside functions too: no list to keep by hand, and nothing has to be loaded.

    Parameters
    ----------
    *modules : str
        Full names, such as ``numerics.training.run``.

    Returns
    -------
    str

    Raises
    ------
    FileNotFoundError
        If there is no such module.

    Examples
    --------
    >>> sources_of("numerics.streams") == sources_of("numerics.streams"), len(sources_of("numerics.streams"))
    (True, 64)
    """
    digest = hashlib.sha256("".join(f"{package} {version(package)}\n" for package in PACKAGES).encode())
    for name in sorted(imports_of(*modules)):
        digest.update(name.encode() + b"\0" + _path(name).read_bytes() + b"\0")
    return digest.hexdigest()


def imports_of(*modules: str) -> set[str]:
    """These modules and every module of ours that they import, directly or not.

    Examples
    --------
    >>> sorted(imports_of("theory.experiment"))
    ['theory.arrays', 'theory.experiment']
    """
    seen: set[str] = set()
    left = list(modules)
    while left:
        name = left.pop()
        # The two top packages only hand names on, when asked for them.
        if name not in seen and name not in OURS:
            seen.add(name)
            left += [name.rpartition(".")[0], *_imported(_path(name))]
    return seen


def _path(name: str) -> Path:
    path = ROOT.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            # What is imported may itself be a module.
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            if name.split(".")[0] in OURS and _path(name).is_file():
                yield name
