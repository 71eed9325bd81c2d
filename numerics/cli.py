"""The command ``rates``, for ``largeprompt`` and ``python -m numerics``. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numerics.rates import Rates
    from numerics.setting import AttentionSetting

__all__ = ["add_commands", "main"]

# Known here too, so that --help need not load NumPy; a test holds the two lists together.
EXAMPLES = ("anisotropic", "isotropic", "singular", "averaged", "averaged-slow")
MATRICES = ("Gamma", "U", "V")
DEFAULT_LENGTHS = "10:10000:10"
DEFAULT_REPLICATES = 40_000


class InputError(Exception):
    """What the user gave cannot be used; the message says why in one line."""


def add_commands(commands: Any) -> None:
    """Add the commands of this floor to a parser.

    Parameters
    ----------
    commands : the object that ``ArgumentParser.add_subparsers`` returns
        Each command sets ``run``, a function of the parsed arguments that returns the exit status.

    Examples
    --------
    >>> parser = argparse.ArgumentParser()
    >>> add_commands(parser.add_subparsers())
    >>> parser.parse_args(["rates", "--example", "averaged"]).example
    'averaged'
    """
    rates = commands.add_parser(
        "rates",
        help="measure how fast attention approaches its infinite-prompt limit, and compare with theory",
        description="Measures the errors of output and gradients of softmax attention on Gaussian tokens over the prompt length,"
        " lays them beside the exact curves, Theorem A and the paper's bound, and writes report.html, report.json and data.csv.",
        epilog="exit status: 0 if every comparison holds, 1 if one fails, 2 if the input cannot be used",
    )
    given = rates.add_argument_group("what to measure (an example, or your own matrices from .npy or .json files)")
    given.add_argument("--example", metavar="NAME", help=f"one of {', '.join(EXAMPLES)} (default: {EXAMPLES[0]})")
    given.add_argument("--Gamma", metavar="FILE", help="covariance of the tokens, d x d")
    given.add_argument("--U", metavar="FILE", help="score of token z_k for the query z is z_k'Uz, d x d")
    given.add_argument("--V", metavar="FILE", help="value matrix, d_out x d")
    query = given.add_mutually_exclusive_group()
    query.add_argument("--query", metavar="FILE", help="a fixed query, d numbers")
    query.add_argument("--query-cov", metavar="FILE", help="covariance of a Gaussian query, d x d")
    how = rates.add_argument_group("how")
    how.add_argument(
        "--lengths",
        metavar="LIST",
        default=DEFAULT_LENGTHS,
        help="prompt lengths: 10,30,100 or FIRST:LAST:COUNT on a logarithmic grid (default: %(default)s)",
    )
    how.add_argument(
        "--replicates", metavar="N", type=int, default=DEFAULT_REPLICATES, help="prompts per length (default: %(default)s)"
    )
    how.add_argument("--seed", metavar="N", type=int, default=0, help="same seed, same numbers (default: %(default)s)")
    how.add_argument("--threads", metavar="N", type=int, help="default: one per processor; the numbers do not depend on it")
    how.add_argument("--out", metavar="DIR", default="rates-report", help="where the report goes (default: %(default)s)")
    how.add_argument("--quiet", action="store_true", help="print failing comparisons and errors only")
    rates.set_defaults(run=_rates)


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of ``python -m numerics``.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.

    Returns
    -------
    int
        The exit status.
    """
    parser = argparse.ArgumentParser(
        prog="python -m numerics", description="Numerical experiments on softmax attention with long prompts."
    )
    add_commands(parser.add_subparsers(required=True, metavar="COMMAND"))
    arguments = parser.parse_args(argv)
    status: int = arguments.run(arguments)
    return status


def _rates(arguments: argparse.Namespace) -> int:
    """Run the experiment; errors in the input become one line and exit status 2."""
    try:
        return _measure_and_report(arguments)
    except InputError as error:
        print(f"largeprompt rates: {error}", file=sys.stderr)
        return 2


def _measure_and_report(arguments: argparse.Namespace) -> int:
    lengths = _lengths(arguments.lengths)
    out = _writable(Path(arguments.out))
    setting, inputs = _setting(arguments)
    from numerics.rates import rates
    from numerics.report import provenance, write_report

    started = time.perf_counter()
    with _progress(arguments.quiet) as advance:
        try:
            run = rates(
                setting,
                lengths,
                replicates=arguments.replicates,
                seed=arguments.seed,
                threads=arguments.threads,
                progress=advance,
            )
        except (TypeError, ValueError) as error:
            raise InputError(str(error)) from error
    source = provenance(_command(arguments, setting.name), time.perf_counter() - started, inputs)
    try:
        page = write_report(run, out, source)
    except OSError as error:
        raise InputError(f"cannot write to {out}: {error.strerror}; choose another --out") from error
    _tell(run, page, arguments.quiet)
    return 0 if run.holds else 1


