"""CPU seconds of all stored derivations: ``python -m benchmarks.derivations [--every N]
[--slowest N] [--against FOLDER]``.

Run it from the root of a checkout, on a system that can fork. A child builds every derivation once,
in one order, so that what several of them use counts for the first one; each of the slowest is then
built alone in a child of its own, with all that it uses. With ``--against`` the derivations of
another checkout are built as well, by turns with these, and the ratio is printed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from benchmarks._ratio import ratio
from tests.forks import apart

#: What builds every n-th derivation and prints how long each took.
BUILD = """
import sys, time
from numerics.derivations.statements import proved
from proofs_check.derivations.proofs import PROOFS
for id in list(PROOFS)[:: int(sys.argv[1])]:
    for statement, theorem in zip(PROOFS[id].statements(), PROOFS[id].theorems, strict=True):
        proved(statement, theorem())
"""


def built(ids: list[str]) -> list[tuple[float, str]]:
    """CPU seconds of each part of these claims, after those before it."""
    from numerics.derivations.statements import proved
    from proofs_check.derivations.proofs import PROOFS

    out = []
    for id in ids:
        proof = PROOFS[id]
        for n, (statement, theorem) in enumerate(zip(proof.statements(), proof.theorems, strict=True), 1):
            start = time.process_time()
            proved(statement, theorem())
            out.append((time.process_time() - start, f"{id}, part {n}" if len(proof.theorems) > 1 else id))
    return out


def children() -> float:
    """CPU seconds of all children that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def of_checkout(folder: Path, every: int) -> None:
    environment = {**os.environ, "PYTHONPATH": str(folder), "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", BUILD, str(every)], cwd=folder, env=environment, check=True)


def main(arguments: list[str] | None = None) -> None:
    """Print the table, or the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="build each N-th claim only")
    parser.add_argument("--slowest", type=int, default=30, help="how many are shown")
    parser.add_argument("--against", type=Path, help="the root of another checkout")
    options = parser.parse_args(arguments)
    if options.against:
        folders = Path.cwd(), options.against.resolve()
        ours, theirs = (partial(of_checkout, folder, options.every) for folder in folders)
        print("all derivations:", ratio(ours, theirs, repeats=3, clock=children))
        return
    from proofs_check.derivations.proofs import PROOFS

    found = apart(partial(built, list(PROOFS)[:: options.every]))
    print(f"{len(found)} theorems in {sum(seconds for seconds, _ in found):.1f} s of CPU time")
    print("| theorem | s, in its turn | s, with all it uses |", "|---|--:|--:|", sep="\n")
    for seconds, part in sorted(found, reverse=True)[: options.slowest]:
        alone = apart(partial(built, [part.split(",")[0]]))
        print(f"| {part} | {seconds:.2f} | {sum(s for s, _ in alone):.2f} |", flush=True)


if __name__ == "__main__":
    main()
