"""Any value in any argument of a public function gives a result, or an error of ours that names an argument; never another library's."""

from operator import attrgetter

import pytest

import hostile
import schedlib
from cases import CASES
from hostile import CONFIGS, CORES, by_deadline
from refusals import refuses
from schedlib import eagle, lotes, traces
from schedlib.lotes.planning import bins


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numpy, on the way to a refusal
@pytest.mark.parametrize(
    "function", hostile.CALLS, ids=lambda function: f"{function.__module__}.{function.__qualname__}"
)
def test_an_error_names_the_wrong_argument(function):
    right = hostile.right_arguments(function)
    function(**right)
    assert list(hostile.wrong_refusals(function, right)) == []


@pytest.mark.parametrize("name, given, options, words", CASES["refused"]["calls"])
def test_what_is_beyond_an_arguments_range_is_refused(name, given, options, words):
    refuses(words, attrgetter(name)(schedlib), *given, **options)


def waits(cluster, job):
    return -1


@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda: lotes.count_bins([1e4], [[1.0], [2.0], [3.0], [5.0]]),
            "demand: 4 classes; the number of bins is too large",
        ),
        (lambda: lotes.simulate("greedy", CONFIGS, CORES, interval=1e-12), "interval: 1e-12"),
        (lambda: lotes.simulate("greedy", CONFIGS, CORES, until=1e12), "until: 1e.12"),
        (
            lambda: eagle.simulate(
                CORES, "dlwl", 4, short_partition=0.0, cutoff=2.5, heartbeat=1e-12
            ),
            "heartbeat: 1e-12",
        ),
        (lambda: lotes.Policy(by_deadline, wake=0.0), "wake"),
        (lambda: lotes.simulate(lotes.Policy(waits, wake=1e-9), CONFIGS, CORES), "wake"),
    ],
)
def test_what_makes_no_sense_or_would_never_end_is_refused(call, words, monkeypatch):
    monkeypatch.setattr(bins, "MOST_COUNTED", 10**6)
    refuses(words, call)


@pytest.mark.parametrize("value", [None, 1j, [], object(), CORES])
@pytest.mark.parametrize(
    "reader",
    [
        "read_hawk",
        "read_swim",
        "google2011_jobs",
        "google2011_tasks",
        "alibaba_gpu2023",
        "read_swf",
        "read_sacct",
        "swf_header",
        "alibaba2018_tasks",
        "alibaba_pai2020",
        "azure_packing2020",
    ],
)
def test_readers_of_traces_want_a_path(reader, value):
    with pytest.raises(TypeError, match=r"(path|folder): needs a text or a path"):
        getattr(traces, reader)(value)


def test_a_writer_of_traces_wants_a_workload(tmp_path):
    with pytest.raises(TypeError, match="workload: needs a Workload"):
        traces.write_hawk([1, 2], tmp_path / "x.tr")
