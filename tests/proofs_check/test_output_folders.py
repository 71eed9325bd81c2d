"""No command makes a folder that nobody named, but for the last one of a name."""

from pathlib import Path

import pytest

from numerics.jobs.store_errors import StoreError
from numerics.jobs.workspace import Workspace
from numerics.terminal.files import replace_together
from numerics.terminal.inputs import InputError, MissingFolderError, make_folder, writable_folder
from proofs_check.core.ledgers.ledger import write_json
from proofs_check.core.ledgers.stored import RELEASE
from proofs_check.reports.cli import main
from tests.proofs_check.core.ledgers import document

pytest_plugins = ("pytester",)


@pytest.fixture
def ledger(tmp_path):
    write_json(document(), path := tmp_path / "ledger.json")
    return path


@pytest.fixture
def grid(tmp_path, capsys):
    assert main(["sweep", "--example"]) == 0
    (tmp_path / "grid.toml").write_text(capsys.readouterr().out, encoding="utf-8")
    return tmp_path / "grid.toml"


@pytest.mark.parametrize("name", ["missing", "grid.toml"])
def test_commands_refuse_what_is_no_folder_before_any_work_and_make_none(name, ledger, grid, tmp_path, ran):
    folder = tmp_path / name
    says = f"there is no folder {folder}; create it first" if name == "missing" else "cannot write to"
    for words in (
        ["blueprint", "--ledger", ledger, "--out", folder / "b.html"],
        ["errata", "--ledger", ledger, "--out", folder / "errata"],
        ["rates", "--out", folder / "rates"],
        ["rates", "--paper", "LDL", "--out", folder / "rates"],
        ["figures", "--paper", "BB", "--out", folder / "figures"],
        ["sweep", grid, "--store", tmp_path / "results.sqlite", "--out", folder / "report"],
    ):
        said = ran(2, *words).err
        assert says in said
        assert said.count("\n") == 1
    assert str(folder) in ran(2, "sweep", grid, "--store", folder / "results.sqlite").err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["grid.toml", "ledger.json"]


def test_a_folder_that_is_named_is_made(ledger, tmp_path):
    assert main(["errata", "--ledger", str(ledger), "--out", str(tmp_path / "errata")]) == 0
    assert (tmp_path / "errata" / "errata.html").is_file()


def test_the_folder_of_several_errata_is_made(tmp_path, monkeypatch):
    written = []
    write = lambda kept, key, folder, latex: written.append(folder)
    monkeypatch.setattr("proofs_check.reports.documents.cli._write_errata", write)
    assert main(["errata", "--ledger", str(RELEASE), "--out", str(tmp_path / "errata")]) == 0
    assert len(written) > 1
    assert {folder.parent for folder in written} == {path for path in tmp_path.iterdir() if path.is_dir()}


def test_a_run_refuses_a_ledger_below_a_missing_folder(pytester):
    result = pytester.runpytest_subprocess("--ledger", "missing/ledger", "-p", "largeprompt")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    why = "cannot write to missing/ledger: there is no folder missing; create it first"
    result.stderr.fnmatch_lines([f"*--ledger: {why}*"])
    assert not (pytester.path / "missing").exists()


def test_functions_follow_the_same_rule(tmp_path):
    missing = tmp_path / "missing"
    with pytest.raises(MissingFolderError, match=r"there is no folder .*missing; create it first"):
        replace_together(missing / "page", {"a.html": ""})
    with pytest.raises(StoreError, match=r"there is no folder .*missing; create it first"):
        Workspace(missing / "store")
    with pytest.raises(InputError, match="null character"):
        writable_folder(Path("a\0b"))
    assert not missing.exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="choose another place"):
        writable_folder(tmp_path / "file")
    make_folder(missing)
    make_folder(missing)  # what is there is left alone
    assert missing.is_dir()
