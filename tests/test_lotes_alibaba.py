"""Alibaba's hour for LoTES: nothing lost, units by hand, load and proportions as asked."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from refusals import refuses
from schedlib import lotes, traces
from schedlib.workload import Workload


@pytest.fixture(scope="module")
def trace():
    return traces.alibaba2018("instances")


@pytest.fixture(scope="module")
def hour(trace):
    return lotes.alibaba_hour(trace=trace)


@pytest.fixture(scope="module")
def stretch(trace):
    return lotes.alibaba_hour(trace=trace.between(0, 300), first=50.0)


def pooled_load(configs, jobs):
    """Work per resource against all machines as one pool, for the scarcest resource: never more than
    `offered_load`.
    """
    tasks, submit = jobs.tasks, jobs.jobs["submit"]
    work = tasks[list(jobs.resources)].mul(tasks["duration"], axis=0).sum().to_numpy()
    return (work / (submit.max() - submit.min()) / (configs.count @ configs.capacity)).max()


def test_every_instance_becomes_one_job(hour, trace):
    configs, classes, jobs = hour
    assert len(jobs) == len(jobs.tasks) == 3_056_536 and (np.diff(jobs.offsets) == 1).all()
    assert list(jobs.report.values()) == [42_998, 0]
    duration, demand = jobs.tasks["duration"], jobs.tasks[["cores", "memory"]].to_numpy()
    assert duration.min() == 0.5
    assert duration.sum() == trace.tasks["duration"].sum() + 42_998 / 2
    assert demand.min() >= 0 and demand.max() < 1 and (demand.max(axis=1) > 0).all()
    assert set(jobs.jobs["class"]) == set(range(4)) and classes.share.sum() == pytest.approx(1)


def test_machines_keep_table_1_s_proportions(hour):
    configs, table = hour[0], lotes.google2011()[0]
    assert_array_equal(configs.capacity, table.capacity)
    exact = table.count * configs.n_machines / table.n_machines
    assert (configs.count >= 1).all() and (np.abs(configs.count - exact)[exact >= 1] < 1.5).all()


@pytest.mark.parametrize("load", [0.5, 0.8, 0.95])
def test_the_load_is_as_asked_with_the_fewest_machines(trace, load):
    configs, _, jobs = lotes.alibaba_hour(trace=trace.between(0, 120), load=load, first=20.0)
    found = lotes.offered_load(jobs, configs)
    # a machine fewer changes no more than the rounding of a few configurations
    step = 3 / configs.n_machines
    assert load * (1 - step) < found <= load


def test_whole_hour_has_the_load_of_its_scarcest_resource(hour):
    configs, _, jobs = hour
    assert lotes.offered_load(jobs, configs) == pytest.approx(0.8, abs=0.002)
    # cores alone bind: memory leaves room everywhere
    assert pooled_load(configs, jobs) == pytest.approx(0.8, abs=0.005)


def test_classes_know_only_the_first_minutes(trace, stretch):
    _, classes, jobs = stretch
    early = trace.between(0, 300)
    changed = early.tasks.assign(
        cpu=np.where(
            np.repeat(early.jobs["submit"] >= 50, np.diff(early.offsets)), 0.1, early.tasks["cpu"]
        )
    )
    other = lotes.alibaba_hour(trace=Workload(early.jobs, changed), first=50.0)[1]
    assert_array_equal(classes.demand, other.demand)
    assert_array_equal(classes.rate, other.rate)
    first = (jobs.jobs["submit"] < 50).to_numpy()
    shares = np.bincount(jobs.jobs["class"][first], minlength=4) / first.sum()
    # Lloyd's last step and the nearest centre may differ at a tie
    assert_allclose(shares, classes.share, atol=1e-3)


def test_an_instance_larger_than_every_machine_is_left_out_and_counted():
    trace = Workload.from_arrays([0, 1, 2], [1, 2, 3], cpu=[96.0, 9.6, 96.1], mem=[1.0, 1.1, 0.5])
    found = lotes.alibaba_instances(trace)
    assert found.tasks["duration"].tolist() == [1] and list(found.report.values()) == [0, 2]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"load": 500.0}, "load: 500 needs less than one machine of each configuration"),
        (
            {"trace": Workload.from_arrays([0], [1.0], cores=[1.0])},
            r"trace: demands \('cores',\) in 's'; give traces.alibaba2018",
        ),
        (
            {"trace": Workload.from_arrays([3] * 4, [1] * 4, cpu=[1, 2, 3, 4], mem=[0.1] * 4)},
            "workload: all are submitted at 3;",
        ),
    ],
)
def test_refusals(trace, options, message):
    refuses(message, lotes.alibaba_hour, **{"trace": trace.between(0, 20), "first": 20.0} | options)
