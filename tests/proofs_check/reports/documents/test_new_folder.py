"""The folder of a paper of one's own: what may be written into it, and what is refused."""

import tomllib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from numerics.terminal.inputs import InputError
from proofs_check.reports.documents.new_paper import new_paper


@pytest.mark.parametrize(
    ("given_", "why"),
    [
        (dict(id="me"), "capital letters"),
        (dict(id="BB"), "holds a paper BB already"),
        (dict(title=" "), "--title is empty"),
        (dict(folder="full"), "is no empty folder"),
        (dict(folder="file"), "is no empty folder"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path, given_, why):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    chosen = {"folder": "new", "title": "T", "id": "ME"} | given_
    with pytest.raises(InputError, match=why):
        new_paper(tmp_path / chosen["folder"], chosen["title"], chosen["id"])
    assert sorted(tmp_path.rglob("*")) == before


@given(title=st.text(min_size=1).filter(str.strip), authors=st.text())
@example(title='"\\', authors="<script>")
@example(title="{id} {authors}", authors="\x7f\x00")
def test_any_title_is_kept(tmp_path_factory, title, authors):
    folder = tmp_path_factory.mktemp("papers") / "mine"
    new_paper(folder, title, "ME", authors)
    told = tomllib.loads((folder / "statements.toml").read_text(encoding="utf-8"))["paper"]
    assert (told["title"], told["authors"]) == (" ".join(title.split()), " ".join(authors.split()))
