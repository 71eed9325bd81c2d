"""Every format gives the same numbers; what is no array of reals says what was found."""

import json
import os
import pickle

import numpy as np
import pytest

from numerics.terminal.arrays import read_array
from numerics.terminal.inputs import InputError

M = np.array([[1.0, -2.5e-3], [np.pi, 1e300], [0.0, 7.0]])


@pytest.fixture
def files(tmp_path):
    np.save(tmp_path / "M.npy", M)
    np.savez(tmp_path / "one.npz", M)
    np.savez(tmp_path / "two.npz", M=M, other=np.eye(2))
    rows = "\n".join(",".join(repr(float(x)) for x in row) for row in M)
    (tmp_path / "M.csv").write_text(rows)
    spaced = rows.replace("\n", "\r\n\r\n").replace(",", " , ") + "\r\n"
    (tmp_path / "windows.csv").write_bytes(b"\xef\xbb\xbf" + spaced.encode())
    (tmp_path / "head.csv").write_text(f"first,second\n{rows}\n")
    (tmp_path / "M.JSON").write_text(json.dumps(M.tolist()))
    return tmp_path


NAMES = ["M.npy", "one.npz", "two.npz:M", "M.csv", "windows.csv", "head.csv", "M.JSON"]


@pytest.mark.parametrize("name", NAMES)
def test_every_format_gives_the_same_numbers(name, files, capsys):
    array, digest = read_array(f"{files / name}")
    assert array.dtype == float
    np.testing.assert_array_equal(array, M)
    assert len(digest) == 64
    note = f"note: the first line of {files / name} (first,second) is taken as a header\n"
    assert capsys.readouterr().err == (note if name == "head.csv" else "")


def test_a_table_of_one_row_or_column_keeps_its_axes(tmp_path):
    for text, shape in (("1,2,3", (1, 3)), ("1\n2\n", (2, 1)), ("5", (1, 1))):
        (tmp_path / "x.csv").write_text(text)
        assert read_array(tmp_path / "x.csv")[0].shape == shape


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("x.txt", "1 2", "x.txt is of no kind that is read here; keep the array as .npy, .npz (one array"),
        ("x.npy", np.array([[1j]]), "holds no array of numbers but complex numbers; take the real part if"),
        ("x.npy", np.array([["a"]]), "holds no array of numbers but texts; save numbers"),
        ("x.npy", np.array([[True]]), "holds no array of numbers but true and false"),
        ("x.npy", np.array([{}], dtype=object), "holds Python objects and no array of numbers; save numpy."),
        ("x.npy", np.ones((0, 3)), "holds an empty array of shape (0, 3)"),
        ("x.npy", np.array([[1.0, np.nan]]), "has the entry nan at [0, 1]; every entry must be finite"),
        ("x.npy", np.array([np.longdouble("1e4000")]), "has the entry inf at [0]"),
        ("x.npy", pickle.dumps(np.eye(2)), "is not a file that numpy.save wrote, or a pickle, which is not"),
        ("x.npy", b"", "is not a file that numpy.save wrote"),
        ("x.npz", b"PK\x03\x04 cut", "holds no array of numbers: "),
        ("two.npz", None, "two.npz holds 2 arrays (M, other); say which: "),
        ("two.npz:N", None, "two.npz holds no array 'N'; it holds M, other"),
        ("objects.npz", None, "holds Python objects; save numpy.asarray(M, dtype=float)"),
        ("x.csv", "", "holds an empty array"),
        ("x.csv", "a,b\n", "holds an empty array"),
        ("x.csv", "1,2\n\n3\n", "x.csv, line 3 has 1 numbers, line 1 has 2; rows must be equally long"),
        ("x.csv", "1,2\n3,x\n", "x.csv, line 2, entry 2: 'x' is not a number; write 0.5,1e-3 with commas"),
        ("x.csv", "1,2\n3,1_0\n", "'1_0' is not a number"),
        ("x.csv", "1,2,\n", "line 1, entry 3: '' is not a number"),
        ("x.csv", "1,2\n3,inf\n", "has the entry inf at [1, 1]"),
        ("x.csv", "1;2\n3;4\n", "line 2, entry 1: '3;4' is not a number"),
        ("x.csv", b"1,\xff", "is no text in UTF-8"),
        ("x.json", "[[1, 2], [3]]", "; save it again, as .npy"),
        ("x.json", "[[1, NaN]]", "has the entry nan at [0, 1]"),
        ("x.json", '{"a": 1}', "holds no array of numbers but Python objects"),
        ("x.json", "[true]", "holds no array of numbers but true and false"),
        ("none.npz:M", None, "none.npz: No such file or directory; name another file"),
        ("a\0b.npy", None, "this is no name of a file"),
    ],
    ids=lambda value: str(value)[:24].encode("unicode_escape").decode(),
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_what_is_no_array_says_so_in_one_line(name, content, says, files):
    np.savez(files / "objects.npz", np.array([{}], dtype=object))
    if isinstance(content, bytes):
        (files / name).write_bytes(content)
    elif isinstance(content, str):
        (files / name).write_text(content)
    elif content is not None:
        np.save(files / name, content, allow_pickle=True)
    with pytest.raises(InputError) as error:
        read_array(files / name)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "M.csv")
    with pytest.raises(InputError, match="is a pipe; save the array in a file"):
        read_array(tmp_path / "M.csv")
