"""Runs a program of several commands, and turns what stops a command into one line on stderr and an
exit status.
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from numerics.terminal.inputs import InputError

__all__ = ["Parser", "run_command", "run_program"]


class Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong and where to look. The usage of a command of
    twenty options would stand above it otherwise.

    >>> try:
    ...     Parser(prog="count").parse_args(["--fast"])
    ... except SystemExit as stop:
    ...     stop.code
    2
    """

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see: {self.prog} --help\n")


def run_program(
    make_parser: Callable[[], argparse.ArgumentParser],
    version: Callable[[], str],
    argv: Sequence[str] | None = None,
    *,
    start: str,
) -> int:
    """Run a program and return its exit status (see `run_command`); without a command it prints how
    to `start`. `make_parser` may import what it needs, since Ctrl-C ends it in good order too.
    """
    if (sys.argv[1:] if argv is None else list(argv)) == [
        "--version"
    ]:  # asked by scripts, which need not wait for the parser
        return run_command(argparse.Namespace(run=lambda options: print(version()) or 0))
    try:
        parser = make_parser()
        parser.add_argument("--version", action="store_true", help="print the version and exit")
        options, unknown = parser.parse_known_args(argv)
    except KeyboardInterrupt:
        print("largeprompt: interrupted", file=sys.stderr)
        return 130
    if (
        unknown
    ):  # argparse would say it in the name of the program, whose help does not have the options of a command
        name = " ".join(filter(None, (parser.prog, getattr(options, "command", None))))
        print(f"{name}: unrecognized arguments: {' '.join(unknown)}; see: {name} --help", file=sys.stderr)
        return 2
    if options.version or getattr(options, "command", None) is None:

        def says(given: argparse.Namespace) -> int:
            print(version() if given.version else start)
            return 0

        options.run = says
    return run_command(options)


def run_command(options: argparse.Namespace) -> int:
    """Run the function ``options.run`` of the command that a parser has chosen. The exit status is
    what it returned; 1 if nobody reads the output, 2 after an `InputError`, 130 after Ctrl-C, when
    ``options.interrupted`` says how to go on.
    """
    # A letter that the terminal cannot show is printed as its number: names may hold any letter.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what a test puts there may be something else
            stream.reconfigure(errors="backslashreplace")
    name = f"largeprompt {getattr(options, 'command', None) or ''}".rstrip()
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except InputError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:  # one in the middle of jobs says how many are stored
        said = str(stop) or getattr(options, "interrupted", "interrupted")
        print(f"{name}: {said}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader has seen enough, as in `largeprompt status | head`
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # else the interpreter complains when it flushes at its end
        return 1
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        print(
            f"{name}: a name of {len(str(error.filename))} characters is too long; give a shorter one",
            file=sys.stderr,
        )
        return 2
    except Exception as error:
        if not _interrupted(error):
            raise
        print(f"{name}: interrupted", file=sys.stderr)
        return 130


def _interrupted(error: BaseException) -> bool:
    """Whether Ctrl-C lies behind an error: packages that are interrupted while they are imported
    may say that they are not installed well.
    """
    behind: BaseException | None = error
    while behind is not None and not isinstance(behind, KeyboardInterrupt):
        behind = behind.__cause__ or behind.__context__
    return behind is not None
