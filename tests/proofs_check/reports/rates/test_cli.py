"""The command `rates`: what it writes, how it exits, and what it says to wrong input."""

import argparse
import io
import json
import sys

import numpy as np
import pytest

import numerics.rates.series
from numerics.attention.examples import EXAMPLES
from numerics.attention.setting import LAWS
from proofs_check.reports.cli import main
from proofs_check.reports.rates import setting_options
from proofs_check.reports.rates.report.write import FILES, PLOTS, schema
from proofs_check.reports.rates.setting_options import add_setting_options, given_settings
from tests.numerics.refusals import refused

STOPPED = "interrupted; no report was written (`largeprompt sweep` keeps what it has)"
BEYOND = "isotropic: theory does not reach this ({}); take a smaller U or query"
SMALL = ["--lengths", "10,100", "--replicates", "200", "--threads", "1"]


def rates(*words):
    return main(["rates", *map(str, words)])


@pytest.fixture
def matrices(tmp_path):
    names = ("Gamma.npy", "U.npy", "V.json", "query.json")
    files = {name.partition(".")[0]: tmp_path / name for name in names}
    np.save(files["Gamma"], np.eye(2))
    np.save(files["U"], 0.5 * np.eye(2))
    files["V"].write_text("[[1, 0], [0, 2.5]]")
    files["query"].write_text("[1, -1]")
    return files


def options(files):
    return [word for name, path in files.items() for word in (f"--{name}", str(path))]


def test_a_run_from_files(matrices, tmp_path, capsys):
    import jsonschema

    out = tmp_path / "made"
    assert rates(*options(matrices), *SMALL, "--seed", "7", "--out", out) == 0
    assert sorted(p.name for p in out.iterdir()) == sorted([*FILES, PLOTS])
    document = json.loads((out / "report.json").read_text())
    jsonschema.validate(document, schema())
    (run,) = document["runs"]
    assert run["setting"]["V"] == [[1, 0], [0, 2.5]]
    assert (run["seed"], run["lengths"], run["replicates"]) == (7, [10, 100], 200)
    source = document["provenance"]
    assert [i["file"] for i in source["inputs"]] == ["Gamma.npy", "U.npy", "V.json", "query.json"]
    assert "--Gamma Gamma.npy" in source["command"]
    assert str(tmp_path) not in (out / "report.html").read_text() + json.dumps(document)
    printed = capsys.readouterr()
    assert "comparisons hold; report in" in printed.out
    # no progress bar when nobody looks
    assert all(line.startswith("compiling the ") for line in printed.err.splitlines()), printed.err


@pytest.mark.usefixtures("no_plots")
def test_keys_and_queries_in_place_of_U(matrices, tmp_path, capsys):
    np.savez(tmp_path / "heads.npz", K=np.diag([1.0, 1.0, 0.0, 0.0])[:, :2], Q=np.eye(4)[:, :2])
    del matrices["U"]
    heads = ["--K", f"{tmp_path}/heads.npz:K", "--Q", f"{tmp_path}/heads.npz:Q", "--score-scale", "sqrt"]
    assert rates(*options(matrices), *heads, *SMALL, "--out", tmp_path / "r") == 0
    document = json.loads((tmp_path / "r" / "report.json").read_text())
    assert document["runs"][0]["setting"]["U"] == [[0.5, 0], [0, 0.5]]
    assert "--K heads.npz:K --Q heads.npz:Q" in document["provenance"]["command"]
    assert "--score-scale sqrt" in document["provenance"]["command"]


