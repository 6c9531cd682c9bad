"""A hint to the processor: a row of an array is wanted soon. It changes no result."""

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

NUMBER = ir.IntType(32)
PLACE = ir.IntType(8).as_pointer()


@intrinsic
def _ask(typing_context, array, row):
    def emit(context, builder, signature, arguments):
        given = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = builder.extract_value(given.strides, 0)
        begin = builder.bitcast(given.data, PLACE)
        place = builder.gep(begin, [builder.mul(arguments[1], stride)])
        kind = ir.FunctionType(ir.VoidType(), [PLACE, NUMBER, NUMBER, NUMBER])
        ask = builder.module.declare_intrinsic("llvm.prefetch", (PLACE,), kind)
        to_read, every_cache, data = NUMBER(0), NUMBER(3), NUMBER(1)
        builder.call(ask, [place, to_read, every_cache, data])
        return context.get_dummy_value()

    return types.void(array, types.int64), emit


def _nothing(array, row):
    """In plain Python there is nothing to hint at."""


prefetch = _nothing if numba.config.DISABLE_JIT else _ask  # type: ignore[attr-defined]
"""`prefetch(array, row)`, in kernels; the row may lie anywhere, even outside the array."""
