"""The command ``rates``, which measures how fast attention approaches its infinite-prompt limit and
writes the report. Nothing heavy is imported before it runs.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numerics.terminal.inputs import InputError, length_grid, writable_folder, writing_into
from numerics.terminal.progress import progress_bar
from proofs_check.reports.pages.formats import add_format
from proofs_check.reports.rates.papers import ATTENTION, REPORTS, refuse_other_options
from proofs_check.reports.rates.setting_options import add_setting_options, given_settings, setting_words

if TYPE_CHECKING:
    from numerics.rates.result import Rates

__all__ = ["add_rates", "tell"]

DEFAULT_LENGTHS = "10:10000:10"
DEFAULT_REPLICATES = 40_000
DEFAULT_CLASSES = "4,8,16,32,64,128,256,512,1024"
DEFAULT_DIMENSIONS = "2,3,4,5,6,7,8"


def add_rates(commands: Any) -> None:
    """Add the command ``rates``."""
    rates = commands.add_parser(
        "rates",
        help=(
            "measure how fast attention approaches its infinite-prompt limit, how long it learns, or how "
            "wide its window is"
        ),
        description=(
            "Measures the errors of output and gradients of softmax attention over the prompt length, lays "
            "them beside the exact curves, Theorems A and B and the bounds of Boursier & Boyer; writes "
            "report.html, report.json, data.csv and plots/*. Several examples or laws are compared on one "
            "page. With --paper LDL: computes how many steps attention needs to learn, beside the laws that "
            "Li, Duan & Liang print and ours; only --classes, --seed, --out and --quiet go with it. With "
            "--paper COL: computes the best width of an attention window, beside the laws that Collins et "
            "al. print and ours; only --spectrum, --dimensions, --seed, --out and --quiet go with it."
        ),
        epilog=(
            "exit status: 0 if our laws hold and every line against a printed law comes out as the ledger "
            "declares it, 1 if not, 2 if the input cannot be used, 130 if interrupted"
        ),
    )
    rates.add_argument(
        "--paper",
        type=str.upper,
        choices=tuple(REPORTS),
        default=ATTENTION,
        help=(
            "whose laws: Boursier & Boyer (the errors of softmax attention), Li, Duan & Liang (how long it "
            "learns) or Collins et al. (how wide its window is) (default: %(default)s)"
        ),
    )
    add_setting_options(rates)
    rates.add_argument(
        "--classes",
        metavar="LIST",
        help=(
            "with --paper LDL: even numbers of classes, a list or FIRST:LAST:COUNT "
            f"(default: {DEFAULT_CLASSES})"
        ),
    )
    windows = rates.add_argument_group("with --paper COL")
    windows.add_argument(
        "--spectrum",
        metavar="LIST",
        help=(
            "a class of tasks of your own, by its coefficients b_0,b_1,... in the polynomials P_k with "
            "P_k(1) = 1: numbers with commas, or a file that holds them"
        ),
    )
    windows.add_argument(
        "--dimensions",
        metavar="LIST",
        help=f"dimensions of the tokens, a list or FIRST:LAST:COUNT (default: {DEFAULT_DIMENSIONS})",
    )
    how = rates.add_argument_group("how")
    how.add_argument(
        "--lengths",
        metavar="LIST",
        help=(
            "prompt lengths: 10,30,100 or FIRST:LAST:COUNT on a logarithmic grid "
            f"(default: {DEFAULT_LENGTHS})"
        ),
    )
    how.add_argument(
        "--replicates", metavar="N", type=int, help=f"prompts per length (default: {DEFAULT_REPLICATES})"
    )
    how.add_argument(
        "--seed", metavar="N", type=int, default=0, help="same seed, same numbers (default: %(default)s)"
    )
    how.add_argument(
        "--threads", metavar="N", type=int, help="default: one per processor; the numbers do not depend on it"
    )
    add_format(how)
    how.add_argument(
        "--out", metavar="DIR", default="rates-report", help="where the report goes (default: %(default)s)"
    )
    how.add_argument("--quiet", action="store_true", help="print failing comparisons and errors only")
    rates.set_defaults(
        run=_measure_and_report,
        interrupted="interrupted; no report was written (`largeprompt sweep` keeps what it has)",
    )


def _measure_and_report(arguments: argparse.Namespace) -> int:
    """Read the input, measure every setting, write the report, and return the exit status."""
    refuse_other_options(arguments)
    if arguments.paper == "COL":
        from proofs_check.reports.rates.windows.cli import best_windows

        return best_windows(arguments, DEFAULT_DIMENSIONS)
    if arguments.paper == "LDL":
        from proofs_check.reports.rates.features.cli import times_of_learning

        return times_of_learning(arguments, DEFAULT_CLASSES)
    arguments.lengths = DEFAULT_LENGTHS if arguments.lengths is None else arguments.lengths
    arguments.replicates = DEFAULT_REPLICATES if arguments.replicates is None else arguments.replicates
    lengths = length_grid(arguments.lengths)
    settings, inputs = given_settings(arguments)
    from numerics.rates.measure import checked_request, rates
    from proofs_check.reports.pages.provenance import provenance
    from proofs_check.reports.rates.report.write import write_report

    try:
        checked_request(lengths, arguments.replicates)
    except ValueError as error:
        raise InputError(str(error)) from error
    out = writable_folder(Path(arguments.out))
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
                raise InputError(
                    f"{setting.name}: theory does not reach this ({error}); take a smaller U or query"
                ) from error
            runs.append(run)
    source = provenance(_command(arguments), time.perf_counter() - started, inputs)
    with writing_into(out), progress_bar(arguments.quiet, "drawing the report"):
        page = write_report(runs, out, source, arguments.format)
    tell(runs, page, arguments.quiet)
    return 0 if all(run.holds for run in runs) else 1


def _part_of(advance: Callable[[int, int], None], i: int, runs: int) -> Callable[[int, int], None]:
    """The progress of run i of several as progress of the whole: all runs draw the same number of
    tokens.
    """
    return lambda done, total: advance(i * total + done, runs * total)


def tell(runs: Sequence[Rates], page: Path | None, quiet: bool) -> None:
    """Print what fails, how close attention is to its limit, what holds, and where the report is; a
    quiet call prints failures only, on stderr. One run is told in full; of several, the failures
    and a line each.
    """
    from numerics.attention.distance.rounded import filled

    one, held, total = len(runs) == 1, 0, 0
    for run in runs:
        for c in run.comparisons:
            total, held = total + 1, held + c.holds
            if not c.holds:
                where = "" if one else f"{run.setting.name}, "
                print(
                    f"FAILS  {where}{c.name}: {c.says}{_printed(c.law)}",
                    file=sys.stderr if quiet else sys.stdout,
                )
    if quiet:
        return
    for run in runs:
        grade = run.answer.grade
        if one:
            width = shutil.get_terminal_size((100, 24)).columns
            print(filled(f"{run.answer.sentence} This is {grade.says}.", width), end="\n\n")
        else:
            print(f"{run.setting.name}: {run.answer.difference} This is {grade.says}.")
    for run in runs:
        if one:
            for c in run.comparisons:
                if c.holds:
                    print(f"holds  {c.name}: {c.says}{_printed(c.law)}")
            for warning in run.warnings:
                print(f"note   {warning}")
        else:
            print(f"{'holds' if run.holds else 'FAILS'}  {_summary(run)}")
    print(f"{held} of {total} comparisons hold" + (f"; report in {page}" if page else ""))


def _printed(law: str) -> str:
    from proofs_check.reports.rates.verdicts import declared

    return f" [the printed law: {said}]" if (said := declared(law)) else ""


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


def _command(arguments: argparse.Namespace) -> str:
    """The command line that repeats the run, with file names only."""
    words = ["largeprompt", "rates", *setting_words(arguments)]
    words += [
        "--lengths",
        arguments.lengths,
        "--replicates",
        str(arguments.replicates),
        "--seed",
        str(arguments.seed),
    ]
    return shlex.join(words)
