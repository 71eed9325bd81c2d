"""Specs: what they mean, and what a wrong one is told."""

import hashlib
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from numerics.sweep.grid import example, read_grid
from numerics.terminal.inputs import InputError
from tests.numerics.sweep.grids import two, write

GOOD = """
replicates = 100
lengths = [1, 10]
[[tokens]]
Gamma = { identity = 2 }
[[U]]
identity = 2
[[V]]
identity = 2
[[query]]
vector = [1, 0]
"""


def seeds(folder: Path, text: str) -> list[int]:
    return [run.seed for run in read_grid(write(folder, text)).runs]


def test_the_example_reads_and_says_what_it_means(tmp_path):
    grid = read_grid(write(tmp_path, example()))
    names = [f"{law}, U x {scale}" for law in ("isotropic", "anisotropic") for scale in ("0.1", "0.3", "1")]
    assert [run.setting.name for run in grid.runs] == names
    assert (grid.lengths[0], grid.lengths[-1]) == (10, 3000)
    assert np.allclose(grid.runs[4].setting.U, 0.3 * np.eye(2))
    assert np.array_equal(grid.runs[4].setting.Gamma, np.diag([1.5, 0.5]))


def test_what_the_example_leaves_as_remarks_reads_too(tmp_path):
    text, _, rest = example().partition("# my_law.py: ")
    law = [line for line in rest.splitlines()[1:] if line == "#" or line.startswith("#     ")]
    source = "\n".join(line.removeprefix("#     ").removeprefix("#") for line in law)
    (tmp_path / "my_law.py").write_text(source, encoding="utf-8")
    lines, inside = [], False
    for line in text.splitlines() + [line for line in rest.splitlines()[1:] if line not in law]:
        bare = line.removeprefix("# ")
        inside = (inside and bare != line) or bare == "[[tokens]]" != line
        lines.append(bare if inside else line)
    document = tomllib.loads("\n".join(lines))
    expected = ["isotropic", "anisotropic", "signs", "skewed", "my own"]
    assert [tokens["name"] for tokens in document["tokens"]] == expected
    grid = read_grid(write(tmp_path, "\n".join(lines)))
    assert (len(grid.runs), list(grid.inputs)) == (15, ["grid.toml", "my_law.py"])
    assert np.allclose(grid.runs[-1].setting.Gamma, np.eye(2))


def test_the_product_of_all_entries(tmp_path):
    grid = two(tmp_path, lengths="'1:100:3'")
    assert grid.lengths == (1, 10, 100)
    assert read_grid(write(tmp_path, GOOD.replace("[1, 10]", "[10, 1, 10]"), "again.toml")).lengths == (1, 10)
    expected = [(0.2, False), (0.2, True), (0.5, False), (0.5, True)]
    assert [(run.setting.U[0, 0], run.setting.averaged) for run in grid.runs] == expected
    assert all(run.setting.V.tolist() == [[1, 2]] for run in grid.runs)
    assert grid.inputs == {"grid.toml": hashlib.sha256((tmp_path / "grid.toml").read_bytes()).hexdigest()}


def test_the_seed_of_a_run_is_its_own(tmp_path):
    [seed] = seeds(tmp_path, GOOD)
    assert 0 <= seed < 2**64
    # what does not determine the numbers of a replicate does not touch the seed
    for same in (
        GOOD.replace("[1, 10]", "[7]").replace("100", "5000"),
        GOOD.replace("[[U]]", '[[U]]\nname = "big"'),
        GOOD.replace("[[U]]\nidentity = 2", "[[U]]\nmatrix = [[1.0, 0], [0, 1]]"),
        'seed = 0\nmethod = "auto"\n' + GOOD,
    ):
        assert seeds(tmp_path, same) == [seed]
    assert seed in seeds(tmp_path, GOOD + "[[query]]\nname = 'other'\nvector = [0, 1]")
    # what does, does
    changed = [
        "seed = 1\n" + GOOD,
        GOOD.replace("[1, 0]", "[1, 1e-9]"),
        GOOD.replace(GAMMA, "Gamma = { identity = 2, scale = 2 }"),
        GOOD.replace(QUERY, "covariance = { identity = 2 }"),
    ]
    assert len({seed, *(seeds(tmp_path, text)[0] for text in changed)}) == 5


def test_files_are_found_beside_the_spec_and_named_without_folders(tmp_path):
    np.save(tmp_path / "U.npy", np.eye(2))
    (tmp_path / "z.json").write_text("[1, 0]")
    text = GOOD.replace("[[U]]\nidentity = 2", "[[U]]\nfile = 'U.npy'").replace("[1, 0]", "'z.json'")
    grid = read_grid(write(tmp_path, text))
    assert list(grid.inputs) == ["grid.toml", "U.npy", "z.json"]
    assert str(tmp_path) not in grid.runs[0].content
    assert grid.runs[0].content == read_grid(write(tmp_path, GOOD)).runs[0].content


