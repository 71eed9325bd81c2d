"""The command ``rates --paper LDL``: its lines, what makes one fail, its files, and wrong input."""

import csv
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from proofs_check.reports.cli import main
from proofs_check.reports.rates.features import laws, printed
from proofs_check.reports.rates.features.report import cannot_show, measure, write
from tests.numerics.refusals import refused
from tests.proofs_check.reports.rates.reports import document, fails, in_order
from theory import ReducedAttention

SMALL = ("--classes", "4")


def rates(*words):
    return main(["rates", "--paper", "LDL", *map(str, words)])


@pytest.fixture(scope="module")
def report():
    return measure([4, 16], 1)


def test_every_law_has_a_line_that_comes_out_as_the_ledger_declares(report):
    in_order(report, 10)
    assert all(abs(line.power) > 0.5 for line in report.lines if line.refuted and line.ratios)


@pytest.mark.parametrize("seed", range(8))
def test_our_law_of_random_features_holds_whatever_the_draw(seed):
    assert laws._margin([], seed).holds


#: What is planted where, and the rows whose lines must then fail.
PLANTED = [
    # Printed laws that are true would not be refuted, and one that is too large would be.
    (printed, "half_time", lambda K, L, Delta, eta: K**2 / (eta * L**2 * Delta**2), {"LDL:P2/time.upper"}),
    (
        printed,
        "half_time",
        lambda K, L, Delta, eta: K**3 / (eta * L**2 * Delta**2),
        {"LDL:P2/time.upper", "LDL:P2/time.lower"},
    ),
    (printed, "flat_time", lambda K, eps, L, Delta, delta, eta: K / (eta * eps**2 * Delta**4), {"LDL:T1"}),
    (
        printed,
        "sharp_time",
        lambda K, eps, L, Delta, delta, eta: K / (eta * eps**2 * Delta**4),
        {"LDL:T2", "LDL:4.thr"},
    ),
    # Ours with another exponent, constant, or term.
    (laws, "half_law", lambda K: K**2.001 + 3 * K * np.log(K), {"OURS:R7.half"}),
    (laws, "half_law", lambda K: K**2 + 3 * K * np.log(K) - K / 2 - 6 * np.log(K) - 7.99, {"OURS:R7.half"}),
]


@pytest.mark.parametrize(("module", "name", "other", "rows"), PLANTED)
def test_a_planted_law_makes_its_lines_fail(module, name, other, rows, monkeypatch):
    monkeypatch.setattr(module, name, other)
    found = [*printed.printed_lines(), laws._half()]
    assert rows <= {line.row for line in found if not line.holds}


@pytest.mark.parametrize(
    ("name", "other", "row"),
    [
        ("attention_law", lambda self, eps: self.K**2.01 / self.c, "OURS:R7.law"),
        (
            "attention_time",
            lambda self, eps: 1.001 * self.time(np.log((self.K - 1) * (1 - eps) / eps)),
            "OURS:R7.time",
        ),
        ("late_loss", lambda self, t: (self.K - 1) / (2 * self.c * t), "OURS:R10.late"),
    ],
)
def test_so_does_a_wrong_closed_form(name, other, row, monkeypatch):
    monkeypatch.setattr(ReducedAttention, name, other)
    found = {line.row: line for line in (laws._law(), laws._flow(), laws._finite())}
    assert not found[row].holds


@pytest.mark.usefixtures("no_plots")
@pytest.mark.parametrize(
    ("row", "verdict"),
    [("LDL:T1", "CERTIFIED"), ("LDL:T1.mono/faster", "CERTIFIED"), ("OURS:R11", "REFUTED")],
)
def test_a_planted_verdict_is_exit_status_1(row, verdict, tmp_path, monkeypatch, capsys):
    quiet = "/" in row
    page = fails(partial(rates, *SMALL), row, verdict, quiet, tmp_path, monkeypatch, capsys)
    assert "1 of 22 lines do not come out as the ledger declares" in page
    assert "✗ NOT borne out by exact times" in page


def test_the_files_agree_with_each_other_and_with_what_was_computed(report, tmp_path):
    source = {"command": "largeprompt rates", "date": "", "seconds": 1, "versions": {}}
    page = write(report, tmp_path, source).read_text()
    found = document(report, page, tmp_path, "eps|eta|Delta|delta")
    rows = list(csv.DictReader((tmp_path / "data.csv").read_text().splitlines()))
    times = report.table.rows
    assert len(rows) == len(found["times"]) == len(times)
    assert any(not np.isfinite(time.steps) for time in times)  # what never happens is empty in the files
    for row, told, time in zip(rows, found["times"], times):
        assert (row["features"], row["event"], row["K"]) == (told["features"], told["event"], str(told["K"]))
        assert told["steps"] == (time.steps if np.isfinite(time.steps) else None)
        assert row["steps"] == ("" if told["steps"] is None else repr(told["steps"]))


def test_what_a_fit_cannot_show_is_said_for_one_number_of_classes_too(report):
    two = cannot_show(report)
    assert sum("exponent of orthonormal features reads" in sentence for sentence in two) == 1
    late = [fit for fit in report.fits if fit.window[0] >= 2**12 or fit.features != "orthonormal"]
    assert len(cannot_show(replace(report, fits=late))) == len(two) - 1


@pytest.mark.usefixtures("no_plots")
def test_the_same_command_gives_the_same_files(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setattr("time.perf_counter", lambda: 0.0)
    for name, classes in (("a", "4"), ("b", "4,4")):  # what is said twice does not matter
        assert rates("--classes", classes, "--quiet", "--out", tmp_path / name) == 0
    one, other = ((tmp_path / name / "data.csv").read_bytes() for name in "ab")
    assert one == other


def test_a_printed_law_that_is_false_is_called_so_first(report, no_plots, tmp_path, capsys):
    assert rates(*SMALL, "--out", tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("false  Proposition 2: the attention is 1/2 after at most")
    assert sum(line.startswith("false") for line in lines) == sum(line.refuted for line in report.lines)
    assert lines[-1].startswith("22 of 22 lines come out as the ledger declares")
    assert all(line.isascii() for line in lines[:-1])


OF_THE_OTHER_PAPER = [
    *("--example", "--law", "--Gamma", "--U", "--K", "--Q", "--score-scale", "--V", "--query", "--query-cov"),
    *("--lengths", "--replicates", "--threads"),
]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        *(
            ([option, "7"], f"{option} belongs to --paper BB; with --paper LDL leave it out")
            for option in OF_THE_OTHER_PAPER
        ),
        (["--classes", "nonsense"], "--classes nonsense is neither a list like"),
        (["--classes", ""], "is neither a list like"),
        (["--classes", "4,8.5"], "8.5 is not a whole number"),
        (
            ["--classes", "4,7"],
            "has 7, but the tasks take each of two values on half of the features; pass even numbers",
        ),
        (["--classes", "2"], "pass even numbers from 4"),
        (["--classes", "1e9"], "pass even numbers from 4 to 65536"),
        (["--seed", "-1"], "--seed -1 is negative; pass a whole number from 0 on"),
    ],
)
def test_wrong_words_are_one_line_and_exit_status_2(words, message, tmp_path, capsys):
    assert rates(*words, "--out", tmp_path / "r") == 2
    refused(capsys, "rates", message)
    assert list(tmp_path.iterdir()) == []


def test_the_other_paper_knows_no_classes(ran):
    known = ran(2, "rates", "--classes", "4").err
    assert "--classes belongs to --paper LDL; with --paper BB leave it out (--example, " in known
