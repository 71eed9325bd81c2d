"""What `largeprompt show` prints of a row: the verdict, why and what is true instead first, the
evidence after them.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from numerics.evidence import Evidence, Verdict
from numerics.terminal.colours import COLOURS
from numerics.terminal.inputs import InputError
from numerics.terminal.mathematics import as_unicode, formula_as_unicode
from proofs_check.core.instead import told_instead
from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.core.ledgers.outcomes import NOT_SETTLED, Outcome
from proofs_check.core.printed import told
from proofs_check.core.severity import in_words
from proofs_check.papers.registered import collections, in_scope_as_told
from proofs_check.papers.replies import replies_to
from proofs_check.papers.witnesses import every_choice, point, script_path
from proofs_check.reports.documents.latex import marked
from proofs_check.reports.documents.listing import print_lines
from proofs_check.reports.documents.property_tests import examples, without
from proofs_check.reports.documents.second_opinion.kept import opinion
from theory.shown.formulas import LatexError

__all__ = ["Page", "from_here", "verdict_of_claim", "verdict_of_row", "witness_text"]

Entry = Mapping[str, Any]
Field = tuple[str, str | Text]
#: Characters of a formula that an engine received, of which the longest fill pages.
_LONGEST = 1000
#: What of an evidence is shown in another place, or by kind.
_ELSEWHERE = ("verdict", "checked", "witness", "slack", "reference", "argument", "assumes")
#: How many steps of a proof are named that give much away.
_STEPS = 5


class Page:
    """Prints rows, and all that they need, of a ledger on a screen; formulas as LaTeX, whole, if
    asked for.
    """

    def __init__(self, screen: Console, book: Ledger, latex: bool) -> None:
        self.screen, self.book, self.latex = screen, book, latex

    def group(self, title: str, found: list[Outcome]) -> None:
        """The rows of a numbered statement, a line each, and of those that are false the reason."""
        paper = found[0].row.version or found[0].row.paper
        self.screen.print(Text(f"{title}  ({paper}), {len(found)} rows", style="bold"))
        print_lines(self.screen, found, places=False)
        for o in (o for o in found if o.errors):
            self.screen.print()
            self.paragraph(Text.assemble((o.id, "bold"), f"  {self._words(o.row.where)}"))
            self._fields(
                [("verdict", verdict_of_row(o)), *self._reasons(o.errors[0]), *self._witness(o.errors[0])]
            )
        first = next((o for o in found if o.row.main), found[0])
        self.screen.print()
        self.paragraph(
            Text(
                "One row in full, with formulas and evidence: largeprompt show "
                f"{first.id}{in_scope_as_told()}"
            )
        )

    def row(self, o: Outcome, claim: str = "") -> None:
        """A row with all its claims, or with one of them."""
        heading = Text.assemble(
            (o.id, "bold"), f"  {self._words(o.row.where)}  ({o.row.version or o.row.paper})"
        )
        self.paragraph(heading)
        self.paragraph(Text(self._words(o.row.says), style="dim"))
        shown = [e for e in sorted(o.claims, key=lambda e: e["id"] != o.id) if claim in ("", e["id"])]
        first = shown[0] if len(shown) == 1 else next((e for e in o.errors if not claim), None)
        self._fields([("verdict", verdict_of_row(o)), *(self._reasons(first) if first else [])])
        self._formula("as printed", o.row.printed)
        if o.row.reading:
            self._fields([("reading", self._words(o.row.reading))])
        for r in o.row.readings:
            self._fields(
                [
                    ("read so", self._words(r.line)),
                    *(("  or", self._words(other)) for other in r.alternatives),
                ]
            )
        alone = [e["id"] for e in shown] == [o.id]
        for e in shown:
            if not alone:
                self.screen.print()
                self.paragraph(Text.assemble((e["id"], "bold"), f"  {self._words(e['summary'])}"))
                self._fields([("verdict", verdict_of_claim(e)), *([] if e is first else self._reasons(e))])
            self._checks(e, alone=alone)
        if o.row.read:
            self._fields([("row read", self._words(o.row.read.line))])
        if o.row.no_property:
            self._fields([("no examples", self._words(o.row.no_property))])
        if not o.claims:
            self.screen.print(Text("no claim settles this row yet", style="magenta"))

    def _reasons(self, e: Entry) -> Iterator[Field]:
        """Why a claim is false, what is true instead and what that costs; or why it is open."""
        if e["severity"]:
            said = {"why": e["why"], "instead": told_instead(e), "details": e["details"]}
            yield from ((name, self._words(text)) for name, text in said.items() if text)
            if e["follows"]:
                yield "follows", f"the error of {e['follows']}, and is not counted again"
            if e["costs"]:
                yield "costs", e["costs"]
        yield from (("reply", self._words(reply.line)) for reply in replies_to(e["id"]))
        if e["open"]:
            yield "open", self._words(e["open"])

    def _checks(self, e: Entry, *, alone: bool) -> None:
        """What engines received and found."""
        if alone and e["summary"]:
            self._fields([("claim", self._words(e["summary"]))])
        held = e["repair"] or e
        # What the entry itself calls checked is the repaired formula, where there is a repair.
        if checked := e["evidence"]["checked"] or ("" if e["repair"] else e["checked"]):
            self._formula("as checked" + _with(e["numbers"]), checked, longest=_LONGEST)
        if e["repair"] and held["evidence"]["checked"]:
            self._formula(
                "as repaired" + _with(held["numbers"]), held["evidence"]["checked"], longest=_LONGEST
            )
        self._fields(
            [*self._witness(e), *self._evidence(held), *self._numbers(e), *self._support(e, held["evidence"])]
        )

    def _witness(self, e: Entry) -> Iterator[Field]:
        if e["evidence"]["witness"]:
            yield "witness", witness_text(e["evidence"]["witness"], e["evidence"]["witness_by"])
        if path := script_path(e["id"]):
            yield "run it", f"python {shlex.quote(from_here(path))}"

    def _evidence(self, judged: Mapping[str, Any]) -> Iterator[Field]:
        data = judged["evidence"]
        try:
            known = Evidence.from_json(without(data))
        except ValueError as error:  # of a ledger that was edited
            raise InputError(
                f"the ledger contradicts itself: {error}; judge the claim anew with --again"
            ) from error
        shown = [(name, text) for name, text in known.rows() if name not in _ELSEWHERE]
        for name, text in [*shown, *told(judged)]:
            words = text if self.latex else as_unicode(marked(text))
            yield (
                ("evidence" if name == "engine" else f"  {name}"),
                _cut(words, 0 if self.latex else _LONGEST),
            )
        if said := examples(data):
            yield "  examples", said

    def _numbers(self, e: Entry) -> Iterator[Field]:
        """The sharp constant, and how much the bound gives away."""
        if sharp := e["sharp"]:
            yield (
                sharp["word"],
                f"{sharp['number']} = {sharp['accepted']} accepted, {sharp['refuted']} refuted",
            )
        repaired = e["repair"]["slack"] if e["repair"] else None
        found = {
            "as printed": e["slack"],
            "as repaired": repaired,
            "at the reference instance": e["slack_at_reference"],
        }
        slack = [f"{value:.4g} {of}" for of, value in found.items() if value is not None]
        if slack:
            yield "slack", ", ".join(slack) + " (bound over truth)"
        steps = sorted(self.book.losses(e["id"])[1:], key=lambda step: -step[1])
        if e["slack_at_reference"] is not None and steps:
            most = ", ".join(f"{loss:.4g} {step}" for step, loss in steps[:_STEPS])
            yield "  of steps", f"{most} (those that give most away there)"

    def _support(self, e: Entry, held: Mapping[str, Any]) -> Iterator[Field]:
        for name in ("needs", "cites"):
            if e[name]:
                yield name, self._words(", ".join(e[name]))
        if second := opinion(e["id"]):
            yield "confirmed", second
        for name, said in e.get("elsewhere", {}).items():
            if name in self.book.elsewhere:
                yield (
                    "  not run",
                    (
                        f"{name} is {said['verdict']}, with all that it needs {said['chain']}, in "
                        f"{said['ledger']}"
                    ),
                )
        said = {"argument": e["argument"] or held["argument"], "unproved": e["unproved"]}
        yield from ((name, self._words(text)) for name, text in said.items() if text)
        path, _, line = e["line"].rpartition(":")
        files = (c.root.parent / path for c in collections()) if path else ()
        if file := next((f for f in files if f.is_file()), None):
            yield "source", f"{from_here(file)}:{line}"
        yield from (("FAULT", Text(fault, style="bold red")) for fault in e["faults"])

    def _words(self, text: str) -> str:
        return text if self.latex else as_unicode(text)

    def _formula(self, label: str, latex: str, longest: int = 0) -> None:
        """A formula on lines of its own under its label; LaTeX is for copying and is not broken."""
        self.screen.print(Text(f"{label}:", style="bold"))
        if self.latex:
            self.screen.print(Text(latex), soft_wrap=True)
            return
        try:
            spelled = _cut(formula_as_unicode(latex), longest)
        except LatexError:
            spelled = latex
        for line in spelled.split("\n"):
            self._hanging("  ", Text(line, style="cyan"), "      ")

    def _fields(self, fields: Iterable[Field]) -> None:
        """Names on the left, what they say beside them."""
        known = list(fields)
        width = max((len(name) for name, _ in known), default=0) + 2
        for name, said in known:
            self._hanging(f"{name:{width}}", said if isinstance(said, Text) else Text(said), " " * width)

    def paragraph(self, text: Text) -> None:
        """Words over the whole width."""
        self._hanging("", text, "")

    def _hanging(self, first: str, text: Text, other: str) -> None:
        """A paragraph whose lines begin at the same column."""
        lines = text.wrap(self.screen, max(self.screen.width - len(other), 20), overflow="fold")
        for i, line in enumerate(lines):
            line.rstrip()
            self.screen.print(Text.assemble((first, "bold") if i == 0 else other, line))


def verdict_of_row(o: Outcome) -> Text:
    """A row's verdict as printed, how grave its error is, and what holds with the repairs.

    >>> from proofs_check.core.ledgers.stored import find_ledger
    >>> from proofs_check.core.ledgers.outcomes import outcomes
    >>> verdict_of_row(outcomes(find_ledger().document)["BB:CC.3.b"]).plain.split(";")[0]
    'REFUTED, a false step'
    """
    word = f"{o.verdict} (parts {o.weakest})" if o.weakest else o.verdict
    said = Text.assemble((word, f"bold {COLOURS[o.verdict]}"))
    if o.errors:
        gravest = o.errors[0]
        said.append(f", {in_words(gravest)}")
        said.append(f" ({gravest['id']})" if gravest["id"] != o.id else "")
        if o.repaired:
            said += Text.assemble("; as repaired ", (o.held, COLOURS[o.held]))
    if o.verdict != NOT_SETTLED and o.chain != o.held:
        said += Text.assemble("; with all that it needs ", (o.chain, COLOURS[o.chain]))
    return said


def verdict_of_claim(e: Entry) -> Text:
    """The verdict of one claim, how grave its error is, and what holds with the repair.

    >>> from proofs_check.core.ledgers.stored import find_ledger
    >>> claims = {e["id"]: e for e in find_ledger().document["claims"]}
    >>> verdict_of_claim(claims["BB:CC.3.b"]).plain.split(";")[0]
    'REFUTED, a false step'
    """
    said = Text.assemble((_word(e), COLOURS[e["verdict"]]))
    if e["verdict"] == "REFUTED":
        said.append(f", {in_words(e)}")
    if e["repair"]:
        said += Text.assemble("; as repaired ", (_word(e["repair"]), COLOURS[e["repair"]["verdict"]]))
    return said


def _word(judged: Mapping[str, Any]) -> str:
    weakest = judged["evidence"]["weakest"]
    return f"{judged['verdict']} (parts {weakest})" if weakest else str(Verdict(judged["verdict"]))


def _with(numbers: Mapping[str, Any]) -> str:
    return f" with {_point(numbers)}" if numbers else ""


def _point(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{k} = {v}" for k, v in values.items())


def witness_text(witness: Mapping[str, Any], by: str) -> str:
    """A witness, and how it was evaluated a second time.

    >>> witness_text({"L": 1}, "two routes")
    'L = 1 (evaluated again by two routes)'
    """
    text = f"{_point(point(witness))} (evaluated again {'exactly' if by == 'exact' else f'by {by}'})"
    others = every_choice(witness).replace("`", "")
    return f"{text}; {others[0].lower()}{others[1:-1]}" if others else text


def _cut(text: str, longest: int) -> str:
    """Text that is no longer than so many characters; what is cut says so."""
    left = len(text) - longest
    return (
        text
        if not longest or left <= 100
        else f"{text[:longest]} … ({left} more characters: --latex prints all)"
    )


def from_here(path: Path) -> str:
    """A path as it is typed where the user stands: relative if it is below the current folder."""
    try:
        here = Path.cwd()
    except OSError:  # the folder is gone
        return str(path)
    return os.path.relpath(path, here) if path.is_relative_to(here) else str(path)