OWN = GOOD.replace("Gamma = { identity = 2 }", 'python = "my_law.py:triangle"')
LAW = """
from __future__ import annotations
from dataclasses import dataclass
import numpy as np
from numerics.token_laws import TokenLaw

@dataclass
class Corners:
    radius: float

def triangle():
    corners = Corners(1.0).radius * np.array([[1.0, 0.0], [-0.5, 0.75**0.5], [-0.5, -(0.75**0.5)]])
    log_mgf = lambda a: np.log(np.exp(a @ corners.T).mean(axis=-1))
    return TokenLaw("triangle", 2, 1.0, lambda rng, n: corners[rng.integers(3, size=n)], log_mgf)

other = triangle()
number = 3
"""


def test_a_law_of_ones_own(tmp_path):
    (tmp_path / "my_law.py").write_text(LAW, encoding="utf-8")
    one = read_grid(write(tmp_path, OWN)).runs[0]
    assert json.loads(one.content)["law"] == {"kind": "python", "source": LAW, "name": "triangle"}
    assert one.setting.law.name == "triangle"
    # an object serves as well as a function; the text and the image are part of the run
    also = read_grid(write(tmp_path, OWN.replace("triangle", "other"))).runs[0]
    (tmp_path / "my_law.py").write_text(LAW + "# changed\n", encoding="utf-8")
    later = read_grid(write(tmp_path, OWN)).runs[0]
    image = read_grid(write(tmp_path, OWN.replace("[[U]]", "image = { identity = 2 }\n[[U]]"))).runs[0]
    assert len({run.seed for run in (one, also, later, image)}) == 4


