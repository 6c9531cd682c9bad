"""What a reader's rule may do when it is compiled: read what it sees, answer with the right kind of number,
and stop when it is told to.

Three passes of numba's compiler see to it. What a rule sees has read-only types (`read_only`), so a write to
it is refused; some of numpy's functions write all the same, and `Answers` refuses those. It also refuses an
answer that numba would cut to a whole number. `Polls` lets every loop poll the stop flag.
"""

import re
from typing import Any

import numba
import numpy as np
from numba.core import compiler, ir, types
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.errors import TypingError
from numba.core.imputils import impl_ret_borrowed
from numba.core.typed_passes import NopythonTypeInference
from numba.core.untyped_passes import ReconstructSSA
from numba.extending import intrinsic

from schedlib.core.stopping import poll

WRITE = re.compile(
    r"setitem\(|sort\(readonly|fill\(readonly|shuffle\(readonly|read-only|writes to what"
)
IN_PLACE = (
    "'NoneType' object has no attribute 'args'"  # what numba says to `row /= 2` of a read-only row
)
WRITERS = {np.fill_diagonal, np.nditer, np.ascontiguousarray, np.dot}
"""Functions that numba lets write to a read-only array, or to what they make of one."""


def seen(dtype: Any, dimensions: int = 1, layout: str = "C") -> types.Array:
    """The type of an array that a rule sees and cannot write to.

    >>> seen(types.float64).mutable
    False
    """
    return types.Array(dtype, dimensions, layout, readonly=True)  # type: ignore[call-overload]


if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]

    def read_only(array: np.ndarray) -> np.ndarray:
        """The same array, which whoever gets it cannot write to."""
        view = array.view()
        view.flags.writeable = False
        return view
else:

    @intrinsic
    def read_only(typingctx, array):
        """The same array, which whoever gets it cannot write to."""

        def as_it_is(context, builder, signature, arguments):
            return impl_ret_borrowed(context, builder, signature.return_type, arguments[0])

        return array.copy(readonly=True)(array), as_it_is


@register_pass(mutates_CFG=False, analysis_only=False)
class Polls(FunctionPass):  # type: ignore[misc]
    """Every loop polls the stop flag each time it begins anew."""

    _name = "rule_polls"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Put a call of `poll` at the head of each loop."""
        blocks, made = state.func_ir.blocks, 0
        for header in {loop.header for loop in compute_cfg_from_blocks(blocks).loops().values()}:
            block, scope, loc = blocks[header], blocks[header].scope, blocks[header].loc
            function, result = (scope.redefine(f"$poll.{made + k}", loc) for k in range(2))
            made += 2
            for target, value in (
                (result, ir.Expr.call(function, (), (), loc)),
                (function, ir.Global("poll", poll, loc)),
            ):
                block.prepend(ir.Assign(value, target, loc))
                state.func_ir._definitions[target.name].append(value)
        return made > 0


@register_pass(mutates_CFG=False, analysis_only=True)
class Answers(FunctionPass):  # type: ignore[misc]
    """The answer is a number of the kind asked for, and nothing that is seen is written to."""

    _name = "rule_answers"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Raise TypingError when it is not so."""
        wanted = types.Number if isinstance(state.return_type, types.Float) else types.Integer
        for block in state.func_ir.blocks.values():
            for line in block.body:
                if isinstance(line, ir.SetItem | ir.StaticSetItem | ir.SetAttr):
                    self._not_read_only(state.typemap[line.target.name], line)
                value = getattr(line, "value", None)
                if isinstance(value, ir.Expr) and value.op == "call":
                    key = getattr(state.typemap[value.func.name], "typing_key", None)
                    for argument in value.args if key in WRITERS else ():
                        if key is not np.dot or len(value.args) > 2:
                            self._not_read_only(state.typemap[argument.name], line)
            if isinstance(block.terminator, ir.Return):
                given = state.func_ir.get_definition(block.terminator.value)
                kind = state.typemap[given.value.name]  # what is cast to the answer's type
                if not isinstance(kind, wanted) or isinstance(kind, types.Complex):
                    raise TypingError(
                        f"it returns {kind}, and the answer must be {state.return_type}; "
                        "nothing is cut or rounded"
                    )
        return False

    @staticmethod
    def _not_read_only(kind: Any, line: Any) -> None:
        array = getattr(kind, "array_type", kind)
        if isinstance(array, types.Record) or isinstance(array, types.Array) and not array.mutable:
            raise TypingError(f"line {line.loc.line} writes to what it is shown")


class Rules(compiler.CompilerBase):  # type: ignore[misc]
    """numba's compiler with these passes."""

    def define_pipelines(self) -> list:
        """The usual passes and ours."""
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(Polls, ReconstructSSA)
        passes.add_pass_after(Answers, NopythonTypeInference)
        passes.finalize()
        return [passes]


def refusal(error: Exception, notes: str) -> str:
    """The sentence on a write to what is read-only, and where to write instead; else empty.

    >>> refusal(TypingError("setitem(readonly array(float64, 1d, C), int64, int64)"), "stage.notes")
    'It writes to an array that it is shown, and these are read-only; keep your own numbers in stage.notes'
    """
    said = str(error)
    shown = "readonly array" in said or "what it is shown" in said
    if not (IN_PLACE in said or shown and WRITE.search(said)):
        return ""
    return (
        "It writes to an array that it is shown, and these are read-only; keep your own numbers in "
        f"{notes}"
    )
