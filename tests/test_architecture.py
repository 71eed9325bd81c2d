"""The walls of the house, lazy packages, and a repository that stands alone."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture import (
    arrows,
    busy,
    circles,
    foreign,
    imported,
    long,
    modules,
    public_names,
    shadowed,
    told_at_length,
    upwards,
)

ROOT = Path(__file__).parents[1]
PACKAGES = ("theory", "numerics", "proofs_check")
#: The rooms of each package, the lowest first: a room imports only rooms that stand before it.
ROOMS = {
    "theory": ("shown", "inputs", "symbolic", "attention", "bounds", "regression"),
    "numerics": (
        *("neighbours", "evidence", "rationals", "seeds", "compiled", "terminal", "second_opinion"),
        *(
            "provers",
            "derivations",
            "token_laws",
            "jobs",
            "attention",
            "models",
            "training",
            "regression",
            "strategies",
        ),
        *("counterexamples", "lemmas", "rates", "sweep", "experiments", "warm"),
    ),
    "proofs_check": (
        *("derivations", "instances", "papers", "core", "ours", "boursier_boyer", "li_duan_liang", "collins"),
        *("reports", "plugin"),
    ),
}
FOUND = modules(ROOT, PACKAGES)
LISTS = (ROOT / "proofs_check").rglob("statements.toml")
CLAIMS = sorted({".".join(p.relative_to(ROOT).parts[:2]) for p in LISTS})


WALLS = {
    "nothing is imported in a circle": lambda: circles(FOUND),
    "imports go downwards": lambda: upwards(FOUND, PACKAGES, ROOMS),
    "no paper imports another": lambda: foreign(FOUND, CLAIMS),
    "no public name is the name of a module": lambda: shadowed(FOUND),
    "packages hand names on": lambda: busy(FOUND),
    "modules stay short": lambda: long(FOUND),
}


@pytest.mark.parametrize("wall", WALLS)
def test_a_wall_stands(wall):
    assert CLAIMS
    assert WALLS[wall]() == []


@pytest.mark.parametrize("package", ["theory", "numerics"])
def test_the_head_of_a_package_lists_its_rooms_in_their_order(package):
    head = __import__(package).__doc__ or ""
    assert re.findall(r"^`(\w+)` ", head, flags=re.MULTILINE) == list(ROOMS[package])


def test_only_what_is_public_is_documented_at_length():
    packages = ("theory", "numerics", "numerics.lemmas", "numerics.provers", "proofs_check")
    public = set().union(*(public_names(FOUND[package]) for package in packages))
    rules = ("numerics.derivations.", "numerics.strategies.", "proofs_check.derivations.proof")
    inside = {m: path for m, path in FOUND.items() if not m.startswith(rules)}
    assert told_at_length(inside, public) == []
    assert told_at_length(FOUND, public) != []


def test_nothing_but_the_seeds_and_known_answers_is_handed_on_in_hiding():
    hides = lambda names: any(name.startswith("contextvars") for name in names)
    hidden = {module for module, path in FOUND.items() if hides(imported(module, path))}
    # A prover that remembers its answers while a claim is judged gives the same answers.
    assert hidden == {"numerics.seeds", "numerics.provers.remembered"}


def test_the_packages_import_nothing_of_the_repository_around_them():
    around = ("tests.", "benchmarks.", "examples.")
    named = ((m, name) for m, path in FOUND.items() for name in imported(m, path))
    assert [(m, name) for m, name in named if f"{name}.".startswith(around)] == []


# Planted errors: each check finds the one that it is for, and nothing in the tree without it.

GOOD = {
    "low/__init__": '"""A package."""\n__all__ = ["word"]\n',
    "low/cellar/__init__": "",
    "low/cellar/a": "import sys\n",
    "low/hall/__init__": "from low.hall.b import b\n",
    "low/hall/b": "from low.cellar import a\n",
    "high/__init__": "",
    "high/one/__init__": "",
    "high/one/c": "from low.hall.b import b\n",
    "high/other/__init__": "",
    "high/other/d": "from low.cellar.a import x\n",
}
HEIGHTS = {"low": ("cellar", "hall"), "high": ("one", "other")}


def tree(root, planted):
    """The modules of the good tree with some planted ones."""
    for name, text in {**GOOD, **planted}.items():
        path = root / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return modules(root, ("low", "high"))


def complaints(found):
    """What all checks say."""
    walls = [*circles(found), *upwards(found, ("low", "high"), HEIGHTS)]
    return [*walls, *foreign(found, ("high.one", "high.other")), *shadowed(found), *busy(found), *long(found)]


def test_a_tree_with_its_walls_in_order(tmp_path):
    assert complaints(tree(tmp_path, {})) == []


TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from low.cellar.e import E\n"
LAZY = "def f():\n    from low.cellar import a\n"
ROOM = {"low/hall/room/__init__": "", "low/hall/room/f": "", "low/hall/room/g": "from low.hall.b import b\n"}
EACH_OTHER = "modules import each other: low.cellar"
PLANTED = {
    "lazily": ({"low/cellar/a": "from low.cellar.e import x\n", "low/cellar/e": LAZY}, EACH_OTHER),
    "for types": ({"low/cellar/a": TYPES, "low/cellar/e": "from .a import x\n"}, EACH_OTHER),
    "folders": (ROOM | {"low/hall/b": "from low.hall.room import f\n"}, "entries of low.hall import each"),
    "package": ({"low/cellar/a": "import high.one.c\n"}, "cellar.a imports high.one.c, which stands above"),
    "room": ({"low/cellar/a": "from low.hall import nothing\n"}, "cellar.a imports low.hall, which stands"),
    "unknown room": ({"low/attic": ""}, "add 'attic' to the order of low"),
    "paper": ({"high/other/d": "from ..one.c import x\n"}, "of another paper"),
    "shadow": ({"low/word": ""}, "public name 'word'"),
    "busy": ({"low/hall/__init__": "x = 1\n"}, "does more than hand names on, in line 1"),
    "long": ({"low/cellar/a": "x = 1\n" * 401}, "401 lines"),
}


@pytest.mark.parametrize(("planted", "said"), PLANTED.values(), ids=PLANTED)
def test_a_planted_error_is_found(tmp_path, planted, said):
    assert any(said in complaint for complaint in complaints(tree(tmp_path, planted)))


def test_relative_imports_lead_where_python_goes(tmp_path):
    found = tree(tmp_path, {"low/hall/__init__": "from .b import b\nfrom ..cellar import a\n"})
    assert arrows(found)["low.hall"] == {"low.hall.b", "low.cellar.a"}


# How packages load.


def modules_after(code):
    program = f"{code}\nimport sys\nprint(*sorted(sys.modules))"
    command = [sys.executable, "-c", program]
    out = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return set(out.stdout.splitlines()[-1].split())


def test_packages_load_lazily():
    heavy = {"sympy", "numba", "scipy", "matplotlib", "flint", "hypothesis", "jinja2"}
    assert not modules_after("import theory, numerics, proofs_check") & heavy
    # SymPy itself looks for FLINT.
    assert not modules_after("import theory; theory.limit_parameters") & (heavy - {"sympy", "scipy", "flint"})


def test_help_loads_nothing_heavy():
    code = "from proofs_check.reports.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert not modules_after(code) & {"sympy", "numpy", "numba", "scipy", "matplotlib", "flint", "rich"}


@pytest.mark.parametrize("name", PACKAGES)
def test_every_public_name_exists_and_is_documented(name):
    package = __import__(name)
    for public in package.__all__:
        assert getattr(package, public).__doc__, f"{name}.{public} has no docstring"
    with pytest.raises(AttributeError, match="no_such_name"):
        package.no_such_name  # noqa: B018
    assert set(package.__all__) <= set(dir(package))
