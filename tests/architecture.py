"""What `tests.test_architecture` asks of a tree of packages; complaints are sentences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

#: Modules by their dotted names; a package stands for its ``__init__.py``.
Modules = Mapping[str, Path]
#: Which modules each module imports, those under TYPE_CHECKING and inside functions included.
Arrows = Mapping[str, set[str]]

MOST_LINES = 400
HANDING_ON = {"__all__", "_HOME", "__getattr__", "__dir__", "_FORMER"}


def modules(root: Path, packages: Iterable[str]) -> dict[str, Path]:
    """Every module of some packages; witness scripts are no part of them."""
    found = {}
    for path in (p for package in packages for p in sorted((root / package).rglob("*.py"))):
        parts = path.relative_to(root).with_suffix("").parts
        if "witnesses" not in parts:
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def is_package(path: Path) -> bool:
    return path.name == "__init__.py"


@cache
def imported(module: str, path: Path) -> tuple[str, ...]:
    """The dotted names that a module imports: modules, or names in them."""
    names: list[str] = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            names += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = module.split(".")
            home = home[: len(home) - node.level + is_package(path)] if node.level else []
            source = ".".join([*home, *([node.module] if node.module else [])])
            names += (f"{source}.{alias.name}" for alias in node.names)
    return tuple(names)


def arrows(found: Modules) -> dict[str, set[str]]:
    """Who imports whom; a name that is no module leads to the module that holds it."""
    out = {}
    for module, path in found.items():
        names = imported(module, path)
        targets = (name if name in found else name.rpartition(".")[0] for name in names)
        out[module] = {target for target in targets if target in found and target != module}
    return out


def circle(graph: Arrows) -> list[str]:
    """The nodes of one circle in their order, the first also at the end; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def circles(found: Modules) -> list[str]:
    """Circles between modules, and between the entries (files and subfolders) of each folder."""
    graph = arrows(found)
    out = [f"modules import each other: {' -> '.join(c)}"] if (c := circle(graph)) else []
    for folder in (name for name, path in found.items() if is_package(path)):
        inner = lambda module, folder=folder: module.removeprefix(folder).lstrip(".").split(".")[0]
        entry = lambda module, inner=inner: inner(module) or "__init__"
        inside = {m for m in found if m == folder or m.startswith(f"{folder}.")}
        between: dict[str, set[str]] = {}
        for module in inside:
            between.setdefault(entry(module), set()).update(entry(t) for t in graph[module] & inside)
        for name, targets in between.items():
            targets.discard(name)
        if c := circle(between):
            out.append(f"entries of {folder} import each other: {' -> '.join(c)}")
    return out


def upwards(found: Modules, packages: Sequence[str], rooms: Mapping[str, Sequence[str]]) -> list[str]:
    """Imports of a later package or room; ``__init__`` and ``__main__`` stand above all rooms."""
    out = []

    def height(module: str) -> tuple[int, int]:
        package, _, rest = module.partition(".")
        room = rest.split(".")[0]
        order = rooms[package]
        if room in ("", "__main__"):
            return packages.index(package), len(order)
        if room not in order:
            unknown = "stands in a room whose height is not written down"
            out.append(f"{module} {unknown}; add {room!r} to the order of {package}")
            return packages.index(package), len(order)
        return packages.index(package), order.index(room)

    heights = {module: height(module) for module in found}
    for module, targets in arrows(found).items():
        higher = (t for t in sorted(targets) if heights[t] > heights[module])
        out += [f"{module} imports {t}, which stands above it" for t in higher]
    return out


def foreign(found: Modules, claims: Iterable[str]) -> list[str]:
    """Imports from one folder of claims to another."""
    of = {m: next((c for c in claims if m == c or m.startswith(f"{c}.")), None) for m in found}
    return [
        f"{module} imports {t} of another paper; what they share belongs to proofs_check/instances"
        for module, targets in arrows(found).items()
        for t in sorted(targets)
        if of[module] and of[t] and of[module] != of[t]
    ]


def public_names(path: Path) -> set[str]:
    """The names in ``__all__``, or in ``_HOME`` where ``__all__`` is made of it."""
    names: set[str] = set()
    for node in parsed(path).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in HANDING_ON:
            value = node.value
            texts = value.keys if isinstance(value, ast.Dict) else getattr(value, "elts", ())
            names |= {text.value for text in texts if isinstance(text, ast.Constant)}
    return names


SECTION = re.compile(r"^(Parameters|Returns|Raises|Attributes|Examples)\n-{3,}$", re.MULTILINE)


def told_at_length(found: Modules, public: Iterable[str]) -> list[str]:
    """Docstrings with numpydoc sections of what is public nowhere: one to four lines are enough."""
    known = set(public)
    return [
        f"{module}.{node.name} has the section {section[1]}; say in a few lines what its name does not"
        for module, path in found.items()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name not in known
        if (section := SECTION.search(ast.get_docstring(node) or ""))
    ]


def shadowed(found: Modules) -> list[str]:
    """Public names of a package that one of its modules or subpackages has too."""
    loses = "and a module of that name: whoever imports the module loses the name"
    return [
        f"{package} has the public name {name!r} {loses}"
        for package, path in found.items()
        if is_package(path)
        for name in sorted(public_names(path))
        if f"{package}.{name}" in found
    ]


def busy(found: Modules) -> list[str]:
    """Packages whose ``__init__`` does more than hand names on."""
    return [
        f"{package}/__init__.py does more than hand names on, in line {node.lineno}; move it to a module"
        for package, path in found.items()
        if is_package(path)
        for node in parsed(path).body
        if not _hands_on(node)
    ]


def _hands_on(node: ast.stmt) -> bool:
    if isinstance(node, ast.If):
        return getattr(node.test, "id", "") == "TYPE_CHECKING" and all(map(_hands_on, node.body))
    if isinstance(node, ast.FunctionDef):
        return node.name in HANDING_ON
    if isinstance(node, ast.Assign):
        return all(getattr(t, "id", "") in HANDING_ON for t in node.targets)
    words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return words or isinstance(node, ast.Import | ast.ImportFrom)


def long(found: Modules) -> list[str]:
    """Modules with more than `MOST_LINES` lines."""
    counted = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in found.items()}
    return [f"{module} has {n} lines; split it" for module, n in counted.items() if n > MOST_LINES]
