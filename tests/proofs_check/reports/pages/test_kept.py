"""What is kept between runs: read back while its sources stay, and never a reason to fail."""

import gzip
import json

import pytest

from proofs_check.reports.pages.kept import Kept


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "module.py"
    path.write_text("", encoding="utf-8")
    return path


def run(source, *texts):
    """What one run returns for some texts, and which of them it had to make."""
    kept, made = Kept(str(source)), []

    @kept.remembered
    def upper(text, *, end=""):
        made.append(text + end)
        if not text:
            raise ValueError("nothing")
        return text.upper() + end

    with kept.between_runs():
        return [upper(text) for text in texts], made, upper


def file(source):
    (found,) = (source.parent / "__pycache__").glob("module.*.json.gz")
    return found


def test_a_second_run_makes_only_what_is_new(source):
    assert run(source, "a", "b", "a")[:2] == (["A", "B", "A"], ["a", "b"])
    assert run(source, "b", "c")[:2] == (["B", "C"], ["c"])
    assert run(source, "a", "c")[:2] == (["A", "C"], [])


def test_options_of_a_function_tell_its_texts_apart(source):
    _, made, upper = run(source, "a")
    assert (upper("a"), upper("a", end="!"), upper("a!")) == ("A", "A!", "A!")
    assert made == ["a", "a!", "a!"]


def test_another_source_begins_anew_and_leaves_one_file(source):
    run(source, "a")
    source.write_text("# changed", encoding="utf-8")
    assert run(source, "a")[1] == ["a"]
    file(source)


@pytest.mark.parametrize(
    "content",
    [b"", b"no gzip", gzip.compress(b"{"), gzip.compress(b"[]"), gzip.compress(b"{}" * 99)[:-9]],
    ids=["empty", "other", "cut JSON", "list", "cut gzip"],  # an archive holds the time, and names none
)
def test_a_broken_file_is_made_anew(source, content):
    run(source, "a")
    file(source).write_bytes(content)
    assert run(source, "a")[:2] == (["A"], ["a"])
    assert list(json.loads(gzip.decompress(file(source).read_bytes())).values()) == ["A"]


def test_where_nothing_can_be_written_everything_is_made(source):
    (source.parent / "__pycache__").write_text("", encoding="utf-8")
    assert run(source, "a")[:2] == run(source, "a")[:2] == (["A"], ["a"])


def test_an_error_is_raised_each_time(source):
    upper = run(source)[2]
    for _ in range(2):
        with pytest.raises(ValueError, match="nothing"):
            upper("")
