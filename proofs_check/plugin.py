"""The pytest plugin: one claim is one item, named by its id; the controller judges what holds them
together. Loaded in every pytest run of the environment through its entry point, so nothing of ours
is imported before a claim is in sight.
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

from proofs_check.core.controller import CLAIMS, DETAILS, KEY, THOROUGH, Controller, line_of
from proofs_check.core.processes import Unrewritten, spread

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType

    from proofs_check.core.claim import Claim

HERE = Path(__file__).parent
#: Over how many processes the run was spread, though the user did not ask for it.
SPREAD = pytest.StashKey[int]()
#: Where each claim is collected.
COLLECTED = pytest.StashKey[dict[str, str]]()


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
        # which may be no installed one
        parent.config.addinivalue_line("markers", f"{key}: a claim about the paper {key}")
        item.add_marker(key)
        return item

    def runtest(self) -> None:
        from numerics.seeds import EXAMPLES
        from proofs_check.core.judging import entry, row_of

        examples = THOROUGH if self.config.getoption("--thorough") else EXAMPLES
        option = self.config.getoption
        judgement = self.claim.judge(
            option("--reseed"), examples=examples, search_anew=option("--update-sharp-constants")
        )
        line = entry(self.claim, judgement, row_of(self.claim))
        # A string: other objects in user_properties do not survive the way to xdist's controller.
        self.user_properties.append((KEY, json.dumps(line)))
        if line["faults"]:
            raise ClaimFailed(_story(line))
        if line["verdict"] == "OPEN":
            pytest.xfail(f"declared open: {self.claim.open}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        # a traceback takes time and is not shown
        told = excinfo.errisinstance((ClaimFailed, pytest.xfail.Exception))
        return str(excinfo.value) if told else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.claim.check.__code__.co_firstlineno - 1, ""


def _story(line: dict[str, Any]) -> str:
    witness = ", ".join(f"{k} = {v}" for k, v in line["evidence"]["witness"].items())
    first = [f"witness: {witness}  [{line['evidence']['witness_by']}]"] if witness else []
    return "\n".join(
        [
            *first,
            *(f"{line['id']}: {fault}" for fault in line["faults"]),
            f"  {line['where']}: {line['says']}",
        ]
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("largeprompt", "claims about papers")
    group.addoption(
        "--ledger", metavar="DIR", default=None, help="keep the ledger of the run in DIR (default: build)"
    )
    group.addoption(
        "--reseed",
        metavar="N",
        type=int,
        default=0,
        help="draw every random stream from family N (0: the published one)",
    )
    group.addoption(
        *("--update-sharp-constants", "--update-edges"),
        action="store_true",
        help="search all sharp constants anew and keep them in proofs_check/sharp_constants.json",
    )
    group.addoption(
        "--questions", metavar="FILE", help="note in FILE what provers are asked, for second-opinion --noted"
    )
    instead = "instead of 100, or of 30 where an engine proves the statement"
    group.addoption(
        "--thorough", action="store_true", help=f"draw {THOROUGH} examples in each property test {instead}"
    )


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    Unrewritten.install(early_config)


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, object, object]:
    asked = [_place(config, argument).resolve() for argument in config.args]
    whole = all(path.is_dir() and path.is_relative_to(HERE) for path in asked)
    config.stash[SPREAD] = spread(config) if asked and whole else 0
    return (yield)


def pytest_report_header(config: pytest.Config) -> str | None:
    count = config.stash.get(SPREAD, 0)
    return f"largeprompt: {count} processes judge the claims, -n 0 keeps to one" if count else None


def pytest_configure(config: pytest.Config) -> None:
    for point in metadata.entry_points(group="largeprompt.papers"):
        config.addinivalue_line("markers", f"{point.name}: a claim about the paper {point.name}")
    _name_folders(config)
    if config.getoption("--questions"):
        config.pluginmanager.import_plugin("proofs_check.reports.documents.second_opinion.noted")
    if not hasattr(config, "workerinput"):
        if folder := config.getoption("--ledger"):
            _writable(Path(folder), "--ledger")
        if config.getoption("--update-sharp-constants"):
            if config.getoption("--reseed"):
                raise pytest.UsageError(
                    "--update-sharp-constants keeps those of the published random numbers; leave out --reseed"
                )
            from proofs_check.papers.registered import collections

            for collection in collections():
                _writable(collection.root, "--update-sharp-constants")
        config.pluginmanager.register(Controller(config), "largeprompt-controller")
    verbose = config.getoption("verbose", 0)  # which there is not with ``-p no:terminal``
    config.stash[DETAILS] = verbose > 0
    asked = [_place(config, str(argument)).resolve() for argument in config.args]
    config.stash[CLAIMS] = bool(asked) and all(map(_holds_claims, asked))
    if verbose == 0 and config.stash[CLAIMS]:
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
    return path.is_relative_to(HERE) or (
        registered is not None and any(map(registered.collection_of, (path, path / "any")))
    )


class Texts(pytest.File):
    """The claims that stand as text in a list of statements."""

    def collect(self) -> list[ClaimItem]:
        from numerics.terminal.inputs import InputError
        from proofs_check.core.text_claims import claims_beside

        try:
            return [ClaimItem.of(self, claim) for claim in claims_beside(self.path)]
        except InputError as error:
            raise self.CollectError(str(error)) from error


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.name == "statements.toml" and _holds_claims(file_path):
        from proofs_check.core.text_claims import has_claims

        return Texts.from_parent(parent, path=file_path) if has_claims(file_path) else None
    claims = (
        file_path.suffix == ".py"
        and file_path.name not in ("__init__.py", "conftest.py")
        and (file_path.parent / "statements.toml").is_file()
    )
    # pytest itself collects a file that is named on the command line, and one whose name is that of
    # a file of tests.
    tests = any(file_path.match(pattern) for pattern in parent.config.getini("python_files"))
    return (
        None
        if not claims or tests or parent.session.isinitpath(file_path)
        else pytest.Module.from_parent(parent, path=file_path)
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Garbage is not looked for while claims are imported: nearly all that they bring stays."""
    if not session.config.stash[CLAIMS]:
        return (yield)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
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
    here, home = collector.obj, sys.modules[obj.check.__module__]  # type: ignore[attr-defined]
    if here is not home:
        # What a function of a neighbour made stands where it is named, not where it is imported.
        neighbours = getattr(here, "__package__", "") == home.__package__
        if not neighbours or any(other is obj for other in vars(home).values()):
            return []
    collected = collector.config.stash.setdefault(COLLECTED, {})
    return (
        [ClaimItem.of(collector, obj)]
        if collected.setdefault(obj.id, collector.nodeid) == collector.nodeid
        else []
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In each of several processes, claims with a derivation come first: derivations rest on each
    other, and so the process that begins there builds them, and no other does it again.
    """
    if not hasattr(config, "workerinput") or not any(isinstance(item, ClaimItem) for item in items):
        return
    from proofs_check.derivations.proofs import PROOFS

    items.sort(key=lambda item: not isinstance(item, ClaimItem) or item.claim.id not in PROOFS)


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
    line = line_of(report)
    if line is None or report.when != "call":
        return None
    if report.passed:
        from numerics.terminal.colours import pytest_markup

        return "passed", line["verdict"][0], (_word(line), pytest_markup(line["verdict"]))
    return None


def _word(line: dict[str, Any]) -> str:
    repair, sharp = line["repair"], line["sharp"]
    tail = f" -> {_shown(repair)} as repaired" if repair else ""
    if sharp:
        from fractions import Fraction

        tail += f" ({sharp['number']} {sharp['word']} {float(Fraction(sharp['accepted'])):.5g})"
    return _shown(line) + tail


def _shown(judged: dict[str, Any]) -> str:
    weakest = judged["evidence"]["weakest"]
    return judged["verdict"] + (f" (parts {weakest})" if weakest else "")
