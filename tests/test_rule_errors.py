"""An error in a rule is reported with its name, its line and a way out, in all four simulators."""

import traceback

import numba
import numpy as np
import pytest

from cases import CASES
from refusals import refuses
from schedlib import eagle, hmhs, lotes, mch
from schedlib.core.functions import flaw
from schedlib.eagle import systems
from schedlib.hmhs import list_scheduling, serving
from schedlib.lotes.policies import own
from schedlib.mch import choice
from schedlib.workload import Workload

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="needs the compiler")
MACHINE = lotes.MachineConfigs([[1.0]], [1])
JOBS = Workload.from_arrays([0, 1], [5, 5], cpu=[1, 1])
GOOGLE = {"short_partition": eagle.PARTITION["google"], "cutoff": eagle.CUTOFF["google"]}
SIMULATORS = {
    "cluster, job": lambda rule: lotes.simulate(lotes.Policy(rule), MACHINE, JOBS),
    "stage, machine, now": lambda rule: hmhs.schedule(
        hmhs.single(3, seed=0), hmhs.Policy(map_rule=rule)
    ),
    "leaf, usage, demand, weight, capacity": lambda rule: mch.allocate(
        mch.Tree([(1, 0), (0, 1)]), [9, 9], mch.rule(rule), divisible=False
    ),
    "cluster, job, probe, rng": lambda rule: eagle.simulate(
        eagle.google(jobs=50, scale=0.1), eagle.System("mine", short_jobs=rule), 150, **GOOGLE
    ),
}
SLIPS = CASES["rule_errors"]["slips"]


GENERATOR = np.random.default_rng(0)
TABLE = {0: 0}


class Table:
    first = 0


def helper(number):
    return number


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("takes", SIMULATORS)
def test_a_slip_is_said_with_its_line_and_a_way_out(takes, slip):
    text = f"def slips({takes}):\n    {slip}".replace("FIRST", takes.split(", ")[0])
    names = {"helper": helper, "GENERATOR": GENERATOR, "TABLE": TABLE, "Table": Table}
    exec(compile(text, "slips.py", "exec"), names)
    with pytest.raises(ValueError, match=f"slips: .*{SLIPS[slip]}") as raised:
        SIMULATORS[takes](names["slips"])
    assert len(str(raised.value)) < 750
    shown = "".join(traceback.format_exception(raised.value))
    assert shown.count("\n") < 60, "numba's own traceback is a hundred lines"


def test_a_rule_that_reads_a_column_of_text_is_refused():
    work = Workload(JOBS.jobs.assign(due=1.0, user="a"), JOBS.tasks)
    policy = lotes.Policy(lambda cluster, job: int(cluster.jobs.user[job]))
    words = "'NumericColumns' object has no attribute 'user' .*; due exist"
    refuses(words, lotes.simulate, policy, MACHINE, work)


def test_resources_match_by_name():
    work = Workload.from_arrays([0], [1], mem=[8], cpu=[1])
    configs = lotes.MachineConfigs([[1.0, 8.0]], [1], ("cpu", "mem"))
    assert lotes.simulate("greedy", configs, work).finished == 1
    refuses(
        "workload: demands cpu, but machines have cpu, mem", lotes.simulate, "greedy", configs, JOBS
    )


def test_a_rule_that_counts_no_references_makes_no_arrays():
    refuses("it makes no arrays", mch.rule(room=0), lambda tree: int(np.zeros(2)[0]))


KINDS_OF_RULES = [
    *own.KINDS.values(),
    *systems.KINDS.values(),
    list_scheduling.DISPATCH,
    serving.KEY,
    choice.PRIORITY,
    choice.CHOOSE,
]


@pytest.mark.parametrize("kind", KINDS_OF_RULES, ids=lambda kind: ", ".join(kind.arguments))
def test_a_recommended_generator_is_one_that_the_rule_has(kind):
    """The way out is an expression that gives a generator, or says that there is none."""
    outside = np.random.default_rng(0)
    said = flaw(lambda: outside.random(), kind.generator)
    if "cannot draw" in said:
        fields = [name for value in kind.arguments.values() for name in dir(value)]
        assert "rng" not in {*kind.arguments, *fields}
    else:
        recommended = said.rpartition("draw from ")[2].strip("`")
        assert isinstance(eval(recommended, {**kind.arguments}), np.random.Generator)
