"""What is stored is not computed again, and numbers do not depend on how they came."""

from typing import Any

import pytest

from numerics.attention.sampled.estimate import attention_errors
from numerics.jobs.content import canonical
from numerics.jobs.job import Interrupted, Progress
from numerics.jobs.store import Store
from numerics.sweep import blocks, run
from numerics.sweep.blocks import Block, run_block
from numerics.sweep.grid import Grid, read_grid
from numerics.sweep.run import stored_digest, sweep
from tests.numerics.jobs.stores import folder_in_memory
from tests.numerics.sweep.grids import bits, two, write


@pytest.fixture
def tmp_path():
    """Several hundred blocks are stored here, and each would wait for the disk."""
    with folder_in_memory() as folder:
        yield folder


@pytest.fixture
def small_blocks(monkeypatch):
    """Several blocks for each length of a small grid."""
    monkeypatch.setattr(blocks, "TOKENS", 1)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results.sqlite") as opened:
        yield opened


def swept(grid: Grid, store: Store, **options: Any) -> tuple[list[bytes], Progress]:
    """Every bit of the results, and how far the sweep said it was at its end."""
    states: list[Progress] = []
    results = sweep(grid, store, progress=states.append, **options)
    assert states[0].done == states[0].reused
    assert sorted({state.done for state in states}) == list(range(states[0].done, states[-1].total + 1))
    assert (states[-1].share, states[-1].seconds_left) == (1.0, 0.0)
    return [bits(errors) for _, errors in results], states[-1]


@pytest.mark.usefixtures("small_blocks")
def test_each_run_is_attention_errors_with_its_seed(tmp_path, store):
    grid = two(tmp_path)
    results = sweep(grid, store, threads=1)
    names = [f"U x {scale}, {query}" for scale in (0.2, 0.5) for query in ("fixed", "averaged")]
    assert [setting.name for setting, _ in results] == names
    for r, (setting, errors) in zip(grid.runs, results):
        alone = attention_errors(setting, lengths=[3, 20], replicates=2500, seed=r.seed, threads=1)
        assert bits(errors) == bits(alone)
        assert (errors.seed, errors.replicates, errors.method) == (r.seed, 2500, alone.method)
        assert errors.lengths.tolist() == [3, 20]
    assert len({r.seed for r in grid.runs}) == 4


@pytest.mark.usefixtures("small_blocks")
def test_the_second_sweep_computes_nothing(tmp_path, store, monkeypatch):
    grid = two(tmp_path)
    first, done = swept(grid, store)
    assert (done.reused, done.computed, done.total) == (0, 24, 24)
    monkeypatch.setattr(run, "run_block", lambda block: pytest.fail("computed again"))
    again, done = swept(grid, store)
    assert (done.reused, done.computed, done.total) == (24, 0, 24)
    assert again == first


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("wider", "reused", "total"),
    [
        ({"lengths": "[3, 7, 20]"}, 16, 24),  # another length
        ({"replicates": 4000}, 16, 32),  # of three blocks a length the last, of 452, is computed again
        ({"scales": "[0.2, 0.5, 1.0]"}, 16, 24),  # another run
    ],
)
def test_a_wider_spec_reuses(wider, reused, total, tmp_path, store):
    narrow = {"scales": "[0.2, 0.5]", "replicates": 2048}
    swept(two(tmp_path, **narrow), store)
    together, done = swept(two(tmp_path, **(narrow | wider)), store)
    assert (done.reused, done.total) == (reused, total)
    with Store(tmp_path / "other.sqlite") as other:
        assert swept(two(tmp_path, **(narrow | wider)), other)[0] == together


def test_numbers_do_not_depend_on_threads_cuts_or_other_runs(tmp_path, store, monkeypatch):
    grid = two(tmp_path)
    expected, _ = swept(grid, store, threads=1)
    digest = stored_digest(grid, store)
    for name, threads in (("two", 2), ("three", 3)):
        with Store(tmp_path / name) as other:
            assert swept(grid, other, threads=threads)[0] == expected
            assert stored_digest(grid, other) == digest
    monkeypatch.setattr(blocks, "TOKENS", 1)
    with Store(tmp_path / "small") as other:
        found, done = swept(grid, other, threads=2)
        assert (found, done.total) == (expected, 24)
    with Store(tmp_path / "alone") as other:
        assert swept(two(tmp_path, scales="[0.5]", lengths="[20, 3]"), other)[0] == expected[2:]


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("threads", [1, 2])
def test_what_another_sweep_has_stored_in_the_meantime_is_not_computed(threads, tmp_path, store, monkeypatch):
    grid, here = two(tmp_path), list[str]()
    computed = {b.key: (b, run_block(b)) for r in grid.runs for L in grid.lengths for b in grid.blocks(r, L)}

    def noted(block: Block) -> Any:
        if not here:  # all but a few, behind the back of this sweep
            for key, (other, sums) in list(computed.items())[::2]:
                store.put(key, sums, other.about())
        here.append(block.key)
        return run_block(block)

    monkeypatch.setattr(run, "run_block", noted)
    found, done = swept(grid, store, threads=threads)
    assert (done.done, done.computed) == (24, len(here))
    assert 12 <= len(here) <= 12 + 2 * threads  # those that were begun or about to be
    monkeypatch.undo()
    monkeypatch.setattr(blocks, "TOKENS", 1)
    with Store(tmp_path / "other") as other:
        assert swept(grid, other)[0] == found


