"""What is said of property tests: in words, on the pages of rows, and for rows without one."""

import io
from dataclasses import replace

from rich.console import Console

from proofs_check.core.ledgers.coverage import coverage
from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.core.ledgers.outcomes import outcomes
from proofs_check.papers.statements import rows
from proofs_check.reports.documents.blueprint.document import Site
from proofs_check.reports.documents.blueprint.render import as_html
from proofs_check.reports.documents.property_tests import examples
from proofs_check.reports.documents.row_page import Page
from tests.proofs_check.core.ledgers import document, line


def tried():
    return line("BB:CC.3.b")


def evidence(**changes):
    return {"slack": None, "routes": [tried()["repair"]["evidence"]["routes"][0] | changes]}


def test_a_supported_statement_tells_examples_ratio_and_control():
    repaired = tried()["repair"]["evidence"]
    said, route = examples(repaired), repaired["routes"][0]
    assert said.startswith(f"{route['samples']} examples")
    assert f"ratio of the two sides is {1 / route['slack']:.4g}" in said
    assert f"L = {route['control']['witness']['L']}" in said


def test_equations_have_no_ratio_and_what_was_not_run_or_refuted_is_said():
    assert "The statement holds at all of them." in examples(evidence(slack=None))
    assert "decided nothing: not run" in examples(evidence(verdict="OPEN", reason="not run"))
    assert "refute it, too, at x = 3" in examples(evidence(verdict="REFUTED", witness={"x": 3}))
    assert examples({"routes": []}) == ""


def shown(book, id):
    out = io.StringIO()
    Page(Console(file=out, width=200, highlight=False), book, latex=False).row(outcomes(book)[id])
    return out.getvalue()


def test_show_and_blueprint_tell_it_once():
    told = f"{tried()['repair']['evidence']['routes'][0]['samples']} examples"
    text = shown(Ledger(document(tried())["claims"]), "BB:CC.3.b")
    assert text.count(told) == 1
    html = as_html(Site(document(tried()))).html
    assert html.count(told) == 1
    assert "drawn examples" in html


def test_a_row_without_one_says_why(monkeypatch):
    why = "It is a sentence about a figure."
    known = dict(rows()) | {"BB:CC.3.b": replace(rows()["BB:CC.3.b"], no_property=why)}
    for module in ("outcomes", "coverage"):
        monkeypatch.setattr(f"proofs_check.core.ledgers.{module}.rows", lambda: known)
    assert why in shown(Ledger(document(tried())["claims"]), "BB:CC.3.b")
    assert coverage([tried()], "BB").excused == ("BB:CC.3.b",)
    untold = tried()
    untold["repair"]["evidence"]["routes"] = []
    assert coverage([untold], "BB").excused == coverage([untold], "BB").untried == ()


def test_a_row_with_neither_property_nor_reason_breaks_a_rule():
    untold = tried()
    untold["repair"]["evidence"]["routes"] = []
    found = coverage([untold], "BB")
    assert found.untried == ("BB:CC.3.b",)
    assert any("no property test tries BB:CC.3.b" in rule for rule in found.broken())
    assert coverage([tried()], "BB").untried == ()
