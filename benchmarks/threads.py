"""Two threads against one, on the same problem, and whether the bits agree:
`OMP_NUM_THREADS=1 python -m benchmarks.threads`.

Wall time. Two threads are no faster than the processors they are given: how many that were is
printed beside the ratio, as CPU time over wall time; only where it is near 2 does the ratio say
anything about the program.
"""

import statistics
import time

import numpy as np

from benchmarks._ratio import ratio
from benchmarks.attention import GAMMA, U, V, z
from numerics.attention.sampled.estimate import attention_errors

if __name__ == "__main__":
    for method, replicates in (("tokens", 32_768), ("scores", 262_144)):
        seen, given = {}, []

        def run(threads, method=method, replicates=replicates, seen=seen, given=given):
            wall, cpu = time.perf_counter(), time.process_time()
            seen[threads] = attention_errors(
                GAMMA, U, V, z, 1000, replicates=replicates, seed=1, threads=threads, method=method
            )
            if threads == 2:
                given.append((time.process_time() - cpu) / (time.perf_counter() - wall))

        result = ratio(lambda run=run: run(2), lambda run=run: run(1))
        same = all(
            np.array_equal(getattr(seen[1].output, f), getattr(seen[2].output, f))
            for f in ("mean", "standard_error")
        )
        processors = f"{statistics.median(given[1:]):.2f} processors"  # the first run compiles
        print(f"{method}: {result} on {processors}, bits {'equal' if same else 'DIFFERENT'}")
