"""Training against PyTorch autograd on the same work, one thread each:
`OMP_NUM_THREADS=1 python -m benchmarks.training`.

A step of Appendix A.1: batch 128, d = 5, parameters O (its last row), V, K, Q, fresh prompts with
their labels, loss, gradient, update. PyTorch (the loop that most would write, float32) draws its
prompts with `torch.randn`. Numbers after the program's name select prompt lengths, words
attentions.
"""

import sys
import time
from functools import partial

import numpy as np

from benchmarks import _ratio, _torch
from numerics.compiled.streams import key_of
from numerics.training.kernels.loop import sgd_kernel
from numerics.training.parameters import initial_parameters, pack

d, NOISE, LR, BATCH = 5, 0.1, 1e-3, 128
#: Steps of the compiled loop and of PyTorch, by attention and length: some tens of milliseconds
#: each.
STEPS = {
    ("softmax", 10): (12_000, 80),
    ("softmax", 100): (3000, 30),
    ("softmax", 1000): (300, 4),
    ("linear", 10): (16_000, 80),
    ("linear", 100): (16_000, 30),
    ("linear", 1000): (16_000, 4),
    ("coupled", 10): (6000, 40),
    ("coupled", 100): (1500, 15),
    ("coupled", 1000): (150, 2),
}


def compiled(attention: str, L: int, steps: int) -> None:
    """That many steps from the start of seed 0, for which `numerics.train` would take the same."""
    theta, I = pack(initial_parameters(d, 0)), np.eye(d)
    if attention == "coupled":
        theta = np.stack([theta, theta])
    losses = np.empty((2, steps) if attention == "coupled" else steps)
    model = (I, I, d**-0.5, NOISE**0.5, 1.0, 1.0, BATCH, *key_of(0))
    stopped = sgd_kernel(attention)(theta, L, 0, steps, LR, *model, losses, np.empty((0,) * theta.ndim))
    assert stopped == -1


def in_turn(programs: list, steps: int) -> None:
    for program in programs:
        program(steps)


if __name__ == "__main__":
    words = sys.argv[1:]
    for (attention, L), (ours, theirs) in STEPS.items():
        lengths, names = [int(w) for w in words if w.isdigit()], [w for w in words if not w.isdigit()]
        if (lengths and L not in lengths) or (names and attention not in names):
            continue
        kinds = ("softmax", "linear") if attention == "coupled" else (attention,)
        programs = [_torch.training(kind, L, d=d, batch=BATCH, lr=LR, noise=NOISE) for kind in kinds]
        if None in programs:
            break
        run = _ratio.ratio(
            partial(compiled, attention, L, ours),
            partial(in_turn, programs, theirs),
            share=theirs / ours,
            clock=time.process_time,
        )
        against = "two runs of PyTorch" if attention == "coupled" else "PyTorch"
        print(f"{attention:8} L = {L:5d}: {against:20} {run} for {ours} steps", flush=True)
