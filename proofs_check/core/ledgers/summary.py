"""What pytest prints under a run of claims: the main results, the count of what is false, the
errors that matter and where to look next. A run of some claims tells of these only.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from numerics.evidence import Verdict
from numerics.terminal.colours import LETTERS
from numerics.terminal.mathematics import as_unicode
from proofs_check.core.ledgers.coverage import coverage
from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.core.ledgers.losses import CHANGED, LOST, STANDS
from proofs_check.core.ledgers.outcomes import Account, Outcome, account
from proofs_check.core.ledgers.stored import how_to_run
from proofs_check.papers.registered import in_scope_as_told
from proofs_check.papers.statements import is_own, papers, place

__all__ = ["Line", "details", "part_summary", "summary"]

#: Pieces of a line, each with the verdict whose colour it has, or nothing.
Line = Sequence[tuple[str, str]]
#: How many bounds are listed, those that give most away, and how many claims of a part of a run
#: that could not be judged to the end.
LISTED = 5
#: The verdict whose colour a standing has.
_COLOUR = {STANDS: "PROVED", CHANGED: "SUPPORTED", LOST: "REFUTED"}


def cut(text: str, width: int) -> str:
    """A text of at most that width; a cut is marked.

    >>> cut("one two three", 9)
    'one two…'
    """
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def _wrapped(
    text: str, width: int, indent: str = "", first: str | None = None, most: int | None = None
) -> list[str]:
    """The lines of a text, at most so many; a cut is marked. No word is broken, so that a path can
    be copied.
    """
    start = indent if first is None else first
    return textwrap.wrap(
        text,
        width,
        initial_indent=start,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
        max_lines=most,
        placeholder=" …",
    )


def _plain(lines: Iterable[str]) -> Iterator[Line]:
    return ([(line, "")] for line in lines)


def _headline(told: Account, width: int) -> Iterator[Line]:
    """The main results: what each says, whether it stands, and below what to change and why."""
    name = max((len(r.title) for r in told.headline), default=0)
    for r in told.headline:
        line = cut(f"{r.title:{name}}  {r.standing}: {as_unicode(r.says)}", width - 4)
        end = min(name + 2 + len(r.standing), len(line))
        parts = [(line[: name + 2], ""), (line[name + 2 : end], _COLOUR[r.standing]), (line[end:], "")]
        yield [(f"  {LETTERS[r.verdict]} ", r.verdict), *parts]
        for text in (r.reason, r.change):
            yield from _plain(_wrapped(as_unicode(text), width, " " * 6, most=2))


def _false(o: Outcome, width: int, most: int | None = None) -> Iterator[Line]:
    error = o.errors[0]
    kind = "" if o.severity == "false" else f", {o.severity}" + (f" at {error['at']}" if error["at"] else "")
    lines = _wrapped(
        f"{place(o.row)[1]} ({error['id']}){kind}: {as_unicode(error['why'])}", width, " " * 4, most=most
    )
    yield [("  R ", "REFUTED"), (lines[0][4:], "")]
    yield from _plain(lines[1:])


def summary(ledger: Ledger, width: int, kept: str, option: str = "") -> list[Line]:
    """The end of a run of all claims, about 25 lines of so many columns; `kept` says where the
    ledger is, or why there is none, and `option` lets a command read it.
    """
    out: list[Line] = []
    look = "largeprompt list"
    for key in papers():
        told = account(ledger, key)
        title = "Our own results" if is_own(key) else f"{key}: {told.title}"
        if not told.false:
            main = "; ".join(
                f"{r.title} {r.standing}" + (f" ({r.reason})" if r.reason else "") for r in told.headline
            )
            out += _plain(_wrapped(f"{title}: {main}. {told.sentence}", width))
            continue
        out.append([(cut(title, width), "bold")])
        out += _headline(told, width)
        out += [
            [(line, "REFUTED")]
            for text in (told.losses, told.sentence)
            for line in _wrapped(text, width, "  ")
        ]
        for o in told.false:
            look = f"largeprompt show {o.id}" if look == "largeprompt list" else look
            if o.severity == "false":
                out += _false(o, width, 3)
    drawn = [n for e in ledger.entries.values() if (n := _examples((e["repair"] or e)["evidence"]))]
    tried = f", {len(drawn)} of them also on {sum(drawn)} drawn examples" if drawn else ""
    out += _plain(_wrapped(f"{len(ledger.entries)} claims are judged{tried}. {kept}", width))
    where = f"{in_scope_as_told()}{option}"
    if faulty := [id for id, e in ledger.entries.items() if e["faults"]]:
        hint = f"mend {cut(', '.join(faulty), width)}, not in order; `largeprompt show {faulty[0]}{where}`; "
    else:
        hint = (
            f"`largeprompt errata{where}` writes all that is false, with counterexamples; `{look}{where}`; "
        )
    hint = f"Next: {hint}`pytest -v` prints the rest."
    return [*out, *_elsewhere(ledger, width), *_plain(_wrapped(hint, width))]


def _examples(evidence: Mapping[str, Any]) -> int:
    """How many examples a property test drew."""
    return sum(route["samples"] for route in evidence["routes"] if route["engine"] == "property test")


def part_summary(ledger: Ledger, width: int, kept: str) -> list[Line]:
    """The end of a run of some claims: what they are, which needs of theirs were read from other
    ledgers, and which of them could not be judged to the end because a need did not run.
    """
    found = Counter(e["verdict"] for e in ledger.entries.values())
    verdicts = ", ".join(f"{found[v]} {v}" for v in map(str, Verdict) if found[v]) or "none"
    text = (
        f"{len(ledger.entries)} of {len(ledger.needs.keys() - ledger.elsewhere)} claims ran: {verdicts}. "
        f"{kept}"
    )
    out = list(_plain(_wrapped(text, width)))
    for e in ledger.entries.values():
        if e["verdict"] == "REFUTED":
            repaired = f", {e['repair']['verdict']} as repaired" if e["repair"] else ""
            out.append(
                [
                    ("  R ", "REFUTED"),
                    (cut(f"{e['id']}: {e['severity'] or 'not declared'}{repaired}", width - 4), ""),
                ]
            )
            out += _plain(_wrapped(as_unicode(e["why"]), width, " " * 6, most=3))
    return [*out, *_elsewhere(ledger, width)]


def _elsewhere(ledger: Ledger, width: int) -> Iterator[Line]:
    """What is said of needs that did not run: as other ledgers have it, or which command runs
    them.
    """
    read: dict[str, list[str]] = {}
    for name, said in ledger.elsewhere.items():
        chain = (
            ""
            if said["chain"] == said["verdict"]
            else f" (with its repair and all that it needs {said['chain']})"
        )
        read.setdefault(said["ledger"], []).append(f"{name} {said['verdict']}{chain}")
    for where, names in read.items():
        yield from _plain(_wrapped(f"Needed, not run now, but read from {where}: {', '.join(names)}.", width))
    unseen = {id: _unseen(ledger, id) for id in ledger.entries}
    waiting = {
        id: steps
        for id, steps in unseen.items()
        if steps and ledger.held(id) not in (Verdict.REFUTED, Verdict.OPEN)
    }
    for id, steps in list(waiting.items())[:LISTED]:
        others = f" and {len(steps) - 1} more" if len(steps) > 1 else ""
        text = f"{id} stands? not judged: needs {steps[0]}{others}, which did not run"
        text += f"; run first: {command}" if (command := how_to_run(steps[0])) else ""
        yield from _plain(_wrapped(text, width, " " * 4, "  "))
    if len(waiting) > LISTED:
        yield [(cut(f"  … and {len(waiting) - LISTED} more claims that need what did not run", width), "")]


def _unseen(ledger: Ledger, id: str) -> list[str]:
    """What a claim rests on that did not run, and of which no other ledger speaks."""
    steps = ledger.steps(id)
    out_of_scope = (
        n for step in steps for n in ledger.needs[step] if not ledger.claims_of(n) and how_to_run(n)
    )
    return [
        n
        for n in dict.fromkeys((*steps[1:], *out_of_scope))
        if n not in ledger.entries and n not in ledger.elsewhere
    ]


def details(ledger: Ledger, width: int) -> list[Line]:
    """What ``pytest -v`` prints above the summary of a run of all claims: every false row, the
    claims that hold but do not stand, the bounds that give most away, and how far the provers
    reach.
    """
    out: list[Line] = []
    for key in papers():
        told = account(ledger, key)
        if told.false:
            out.append([(f"{key}: false as printed", "bold")])
        for o in told.false:
            out += _false(o, width)
            if copies := told.copies(o):
                out += _plain(
                    _wrapped(f"The same error is in {', '.join(c.id for c in copies)}.", width, " " * 6)
                )
    reaches = (
        line for key in papers() for line in _wrapped(coverage(ledger.entries.values(), key).line, width)
    )
    return [*out, *_plain((*_chains(ledger, width), *_losses(ledger, width), *reaches))]


def _chains(ledger: Ledger, width: int) -> Iterator[str]:
    """How many claims stand on a chain of which strength, and for every claim that holds and does
    not stand the need to blame.
    """
    standing = Counter(str(ledger.chain(id)) for id in ledger.entries if ledger.stands(id))
    yield from _wrapped(
        f"Claims that stand: {', '.join(f'{n} on {v}' for v, n in standing.items()) or 'none'}.", width
    )
    for id in ledger.entries:
        if not ledger.stands(id):
            need, link = ledger.weakest_link(id)
            if need != id:  # a claim that is not accepted itself is told with its verdict already
                why = (
                    f"{need} is {link}"
                    if {need} & {*ledger.entries, *ledger.elsewhere}
                    else f"no claim settles {need}"
                )
                yield cut(f"  {id} does not stand: {ledger.held(id)} itself, but {why}", width)


def _losses(ledger: Ledger, width: int) -> Iterator[str]:
    """The bounds that give most away at their reference instance."""
    lost = {
        id: e["slack_at_reference"] for id, e in ledger.entries.items() if e["slack_at_reference"] is not None
    }
    if lost:
        told = (
            f"Bound over truth at the reference instance: {len(lost)} bounds, median "
            f"{median(lost.values()):.3g}; the largest:"
        )
        yield from _wrapped(told, width)
        yield from (f"  {lost[id]:>12.4g}  {id}" for id in sorted(lost, key=lambda id: -lost[id])[:LISTED])
