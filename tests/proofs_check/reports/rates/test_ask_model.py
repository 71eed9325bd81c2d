"""The command `ask --model`: what it prints and writes, and what it says to wrong input."""

import csv
import json

import numpy as np
import pytest

from numerics import attention_heads, read_model
from proofs_check.reports.cli import main
from tests.numerics.models.layers import TOKENS, D, save
from tests.numerics.refusals import refused

RNG = np.random.default_rng(4)


def ask(*words):
    return main(["ask", *map(str, words)])


@pytest.fixture
def model(tmp_path, monkeypatch):
    """The file of a model, in a folder from which the command is run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "10000")
    np.save("states.npy", RNG.standard_normal((5, 7, D)))
    np.save("tokens.npy", RNG.standard_normal((20, D)).astype(np.float32))
    np.save("queries.npy", RNG.standard_normal((2, D)))
    np.save("times.npy", RNG.integers(1, 9, TOKENS))
    return save("BERT", tmp_path)


def test_the_answer_is_that_of_the_function_and_nothing_is_written(model, tmp_path, capsys):
    before = sorted(tmp_path.iterdir())
    assert ask("--model", model, "--layer", 1, "--head", "0,3", "-L", "20,100") == 0
    printed = capsys.readouterr()
    found = attention_heads(model, [20, 100], layers=[1], heads=[0, 3])
    assert printed.out == found.text(10000) + "\n"
    assert printed.err == ""
    assert sorted(tmp_path.iterdir()) == before


GIVEN = [
    (("--tokens", "tokens.npy"), lambda: dict(tokens=np.load("tokens.npy"))),
    (("--frequencies", "times.npy"), lambda: dict(frequencies=np.load("times.npy"))),
    (("--queries", "queries.npy"), lambda: dict(queries=np.load("queries.npy"))),
    (("--queries", "gaussian", "--query-count", "5"), lambda: dict(queries="gaussian", query_count=5)),
    (("--states", "states.npy"), lambda: dict(states=np.load("states.npy"))),
]


@pytest.mark.parametrize(("words", "arguments"), GIVEN)
def test_files_and_numbers_reach_the_function(words, arguments, model, capsys):
    assert ask("--model", model, "--layer", 0, "--head", 1, "-L", 20, *words) == 0
    found = attention_heads(model, [20], layers=[0], heads=[1], **arguments())
    assert capsys.readouterr().out == found.text(10000) + "\n"
    assert found.relative_error != attention_heads(model, [20], layers=[0], heads=[1]).relative_error


def test_lengths_of_a_model_are_its_own(model, capsys):
    assert ask("--model", model, "--layer", 0, "--head", 0, "--query-count", 2) == 0
    assert "L = 128  L = 512  L = 4096" in capsys.readouterr().out


def test_numbers_and_a_picture_are_written(model, tmp_path, capsys):
    out = ("--json", "a.json", "--csv", "b.csv", "--plot", "c.svg")
    assert ask("--model", model, "-L", "20", "--query-count", 3, *out) == 0
    told = json.loads((tmp_path / "a.json").read_text())
    rows = list(csv.DictReader((tmp_path / "b.csv").read_text().splitlines()))
    assert len(told["heads"]) == len(rows) == 8
    assert (tmp_path / "c.svg").read_text().startswith("<?xml")
    (tmp_path / "d.png").write_bytes(b"old")
    assert ask("--model", model, "-L", "20", "--query-count", 3, "--plot", "d.png") == 0
    assert (tmp_path / "d.png").read_bytes().startswith(b"\x89PNG")


def test_own_names_and_rotary_positions(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    parts = {f"blocks.{i}.w{part}": RNG.standard_normal((D, D)) for i in range(2) for part in "qkv"}
    np.savez("own.npz", emb=RNG.standard_normal((9, D)), **parts)
    names = [f"{part}=blocks.{{layer}}.w{part[0]}:T" for part in ("query", "key", "value")]
    words = [word for name in (*names, "table=emb") for word in ("--name", name)]
    assert ask("--model", "own.npz", *words, "--n-heads", 2, "-L", 5) == 0
    assert "own.npz: 4 heads in 2 layers." in capsys.readouterr().out
    model = read_model(save("LLaMA", tmp_path))
    assert ask("--model", "model.npz", "-L", 5, "--rope-distance", 1, "--query-count", 2) == 0
    assert f"{model.heads * model.layers} heads" in capsys.readouterr().out


WRONG = [
    (("--model", "nowhere"), "there is no file or folder"),
    (("--model", "model.npz", "--U", "states.npy"), "leave --U out"),
    (("--model", "model.npz", "--query", "queries.npy"), "leave --query out"),
    (("--model", "model.npz", "--law", "ball"), "leave --law out"),
    (("--model", "model.npz", "--layer", "x"), "--layer x is neither all nor"),
    (("--model", "model.npz", "--layer", "2"), "0 to 1"),
    (("--model", "model.npz", "--head", "4"), "0 to 3"),
    (("--model", "model.npz", "-L", "1e13"), "longest here"),
    (("--model", "model.npz", "--states", "states.npy"), "--layer 3"),
    (("--model", "model.npz", "--layer", "0", "--states", "tokens.npy"), "(windows, tokens, 8)"),
    (("--model", "model.npz", "--tokens", "states.npy"), "(n, 8)"),
    (("--model", "model.npz", "--queries", "none"), "of no kind"),
    (("--model", "model.npz", "--name", "query"), "is not PART=NAME"),
    (("--model", "model.npz", "--rope-distance", "3"), "no rotary positions"),
    (("--model", "model.npz", "--query-count", "0"), "query_count"),
    (("--model", "model.npz", "--plot", "a.gif"), ".svg, .pdf, .png"),
    (("--model", "model.npz", "--json", "no/such/a.json"), "no/such"),
    (("--layer", "0"), "give --model, too"),
    (("--example", "isotropic", "--states", "states.npy"), "give --model, too"),
]


@pytest.mark.parametrize(("words", "says"), WRONG)
def test_wrong_input_is_refused_in_a_line(words, says, model, capsys):
    assert ask(*words) == 2
    refused(capsys, "ask", says)


def test_a_strange_config_is_refused(model, tmp_path, capsys):
    (tmp_path / "config.json").write_text('{"num_attention_heads": [4, 4]}')
    assert ask("--model", model) == 2
    refused(capsys, "ask", "n_heads = [4, 4] is no whole number")


def test_a_file_that_cannot_be_written_is_refused_before_the_model_is_read(model, capsys):
    assert ask("--model", "nowhere.npz", "--csv", ".") == 2
    refused(capsys, "ask", "is a folder")
