"""The page is closed in itself, and every number of a curve is where the axes say."""

import csv
import json
import re
from dataclasses import replace
from io import StringIO
from operator import itemgetter
from xml.etree import ElementTree

import numpy as np
import pytest

import proofs_check.reports.figures.boursier_boyer.page
from numerics.experiments.boursier_boyer.plan import Plan, RunKey
from numerics.experiments.boursier_boyer.stop_rule import BAND
from proofs_check.reports.figures.boursier_boyer.captions import caption, keys, left_out
from proofs_check.reports.figures.boursier_boyer.page import COLUMNS, as_csv, write_page
from proofs_check.reports.figures.boursier_boyer.plots import draw
from proofs_check.reports.figures.boursier_boyer.svg_file import as_sheets, sheet
from proofs_check.reports.pages.provenance import provenance
from tests.numerics.experiments.synthetic import measurements
from tests.proofs_check.reports.pages.page import Page, points

PLAN = replace(
    Plan.full(), records=20, lengths=(10, 20, 100, 1000), gap_lengths=(10, 30, 1000), figures=(1, 2, 3, 4, 6)
)
CLAIMS = [
    ("BB:A.2.stab", "Training softmax attention appears more stable", "OPEN", "one seed says little"),
    ("BB:A.fig6", "The risk converges more slowly", "SUPPORTED", "by 12 %, sampled to 1e-05"),
    ("BB:S6.f2a", "Linear <b>beats</b> softmax", "REFUTED", "not at L = 10 & 20"),
    ("BB:A.fig8", "More irregular", "OPEN", "not drawn here"),
    ("BB:S6.f2a/runs", "Linear <b>beats</b> softmax", "OPEN", "too few seeds"),
]
SOURCE = provenance("largeprompt figures --only 1 2 3 4 6", 754.0)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def found():
    return measurements(PLAN)


@pytest.fixture(scope="module")
def figures(found):
    return draw(found)


@pytest.fixture(scope="module")
def drawn(figures):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proofs_check.reports.figures.boursier_boyer.page, "draw", lambda measured: figures)
        yield


@pytest.fixture(scope="module")
def folder(found, drawn, tmp_path_factory):
    return write_page(found, CLAIMS, tmp_path_factory.mktemp("page"), source=SOURCE).parent


def text_of(folder):
    return (folder / "index.html").read_text(encoding="utf-8")


def test_the_page_is_self_contained(folder):
    # Every file is linked, no other.
    assert Page(text_of(folder)).outside() == {p.name for p in folder.iterdir()} - {"index.html"}


def test_every_sentence_stands_under_its_figure(folder):
    page = text_of(folder)
    article = {n: page.split(f'id="figure-{n}">')[1].split("</article>")[0] for n in PLAN.figures}
    assert "by 12 %, sampled to 10<sup>−5</sup>" in article[6]
    assert "Linear &lt;b&gt;beats&lt;/b&gt; softmax" in article[2]
    assert not any(word in text for text in article.values() for word in ("more stable", "More irregular"))
    above = page.split("What the paper says about its figures")[1].split("</section>")[0]
    # What has no figure here says all that there is to say at once; the others point to their
    # figures.
    assert "one seed says little" in above
    assert "not drawn here" in above
    assert 'href="#figure-6"' in above
    assert "by 12 %" not in above
    # Two checks of one sentence: it is not told twice, and both verdicts stand.
    assert article[2].count("&lt;b&gt;beats") == above.count("&lt;b&gt;beats") == 1
    story = ("not at L = 10 &amp; 20", "the same sentence, another check", "too few")
    places = [article[2].index(part) for part in story]
    assert places == sorted(places)
    counts = [word for word in Page(page).words if re.fullmatch(r"\d (SUPPORTED|REFUTED|OPEN)", word)]
    assert counts == ["1 SUPPORTED", "1 REFUTED", "3 OPEN"]


@pytest.mark.parametrize(
    ("claim", "error", "words"),
    [
        (("BB:S6.f1a", "x", "TRUE", "y"), ValueError, "take one of PROVED"),
        (("BB:S6.f1a", "x"), TypeError, "pass \\(id, says"),
    ],
)
def test_a_strange_claim_is_refused_before_anything_is_drawn(found, tmp_path, claim, error, words):
    with pytest.raises(error, match=words):
        write_page(found, [claim], tmp_path)
    assert not list(tmp_path.iterdir())


def test_points_are_where_the_axes_say_and_panels_share_their_axes(found, figures):
    """Heights are one linear function of the logarithm over both readings and both covariances."""
    heights, logs = [], []
    for figure in figures:
        if figure.kind == 2:
            for panel in figure.panels:
                line = next(x for x in panel.lines if (x.quantity, x.curve) == ("risk", "softmax"))
                x, y = points(panel.plot.inline, 1, "run-1")[: line.x.size].T
                assert np.corrcoef(x, np.log(line.x))[0, 1] == pytest.approx(1, abs=1e-9)
                heights += y.tolist()
                logs += np.log(line.middle).tolist()
    assert len(heights) == 4 * len(PLAN.lengths)
    assert np.corrcoef(heights, logs)[0, 1] == pytest.approx(-1, abs=1e-9)


