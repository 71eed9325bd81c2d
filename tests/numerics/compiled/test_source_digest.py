"""The digest of the code covers whatever the numbers come from."""

import ast
import shutil
import subprocess
import sys
from importlib.metadata import version

import pytest

from numerics.compiled import source_digest as sources
from numerics.compiled.source_digest import PACKAGES, ROOT, digest_of_sources, imports_of
from numerics.experiments.boursier_boyer.engines import MODULES

#: The module of numerics that refuses a theory of somebody else, and computes nothing.
CHECK = "neighbours"


def test_a_training_loads_no_module_of_ours_that_the_digest_leaves_out():
    program = (  # a small run would compile for seconds; making the kernels loads all that goes into them
        "import sys\nfrom numerics.training.kernels.loop import sgd_kernel\n"
        "from numerics.training.run import train\n"
        "for attention in ('softmax', 'linear', 'coupled'):\n    sgd_kernel(attention)\n"
        "print(*(name for name in sys.modules if name.split('.')[0] in ('numerics', 'theory')))"
    )
    command = [sys.executable, "-c", program]
    loaded = set(subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.split())
    packages = {name for name in loaded if ROOT.joinpath(*name.split(".")).is_dir()}
    assert {"numerics.training.kernels.loop", "numerics.compiled.streams", "numerics.training.run"} <= loaded
    assert loaded - packages - {f"numerics.{CHECK}"} <= imports_of(MODULES["train"])


def test_imports_are_followed_wherever_they_stand(tmp_path, monkeypatch):
    package = tmp_path / "numerics" / "part"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("import numerics.part.unrelated\n")
    (package / "on_top.py").write_text("import math\nfrom numerics.part import inside\n")
    (package / "inside.py").write_text("def f():\n    import theory.deep\n")
    (package / "unrelated.py").write_text("1\n")
    (tmp_path / "theory").mkdir()
    (tmp_path / "theory" / "deep.py").write_text("")
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    covered = {"numerics.part.on_top", "numerics.part.inside", "theory.deep"}
    assert imports_of("numerics.part.on_top") == covered
    digest = digest_of_sources.__wrapped__
    seen = {digest("numerics.part.on_top")}
    for name in covered:
        path = tmp_path.joinpath(*name.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        path.write_text(path.read_text() + "# changed\n")
        seen.add(digest("numerics.part.on_top"))
    assert len(seen) == 1 + len(covered)
    (package / "unrelated.py").write_text("2\n")
    assert digest("numerics.part.on_top") in seen
    shutil.move(tmp_path, tmp_path.with_name("elsewhere"))  # the folder does not matter
    monkeypatch.setattr(sources, "ROOT", tmp_path.with_name("elsewhere"))
    assert digest("numerics.part.on_top") in seen


def test_another_version_of_a_package_is_another_digest(monkeypatch):
    digest = digest_of_sources.__wrapped__
    seen = {digest("theory.inputs.arrays")}
    for package in PACKAGES:
        with monkeypatch.context() as patch:
            patch.setattr(sources, "version", lambda name, new=package: "0" if name == new else version(name))
            seen.add(digest("theory.inputs.arrays"))
    assert len(seen) == 1 + len(PACKAGES)


def test_every_engine_has_a_digest_of_what_an_init_brings_too():
    assert len({digest_of_sources(home) for home in MODULES.values()}) == len(MODULES)
    assert "numerics.token_laws.built_in" in imports_of("numerics.sweep.laws")
    with pytest.raises(FileNotFoundError):
        digest_of_sources("numerics.no_such_module")


def test_no_module_asks_a_top_package_for_a_name():
    """The digest does not look into the two lazy packages."""
    for path in [p for top in ("numerics", "theory") for p in (ROOT / top).rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom):
                continue
            assert node.level == 0, f"{path} has a relative import, which the digest does not follow"
            if node.module in ("numerics", "theory"):
                assert all((ROOT / node.module / a.name).is_dir() or a.name == CHECK for a in node.names), (
                    path
                )
