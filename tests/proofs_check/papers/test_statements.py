"""Every statements.toml is well formed, and a spoiled one is caught."""

import re
import tomllib
from copy import deepcopy
from graphlib import CycleError, TopologicalSorter

import pytest

from proofs_check.papers import statements
from proofs_check.papers.registered import files
from proofs_check.papers.statements import KINDS, place, row, rows

FILES = files()
PAPER_KEYS = {"key", "title", "authors", "version", "date"}
ROW_KEYS = {"id", "where", "kind", "kinds", "says", "printed", "uses"}
EXCLUDED_KEYS = {"where", "printed", "reason"}


def read(path):
    return tomllib.loads(path.read_text(encoding="utf-8"))


def latex_faults(latex):
    """What is unbalanced in one piece of LaTeX: braces, environments, \\left and \\right."""
    faults = []
    bare = re.sub(r"\\[\\{}]", "", latex)
    depth = 0
    for character in bare:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            break
    if depth:
        faults.append("braces do not balance")
    open_environments = []
    for word, name in re.findall(r"\\(begin|end)\{(\w+\*?)\}", latex):
        if word == "begin":
            open_environments.append(name)
        elif not open_environments or open_environments.pop() != name:
            faults.append(f"\\end{{{name}}} closes nothing")
    if open_environments:
        faults.append(f"\\begin{{{open_environments[-1]}}} is never closed")
    if len(re.findall(r"\\left(?![a-z])", latex)) != len(re.findall(r"\\right(?![a-z])", latex)):
        faults.append("\\left and \\right do not pair")
    return faults


def faults(data):
    """Everything that is wrong with one parsed file."""
    out = []
    if missing := ({"key", "part"} if "part" in data["paper"] else PAPER_KEYS) - data["paper"].keys():
        out.append(f"[paper] lacks {sorted(missing)}")
    ids = [r.get("id", "?") for r in data["row"]]
    out += [f"{name}: twice" for name in {i for i in ids if ids.count(i) > 1}]
    known = {id for id, r in rows().items() if r.paper == data["paper"]["key"]}
    elsewhere = known if "part" in data["paper"] else set()
    for r in data["row"]:
        name = r.get("id", "?")
        if missing := ROW_KEYS - r.keys():
            out.append(f"{name}: lacks {sorted(missing)}")
            continue
        if not name.startswith(f"{data['paper']['key']}:"):
            out.append(f"{name}: does not start with the paper's key")
        if r["kind"] not in KINDS:
            out.append(f"{name}: kind {r['kind']!r}")
        if not r["says"].endswith(".") or "\n" in r["says"]:
            out.append(f"{name}: says is not one sentence")
        if not r["printed"].strip() or not r["where"].strip():
            out.append(f"{name}: empty text")
        out += [f"{name}: {fault}" for fault in latex_faults(r["printed"])]
        out += [f"{name}: uses the unknown {use}" for use in r["uses"] if use not in {*ids, *elsewhere}]
    for e in data.get("excluded", []):
        if missing := EXCLUDED_KEYS - e.keys():
            out.append(f"excluded {e.get('where', '?')}: lacks {sorted(missing)}")
        else:
            out += [f"excluded {e['where']}: {fault}" for fault in latex_faults(e["printed"])]
    try:
        TopologicalSorter({r["id"]: r["uses"] for r in data["row"] if {"id", "uses"} <= r.keys()}).prepare()
    except CycleError as error:
        out.append(f"circle: {' -> '.join(error.args[1])}")
    return out


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.parent.name)
def test_the_file_is_well_formed(path):
    assert faults(read(path)) == []


def _repeat(data):
    data["row"].append(deepcopy(data["row"][0]))


def _circle(data):
    data["row"][0]["uses"] = [data["row"][1]["id"]]
    data["row"][1]["uses"] = [data["row"][0]["id"]]


