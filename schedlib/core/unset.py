"""Local variables that a reader's function may read before it sets them.

Python raises UnboundLocalError there. Machine code goes on with whatever lies in the variable's place, so a rule
such as `if cluster.free[m, 0] > 0: best = m` with `return best` behind it would choose machine 0 or 1.
"""

import dis
import re
from collections.abc import Iterator
from types import CodeType

JUMPS = {*dis.hasjrel, *dis.hasjabs}
"""The instructions that may go on elsewhere."""
GOES_ELSEWHERE = re.compile(r"RETURN|RAISE|RERAISE|JUMP_(FORWARD|BACKWARD|NO_INTERRUPT)")
"""The names of instructions that never go on with the next one."""


def may_be_unset(code: CodeType) -> tuple[str, int | None] | None:
    """A variable and the first line that may read it before it is set; None when each is set first.

    All paths are followed but those that begin with an exception.

    >>> def best(scores):
    ...     for machine in range(len(scores)):
    ...         if scores[machine] > 0:
    ...             chosen = machine
    ...     return chosen
    >>> may_be_unset(best.__code__)
    ('chosen', 5)
    """
    steps = list(dis.get_instructions(code))
    line_of = [step.positions.lineno if step.positions else None for step in steps]
    place_of = {step.offset: place for place, step in enumerate(steps)}
    own = frozenset(code.co_varnames[code.co_argcount + code.co_kwonlyargcount :])
    unset = {0: own}  # by the place of a step: what may be unset before it
    waiting = [0]
    while waiting:
        place = waiting.pop()
        step = steps[place]
        after = unset[place]
        for verb, name in _accesses(step):
            if verb == "STORE":
                after -= {name}
            elif verb == "DELETE":
                after |= {name}
        targets = [place_of[step.argval]] if step.opcode in JUMPS else []
        if not GOES_ELSEWHERE.match(step.opname):
            targets.append(place + 1)
        for target in targets:
            before = unset.get(target, frozenset())
            if target not in unset or not after <= before:
                unset[target] = before | after
                waiting.append(target)
    for place in sorted(unset):
        for verb, name in _accesses(steps[place]):
            if verb == "LOAD" and name in unset[place]:
                return name, line_of[place]
            unset[place] -= {name}
    return None


def _accesses(step: dis.Instruction) -> Iterator[tuple[str, str]]:
    """The local variables that an instruction loads, stores or deletes, in order, each with the verb: some versions
    of Python join two in one. Saving a variable before a comprehension is not a load."""
    verbs = re.findall("(LOAD|STORE|DELETE)_FAST(?!_AND_CLEAR)", step.opname)
    names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
    return zip(verbs, names, strict=False)
