"""Eight floats as one value of a compiled kernel, a SIMD vector: sum, difference, product and
quotient of two octets, or of an octet and a float, are octets.

Loops over a few classes or prompts are too short for the compiler to take eight turns at once, and
arrays of which it does not know that they lie apart keep it from trying. With octets the kernel
says what is done side by side; its sums have one order on every processor. Where a register holds
fewer than eight floats, an octet takes several.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core.errors import TypingError
from numba.extending import intrinsic, models, overload, register_model
from numpy.typing import NDArray

__all__ = [
    "WIDTH",
    "exp8",
    "larger",
    "least",
    "lined_up",
    "load",
    "rounded_product",
    "smaller",
    "splat",
    "store",
    "total",
]

WIDTH = 8
#: exp(x) = 2^n e^f as in `quadrature.moments_kernel.exp64`: the logarithm of 2 in two
#: parts, what leaves the nearest integer in the low bits of a sum, and the Taylor series of e^f.
LOG2E, LN2_HIGH, LN2_LOW, ROUND = (
    1 / math.log(2),
    6.93147180369123816490e-01,
    1.90821492927058770002e-10,
    1.5 * 2.0**52,
)
LOWEST, TAYLOR = -700.0, tuple(1 / math.factorial(n) for n in range(14))
FLOATS, BITS = (ir.VectorType(kind, WIDTH) for kind in (ir.DoubleType(), ir.IntType(64)))


class Octet(types.Type):
    """The type of eight floats."""

    def __init__(self) -> None:
        super().__init__(name="octet")


octet = Octet()


@register_model(Octet)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, FLOATS)


def _splat(builder: Any, x: Any) -> Any:
    one = builder.insert_element(ir.Constant(FLOATS, ir.Undefined), x, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH))


def _pairwise(generate: Callable[[Any, Any, Any], Any]) -> Any:
    """A function of two octets, of which one may be a float, from what it appends to a builder."""

    @intrinsic
    def combine(typingctx, a, b):  # type: ignore[no-untyped-def]
        def generated(context, builder, signature, given):  # type: ignore[no-untyped-def]
            wide = [x if kind == octet else _splat(builder, x) for x, kind in zip(given, signature.args)]
            return generate(builder, *wide)

        return octet(*(x if x == octet else types.float64 for x in (a, b))), generated

    return combine


def _define(name: Any, instruction: str) -> None:
    combine = _pairwise(lambda builder, a, b: getattr(builder, instruction)(a, b, flags=("contract",)))

    @overload(name)
    def operation(a, b):  # type: ignore[no-untyped-def]
        return (lambda a, b: combine(a, b)) if octet in (a, b) else None


for _name, _in_place, _instruction in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    _define(_name, _instruction)
    _define(_in_place, _instruction)


def _chosen(sign: str, builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_unordered(sign, a, b), a, b)


@_pairwise
def _times_power(builder: Any, p: Any, y: Any) -> Any:
    """p 2^n, where n stands in the low bits of y."""
    n = builder.shl(builder.bitcast(y, BITS), ir.Constant(BITS, [52] * WIDTH))
    return builder.bitcast(builder.add(builder.bitcast(p, BITS), n), FLOATS)


@intrinsic
def splat(typingctx, x):  # type: ignore[no-untyped-def]
    """Eight times the same float."""
    return octet(types.float64), lambda context, builder, signature, given: _splat(builder, given[0])


def _rows(array: Any) -> Any:
    """The type of an array, if it is C-contiguous."""
    if array.layout != "C":
        raise TypingError(
            f"an octet lies in a C-contiguous array, and not in {array}; pass numpy.ascontiguousarray of it"
        )
    return array


def _place(context: Any, builder: Any, kind: Any, array: Any, i: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [i]), FLOATS.as_pointer())


@intrinsic
def load(typingctx, array, i):  # type: ignore[no-untyped-def]
    """The floats from number i on of a C-contiguous array; nothing is checked."""

    def generated(context, builder, signature, given):  # type: ignore[no-untyped-def]
        return builder.load(_place(context, builder, signature.args[0], *given), align=8)

    return octet(_rows(array), types.int64), generated


@intrinsic
def store(typingctx, array, i, x):  # type: ignore[no-untyped-def]
    """Write an octet where `load` reads it."""

    def generated(context, builder, signature, given):  # type: ignore[no-untyped-def]
        builder.store(given[2], _place(context, builder, signature.args[0], *given[:2]), align=8)
        return context.get_dummy_value()

    return types.none(_rows(array), types.int64, octet), generated


def _reduced(generate: Callable[[Any, Any, Any], Any]) -> Any:
    """A float from an octet: halves are combined until one float is left."""

    @intrinsic
    def reduce(typingctx, x):  # type: ignore[no-untyped-def]
        def generated(context, builder, signature, given):  # type: ignore[no-untyped-def]
            x, n = given[0], WIDTH
            while n > 1:
                n //= 2
                low, high = (
                    ir.Constant(ir.VectorType(ir.IntType(32), n), list(range(i, i + n))) for i in (0, n)
                )
                x = generate(builder, builder.shuffle_vector(x, x, low), builder.shuffle_vector(x, x, high))
            return builder.extract_element(x, ir.Constant(ir.IntType(32), 0))

        return types.float64(octet), generated

    return reduce


#: The product by itself: a sum with it rounds twice, as floats do.
rounded_product = _pairwise(lambda builder, a, b: builder.fmul(a, b))
larger, smaller = (_pairwise(partial(_chosen, sign)) for sign in (">", "<"))
least, total = _reduced(partial(_chosen, "<")), _reduced(lambda builder, a, b: builder.fadd(a, b))


@njit(forceinline=True)
def exp8(x):  # type: ignore[no-untyped-def]
    """exp of each float, at most 700; below -700 it is exp(-700)."""
    inside = larger(x, LOWEST)
    y = inside * LOG2E + ROUND
    n = y - ROUND
    f = (inside - n * LN2_HIGH) - n * LN2_LOW
    p = TAYLOR[13] * f + TAYLOR[12]
    for i in range(11, -1, -1):
        p = p * f + TAYLOR[i]
    return _times_power(p, y)


def lined_up(x: NDArray[Any]) -> NDArray[Any]:
    """A C-contiguous copy in which no octet reaches from one line of the cache into the next."""
    room = np.empty(x.nbytes + WIDTH * 8, np.uint8)
    start = -room.ctypes.data % (WIDTH * 8)
    copy = room[start : start + x.nbytes].view(x.dtype).reshape(x.shape)
    copy[...] = x
    return copy
