"""Notes what provers are asked while pytest judges claims, for ``--questions FILE``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from numerics.provers.remembered import noting
from numerics.terminal.inputs import writable_folder
from proofs_check.reports.documents.second_opinion.asking import digests

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = ["Noted", "pytest_configure"]

KEY = "largeprompt-questions"


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Noted(config), "largeprompt-noted")


class Noted:
    """A pytest plugin that writes the names of the questions of each claim, and the counts of other
    kinds, at the end of a run.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.file = None if hasattr(config, "workerinput") else Path(config.getoption("--questions"))
        self.questions: dict[str, Any] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        claim = getattr(item, "claim", None)
        if claim is None:
            return (yield)
        with noting() as notes:
            out = yield
        item.user_properties.append((KEY, json.dumps([claim.id, digests(notes, claim.repair)])))
        return out

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and (noted := dict(report.user_properties).get(KEY)):
            id, mine = json.loads(str(noted))
            self.questions[id] = mine

    def pytest_sessionfinish(self) -> None:
        if self.file is not None:
            (writable_folder(self.file.parent) / self.file.name).write_text(
                json.dumps(self.questions), encoding="utf-8"
            )
