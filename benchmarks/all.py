"""Everything that docs/performance.md says, measured here: `python -m benchmarks.all`.

Each benchmark runs in a process of its own with one thread per library, and every first call in a
fresh process with an empty cache of compiled code. PyTorch comes with `pip install '.[bench]'`;
without it its rows are left out, and the page says so. Give names of benchmarks to measure only
these, and print the tables instead of writing the page.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from statistics import median

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
#: Benchmarks by the title of their table.
BENCHMARKS = {
    "exact": "Errors averaged over Gaussian queries at four lengths, against Monte Carlo in NumPy to 1 %",
    "quadrature": "Moments of the softmax weights at four lengths, against Monte Carlo in NumPy to 1 %",
    "normals": "Normals of the kernels",
    "attention": "Monte Carlo that draws every token",
    "scores": "Monte Carlo that draws scores only",
    "training": "Training, a step of Appendix A.1 with 128 prompts",
    "feature_regression": "Training of attention over finitely many features, and its finite prompts",
    "attention_matrix": (
        "Adam on the matrix of attention, a fresh task at every step (Appendix J of Collins et al.)"
    ),
    "attention_window": "The best attention window (Collins et al.), against Monte Carlo",
    "flows": "Gradient flows until they stand still, against LSODA in NumPy",
    "threads": "Two threads against one",
}
#: Benchmarks that print a table of their own, by its title.
TABLES = {
    "scale": "Large calls, and a sweep of many small blocks",
    "growth": "How cost grows: the exponent of the size",
    "problems": "Published inequalities, true and false",
}
SETTING = "import numpy as np, numerics; G, U, V, z = np.eye(4), 0.5 * np.eye(4), np.eye(2, 4), np.ones(4); "
#: Calls of which the first one, which compiles, and the next ones are timed.
CALLS = {
    "exact_errors(query=)": SETTING
    + "call = lambda: numerics.exact_errors(G, U, V, (10, 100, 1000, 10**4), query=z)",
    "exact_errors(query_cov=)": SETTING
    + "call = lambda: numerics.exact_errors(G, U, V, (10, 100, 1000, 10**4), query_cov=G)",
    'attention_errors(method="tokens")': SETTING
    + 'call = lambda: numerics.attention_errors(G, U, V, z, 100, replicates=4096, seed=1, method="tokens")',
    'attention_errors(method="scores")': SETTING
    + 'call = lambda: numerics.attention_errors(G, U, V, z, 100, replicates=4096, seed=1, method="scores")',
    **{
        f'train("{attention}", L=100, steps=100)': (
            f'import numerics; call = lambda: numerics.train("{attention}", 100, steps=100)'
        )
        for attention in ("softmax", "linear", "coupled")
    },
}
TIMED = """
import time
{setup}
def seconds():
    start = time.perf_counter(); call(); return time.perf_counter() - start
