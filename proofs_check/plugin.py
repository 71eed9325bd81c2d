"""The pytest plugin: one claim is one item, named by its id; the controller judges what holds them
together.

Loaded in every pytest run of the environment through its entry point, so nothing of ours is
imported before a claim is in sight.
"""

from __future__ import annotations

import gc
import json
import signal
import threading
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType

    from proofs_check.core.claim import Claim
    from proofs_check.core.ledger import Ledger
    from proofs_check.papers.registered import Collection

HERE = Path(__file__).parent
KEY = "largeprompt"
#: How many examples a property test draws with --thorough.
THOROUGH = 2000
#: Whether the user asked for everything with -v.
DETAILS = pytest.StashKey[bool]()


class ClaimFailed(Exception):
    """The claim is not in order; the message is what the reader sees."""


class ClaimItem(pytest.Item):
    """Printed, repaired and control statement of one claim."""

    claim: Claim

    @classmethod
    def of(cls, parent: pytest.Collector, claim: Claim) -> ClaimItem:
        item: ClaimItem = cls.from_parent(parent, name=claim.id)
        item.claim = claim
        item.extra_keyword_matches |= {claim.id, claim.check.__name__}
        key = claim.id.split(":", 1)[0]
        parent.config.addinivalue_line("markers", f"{key}: a claim about the paper {key}")  # which may be no installed one
        item.add_marker(key)
        return item

    def runtest(self) -> None:
        from numerics.seeds import EXAMPLES
        from proofs_check.core.judging import entry, row_of

        examples = THOROUGH if self.config.getoption("--thorough") else EXAMPLES
        option = self.config.getoption
        judgement = self.claim.judge(option("--reseed"), examples=examples, search_edges=option("--update-edges"))
        line = entry(self.claim, judgement, row_of(self.claim))
        # A string: other objects in user_properties do not survive the way to xdist's controller.
        self.user_properties.append((KEY, json.dumps(line)))
        if line["faults"]:
            raise ClaimFailed(_story(line))
        if line["verdict"] == "OPEN":
            pytest.xfail(f"declared open: {self.claim.open}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        told = excinfo.errisinstance((ClaimFailed, pytest.xfail.Exception))  # a traceback takes time and is not shown
        return str(excinfo.value) if told else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.claim.check.__code__.co_firstlineno - 1, ""


def _story(line: dict[str, Any]) -> str:
    witness = ", ".join(f"{k} = {v}" for k, v in line["evidence"]["witness"].items())
    first = [f"witness: {witness}  [{line['evidence']['witness_by']}]"] if witness else []
    return "\n".join([*first, *(f"{line['id']}: {fault}" for fault in line["faults"]), f"  {line['where']}: {line['says']}"])


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("largeprompt", "claims about papers")
    group.addoption("--ledger", metavar="DIR", default=None, help="keep the ledger of the run in DIR (default: build)")
    group.addoption(
        "--reseed", metavar="N", type=int, default=0, help="draw every random stream from family N (0: the published one)"
    )
    group.addoption(
        "--update-edges", action="store_true", help="search the edges of all dials anew and keep them in proofs_check/edges.json"
    )
    group.addoption("--questions", metavar="FILE", help="note in FILE what provers are asked, for second-opinion --noted")
    group.addoption("--thorough", action="store_true", help=f"draw {THOROUGH} examples in each property test instead of 100")


def pytest_configure(config: pytest.Config) -> None:
    for point in metadata.entry_points(group="largeprompt.papers"):
        config.addinivalue_line("markers", f"{point.name}: a claim about the paper {point.name}")
    _name_folders(config)
    if config.getoption("--questions"):
        config.pluginmanager.import_plugin("proofs_check.documents.second_opinion.noted")
    if not hasattr(config, "workerinput"):
        if folder := config.getoption("--ledger"):
            _writable(Path(folder), "--ledger")
        if config.getoption("--update-edges"):
            if config.getoption("--reseed"):
                raise pytest.UsageError("--update-edges keeps the edges of the published random numbers; leave out --reseed")
            from proofs_check.papers.registered import collections

            for collection in collections():
                _writable(collection.root, "--update-edges")
        config.pluginmanager.register(Controller(config), "largeprompt-controller")
    verbose = config.getoption("verbose", 0)  # which there is not with ``-p no:terminal``
    config.stash[DETAILS] = verbose > 0
    asked = [_place(config, str(argument)).resolve() for argument in config.args]
    if verbose == 0 and asked and all(map(_holds_claims, asked)):
        config.option.verbose = 1  # a line a claim


def _writable(folder: Path, option: str) -> None:
    """Refuse a folder that cannot be written before the run, not after minutes of it."""
    from numerics.terminal.inputs import InputError, writable_folder

    try:
        writable_folder(folder)
    except InputError as error:
        raise pytest.UsageError(f"{option}: {error}") from error


def _name_folders(config: pytest.Config) -> None:
    """Register the papers in the folders among pytest's arguments."""
    for argument in config.args:
        path = Path(argument.split("::", 1)[0])
        folder = path if path.is_dir() else path.parent
        # Looked for as `proofs_check.papers.registered` does it, which other runs need not import.
        if not folder.is_dir() or folder.resolve().is_relative_to(HERE):
            continue
        if not any(next(folder.glob(f"{depth}statements.toml"), None) for depth in ("", "*/", "*/*/")):
            continue
        from numerics.terminal.inputs import InputError
        from proofs_check.papers.registered import statements_below
        from proofs_check.papers.statements import add_folder

        try:
            if statements_below(folder.resolve()):
                add_folder(folder)
        except InputError as error:
            raise pytest.UsageError(str(error)) from error


def _place(config: pytest.Config, argument: str) -> Path:
    """The file or folder that an argument names: with --pyargs it may be the name of a package."""
    path = Path(argument.split("::", 1)[0])
    if not config.getoption("pyargs") or path.exists():
        return path
    try:
        spec = util.find_spec(str(path))
    except (ImportError, ValueError):  # pytest says what is wrong with it
        return path
    return Path(next(iter((spec and spec.submodule_search_locations) or [str(path)])))


def _holds_claims(path: Path) -> bool:
    import sys

    registered = sys.modules.get("proofs_check.papers.registered")  # it is imported once a folder is named
    return path.is_relative_to(HERE) or (registered is not None and any(map(registered.collection_of, (path, path / "any"))))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    claims = (
        file_path.suffix == ".py"
        and file_path.name not in ("__init__.py", "conftest.py")
        and (file_path.parent / "statements.toml").is_file()
    )
    # pytest itself collects a file that is named on the command line, and one whose name is that of
    # a file of tests.
    tests = any(file_path.match(pattern) for pattern in parent.config.getini("python_files"))
    return (
        None if not claims or tests or parent.session.isinitpath(file_path) else pytest.Module.from_parent(parent, path=file_path)
    )


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Ctrl-C while the modules of claims are imported ends the run. Compiled modules that are
    interrupted in their import say ImportError, and the run would go on to others.
    """
    if not _holds_claims(collector.path) or threading.current_thread() is not threading.main_thread():
        return (yield)
    before, asked = signal.getsignal(signal.SIGINT), []

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, stop)
    try:
        report = yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt
    return report


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> list[ClaimItem] | None:
    import sys

    claims = sys.modules.get("proofs_check.core.claim")
    if claims is None or not isinstance(obj, claims.Claim):
        return None
    here = obj.check.__module__ == getattr(collector.obj, "__name__", None)  # type: ignore[attr-defined]
    return [ClaimItem.of(collector, obj)] if here else []


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """Claims run on one thread of BLAS: their matrices are small, and several threads take longer
    and round otherwise. Garbage is looked for seldom, and not among what lives to the end: SymPy
    makes millions of objects, and Python would look through all of them again and again.
    """
    if not any(isinstance(item, ClaimItem) for item in session.items):
        return (yield)
    import scipy.linalg  # noqa: F401  # it brings a BLAS of its own, which must be there to be limited
    from threadpoolctl import threadpool_limits

    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    try:
        with threadpool_limits(1, user_api="blas"):
            return (yield)
    finally:
        gc.set_threshold(*before)


def pytest_report_teststatus(report: pytest.TestReport, config: pytest.Config) -> Any:
    line = _line(report)
    if line is None or report.when != "call":
        return None
    if report.passed:
        from numerics.terminal.colours import pytest_markup

        return "passed", line["verdict"][0], (_word(line), pytest_markup(line["verdict"]))
    return None


def _markup(mark: str) -> dict[str, bool]:
    """How a piece of the summary is marked: by the colour of its verdict, bold, or not at all."""
    from numerics.terminal.colours import COLOURS, pytest_markup

    return pytest_markup(mark) if mark in COLOURS else {"bold": True} if mark == "bold" else {}


def _line(report: pytest.TestReport) -> dict[str, Any] | None:
    text = dict(getattr(report, "user_properties", ())).get(KEY)  # a module that fails to collect has none
    return json.loads(str(text)) if text else None


def _word(line: dict[str, Any]) -> str:
    repair, sharp = line["repair"], line["sharp"]
    tail = f" -> {_shown(repair)} as repaired" if repair else ""
    if sharp:
        from fractions import Fraction

        tail += f" ({sharp['dial']} {sharp['word']} {float(Fraction(sharp['accepted'])):.5g})"
    return _shown(line) + tail


def _shown(judged: dict[str, Any]) -> str:
    weakest = judged["evidence"]["weakest"]
    return judged["verdict"] + (f" (parts {weakest})" if weakest else "")


class Controller:
    """Gathers the lines of a run, from every worker, and judges them together at its end."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.lines: dict[str, dict[str, Any]] = {}
        self.ledger: Ledger | None = None
        self.scope: tuple[Collection, ...] = ()
        self.whole = False
        self.kept = self.warning = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and (line := _line(report)) is not None:
            self.lines[line["id"]] = line

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self.lines:
            return
        try:
            self._finish(session)
        except KeyboardInterrupt:
            pytest.exit("interrupted while the claims were judged together", returncode=pytest.ExitCode.INTERRUPTED)

    def _finish(self, session: pytest.Session) -> None:
        from proofs_check.papers.registered import collections, limited

        papers = {line["paper"] for line in self.lines.values()}
        self.scope = tuple(c for c in collections() if papers & {*c.keys})
        with limited(self.scope):
            self._judge(session)

    def _judge(self, session: pytest.Session) -> None:
        from proofs_check.core.judging import load_claims
        from proofs_check.core.ledger import Ledger
        from proofs_check.papers.registered import collections
        from proofs_check.papers.statements import all_rows, papers

        mine = papers() if self.scope else {}
        needs = {id: claim.needs for id, claim in load_claims(self.scope).items() if id.split(":", 1)[0] in mine}
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
        from proofs_check.core.kept import FOLDER, PARTIAL, WHOLE, folder_of
        from proofs_check.core.ledger import write_json

        assert self.ledger is not None
        faulty = self.ledger.faults() or any(e["faults"] for e in self.ledger.entries.values())
        run, given = self.ledger.run, self.config.getoption("--ledger")
        reasons = (
            (not self.scope, "the claims belong to no list of statements"),
            (run["partial"], "some claims did not run"),
            (run["reseed"], f"the random numbers are those of --reseed {run['reseed']}"),
            (self.config.getoption("--thorough"), f"each property test drew {THOROUGH} examples"),
            (faulty, "a claim is not in order"),
            (len(self.scope) > 1 and not given, "several collections ran together, and each keeps its own in a run of its own"),
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
        if self.config.getoption("--update-edges"):
            from proofs_check.papers.edges import EDGES, write_edges

            for collection in self.scope:  # files in no collection are named without a folder
                lines = [line for line in self.lines.values() if line["paper"] in collection.keys and "/" in line["line"]]
                write_edges((line for line in lines if not line["faults"]), collection.root / EDGES)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.ledger is None:
            return
        from proofs_check.papers.registered import limited

        with limited(self.scope):
            self._summary(terminalreporter)

    def _summary(self, terminal: Any) -> None:
        from proofs_check.core.summary import details, part_summary, summary

        assert self.ledger is not None
        width = terminal._tw.fullwidth
        terminal.write_sep("=", "largeprompt")
        lines = list(details(self.ledger, width)) if self.whole and self.config.stash[DETAILS] else []
        lines += (summary if self.whole else part_summary)(self.ledger, width, self.kept)
        lines += [[(f"FAULT: {fault}", "REFUTED")] for fault in self.ledger.faults()]
        if self.warning:
            lines.append([(self.warning, "bold")])
        for line in lines:
            for text, mark in line:
                terminal.write(text, **_markup(mark))
            terminal.write("\n")
