"""The digest of the code covers whatever the numbers come from."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from numerics.figures import sources
from numerics.figures.sources import PACKAGES, ROOT, imports_of, sources_of
from numerics.figures.tasks import HOMES

#: They are loaded, but only hand names on.
BESIDE = {"numerics", "theory"}


def test_a_training_loads_no_module_of_ours_that_the_digest_leaves_out() -> None:
    program = (  # a small run would compile for seconds; making the kernels loads all that goes into them
        "import sys\nfrom numerics.kernels.sgd import sgd_kernel\nfrom numerics.training.run import train\n"
        "for attention in ('softmax', 'linear', 'coupled'):\n    sgd_kernel(attention)\n"
        "print(*(name for name in sys.modules if name.split('.')[0] in ('numerics', 'theory')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(done.stdout.split()) - BESIDE
    assert {"numerics.kernels.sgd", "numerics.streams", "numerics.training.run"} <= loaded <= imports_of(HOMES["train"])


def test_imports_are_followed_wherever_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "numerics" / "part"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("import numerics.part.on_top as top\n")
    (package / "on_top.py").write_text("import math\nfrom numerics.part import inside\n")
    (package / "inside.py").write_text("def f():\n    import theory.deep\n")
    (package / "unrelated.py").write_text("1\n")
    (tmp_path / "theory").mkdir()
    (tmp_path / "theory" / "deep.py").write_text("")
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    covered = {"numerics.part", "numerics.part.on_top", "numerics.part.inside", "theory.deep"}
    assert imports_of("numerics.part.on_top") == covered
    digest = sources_of.__wrapped__
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


def test_another_version_of_a_package_is_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    digest = sources_of.__wrapped__
    seen = {digest("theory.arrays")}
    for package in PACKAGES:
        with monkeypatch.context() as patch:
            patch.setattr(sources, "version", lambda name, new=package: "0" if name == new else version(name))
            seen.add(digest("theory.arrays"))
    assert len(seen) == 1 + len(PACKAGES)


def test_every_engine_has_a_digest() -> None:
    assert len({sources_of(home) for home in HOMES.values()}) == len(HOMES)
    with pytest.raises(FileNotFoundError):
        sources_of("numerics.no_such_module")
