"""The command ``rates --paper COL``: its lines, what makes one fail, its files, and wrong input."""

import csv
import json
import re
from functools import partial

import numpy as np
import pytest
import sympy as sp
from sympy.parsing.sympy_parser import (
    convert_xor,
    implicit_multiplication,
    parse_expr,
    standard_transformations,
)

from numerics.attention.window.plain import plain_window_loss
from proofs_check.reports.cli import main
from proofs_check.reports.rates.windows import laws, monte_carlo, printed, widths
from proofs_check.reports.rates.windows import report as reports
from proofs_check.reports.rates.windows.best_window import WORKED, which_window, worked
from proofs_check.reports.rates.windows.cli import own_class
from proofs_check.reports.rates.windows.report import WindowsReport, cannot_show, measure, write
from proofs_check.reports.rates.windows.widths import AFFINE, RELU, best, finite
from tests.numerics.refusals import refused
from tests.proofs_check.reports.rates.reports import document, fails, in_order

SMALL = ("--dimensions", "3")
SOURCE = {"command": "largeprompt rates", "date": "", "seconds": 1, "versions": {}}
#: As affine tasks with L = 1 in dimension 3, and with a part of degree 4.
LIST = f"{1 / 3!r},{1 / 9!r},0,0,0.01"


def rates(*words):
    return main(["rates", "--paper", "COL", *map(str, words)])


