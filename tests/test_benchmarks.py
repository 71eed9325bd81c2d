"""The page on performance is made of what the benchmarks print, so each line has to be read."""

import subprocess
import sys

import pytest

from benchmarks import all as benchmarks
from benchmarks import growth
from benchmarks._ratio import ratio


@pytest.mark.parametrize(
    ("line", "what"), [("L = 10, output   : {}", "L = 10, output"), ("{}, bits equal", "")]
)
def test_a_ratio_is_read_as_it_is_printed(line, what):
    ticks = iter(range(0, 1000, 3))
    printed = ratio(lambda: None, lambda: None, repeats=3, clock=lambda: float(next(ticks)))
    found = benchmarks.ROW.match(line.format(printed))
    assert found["what"].strip() == what
    assert (float(found["ratio"]), found["range"]) == (1.0, "1.0 to 1.0")
    assert found["more"] == ("" if what else ", bits equal")


def test_rows_under_a_head_carry_it(monkeypatch):
    lines = "L =    10: of no ratio\n  NumPy  2.5 times  (2.0 to 3.0;  1 ms of CPU time against 2.5 ms)\n"
    monkeypatch.setattr(benchmarks, "run", lambda arguments: lines)
    row = "| L = 10: NumPy | 2.5 | 2.0 to 3.0 | 1 ms of CPU time against 2.5 ms |"
    assert benchmarks.ratios("scores")[2:] == [row]


def test_an_unknown_benchmark_is_named():
    done = subprocess.run([sys.executable, "-m", "benchmarks.all", "normal"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "no benchmark is called normal; there are exact" in done.stderr


def test_an_exponent_is_that_of_the_work_and_not_of_its_repetitions(monkeypatch):
    monkeypatch.setattr(growth, "typical", lambda program, repeats: program())
    work = (lambda n: lambda: 5 * n**1.5), lambda n: 1 / n
    found = growth.row(growth.Growth("call, a step", "n", (8, 16, 32, 64), *work))
    assert found == "| `call`, a step | n | 2.50 | 8 to 64 | 9.05e+05 to 1.64e+08 ms |"
    assert all(8 * kind.sizes[0] <= kind.sizes[-1] for kind in growth.GROWTHS)


def test_only_the_rows_of_a_table_reach_the_page(monkeypatch):
    monkeypatch.setattr(benchmarks, "run", lambda arguments: "a warning\n| call |\n|---|\n| `f` |\n")
    assert benchmarks.table("growth") == ["| call |", "|---|", "| `f` |"]
