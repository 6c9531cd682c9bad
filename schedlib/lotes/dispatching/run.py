"""A run of stage 3 in Python's hands: jobs come to the engine in blocks, and it works in slices."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from schedlib.core.functions import RuleError
from schedlib.lotes.dispatching import state as states
from schedlib.lotes.dispatching.engine import AT_STOP, DONE, MORE_INTERVALS, MORE_SLOTS, advance
from schedlib.lotes.dispatching.machine_tree import fractions
from schedlib.lotes.dispatching.refusals import asked, refusal, require_able
from schedlib.lotes.dispatching.state import (
    MORE_PIECES,
    REFUSED,
    Arrivals,
    Given,
    Log,
    State,
    Tasks,
)

FIRST_SLICE = 2_000  # events
SOON = 0.1  # seconds; slices double until one takes as long


@dataclass(eq=False)
class Run:
    """One run, under the policy called `name` that keeps `policy`, until time `end`.

    - `record`: whether `blocks`, the jobs as they came, and `log` are kept for all jobs
    - `planner`: what swaps plans on the way, or None; `enough`: as in `simulate`
    """

    name: str
    policy: Any
    state: State
    given: Given
    end: float
    record: bool
    planner: Any = None
    enough: Callable[[float, int], bool] | None = None
    blocks: list[Arrivals] = field(default_factory=list)
    log: Log = Log(start=np.zeros(0), finish=np.zeros(0), machine=np.zeros(0, np.int64))
    looks: int = 1  # the interval's end at which `enough` is asked next

    def __post_init__(self):
        self.policy = self.policy.grown(len(self.state.table.spare))
        self.slice = FIRST_SLICE

    def slices(self) -> Iterator[float]:
        """Work the run off; gives the share that is done after each slice. Raises ValueError on a job that no
        machine can run and on a policy's impossible choice.
        """
        for block in self.given.jobs.blocks():
            yield from self._work_off(block, last=False)
            if self.state.progress[0].taken < len(block.submit):
                return
        none = np.zeros(0)
        demand = np.zeros((0, self.given.configs.n_resources))
        no_jobs = Arrivals(submit=none, job_class=none.astype(int), work=none, demand=demand)
        yield from self._work_off(no_jobs, last=True)

    def _work_off(self, block: Arrivals, last: bool) -> Iterator[float]:
        """Let the block's jobs come; after the `last` one, let all jobs end."""
        coming = self._entered(block)
        while True:
            stop = self._next_stop()
            begun = time.perf_counter()
            status = self._advanced(coming, float(stop), last)
            yield self._share()
            if status == DONE or (status == AT_STOP and stop == self.end):
                return
            if status == AT_STOP:
                self._stop_over(stop, coming)
            elif status in (MORE_SLOTS, MORE_PIECES):
                if status == MORE_SLOTS:
                    self.state = states.enlarged(self.state)
                self.policy = self.policy.grown(len(self.state.table.spare))
            elif status == MORE_INTERVALS:
                meter = self.state.meter
                self._lengthen(meter.origin + meter.width * len(meter.series))
            elif time.perf_counter() - begun < SOON:
                self.slice *= 2

    def _advanced(self, coming: Arrivals, stop: float, last: bool) -> int:
        """Why a slice of the run ended. Raises ValueError when the policy raises an error, or makes an impossible
        choice."""
        rng = self.given.rng
        try:
            answer = int(
                advance(self.policy, self.state, coming, self.log, rng, stop, last, self.slice)
            )
        except RuleError as error:
            about = asked(self.state, self.given)
            raise ValueError(f"policy {self.name!r}, {about}: {error}") from error.__cause__
        if answer == REFUSED:
            raise ValueError(f"policy {self.name!r}: {refusal(self.state, self.given)}")
        return answer

    def _lengthen(self, until: float) -> None:
        """Make room for the measurements until then; `enough` is asked at the ends of wider intervals, too."""
        width = self.state.meter.width
        self.state = self.state._replace(meter=states.lengthened(self.state.meter, until))
        self.looks = int(np.ceil(self.looks * width / self.state.meter.width))

    def _entered(self, block: Arrivals) -> Arrivals:
        """The block as the engine reads it; there is a row of the log for each of its jobs."""
        progress = self.state.progress[0]
        _, size = fractions(self.given.configs.capacity, block.demand, self.given.own)
        require_able(block, size, self.state.machines, int(progress.arrived))
        if self.record:
            self.blocks.append(block)
        if self.record or self.planner:
            self.log = states.longer_log(self.log, int(progress.arrived) + len(size))
        progress.taken = 0
        coming = Arrivals(
            submit=np.array(block.submit, float),
            job_class=np.array(block.job_class, np.int64),
            work=np.array(block.work, float),
            demand=np.ascontiguousarray(size),
        )
        if self.planner:
            self.planner.relabel(coming, progress)
        return coming

    def _look(self) -> float:
        """When `enough` is asked next."""
        meter = self.state.meter
        return meter.origin + self.looks * meter.width if self.enough else np.inf

    def _next_stop(self) -> float:
        """Until when the engine may go on."""
        swap = self.planner.due if self.planner else np.inf
        return min(self.end, self._look(), swap)

    def _stop_over(self, stop: float, coming: Arrivals) -> None:
        """Ask `enough`, or swap plans, whichever is due."""
        if self.enough and stop == self._look():
            self.looks += 1
            if self.enough(stop, int(self.state.meter.clock[0].waiting)):
                self.end = stop
        else:
            self._lengthen(stop)
            self.policy = self.planner.swap(self.policy, self.state, self.log)
            self.planner.relabel(coming, self.state.progress[0])

    def looked(self) -> float:
        """How many machines an arriving job looked at on average."""
        return float(self.state.meter.clock[0].looked / max(self.state.progress[0].arrived, 1))

    def _share(self) -> float:
        """The share of the run that is done, below 1."""
        clock = self.state.meter.clock[0]
        jobs = self.given.jobs
        if np.isfinite(self.end):
            done = clock.now / self.end if self.end else 0.0
        elif isinstance(jobs, Tasks):
            finished = self.state.meter.series.finished.sum()
            done = (self.state.progress[0].arrived + finished) / (2 * len(jobs.submit))
        else:
            done = clock.now / jobs.hours
        return min(float(done), 0.999)