@pytest.mark.parametrize(
    ("law", "says"),
    [
        ("x = ", "my_law.py: SyntaxError: "),
        ("import no_such_package", "my_law.py: ModuleNotFoundError: No module named 'no_such_package'"),
        ("raise SystemExit", "my_law.py: it ends the program; leave that out"),
        ("def triangle(): raise SystemExit", "my_law.py: it ends the program; leave that out"),
        ("def triangle(): return 1 / 0", "my_law.py: ZeroDivisionError"),
        ("other = 1", "'triangle' is not in it"),
        ("triangle = 3", "'triangle' is no TokenLaw and no function that returns one"),
        (LAW.replace("size=n", "size=n + 1"), "returned an array of shape ("),
        (LAW.replace("Corners(1.0)", "Corners(np.nan)"), "finite floats"),
        (LAW.replace(", log_mgf)", ")"), "has no log_mgf"),
        (None, "cannot read my_law.py: No such file"),
    ],
)
def test_a_wrong_law_of_ones_own(law, says, tmp_path):
    if law is not None:
        (tmp_path / "my_law.py").write_text(law, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_grid(write(tmp_path, OWN))
    assert says in str(error.value)
    assert str(error.value).startswith("grid.toml: [[tokens]] 'tokens': ")
    assert "\n" not in str(error.value)
    assert str(tmp_path) not in str(error.value)


GAMMA, QUERY, U = "Gamma = { identity = 2 }", "vector = [1, 0]", "[[U]]\nidentity = 2"
COUNT = "replicates = 100"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (GOOD, "", "grid.toml: replicates is missing; add"),
        (GOOD, "= 3", "grid.toml: not TOML: "),
        (GOOD, "a = 1\na = 2", "not TOML: Cannot overwrite a value"),
        ("lengths", "lenghts", "at the top: unknown key 'lenghts'; did you mean 'lengths'?"),
        (COUNT, "", "replicates is missing"),
        (COUNT, "replicates = 99", "replicates = 99 is not an integer from 100"),
        (COUNT, "replicates = 1e3", "replicates = 1000.0 is not an integer"),
        (COUNT, "replicates = true", "replicates = True is not an integer"),
        (COUNT, "replicates = 100\nseed = -1", "seed = -1 is not an integer from 0"),
        (COUNT, "replicates = 100\nseed = 18446744073709551616", "more than 64 bits"),
        (COUNT, "replicates = 100\nmethod = 'exact'", "method = 'exact' is unknown; choose one of auto"),
        ("lengths = [1, 10]", "", "lengths is missing; add"),
        ("[1, 10]", "[]", "lengths = [] is no list of prompt lengths"),
        ("[1, 10]", "10", "lengths = 10 is no list of prompt lengths"),
        ("[1, 10]", "[0, 10]", "lengths: L = 0 is not a prompt length; lengths are whole numbers from 1 on"),
        ("[1, 10]", "[1, 2.5]", "lengths: L = 2.5"),
        ("[1, 10]", "[1, true]", "lengths: L = True"),
        ("[1, 10]", "['1']", "lengths: L = '1'"),
        ("[1, 10]", "'0:10:3'", "lengths = 0:10:3: 0 is not a whole number from 1"),
        (COUNT, "replicates = 2000000000", "4e+09 replicates over all runs and lengths; at most 2.15e"),
        ("[1, 10]", "[99999999999]", "lengths: L = 99999999999 leaves the range"),
        (U, "", "there is no [[U]], so the grid is empty; add one"),
        ("[[U]]", "[U]", "U must be an array of tables; begin each with a line [[U]]"),
        ("[[U]]", "[[U]]\nname = ''", "[[U]] number 1: name = '' is no name"),
        ("[[U]]", "[[U]]\nname = 3", "name = 3 is no name"),
        ("[[U]]", '[[U]]\nname = "two\\nlines"', "no name; write up to 100 letters in quotes, in one line"),
        ("[[U]]", "[[U]]\nscales = [0.5, 1.0, 0.5]", "[[U]] 'U': scales has 0.5 twice; leave one out"),
        ("[[V]]", "[[U]]\nname = 'U 1'\nidentity = 2\n[[V]]", "another one with the name 'U 1'; choose a"),
        ("[[U]]", "[[U]]\nscales = []", "[[U]] 'U': scales = [] is no list of numbers"),
        ("[[U]]", "[[U]]\nscales = 0.5", "[[U]] 'U': scales = 0.5 is no list of numbers"),
        ("[[U]]", "[[U]]\nscales = ['a']", "[[U]] 'U': scales[0] = 'a' is not a finite number"),
        ("[[U]]", "[[U]]\nscales = [nan]", "scales[0] = nan is not a finite number"),
        ("[[V]]", "[[V]]\nscales = [1]", "[[V]] 'V': unknown key 'scales'; did you mean 'scale'?"),
        (U, "[[U]]\nmatrix = [[1, 2]]", "[[U]] 'U' has shape (1, 2); it must be square"),
        (U, "[[U]]\nscale = 2", "[[U]] 'U' has no entries; give exactly one of"),
        (U, "[[U]]\nidentity = 3", "[[U]] 'U' is for dimension 3, [[tokens]] 'tokens' has dimension 2"),
        ("[[V]]\nidentity = 2", "[[V]]\nmatrix = [[1, 2, 3]]", "[[V]] 'V' is for dimension 3"),
        ("[[V]]\nidentity = 2", "[[V]]\nidentity = 2\nscale = 0", "V Gamma = 0"),
        (QUERY, "", "[[query]] 'query': give either vector"),
        (QUERY, "vector = [1, 0]\ncovariance = { identity = 2 }", "[[query]] 'query': give either vector"),
        (QUERY, "vectors = [1, 0]", "[[query]] 'query': unknown key 'vectors'; did you mean 'vector'?"),
        (QUERY, "vector = [1, 0, 0]", "[[query]] 'query' is for dimension 3"),
        (QUERY, "covariance = [[1, 2], [2, 1]]", "[[query]] 'query': covariance has the eigenvalue -1"),
        (GAMMA, "", "[[tokens]] 'tokens': the covariance is missing; add Gamma"),
        (GAMMA, "Gamma = [[1, 2], [2, 1]]", "[[tokens]] 'tokens': Gamma has the eigenvalue -1"),
        (GAMMA, "Gamma = [[1, 1], [0, 1]]", "[[tokens]] 'tokens': Gamma is not symmetric: Gamma[0, 1] = 1.0"),
        (GAMMA, "Gamma = { identity = 2 }\nd = 2", "unknown key 'd'; leave it out (known: law, Gamma)"),
        (GAMMA, "law = 'rademacher'", "the dimension is missing; add d = 2"),
        (GAMMA, "law = 'sphere'\nd = 0", "d = 0 is no dimension; give d = 2"),
        (GAMMA, "law = 'cauchy'\nd = 2", "unknown law 'cauchy'; take gaussian, rademacher, uni"),
        (GAMMA, "law = 'rademaher'\nd = 2", "unknown law 'rademaher'; did you mean 'rademacher'?"),
        (GAMMA, "law = 3", "unknown law 3"),
        (GAMMA, "law = 'ball'\nd = 3", "is for dimension 2, [[tokens]] 'tokens' has dimension 3"),
        (GAMMA, "law = 'atoms'", "points are missing; add points"),
        (GAMMA, "law = 'atoms'\npoints = [[1, 0], [2, 0]]", "[[tokens]] 'tokens': "),
        (GAMMA, "law = 'atoms'\npoints = [[1, 0], [-1, 0]]\nweights = [1, 0.5]", "[[tokens]] 'tokens': "),
        (GAMMA, "python = 'my_law.py'", "names no law; write python = 'my_law.py:name'"),
        (GAMMA, "python = 3", "names no law"),
        (GAMMA, 'python = "a\\u0000.py:law"', "cannot read a"),
        (GAMMA, 'Gamma = "a\\u0000.npy"', "this is no name of a file (embedded null byte)"),
        ("[[U]]", "[[U]]\nscale = 1e300", "[[U]] 'U'"),
        (U, "[[U]]\ndiagonal = [1, 3]\nscale = 1e308", "[[U]] 'U': scale = 1e+308 makes entries too large"),
        ("[[U]]", "[[U]]\nscales = [1.0, 1e308]\nscale = 1e9", "'U': scales[1] = 1e+308 makes entries too"),
        ("[[U]]", "[[U]]\nscales = [1.0, 1e40]", "[[U]] 'U x 1e+40'"),
    ],
)
def test_a_wrong_spec_is_told_in_one_line(old, new, says, tmp_path):
    assert old in GOOD
    with pytest.raises(InputError) as error:
        read_grid(write(tmp_path, GOOD.replace(old, new, 1)))
    assert says in str(error.value)
    assert str(error.value).startswith("grid.toml: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[1, 10]", f"[{'9' * 400}]", "not TOML: an integer of more than 64 bits"),
        ("[1, 10]", f"[{'9' * 5000}]", "not TOML: "),
        ("[1, 10]", f"0x{'f' * 5000}", "not TOML: an integer of more than 64 bits"),
        ("[1, 10]", f"'1:{'9' * 400}:5'", "is not a whole number from 1 to 1e100"),
        ("[1, 10]", "[" * 3000 + "]" * 3000, "brackets or dotted keys too deep"),
        ("lengths = [1, 10]", f"lengths.{'a.' * 1500}a = 1", "brackets or dotted keys too deep"),
        ("[[U]]", f"[[U]]\nname = '{'x' * 101}'", "no name; write up to 100 letters in quotes, in one line"),
        ("{ identity = 2 }", f"'{'x' * 5000}.npy'", "File name too long"),
    ],
    ids=lambda text: text[:20],
)
def test_what_is_too_long_is_told_in_a_short_line(old, new, says, tmp_path):
    with pytest.raises(InputError) as error:
        read_grid(write(tmp_path, GOOD.replace(old, new, 1)))
    assert says in str(error.value)
    assert len(str(error.value)) < 500


