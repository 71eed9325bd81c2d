"""What determines the numbers of a block, and its key."""

import pickle
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from numerics.attention.sampled.sampler import PIECE
from numerics.compiled.source_digest import ROOT, imports_of
from numerics.jobs.content import canonical
from numerics.jobs.hexadecimal import as_hex
from numerics.sweep import blocks
from numerics.sweep.blocks import Block, code_digest, run_block, split
from numerics.sweep.laws import describe_gaussian, describe_law, describe_own
from numerics.token_laws import sphere

CONTENT: dict[str, Any] = {
    "law": describe_gaussian(np.eye(2)),
    "U": as_hex(0.1 * np.eye(2)),
    "V": as_hex([[1, 2]]),
    "query": as_hex([1, 0]),
    "method": "tokens",
    "seed": 3,
}

OWN = """
import numpy as np
from numerics import TokenLaw
draw = lambda rng, n: 1.0 - 2.0 * rng.integers(2, size=(n, 2))
signs = TokenLaw("signs", 2, 1.0, draw, lambda a: np.log(np.cosh(a)).sum(axis=-1))
"""


def block(first: int = 0, count: int = PIECE, L: int = 5, **change: Any) -> Block:
    return Block(canonical(CONTENT | change), L, first, count, code_digest())


def test_the_key_is_that_of_the_content():
    assert Block(canonical(dict(reversed(CONTENT.items()))), 5, 0, PIECE, code_digest()).key == block().key
    assert len(block().key) == 64
    assert int(block().key, 16) >= 0


def test_every_change_is_another_key():
    bit = np.nextafter(1.0, 2.0)
    averaged = {("query_cov" if k == "query" else k): v for k, v in CONTENT.items()}
    changed = [
        block(),
        block(law=describe_gaussian(np.diag([1, bit]))),
        block(law=describe_gaussian(0.1 * np.eye(2))),
        block(U=as_hex(0.1 * bit * np.eye(2))),
        block(V=as_hex([[1, 2 * bit]])),
        block(query=as_hex([1, 1e-300])),
        block(method="scores"),
        block(seed=4),
        block(L=6),
        block(first=PIECE),
        block(count=PIECE - 1),
        replace(block(), code="0" * 64),
        Block(canonical(averaged), 5, 0, PIECE, code_digest()),
    ]
    assert len({b.key for b in changed}) == len(changed)


def test_a_block_arrives_as_it_was_sent():
    sent = block()
    arrived = pickle.loads(pickle.dumps(sent))
    assert (arrived, arrived.key) == (sent, sent.key)


def test_numbers_are_a_function_of_the_block_and_of_each_piece():
    whole = run_block(block(count=2 * PIECE + 100))
    assert (whole.shape, whole[:, 0, 0].tolist()) == ((3, 3, 6), [PIECE, PIECE, 100])
    blocks._sampler.cache_clear()
    pieces = (2 * PIECE, 100), (0, PIECE), (PIECE, PIECE)
    last, *others = [run_block(block(first, count)) for first, count in pieces]
    assert np.concatenate([*others, last]).tobytes() == whole.tobytes()
    assert run_block(block(count=2 * PIECE + 100, seed=4)).tobytes() != whole.tobytes()


def test_what_is_no_number_is_an_error():
    wild = OWN.replace("size=(n, 2))", "size=(n, 2)) * (1.0 if n < 10 else 1e200)")
    with pytest.raises(ValueError, match="not finite"):
        run_block(block(law=describe_own(wild, "signs"), method="tokens"))


def test_other_code_refuses():
    says = "has other code than the block; install the same versions of largeprompt, NumPy"
    with pytest.raises(RuntimeError, match=says):
        run_block(replace(block(), code="0" * 64))


def test_the_digest_covers_every_module_that_a_block_loads():
    laws = [{"law": describe_law(sphere(2))}, {"law": describe_own(OWN, "signs")}]
    texts = [canonical(CONTENT | change) for change in ({}, *laws, {"method": "scores"})]
    # Without running them, as kernels take long to compile: making a sampler loads what it needs.
    program = (
        "import sys\nfrom numerics.sweep.blocks import _sampler\n"
        f"for content in {texts!r}:\n    _sampler(content)\n"
        "print(*(name for name in sys.modules if name.split('.')[0] in ('numerics', 'theory')))"
    )
    loaded = set(subprocess.check_output([sys.executable, "-c", program], text=True, cwd=ROOT).split())
    packages = {name for name in loaded if ROOT.joinpath(*name.split(".")).is_dir()}
    assert "numerics.compiled.streams" in loaded
    computing = loaded - packages - {"numerics.neighbours"}  # which refuses a theory of somebody else
    assert computing <= imports_of("numerics.sweep.blocks")


@pytest.mark.parametrize("L", [1, 10, 1000, 10**6, 2**31 - 1])
@pytest.mark.parametrize("replicates", [100, 1024, 1025, 40_000, 300_000])
def test_cuts(L, replicates):
    cut = list(split(L, replicates))
    assert [first for first, _ in cut] == [sum(count for _, count in cut[:i]) for i in range(len(cut))]
    assert sum(count for _, count in cut) == replicates
    assert all(first % PIECE == 0 for first, _ in cut)
    assert all(count == PIECE or L * count <= blocks.TOKENS for _, count in cut[:-1])


@pytest.mark.parametrize("L", [10, 1000, 30_000, 10**6])
def test_more_replicates_repeat_little(L):
    for fewer in (1000, 40_000, 65_536, 10**6):
        before, after = set(split(L, fewer)), set(split(L, 10 * fewer))
        assert sum(L * count for _, count in before - after) <= max(blocks.TOKENS, PIECE * L)
        if L * PIECE >= blocks.TOKENS:
            assert {b for b in before if b[1] == PIECE} <= after