@pytest.fixture(scope="module", autouse=True)
def fewer_places():
    """Fewer places: ReLU tasks at finite n take most of the time of the command."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(widths, "LENGTHS", (10,))
        few = [place for place in printed.PLACES if place[0] < 5 and place[1] == 3]
        patch.setattr(printed, "PLACES", tuple(few))
        patch.setattr(widths, "CROSSING", (*widths.CROSSING[:2], (1.0, 1e-3, 1e-6)))
        patch.setattr(widths, "THETAS", (0.5, 1.0, 1.5, 2.0, 2.5))
        patch.setattr(widths, "THETA_DIMENSIONS", (2, 3))
        patch.setattr(monte_carlo, "PROMPTS", 20_000)
        yield


@pytest.fixture(scope="module")
def report():
    return measure([3], 1, own_class(LIST)[0])


@pytest.fixture
def quick(report, no_plots, monkeypatch):
    """No plots, and the losses that are drawn already."""
    monkeypatch.setattr(reports, "drawn_losses", lambda seed: report.drawn)


def test_every_law_has_a_line_that_comes_out_as_the_ledger_declares(report):
    in_order(report, 1)


@pytest.mark.parametrize(
    ("row", "power"),
    [
        # What is refuted would be true with our exponent, what is not would be false with these.
        ("COL:3.1-sketch/width", lambda d: 2 / (d + 3)),
        ("COL:T3.4.tight", lambda d: 2 / (d + 3)),
        ("COL:T3.5", lambda d: 0),
        ("COL:E.3.txt/own", lambda d: (d - 1) / (d + 2)),
        ("affine.lower", lambda d: 2 / (d + 2)),
        ("affine.upper", lambda d: 2 / (d + 4)),
        ("relu.lower", lambda d: 2 / (d + 1)),
        ("relu.upper", lambda d: 2 / (d + 3)),
    ],
)
def test_a_planted_exponent_makes_its_line_fail(row, power, monkeypatch):
    monkeypatch.setitem(printed.POWERS, row, power)
    # For larger d the local slopes of ReLU tasks are still a hundredth off at Lambda = 10^13.
    monkeypatch.setattr(printed, "DIMENSIONS", (2, 3, 4))
    monkeypatch.setattr(printed, "_at_finite_lengths", lambda tasks, row: (1.0, 1.0))
    assert not printed._of_power(row, printed.LAWS[row]).holds


@pytest.mark.parametrize(
    ("name", "other", "line"),
    [
        ("effective_samples", lambda found: lambda d, w: 1.001 * found(d, w), laws._noise),
        ("bias", lambda found: lambda s, w: 1.001 * found(s, w), laws._signal),
        ("sharp_law", lambda found: lambda tasks, d, whole: 1.05 * found(tasks, d, whole), laws._sharp),
        ("plain_window_loss", lambda found: lambda *known: (1 + 1e-5) * found(*known), laws._values),
        ("error_bound", lambda found: lambda *known: found(*known) / 20, laws._bound),
        ("regret", lambda found: lambda r, s, p: found(r, 1.9, p), laws._regret),
    ],
)
def test_so_does_a_wrong_law_of_ours(name, other, line, monkeypatch):
    assert line().holds
    monkeypatch.setattr(laws, name, other(getattr(laws, name)))
    assert not line().holds


def test_so_do_other_draws_exponents_and_curvatures(report, monkeypatch):
    wrong = [found._replace(exact=1.1 * found.exact) for found in report.drawn]
    assert not laws._drawn(wrong).holds
    shifted = [found._replace(fitted=found.fitted - 0.02) for found in report.table.smoothness]
    assert not laws._phases(shifted).holds
    unscaled = lambda d, curvature, whole: (whole * curvature) ** (2 / (d + 3))
    monkeypatch.setattr(laws, "curvature_law", unscaled)
    assert not laws._curvature(report.table).holds


@pytest.mark.parametrize("seed", range(8))
def test_the_signal_of_relu_tasks_holds_whatever_the_draw(seed):
    assert laws._relu(seed).holds


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("row", "verdict", "quiet"), [("COL:E.2/upper", "REFUTED", False), ("OURS:R16", "REFUTED", True)]
)
def test_a_planted_verdict_is_exit_status_1(report, row, verdict, quiet, tmp_path, monkeypatch, capsys):
    page = fails(partial(rates, *SMALL), row, verdict, quiet, tmp_path, monkeypatch, capsys)
    assert f"1 of {len(report.lines)} lines do not come out as the ledger declares" in page


@pytest.mark.usefixtures("quick")
def test_a_file_is_a_list_and_what_is_false_is_called_so_first(report, tmp_path, capsys):
    (tmp_path / "b.txt").write_text(LIST.replace(",", "\n") + "\n")
    spectrum = lambda given: own_class(str(given))[0].spectrum(3).b.tolist()
    assert spectrum(tmp_path / "b.txt") == spectrum(LIST)
    assert rates(*SMALL, "--spectrum", tmp_path / "b.txt", "--out", tmp_path / "r") == 0
    lines, answer = capsys.readouterr().out.splitlines(), which_window()
    assert lines[: len(answer)] == answer
    first = "false  Section 3.1: the best width for linear tasks is of the order Lambda^(2/(d+4))"
    assert lines[len(answer)].startswith(first)
    assert sum(line.refuted for line in report.lines) == sum(line.startswith("false") for line in lines)
    count = len(report.lines)
    assert lines[-1].startswith(f"{count} of {count} lines come out as the ledger declares")
    assert "yours,3,," in (tmp_path / "r" / "data.csv").read_text()
    source = json.loads((tmp_path / "r" / "report.json").read_text())["provenance"]
    assert [file["file"] for file in source["inputs"]] == ["b.txt"]
    assert source["command"].endswith("--spectrum b.txt")


def test_the_files_agree_with_each_other_and_with_what_was_computed(report, tmp_path):
    page = write(report, tmp_path, SOURCE).read_text()
    found = document(report, page, tmp_path, "Lambda|sigma|theta|rho")
    assert found["paper"] == "COL"
    rows = list(csv.DictReader((tmp_path / "data.csv").read_text().splitlines()))
    assert len(rows) == len(found["widths"]) == len(report.table.rows)
    assert any(not np.isfinite(row.Lambda) for row in report.table.rows)  # empty in the files
    for row, told, width in zip(rows, found["widths"], report.table.rows):
        assert (row["tasks"], row["d"], told["w"]) == (told["tasks"], str(told["d"]), width.w)
        assert row["w"] == repr(width.w)
        assert row["n"] == ("" if told["n"] is None else str(told["n"]))
        assert row["Lambda"] == ("" if told["Lambda"] is None else repr(told["Lambda"]))


def test_the_page_begins_with_the_formula_of_the_best_window(report, tmp_path):
    page = write(report, tmp_path, SOURCE).read_text()
    assert json.loads((tmp_path / "report.json").read_text())["best_window"] == which_window()
    assert page.index("[(d-1) Λ/(12 d C<sub>d</sub>)]") < page.index("Theorem 3.4 hold on everything")


@pytest.mark.parametrize("place", WORKED)
def test_the_worked_numbers_are_those_of_the_formula_as_it_is_told_and_of_the_loss(place):
    """The exact width once more by another route; the formula as the sentences tell it."""
    d, n, sigma = place
    found, told = worked(d, n, sigma), which_window()
    (shown,) = re.findall(r"w\^\* = (\[\(d-1\).*?\]\^\(.*?\)\)), and", told[0])
    (constant,) = re.findall(r"C_d = (.*?);", told[1])
    read = lambda text: parse_expr(
        text.replace("[", "(").replace("]", ")"),
        dict(Gamma=sp.gamma, d=sp.Integer(d), Lambda=sp.Float(n / sigma**2), C_d=sp.Symbol("C_d"), pi=sp.pi),
        (*standard_transformations, convert_xor, implicit_multiplication),
    )
    C_d = float(read(constant))
    law = float(read(shown).subs("C_d", C_d))
    assert (found.law, found.constant) == (pytest.approx(law, rel=1e-12), pytest.approx(C_d, rel=1e-12))
    loss = lambda w: plain_window_loss(AFFINE.spectrum(d), n, w, sigma**2, nodes=1600)
    assert loss(found.exact) < min(loss(found.exact * 1.02), loss(found.exact / 1.02))
    for text in (f"{found.law:.2f}", f"{found.exact:.2f}", f"Lambda = {WORKED[0][1]}", f"C_{d} = {C_d:.4f}"):
        assert text in told[3]


def test_2w_is_the_factor_of_the_matrix():
    """Softmax of x_i' M x with M = 2w I has the weights exp(-w |x_i - x|^2) on the sphere."""
    x = np.random.default_rng(5).normal(size=(7, 5))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    scores, squares = x[1:] @ (2 * 3.34 * np.eye(5)) @ x[0], ((x[1:] - x[0]) ** 2).sum(axis=1)
    first, second = np.exp(scores), np.exp(-3.34 * squares)
    assert first / first.sum() == pytest.approx(second / second.sum(), rel=1e-12)