class Stops:
    """`run_block`, until it has run a few times."""

    def __init__(self, after: int, error: type[BaseException]) -> None:
        self.after, self.error, self.ran = after, error, set[str]()

    def __call__(self, block: Block) -> Any:
        if len(self.ran) == self.after:
            raise self.error("stop")
        self.ran.add(block.key)
        return run_block(block)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("error", [KeyboardInterrupt, ArithmeticError])
@pytest.mark.parametrize("after", [0, 1, 11, 23])
def test_a_sweep_that_was_stopped_goes_on(after, error, tmp_path, store, monkeypatch):
    grid = two(tmp_path)
    stops = Stops(after, error)
    with monkeypatch.context() as patch:
        patch.setattr(run, "run_block", stops)
        with pytest.raises(error) as stop:
            sweep(grid, store, threads=1)
    if error is KeyboardInterrupt:
        assert isinstance(stop.value, Interrupted)
        assert str(stop.value) == f"interrupted; {after} of 24 jobs are stored; the same command goes on"
    stored = set(store.get(b.key for r in grid.runs for L in grid.lengths for b in grid.blocks(r, L)))
    assert stored == stops.ran
    resumed, done = swept(grid, store, threads=1)
    assert (done.reused, done.computed) == (after, 24 - after)
    with Store(tmp_path / "uninterrupted") as other:
        assert swept(grid, other)[0] == resumed


@pytest.mark.usefixtures("small_blocks")
def test_an_interrupt_right_after_a_block_was_stored_counts_it(tmp_path):
    class Late(Store):
        blocks = 0

        def put(self, key: str, array: Any, about: Any) -> None:
            super().put(key, array, about)
            self.blocks += bool(array.size)  # an empty one says what a run is
            if self.blocks == 3:
                raise KeyboardInterrupt

    says = r"^interrupted; 3 of 24 jobs are stored;"
    with Late(tmp_path / "late.sqlite") as late, pytest.raises(Interrupted, match=says):
        sweep(two(tmp_path), late, threads=1)


@pytest.mark.usefixtures("small_blocks")
def test_the_store_says_enough_to_compute_every_number_again(tmp_path, store):
    grid = two(tmp_path, lengths="[4]")
    swept(grid, store)
    for key in [block.key for r in grid.runs for block in grid.blocks(r, 4)]:
        about = store.about(key)["content"]
        again = Block(canonical(store.about(about.pop("run"))["content"]), **about)
        assert (again.key, run_block(again).tobytes()) == (key, store.get([key])[key].tobytes())


def test_one_block_for_two_names(tmp_path, store):
    grid = two(tmp_path, scales="[0.5]\n[[U]]\nidentity = 2\nscale = 0.5")
    found, done = swept(grid, store)
    assert done.total == 4
    assert found[:2] == found[2:]
    assert len({r.setting.name for r in grid.runs}) == 4


LAWS = """
replicates = 1500
lengths = [6]
[[tokens]]
name = "signs"
law = "rademacher"
d = 2
image = [[1, 0], [0.5, 0.5]]
[[tokens]]
name = "atoms"
law = "atoms"
points = [[2, 0], [-1, 0], [0, 1], [0, -1]]
weights = [0.2, 0.4, 0.2, 0.2]
[[tokens]]
name = "ball"
law = "ball"
d = 2
[[tokens]]
name = "own"
python = "my_law.py:triangle"
[[U]]
identity = 2
[[V]]
identity = 2
[[query]]
vector = [0.4, -0.3]
"""
TRIANGLE = """
import numpy as np
from numerics import TokenLaw

corners = np.sqrt(2) * np.array([[1, 0], [-0.5, 0.75**0.5], [-0.5, -(0.75**0.5)]])

def triangle():
    draw = lambda rng, n: corners[rng.integers(3, size=n)]
    return TokenLaw("triangle", 2, 1.05, draw, lambda a: np.log(np.exp(a @ corners.T).mean(axis=-1)))
"""


def test_other_laws_and_ones_own(tmp_path, store):
    (tmp_path / "my_law.py").write_text(TRIANGLE, encoding="utf-8")
    grid = read_grid(write(tmp_path, LAWS))
    results = sweep(grid, store, threads=2)
    (tmp_path / "my_law.py").write_text("a block carries its text, so the file may change meanwhile")
    blocks._sampler.cache_clear()
    for one, (setting, errors) in zip(grid.runs, results):
        alone = attention_errors(setting, lengths=6, replicates=1500, seed=one.seed, threads=1)
        assert bits(errors) == bits(alone), setting.name
        for block in grid.blocks(one, 6):
            assert run_block(block).tobytes() == store.get([block.key])[block.key].tobytes()
    assert [setting.name for setting, _ in results] == ["signs", "atoms", "ball", "own"]


def test_bad_threads_before_anything(tmp_path, store):
    with pytest.raises(ValueError, match="threads = 0"):
        sweep(two(tmp_path), store, threads=0)
    assert len(store) == 0
