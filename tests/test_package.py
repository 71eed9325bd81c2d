"""What the package says of itself: one licence, one version, and addresses that nobody can own."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = dict(re.findall(r'^([\w-]+): ?"?(.*?)"?$', (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE))


def test_licence_and_citation_keep_step_with_the_package() -> None:
    (name,) = PROJECT["license-files"]
    text = (ROOT / name).read_text(encoding="utf-8")
    (author,) = (a["name"] for a in PROJECT["authors"])
    assert text.startswith(f"{PROJECT['license']} License\n")
    assert re.search(rf"^Copyright \(c\) \d{{4}} {author}$", text, re.MULTILINE)
    assert f"- name: {author}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert (CITATION["license"], CITATION["version"]) == (PROJECT["license"], PROJECT["version"])
    assert {"cff-version", "message", "title", "authors"} <= set(CITATION)  # what the format asks for


def test_addresses_are_placeholders_that_say_so() -> None:
    """The day there is an address, this test goes."""
    addresses = [*PROJECT["urls"].values(), CITATION["repository-code"]]
    assert all(urlsplit(a).hostname.endswith(".invalid") and "placeholder" in urlsplit(a).hostname for a in addresses)
    assert CITATION["repository-code"] == PROJECT["urls"]["Repository"]
