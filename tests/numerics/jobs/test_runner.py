"""What the runner of jobs does beyond what sweeps and figures show of it."""

import threading

import numpy as np
import pytest

from numerics.jobs.job import Attempt, Job, Progress
from numerics.jobs.runner import perform, thread_count
from numerics.jobs.store import Store


def test_after_an_error_what_runs_is_brought_to_its_end_and_counted():
    failed = threading.Event()

    def fails(attempt: Attempt) -> np.ndarray:
        failed.set()
        raise ArithmeticError("no number")

    def outlasts(attempt: Attempt) -> np.ndarray:
        assert failed.wait(60)
        return np.ones(1)

    jobs = [Job("long", {"n": 1}, 9.0, outlasts), Job("wrong", {"n": 2}, 8.0, fails)]
    jobs.append(Job("later", {"n": 3}, 1.0, outlasts))
    with Store() as store:
        with pytest.raises(ArithmeticError, match="no number") as caught:
            perform(jobs, store, threads=2)
        stored = store.get(job.key for job in jobs)
    assert jobs[0].key in stored
    assert jobs[1].key not in stored
    assert caught.value.__notes__ == [f"{len(stored)} of 3 jobs are stored; the same command goes on"]


def test_a_short_job_that_a_long_one_waits_for_comes_first():
    begun: list[str] = []

    def job(name: str, work: float, needs: Job | None = None) -> Job:
        def compute(attempt: Attempt) -> np.ndarray:
            begun.append(name)
            return np.zeros(1)

        return Job(name, {"name": name}, work, compute, needs=needs)

    short = job("short", 0.1)
    with Store() as store:
        perform([job("middle", 5), short, job("long", 9, short), job("end", 1, job("late", 3.5))], store)
    assert begun == ["short", "long", "middle", "late", "end"]


def test_what_a_job_needs_comes_before_it_and_what_follows_after_it():
    first = Job("first", {"n": 1}, 1.0, lambda attempt: np.array([2.0]))

    def double(attempt: Attempt) -> np.ndarray:
        return 2 * attempt.needed

    second = Job("second", {"n": 2}, 9.0, double, needs=first)
    third = Job("third", {"n": 3}, 9.0, double, needs=second)
    states: list[Progress] = []
    with Store() as store:
        follow = lambda job, _: [third] * (job is second)
        found = perform([second], store, threads=2, progress=states.append, follow=follow)
    assert [found[job.key].tolist() for job in (first, second, third)] == [[2.0], [4.0], [8.0]]
    assert [state.total for state in (states[0], states[-1])] == [2, 3]
    assert (states[-1].done, states[-1].computed, states[-1].share) == (3, 3, 1.0)


@pytest.mark.parametrize(
    ("threads", "error"), [(0, ValueError), (1025, ValueError), (2.0, TypeError), (True, TypeError)]
)
def test_numbers_of_threads(threads, error):
    with pytest.raises(error, match=r"--threads = .*; leave it out for one per processor"):
        thread_count(threads, "--threads")
