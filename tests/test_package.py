"""What the package says of itself: licence, version, dependencies, citation, addresses."""

import datetime
import re
import subprocess
import sys
import tomllib
from importlib import metadata, util
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from proofs_check.papers.statements import PACKAGE, is_own, paper, papers

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ENTRY_POINTS = PROJECT["entry-points"]["largeprompt.papers"]
CITED = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
CITATION = dict(re.findall(r'^([\w-]+): ?"?(.*?)"?$', CITED, re.MULTILINE))


def test_licence_and_citation_keep_step_with_the_package():
    (name,) = PROJECT["license-files"]
    text = (ROOT / name).read_text(encoding="utf-8")
    (author,) = (a["name"] for a in PROJECT["authors"])
    assert text.startswith(f"{PROJECT['license']} License\n")
    assert re.search(rf"^Copyright \(c\) \d{{4}} {author}$", text, re.MULTILINE)
    assert f"- name: {author}" in CITED
    assert (CITATION["license"], CITATION["version"]) == (PROJECT["license"], PROJECT["version"])
    assert {"cff-version", "message", "title", "authors"} <= set(CITATION)  # what the format asks for


def test_addresses_are_placeholders_that_say_so():
    """The day there is an address, this test goes."""
    addresses = [*PROJECT["urls"].values(), CITATION["repository-code"]]
    hosts = [urlsplit(a).hostname for a in addresses]
    assert all(host.endswith(".invalid") and "placeholder" in host for host in hosts)
    assert CITATION["repository-code"] == PROJECT["urls"]["Repository"]


def test_the_citation_is_complete_and_names_the_papers():
    yaml = pytest.importorskip("yaml", reason="PyYAML comes with the extra dask")
    cited = yaml.safe_load(CITED)
    assert cited["cff-version"] == "1.2.0"
    assert cited["authors"] == PROJECT["authors"]
    assert cited["keywords"] == PROJECT["keywords"]
    assert isinstance(cited["date-released"], datetime.date)
    named = lambda r: ", ".join(f"{a['given-names']} {a['family-names']}" for a in r["authors"])
    names = {r["title"]: named(r) for r in cited["references"]}
    assert names == {paper(key)["title"]: paper(key)["authors"] for key in papers() if not is_own(key)}


def test_the_bibtex_entry_says_what_the_citation_says():
    page = (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")
    (entry,) = re.findall(r"```bibtex\n(.*?)```", page, re.DOTALL)
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE))
    released = CITATION["date-released"]
    known = {"author": f"{{{PROJECT['authors'][0]['name']}}}", "title": CITATION["title"]}
    assert fields == known | {"version": PROJECT["version"], "date": released, "year": released[:4]}


DEPENDENCIES = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| (?:`([\w-]+)` \| )?`([\w-]+)` \| ([A-Z][^|]*\.) \| `([\w./]+)` \|$", re.MULTILINE)
#: Extra (empty: what every installation brings), package, and the file that is named as its user.
NAMED = [(extra, package, path) for extra, package, _, path in _ROW.findall(DEPENDENCIES)]


def test_every_dependency_has_its_sentence():
    name = lambda requirement: re.match(r"[\w-]+", requirement)[0]
    asked = [("", name(r)) for r in PROJECT["dependencies"]]
    extras = PROJECT["optional-dependencies"].items()
    asked += [(extra, name(r)) for extra, requirements in extras for r in requirements]
    assert sorted((extra, package) for extra, package, _ in NAMED) == sorted(asked)


@pytest.mark.parametrize(("package", "path"), [named[1:] for named in NAMED if not named[0]])
def test_a_dependency_is_used_where_the_page_says(package, path):
    homes = metadata.packages_distributions().items()
    modules = {module for module, names in homes if package in {name.lower() for name in names}}
    used = re.findall(r"^ *(?:import|from) (\w+)", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    assert modules & set(used), f"{path} does not import {package}"


def test_no_file_of_the_packages_is_left_out_of_the_wheel():
    """Hatch leaves out what .gitignore matches, even where git keeps it."""
    command = ["git", "ls-files", "theory", "numerics", "proofs_check"]
    run = lambda *more: subprocess.run(more, cwd=ROOT, capture_output=True, text=True, check=True)
    listed = lambda *options: run(*command, *options).stdout
    assert len(listed().splitlines()) > 1000
    assert listed("--cached", "--ignored", "--exclude-standard") == ""


def test_the_papers_of_this_repository_are_registered():
    """A folder that is not would be missing wherever the wheel is installed."""
    registered = [Path(*util.find_spec(place).submodule_search_locations) for place in ENTRY_POINTS.values()]
    lists = list(PACKAGE.rglob("statements.toml"))
    assert lists
    assert all(any(file.is_relative_to(place) for place in registered) for file in lists)
    assert all(any(file.is_relative_to(place) for file in lists) for place in registered)


def test_the_lines_that_a_proof_rests_on_are_as_many_as_the_page_on_trust_says():
    page = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    said = re.findall(r"^\| `([\w/]+)/` \| ([\d ]+) \|", page, re.MULTILINE)
    assert len(said) > 3
    for room, number in said:
        lines = sum(len(p.read_text(encoding="utf-8").splitlines()) for p in (ROOT / room).rglob("*.py"))
        off = abs(lines / int(number.replace(" ", "")) - 1)
        assert off < 0.15, f"{room} has {lines} lines; say so in docs/trust.md"


def test_a_module_of_the_same_name_hides_ours_with_an_error_and_is_not_hidden_by_ours(tmp_path):
    (tmp_path / "theory.py").write_text("mine = 1\n", encoding="utf-8")
    (tmp_path / "test_mine.py").write_text(
        "import theory\n\n\ndef test_it_is_mine():\n    assert theory.mine == 1\n", encoding="utf-8"
    )
    run = lambda *words: subprocess.run(
        [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    refused = run("-c", "import numerics")
    assert f"ImportError: the module theory of {tmp_path / 'theory.py'} hides" in refused.stderr
    assert "rename that file or folder" in refused.stderr
    with_plugin = run("-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert with_plugin.returncode == 0, with_plugin.stdout
    command = run(
        "-c", "import sys; sys.path.pop(0); from proofs_check.reports.cli import main; main(['--version'])"
    )
    assert command.stdout.startswith("largeprompt "), command.stderr
