"""Child processes that are killed, for tests and for ``python -m benchmarks.kills``."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Any


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
