"""A program: training in children killed at random moments, until one comes to the end."""

import os
import random
import signal
import sys
import time
from pathlib import Path

import numerics.training.run as run
from numerics.training.full_tokens import full_token_kernel
from tests.numerics.training.runs import same

ARGUMENTS = dict(d=2, batch=4, lr=0.05, steps=200, seed=3, every=7)


def one_life(file: Path, attention: str, seconds: float) -> None:
    """Train, and die without a word after that time."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    clock = lambda done, total: signal.setitimer(signal.ITIMER_REAL, seconds if done < total else 0)
    run.train(attention, 3, checkpoint=file, progress=clock, **ARGUMENTS)
    os._exit(0)


def main(file: Path, attention: str) -> None:
    # A checkpoint after every step.
    run.CHECKPOINT_PAUSE, run.WORK_PER_CHECKPOINT, run.SHORT_CALL, run.PROGRESS_PAUSE = 0.0, 0, 0.0, 1e9
    run.sgd_kernel = full_token_kernel
    os.fsync = lambda number: None  # a process that dies does not take along what the system has yet to write
    whole = run.train(attention, 3, **ARGUMENTS)
    began = time.monotonic()  # after a first run, which imports and warms up
    run.train(attention, 3, checkpoint=file.with_name("whole.npz"), **ARGUMENTS)
    work = time.monotonic() - began
    moments = random.Random(attention)
    for _ in range(6):
        deaths, survived = 0, False
        while not survived:
            seconds = moments.uniform(0.01, 0.1) * work  # some ten lives, on a machine of any speed
            if (child := os.fork()) == 0:
                one_life(file, attention, seconds)
            survived = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            deaths += not survived
            work *= 1.1  # other work may hold us up: lives grow until they get somewhere
        if deaths >= 3:
            break
        file.unlink()  # other work held the machine up while it was timed: once more, with shorter lives
        work /= 10
    assert same(whole, run.train(attention, 3, checkpoint=file, **ARGUMENTS))
    print(deaths)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
