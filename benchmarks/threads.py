"""Two threads against one, on the same problem, and whether the bits agree: `OMP_NUM_THREADS=1 python -m benchmarks.threads`."""

import numpy as np

from benchmarks._ratio import ratio
from benchmarks.attention import GAMMA, U, V, z
from numerics.estimate import attention_errors

if __name__ == "__main__":
    for method, replicates in (("tokens", 8192), ("scores", 65_536)):
        seen = {}

        def run(threads, method=method, replicates=replicates, seen=seen):
            seen[threads] = attention_errors(GAMMA, U, V, z, 1000, replicates=replicates, seed=1, threads=threads, method=method)

        result = ratio(lambda run=run: run(2), lambda run=run: run(1))
        same = all(np.array_equal(getattr(seen[1].output, f), getattr(seen[2].output, f)) for f in ("mean", "standard_error"))
        print(f"{method}: {result}, bits {'equal' if same else 'DIFFERENT'}")