def _tell(run: Rates, page: Path, quiet: bool) -> None:
    """Failures first, then everything else, then where the report is."""
    for c in run.comparisons:
        if not c.holds:
            print(f"FAILS  {c.name}: {c.says}", file=sys.stderr if quiet else sys.stdout)
        elif not quiet:
            print(f"holds  {c.name}: {c.says}")
    if quiet:
        return
    for warning in run.warnings:
        print(f"note   {warning}")
    held = sum(c.holds for c in run.comparisons)
    print(f"{held} of {len(run.comparisons)} comparisons hold; report in {page}")


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, if somebody is looking at it."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("drawing prompts", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _setting(arguments: argparse.Namespace) -> tuple[AttentionSetting, list[tuple[str, str]]]:
    """The setting that the arguments describe, with name and digest of each file read."""
    from numerics.setting import EXAMPLES as BUILT_IN
    from numerics.setting import AttentionSetting

    paths = {name: getattr(arguments, name) for name in MATRICES}
    paths["query"] = arguments.query or arguments.query_cov
    missing = [f"--{name}" for name, path in paths.items() if path is None]
    if len(missing) == len(paths):
        name = arguments.example or EXAMPLES[0]
        if name not in BUILT_IN:
            raise InputError(f"there is no example {name!r}; choose one of {', '.join(EXAMPLES)}")
        return BUILT_IN[name](), []
    if arguments.example is not None:
        raise InputError(f"--example {arguments.example} brings its own matrices; leave it out or leave out the files")
    if missing:
        named = ["--query or --query-cov" if name == "--query" else name for name in missing]
        raise InputError(f"also needed: {', '.join(named)} (or use --example for a built-in one)")
    arrays, inputs = {}, []
    for name, path in paths.items():
        arrays[name], digest = _array(Path(path))
        inputs.append((Path(path).name, digest))
    wanted = 2 if arguments.query_cov else 1
    if arrays["query"].ndim != wanted:
        option, shape = ("--query-cov", "(d, d)") if wanted == 2 else ("--query", "(d,)")
        raise InputError(f"{option} has shape {arrays['query'].shape}; it must have shape {shape}")
    try:
        return AttentionSetting(**arrays), inputs
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error


def _array(path: Path) -> tuple[Any, str]:
    """An array from .npy or .json, and the SHA-256 of the file."""
    import numpy as np

    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    try:
        if path.suffix == ".npy":
            array = np.load(path, allow_pickle=False)
        elif path.suffix == ".json":
            array = np.array(json.loads(content))
        else:
            raise InputError(f"{path} is neither .npy nor .json; write nested lists of numbers as .json, or numpy.save an array")
    except (ValueError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"{path} holds no array of numbers: {error}") from error
    return array, hashlib.sha256(content).hexdigest()


def _lengths(text: str) -> list[int]:
    """``10,30,100``, or ``10:10000:9`` for a logarithmic grid (rounded; repeated lengths count once)."""
    try:
        if ":" not in text:
            return [int(part) for part in text.split(",")]
        first, last, count = (int(part) for part in text.split(":"))
    except ValueError:
        raise InputError(f"--lengths {text} is neither a list like 10,30,100 nor a grid like 10:10000:9") from None
    if not (1 <= first < last and count >= 2):
        raise InputError(f"--lengths {text}: a grid FIRST:LAST:COUNT needs 1 <= FIRST < LAST and COUNT >= 2")
    return sorted({round(first * (last / first) ** (i / (count - 1))) for i in range(count)})


def _writable(out: Path) -> Path:
    """The folder for the report, tried before the work begins."""
    import tempfile

    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            return out
    except OSError as error:
        raise InputError(f"cannot write to {out}: {error.strerror}; choose another --out") from error


def _command(arguments: argparse.Namespace, name: str) -> str:
    """The command line that repeats the run, with file names only."""
    words = ["largeprompt", "rates"]
    files = {**{name: getattr(arguments, name) for name in MATRICES}, "query": arguments.query, "query-cov": arguments.query_cov}
    given = {option: Path(path).name for option, path in files.items() if path}
    for option, value in (given or {"example": name}).items():
        words += [f"--{option}", value]
    words += ["--lengths", arguments.lengths, "--replicates", str(arguments.replicates), "--seed", str(arguments.seed)]
    return shlex.join(words)