@pytest.mark.usefixtures("no_plots")
def test_the_answer_comes_first_and_printed_laws_say_what_the_ledger_says(tmp_path, capsys):
    assert rates("--example", "isotropic", *SMALL, "--out", tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    answer = "At L = 100 softmax attention differs from the linear attention V Gamma U z, for Gaussian tokens"
    assert " ".join(lines).startswith(answer)  # wherever the terminal breaks the line
    known = "[the printed law: an edge case, false at L = 1 and f = 0 only; CERTIFIED as repaired]"
    # Output and gradient in V, measured and exact.
    assert [line.endswith(known) for line in lines if "Lemma C.4" in line] == [True] * 4
    assert not any("printed law" in line for line in lines if "Theorem A" in line)


@pytest.mark.usefixtures("no_plots")
def test_gaussian_queries_from_a_file_and_quiet(matrices, tmp_path, capsys):
    del matrices["query"]
    np.save(tmp_path / "S.npy", np.diag([1.0, 0.0]))
    words = ("--query-cov", tmp_path / "S.npy", *SMALL, "--quiet", "--out", tmp_path / "r")
    assert rates(*options(matrices), *words) == 0
    document = json.loads((tmp_path / "r" / "report.json").read_text())
    assert document["runs"][0]["setting"]["query"] == "Gaussian"
    assert capsys.readouterr() == ("", "")


def test_the_same_seed_gives_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setattr("time.perf_counter", lambda: 0.0)
    words = ("--example", "isotropic", "--lengths", "1:50:4", "--replicates", "200")
    for name, other in (("a", ("--threads", "1")), ("b", ("--threads", "2")), ("c", ("--seed", "1"))):
        rates(*words, *other, "--out", tmp_path / name)
    files = [p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*") if p.is_file()]
    assert len(files) > len(FILES)
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    assert (tmp_path / "a" / "data.csv").read_bytes() != (tmp_path / "c" / "data.csv").read_bytes()


@pytest.mark.usefixtures("no_plots")
def test_several_examples_and_laws_on_one_page(tmp_path, capsys):
    words = ("--example", "isotropic", "--law", "gaussian", "--law", "sphere")
    assert rates(*words, *SMALL, "--out", tmp_path) == 0
    document = json.loads((tmp_path / "report.json").read_text())
    assert [run["run"] for run in document["runs"]] == ["isotropic, gaussian", "isotropic, sphere"]
    assert " ".join(words) in document["provenance"]["command"]
    covariances = [run["setting"]["Gamma"] for run in document["runs"]]
    assert np.allclose(covariances[0], covariances[1])
    printed = capsys.readouterr().out
    assert "isotropic, sphere: " in printed
    # Every example with every law.
    parser = argparse.ArgumentParser()
    add_setting_options(parser)
    settings, _ = given_settings(parser.parse_args(["--example", "averaged", *words]))
    expected = [f"{e}, {law}" for e in ("averaged", "isotropic") for law in ("gaussian", "sphere")]
    assert [s.name for s in settings] == expected


@pytest.mark.usefixtures("no_plots")
@pytest.mark.parametrize("quiet", [False, True])
def test_a_failing_comparison_is_exit_status_1_and_comes_first(quiet, tmp_path, monkeypatch, capsys):
    exact = numerics.rates.series.exact_error
    doubled = lambda *a: None if (value := exact(*a)) is None else 2 * value
    monkeypatch.setattr(numerics.rates.series, "exact_error", doubled)
    assert rates("--example", "isotropic", *SMALL, "--out", tmp_path, *["--quiet"] * quiet) == 1
    printed = capsys.readouterr()
    first = (printed.err if quiet else printed.out).splitlines()[0]
    assert first.startswith("FAILS")
    assert not json.loads((tmp_path / "report.json").read_text())["holds"]
    assert "What fails" in (tmp_path / "report.html").read_text()


def test_a_failed_run_leaves_the_old_report(tmp_path):
    for name in FILES:
        (tmp_path / name).write_text("old")
    assert rates("--lengths", "0,10", "--out", tmp_path) == 2
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == dict.fromkeys(FILES, "old")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--law", "cauchy"], "there is no token law 'cauchy'; choose one of gaussian, rademacher"),
        (["--example", "nonsense"], "there is no example 'nonsense'; choose one of anisotropic"),
        (["--lengths", "0,10"], "--lengths 0,10: 0 is not a whole number from 1"),
        (["--lengths", "ten"], "neither a list like 10,30,100 nor a grid"),
        (["--lengths", "10:5:3"], "FIRST < LAST"),
        (["--lengths", "1:2:3:4"], "neither a list"),
        (["--lengths", ""], "neither a list"),
        (["--lengths", "10,99999999999"], "leave the range"),
        (["--replicates", "3"], "draw at least 100"),
        (["--replicates", "999999999999999999999"], "replicates = 999999999999999999999 is beyond 1"),
        (["--lengths", "10:1e9.5:3"], "neither a list"),
        (["--lengths", "10,1e-9"], "1e-9 is not a whole number"),
        (["--threads", "0"], "threads = 0"),
        (["--seed", "-1"], "seed"),
        (["--Gamma", "none.npy"], "also needed: --U (or --K and --Q), --V, --query or --query-cov"),
        (["--example", "isotropic", "--Gamma", "x.npy"], "brings its own matrices"),
    ],
)
def test_wrong_words_are_one_line_and_exit_status_2(words, message, tmp_path, capsys):
    assert rates(*words, "--out", tmp_path / "r") == 2
    refused(capsys, "rates", message)
    # What only the engine knows comes after the folder.
    late = message in ("leave the range", "threads = 0", "seed")
    assert late or list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("Gamma", None, "cannot read"),
        ("Gamma", [[1, 2], [2, 1]], "eigenvalue -1"),
        ("Gamma", [[1, float("nan")], [0, 1]], "the entry nan"),
        ("Gamma", np.array([{"a": 1}], dtype=object), "no array of numbers"),
        ("U", np.eye(3), "U has shape (3, 3)"),
        ("V", "not json", "no array of numbers"),
        ("V", "[[1], [1, 2]]", "no array of numbers"),
        ("V", '{"a": 1}', "V.json holds no array of numbers but Python objects"),
        ("query", "[[1, 0], [0, 1]]", "--query has shape (2, 2); it must have shape (d,)"),
        ("query", "[1, 2, 3]", "query has shape (3,)"),
    ],
)
def test_wrong_files_are_one_line_and_exit_status_2(name, content, message, matrices, tmp_path, capsys):
    if content is None:
        matrices[name].unlink()
    elif isinstance(content, str):
        matrices[name].write_text(content)
    else:
        np.save(matrices[name], np.asarray(content), allow_pickle=True)
    assert rates(*options(matrices), *SMALL, "--out", tmp_path / "r") == 2
    refused(capsys, "rates", message)


