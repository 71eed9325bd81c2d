"""The command ``rates --paper LDL``."""

from __future__ import annotations

import argparse
import shlex
import time
from pathlib import Path

from numerics.terminal.inputs import InputError, length_grid, writable_folder, writing_into
from numerics.terminal.progress import progress_bar
from proofs_check.reports.rates.lines.line import tell

__all__ = ["times_of_learning"]

#: More classes make polygons with so many corners that their sums take minutes.
MOST_CLASSES = 2**16


def times_of_learning(arguments: argparse.Namespace, default: str) -> int:
    """Read the input (`default` numbers of classes if none are given), compute the times, write the
    report, and return the exit status: 0 if every line comes out as the ledger declares it, 1 if
    not.
    """
    text = default if arguments.classes is None else arguments.classes
    classes = sorted(set(length_grid(text, "--classes")))
    for K in classes:
        if K < 4 or K % 2 or K > MOST_CLASSES:
            raise InputError(
                f"--classes has {K}, but the tasks take each of two values on half of the features; pass "
                f"even numbers from 4 to {MOST_CLASSES}"
            )
    out = writable_folder(Path(arguments.out))
    from proofs_check.reports.pages.provenance import provenance
    from proofs_check.reports.rates.features.report import measure, write

    started = time.perf_counter()
    with progress_bar(arguments.quiet, "computing times") as advance:
        report = measure(classes, arguments.seed, advance)
    command = shlex.join(
        ["largeprompt", "rates", "--paper", "LDL", "--classes", text, "--seed", str(arguments.seed)]
    )
    with writing_into(out), progress_bar(arguments.quiet, "drawing the report"):
        page = write(report, out, provenance(command, time.perf_counter() - started), arguments.format)
    return tell(report.lines, page, arguments.quiet)
