"""An embedding table in place of a covariance, against the law on its rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from numerics import AttentionSetting
from numerics.attention.distance.how_linear import how_linear
from numerics.terminal.arrays import map_array
from numerics.terminal.inputs import InputError
from numerics.token_laws import atoms, embedding_table
from proofs_check.reports.cli import main
from tests.numerics.refusals import refused

RNG = np.random.default_rng(21)
ROWS = RNG.standard_normal((14, 2)) + np.array([2.0, 0.0])
U, V, QUERY = 0.5 * np.eye(2), RNG.standard_normal((2, 2)), np.array([1.0, -0.5])
LENGTHS = [10, 4000]


def both(**given: Any) -> tuple[Any, Any]:
    mean = ROWS.mean(0)
    table = AttentionSetting(embedding_table(ROWS), U, V, **given)
    law = AttentionSetting(atoms(ROWS - mean, np.full(14, 1 / 14)), U, V, **given)
    return how_linear(table, LENGTHS), how_linear(law, LENGTHS, mean=mean)


def test_one_query_is_exact_and_the_mean_is_told():
    found, other = both(query=QUERY)
    assert found.relative_error == pytest.approx(other.relative_error, rel=1e-10)
    assert found.needed == pytest.approx(other.needed)
    assert found.off_linear.value == pytest.approx(other.off_linear.value, rel=1e-9)
    assert (found.with_mean, found.replicates) == (pytest.approx(other.with_mean, rel=1e-12), 0)
    assert any("The mean m of the tokens is taken out" in note for note in found.notes)
    assert any("is half the diameter of the table (Hoeffding)" in note for note in found.notes)
    assert not any("Hoeffding" in note for note in other.notes)
    assert not any("numerics.check_variance_proxy" in note for note in found.notes)  # it is certain


def test_over_queries_prompts_are_drawn():
    found, other = both(query_cov=np.eye(2))
    assert found.replicates > 1000
    spread = np.hypot(found.standard_error, other.standard_error)
    assert np.all(np.abs(found.relative_error - other.relative_error) < 6 * spread)
    assert found.size.value == pytest.approx(other.size.value, rel=1e-10)


@pytest.fixture
def words(tmp_path):
    np.save(tmp_path / "X.npy", ROWS.astype(np.float32))
    for name, array in (("U", U), ("V", V), ("query", QUERY)):
        np.save(tmp_path / f"{name}.npy", array)
    path = lambda name: str(tmp_path / f"{'X' if name == 'tokens' else name}.npy")
    options = [word for name in ("tokens", "U", "V", "query") for word in (f"--{name}", path(name))]
    return ["ask", *options, "-L", "4000"]


def test_the_command_answers_as_the_function_does(words, capsys):
    assert main(words) == 0
    printed = capsys.readouterr()
    table = AttentionSetting(embedding_table(ROWS.astype(np.float32)), U, V, QUERY)
    assert " ".join(how_linear(table, [4000]).sentence.split()) in " ".join(printed.out.split())
    assert "is half the diameter" in printed.out
    assert printed.err == ""  # it takes no time


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--Gamma", "V"], "--Gamma beside --tokens"),
        (["--mean", "query"], "--mean beside --tokens"),
        (["--law", "sphere"], "--law changes the law of the tokens"),
    ],
)
def test_what_does_not_go_together(more, says, words, capsys):
    folder = Path(words[2]).parent
    file = [str(folder / f"{word}.npy") if (folder / f"{word}.npy").exists() else word for word in more]
    assert main([*words, *file]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (np.ones((4, 3)), "--tokens has rows of 3 numbers and --V has 2 columns"),
        (np.array([[0.0, 1.0], [np.nan, 0.0]]), "row 1 of the table of tokens has the entry nan"),
        (np.ones((4, 2)) * 1j, "complex128"),
        (np.ones(4), "shape (4,)"),
    ],
)
def test_tables_that_are_none(table, says, words, capsys):
    np.save(words[2], table)
    assert main(words) == 2
    refused(capsys, "ask", says)


def test_a_large_array_stays_on_disk(tmp_path):
    np.save(tmp_path / "X.npy", ROWS.astype(np.float16))
    array, digest = map_array(tmp_path / "X.npy")
    assert isinstance(array, np.memmap)
    assert (array.dtype, array.shape, len(digest)) == (np.float16, (14, 2), 64)
    (tmp_path / "X.json").write_text("[[1, 2], [3, 4]]")
    assert map_array(tmp_path / "X.json")[0].tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"PK archive", "is an archive"),
        (b"numbers", "is not a file that numpy.save wrote"),
        (b"\x93NUMPY\x01\x00", "no array of numbers"),
    ],
)
def test_files_that_are_no_array(content, says, tmp_path):
    (tmp_path / "X.npy").write_bytes(content)
    with pytest.raises(InputError, match=says):
        map_array(tmp_path / "X.npy")
    np.save(tmp_path / "X.npy", np.array([None]))
    with pytest.raises(InputError, match="holds no array of numbers"):
        map_array(tmp_path / "X.npy")