def test_limits_and_noise_lie_inside_the_axes(found):
    """A run stopped early is far above where the exact flow ends; both must be seen."""
    plan = replace(PLAN, figures=(4,), variants=("as written",), curve_lengths=(10,))
    early = {key: replace(run, risk=run.risk + 5) for key, run in found.runs.items()}
    (figure,) = draw(replace(found, plan=plan, runs=early))
    low, high = figure.panels[0].ends["risk in training"]
    limits = [line.limit for line in figure.panels[0].lines if line.limit is not None]
    assert len(limits) == 2
    assert low < found.noise_level < min(limits)
    assert max(limits) < 5 < high


def test_a_run_on_its_way_to_infinity_does_not_press_the_others_together(found):
    plan = replace(PLAN, figures=(4,), variants=("as written",))
    key = RunKey("isotropic", "as written", "coupled", 10, 2)
    run = found.runs[key]
    growth = np.geomspace(1, 1e30, len(run.step))[:, None]
    wild = replace(run, risk=run.risk * growth, diverged=int(run.step[-1]))
    (figure,) = draw(replace(found, plan=plan, runs={**found.runs, key: wild}))
    low, high = figure.panels[0].ends["risk in training"]
    assert max(run.risk.max() for run in found.runs.values()) < high < 1e3 * low
    svg = figure.panels[0].plot.inline
    crosses = [float(y) for y in re.findall(r'<use [^>]*y="([-\d.]+)"', svg)]
    assert min(crosses) >= 0  # at the upper edge, not above the picture


def test_every_figure_is_a_file_of_its_own_with_its_key(folder, figures):
    for figure in figures:
        text = (folder / f"figure-{figure.number}.svg").read_text(encoding="utf-8")
        root = ElementTree.fromstring(text)
        words = {element.text for element in root.iter(f"{SVG}text")}
        assert {panel.variant for panel in figure.panels} | {key.text for key in keys(figure, PLAN)} <= words
        assert "var(" not in text
        width, height = (float(root.get(name, "").removesuffix("pt")) for name in ("width", "height"))
        for child in root.findall(f"{SVG}svg"):  # nothing sticks out
            x, y, w, h = (float(child.get(name, "nan")) for name in ("x", "y", "width", "height"))
            assert x + w <= width + 1e-6
            assert y + h <= height + 1e-6


def test_the_table_has_every_point_of_every_curve(figures, folder):
    rows = list(csv.DictReader(StringIO(as_csv(figures))))
    assert list(rows[0]) == list(COLUMNS)
    for figure in figures:
        for panel in figure.panels:
            for line in panel.lines:
                where = (str(figure.number), panel.variant, line.quantity, line.curve)
                place = itemgetter("figure", "variant", "quantity", "curve")
                mine = [row for row in rows if place(row) == where]
                assert [float(row["median"]) for row in mine] == line.middle.tolist()  # bit for bit
    assert json.loads((folder / "data.json").read_text())["plan"]["figures"] == list(PLAN.figures)


def test_a_variant_that_begins_like_a_formula_is_text_in_a_spreadsheet(figures):
    panel = figures[0].panels[0]._replace(variant="@home")
    rows = list(csv.DictReader(StringIO(as_csv([figures[0]._replace(panels=(panel,))]))))
    assert {row["variant"] for row in rows} == {"'@home"}


def test_a_run_that_diverged_and_a_reduced_plan_are_called_so(found, folder):
    words = " ".join(" ".join(Page(text_of(folder)).words).split()).replace("\u202f", " ")
    assert "1 run diverged" in words
    assert "linear, isotropic, as written, L = 20, seed 4: step" in words
    left = "What is left out of largeprompt figures --paper BB --full : 15 of 19 prompt lengths"
    assert f"{left} of Figures 1, 2, 5 and 6." in words  # and nothing else
    assert "12 min 34 s" in words
    assert "largeprompt figures --only 1 2 3 4 6" in words


@pytest.mark.usefixtures("drawn")
def test_runs_that_failed_are_listed_with_their_lengths(found, folder, tmp_path):
    assert "Runs that failed" not in text_of(folder)
    stuck = [("isotropic", "as written", "linear", *at) for at in ((10, 1), (10, 4), (1000, 4))]
    write_page(replace(found, final=found.final | dict.fromkeys(stuck, (0.4, 1e-5))), CLAIMS, tmp_path)
    listed = text_of(tmp_path).split("Runs that failed")[1].split("</dl>")[0]
    words = [" ".join(item.split("<")[0].split()) for item in re.split("<dt>|<dd>", listed)[1:]]
    expected = ["isotropic, as written", "softmax: 0 of 12", "linear: 3 of 11 (L = 10 (2 of 5), 1000)"]
    assert words[:3] == expected
    assert text_of(tmp_path).count("0.40000 †") == 2  # the table has the seed of all lengths


