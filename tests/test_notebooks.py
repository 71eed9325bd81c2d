"""The notebooks of the examples run, show every result, and are stored without outputs."""

import ast
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples/notebooks").glob("*.ipynb"))


def _cells(path, kind):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == kind]


def _run(source, names):
    """Run a cell as Jupyter does: what its last line is, if it is an expression, is shown."""
    *body, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        body, last = [*body, last], None
    exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs_and_shows_its_results_as_pages(path, monkeypatch):
    import matplotlib

    monkeypatch.setenv("MPLBACKEND", "Agg")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = {"__name__": "__main__"}
    pages = 0
    for cell in _cells(path, "code"):
        shown = _run("".join(cell["source"]), names)
        pages += hasattr(shown, "_repr_html_")
        assert len(repr(shown)) < 4000
    pyplot.close("all")
    assert pages >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_is_stored_without_outputs_and_says_what_each_part_does(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    assert notebook["cells"][0]["source"][0].startswith("# ")
    for cell in _cells(path, "code"):
        assert (cell["outputs"], cell["execution_count"]) == ([], None)


def test_there_are_four_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["engineer", "reviewer", "student", "theorist"]
