"""``largeprompt``: what a reader sees of one row, and what wrong input is told."""

import os
import signal
import subprocess
import sys
from importlib import metadata

import pytest

from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.papers.statements import row, rows
from proofs_check.reports.cli import main

#: Sends Ctrl-C when NumPy, SymPy or Numba is looked for, by the program that imports it.
SIGNAL = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets programs in the background ignore it
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name in ("numpy", "sympy", "numba"):
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
"""


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (["show", "CC.3.b"], "REFUTED, a false step"),
        (["show", "CC.3.b", "--set", "c=100"], "BB:CC.3.b with c = 100: REFUTED"),
        (["show", "CC.3.b", "--again"], "Judged now"),
        (["show", "CC.3.b", "--latex"], "\\delta"),
        (["list", "BB", "--severity", "gap"], "R   BB:CC.3.b"),
        (["list", "--verdict", "o"], "OPEN"),
        ([], "All commands: largeprompt --help"),
        (["--version"], f"largeprompt {metadata.version('largeprompt')}"),
    ],
)
def test_commands(command, hint, ran):
    assert hint in ran(0, *command).out


def test_to_read_a_ledger_takes_neither_numpy_nor_sympy():
    commands = "from proofs_check.reports.cli import main; main(['show', 'CC.3.b']); main(['list'])"
    heavy = "{'numpy', 'sympy', 'numba', 'flint'}"
    program = f"{commands}; import sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


#: Wrong lines, of which each is refused for its words alone.
WRONG = """
ask --example isotropic -L 0
ask --tokens missing.npy -L x
show CC.3.b --set c=abc
show CC.3.b --set c
show nonsense --set c=1
show nonsense --proof
show nonsense --again
revise BB --set nonsense
revise BB --set CC.3.b:c=x
revise BB --set nonsense:c=1
revise nothing --set CC.3.b:c=1
revise BB --set CC.3.b:c=1 --ledger missing
revise BB --set CC.3.b:c=1 --out missing/x
revise BB --statements missing.toml
rates --lengths 0
rates --paper nothing
rates --paper BB --classes 4
rates --paper LDL --classes 3
rates --paper LDL --seed -1
rates --paper LDL --out missing/x
rates --paper COL --dimensions 1
rates --paper COL --out missing/x
figures --paper BB --quick --seeds 2
figures --paper BB --quick --full
figures --paper LDL --rate 0
figures --paper LDL --out missing/x
figures --paper COL --out missing/x
sweep missing.toml
errata --paper nothing
errata --paper BB --out missing/x
errata --ledger missing
blueprint --out missing/x.html
merge missing missing --out x
second-opinion nonsense
second-opinion CC.3.b --write missing/x
diff missing missing
list nothing
new-paper missing/x --title T --id ME
warm nothing
"""


def test_what_is_wrong_is_refused_before_anything_heavy_is_imported(tmp_path):
    """A folder that no one could write in is missing as well; one process tries all of them."""
    program = f"""
import sys
from proofs_check.reports.cli import main
for line in {WRONG.strip().splitlines()!r}:
    try:
        status = main(line.split())
    except SystemExit as stop:
        status = stop.code
    heavy = {{'numba', 'flint', 'proofs_check.core.claim', 'matplotlib'}} & set(sys.modules)
    assert (status, heavy) == (2, set()), (line, status, heavy)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(done.stderr.splitlines()) >= len(WRONG.split("\n")) - 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [["show", "CC.3.b", "--again"], ["rates"]])
def test_an_interruption_during_imports_is_no_traceback(command, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(SIGNAL, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    env = {**os.environ, "PYTHONPATH": path}
    run = [sys.executable, "-m", "proofs_check.reports.cli", *command]
    done = subprocess.run(run, capture_output=True, text=True, env=env, cwd=tmp_path, check=False)
    assert "interrupted" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode in (130, -signal.SIGINT)


def test_what_is_piped_is_not_broken_and_a_closed_pipe_is_no_error():
    command = [sys.executable, "-m", "proofs_check.reports.cli", "show", "BB:CC.3.a", "--latex"]
    env = {**os.environ, "COLUMNS": "60"}
    whole = subprocess.run(command, capture_output=True, text=True, env=env, check=True).stdout
    assert row("BB:CC.3.a").printed in whole
    read, write = os.pipe()
    os.close(read)
    closed = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, env=env, check=False)
    os.close(write)
    assert closed.stderr == ""
    assert closed.returncode == 1


def test_wrong_commands_end_with_status_two(capsys):
    both = ["show", "BB:CC.3.b", "--again", "--set", "c=1"]
    for wrong in (["frobnicate"], ["show"], ["show", "BB:CC.3.b", "--reseed", "x"], both):
        with pytest.raises(SystemExit) as stop:
            main(wrong)
        assert stop.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    named = ["largeprompt --help", *["largeprompt show --help"] * 3]
    assert [line.rpartition("; see: ")[2] for line in lines] == named


def test_an_unknown_statement_may_be_one_of_a_folder(capsys):
    assert main(["show", "ME:L1"]) == 2
    printed, told = capsys.readouterr()
    assert (printed, told.count("no statement is called")) == ("", 1)
    assert told.endswith("all of them: largeprompt list; those of a folder: add --papers DIR\n")


def test_an_unknown_option_is_told_in_the_name_of_its_command(capsys):
    assert main(["show", "BB:CC.3.b", "--prof"]) == 2
    told = "largeprompt show: unrecognized arguments: --prof; see: largeprompt show --help\n"
    assert capsys.readouterr().err == told


def test_a_part_belongs_to_its_row_and_every_row_says_where_it_stands():
    assert row("BB:LC.1/inference") is row("BB:LC.1")
    assert all(r.where and r.says and r.printed for r in rows().values())
    assert set(Ledger([]).unsettled()) == set(rows())