@pytest.mark.usefixtures("drawn")
def test_a_shorter_page_in_the_same_folder_leaves_no_figure_of_the_longer(found, tmp_path):
    for name in ("figure-8.svg", "figure-9.svg", "mine.txt"):
        (tmp_path / name).write_text("mine")
    short = replace(found, plan=replace(PLAN, most_steps=20_000))
    write_page(short, CLAIMS, tmp_path, words=lambda text: f"<i>{len(text)}</i>")
    left = {p.name for p in tmp_path.iterdir()}
    assert left >= {"figure-6.svg", "figure-9.svg", "mine.txt", "index.html"}
    assert "figure-8.svg" not in left
    page = text_of(tmp_path)
    assert "the steps from 20\u202f000 on to 500\u202f000 (as written) and 300\u202f000 (as coded)" in page
    # a sentence typeset by the caller, at the top and under its figure
    assert page.count(f"<i>{len(CLAIMS[1][1])}</i>") == 2


@pytest.mark.usefixtures("drawn")
def test_a_page_that_cannot_be_written_leaves_the_old_one(found, tmp_path, monkeypatch):
    write_page(found, CLAIMS, tmp_path, source=SOURCE)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    monkeypatch.setattr(proofs_check.reports.figures.boursier_boyer.page, "as_html", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_page(found, [], tmp_path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_figures_of_nothing_and_of_one_length_are_drawn(found):
    plan = replace(PLAN, figures=(2, 4), variants=("as coded",), lengths=(7,), curve_lengths=(7,))
    plan = replace(plan, noise=0.0, most_steps=1)
    nothing = replace(found, plan=plan, runs={}, final={}, exact={}, bayes={}, gaps={})
    assert [figure.number for figure in draw(nothing)] == [2, 4]
    assert all(key.text != "label noise, 0" for figure in draw(nothing) for key in keys(figure, plan))
    one = draw(measurements(plan))
    assert [figure.number for figure in one] == [2, 4]
    assert one[0].panels[0].plot.inline.count("-xtick_") >= 2  # an axis as narrow as that still has numbers


@pytest.mark.usefixtures("drawn")
def test_runs_that_ended_early_are_listed_with_the_rule(folder, tmp_path):
    assert "Runs that ended early" not in text_of(folder)
    plan = replace(PLAN, settle=True, band_seeds=3, lengths=(10, 20, 30, 50, 100, 1000))
    found = measurements(plan)
    keys = [key for key in found.runs if key[:3] == ("isotropic", "as written", "softmax")]
    runs, spread = dict(found.runs), dict[tuple[str, str, str, int, int], tuple[float, float]]()
    for key, part in zip(keys, (4, 8)):
        run = runs[key]
        early = dict(step=run.step[:part], risk=run.risk[:part])
        runs[key] = replace(run, **early, parameters=run.parameters.at(slice(part)))
        spread[tuple(key)] = (0.1, 0.2)
    usual = replace(found, runs=runs, spread=spread)
    write_page(usual, CLAIMS, tmp_path)
    words = " ".join(" ".join(Page(text_of(tmp_path)).words).split()).replace("\u202f", " ")
    listed = words.split("Runs that ended early")[1]
    assert "softmax: 2 of 3, after 100 000 to 200 000 of 500 000 steps" in listed
    assert "looked at 20 times on its way to its last step, every 25 000 or 15 000 steps" in listed
    assert f"by at most {100 * BAND:g} % of the limit" in listed
    assert "2 of 5 seeds at L = 10 and 100." in words
    known = caption(draw(replace(usual, plan=replace(usual.plan, figures=(2,))))[0], usual)
    assert "has settled at that limit" in known


def test_what_is_left_out_is_named():
    assert not left_out(Plan.full())
    assert not left_out(Plan.full(3).only(2))
    steps = "the steps from 100 000 on to 500 000 (as written) and 300 000 (as coded)"
    told = [part.split(" of ")[0].replace("\u202f", " ") for part in left_out(Plan.quick())]
    assert told == ["14", steps, "the steps", "4", "3"]
    assert "as coded" not in " ".join(left_out(Plan(most_steps=400_000)))  # which has no more


def test_captions_say_that_the_seed_of_single_runs_was_chosen(found, figures):
    says = "Single runs have the seed 4. It was chosen because from others a run fails"
    assert [figure.kind for figure in figures if says not in caption(figure, found)] == [1]
    several = replace(found, plan=replace(PLAN, seeds=2))
    assert not any(says in caption(figure, several) for figure in figures)


def test_a_page_of_some_figures_is_called_after_them(folder):
    title = "Training of softmax and linear attention: Figures 1 to 4 and 6"
    assert f"<title>{title}</title>" in text_of(folder)
    assert f"<h1>{title}</h1>" in text_of(folder)


def test_a_figure_is_written_in_the_formats_asked_for(figures):
    files = as_sheets(figures[0], keys(figures[0], PLAN), ("svg", "pdf", "png"))
    assert files["svg"] == sheet(figures[0], keys(figures[0], PLAN))
    assert (files["pdf"][:5], files["png"][1:4]) == (b"%PDF-", b"PNG")