first = seconds()
print(first, min(seconds() for _ in range(5)))
"""
ROW = re.compile(
    r"^\s*(?P<what>.*?):?\s+(?P<ratio>[\d.]+) times\s+"
    r"\((?P<range>[\d.]+ to [\d.]+);\s+(?P<times>[^)]*)\)(?P<more>.*)$"
)


def run(arguments: list[str], **environment: str) -> str:
    """What a process prints, with one thread per library."""
    alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **alone, **environment},
        stdout=subprocess.PIPE,
        check=True,
    )
    return done.stdout.decode()


def ratios(name: str) -> list[str]:
    """A table of the ratios that a benchmark prints; lines without one head the rows below them."""
    rows, head = ["| what | times faster | range | time |", "|---|--:|---|---|"], ""
    for line in run(["-m", f"benchmarks.{name}"]).splitlines():
        found = ROW.match(line)
        if found is None:
            head = line.split(":")[0] if line.startswith("L = ") else head
            continue
        inner = line.startswith(" ") and head
        what = " ".join((f"{head}: {found['what']}" if inner else found["what"]).split())
        rows.append(
            f"| {what}{found['more']} | {float(found['ratio']):,.1f} | {found['range']} | {found['times']} |"
        )
    return rows


def in_short(tables: Mapping[str, Sequence[str]]) -> list[str]:
    """How much faster each benchmark is, by its title, from the rows of its table; rows that
    compare two sizes of ours are left out.

    >>> rows = ["| a | 1,200.0 |", "| b | 2.0 |", "| c | 3.0 |"]
    >>> in_short({"Sums": ["| what | times faster |", "|---|--:|", *rows]})[-1]
    '| Sums | 3 | 2 to 1,200 |'
    """
    rows = ["| what | times faster, median | from, to |", "|---|--:|--:|"]
    for title, lines in tables.items():
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
        found = sorted(float(c[1].replace(",", "")) for c in cells if " against " not in c[0])
        told = [f"{x:,.0f}" if x >= 10 else f"{x:.2g}" for x in (median(found), found[0], found[-1])]
        rows.append(f"| {title} | {told[0]} | {told[1]} to {told[2]} |")
    return rows


def table(name: str) -> list[str]:
    """The table that a benchmark prints."""
    return [line for line in run(["-m", f"benchmarks.{name}"]).splitlines() if line.startswith("|")]


def first_calls() -> list[str]:
    """Seconds of a first call with nothing compiled yet, of the first one in a later process, and
    of the calls that follow.
    """
    rows = ["| call | nothing compiled yet | first in a process | after that |", "|---|--:|--:|--:|"]
    for call, setup in CALLS.items():
        with tempfile.TemporaryDirectory() as cache:
            took = [
                run(["-c", TIMED.format(setup=setup)], NUMBA_CACHE_DIR=cache).split()[-2:] for _ in range(2)
            ]
        (cold, _), (warm, after) = [[float(x) for x in pair] for pair in took]
        rows.append(f"| `{call}` | {cold:.1f} s | {warm:.2f} s | {1e3 * after:.2f} ms |")
    return rows


def machine() -> str:
    """The name of the processor, how many of them this process may use, and the system."""
    try:
        names = re.findall(
            r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE
        )
    except OSError:
        names = []
    name = names[0] if names else platform.processor() or platform.machine()
    return f"{name}, {len(os.sched_getaffinity(0))} processors, {platform.system()}"


def page() -> str:
    """The whole page."""
    began = time.perf_counter()
    versions = []
    for package in ("numpy", "numba", "torch"):
        try:
            versions.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            versions.append(f"{package} not installed")
    measured = {name: ratios(name) for name in BENCHMARKS}
    parts = [
        "# Performance",
        "How many times faster a call is than the program that one would write instead:",
        "\n".join(in_short({title: measured[name] for name, title in BENCHMARKS.items()})),
        "This page is written by `python -m benchmarks.all`, which measures everything on it. Two programs\n"
        "are timed alternately in one run, one thread each; the ratio is the median of several pairs, and\n"
        "the range is that of the pairs. A program that takes less than 20 ms is called several times in a\n"
        "row. The source of each program is in `benchmarks/`.",
        f"Measured on {datetime.now(UTC):%Y-%m-%d} on this machine: {machine()};\n"
        f"Python {platform.python_version()}, {', '.join(versions)}.",
    ]
    for name, title in BENCHMARKS.items():
        parts += [f"## {title}", f"`python -m benchmarks.{name}`", "\n".join(measured[name])]
    for name, title in TABLES.items():
        parts += [f"## {title}", f"`python -m benchmarks.{name}`", "\n".join(table(name))]
    parts += [
        "## First calls",
        "A first call compiles what it needs, once on a machine.",
        "\n".join(first_calls()),
    ]
    parts.append(f"All of it was measured in {(time.perf_counter() - began) / 60:.0f} minutes.")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    chosen, known = sys.argv[1:], [*BENCHMARKS, *TABLES, "first"]
    if unknown := set(chosen) - {*known}:
        raise SystemExit(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if not chosen:
        PAGE.write_text(page(), encoding="utf-8", newline="\n")
    for name in chosen:
        print(
            "\n".join(first_calls() if name == "first" else table(name) if name in TABLES else ratios(name))
        )
