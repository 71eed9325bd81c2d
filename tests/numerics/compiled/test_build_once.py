import threading
import time
from concurrent.futures import ThreadPoolExecutor

from numerics.compiled.build_once import once


def test_threads_that_ask_together_get_the_same_kernel():
    made: list[str] = []
    together = threading.Barrier(4)

    @once
    def make(kind: str) -> object:
        time.sleep(0.02)
        made.append(kind)
        return object()

    def ask(_: int) -> object:
        together.wait()
        return make("normal")

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(ask, range(4)))) == 1
    assert made == ["normal"]
    assert make("sign") is not make("normal")
