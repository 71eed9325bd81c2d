"""The shorthand for matrices."""

import numpy as np
import pytest

from numerics.sweep.matrices import read_matrix, read_vector
from numerics.terminal.inputs import InputError


@pytest.mark.parametrize(
    ("spelled", "meant"),
    [
        ([[1, 2], [3, 4.5]], [[1, 2], [3, 4.5]]),
        ({"matrix": [[1, 2]]}, [[1, 2]]),
        ({"matrix": [[1, 2]], "scale": -2}, [[-2, -4]]),
        ({"diagonal": [1, 2]}, [[1, 0], [0, 2]]),
        ({"identity": 2}, [[1, 0], [0, 1]]),
        ({"identity": 1, "scale": 0.5}, [[0.5]]),
        ("A.npy", [[1, 2], [3, 4]]),
        ({"file": "A.json", "scale": 2}, [[2, 4], [6, 8]]),
        ({"diagonal": "v.json"}, [[1, 0], [0, 2]]),
    ],
)
def test_every_spelling(spelled, meant, tmp_path):
    np.save(tmp_path / "A.npy", [[1, 2], [3, 4]])
    (tmp_path / "A.json").write_text("[[1, 2], [3, 4]]")
    (tmp_path / "v.json").write_text("[1, 2]")
    inputs: dict[str, str] = {}
    assert read_matrix(spelled, tmp_path, inputs, "U").tolist() == meant
    files = [name for name in ("A.npy", "A.json", "v.json") if name in str(spelled)]
    assert list(inputs) == files


@pytest.mark.parametrize(
    ("spelled", "says"),
    [
        ([], "U must be a matrix with rows of equal length"),
        ([[]], "U must be a matrix"),
        ([1, 2], "U must be a matrix"),
        ([[1, 2], [3]], "U must be a matrix"),
        (3, "U must be a matrix"),
        (True, "U must be a matrix"),
        ([[1, "2"]], "U[0][1] = '2' is not a finite number"),
        ([[True]], "U[0][0] = True is not a finite number"),
        ([[float("inf")]], "U[0][0] = inf"),
        ([[float("nan")]], "U[0][0] = nan"),
        ([[10**400]], "U[0][0] = 1000"),
        ({}, "U has no entries; give exactly one of matrix ="),
        ({"identity": 2, "diagonal": [1, 1]}, "U has identity, diagonal; give exactly one"),
        ({"eye": 2}, "U has eye; give exactly one"),
        ({"identity": 0}, "identity = 0 is no dimension"),
        ({"identity": 2.0}, "identity = 2.0 is no dimension"),
        ({"identity": 10**6}, "from 1 to 1024"),
        ({"identity": 2, "scale": "big"}, "U: scale = 'big' is not a finite number"),
        ({"diagonal": 3}, "U: diagonal must be a list of numbers"),
        ({"diagonal": []}, "U: diagonal must be a list of numbers"),
        ("v.json", "U must be a matrix"),
        ("none.npy", "U: cannot read none.npy: No such file"),
        ("nan.npy", "nan.npy has the entry nan at [0, 0]"),
        ("times.npy", "times.npy holds no array of numbers but entries of type timedelta64[s]"),
        ("several.npy", "several.npy is an archive of arrays; call it several.npz"),
        ("zip.npy", "zip.npy is an archive of arrays; call it zip.npz"),
        ("header.npy", "header.npy holds no array of numbers: "),
        ("vast.npy", "vast.npy holds no array of numbers: Unable to allocate"),
        ("deep.json", "deep.json holds no array of numbers: maximum recursion depth"),
        ({"diagonal": "vector.npy"}, "diagonal has 1025 entries; at most 1024 are possible"),
    ],
)
def test_what_is_no_matrix(spelled, says, tmp_path):
    (tmp_path / "v.json").write_text("[1, 2]")
    np.save(tmp_path / "nan.npy", [[np.nan]])
    np.save(tmp_path / "times.npy", np.ones((2, 2), "m8[s]"))
    np.save(tmp_path / "vector.npy", np.ones(1025))
    np.savez(tmp_path / "several.npz", np.eye(2))
    (tmp_path / "several.npz").rename(tmp_path / "several.npy")
    (tmp_path / "zip.npy").write_bytes(b"PK\x03\x04 cut short")
    (tmp_path / "deep.json").write_text("[" * 10**5)
    good = (tmp_path / "nan.npy").read_bytes()
    (tmp_path / "header.npy").write_bytes(good.replace(b"{'descr'", b"{{{'desc"))
    (tmp_path / "vast.npy").write_bytes(good.replace(b"(1, 1), }" + 11 * b" ", b"(9999999, 9999999),}"))
    with pytest.raises(InputError) as error:
        read_matrix(spelled, tmp_path, {}, "U")
    assert says in str(error.value)
    assert str(tmp_path) not in str(error.value)
    assert "\n" not in str(error.value)


def test_vectors(tmp_path):
    np.save(tmp_path / "z.npy", [1.0, 2.0])
    expected = read_vector([1, 2], tmp_path, {}, "query").tolist()
    assert read_vector("z.npy", tmp_path, {}, "query").tolist() == expected
    for wrong in ([[1, 2]], [], {"identity": 2}, 1.0):
        with pytest.raises(InputError, match=r"query(\[0\])? (must be a list|= \[1, 2\] is not)"):
            read_vector(wrong, tmp_path, {}, "query")
