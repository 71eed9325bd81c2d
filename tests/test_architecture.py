"""The walls of the house: imports go downwards, packages load lazily, and the repository stands
alone.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLOORS = ("theory", "numerics", "proofs_check")
SOURCES = [p for floor in FLOORS for p in sorted((ROOT / floor).rglob("*.py"))]


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_downwards_and_modules_stay_short(path: Path) -> None:
    floor = FLOORS.index(path.relative_to(ROOT).parts[0])
    above = imported(path) & set(FLOORS[floor + 1 :])
    assert not above, f"{path.name} imports {above}, which is a floor above it"
    assert not imported(path) & {"tests", "benchmarks"}
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= 400, f"{path.name} has {lines} lines; split it"


def modules_after(code: str) -> set[str]:
    program = f"{code}\nimport sys\nprint(*sorted(sys.modules))"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(out.stdout.splitlines()[-1].split())


def test_packages_load_lazily() -> None:
    heavy = {"sympy", "numba", "scipy", "matplotlib", "flint", "hypothesis", "jinja2"}
    assert not modules_after("import theory, numerics, proofs_check") & heavy
    # SymPy itself looks for FLINT.
    assert not modules_after("import theory; theory.limit_parameters") & (heavy - {"sympy", "scipy", "flint"})


def test_help_loads_nothing_heavy() -> None:
    code = "from proofs_check.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert not modules_after(code) & {"sympy", "numpy", "numba", "scipy", "matplotlib", "flint", "rich"}


@pytest.mark.parametrize("floor", FLOORS)
def test_every_public_name_exists_and_is_documented(floor: str) -> None:
    package = __import__(floor)
    for name in package.__all__:
        assert getattr(package, name).__doc__, f"{floor}.{name} has no docstring"
    with pytest.raises(AttributeError, match="no_such_name"):
        package.no_such_name  # noqa: B018
    assert set(package.__all__) <= set(dir(package))
