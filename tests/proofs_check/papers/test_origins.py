"""The papers' lists of hypotheses are about what engines received, and none is without a kind."""

import json
from dataclasses import replace
from functools import cache

import pytest

from numerics.evidence import Verdict
from proofs_check.core.ledgers.stored import RELEASE
from proofs_check.papers.origins import origin, origins
from proofs_check.papers.statements import papers

LISTED = [key for key in papers() if origins(key) is not None]


@cache
def received(key):
    """Claims of a paper with what their accepted statements took for granted."""
    return tuple(_received(key))


def _received(key):
    for entry in json.loads(RELEASE.read_text(encoding="utf-8"))["claims"]:
        for judged in (entry, entry["repair"]):
            if entry["paper"] == key and judged is not None and Verdict(judged["verdict"]).accepted:
                yield from ((entry["id"], text) for text in judged["evidence"]["assumes"])


def test_the_three_papers_have_lists():
    assert {"BB", "LDL", "COL"} <= set(LISTED)


@pytest.mark.parametrize("key", LISTED)
def test_every_hypothesis_has_a_kind(key):
    assert [(claim, text) for claim, text in received(key) if origin(claim, text) is None] == []


@pytest.mark.parametrize("key", LISTED)
def test_every_entry_is_about_something(key):
    listed = [(n, says) for n, entry in enumerate(origins(key) or ()) for says in entry.says]
    entries = origins(key) or ()
    used = lambda n, says: any(replace(entries[n], says=(says,)).speaks_of(*given) for given in received(key))
    assert [(entries[n].source, says) for n, says in listed if not used(n, says)] == []
