"""How programs of several commands end: help, version, Ctrl-C, and a reader who has seen enough."""

import argparse
from pathlib import Path

import pytest

from numerics.terminal.command import run_command, run_program
from numerics.terminal.inputs import InputError


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="largeprompt")
    made.add_subparsers(dest="command").add_parser("good").set_defaults(run=lambda options: 7)
    return made


def command(error: BaseException) -> argparse.Namespace:
    def run(options: argparse.Namespace) -> int:
        raise error

    return argparse.Namespace(command="count", run=run)


def test_a_command_is_run_and_without_one_it_says_how_to_start_or_the_version(capsys):
    assert run_program(parser, lambda: "1", ["good"], start="") == 7
    for words, said in (([], "begin so\n"), (["--version"], "version 1\n")):
        assert run_program(parser, lambda: "version 1", words, start="begin so") == 0
        assert capsys.readouterr().out.startswith(said)


def test_an_unknown_command_is_an_error():
    with pytest.raises(SystemExit) as stop:
        run_program(parser, lambda: "1", ["frobnicate"], start="")
    assert stop.value.code == 2


def test_wrong_input_is_one_line(capsys):
    assert run_command(command(InputError("no such file; name another"))) == 2
    assert capsys.readouterr().err == "largeprompt count: no such file; name another\n"


@pytest.mark.parametrize("wrapped", [False, True])
def test_an_interruption_is_no_traceback(wrapped, capsys):
    """Also where a package that was being imported turned it into an error of its own."""
    stop: BaseException = KeyboardInterrupt()
    if wrapped:
        stop = ImportError("the package is broken")
        stop.__context__ = KeyboardInterrupt()
    assert run_command(command(stop)) == 130
    assert capsys.readouterr().err == "largeprompt count: interrupted\n"


def test_an_interruption_while_the_parser_is_made(capsys):
    def make() -> argparse.ArgumentParser:
        raise KeyboardInterrupt

    assert run_program(make, lambda: "1", [], start="") == 130
    assert capsys.readouterr().err == "largeprompt: interrupted\n"


def test_another_error_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        run_command(command(ZeroDivisionError()))


def test_a_name_too_long_for_a_file_is_said_to_be_so(capsys):
    def run(options: argparse.Namespace) -> int:
        return len(Path("x" * 5000).read_bytes())

    assert run_command(argparse.Namespace(command="count", run=run)) == 2
    expected = "largeprompt count: a name of 5000 characters is too long; give a shorter one\n"
    assert capsys.readouterr().err == expected
