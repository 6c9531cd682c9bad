"""A hint to the processor: this row of an array is wanted soon. It changes no result."""

import numba
from numba.core import types
from numba.core.cgutils import int32_t, ir, voidptr_t
from numba.extending import intrinsic


@intrinsic
def _ask(_context, array, row):
    def emit(context, builder, signature, arguments):
        given = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = builder.extract_value(given.strides, 0)
        place = builder.gep(
            builder.bitcast(given.data, voidptr_t), [builder.mul(arguments[1], stride)]
        )
        kind = ir.FunctionType(ir.VoidType(), [voidptr_t, int32_t, int32_t, int32_t])
        ask = builder.module.declare_intrinsic("llvm.prefetch", (voidptr_t,), kind)
        reading, every_cache, data = int32_t(0), int32_t(3), int32_t(1)
        builder.call(ask, [place, reading, every_cache, data])
        return context.get_dummy_value()

    return types.void(array, types.int64), emit


def _nothing(array, row):
    pass


prefetch = _nothing if numba.config.DISABLE_JIT else _ask  # type: ignore[attr-defined]
"""`prefetch(array, row)`, in kernels; the row may lie anywhere, even outside the array."""
