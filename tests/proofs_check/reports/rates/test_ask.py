"""The command `ask`: what it prints, that it writes nothing, and what it says to wrong input."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from numerics import AttentionSetting, how_linear
from proofs_check.reports.cli import main
from tests.numerics.refusals import refused

RNG = np.random.default_rng(5)
K, Q = RNG.standard_normal((4, 3)), RNG.standard_normal((4, 3))
GAMMA, V, Z, S = np.diag([2.0, 1.0, 0.0]), np.eye(2, 3), np.array([0.5, 0.0, -0.5]), np.eye(3) / 4


def ask(*words):
    return main(["ask", *map(str, words)])


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with matrices in every format, from which the command is run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "10000")
    np.savetxt("Gamma.csv", GAMMA, delimiter=",")
    np.savez("heads.npz", K=K, Q=Q)
    arrays = dict(U=K.T @ Q, half=K.T @ Q / 2, V=V, S=S, KT=K.T, QT=Q.T, K3=K[:3], m=np.ones(3))
    for name, array in arrays.items():
        np.save(name, array)
    Path("z.json").write_text(json.dumps(Z.tolist()))
    Path("z.csv").write_text(",".join(map(str, Z)))
    return tmp_path


COMMON = ("--Gamma", "Gamma.csv", "--V", "V.npy")


def test_the_answer_is_that_of_the_function_and_nothing_is_written(files, capsys):
    before = sorted(files.iterdir())
    assert ask(*COMMON, "--U", "U.npy", "--query", "z.json", "-L", "4000,10") == 0
    printed = capsys.readouterr()
    assert printed.out == how_linear(AttentionSetting(GAMMA, K.T @ Q, V, Z), [10, 4000]).text(10000) + "\n"
    assert printed.err == ""
    assert sorted(files.iterdir()) == before


def test_keys_and_queries_make_the_scores_and_are_scaled(files, capsys):
    answers = []
    heads = ("--K", "heads.npz:K", "--Q", "heads.npz:Q")
    scaled = ((*heads, "--score-scale", scale) for scale in ("sqrt", "2", "2e0"))
    for words in (("--U", "half.npy"), *scaled):
        assert ask(*COMMON, *words, "--query-cov", "S.npy", "-L", "300") == 0
        answers.append(capsys.readouterr().out)
    assert answers == answers[:1] * 4
    assert ask(*COMMON, *heads, "--query-cov", "S.npy", "-L", "300") == 0
    assert capsys.readouterr().out != answers[0]


def test_a_row_of_a_table_is_a_query(files, capsys):
    for file in ("z.json", "z.csv"):
        assert ask(*COMMON, "--U", "U.npy", "--query", file, "-L", "1:1e12:3") == 0
    one, other = capsys.readouterr().out.split("At L = 1e12")[1:]
    assert one == other


def test_laws_and_a_mean(files, capsys):
    words = ("--U", "U.npy", "--query", "z.json", "--law", "gaussian", "--law", "sphere", "--mean", "m.npy")
    assert ask(*COMMON, *words, "-L", "100") == 0
    printed = capsys.readouterr().out
    assert "custom, gaussian:\nAt L = 100 softmax" in printed
    assert "\n\ncustom, sphere:\nAt L = 100 softmax" in printed
    assert printed.count("The mean m of the tokens is taken out.") == 2
    assert printed.count("from T to V Gamma U z") == 1


def test_without_files_it_takes_an_example(files, capsys):
    assert ask() == 0
    assert capsys.readouterr().out.startswith("anisotropic:\nAt L = 1e5 softmax attention differs")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--query", "z.json"], "also needed: --U (or --K and --Q)"),
        (["--K", "heads.npz:K", "--query", "z.json"], "also needed: --Q"),
        (["--U", "U.npy"], "also needed: --query or --query-cov"),
        (["--U", "U.npy", "--K", "heads.npz:K", "--query", "z.json"], "--U beside --K or --Q"),
        (
            ["--U", "U.npy", "--query", "z.json", "--score-scale", "sqrt"],
            "--score-scale divides K'Q, and --U is taken as it is",
        ),
        (
            ["--K", "KT.npy", "--Q", "QT.npy", "--query", "z.json"],
            "--K has shape (3, 4) and --Q has shape (3, 4); both must have",
        ),
        (["--K", "KT.npy", "--Q", "QT.npy", "--query", "z.json"], "transpose them: here tokens are columns"),
        (
            ["--K", "K3.npy", "--Q", "heads.npz:Q", "--query", "z.json"],
            "both must have shape (d_k, 3), since V has 3 columns\n",
        ),
        (["--U", "U.npy", "--query", "S.npy"], "--query has shape (3, 3); it must have shape (d,)"),
        (["--U", "U.npy", "--query-cov", "m.npy"], "--query-cov has shape (3,); it must be a matrix"),
        (
            ["--U", "U.npy", "--query", "z.json", "--mean", "S.npy"],
            "--mean has shape (3, 3); it must have shape (d,)",
        ),
        (["--U", "U.npy", "--query", "z.json", "--law", "cauchy"], "there is no token law 'cauchy'"),
        (
            ["--U", "U.npy", "--query", "z.json", "--example", "averaged"],
            "--example averaged brings its own matrices",
        ),
        (["--U", "U.npy", "--query", "z.json", "-L", "0"], "-L 0: 0 is not a whole number from 1"),
        (["--U", "U.npy", "--query", "z.json", "-L", "4000.5"], "-L 4000.5: 4000.5 is not a whole number"),
        *(
            (
                ["--K", "heads.npz:K", "--Q", "heads.npz:Q", "--query", "z.json", "--score-scale", s],
                "neither sqrt nor a positive number",
            )
            for s in ("0", "-1", "nan", "inf", "root")
        ),
    ],
)
def test_wrong_words_are_one_line_and_exit_status_2(words, message, files, capsys):
    assert ask(*COMMON, *words) == 2
    refused(capsys, "ask", message)


def test_a_scale_without_keys(capsys):
    assert ask("--score-scale", "sqrt") == 2
    assert "give --K and --Q with it" in capsys.readouterr().err


def test_exact_answers_load_no_plots_and_no_pages():
    """The compiled sums need Numba, half a second to load, for answers that take a tenth of it."""
    code = "import sys; from proofs_check.reports.cli import main; main(['ask', '-L', '10'])"
    code += "; print('loaded', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split("loaded ")[1].split()
    assert not {"matplotlib", "pytest", "jinja2"} & set(loaded)
