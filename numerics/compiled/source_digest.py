"""The digest of source code under which compiled kernels, blocks of sweeps and trainings are filed:
numbers that other code computed must never be taken for those of this code. It covers a module's
own text, that of every module of ours that it imports, at any depth, and the versions of the
packages that compile it or draw its random numbers; nothing else, so that a change invalidates what
depends on it alone.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

__all__ = ["PACKAGES", "ROOT", "digest_of_sources", "imports_of", "kernel_key"]

ROOT = Path(__file__).parents[2]
OURS = ("numerics", "theory")
PACKAGES = ("numpy", "scipy", "numba", "llvmlite")


@cache
def digest_of_sources(*modules: str) -> str:
    """SHA-256 (hexadecimal) of the source of these modules, by full names, and of all of ours that
    they import, and of the versions of packages. What is left out: packages that a user's own law
    imports, the kind of processor, and the threads of the linear algebra behind NumPy, on which the
    last bits of a root of a covariance depend from some hundred dimensions on.
    """
    digest = hashlib.sha256("".join(f"{package} {version(package)}\n" for package in PACKAGES).encode())
    for name in sorted(imports_of(*modules)):
        digest.update(name.encode() + b"\0" + _path(name).read_bytes() + b"\0")
    return digest.hexdigest()


def kernel_key(module: str) -> int:
    """The first 63 bits of the digest of a module (its ``__name__``): an integer that a kernel
    closes over. Numba's cache looks at the file of the cached function only, and would go on
    serving old code after a change in a helper; a kernel that closes over this number is compiled
    afresh.

    A module takes its key when it is imported: a process that started before a change must not file
    its old code under the new number.

    >>> 0 <= kernel_key("theory.regression.experiment") < 2**63
    True
    """
    return int(digest_of_sources(module)[:16], 16) >> 1


def imports_of(*modules: str) -> set[str]:
    """These modules and every module of ours that they import by name, directly or not, read from
    the text, inside functions too. Packages on the way to a module are not followed, since their
    ``__init__`` only hands names on. Relative imports and modules named by a string are not seen: a
    test refuses the former; only the lazy packages and the engines of experiments use the latter.
    """
    seen: set[str] = set()
    left = list(modules)
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left += _imported(_path(name))
    return seen


def _path(name: str) -> Path:
    path = ROOT.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            # What is imported is a module or a name in one; the package is followed only for a name
            # of its own.
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {name for name in inside if _ours(name)}
            names = [*modules, *([node.module] if modules != inside else [])]
        else:
            continue
        yield from (name for name in names if _ours(name))


def _ours(name: str) -> bool:
    # The two top packages hand names on lazily, and no module of ours asks them for any.
    return name.split(".")[0] in OURS and name not in OURS and _path(name).is_file()
