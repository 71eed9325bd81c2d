"""The written report: valid, self-contained, complete, and never half replaced."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest

import proofs_check.reports.rates.report.write
from numerics.attention.examples import EXAMPLES
from numerics.attention.setting import AttentionSetting
from numerics.rates.measure import rates
from proofs_check.reports.pages.provenance import provenance
from proofs_check.reports.pages.text import ratio, sci
from proofs_check.reports.rates.report.document import as_document
from proofs_check.reports.rates.report.drawing import draw, prefixes
from proofs_check.reports.rates.report.names import explained, run_names
from proofs_check.reports.rates.report.overlays import run_style
from proofs_check.reports.rates.report.page import as_html
from proofs_check.reports.rates.report.plots import error_limits, error_plot
from proofs_check.reports.rates.report.slack import slacks
from proofs_check.reports.rates.report.write import FILES, schema, write_report
from tests.proofs_check.reports.pages.page import Page, points
from theory.shown.colours import COLOURS


@pytest.fixture(scope="module")
def drawings(run, slow):
    """Of one run and of two; drawing is what takes the time."""
    return {1: draw([run]), 2: draw([run, slow])}


def page_of(*runs, drawing=None, command="largeprompt rates --seed 2"):
    drawing = drawing or draw(runs)
    return as_html(runs, as_document(runs, provenance(command, 1.0), drawing.all()), drawing)


@pytest.fixture(scope="module")
def page(run, drawings):
    return page_of(run, drawing=drawings[1])


@pytest.fixture(scope="module")
def shared(run, slow, drawings):
    return page_of(run, slow, drawing=drawings[2])


def valid(document):
    jsonschema.validate(document, schema())
    json.dumps(document, allow_nan=False)
    for run in document["runs"]:
        for series in run["series"]:
            assert len(series["measured"]) == len(series["kurtosis"]) == len(run["lengths"])


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_document_keeps_its_schema(name):
    jsonschema.Draft202012Validator.check_schema(schema())
    small = rates(EXAMPLES[name](), [1, 3, 10, 30, 100, 300], replicates=200)
    document = as_document([small], provenance("x", 0.1, [("Gamma.npy", "0" * 64)]), [])
    valid(document)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | {"surprise": 1}, schema())


def test_several_runs_and_other_laws_keep_the_schema(run, slow):
    signs = EXAMPLES["averaged"]().with_law("rademacher")
    odd = rates(signs, [5], replicates=200)  # one length, no exact curve, no exponent
    drawing = draw([odd])
    document = as_document([run, slow, run, odd], provenance("x", 0.1), drawing.all())
    valid(document)
    expected = ["anisotropic", "averaged-slow", "anisotropic (2)", "averaged, rademacher"]
    assert [r["run"] for r in document["runs"]] == expected
    last = document["runs"][-1]
    assert last["far"] is None
    assert all(series["sharp_exponent"] is None for series in last["series"])
    assert "no sharp exponent" in page_of(odd, drawing=drawing)


def fields(node):
    if isinstance(node, dict):
        yield from node.get("properties", {}).items()
        for value in node.values():
            yield from fields(value)
    elif isinstance(node, list):
        for value in node:
            yield from fields(value)


def test_every_field_is_described():
    found = list(fields(schema()))
    assert len(found) > 80
    assert [name for name, field in found if not field.get("description", "").endswith(".")] == []


@pytest.mark.parametrize("which", ["page", "shared"])
def test_the_page_is_self_contained(which, request):
    page = request.getfixturevalue(which)
    seen = Page(page)
    assert seen.outside() == {"report.json", "data.csv"}
    style = re.findall(r"url\((.*?)\)", page)
    assert all(target.startswith("#") and target[1:] in seen.ids for target in style)
    assert "@import" not in page


def test_the_page_says_what_the_run_says(run, page):
    text = " ".join(" ".join(Page(page).words).split())
    assert f"All {len(run.comparisons)} comparisons hold" in text
    assert "What fails" not in text
    for c in run.comparisons:
        assert " ".join(c.name.replace("<=", "≤").split()) in text
    for series in run.series:
        assert f"{series.fit.exponent:.4f}" in text
        assert sci(float(series.mean[-1]), 5) in text
    assert "largeprompt rates --seed 2" in text
    assert "numpy" in text
    # errors, slopes, exponent against lambda; far out
    assert page.count("<svg role=") == 3 * len(run.series) + 1
    for slack in slacks(run):
        assert f"(L = {slack.tightest[0]:.0f})" in text


def test_the_plots_show_the_numbers_of_the_run(run):
    series = run.series[2]
    x, y = points(error_plot(run, series).inline, 1, "measured")[-run.lengths.size :].T
    assert np.corrcoef(x, np.log(run.lengths))[0, 1] == pytest.approx(1, abs=1e-9)
    assert np.corrcoef(y, np.log(series.mean))[0, 1] == pytest.approx(-1, abs=1e-9)


def test_every_curve_of_a_page_is_explained(page, shared):
    """A reader has no other place to learn what R1 is, or whose constants are "ours"."""
    of_page = ("Theorem A: our bound", "R1: our bound", "Lemma C.4: the paper")
    for text, names in ((page, of_page), (shared, ("Theorem B, limit: our",))):
        words = " ".join(Page(text).words)
        assert all(name in words for name in names)
    assert explained(["nothing of ours"]) == []
    ours = ["Theorem B", "Theorem B, limit", "Proposition 3.1, our constants", "eq. (18), exponent only"]
    assert len(explained(ours)) == 4


def test_every_bound_is_drawn_and_one_far_beyond_is_told(run, page, drawings):
    output = run.series[0]
    upper = [b for b in output.bounds if b.kind == "upper bound"]
    low, high = error_limits(output)
    assert all(low < np.nanmin(b.values) < high for b in upper)
    assert {b.name for b in upper} >= {"R1", "Lemma C.4"}
    drawn = error_plot(run, output).inline
    factor = np.nanmin(next(b for b in upper if b.name == "Lemma C.4").values / output.exact)
    assert "Lemma C.4:" in drawn
    assert f"{ratio(factor)} × the error" in drawn
    keys = lambda text: re.findall(r"<span><b>(.*?)</b> (.*?)</span>", text)
    assert not any(note.endswith("above the plot") for _, note in keys(page))
    beyond = replace(output, bounds=tuple(replace(b, values=1e60 * b.values) for b in output.bounds))
    other = page_of(replace(run, series=(beyond, *run.series[1:])), drawing=drawings[1])
    assert sum(note.endswith("above the plot") for _, note in keys(other)) == len(upper)
    assert error_limits(beyond)[1] < np.nanmin(beyond.bounds[0].values)
    useless = {b.name for b in upper if np.nanmin(b.values) > run.answer.linear**2}
    assert useless == {name for name, note in keys(page) if "no useful bound" in note} != set()


def test_numbers_on_a_page_are_typeset(page, shared):
    for text in (page, shared):
        visible = re.sub(r"<(style|svg|code)\b.*?</\1>", "", text, flags=re.DOTALL)
        assert re.findall(r"\b\d[\d.]*e[-+]?\d+", visible) == []


def test_a_page_claims_of_other_laws_no_formula_for_gaussian_tokens(run, page, drawings):
    assert "tr VΓV′" in page
    signs = rates(run.setting.with_law("rademacher"), [10], replicates=200)
    assert signs.far is not None
    other = page_of(signs, drawing=drawings[1])  # the words are under test, not the plots
    assert "L times the error tends to a limit." in other
    assert "tr VΓV′" not in other
    assert "200 prompts of one length" in other.replace("\u202f", " ")


def test_a_page_opens_with_how_close_linear_attention_is(run, page, slow, shared):
    text = " ".join(" ".join(Page(page).words).split())
    opening = text[text.index("How close to linear attention?") :].replace("\u00a0", " ")
    box, rest = opening.split(f"All {len(run.comparisons)} comparisons hold")
    assert run.answer.grade.colour == "amber"
    assert '<section class="answer amber">' in page
    for said in (
        *("amber the error is above 10 %, but the local slope", "10 % needs L = 1811", "above 50 %"),
        "for Gaussian tokens its limit T for infinite prompts, by 13.4 % (",
        *("Certain bound (Theorem A)", "Green: the distance of the longest measured prompt from linear"),
    ):
        assert said in box
    assert "How close" not in rest
    several = shared[: shared.index("comparisons hold")]
    assert several.count('<li><span class="stamp') == 2
    assert [several.count(f'stamp {answer.answer.grade.colour}"') for answer in (run, slow)] == [1, 1]
    assert shared.count('<section class="answer') == 2


def test_a_law_that_measured_prompts_do_not_show_is_not_promised(run, page, drawings):
    """At s = 9 the error falls like 1/L from a hundred million tokens on."""
    one = np.eye(1)
    steep = rates(AttentionSetting(one, one, one, [3.0]), [10, 100], replicates=200)
    page_of_steep = page_of(steep, drawing=drawings[1])  # the words are under test, not the plots
    assert "falls like 1/L, but only from L about" in page_of_steep
    assert steep.answer.law_from > 1e7
    assert "falls like 1/L." in page
    assert run.answer.law_from < 1000


def test_the_document_has_the_answer_and_what_the_ledger_says(run):
    (found,) = as_document([run], provenance("x", 1.0), [])["runs"]
    assert found["answer"]["L"] == 1000
    assert found["answer"]["sentence"] == run.answer.sentence
    assert found["answer"]["relative_error"] == found["answer"]["to_limit"] == run.answer.relative_error[0]
    assert found["answer"]["off_linear"] == 0
    assert [(n["tolerance"], n["L"]) for n in found["answer"]["needed"]] == list(run.answer.needed.items())
    declared = {c["name"]: c["declared"] for c in found["comparisons"]}
    assert all(("Lemma C.4" in name) == bool(says) for name, says in declared.items())


def test_where_nothing_is_exact_the_answer_is_what_was_measured():
    odd = rates(EXAMPLES["averaged"]().with_law("rademacher"), [5, 20], replicates=300)
    output = odd.series[0]
    answer = odd.answer
    assert answer.to_limit[0] * answer.linear == pytest.approx(np.sqrt(output.mean[-1]), rel=1e-12)
    assert answer.replicates == 300
    assert answer.to_limit_error[0] > 0
    assert answer.standard_error[0] > 0  # prompts are drawn for the distance from linear attention
    most = answer.to_limit[0] + answer.off_linear.value
    least = abs(answer.to_limit[0] - answer.off_linear.value)
    room = 5 * answer.standard_error[0]
    assert least - room < answer.relative_error[0] < most + room


def test_failures_come_first(run, drawings):
    wrong = dict(name="output: made up", holds=False, says="9 standard errors off", value=9.0, limit=5.0)
    failed = replace(run, comparisons=(replace(run.comparisons[0], **wrong), *run.comparisons[1:]))
    assert not as_document([failed], provenance("x", 1.0), [])["holds"]
    text = " ".join(Page(page_of(failed, drawing=drawings[1])).words)
    assert f"1 of {len(run.comparisons)} comparisons fail" in text
    story = [text.index(x) for x in ("What fails", "output: made up", "Errors over the prompt length")]
    assert story == sorted(story)


def test_names_are_escaped():
    setting = AttentionSetting(np.eye(1), np.eye(1), np.eye(1), np.ones(1), name="<script>alert(1)</script>")
    small = rates(setting, [10], replicates=100)
    page = page_of(small, command="rates '<b>'")
    assert "script" not in Page(page).tags
    assert "<b>'" not in page
    # a name of 200 letters does not make the page wider than a phone
    assert "overflow-wrap: anywhere" in page


def test_several_runs_are_compared_on_one_page(run, slow, shared):
    text = " ".join(" ".join(Page(shared).words).split())
    assert f"All {len(run.comparisons) + len(slow.comparisons)} comparisons hold" in text
    for name, result in (("anisotropic", run), ("averaged-slow", slow)):
        fit = result.series[0].fit
        assert f"{fit.exponent:.3f} ± {fit.standard_error:.3f}" in text
        assert f'href="#{name}"' in shared
    # Per quantity: an overlay, a phase diagram, errors and slopes of both runs; each run far out.
    assert shared.count("<svg role=") == 6 * len(run.series) + 2


def test_a_page_says_what_feasible_prompts_cannot_show(page, shared, slow):
    words = "Feasible prompts cannot show this exponent"
    assert words not in page
    text = " ".join(" ".join(Page(shared).words).split())
    text = text[text.index(words) :]
    assert f"has the slope {slow.far.slope[-1]:.4f} at" in text.replace("−", "-")  # and it is near the truth
    assert abs(-slow.far.slope[-1] - slow.series[0].sharp) < 0.005
    assert text.index("Where no simulation reaches") < text.index("Comparisons")
    order = [
        page.index(said) for said in ("close to linear attention?", "<svg", "comparisons hold", "settle")
    ]
    assert order == sorted(order)  # answer, picture, then what else was found and what was not


def test_runs_of_one_name_have_plots_of_their_own(run):
    assert run_names([run, run, run]) == ["anisotropic", "anisotropic (2)", "anisotropic (3)"]
    setting = lambda name: AttentionSetting(np.eye(1), np.eye(1), np.eye(1), np.ones(1), name=name)
    named = [replace(run, setting=setting(name)) for name in ("a!", "a?", "phase", "λ")]
    # Names that differ by signs only, and names of plots that every report has.
    assert prefixes(named) == ["a", "a-2", "phase-3", "run"]


def test_runs_on_one_page_look_different():
    assert len({run_style(i, 36) for i in range(36)}) == 36


def test_the_key_of_a_run_is_its_marker(run, drawings):
    many = page_of(*[run] * 8, drawing=drawings[2]._replace(runs=drawings[1].runs * 8))
    legend = many.split("<h2>The runs over one another</h2>")[1].split("</section>")[0]
    keys = re.findall(r'<svg viewBox="0 0 30 12".*?</svg>', legend, flags=re.DOTALL)
    assert len(keys) == len(set(keys)) == 8


def test_slack_is_the_bound_over_the_truth(run):
    found = {(s.quantity, s.bound): s for s in slacks(run)}
    output = run.series[0]
    theorem = next(b.values for b in output.bounds if b.name == "Theorem A")
    slack = found["output", "Theorem A"]
    assert slack.shortest == (1.0, pytest.approx(1.0))  # equality for one token
    assert slack.longest == (1000.0, theorem[-1] / output.exact[-1])
    assert found["output", "Lemma C.4"].shortest[0] == 2  # it does not speak at L = 1
    assert all(s.tightest[1] <= min(s.shortest[1], s.longest[1]) for s in found.values())


def test_every_plot_is_a_file_in_plain_colours(run, drawings, tmp_path, monkeypatch):
    monkeypatch.setattr(proofs_check.reports.rates.report.write, "draw", lambda runs: drawings[len(runs)])
    write_report(run, tmp_path, provenance("x", 1.0))
    listed = [plot["file"] for plot in json.loads((tmp_path / "report.json").read_text())["plots"]]
    assert sorted(listed) == sorted(f"plots/{p.name}" for p in (tmp_path / "plots").iterdir())
    for name in listed:
        text = (tmp_path / name).read_text(encoding="utf-8")
        root = ElementTree.fromstring(text)
        assert root.find("{http://www.w3.org/2000/svg}title") is not None
        assert root.get("width", "").endswith("pt")
        assert "var(" not in text
        assert "#0102" not in text
        assert set(re.findall(r"#[0-9a-f]{6}\b", text)) <= {*COLOURS.values(), "#ffffff", "#000000"}


def test_plots_of_an_earlier_report_go_and_nothing_else(run, slow, drawings, tmp_path, monkeypatch):
    monkeypatch.setattr(proofs_check.reports.rates.report.write, "draw", lambda runs: drawings[len(runs)])
    write_report([run, slow], tmp_path, provenance("x", 1.0))
    (tmp_path / "plots" / "mine.svg").write_text("mine")
    write_report(run, tmp_path, provenance("x", 1.0))
    left = {p.name for p in (tmp_path / "plots").iterdir()}
    assert "mine.svg" in left
    assert not any(name.startswith(("overlay", "averaged-slow")) for name in left)
    # A foreign report.json names files that are none of ours.
    foreign = {"plots": [{"file": "../mine.svg"}, {"file": "plots/../plots/mine.svg"}, 3]}
    (tmp_path / "report.json").write_text(json.dumps(foreign))
    write_report(run, tmp_path, provenance("x", 1.0))
    assert (tmp_path / "plots" / "mine.svg").exists()


def test_a_report_needs_a_run(tmp_path):
    with pytest.raises(ValueError, match="no run to report"):
        write_report([], tmp_path, provenance("x", 1.0))


def test_the_same_runs_give_the_same_plots(run, drawings):
    assert list(draw([run]).all()) == list(drawings[1].all())


def test_a_failed_write_leaves_the_old_report(run, drawings, tmp_path, monkeypatch):
    monkeypatch.setattr(proofs_check.reports.rates.report.write, "draw", lambda runs: drawings[len(runs)])
    for name in FILES:
        (tmp_path / name).write_text("old")

    def fail(*_):
        raise RuntimeError("no ink")

    monkeypatch.setattr(proofs_check.reports.rates.report.write, "as_csv", fail)
    with pytest.raises(RuntimeError, match="no ink"):
        write_report(run, tmp_path, provenance("x", 1.0))
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(FILES)
    assert all((tmp_path / name).read_text() == "old" for name in FILES)
