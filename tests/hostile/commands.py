"""Command lines with hostile words and files, and whether a command ended well."""

from __future__ import annotations

import io
import pickle
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from proofs_check.reports.cli import main

__all__ = ["FILES", "command_lines", "ended_badly", "write_files"]

#: Words that no command expects, among them names that a page or a spreadsheet would run.
WORDS = ["", "9" * 400, "a\0b", "x" * 5000, "\udcff", "<script>alert(1)</script>", "=cmd|'/C calc'!A0"]
PLAIN = "0 -1 nan inf 1e308 1e999 ../x 1,2,x 1:0:5 : , BB BB:CC.3.b COL:nowhere CC.3.b:c= -- -"
#: Files by their names; `write_files` makes them, except the missing one.
FILES = """
missing.npy empty.npy pickled.npy truncated.npy complex.npy text.npy nan.npy flat.npy cube.npy good.npy
foreign.npy foreign.npz deep.json good.json ragged.csv =cmd.csv <script>.csv folder.npy foreign.toml
empty.toml foreign.sqlite /dev/full /dev/null good.npy/below no/such/folder/x ../missing.npy
"""


def write_files(folder: Path) -> None:
    """Write the files into a folder."""
    good = np.diag([1.0, 0.5])
    np.save(folder / "good.npy", good)
    odd = {"complex": good * 1j, "text": good.astype(str), "nan": good * np.nan, "cube": np.ones((2, 2, 2))}
    for name, array in odd.items():
        np.save(folder / f"{name}.npy", array)
    np.save(folder / "flat.npy", np.ones(2))
    (folder / "pickled.npy").write_bytes(pickle.dumps(good))
    (folder / "truncated.npy").write_bytes((folder / "good.npy").read_bytes()[:-9])
    for name in ("foreign.npy", "foreign.npz", "foreign.toml", "foreign.sqlite"):
        (folder / name).write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    for name in ("empty.npy", "empty.toml"):
        (folder / name).touch()
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "good.json").write_text("[[1, 0], [0, 1]]")
    (folder / "ragged.csv").write_text("1,2\n3\n")
    for name in ("=cmd.csv", "<script>.csv"):
        (folder / name).write_text("1,0\n0,1\n")
    (folder / "folder.npy").mkdir(exist_ok=True)
    parts = (f"encoder.layer.0.attention.self.{part}.weight" for part in ("query", "key", "value"))
    np.savez(folder / "model.npz", **dict.fromkeys(parts, good))


#: Good command lines that take little time; one word of them is spoiled.
GOOD = """
ask --Gamma good.npy --U good.npy --V good.npy --query flat.npy -L 100
ask --tokens =cmd.csv --K good.npy --Q good.npy --V good.json --query flat.npy -L 10
ask --model model.npz --n-heads 2 --tokens good.npy --layer 0 --head 1 --queries flat.npy -L 10 --csv c
rates --example isotropic --lengths 10,30 --replicates 100 --seed 0 --out out --quiet
sweep empty.toml --store store.sqlite --out out
show BB:CC.3.b --ledger good.json
show CC.3
list BB --verdict refuted --severity gap
errata --paper BB --ledger good.json --out out
status --ledger good.json --check good.json
diff good.json empty.npy --rounding 1e-6
merge good.json empty.npy --out merged.json
figures --paper BB --only 99 --seeds 1 --out out
list --papers folder.npy
new-paper paper --title Title --id ME
"""
#: Lines of commands that load all claims first, which takes some seconds.
SLOW = """
blueprint --ledger good.json --out page.html
revise BB --set CC.3.b:c=x --ledger good.json
"""


@st.composite
def command_lines(draw: st.DrawFn, slow: bool) -> list[str]:
    """A good line with one word replaced, or with a word more."""
    line = draw(st.sampled_from((GOOD + SLOW * slow).strip().splitlines())).split()
    at = draw(st.integers(1, len(line)))
    return [*line[:at], draw(st.sampled_from([*WORDS, *PLAIN.split(), *FILES.split()])), *line[at + 1 :]]


def ended_badly(line: list[str]) -> str:
    """Run a command in the present folder; what is wrong with its end, or nothing."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main(line)
        except SystemExit as end:  # of argparse
            status = end.code if isinstance(end.code, int) else 1
    said = err.getvalue().strip()
    if status not in (0, 1, 2):
        return f"exit status {status}"
    if "Traceback" in said or (status == 2 and ":" not in said):
        return f"exit status {status} with {said[-200:]!r}"
    return ""
