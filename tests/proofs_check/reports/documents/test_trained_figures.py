"""``largeprompt figures`` for LDL and COL: what is judged, written and told, and how it ends."""

import csv
import json
import re

import numpy as np
import pytest

from numerics.evidence import Verdict
from numerics.experiments.li_duan_liang.training import Choices, measure
from proofs_check.core.ledgers.files import read_ledger
from proofs_check.reports.cli import main
from proofs_check.reports.figures.li_duan_liang.page import COLUMNS, as_json


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Figures 1 and 2, whole."""
    out = tmp_path_factory.mktemp("figures")
    assert main(["figures", "--paper", "LDL", "--only", "1,2", "--out", str(out), "--quiet"]) == 0
    return out


def test_the_sentences_about_what_was_trained_are_judged_and_stand_below_their_figure(page):
    found = {c["id"]: c["verdict"] for c in read_ledger(page / "ledger")["claims"]}
    assert found["LDL:Sec6.F1s"] == "SUPPORTED"
    # Other widths, rates and optimisers are not tried.
    assert found["LDL:Sec6.F1"] == found["LDL:A.maps"] == "OPEN"
    assert found["LDL:Sec6.mono"] == "OPEN"  # the two readings of its time differ
    assert not any(id.startswith("LDL:A.poly") for id in found)  # Figure 4 was not trained
    html = (page / "index.html").read_text()
    of_first, of_second = "<code>LDL:Sec6.mono/loss</code>", "<code>LDL:A.maps</code>"
    places = [html.index(x) for x in ('id="figure-1"', of_first, 'id="figure-2"', of_second)]
    assert places == sorted(places)
    assert re.search(r"to the share 0\.2 of the loss of uniform attention: [^;]*; to the loss 0\.02: ", html)
    assert not re.findall(r'(?:src|href)="https?:', html)
    for file in re.findall(r'href="(plots/[^"]+)"', html):
        assert (page / file).exists()


def test_the_files_hold_the_same_numbers(page):
    document = json.loads((page / "data.json").read_text())
    rows = list(csv.DictReader((page / "data.csv").read_text().splitlines()))
    assert list(rows[0]) == list(COLUMNS)
    losses = [loss for curve in document["curves"] for loss in curve["loss"]]
    assert [float(row["loss"]) for row in rows] == losses
    own = [at[0] for curve in document["curves"] for at in curve["attention"]]
    assert [float(row["attention"]) for row in rows] == own


def test_a_second_call_trains_nothing_and_finds_the_same(page, monkeypatch, capsys):
    def trained_again(*_):
        raise AssertionError("a run that is kept was trained again")

    monkeypatch.setattr("numerics.experiments.li_duan_liang.training._trained", trained_again)
    before = (page / "data.json").read_text()
    assert main(["figures", "--paper", "LDL", "--only", "1,2", "--out", str(page), "--threads", "1"]) == 0
    assert (page / "data.json").read_text() == before
    told = capsys.readouterr().out
    assert "measured in" in told
    checks = re.findall(r"^  ((?:[A-Z]+)(?: -> [A-Z]+ as repaired)?(?: \(\w+\))?: .*)$", told, re.MULTILINE)
    assert len(checks) == len(set(checks)) == len(read_ledger(page / "ledger")["claims"])
    sentences = re.findall(r"^LDL:\S+: (.*)$", told, re.MULTILINE)
    assert len(sentences) == len(set(sentences))  # each stands once, above all that is said of it


def test_other_choices_refute_nothing(tmp_path, capsys):
    assert main(["figures", "--paper", "LDL", "--only", "1", "--rate", "0.01", "--out", str(tmp_path)]) == 0
    found = {c["id"]: c["verdict"] for c in read_ledger(tmp_path / "ledger")["claims"]}
    assert found["LDL:Sec6.F1s"] == "OPEN"  # at this rate L = 1 is faster than printed
    assert found["LDL:Sec6.F1/bound"] == "SUPPORTED"  # which is of attention alone
    html = (tmp_path / "index.html").read_text()
    assert "largeprompt figures --paper LDL --rate 0.01 --only 1" in html
    assert "has the printed losses" not in html  # said of our rate alone
    assert "those of these choices" in capsys.readouterr().out


@pytest.mark.parametrize(("paper", "only"), [("LDL", "4"), ("COL", "3")])
def test_quick_makes_less_and_judges_nothing(paper, only, tmp_path, capsys, monkeypatch):
    made = []

    def trained(choices, figures, **_):
        made.append(choices)
        raise ValueError("enough")

    room = {"LDL": "li_duan_liang", "COL": "collins"}[paper]
    monkeypatch.setattr(f"numerics.experiments.{room}.training.measure", trained)
    words = ["figures", "--paper", paper.lower(), "--only", only, "--out", str(tmp_path)]
    assert main([*words, "--quick"]) == main(words) == 2
    quick, usual = (vars(choices) for choices in made)
    less = {name for name in usual if quick[name] != usual[name]}
    assert less
    assert all(quick[name] < usual[name] for name in less)


def test_a_run_that_diverges_is_told_with_its_epoch_and_is_null():
    found = measure(Choices(optimiser="gd", rate=1e200, epochs=6), [1])
    lost = found.diverged()
    assert lost
    assert all(key.model == "block" and 0 <= epoch < 6 for key, epoch in lost)
    assert all(np.isfinite(found.curves[key].loss[: epoch + 1]).all() for key, epoch in lost)
    json.dumps(as_json(found), allow_nan=False)


def test_the_losses_of_figure_4_are_means_over_runs():
    found = measure(Choices(runs=2, prompts=5, epochs=3), [4])
    single = measure(Choices(runs=1, prompts=5, epochs=3), [4])
    first, second = (c.loss for key, c in found.curves.items() if key[:3] == ("polynomial", "block", 2.0))
    np.testing.assert_array_equal(first, single.loss("polynomial", "block", 2.0))
    np.testing.assert_allclose(found.loss("polynomial", "block", 2.0), (first + second) / 2, rtol=1e-15)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--paper", "LDL", "--seeds", "3"], "--seeds belongs to --paper BB"),
        (["--paper", "BB", "--quick", "--full"], "leave one of them out"),
        (["--paper", "BB", "--width", "8"], "--width belongs to --paper LDL"),
        (["--paper", "LDL", "--only", "5"], "LDL has the figures 1, 2, 3, 4"),
        (["--paper", "BB", "--only", "9"], "BB has the figures 1, 2, 3, 4, 5"),
    ],
)
def test_options_of_the_other_paper_are_refused(wrong, said, tmp_path, ran):
    assert said in ran(2, "figures", *wrong, "--out", tmp_path / "new").err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "wrong", [["--rate", "0"], ["--cosine-rate", "nan"], ["--width", "0"], ["--optimiser", "sgd"]]
)
def test_choices_that_cannot_be_used_are_refused(wrong):
    with pytest.raises(SystemExit) as stopped:
        main(["figures", "--paper", "LDL", *wrong])
    assert stopped.value.code == 2


def test_a_page_of_the_other_paper_is_not_overwritten(tmp_path, ran):
    (tmp_path / "index.html").write_text("<title>Training of softmax and linear attention")
    assert "choose another --out" in ran(2, "figures", "--paper", "LDL", "--only", "1", "--out", tmp_path).err


def test_the_help_names_the_defaults_of_the_choices(capsys):
    with pytest.raises(SystemExit):
        main(["figures", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    usual = Choices()
    for name in ("width", "optimiser", "rate", "cosine_rate", "polynomial_rate", "runs"):
        assert re.search(rf"--{name.replace('_', '-')} [^-]*\(default: {getattr(usual, name)}\)", told), name


def test_the_figures_of_a_window_have_their_sentences(tmp_path, capsys):
    """Figure 3, small: the verdicts are those of exact minimisers, whatever is drawn."""
    small = ["--L", "1,10", "--steps", "50", "--trials", "1"]
    assert main(["figures", "--paper", "COL", "--only", "3", "--out", str(tmp_path), *small]) == 0
    found = {c["id"]: c["verdict"] for c in read_ledger(tmp_path / "ledger")["claims"]}
    assert found["COL:Fig3"] == "SUPPORTED"
    assert found["COL:Fig3/trained"] == "SUPPORTED"
    assert "COL:3.2.beyond" in found  # of no single figure
    assert not any(id.startswith("COL:Fig4") for id in found)
    html = (tmp_path / "index.html").read_text()
    assert "largeprompt figures --paper COL --L 1,10 --steps 50 --trials 1 --only 3" in html
    assert html.index('id="figure-3"') < html.index("<code>COL:Fig3/trained</code>")
    # Words, beside a formula, and no line begins with a full stop.
    assert "The sum of the rates is computed; the rest of the row is a choice" in html
    assert re.search(r'<span class="held"><math>[^.]*?</math>\.</span>', html)
    assert all(f".v-{verdict.lower()} " in html for verdict in Verdict)
    assert "COL:Fig3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--only", "6"], "COL has the figures 1, 2, 3, 4, 5, 7, 9"),
        (["--paper", "BB", "--width", "8"], "--width belongs to --paper LDL"),
        (["--full"], "--full belongs to --paper BB"),
        (["--lengths", "5,5"], "names a number twice"),
    ],
)
def test_what_the_figures_of_a_window_do_not_have_is_refused(options, said, tmp_path, ran):
    assert said in ran(2, "figures", "--paper", "COL", "--out", tmp_path, *options).err


@pytest.mark.parametrize("options", [["--L", "0"], ["--steps", "10"], ["--sigmas", "a"], ["--trials", "0"]])
def test_options_out_of_range_are_refused(options, tmp_path):
    with pytest.raises(SystemExit) as ended:
        main(["figures", "--paper", "COL", "--out", str(tmp_path), *options])
    assert ended.value.code == 2
