"""Runs one command of ``largeprompt``, and turns what stops it into one line on stderr and an exit
status.
"""

from __future__ import annotations

import argparse
import io
import os
import sys

from numerics.terminal.inputs import InputError

__all__ = ["run_command"]


def run_command(options: argparse.Namespace) -> int:
    """Run the command that a parser has chosen.

    Parameters
    ----------
    options : argparse.Namespace
        ``command`` is the name of the command, and ``run`` a function of the options that returns
        the exit status. A command that keeps what it has says in ``interrupted`` how to go on.

    Returns
    -------
    int
        What ``run`` returned; 1 if nobody reads the output, 2 after an `InputError`, 130 after
        Ctrl-C.

    Examples
    --------
    >>> run_command(argparse.Namespace(command="count", run=lambda options: 0))
    0
    """
    # A letter that the terminal cannot show is printed as its number: names may hold any letter.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what a test puts there may be something else
            stream.reconfigure(errors="backslashreplace")
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except InputError as error:
        print(f"largeprompt {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:  # one in the middle of jobs says how many are stored
        said = str(stop) or getattr(options, "interrupted", "interrupted")
        print(f"largeprompt {options.command}: {said}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader has seen enough, as in `largeprompt status | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the interpreter complains when it flushes at its end
        return 1
