"""``largeprompt show ID`` prints one row of a paper and judges its claims now."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from proofs_check.core.judging import load_claims, run_claim
from proofs_check.core.ledger import Ledger
from proofs_check.core.statements import row
from proofs_check.core.witnesses import script_path
from proofs_check.instances.reference import OF_PAPER

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["show"]


def _evidence(title: str, data: dict[str, Any] | None, numbers: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    from numerics.evidence import Evidence

    if data is None:
        return []
    with_ = f"with {', '.join(f'{k} = {v}' for k, v in numbers.items())}" if numbers else ""
    lines = Evidence.from_json(data).rows()
    return [(title, with_)] + [(f"  {k}", v) for k, v in lines if k != "checked"]


def show(id: str, reseed: int = 0) -> int:
    """Print a row and judge its claims.

    Parameters
    ----------
    id : str
        A row, or a claim of a row.
    reseed : int
        Family of random streams.

    Returns
    -------
    int
        0, or 2 if there is no such row; 1 if a claim is faulty.

    Examples
    --------
    >>> show("BB:nowhere")
    2
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    claims = load_claims()
    try:
        where = row(id)
    except KeyError as error:
        print(f"largeprompt show: {error.args[0]}", file=sys.stderr)
        return 2
    mine = [c for c in claims.values() if id in (c.id, c.row)]
    if not mine and "/" in id:
        parts = ", ".join(c.id for c in claims.values() if c.row == where.id) or "none yet"
        print(f"largeprompt show: no claim is called {id!r}; the claims of {where.id} are: {parts}", file=sys.stderr)
        return 2
    console.print(Text(f"{where.id}  {where.where}  ({where.version or where.paper})", style="bold"))
    console.print(Text(where.says))
    console.print(Text(where.printed, style="cyan"), soft_wrap=True)  # LaTeX to be copied: the terminal breaks it, nobody else
    if not mine:
        console.print(Text("no claim settles this row yet", style="yellow"))
    lines = []
    for claim in mine:
        line = run_claim(claim.id, reseed)
        lines.append(line)
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True, style="bold")
        table.add_column(overflow="fold")
        for name, text in _lines(line):
            table.add_row(Text(name), Text(text))
        console.print(Text(f"\n{claim.id}: {line['summary']}", style="bold"))
        console.print(table)
    for line in lines:
        if line["slack_at_reference"] is not None:
            _losses(console, line)
    return 1 if any(line["faults"] for line in lines) else 0


def _losses(console: Console, line: dict[str, Any]) -> None:
    """What the steps below a claim give away."""
    claims = load_claims()
    ledger = Ledger([line], {id: c.needs for id, c in claims.items()})
    steps = [claims[s] for s in ledger.steps(line["id"])[1:] if claims[s].reference is not None]
    if steps:
        console.print(f"bound over truth at the reference instance ({OF_PAPER[line['paper']].name})")
        console.print(f"  {line['slack_at_reference']:12.6g}  {line['id']}")
    for step in steps:
        loss = step(**step.repair).reference
        console.print(f"  {'?' if loss is None else format(loss, '.6g'):>12}  {step.id}")


def _lines(line: dict[str, Any]) -> list[tuple[str, str]]:
    out = [("checked", line["checked"])]
    out += _evidence("as printed", line["evidence"], line["numbers"])
    if line["severity"]:
        severity = line["severity"] + (f" at {line['at']}" if line["at"] else "") + f"; costs {line['costs']}"
        out.append(("  severity", severity + (f"; follows {line['follows']}" if line["follows"] else "")))
        out += [(f"  {name}", line[name]) for name in ("why", "details", "instead") if line[name]]
        if name := script_path(line["id"]):
            out.append(("  script", name))
    if line["repair"]:
        out += _evidence("repaired", line["repair"]["evidence"], line["repair"]["numbers"])
    if line["control"]:
        witness = ", ".join(f"{k} = {v}" for k, v in line["control"]["evidence"]["witness"].items())
        out.append(("control", f"{line['control']['verdict']}" + (f" at {witness}" if witness else "")))
    if line["sharp"]:
        s = line["sharp"]
        out.append((s["word"], f"{s['dial']} = {s['accepted']} accepted, {s['refuted']} refuted"))
    if line["slack"] is not None:
        out.append(("slack", f"{line['slack']:.4g} (bound over truth, as printed)"))
    if line["repair"] and line["repair"]["slack"] is not None:
        out.append(("", f"{line['repair']['slack']:.4g} (repaired)"))
    if line["slack_at_reference"] is not None:
        out.append(("", f"{line['slack_at_reference']:.4g} (at the reference instance)"))
    out += [(name, "; ".join(line[name])) for name in ("needs", "cites") if line[name]]
    out += [(name, line[name]) for name in ("argument", "fragment", "unproved") if line[name]]
    return out + [("FAULT", fault) for fault in line["faults"]]
