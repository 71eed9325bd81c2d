"""Adam on M = M_K'M_Q against PyTorch autograd on the same work, one thread each:
`OMP_NUM_THREADS=1 python -m benchmarks.attention_matrix`.

A step of Appendix J of Collins et al.: d = 5, a fresh affine task with n labelled tokens and
floor(sqrt n) queries, loss, gradient, Adam with a decaying learning rate. PyTorch computes in
float32, the compiled loop in float64. Numbers after the program's name select prompt lengths.
"""

import math
import sys
import time
from functools import partial

from benchmarks import _ratio, _torch
from numerics.attention.window.matrix_training import train_matrix

d, NOISE, LR = 5, 0.01, 0.1
#: Steps of the compiled loop and of PyTorch by length: some tens of milliseconds each.
STEPS = {20: (40_000, 100), 200: (5000, 60)}


if __name__ == "__main__":
    for n, (ours, theirs) in STEPS.items():
        if sys.argv[1:] and str(n) not in sys.argv[1:]:
            continue
        program = _torch.matrix_training(n, d=d, queries=math.isqrt(n), noise=NOISE, lr=LR)
        if program is None:
            break
        compiled = partial(train_matrix, "affine", d=d, n=n, sigma=NOISE, lr=LR, steps=ours, every=1000)
        run = _ratio.ratio(compiled, partial(program, theirs), share=theirs / ours, clock=time.process_time)
        print(f"n = {n:5d}: PyTorch {run} for {ours} steps", flush=True)
