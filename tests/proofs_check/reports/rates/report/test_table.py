"""The table of a report as a CSV file: every number, and names as text."""

import csv
import itertools
from dataclasses import replace
from io import StringIO

import pytest

from numerics.attention.setting import AttentionSetting
from proofs_check.reports.pages.provenance import provenance
from proofs_check.reports.rates.report.document import COLUMNS, as_csv, as_document


def test_the_table_has_every_number(run):
    rows = list(csv.DictReader(StringIO(as_csv([run]))))
    assert list(rows[0]) == list(COLUMNS)
    assert [int(row["L"]) for row in rows if row["quantity"] == "output"] == run.lengths.tolist()
    for series in run.series:
        mine = [row for row in rows if row["quantity"] == series.quantity]
        assert [float(row["measured"]) for row in mine] == series.mean.tolist()  # bit for bit
    assert rows[0]["lemma_c4"] == ""  # silent at L = 1
    falling = [float(rows[1][name]) for name in ("lemma_c4", "r1", "theorem_a", "exact")]
    assert falling == sorted(set(falling), reverse=True)
    assert falling[-1] > 0


def test_the_table_tells_the_runs_apart(run, slow):
    rows = list(csv.DictReader(StringIO(as_csv([run, slow, run]))))
    names = [name for name, _ in itertools.groupby(row["run"] for row in rows)]
    assert names == ["anisotropic", "averaged-slow", "anisotropic (2)"]
    law = [row for row in rows if row["run"] == "averaged-slow" and row["quantity"] == "output"]
    assert all(float(row["theorem_b"]) > 0 and float(row["paper_exponent"]) > 0 for row in law)


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_a_name_that_begins_like_a_formula_is_text_in_a_spreadsheet(run, name):
    of, own = lambda **how: AttentionSetting(run.setting.Gamma, **how), run.setting
    named = replace(run, setting=of(U=own.U, V=own.V, query=own.query, query_cov=own.query_cov, name=name))
    rows, plain = (list(csv.DictReader(StringIO(as_csv([r])))) for r in (named, run))
    assert {row["run"] for row in rows} == {f"'{name}"}
    # the numbers stay what they are
    assert [{**row, "run": ""} for row in rows] == [{**row, "run": ""} for row in plain]
    document = as_document([named], provenance("largeprompt rates", 1.0), [])
    assert document["runs"][0]["run"] == document["runs"][0]["setting"]["name"] == name
