"""The README and the pages in docs/ say what is so: links, rooms, ids, numbers and picture."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from numerics.evidence import Verdict
from proofs_check.core.ledgers.files import read_ledger
from proofs_check.core.ledgers.losses import CHANGED, LOST, STANDS
from proofs_check.core.ledgers.outcomes import account
from proofs_check.reports.cli import main
from proofs_check.reports.documents.names import named

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
INNER = sorted((ROOT / "docs").glob("*/*.md"))
PICTURE = "error_and_bounds.svg"


def curves(svg):
    """The points of the curves of a picture, by their names."""
    found = re.findall(r'<g id="([^"]*)">\s*<path d="([^"]*)" clip-path', svg)
    numbers = lambda path: np.array(re.findall(r"[-\d.]+", path), dtype=float)
    return {name: numbers(path) for name, path in found if not name.startswith("line2d")}


def test_the_readme_is_read_in_two_minutes():
    assert len(README.splitlines()) <= 100


@pytest.mark.parametrize("page", [*PAGES, *INNER], ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    text = re.sub(r"\$[^$]*\$", "", page.read_text(encoding="utf-8"))  # T[mu](z) in a formula is no link
    links = re.findall(r"\]\((?!https://)([^)#]+)[^)]*\)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_named_claims_are_rows(page):
    ids = r"\b(?:BB|LDL|COL|OURS):(?:[A-Z][a-z]+ )?[\w.]*\w"
    for id in re.findall(ids, page.read_text(encoding="utf-8")):
        assert named(id).rows, f"{page.name} names {id}"


def test_every_page_of_the_docs_is_linked_from_the_readme():
    linked = set(re.findall(r"\]\(docs/([^)]+\.md)\)", README))
    assert linked == {page.name for page in PAGES[1:]} - {"index.md"}  # the home of the site


@pytest.mark.parametrize("package", ["theory", "numerics", "proofs_check"])
def test_the_map_names_every_room_and_no_other(package):
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    described = re.search(rf"^- `{package}/`(.*?)(?=^- |^$)", contributing, flags=re.MULTILINE | re.DOTALL)
    rooms = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
    assert set(re.findall(r"`(\w+)/`", described[1])) == rooms


def test_the_picture_and_its_numbers_are_what_the_script_makes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["plot_error_and_bounds.py"])
    runpy.run_path(str(ROOT / "examples" / "plot_error_and_bounds.py"))
    lengths = re.findall(r"from L = (\d+) on", capsys.readouterr().out)
    told = [f"{int(L):,}".replace(",", " ") for L in lengths]
    assert re.findall(r"from\s([\d ]+?) (?:tokens )?on", README) == told
    picture = lambda folder: curves((folder / PICTURE).read_text(encoding="utf-8"))
    made, kept = picture(tmp_path), picture(ROOT / "docs")
    assert kept
    assert list(made) == list(kept)
    for name, points in kept.items():
        np.testing.assert_allclose(made[name], points, atol=0.5)


RELEASE = read_ledger(ROOT / "proofs_check" / "ledger.json")
ENTRIES = {e["id"]: e for e in RELEASE["claims"]}


def standing(paper, *titles):
    """How results of a paper stand; all main ones if none is named."""
    found = account(RELEASE, paper).results
    assert {*titles} <= {r.title for r in found}
    return {r.standing for r in found if (r.title in titles if titles else r.main)}


def errors(*ids):
    """How grave errors are, and where; with whether what is true instead was accepted."""
    assert all(Verdict(ENTRIES[id]["repair"]["verdict"]).accepted for id in ids)
    return {(ENTRIES[id]["severity"], ENTRIES[id]["at"]) for id in ids}


def test_what_the_readme_says_of_the_papers_is_what_the_ledger_says():
    of = {paper: {r.title: r for r in account(RELEASE, paper).results} for paper in ("BB", "COL", "LDL")}
    noisy = [ENTRIES[id] for id in ("COL:T3.4/range", "COL:T3.5")]
    slow = [ENTRIES[id] for id in ("LDL:T1", "LDL:T2")]
    meant = {
        "Every main result stands, Propositions 3.1 and 3.4 for prompts of two tokens or more; all of them"
        " are derived here.": [
            standing("BB") <= {STANDS, CHANGED},
            {r.title for r in of["BB"].values() if r.main and r.standing == CHANGED}
            == {"Proposition 3.1", "Proposition 3.4"},
            errors("BB:P3.1", "BB:P3.4.U", "BB:P3.4.V") == {("edge", "L = 1")},
            all(r.proved for r in of["BB"].values() if r.main),
        ],
        "Lemmas E.2 and E.4 are false; Theorems 4.3 and 5.2, whose proofs use them, survive with what is true"
        " instead.": [
            {severity for severity, _ in errors("BB:LE.2", "BB:LE.4")} <= {"false", "gap"},
            *("ses Lemmas E.2 and E.4" in of["BB"][title].proof for title in ("Theorem 4.3", "Theorem 5.2")),
            standing("BB", "Theorem 4.3", "Theorem 5.2") == {STANDS},
        ],
        "In our copy, a damaged scan, Corollary G.5, which the proofs of Theorems 3.4 and 3.5 use, is false:"
        " the unit sphere of R^d has the dimension d - 1, so that the exponent is (d - 1)/2, and d/2 is"
        " printed.": [
            errors("COL:G.5/large") == {("false", "")},
            "nr^{-(d-1+p)/2}" in ENTRIES["COL:G.5/large"]["instead"],
            *("Corollary G.5" in of["COL"][title].proof for title in ("Theorem 3.4", "Theorem 3.5")),
        ],
        "Both theorems are proved here for noise of a variance between the orders L^2 n^(-2/d) and n L^2 (n"
        " tokens, Lipschitz constant L); 3.4 prints another lower end, and 3.5 no range.": [
            standing("COL", "Theorem 3.4", "Theorem 3.5") == {CHANGED},
            all(r"\Omega(L^2n^{-2/d})\leq\sigma^2\leq O(nL^2)" in e["instead"] for e in noisy),
            all(e["repair"]["verdict"] == "CERTIFIED" and "COL:B.5" in e["needs"] for e in noisy),
            ENTRIES["COL:B.5"]["repair"]["verdict"] == "CERTIFIED",
            "damaged place, shows no $L$" in noisy[0]["why"],
            r"No hypothesis on $n$ and $\sigma$ is stated" in noisy[1]["why"],
        ],
        "Theorems 1 and 2 are false: the training times after which they promise a loss of the order"
        " epsilon^2 are too short.": [
            errors("LDL:T1", "LDL:T2") == {("false", "")},
            standing("LDL", "Theorem 1", "Theorem 2") == {LOST},
        ],
        "For orthonormal features, which they admit, the time grows like 1/epsilon^2; the printed times grow"
        " like log(1/epsilon) in Theorem 1 and log(1/epsilon)/epsilon in Theorem 2.": [
            r"\frac{K\log(K\epsilon^{-1})}{\eta\delta" in slow[0]["printed"],
            r"\frac{K\log(K\epsilon^{-1}L\Delta)}{\eta\epsilon\delta" in slow[1]["printed"],
            r"grows like $\epsilon^{-2}$" in slow[0]["why"],
            all(r"\frac12Kr^2" in e["instead"] and r"r=\sigma_f/\epsilon" in e["instead"] for e in slow),
        ],
        "Lemma 1 stands; its printed proof has a false step.": [
            standing("LDL", "Lemma 1") == {STANDS},
            "has a false step" in of["LDL"]["Lemma 1"].proof,
        ],
    }
    lost = [r for results in of.values() for r in results.values() if r.standing == LOST]
    assert "What is *not established* is false as printed, and another statement is true" in README
    assert all(re.match("false .*; what is true instead is another statement", r.reason) for r in lost)
    told = README[README.index("## What it found") : README.index("What *stands*")]
    said = [" ".join(part.split("**")[-1].split()) for part in told.split("\n- **")[1:]]
    assert [sentence for text in said for sentence in re.findall(r"\S.+?\.(?= [A-Z]|$)", text)] == list(meant)
    assert [sentence for sentence, holds in meant.items() if not all(holds)] == []


def test_the_answers_in_the_readme_are_those_of_the_commands(capsys):
    shown = re.findall(r"^\$ largeprompt (.*)\n([^`]*)```", README, flags=re.MULTILINE)
    assert len(shown) == README.count("```console")
    for command, output in shown:
        ledger = ["--ledger", str(ROOT / "proofs_check")] * command.startswith("show")
        assert main([*command.split(), *ledger]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert [line for line in output.splitlines() if " ".join(line.split()) not in said] == []
