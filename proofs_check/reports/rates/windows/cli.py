"""The command ``rates --paper COL``."""

from __future__ import annotations

import argparse
import hashlib
import re
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING

from numerics.terminal.inputs import InputError, length_grid, read_bytes, writable_folder, writing_into
from numerics.terminal.progress import progress_bar
from proofs_check.reports.rates.lines.line import tell

if TYPE_CHECKING:
    from theory.attention.window.classes import TaskClass

__all__ = ["best_windows", "own_class"]

#: The largest dimension, beyond which no width up to Lambda = 10^13 follows a law, and the largest
#: degree of a class of one's own.
MOST_DIMENSIONS, MOST_DEGREES = 30, 400


def best_windows(arguments: argparse.Namespace, default: str) -> int:
    """Read the input (`default` dimensions if none are given), compute the widths, write the
    report, and return the exit status: 0 if every line comes out as the ledger declares it, 1 if
    not.
    """
    text = default if arguments.dimensions is None else arguments.dimensions
    dimensions = sorted(set(length_grid(text, "--dimensions")))
    for d in dimensions:
        if not 2 <= d <= MOST_DIMENSIONS:
            raise InputError(
                f"--dimensions has {d}, but tokens lie on the sphere in R^d; pass whole numbers from "
                f"2 to {MOST_DIMENSIONS}"
            )
    own, inputs = own_class(arguments.spectrum) if arguments.spectrum is not None else (None, [])
    out = writable_folder(Path(arguments.out))
    from proofs_check.reports.pages.provenance import provenance
    from proofs_check.reports.rates.windows.best_window import which_window
    from proofs_check.reports.rates.windows.report import measure, write

    started = time.perf_counter()
    with progress_bar(arguments.quiet, "computing widths") as advance:
        try:
            report = measure(dimensions, arguments.seed, own, advance)
        except ValueError as error:  # a loss has no least width within reach, as for tokens on a circle
            raise InputError(
                f"no report can be made of --dimensions {text}: {error}; or pass larger dimensions"
            ) from error
    words = ["largeprompt", "rates", "--paper", "COL", "--dimensions", text, "--seed", str(arguments.seed)]
    if own:
        words += ["--spectrum", inputs[0][0] if inputs else arguments.spectrum]
    if not arguments.quiet:
        print("\n".join(which_window()))
    with writing_into(out), progress_bar(arguments.quiet, "drawing the report"):
        page = write(
            report,
            out,
            provenance(shlex.join(words), time.perf_counter() - started, inputs),
            arguments.format,
        )
    return tell(report.lines, page, arguments.quiet)


def own_class(text: str) -> tuple[TaskClass, list[tuple[str, str]]]:
    """A class from its coefficients b_0,b_1,..., or from a file that holds them, with commas,
    blanks or line breaks, and the file with its digest.
    """
    from theory.attention.window.own_class import from_spectrum

    inputs = []
    if (b := _numbers(text)) is None:
        try:
            content = read_bytes(Path(text))
        except InputError as error:
            raise InputError(
                f"--spectrum {text:.80} is neither a list of numbers like 0,1,0.5 nor a file that can be "
                f"read ({error})"
            ) from error
        inputs = [(Path(text).name, hashlib.sha256(content).hexdigest())]
        if (b := _numbers(content.decode(errors="replace"))) is None:
            raise InputError(
                f"--spectrum {text:.80}: the file does not hold b_0, b_1, ... alone; give numbers with "
                "commas or line breaks"
            )
    if len(b) > MOST_DEGREES + 1:
        raise InputError(
            f"--spectrum has {len(b)} coefficients; pass those of the degrees 0 to {MOST_DEGREES}"
        )
    try:
        found = from_spectrum(b, "yours")
    except ValueError as error:
        raise InputError(f"--spectrum: {error}") from error
    if not any(b[1:]):
        raise InputError(
            "--spectrum has no coefficient but b_0: the tasks are constant, and no window is best; pass b_1 "
            "or a later one too"
        )
    return found, inputs


def _numbers(text: str) -> list[float] | None:
    """Numbers between commas or blanks, or None if there is anything else or nothing."""
    try:
        return [float(part) for part in re.split(r"[,\s]+", text.strip().strip(","))]
    except ValueError:
        return None
