"""``largeprompt diff OLD NEW`` lists what changed between two ledgers, and whether each change
makes a claim weaker or stronger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from numerics.evidence import Verdict
from proofs_check.core.sharp_constant import RELATIVE_WIDTH
from proofs_check.reports.documents.repeated import ROUNDING, room, same

__all__ = ["Change", "as_json", "changes", "doubts", "show"]

# What a kind of change is called when it is shown, in this order.
TITLES = {
    "claim": "claims",
    "verdict": "verdicts as printed",
    "repaired": "verdicts as repaired",
    "stands": "standing",
    "severity": "severities",
    "sharp": "sharp constants",
    "slack": "slack",
    "needs": "needs",
    "row": "rows",
}


@dataclass(frozen=True, kw_only=True)
class Change:
    """One difference between two ledgers."""

    #: A key of `TITLES`.
    kind: str
    #: The claim or the row.
    id: str
    #: What it was and what it is; empty where there is nothing.
    old: str
    new: str
    #: ``"stronger"``, ``"weaker"``, ``"refuted"``, ``"no longer refuted"``, ``"added"``,
    #: ``"removed"``, or empty.
    trend: str = ""


def changes(old: Mapping[str, Any], new: Mapping[str, Any], rounding: float = ROUNDING) -> list[Change]:
    """The differences between two ledgers, by kind and in the order of the claims. Two floats that
    differ relatively by less than `rounding` count as the same. Where the engine of a slack states
    more (`repeated.room`), that counts, and at a constant that was reached the width at which its
    search stops. A sharp one is compared exactly.
    """
    before, after = ({c["id"]: c for c in document["claims"]} for document in (old, new))
    found = [
        *(
            Change(kind="claim", id=id, old=_verdicts(before[id]), new="", trend="removed")
            for id in before
            if id not in after
        ),
        *(
            Change(kind="claim", id=id, old="", new=_verdicts(after[id]), trend="added")
            for id in after
            if id not in before
        ),
        *(change for id in after if id in before for change in _of_claim(before[id], after[id], rounding)),
        *_of_rows(old, new),
    ]
    order = list(TITLES)
    return sorted(found, key=lambda c: order.index(c.kind))


def doubts(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Why the differences may not be what they seem: the wrong order, or a run of some claims only.

    >>> whole = {"date": "2026-02-01", "partial": False}
    >>> doubts({"run": whole}, {"run": {"date": "2026-01-01", "partial": True}})[0]
    'OLD was judged on 2026-02-01, after NEW (2026-01-01); is their order what you meant?'
    """
    dates = [document["run"]["date"] for document in (old, new)]
    out = []
    if dates[0] > dates[1]:
        out.append(f"OLD was judged on {dates[0]}, after NEW ({dates[1]}); is their order what you meant?")
    for name, document, seems in (("OLD", old, "added"), ("NEW", new, "removed")):
        if document["run"]["partial"]:
            out.append(
                f"{name} is of a run of some claims only; those that did not run are listed as {seems}"
            )
    return out


def _verdicts(claim: Mapping[str, Any]) -> str:
    return claim["verdict"] + (f", repaired {claim['repair']['verdict']}" if claim["repair"] else "")


def _of_claim(old: Mapping[str, Any], new: Mapping[str, Any], rounding: float) -> Iterator[Change]:
    id = new["id"]
    if old["verdict"] != new["verdict"]:
        yield Change(
            kind="verdict",
            id=id,
            old=old["verdict"],
            new=new["verdict"],
            trend=_trend(old["verdict"], new["verdict"]),
        )
    repaired = [c["repair"]["verdict"] if c["repair"] else "" for c in (old, new)]
    if repaired[0] != repaired[1]:
        trend = _trend(*repaired) if all(repaired) else "added" if repaired[1] else "removed"
        yield Change(kind="repaired", id=id, old=repaired[0], new=repaired[1], trend=trend)
    if old["stands"] != new["stands"]:
        words = {True: "stands", False: "does not stand"}
        trend = "stronger" if new["stands"] else "weaker"
        yield Change(kind="stands", id=id, old=words[old["stands"]], new=words[new["stands"]], trend=trend)
    if old["severity"] != new["severity"]:
        yield Change(kind="severity", id=id, old=old["severity"] or "", new=new["severity"] or "")
    constants = [_sharp(c["sharp"]) for c in (old, new)]
    if not _same_constant(old["sharp"], new["sharp"], rounding):
        yield Change(kind="sharp", id=id, old=constants[0], new=constants[1])
    repairs = [c["repair"] or {"slack": None, "evidence": None} for c in (old, new)]
    reference = [{"slack": c.get("slack_at_reference"), "evidence": None} for c in (old, new)]
    named = {"as printed": (old, new), "as repaired": repairs, "at the reference instance": reference}
    slacks = [(name, [(c["evidence"], c["slack"]) for c in both]) for name, both in named.items()]
    pairs = [pair for name, both in slacks for pair in _parts(name, *(e for e, _ in both))]
    slacks += [(name, [(e, e["slack"]) for e in both]) for name, both in pairs]
    for name, found in slacks:
        x, y = (slack for _, slack in found)
        below, above = (max(rounding, *shares) for shares in zip(*(room(*of) for of in found)))
        falls = [slack is not None and slack < 1 - ROUNDING for slack in (x, y)]
        if not same(x, y, below, above) or falls[0] != falls[1]:
            yield Change(kind="slack", id=f"{id} ({name})", old=_number(x), new=_number(y))
    if set(old["needs"]) != set(new["needs"]):
        lost, won = set(old["needs"]) - set(new["needs"]), set(new["needs"]) - set(old["needs"])
        yield Change(kind="needs", id=id, old=", ".join(sorted(lost)), new=", ".join(sorted(won)))