def test_a_spec_that_cannot_be_read(tmp_path):
    says = r"^none.toml: cannot read it: No such file or directory; `largeprompt sweep --example`"
    with pytest.raises(InputError, match=says):
        read_grid(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"^bytes.toml: not TOML"):
        read_grid(tmp_path / "bytes.toml")


def test_close_scales_have_names_of_their_own_and_equal_names_are_refused(tmp_path):
    text = GOOD.replace("[[U]]", "[[U]]\nscales = [0.5, 1.0000001, 1.0000002]")
    runs = read_grid(write(tmp_path, text)).runs
    assert [run.setting.name for run in runs] == ["U x 0.5", "U x 1.0000001", "U x 1.0000002"]
    more = "[[U]]\nname = 'a x 2'\nidentity = 2\n[[U]]\nname = 'a'\nidentity = 2\nscales = [2]"
    words = r"\[\[U\]\]: two entries come to the name 'a x 2'; choose different names"
    with pytest.raises(InputError, match=words):
        read_grid(write(tmp_path, GOOD + more))


def test_a_mark_at_the_beginning_as_editors_leave_it(tmp_path):
    known = read_grid(write(tmp_path, GOOD)).runs[0].content
    assert read_grid(write(tmp_path, "\ufeff" + GOOD)).runs[0].content == known


def test_a_law_of_ones_own_does_not_inherit_how_we_read_annotations(tmp_path):
    text = LAW.replace("from __future__ import annotations\n", "")
    text += "\nassert Corners.__annotations__ == {'radius': float}\n"
    (tmp_path / "my_law.py").write_text(text, encoding="utf-8")
    assert len(read_grid(write(tmp_path, OWN)).runs) == 1


def test_scores_too_large_name_the_entries_that_make_them(tmp_path):
    more = GOOD + "[[U]]\nname = 'wild'\nidentity = 2\nscale = 1e15\n"
    more += "[[query]]\nname = 'far'\nvector = [9e14, 0]"
    assert len(read_grid(write(tmp_path, more)).runs) == 4
    with pytest.raises(InputError) as error:
        read_grid(write(tmp_path, more.replace(GAMMA, "Gamma = { identity = 2, scale = 100 }")))
    told = "grid.toml: [[tokens]] 'tokens' with [[U]] 'wild' with [[V]] 'V' with [[query]] 'far': scores"
    assert str(error.value).startswith(told)
