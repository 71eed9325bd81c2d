"""The command ``sweep`` computes a grid of runs and keeps the results in a store, so that it can be
interrupted, extended and spread over machines.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from pathlib import Path
from typing import Any

from numerics.terminal.inputs import InputError, writable_folder, writing_into
from numerics.terminal.progress import progress_bar
from proofs_check.reports.pages.formats import add_format
from proofs_check.reports.rates.cli import tell

__all__ = ["add_sweep"]

DEFAULT_OUT = "sweep-report"


def add_sweep(commands: Any) -> None:
    """Add the command ``sweep``."""
    sweep = commands.add_parser(
        "sweep",
        help="measure a grid of token laws, U, V, queries and lengths, and keep the results in a store",
        description=(
            "Measures every run of the grid in GRID.toml by blocks, each stored when it is done. What the "
            "store has is not computed again: a sweep that was interrupted, or that got more lengths, "
            "replicates or runs, goes on where it was, and ends with the numbers of one that was not. "
            "Results of other versions of largeprompt, NumPy, SciPy and Numba stay in the store unused. "
            "Prints the verdicts; with --out it also writes a report with all runs on one page: report.html, "
            "report.json, data.csv and plots/*."
        ),
        epilog=(
            "exit status: 0 if every comparison holds, 1 if one fails or theory does not reach a run, 2 if "
            "the input cannot be used, 130 if interrupted"
        ),
    )
    sweep.add_argument(
        "grid",
        metavar="GRID.toml",
        nargs="?",
        help=(
            "lengths, replicates, seed, method and the entries [[tokens]], [[U]], [[V]], [[query]], of which "
            "every one goes with every other; --example prints one to start from"
        ),
    )
    sweep.add_argument(
        "--example",
        action="store_true",
        help="print a grid with remarks on everything that it may say, and stop",
    )
    sweep.add_argument(
        "--store", metavar="FILE", help="where the results are kept; made if missing; sweeps may share it"
    )
    sweep.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="run the blocks on the Dask cluster of this scheduler, as tcp://scheduler:8786",
    )
    sweep.add_argument(
        "--threads", metavar="N", type=int, help="default: one per processor; the numbers do not depend on it"
    )
    sweep.add_argument(
        "--out",
        metavar="DIR",
        nargs="?",
        const=DEFAULT_OUT,
        help="write a report, and where (without DIR: %(const)s)",
    )
    add_format(sweep)
    sweep.add_argument("--quiet", action="store_true", help="print failing comparisons and errors only")
    sweep.set_defaults(run=_run_and_report, interrupted="interrupted; the same command goes on")


def _run_and_report(arguments: argparse.Namespace) -> int:
    if arguments.example:
        from numerics.sweep.grid import example

        print(example(), end="")
        return 0
    if arguments.grid is None:
        raise InputError(
            "GRID.toml is missing; `largeprompt sweep --example > grid.toml` makes one to start from"
        )
    if arguments.store is None:
        raise InputError("also needed: --store FILE, where the results are kept (it is made if missing)")
    _limit_linear_algebra_to_one_thread()
    from numerics.jobs.job import Progress
    from numerics.jobs.runner import thread_count
    from numerics.jobs.store import Store
    from numerics.rates.measure import assess
    from numerics.sweep.grid import read_grid
    from numerics.sweep.run import stored_digest, sweep
    from proofs_check.reports.pages.provenance import provenance
    from proofs_check.reports.rates.report.write import write_report

    try:
        threads = thread_count(arguments.threads, "--threads")
    except ValueError as error:
        raise InputError(str(error)) from error
    grid = read_grid(arguments.grid)
    out = writable_folder(Path(arguments.out)) if arguments.out else None
    started = time.perf_counter()
    states: list[Progress] = []
    try:
        with Store(arguments.store) as store:
            with progress_bar(arguments.quiet, "asking the store") as advance:

                def show(state: Progress) -> None:
                    states[:] = [state]
                    state.show(advance)

                results = sweep(grid, store, scheduler=arguments.scheduler, threads=threads, progress=show)
            digest = "" if out is None else stored_digest(grid, store)
    except (
        ArithmeticError,
        MemoryError,
        ValueError,
    ) as error:  # the last are those of the store, the cluster and a user's law
        kept = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        raise InputError(f"{error}{kept}") from error
    (end,) = states
    if not arguments.quiet:
        print(f"{end.total} jobs: {end.reused} reused, {end.computed} computed; stored in {arguments.store}")
    runs, beyond = [], []
    for setting, errors in results:
        try:
            runs.append(assess(setting, errors))
        except (ArithmeticError, MemoryError, TypeError, ValueError) as error:
            beyond.append(
                f"the numbers of {setting.name!r} are stored, but theory does not reach them ({error}); take "
                "it out of the grid"
            )
    if not runs:
        raise InputError(beyond[0])
    for left_out in beyond:
        print(f"largeprompt sweep: {left_out}", file=sys.stderr)
    page = None
    if out is not None:
        inputs = [*grid.inputs.items(), (f"{Path(arguments.store).name}, the {end.total} jobs used", digest)]
        source = provenance(_command(arguments), time.perf_counter() - started, inputs)
        with writing_into(out), progress_bar(arguments.quiet, "drawing the report"):
            page = write_report(runs, out, source, arguments.format)
    tell(runs, page, arguments.quiet)
    return 0 if all(run.holds for run in runs) and not beyond else 1


def _limit_linear_algebra_to_one_thread() -> None:
    """Give the linear algebra behind NumPy one thread, as Dask does for its workers: in a hundred
    dimensions the last bits of its results depend on the number of threads.
    """
    if "numpy" not in sys.modules:  # NumPy reads these variables once, when it is loaded
        os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def _command(arguments: argparse.Namespace) -> str:
    """The command line that repeats the report, with file names only; threads and machines do not
    matter to it.
    """
    grid, store = Path(arguments.grid).name, Path(arguments.store).name
    return shlex.join(["largeprompt", "sweep", grid, "--store", store, "--out", Path(arguments.out).name])