def _parts(name: str, *evidence: Mapping[str, Any] | None) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The parts of two evidences, and theirs, in pairs."""
    for k, both in enumerate(zip(*(e["parts"] if e else () for e in evidence)), start=1):
        yield f"{name}, part {k}", both
        yield from _parts(f"{name}, part {k}", *both)


def _of_rows(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    before, after = (
        {**{c["covers"]: "settled" for c in d["claims"]}, **dict.fromkeys(d["unsettled"], "not settled")}
        for d in (old, new)
    )
    for id in {**before, **after}:
        x, y = before.get(id, ""), after.get(id, "")
        if x != y:
            trend = "added" if not x else "removed" if not y else "stronger" if y == "settled" else "weaker"
            yield Change(kind="row", id=id, old=x, new=y, trend=trend)


def _trend(old: str, new: str) -> str:
    if "REFUTED" in (old, new):
        return "refuted" if new == "REFUTED" else "no longer refuted"
    return "stronger" if Verdict(new).strength > Verdict(old).strength else "weaker"


def _same_constant(x: Mapping[str, Any] | None, y: Mapping[str, Any] | None, rounding: float) -> bool:
    if x is None or y is None:
        return x is y
    if (x["undecided"] is None) != (y["undecided"] is None):
        return False
    if (x["number"], x["word"]) != (y["number"], y["word"]):
        return False
    ends = [(x[end], y[end]) for end in ("accepted", "refuted")]
    if x["word"] == "sharp":
        return all(p == q for p, q in ends)
    rounding = max(rounding, float(RELATIVE_WIDTH))
    return all(same(float(Fraction(p)), float(Fraction(q)), rounding, rounding) for p, q in ends)


def _sharp(sharp: Mapping[str, Any] | None) -> str:
    if sharp is None:
        return ""
    ends = (f"{float(Fraction(sharp[end])):.10g} {end}" for end in ("accepted", "refuted"))
    return f"{sharp['number']} {sharp['word']}: {', '.join(ends)}"


def _number(x: float | None) -> str:
    return "" if x is None else f"{x:.10g}"


def as_json(found: list[Change]) -> list[dict[str, str]]:
    """The changes as JSON values."""
    return [asdict(change) for change in found]


def show(found: list[Change]) -> None:
    """Print the changes, a table for each kind, or that there are none."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not found:
        console.print("the two ledgers say the same")
        return
    colour = {
        "stronger": "green",
        "no longer refuted": "green",
        "weaker": "red",
        "refuted": "red",
        "removed": "yellow",
        "added": "cyan",
    }
    for kind, title in TITLES.items():
        mine = [c for c in found if c.kind == kind]
        if not mine:
            continue
        console.print(Text(f"{title} ({len(mine)})", style="bold"))
        table = Table.grid(padding=(0, 2))
        for _ in range(2):
            table.add_column(no_wrap=True)  # an id that is broken in two cannot be searched for
        for _ in range(2):
            table.add_column(overflow="fold")
        for c in mine:
            arrow = (
                f"- {c.old}  + {c.new}"
                if kind == "needs"
                else f"{c.old or 'nothing'} -> {c.new or 'nothing'}"
            )
            table.add_row("", Text(c.id), Text(arrow), Text(c.trend, style=colour.get(c.trend, "")))
        console.print(table)
