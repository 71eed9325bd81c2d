"""The command ``rates --paper LDL``."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path

from numerics.terminal.inputs import InputError, length_grid, writable_folder, writing_into
from numerics.terminal.progress import progress_bar

__all__ = ["times_of_learning"]

#: The options that mean something here.
KNOWN = ("paper", "classes", "seed", "out", "quiet")
#: More classes make polygons with so many corners that their sums take minutes.
MOST_CLASSES = 2**16


def times_of_learning(arguments: argparse.Namespace, default: str) -> int:
    """Read the input, compute the times, write the report, and return the exit status.

    Parameters
    ----------
    arguments : argparse.Namespace
    default : str
        The numbers of classes if none are given.

    Returns
    -------
    int
        0 if every line comes out as the ledger declares it, 1 if not.

    Raises
    ------
    InputError
        If an option belongs to the other paper, or a number of classes cannot be used.
    """
    # What is not None was given: options with defaults are among those known.
    other = [name for name in vars(arguments) if name not in KNOWN and name not in ("run", "interrupted", "command")]
    given = [f"--{name.replace('_', '-')}" for name in other if getattr(arguments, name) not in (None, False)]
    if given:
        raise InputError(
            f"{given[0]} belongs to --paper BB; with --paper LDL leave it out (--classes, --seed, --out, --quiet are left)"
        )
    if arguments.seed < 0:
        raise InputError(f"--seed {arguments.seed} is negative; pass a whole number from 0 on")
    text = default if arguments.classes is None else arguments.classes
    classes = sorted(set(length_grid(text, "--classes")))
    for K in classes:
        if K < 4 or K % 2 or K > MOST_CLASSES:
            raise InputError(
                f"--classes has {K}, but the tasks take each of two values on half of the features; pass even numbers from 4 to"
                f" {MOST_CLASSES}"
            )
    from numerics.pages.provenance import provenance
    from numerics.rates.features.report import measure, write

    out, started = writable_folder(Path(arguments.out)), time.perf_counter()
    with progress_bar(arguments.quiet, "computing times") as advance:
        report = measure(classes, arguments.seed, advance)
    command = shlex.join(["largeprompt", "rates", "--paper", "LDL", "--classes", text, "--seed", str(arguments.seed)])
    with writing_into(out):
        page = write(report, out, provenance(command, time.perf_counter() - started))
    for line in report.lines:
        word = "FAILS" if not line.holds else "false" if line.refuted else "holds"
        if not (line.holds and arguments.quiet):
            out_of = sys.stderr if arguments.quiet else sys.stdout
            print(f"{word}  {line.law}: {line.says} [{line.row}: {line.declared}]", file=out_of)
    if not arguments.quiet:
        held = sum(line.holds for line in report.lines)
        print(f"{held} of {len(report.lines)} lines come out as the ledger declares; report in {page}")
    return 0 if report.holds else 1
