"""Every shipped policy decides as a literal transcription of the paper does, ties included."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lotes_literal as literal
from schedlib.lotes import JobClasses, MachineConfigs, Policy, can_start, plan, simulate
from schedlib.lotes.dispatching.state import Arrivals
from schedlib.workload import Workload

SAMPLED = st.sampled_from([None, 1, 3])
QUIET = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def systems(draw, varied_rates=True):
    """A small crowded system: coarse sizes and whole times, so that ties abound, or fine ones."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    r, m, k = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    coarse, rates = draw(st.booleans()), draw(st.sampled_from(["same", "varied", "forbidden"]))
    capacity = rng.integers(4, 9, (m, r)) / 8 if coarse else rng.uniform(0.4, 1, (m, r))
    configs = MachineConfigs(capacity, rng.integers(1, 5, m))
    mean = rng.integers(1, 4, (k, r)) / 16 if coarse else rng.uniform(0.03, 0.3, (k, r))
    rate = (
        np.ones((m, k)) if rates == "same" or not varied_rates else rng.integers(1, 4, (m, k)) / 2
    )
    if rates == "forbidden":
        rate *= rng.random((m, k)) < 0.6
        rate[rng.integers(m), rate.max(axis=0) == 0] = 1.0
    classes = JobClasses(np.full(k, 1 / k), mean, rate)
    n = draw(st.integers(1, 120))
    job_class = rng.integers(0, k, n)
    largest = np.array([capacity[rate[:, c] > 0].min(axis=0) for c in range(k)])
    if coarse:
        demand, work = (
            mean[job_class] * rng.integers(1, 4, (n, 1)),
            rng.integers(0, 6, n).astype(float),
        )
        submit = np.sort(rng.integers(0, 1 + n // 12, n)).astype(float)
    else:
        demand, work = mean[job_class] * rng.uniform(0.1, 2, (n, r)), rng.exponential(2, n)
        submit = np.cumsum(rng.exponential(0.1, n))
    demand = np.minimum(demand, largest[job_class])
    return configs, classes, submit, job_class, work, demand, int(rng.integers(1000))


def as_workload(submit, job_class, work, demand):
    columns = {f"r{l}": demand[:, l] for l in range(demand.shape[1])}
    return Workload.from_arrays(submit, work, job_class=job_class, time_unit="h", **columns)


def agree(run, expected):
    for name, values in zip(("start", "finish", "machine"), expected, strict=True):
        np.testing.assert_array_equal(run.jobs[name].to_numpy(), values, err_msg=name)
    assert run.waiting == 0 and run.finished == run.arrived
    assert abs(run.little) < 1e-9


def pace_of(classes):
    return np.where(classes.rate > 0, 1.0, np.inf)


@QUIET
@given(
    systems(),
    st.sampled_from(["delta", "all"]),
    st.booleans(),
    SAMPLED,
    st.sampled_from(["delta", "rate"]),
)
def test_lotes(system, exit, fallback, sampled, wheel):
    configs, classes, *jobs, seed = system
    try:
        made = plan(configs, classes)
    except ValueError:
        return
    options = {"exit": exit, "fallback": fallback, "sampled": sampled, "wheel": wheel}
    expected = literal.run(
        literal.Lotes(configs, pace_of(classes), seed, made, **options), configs, *jobs
    )
    if np.isnan(
        expected[0]
    ).any():  # nothing with Delta > 0 is large enough for some job, and that job waits for ever
        run = simulate("lotes", configs, as_workload(*jobs), plan=made, seed=seed, **options)
        np.testing.assert_array_equal(run.jobs["start"], expected[0])
        return
    agree(simulate("lotes", configs, as_workload(*jobs), plan=made, seed=seed, **options), expected)


@QUIET
@given(systems(), st.sampled_from([None, 2]))
def test_lotes_first_version(system, sampled):
    configs, classes, *jobs, seed = system
    try:
        made = plan(configs, classes)
    except ValueError:
        return
    center = literal.Lotes(
        configs, pace_of(classes), seed, made, first=True, exit="all", sampled=sampled
    )
    run = simulate(
        "lotes-first",
        configs,
        as_workload(*jobs),
        plan=made,
        seed=seed,
        exit="all",
        sampled=sampled,
    )
    agree(run, literal.run(center, configs, *jobs))


@QUIET
@given(systems(), st.booleans())
def test_greedy(system, bypass):
    configs, classes, *jobs, seed = system
    run = simulate("greedy", configs, as_workload(*jobs), classes=classes, seed=seed, bypass=bypass)
    agree(
        run,
        literal.run(literal.Greedy(configs, pace_of(classes), seed, bypass=bypass), configs, *jobs),
    )


@QUIET
@given(
    systems(),
    st.sampled_from([(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (3.0, 0.25)]),
    st.sampled_from(["h", "s"]),
)
def test_tetris(system, weights, gamma_unit):
    configs, classes, *jobs, seed = system
    options = dict(zip(("packing", "work"), weights, strict=True))
    run = simulate(
        "tetris",
        configs,
        as_workload(*jobs),
        classes=classes,
        seed=seed,
        gamma_unit=gamma_unit,
        **options,
    )
    center = literal.Tetris(
        configs,
        pace_of(classes),
        seed,
        **options,
        unit=1.0 if gamma_unit == "h" else 1 / (1 / 3600),
    )
    agree(run, literal.run(center, configs, *jobs))


class Drawn:
    """A generated workload of given jobs whose processing time is work over the configuration's rate."""

    time_unit, hours, resources = "h", 1e9, None

    def __init__(self, classes, submit, job_class, work, demand):
        self.classes, self.arrays = classes, (submit, job_class, work, demand)
        self.resources = tuple(range(classes.n_resources))

    def pace(self):
        with np.errstate(divide="ignore"):
            return 1 / self.classes.rate

    def typical(self):
        return self.classes.demand.max(axis=0)

    def blocks(self):
        for at in range(0, len(self.arrays[0]), 17):
            yield Arrivals(*(array[at : at + 17] for array in self.arrays))


@QUIET
@given(systems(), st.sampled_from(["lotes", "greedy", "tetris"]))
def test_processing_times_that_depend_on_the_machine(system, policy):
    configs, classes, *jobs, seed = system
    drawn = Drawn(classes, *jobs)
    if policy == "lotes":
        try:
            made = plan(configs, classes)
        except ValueError:
            return
        run = simulate(policy, configs, drawn, plan=made, seed=seed, exit="all", slots=1)
        center = literal.Lotes(configs, drawn.pace(), seed, made, exit="all")
    else:
        run = simulate(policy, configs, drawn, seed=seed, slots=1)
        center = {"greedy": literal.Greedy, "tetris": literal.Tetris}[policy](
            configs, drawn.pace(), seed
        )
    agree(run, literal.run(center, configs, *jobs))


def first_fit(cluster, job):
    for machine in range(len(cluster.config)):
        if can_start(cluster, job, machine):
            return machine
    return -1


FIRST_FIT = Policy(first_fit)


@QUIET
@given(systems())
def test_a_policy_of_ones_own(system):
    configs, classes, *jobs, seed = system

    class FirstFit(literal.Greedy):
        def wait(self, job):
            self.queue = [*getattr(self, "queue", []), job]

        def exit(self, machine):
            while job := next(
                (job for job in getattr(self, "queue", []) if self.fits(job, machine)), None
            ):
                self.queue.remove(job)
                yield job

    run = simulate(FIRST_FIT, configs, as_workload(*jobs), classes=classes, seed=seed)
    agree(run, literal.run(FirstFit(configs, pace_of(classes), seed), configs, *jobs))
