"""Small grids for the tests."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

from numerics.attention.sampled.estimate import AttentionErrors, Estimate
from numerics.sweep.grid import Grid, read_grid

TWO = """
seed = 5
replicates = {replicates}
lengths = {lengths}
[[tokens]]
Gamma = {{ diagonal = [1.0, 0.5] }}
[[U]]
identity = 2
scales = {scales}
[[V]]
matrix = [[1, 2]]
[[query]]
name = "fixed"
vector = [1, -1]
[[query]]
name = "averaged"
covariance = {{ identity = 2, scale = 0.1 }}
"""


def write(folder: Path, text: str, name: str = "grid.toml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def two(folder: Path, replicates: int = 2500, lengths: str = "[3, 20]", scales: str = "[0.2, 0.5]") -> Grid:
    """Four runs: two sizes of U, a fixed query and Gaussian ones."""
    return read_grid(write(folder, TWO.format(replicates=replicates, lengths=lengths, scales=scales)))


def stored_blocks(store: Path) -> int:
    """Blocks in the file of a store; what the runs are stands in empty rows."""
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM results WHERE shape != '[0]'").fetchone()[0])
    except sqlite3.OperationalError:  # not there yet
        return 0


def bits(errors: AttentionErrors) -> bytes:
    estimates = (errors.output, errors.grad_V, errors.grad_U)
    fields = Estimate.__dataclass_fields__
    return b"".join(np.asarray(getattr(e, field)).tobytes() for e in estimates for field in fields)
