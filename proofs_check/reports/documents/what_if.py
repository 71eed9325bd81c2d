"""``largeprompt show NAME --set c=100`` judges a claim with other numbers than the paper's. Nothing
of it is stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from numerics.terminal.colours import COLOURS
from numerics.terminal.console import console
from numerics.terminal.inputs import InputError
from numerics.terminal.mathematics import as_unicode
from numerics.terminal.progress import progress_bar
from proofs_check.reports.documents.latex import marked
from proofs_check.reports.documents.names import named
from proofs_check.reports.documents.numbers import as_printed, declared, must_be_a_number, rational
from proofs_check.reports.documents.row_page import witness_text

if TYPE_CHECKING:
    from numerics.evidence import Evidence

__all__ = ["what_if"]


def what_if(name: str, settings: Sequence[str]) -> int:
    """Judge a claim with other numbers, such as ``"c=100"``, and print the outcome as one
    paragraph: 0, whatever the verdict. A name, number or value that is not known, or a claim that
    cannot be judged so, is an InputError.
    """
    given = [_split(setting) for setting in settings]
    texts = dict(given)
    if len(texts) < len(given):
        raise InputError(
            f"--set gives {', '.join(k for k in texts if [g[0] for g in given].count(k) > 1)} twice; "
            "give it once"
        )
    with progress_bar(False, "loading the claims") as advance:
        known = declared()
        id = _one(name, list(texts), known)
        for key in texts:
            must_be_a_number(id, known[id], key)
        from proofs_check.core.judging import load_claims

        claim = load_claims()[id]
        advance(0, 1, f"judging {id}")
        values = ", ".join(f"{key} = {text}" for key, text in given)
        try:
            evidence = claim(**{key: rational(text) for key, text in given})
        except Exception as error:  # engines and SymPy refuse numbers that make no sense in ten ways
            raise InputError(f"{id} cannot be judged with {values}: {error}; choose other numbers") from error
    said = Text.assemble(
        (id, "bold"), f" with {values}: ", (evidence.word, f"bold {COLOURS[evidence.verdict]}")
    )
    said.append(_because(evidence))
    said.append(f" As printed: {as_printed(known[id])}. Nothing was stored.")
    console().print(said)
    return 0


def _split(setting: str) -> tuple[str, str]:
    key, equals, text = (part.strip() for part in setting.partition("="))
    if not (key and equals and text):
        raise InputError(f"--set {setting[:40]!r} sets nothing; write NAME=VALUE, such as --set c=100")
    try:
        rational(text)
    except InputError as error:
        raise InputError(f"--set {key[:40]}: {error}") from None
    return key, text


def _one(name: str, keys: list[str], known: Mapping[str, Mapping[str, Any]]) -> str:
    """The id of the one claim that a name means, and that has these numbers: where several have
    them, the name must be the id of one, written in full.
    """
    meant = named(name, known)
    rows = {r.id for r in meant.rows}
    mine = [id for id in known if (id == meant.claim if meant.claim else id.partition("/")[0] in rows)]
    if not mine:
        raise InputError(
            f"no claim settles {meant.title} yet, so there is nothing to judge; see: largeprompt list"
        )
    having = [id for id in mine if set(keys) <= set(known[id])]
    chosen = [id for id in having if id.casefold() == name.strip().casefold()] or having
    if len(chosen) == 1:
        return chosen[0]
    offered = "; ".join(f"{id} with {as_printed(known[id])}" for id in chosen or mine)
    if not chosen:
        raise InputError(
            f"no claim of {meant.title} has a number called {', '.join(keys)[:40]}; as printed there "
            f"is {offered}"
        )
    raise InputError(
        f"several claims of {meant.title} have {', '.join(keys)}; write the id of one in full: {offered}"
    )


def _because(evidence: Evidence) -> str:
    """The witness of a refutation, the reason of an open claim, or what was covered."""
    words = lambda text: as_unicode(marked(text))
    if evidence.witness:
        return f" at {witness_text(evidence.witness, evidence.witness_by)}."
    if evidence.reason:
        return f", because {words(evidence.reason)}."
    # what follows are two sides in the kernel's own signs, of up to a hundred lines
    told = evidence.covered.partition(":\n")[0]
    covered = f" on {words(told)}" if told else ""
    return f" by {evidence.engine}{covered}."
