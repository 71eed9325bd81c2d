"""The command line of this floor: its entry point and its help."""

import subprocess
import sys

import pytest

from numerics.cli import main


def test_module_entry_point():
    command = [sys.executable, "-m", "numerics", "rates", "--example", "x"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    assert "rates" in capsys.readouterr().out


def test_without_a_command_there_is_help_and_a_version_is_told(capsys):
    assert main([]) == 0
    assert capsys.readouterr().out.startswith("usage: python -m numerics")
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("largeprompt")