CROSSED = r"\begin{aligned}\begin{array}{l}\end{aligned}\end{array}"
SPOILS = {
    "id twice": (_repeat, "twice"),
    "no place": (lambda d: d["row"][0].pop("where"), "lacks ['where']"),
    "kind not in the list": (lambda d: d["row"][0].update(kind="ODE"), "kind 'ODE'"),
    "foreign id": (lambda d: d["row"][0].update(id="XX:1"), "paper's key"),
    "unknown use": (lambda d: d["row"][0].update(uses=["BB:nowhere"]), "unknown BB:nowhere"),
    "circle": (_circle, "circle"),
    "open brace": (lambda d: d["row"][0].update(printed=r"\frac{1}{L"), "braces"),
    "brace closed before it opens": (lambda d: d["row"][0].update(printed="}x{"), "braces"),
    "open environment": (lambda d: d["row"][0].update(printed=r"\begin{aligned}x"), "never closed"),
    "crossed environments": (lambda d: d["row"][0].update(printed=CROSSED), "closes nothing"),
    "left without right": (lambda d: d["row"][0].update(printed=r"\left(x"), "pair"),
    "exclusion without a reason": (lambda d: d["excluded"][0].pop("reason"), "lacks ['reason']"),
}


@pytest.mark.parametrize(("spoil", "complaint"), SPOILS.values(), ids=SPOILS)
def test_a_spoiled_file_is_caught(spoil, complaint):
    data = read(next(p for p in FILES if p.parent.name == "main_text"))
    spoil(data)
    assert any(complaint in fault for fault in faults(data))


def test_the_loader_returns_every_row_of_every_file():
    parts = [read(path) for path in FILES]
    papers = list(dict.fromkeys(data["paper"]["key"] for data in parts))
    parts.sort(key=lambda data: (papers.index(data["paper"]["key"]), data["paper"].get("part", 1)))
    assert list(rows()) == [r["id"] for data in parts for r in data["row"]]
    assert row("BB:LC.1/inference").where == "Appendix C.1, Lemma C.1"


def test_boursier_boyer_is_complete():
    parts = [data for data in map(read, FILES) if data["paper"]["key"] == "BB"]
    listed = [r for data in parts for r in (*data["row"], *data.get("excluded", ()))]
    numbered = {int(n) for r in listed for n in re.findall(r"\\qquad\((\d+)\)", r["printed"])}
    # (1), (11), (12), (16) and (18) are rows named by their number or place; (5), (6), (8) and (9)
    # do not exist in the paper.
    assert numbered | {1, 11, 12, 16, 18} == set(range(1, 30)) - {5, 6, 8, 9}


def test_every_result_of_ours_has_a_proof_or_says_that_it_is_a_sketch():
    ours = [r for r in rows().values() if r.paper == "OURS"]
    assert {f"R{n}" for n in range(1, 13)} <= {r.id.removeprefix("OURS:").split(".")[0] for r in ours}
    assert [r.id for r in ours if len(r.proof) < 40] == []
    assert [r.id for r in ours if r.proof.count("$") % 2] == []


def test_a_blank_reason_for_no_property_is_an_error(monkeypatch):
    data = deepcopy({**statements._papers()["BB"]})
    data["row"][0]["no_property"] = " "
    monkeypatch.setattr(statements, "_papers", lambda: {"BB": data})
    with pytest.raises(ValueError, match="blank no_property; say why"):
        statements.all_rows.__wrapped__()


@pytest.mark.parametrize(
    ("id", "section", "title"),
    [
        ("BB:LC.4.int", "Appendix C.2", "Lemma C.4"),
        ("BB:P3.4.V", "Section 3", "Proposition 3.4"),
        ("BB:A.1", "Appendix A.1", "Appendix A.1"),
        ("BB:C.7.gV", "Appendix C.7", "Appendix C.7"),
        ("BB:E.1", "Appendix E.1", "Theorem 4.3"),
        ("BB:29", "Appendix F.1", "Lemma F.1"),
        ("OURS:R1.off", "Results", "R1"),
        ("OURS:R4.B", "Results", "Theorem B"),
    ],
)
def test_rows_are_gathered_into_the_statement_they_belong_to(id, section, title):
    assert place(rows()[id]) == (section, title)
