"""Call every public function and every command with hostile input:
``python -m benchmarks.hostile_input [--calls N] [--scaled N] [--seed N] [--only NAME ...]``.

Run it from the root of a checkout. Hypothesis draws the calls; in each one argument is spoiled (see
`tests/hostile`). Then good calls are made in other units, at the ends of ranges and at nearly
singular covariances (`tests/hostile/scaling.py`). Printed is every kind of call that ended neither
with a result nor with an error of our own, or with a result that does not scale as it has to, and
the number of calls. It exits with 1 if there was one.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
import tempfile
import time
from collections import Counter
from contextlib import chdir, suppress

from tests.hostile.calls import inner, make_calls
from tests.hostile.judging import Outcome
from tests.hostile.scaling import scaled_calls

#: Calls of one block, which is one run of Hypothesis.
BLOCK = 500
#: Bytes that the process may ask for: a call that needs more is a fault, and not the machine's end.
MEMORY = 4 * 2**30


def main(arguments: list[str] | None = None) -> int:
    """Make the calls and print what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument(
        "--scaled", type=int, default=1000, help="calls in other units and at the ends of ranges"
    )
    parser.add_argument("--seed", type=int, default=0, help="another seed is another family of calls")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="some targets, by name")
    options = parser.parse_args(arguments)
    faults: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    began = time.perf_counter()
    with suppress(ImportError):  # on Windows there are no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.RLIM_INFINITY))

    def report(call: str, outcome: Outcome) -> None:
        faulthandler.dump_traceback_later(300, exit=True)
        ends["refused" if outcome.refused else "answered"] += 1
        if outcome.fault:
            key = f"{call.split(':')[0]}: {outcome.fault.split(': ')[0]}"
            faults[key] += 1
            if faults[key] == 1:
                print(f"FAULT: {call}: {outcome.fault}", flush=True)
        if sys.stderr.isatty():
            print(f"\r{ends.total()} calls, {faults.total()} faults", end="", file=sys.stderr)

    of_units = lambda fault: Outcome("" if fault == "refused" else fault, fault == "refused")
    with (
        tempfile.TemporaryDirectory() as around,
        chdir(inner(around)),
    ):  # "nan" is also the name of a checkpoint
        for block in range(-(-options.calls // BLOCK)):
            make_calls(
                min(BLOCK, options.calls - block * BLOCK), 1000 * options.seed + block, report, options.only
            )
    scaled_calls(
        0 if options.only else options.scaled, options.seed, lambda call, fault: report(call, of_units(fault))
    )
    faulthandler.cancel_dump_traceback_later()
    seconds = time.perf_counter() - began
    print(
        f"{ends.total()} calls in {seconds:.0f} s (seed {options.seed}): {dict(ends)}, "
        f"faults: {faults.total()}"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
