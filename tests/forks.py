"""Child processes that are killed or work apart, for tests and ``python -m benchmarks.kills``."""

from __future__ import annotations

import os
import pickle
import signal
import time
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def child(work: Callable[[], Any]) -> int:
    """Fork a child that does some work and ends, and return its number."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return pid


def ended(pid: int, kill_after: float | None = None) -> int:
    """How a child ended: 0, its status, or minus the signal. It is killed after so many seconds."""
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def apart(work: Callable[[], T]) -> T:
    """What some work returns in a child: whatever it changes here stays as it is."""
    read, write = os.pipe()

    def told() -> None:
        try:
            answer: tuple[bool, Any] = True, work()
        except BaseException:
            answer = False, traceback.format_exc()
        with os.fdopen(write, "wb") as file:
            pickle.dump(answer, file)

    pid = child(told)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        told_here = file.read()
    assert ended(pid) == 0
    fine, answer = pickle.loads(told_here)
    assert fine, answer
    found: T = answer
    return found
