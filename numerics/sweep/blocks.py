"""The blocks into which a sweep is cut: each says everything that its numbers depend on, and is
stored under a digest of that.
"""

from __future__ import annotations

import hashlib
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.attention.sampled.sampler import PIECE, ErrorSampler, error_sampler
from numerics.attention.setting import AttentionSetting
from numerics.compiled.source_digest import digest_of_sources
from numerics.jobs.content import content_digest
from numerics.jobs.hexadecimal import from_hex
from numerics.sweep.laws import law_of

__all__ = ["Block", "LawError", "code_digest", "run_block", "split"]

Floats = NDArray[np.float64]
#: Tokens in a full block, which takes a fraction of a second to some seconds.
TOKENS = 2**25
#: The first block of a length is smaller than a full one by this factor, and sizes double from
#: there: then little is computed twice when more replicates are asked for later.
FIRST_BLOCK = 16


class LawError(ValueError):
    """A user's law that fails while it is drawn from."""


@dataclass(frozen=True)
class Block:
    """Replicates ``first, ..., first + count - 1`` of one run at one prompt length. It holds text
    and integers only, so that it can be sent to another machine.
    """

    #: Canonical JSON of the run: ``law`` (see `numerics.sweep.laws`), ``U``, ``V`` and ``query`` or
    #: ``query_cov`` with numbers as hexadecimal floats, ``method``, and ``seed``, that of the run's
    #: streams.
    content: str
    L: int
    #: ``first`` is a multiple of `numerics.attention.sampled.sampler.PIECE`.
    first: int
    count: int
    #: What `code_digest` was where the block was made.
    code: str

    @cached_property
    def run(self) -> str:
        """SHA-256 of the content: the key under which a store keeps that."""
        return hashlib.sha256(self.content.encode()).hexdigest()

    @cached_property
    def key(self) -> str:
        """SHA-256, 64 hexadecimal digits, of everything that determines the numbers."""
        return content_digest(self.about())

    def about(self) -> dict[str, Any]:
        """What a store says about the numbers; the content, which may be long, stands there once,
        under the key `run`.
        """
        return {"run": self.run, "L": self.L, "first": self.first, "count": self.count, "code": self.code}

    @property
    def tokens(self) -> int:
        """The number of tokens to draw, to which the time is roughly proportional."""
        return self.L * self.count


def run_block(block: Block) -> Floats:
    """The numbers of a block, (n, 3, 6), a function of the block alone: for each piece of
    `numerics.attention.sampled.sampler.PIECE` replicates (the last may be shorter) the sums of
    `ErrorSampler.sums`. A block that was made for other code is refused, and so are errors that are
    no finite numbers: nothing of that kind is stored.
    """
    # Pieces are joined at the very end, in their order: so the result does not depend on how they
    # were cut into blocks.
    if block.code != code_digest():
        raise RuntimeError(
            f"{socket.gethostname()} has other code than the block; install the same versions of "
            "largeprompt, NumPy, SciPy and Numba everywhere"
        )
    last = block.first + block.count
    try:
        sampler = _sampler(block.content)
        return np.stack(
            [
                sampler.sums(block.L, first, min(PIECE, last - first))
                for first in range(block.first, last, PIECE)
            ]
        )
    except (Exception, SystemExit) as error:
        law = json.loads(block.content)["law"]
        if law["kind"] != "python":
            raise
        what = " ".join(": ".join(filter(None, (type(error).__name__, str(error)))).split())[:300]
        raise LawError(
            f"your law {law['name']!r} failed at L = {block.L}: {what}; look at what it draws there"
        ) from error


@lru_cache(maxsize=64)
def _sampler(content: str) -> ErrorSampler:
    run = json.loads(content)
    query: Any = {name: from_hex(run[name]) for name in ("query", "query_cov") if name in run}
    setting = AttentionSetting(law_of(run["law"]), from_hex(run["U"]), from_hex(run["V"]), **query)
    return error_sampler(setting, method=run["method"], seed=run["seed"])


def split(L: int, replicates: int) -> Iterator[tuple[int, int]]:
    """Cut the replicates at one length into blocks (first, count); where the cuts are does not
    depend on their number.
    """
    most = max(1, TOKENS // (PIECE * L))
    most = 1 << (most.bit_length() - 1)  # sizes are powers of two, so that doubling ends exactly there
    first = 0
    while first < replicates:
        pieces = min(most, max(1, most // FIRST_BLOCK, first // PIECE))
        count = min(pieces * PIECE, replicates - first)
        yield first, count
        first += count


def code_digest() -> str:
    """The digest of all of our code from which the numbers of a block come, and of the packages
    that draw and compile them. It does not know the threads of the linear algebra behind NumPy,
    which the command ``sweep`` therefore gives one.
    """
    return digest_of_sources(__name__)