def test_what_a_fit_cannot_show_speaks_of_the_users_class_where_there_is_one(report):
    without = WindowsReport(report.table, report.fits, report.drawn, report.lines)
    assert len(cannot_show(report)) == len(cannot_show(without)) + 1


def test_the_fits_lie_in_the_interval_that_is_printed_and_off_the_sketch(report):
    found = {fit.tasks: fit for fit in report.fits}
    assert abs(found["affine"].fit.value - 1 / 3) < 1e-3
    assert found["affine"].fit.low > 2 / 7
    assert 0.37 < found["ReLU"].fit.low < found["ReLU"].fit.high < 2 / 5
    assert abs(found["cosine"].last - 1 / 3) < 1e-3
    assert abs(found["yours"].fit.value - 1 / 3) < 0.01
    for fit in found.values():
        low, high = fit.printed or (-np.inf, np.inf)
        assert low < fit.fit.low <= fit.fit.value <= fit.fit.high < high


def test_a_list_with_the_spectrum_of_a_class_has_its_widths():
    listed = own_class("0.25 0.1111111111111111")[0]  # b_0 does not matter
    assert best(listed, 3, 1e6) == pytest.approx(best(AFFINE, 3, 1e6), rel=1e-6)
    assert finite(listed, 3, 20, 0.1) == pytest.approx(finite(AFFINE, 3, 20, 0.1), rel=1e-6)


def test_widths_grow_with_Lambda_and_those_at_finite_length_saturate(report):
    far = [row.w for row in report.table.far if row.tasks == RELU.name]
    assert far == sorted(far)
    near = [row for row in report.table.near if row.tasks == AFFINE.name]
    assert near[-1].w == pytest.approx(finite(AFFINE, 3, 10, 0.0), rel=1e-4)
    assert near[-1].w < 0.01 * near[-1].law
    limits = [row.w / row.law for row in report.table.crossing if not np.isfinite(row.Lambda)]
    assert all(0.9 < share < 1 for share in limits)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--classes", "4"],
            "--classes belongs to --paper LDL; with --paper COL leave it out (--spectrum, --dimensions, ",
        ),
        (["--lengths", "7"], "--lengths belongs to --paper BB; with --paper COL leave it out"),
        (["--dimensions", "nonsense"], "--dimensions nonsense is neither a list like"),
        (
            ["--dimensions", "1,3"],
            "--dimensions has 1, but tokens lie on the sphere in R^d; pass whole numbers from 2 to 30",
        ),
        (["--dimensions", "31"], "pass whole numbers from 2 to 30"),
        (["--seed", "-1"], "--seed -1 is negative; pass a whole number from 0 on"),
        (
            ["--spectrum", "no/such/file"],
            "--spectrum no/such/file is neither a list of numbers like 0,1,0.5 nor a file that can be read",
        ),
        (["--spectrum", ""], "is neither a list of numbers"),
        (["--spectrum", "0,-1"], "--spectrum: b_1 = -1.0 is negative"),
        (["--spectrum", "0,inf"], "--spectrum: "),
        (["--spectrum", "3,0"], "the tasks are constant, and no window is best; pass b_1 or a later one too"),
        (["--spectrum", "1," * 402], "--spectrum has 402 coefficients; pass those of the degrees 0 to 400"),
    ],
)
def test_wrong_words_are_one_line_and_exit_status_2(words, message, tmp_path, capsys):
    assert rates(*words, "--out", tmp_path / "r") == 2
    refused(capsys, "rates", message)
    assert list(tmp_path.iterdir()) == []


def test_a_file_with_words_in_it_is_refused(tmp_path, capsys):
    (tmp_path / "b.txt").write_text("b_0 = 1")
    assert rates("--spectrum", tmp_path / "b.txt", "--out", tmp_path / "r") == 2
    known = "the file does not hold b_0, b_1, ... alone; give numbers with commas or line breaks"
    assert known in capsys.readouterr().err


def test_the_other_papers_know_no_spectrum(ran):
    known = "--spectrum belongs to --paper COL; with --paper BB leave it out (--example, "
    assert known in ran(2, "rates", "--spectrum", "0,1").err
