"""Plots as PDF and PNG: the same picture as the SVG, in its true colours."""

import argparse
from io import BytesIO

import numpy as np
import pytest

from proofs_check.reports.pages.formats import add_format, replace_with_plots
from proofs_check.reports.pages.pictures import as_files, as_picture
from proofs_check.reports.pages.svg import STAND_INS, dashed, figure, stand_in
from theory.shown.colours import COLOURS


def _colours(picture):
    """The colours of the dots of a PNG, without what smooths edges."""
    from matplotlib import image

    dots = np.round(image.imread(BytesIO(picture), format="png")[..., :3] * 255).astype(int).reshape(-1, 3)
    found, counts = np.unique(dots, axis=0, return_counts=True)
    return {f"#{r:02x}{g:02x}{b:02x}" for r, g, b in found[counts > 20]}


def _draw(ax):
    ax.plot([1, 2], [1, 2], color=stand_in("paper"), linestyle=dashed("5 3"), linewidth=4)
    ax.errorbar([1, 2], [2, 1], [0.1, 0.2], fmt="o", color=stand_in("theorem"), elinewidth=4)
    ax.fill_between([1, 2], 0, 1, color=stand_in("gradient"))
    hollow = dict(markerfacecolor="none", markeredgecolor=stand_in("run-6"), markeredgewidth=4)
    ax.plot(1.5, 1.8, "o", markersize=20, **hollow)
    ax.text(1.2, 1.5, "words", color=stand_in("exact"), size=40)


@pytest.fixture(scope="module")
def plot():
    return figure("some-plot", "Some plot", _draw, height=3)


def test_a_picture_has_the_colours_of_daylight_and_no_stand_in(plot):
    found = _colours(as_picture([plot], "png"))
    assert {"#ffffff", *(COLOURS[c] for c in ("paper", "theorem", "gradient", "run-6", "exact"))} <= found
    assert not found & set(STAND_INS.values())


def test_files_are_what_they_are_called_and_the_same_every_time(plot):
    files = as_files(plot, ("svg", "pdf", "png"))
    assert files["svg"] == plot.file
    assert (files["pdf"][:5], files["png"][1:4]) == (b"%PDF-", b"PNG")
    assert files == as_files(plot, ("svg", "pdf", "png"))


def test_a_key_and_headings_stand_around_plots_side_by_side(plot):
    keys = [("dot", "run-5", "", "points"), ("line", "run-5", "5 3", "a line")]
    keys.append(("band", "muted", "", "a range"))
    one, two = as_picture([plot], "png"), as_picture([plot, plot], "png", "Both", ("left", "right"), keys)
    from matplotlib import image

    (h1, w1), (h2, w2) = (image.imread(BytesIO(p), format="png").shape[:2] for p in (one, two))
    assert w2 == 2 * w1
    assert h2 > h1
    assert COLOURS["run-5"] in _colours(two) - _colours(one)


def test_unknown_formats_are_refused_and_svg_is_always_there(capsys):
    parser = argparse.ArgumentParser()
    add_format(parser)
    assert parser.parse_args(["--format", " PDF"]).format == ("svg", "pdf")
    assert parser.parse_args([]).format == ("svg",)
    for text in ("eps", "pdf,", "", "svg pdf"):
        with pytest.raises(SystemExit):
            parser.parse_args(["--format", text])
        assert "is no format of plots; pass some of svg, pdf, png, with commas" in capsys.readouterr().err


def test_a_new_page_removes_the_pictures_of_an_old_one_and_nothing_else(tmp_path):
    old = {"plots/a": {"svg": "<svg/>", "pdf": b"%PDF"}, "plots/b": {"svg": "<svg/>"}}
    replace_with_plots(tmp_path, old, {"page.html": "1"})
    (tmp_path / "plots/mine.pdf").write_bytes(b"")
    new = {"plots/a": {"svg": "<svg>2</svg>"}}
    replace_with_plots(tmp_path, new, {"page.html": "2"}, earlier=list(old))
    found = sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file())
    assert found == ["page.html", "plots/a.svg", "plots/mine.pdf"]
