"""The command ``rates``, which measures how fast attention approaches its infinite-prompt limit and
writes the report. Nothing heavy is imported before it runs.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numerics.terminal.inputs import InputError, length_grid, read_array, writable_folder, writing_into
from numerics.terminal.progress import progress_bar

if TYPE_CHECKING:
    from numerics.attention.setting import AttentionSetting
    from numerics.rates.result import Rates

__all__ = ["add_rates", "tell"]

# Known here too, so that --help need not load NumPy; a test holds the lists together.
EXAMPLES = ("anisotropic", "isotropic", "singular", "averaged", "averaged-slow")
LAWS = ("gaussian", "rademacher", "uniform", "sphere", "ball")
MATRICES = ("Gamma", "U", "V")
DEFAULT_LENGTHS = "10:10000:10"
DEFAULT_REPLICATES = 40_000


def add_rates(commands: Any) -> None:
    """Add the command ``rates``.

    Parameters
    ----------
    commands : the object that ``ArgumentParser.add_subparsers`` returns

    Examples
    --------
    >>> parser = argparse.ArgumentParser()
    >>> add_rates(parser.add_subparsers())
    >>> parser.parse_args(["rates", "--example", "averaged", "--example", "isotropic"]).example
    ['averaged', 'isotropic']
    """
    rates = commands.add_parser(
        "rates",
        help="measure how fast attention approaches its infinite-prompt limit, and compare with theory",
        description="Measures the errors of output and gradients of softmax attention over the prompt length, lays them beside the"
        " exact curves, Theorems A and B and the paper's bounds, and writes report.html, report.json, data.csv and plots/*.svg."
        " Several examples or laws are compared on one page.",
        epilog="exit status: 0 if every comparison holds, 1 if one fails, 2 if the input cannot be used, 130 if interrupted",
    )
    given = rates.add_argument_group("what to measure (an example, or your own matrices from .npy or .json files)")
    given.add_argument(
        "--example",
        metavar="NAME",
        action="append",
        help=f"one of {', '.join(EXAMPLES)} (default: {EXAMPLES[0]}); may be given several times",
    )
    given.add_argument(
        "--law",
        metavar="NAME",
        action="append",
        help=f"tokens of another law with the same covariance: {', '.join(LAWS)}; may be given several times",
    )
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
    rates.set_defaults(
        run=_measure_and_report, interrupted="interrupted; no report was written (`largeprompt sweep` keeps what it has)"
    )


def _measure_and_report(arguments: argparse.Namespace) -> int:
    """Read the input, measure every setting, write the report, and return the exit status."""
    lengths = length_grid(arguments.lengths)
    out = writable_folder(Path(arguments.out))
    settings, inputs = _settings(arguments)
    from numerics.pages.provenance import provenance
    from numerics.rates.measure import rates
    from numerics.rates.report.write import write_report

    started, runs = time.perf_counter(), []
    with progress_bar(arguments.quiet, "drawing prompts") as advance:
        for i, setting in enumerate(settings):
            try:
                run = rates(
                    setting,
                    lengths,
                    replicates=arguments.replicates,
                    seed=arguments.seed,
                    threads=arguments.threads,
                    progress=_part_of(advance, i, len(settings)),
                )
            except (TypeError, ValueError) as error:
                raise InputError(str(error)) from error
            except (ArithmeticError, MemoryError) as error:
                raise InputError(f"{setting.name}: theory does not reach this ({error}); take a smaller U or query") from error
            runs.append(run)
    source = provenance(_command(arguments), time.perf_counter() - started, inputs)
    with writing_into(out):
        page = write_report(runs, out, source)
    tell(runs, page, arguments.quiet)
    return 0 if all(run.holds for run in runs) else 1


def _part_of(advance: Callable[[int, int], None], i: int, runs: int) -> Callable[[int, int], None]:
    """The progress of run i of several as progress of the whole: all runs draw the same number of
    tokens.
    """
    return lambda done, total: advance(i * total + done, runs * total)


def tell(runs: Sequence[Rates], page: Path | None, quiet: bool) -> None:
    """Print the verdict lines: failures first, then everything else, then where the report is.

    Parameters
    ----------
    runs : sequence of Rates
        One is told in full; of several, the failures and a line each.
    page : Path or None
        The report, if one was written.
    quiet : bool
        Print failures only, on stderr.
    """
    one, held, total = len(runs) == 1, 0, 0
    for run in runs:
        for c in run.comparisons:
            total, held = total + 1, held + c.holds
            if not c.holds:
                where = "" if one else f"{run.setting.name}, "
                print(f"FAILS  {where}{c.name}: {c.says}", file=sys.stderr if quiet else sys.stdout)
    if quiet:
        return
    for run in runs:
        if one:
            for line in (f"holds  {c.name}: {c.says}" for c in run.comparisons if c.holds):
                print(line)
            for warning in run.warnings:
                print(f"note   {warning}")
        else:
            print(f"{'holds' if run.holds else 'FAILS'}  {_summary(run)}")
    print(f"{held} of {total} comparisons hold" + (f"; report in {page}" if page else ""))


def _summary(run: Rates) -> str:
    """One line about a run among others."""
    fits = [
        f"{series.quantity} {series.fit.exponent:.4f} +- {series.fit.standard_error:.4f}"
        for series in run.series
        if series.fit is not None and series.trusted
    ]
    exponents = "exponents " + ", ".join(fits) if fits else "no exponent to be trusted at these lengths"
    notes = f"; {len(run.warnings)} notes in the report" if run.warnings else ""
    held = sum(c.holds for c in run.comparisons)
    return f"{run.setting.name}: {held} of {len(run.comparisons)} comparisons; {exponents}{notes}"


def _settings(arguments: argparse.Namespace) -> tuple[list[AttentionSetting], list[tuple[str, str]]]:
    """The settings that the arguments describe, every example with every law, with name and digest
    of each file read.
    """
    from numerics.attention.examples import EXAMPLES as BUILT_IN

    paths = {name: getattr(arguments, name) for name in MATRICES}
    paths["query"] = arguments.query or arguments.query_cov
    missing = [f"--{name}" for name, path in paths.items() if path is None]
    inputs: list[tuple[str, str]] = []
    if len(missing) == len(paths):
        names = arguments.example or EXAMPLES[:1]
        for name in names:
            if name not in BUILT_IN:
                raise InputError(f"there is no example {name!r}; choose one of {', '.join(EXAMPLES)}")
        found = [BUILT_IN[name]() for name in dict.fromkeys(names)]
    elif arguments.example is not None:
        raise InputError(f"--example {arguments.example[0]} brings its own matrices; leave it out or leave out the files")
    elif missing:
        named = ["--query or --query-cov" if name == "--query" else name for name in missing]
        raise InputError(f"also needed: {', '.join(named)} (or use --example for a built-in one)")
    else:
        one, inputs = _from_files(paths, 2 if arguments.query_cov else 1)
        found = [one]
    laws = dict.fromkeys(arguments.law or [])
    try:
        return [setting.with_law(law) for setting in found for law in laws] or found, inputs
    except ValueError as error:
        raise InputError(str(error)) from error


def _from_files(paths: dict[str, Any], query_dimensions: int) -> tuple[AttentionSetting, list[tuple[str, str]]]:
    """A setting from files, with name and digest of each."""
    from numerics.attention.setting import AttentionSetting

    arrays, inputs = {}, []
    for name, path in paths.items():
        arrays[name], digest = read_array(Path(path))
        inputs.append((Path(path).name, digest))
    if arrays["query"].ndim != query_dimensions:
        option, shape = ("--query-cov", "(d, d)") if query_dimensions == 2 else ("--query", "(d,)")
        raise InputError(f"{option} has shape {arrays['query'].shape}; it must have shape {shape}")
    if query_dimensions == 2:
        arrays["query_cov"] = arrays.pop("query")
    try:
        return AttentionSetting(**arrays), inputs
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error


def _command(arguments: argparse.Namespace) -> str:
    """The command line that repeats the run, with file names only."""
    words = ["largeprompt", "rates"]
    files = {**{name: getattr(arguments, name) for name in MATRICES}, "query": arguments.query, "query-cov": arguments.query_cov}
    given = {option: Path(path).name for option, path in files.items() if path}
    for option, value in given.items():
        words += [f"--{option}", value]
    for name in [] if given else arguments.example or EXAMPLES[:1]:
        words += ["--example", name]
    for law in arguments.law or []:
        words += ["--law", law]
    words += ["--lengths", arguments.lengths, "--replicates", str(arguments.replicates), "--seed", str(arguments.seed)]
    return shlex.join(words)