@pytest.mark.parametrize(
    ("stop", "status", "says"),
    [
        (KeyboardInterrupt(), 130, STOPPED),
        (ZeroDivisionError("a bound of 0"), 2, BEYOND.format("a bound of 0")),
        (MemoryError("too long"), 2, BEYOND.format("too long")),
    ],
)
def test_what_stops_a_run_is_one_line(stop, status, says, tmp_path, monkeypatch, capsys):
    def stopped(*_, **__):
        raise stop

    monkeypatch.setattr("numerics.rates.measure.rates", stopped)
    assert rates("--example", "isotropic", *SMALL, "--out", tmp_path) == status
    assert capsys.readouterr() == ("", f"largeprompt rates: {says}\n")
    assert list(tmp_path.iterdir()) == []


def test_help_names_the_examples_that_exist(capsys):
    assert set(setting_options.EXAMPLES) == set(EXAMPLES)
    assert set(setting_options.LAWS) == set(LAWS)
    with pytest.raises(SystemExit) as stop:
        main(["rates", "--help"])
    assert stop.value.code == 0
    assert "averaged-slow" in capsys.readouterr().out


@pytest.mark.usefixtures("no_plots")
def test_a_terminal_without_unicode_is_enough(tmp_path, monkeypatch):
    printed = io.BytesIO()
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(printed, encoding="ascii", write_through=True))
    assert rates("--example", "isotropic", *SMALL, "--out", tmp_path / "größe") == 0
    assert b"comparisons hold; report in " in printed.getvalue()
    assert rates("--example", "größe", "--out", tmp_path) == 2
    assert b"there is no example 'gr\\xf6\\xdfe'; " in printed.getvalue()
    known = b"choose one of anisotropic, isotropic, singular, averaged, averaged-slow\n"
    assert printed.getvalue().endswith(known)


@pytest.mark.parametrize("words", [[], ["--paper", "LDL", "--classes", "4"]])
def test_plots_are_written_in_the_formats_asked_for(words, tmp_path):
    how = words or ["--example", "isotropic", *SMALL]
    rates(*how, "--quiet", "--format", "pdf", "--out", tmp_path)
    plots = set((tmp_path / PLOTS).iterdir())
    assert plots == {p.with_suffix(kind) for p in plots for kind in (".svg", ".pdf")} != set()
