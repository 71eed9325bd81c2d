"""The end of a pytest run of claims: their lines are gathered, from every worker, and judged
together. The plugin loads this in every pytest run of the environment, so nothing of ours is
imported before a claim has run.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from proofs_check.core.ledgers.ledger import Ledger
    from proofs_check.papers.registered import Collection

__all__ = ["CLAIMS", "DETAILS", "KEY", "THOROUGH", "Controller", "line_of"]

KEY = "largeprompt"
#: How many examples a property test draws with --thorough.
THOROUGH = 2000
#: Whether nothing but claims was asked for.
CLAIMS = pytest.StashKey[bool]()
#: Whether the user asked for everything with -v.
DETAILS = pytest.StashKey[bool]()


def line_of(report: pytest.TestReport) -> dict[str, Any] | None:
    """The entry in the ledger that the report of a claim brings."""
    text = dict(getattr(report, "user_properties", ())).get(KEY)  # a module that fails to collect has none
    return json.loads(str(text)) if text else None


def _markup(mark: str) -> dict[str, bool]:
    """How a piece of the summary is marked: by the colour of its verdict, bold, or not at all."""
    from numerics.terminal.colours import COLOURS, pytest_markup

    return pytest_markup(mark) if mark in COLOURS else {"bold": True} if mark == "bold" else {}


class Controller:
    """Gathers the lines of a run, from every worker, and judges them together at its end."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.lines: dict[str, dict[str, Any]] = {}
        self.ledger: Ledger | None = None
        self.scope: tuple[Collection, ...] = ()
        self.whole = False
        self.kept = self.warning = self.option = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and (line := line_of(report)) is not None:
            self.lines[line["id"]] = line

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logstart(self) -> Generator[None, None, None]:
        """Where several processes begin claims in turn, that would be a second line of each."""
        option = self.config.option
        told = getattr(option, "verbose", None)
        if told is None or not self.config.stash[CLAIMS] or getattr(option, "dist", "no") == "no":
            return (yield)
        option.verbose = -1
        try:
            return (yield)
        finally:
            option.verbose = told

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self.lines:
            return
        from numerics.terminal.inputs import InputError

        try:
            self._finish(session)
        except KeyboardInterrupt:
            pytest.exit(
                "interrupted while the claims were judged together", returncode=pytest.ExitCode.INTERRUPTED
            )
        except InputError as error:
            pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)

    def _finish(self, session: pytest.Session) -> None:
        from proofs_check.papers.registered import collections, limited

        papers = {line["paper"] for line in self.lines.values()}
        self.scope = tuple(c for c in collections() if papers & {*c.keys})
        with limited(self.scope):
            self._judge(session)

    def _judge(self, session: pytest.Session) -> None:
        from proofs_check.core.judging import load_claims
        from proofs_check.core.ledgers.ledger import Ledger
        from proofs_check.papers.registered import collections
        from proofs_check.papers.statements import all_rows, papers

        mine = papers() if self.scope else {}
        needs = {
            id: claim.needs for id, claim in load_claims(self.scope).items() if id.split(":", 1)[0] in mine
        }
        # Claims of files in no collection are known to the workers only, and come in as these
        # finish.
        needs |= {id: tuple(line["needs"]) for id, line in sorted(self.lines.items())}
        asked = {id: needs[id] for id in needs if id in self.lines or id.split(":", 1)[0] in mine}
        known = {*needs, *all_rows(), *(n for line in self.lines.values() for n in line.get("elsewhere", ()))}
        keys = {n.split(":", 1)[0] for of_claim in asked.values() for n in of_claim if n not in known}
        if others := [c for c in collections() if keys & {*c.keys}]:
            needs |= {id: claim.needs for id, claim in load_claims(others).items() if id not in needs}
        order = {id: i for i, id in enumerate(needs)}
        run = {
            "reseed": self.config.getoption("--reseed"),
            "partial": not self.scope or set(self.lines) != set(asked),
            "seconds": sum(line["seconds"] for line in self.lines.values()),
        }
        self.ledger = Ledger(sorted(self.lines.values(), key=lambda line: order[line["id"]]), needs, run)
        if self.ledger.faults() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        # A run that was stopped must not take the place of one that came to its end.
        stopped = session.exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
        if stopped or session.shouldfail or session.shouldstop:
            self.warning = "The run was stopped: no ledger was written."
        else:
            self._keep()

    def _keep(self) -> None:
        """Write the ledger: one that speaks for the papers where commands look for it, any other
        beside it.
        """
        from numerics.terminal.inputs import InputError
        from proofs_check.core.ledgers.ledger import write_json
        from proofs_check.core.ledgers.stored import FOLDER, PARTIAL, WHOLE, folder_of

        assert self.ledger is not None
        faulty = self.ledger.faults() or any(e["faults"] for e in self.ledger.entries.values())
        run, given = self.ledger.run, self.config.getoption("--ledger")
        reasons = (
            (not self.scope, "the claims belong to no list of statements"),
            (run["partial"], "some claims did not run"),
            (run["reseed"], f"the random numbers are those of --reseed {run['reseed']}"),
            (self.config.getoption("--thorough"), f"each property test drew {THOROUGH} examples"),
            (faulty, "a claim is not in order"),
            (
                len(self.scope) > 1 and not given,
                "several collections ran together, and each keeps its own in a run of its own",
            ),
        )
        why = next((reason for found, reason in reasons if found), "")
        self.whole = not run["partial"]
        folder = given or (folder_of(self.scope[0]) if len(self.scope) == 1 else FOLDER)
        path = Path(folder) / (PARTIAL if why else WHOLE)
        try:
            write_json(self.ledger.to_json(), path)
        except InputError as error:
            self.warning = f"No ledger was kept: {error} with --ledger DIR."
        else:
            apart = f" apart, because {why}: a command reads it only if --ledger names it" if why else ""
            self.kept = f"The ledger is kept in {path}{apart}."
            self.option = f" --ledger {shlex.quote(str(path))}" if why or given else ""
        if self.config.getoption("--update-sharp-constants"):
            from proofs_check.papers.sharp_constants import KEPT, keep_ends

            for collection in self.scope:  # files in no collection are named without a folder
                lines = [
                    line
                    for line in self.lines.values()
                    if line["paper"] in collection.keys and "/" in line["line"]
                ]
                keep_ends((line for line in lines if not line["faults"]), collection.root / KEPT)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.ledger is None:
            return
        from proofs_check.papers.registered import limited

        with limited(self.scope):
            self._summary(terminalreporter)

    def _summary(self, terminal: Any) -> None:
        from proofs_check.core.ledgers.summary import details, part_summary, summary

        assert self.ledger is not None
        width = terminal._tw.fullwidth
        terminal.write_sep("=", "largeprompt")
        lines = list(details(self.ledger, width)) if self.whole and self.config.stash[DETAILS] else []
        lines += (
            summary(self.ledger, width, self.kept, self.option)
            if self.whole
            else part_summary(self.ledger, width, self.kept)
        )
        lines += [[(f"FAULT: {fault}", "REFUTED")] for fault in self.ledger.faults()]
        if self.warning:
            lines.append([(self.warning, "bold")])
        for line in lines:
            for text, mark in line:
                terminal.write(text, **_markup(mark))
            terminal.write("\n")
