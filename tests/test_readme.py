"""The README and the pages in docs/ say what is so: links, rooms, ids, numbers and picture."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from numerics import how_linear
from numerics.attention.examples import EXAMPLES
from proofs_check.documents.names import named

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PICTURE = "error_and_bounds.svg"


def curves(svg: str) -> dict[str, np.ndarray]:
    """The points of the curves of a picture, by their names."""
    found = re.findall(r'<g id="([^"]*)">\s*<path d="([^"]*)" clip-path', svg)
    return {name: np.array(re.findall(r"[-\d.]+", path), dtype=float) for name, path in found if not name.startswith("line2d")}


def test_the_readme_is_read_in_two_minutes() -> None:
    assert len(README.splitlines()) <= 120


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"\$[^$]*\$", "", page.read_text(encoding="utf-8"))  # T[mu](z) in a formula is no link
    for target in re.findall(r"\]\((?!https://)([^)#]+)\)", text):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_named_claims_are_rows(page: Path) -> None:
    for id in re.findall(r"\b(?:BB|LDL|COL|OURS):(?:[A-Z][a-z]+ )?[\w.]*\w", page.read_text(encoding="utf-8")):
        assert named(id).rows, f"{page.name} names {id}"


def test_every_page_of_the_docs_is_linked_from_the_readme() -> None:
    linked = set(re.findall(r"\]\(docs/([^)]+\.md)\)", README))
    assert linked == {page.name for page in PAGES[1:]}


@pytest.mark.parametrize("package", ["theory", "numerics", "proofs_check"])
def test_the_map_names_every_room_and_no_other(package: str) -> None:
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    described = re.search(rf"^- `{package}/`(.*?)(?=^- |^$)", contributing, flags=re.MULTILINE | re.DOTALL)
    assert described is not None
    rooms = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
    assert set(re.findall(r"`(\w+)/`", described[1])) == rooms


def test_the_picture_and_its_numbers_are_what_the_script_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["plot_error_and_bounds.py"])
    runpy.run_path(str(ROOT / "examples" / "plot_error_and_bounds.py"))
    lengths = re.findall(r"from L = (\d+) on", capsys.readouterr().out)
    assert re.findall(r"from\s([\d ]+?) (?:tokens )?on", README) == [f"{int(L):,}".replace(",", " ") for L in lengths]
    made, kept = (curves((folder / PICTURE).read_text(encoding="utf-8")) for folder in (tmp_path, ROOT / "docs"))
    assert len(kept) == 3
    assert list(made) == list(kept)
    for name, points in kept.items():
        np.testing.assert_allclose(made[name], points, atol=0.5)


def test_the_answer_in_the_readme_is_that_of_the_example() -> None:
    answer = how_linear(EXAMPLES["anisotropic"](), [4000]).sentence
    assert " ".join(answer.split()) in " ".join(README.split())
