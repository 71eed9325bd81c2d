"""Derivations as lists of displayed lines: ``largeprompt show NAME --proof`` prints one, and
``largeprompt blueprint --proofs`` shows all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import proved
from numerics.derivations.typeset import assumptions_latex, definitions_latex, proof_lines
from numerics.terminal.console import console
from numerics.terminal.inputs import InputError
from numerics.terminal.mathematics import as_unicode
from numerics.terminal.progress import counted, progress_bar
from proofs_check.derivations.proofs import PROOFS
from proofs_check.reports.documents.names import named

__all__ = ["Displayed", "all_proofs", "show_proof"]


class Displayed(NamedTuple):
    """A derivation for readers: how many steps it has, and as LaTeX what it assumes, what its names
    stand for, and its lines, each with a number and its rule.
    """

    steps: int
    assumes: tuple[str, ...]
    names: tuple[str, ...]
    lines: list[tuple[int, str, str]]


def all_proofs() -> dict[str, list[Displayed]]:
    """Check all stored derivations now; by the id of the claim, one for each part of it. A step
    that is a part of another claim is shown as one line, which names that claim.
    """
    with progress_bar(False, "checking the derivations") as advance:
        checked = {
            name: _checked(name) for name in counted(advance, list(PROOFS), "checking the derivation of")
        }
    elsewhere: dict[int, str] = {}
    for name, parts in checked.items():
        for found, _ in parts:
            elsewhere.setdefault(id(found), name)
    others = lambda found: {key: name for key, name in elsewhere.items() if key != id(found)}
    return {
        name: [_displayed(theorem, others(found)) for found, theorem in parts]
        for name, parts in checked.items()
    }


def _checked(name: str) -> list[tuple[Theorem, Theorem]]:
    """Each theorem of a claim, as it was found, and as the statement that it must be."""
    found = [theorem() for theorem in PROOFS[name].theorems]
    return [
        (theorem, proved(statement, theorem))
        for statement, theorem in zip(PROOFS[name].statements(), found, strict=True)
    ]


def _displayed(theorem: Theorem, elsewhere: Mapping[int, str] | None = None) -> Displayed:
    lines = proof_lines(theorem, elsewhere)
    return Displayed(len(theorem.steps()), assumptions_latex(theorem), definitions_latex(theorem), lines)


def show_proof(name: str, *, latex: bool = False) -> int:
    """Check the derivation of a statement, by what `proofs_check.reports.documents.names.named`
    understands, now, and print it. Always 0; a statement without a derivation is an InputError.

    >>> try:
    ...     show_proof("BB:LC.4.log")
    ... except InputError as error:
    ...     print(str(error).split(";")[0])
    BB:LC.4.log has no derivation
    """
    meant = named(name, PROOFS)
    ids = [meant.claim] if meant.claim else [r.id for r in meant.rows]
    found = [id for id in ids if id in PROOFS]
    if not found:
        raise InputError(f"{ids[0]} has no derivation; those that have one: {', '.join(PROOFS)}")
    put = str if latex else as_unicode
    screen = console()
    with progress_bar(False, "checking the derivation") as advance:
        checked = [(id, _checked(id)) for id in counted(advance, found, "checking the derivation of")]
    for id, parts in checked:
        for _, theorem in parts:
            _print(screen, id, _displayed(theorem), put)
    return 0


def _print(screen: Console, id: str, proof: Displayed, put: Callable[[str], str]) -> None:
    screen.print(
        Text.assemble((id, "bold"), f": {proof.steps} steps, of which those that only rewrite are left out.")
    )
    screen.print(Text(f"It assumes {'; '.join(map(put, proof.assumes))}."))
    for line in proof.names:
        screen.print(Text(f"  {put(f'${line}$')}"))
    for number, line, rule in proof.lines:
        screen.print(Text.assemble((f"({number}) ", "bold"), put(f"${line}$")))
        screen.print(Text(f"      by {rule}", style="dim"))
