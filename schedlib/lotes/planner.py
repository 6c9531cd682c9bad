"""A run of the simulator under one plan after another."""

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.lotes.dispatching import meter as columns
from schedlib.lotes.dispatching import waiting_line
from schedlib.lotes.dispatching.engine import place
from schedlib.lotes.dispatching.job_table import CLASS, KIND, MACHINE, ROW
from schedlib.lotes.dispatching.machine_tree import refresh
from schedlib.lotes.model import Plan
from schedlib.lotes.policies import lotes
from schedlib.lotes.policies.lotes import add_to_score
from schedlib.lotes.policies.shipped import engine_parts
from schedlib.lotes.replan import WAYS, Past, Replan

join, quit_line = waiting_line.join, waiting_line.quit_line
demote, pick, rank = lotes.demote, lotes.pick, lotes.rank


@kernel
def rejoin(line, jobs, slots):
    """Let these jobs wait in the queues of their classes, in order of arrival."""
    for slot in slots:
        join(line, jobs, jobs.whole[slot, KIND], slot, float(jobs.whole[slot, ROW]))


@kernel
def offer(sys, log, now):
    """Let each machine in turn start what it would start on an exit (Section 4.3.2).

    A new plan lets machines serve classes that they did not serve when they last had an exit; without this a job could wait for
    the exit of an idle machine for ever.
    """
    m, meter = sys.m, sys.meter
    for machine in range(m.config.size):
        if meter.state[columns.WAITING] == 0:
            return
        ranked = rank(m, sys.scores, sys.line, machine)
        while True:
            picked, ranked = pick(m, sys.scores, sys.line, sys.jobs, machine, ranked)
            if picked < 0:
                break
            k = sys.jobs.whole[picked, KIND]
            quit_line(sys.line, sys.jobs, k, picked)
            columns.note_queue(meter, -1)
            place(m, sys.jobs, sys.events, meter, log, picked, sys.jobs.whole[picked, ROW], machine, now)
            add_to_score(m, sys.scores, machine, k, -1)
            demote(sys.scores, machine, ranked)
            refresh(m, machine)


class Planner:
    """The state of replanning in one run: the plan in force, each job's class under it, and the jobs of the window."""

    def __init__(self, replan: Replan, plan: Plan, jobs, policy, settings, typical):
        self.replan, self.jobs, self.of_policy, self.typical = replan, jobs, (policy, settings), typical
        self.plans, self.turn = [(0.0, plan)], 1
        self.job_class, self.label = jobs.job_class.copy(), None
        self.rows, self.seen = np.zeros(0, np.int64), 0

    @property
    def due(self) -> float:
        return self.turn * self.replan.every

    def labels(self, rows):
        """The present classes of these jobs (N,) of the workload."""
        if self.label is None:
            return self.job_class[rows]
        given, classes = np.asarray(self.label(self.jobs.demand[rows])), self.plans[-1][1].classes.n_classes
        if given.shape != (len(rows),) or not np.isin(given, np.arange(classes)).all():
            raise ValueError(f"replan: labels must be one class for each demand, from 0 to {classes - 1}")
        return given

    def relabel(self, block, seen):
        """Put the present classes of the block's jobs that are still to come into it; `seen` as in the engine."""
        at, before = seen
        rows = np.arange(before, before + len(block.job_class) - at)
        block.job_class[at:] = self.job_class[rows] = self.labels(rows)

    def past(self, seen: int, log) -> Past:
        """What is known when planning is due and `seen` jobs have come."""
        now = self.due
        since = now - (self.replan.window or self.replan.every)
        rows = np.concatenate((self.rows, np.arange(self.seen, seen)))
        submit = self.jobs.submit[rows]
        self.rows, self.seen = rows[~((submit < since) & (log.finish[rows] < since))], seen
        rows = self.rows
        start, finish = log.start[rows], log.finish[rows]
        finish[~(finish < now)] = np.nan
        return Past(now, since, self.jobs.submit[rows], self.job_class[rows], self.jobs.demand[rows], start, finish)

    def swap(self, sys, log):
        """Plan anew and give the system under the new plan, its clock at the time that was due."""
        past, old = self.past(int(sys.seen[1]), log), self.plans[-1][1]
        how = WAYS.get(self.replan.how, self.replan.how)
        found = how(past, old)
        self.turn += 1
        if found is None:
            return sys
        plan, label = found if isinstance(found, tuple) else (found, None)
        plan.require(old.configs)
        if plan.classes.n_classes != old.classes.n_classes:
            raise ValueError(f"replan: a plan for {plan.classes.n_classes} classes, not the {old.classes.n_classes} of the first")
        self.plans.append((past.now, plan))
        while past.now >= sys.meter.width * len(sys.meter.series):
            sys = sys._replace(meter=columns.lengthened(sys.meter))
        columns.tick(sys.meter, past.now)
        sys = self._under(plan, sys, label)
        offer(sys, log, past.now)
        return sys

    def _under(self, plan, sys, label):
        m, jobs = sys.m, sys.jobs
        present = np.ones(len(jobs.spare), bool)
        present[jobs.spare[jobs.taken[0] :]] = False
        slots = np.flatnonzero(present)
        if label is not None:
            if not np.isfinite(m.pace).all():
                raise ValueError("replan: to label jobs anew, every class must be able to run on every configuration")
            self.label = label
            self.job_class[self.rows] = self.labels(self.rows)
            jobs.whole[slots, KIND] = jobs.real[slots, CLASS] = self.job_class[jobs.whole[slots, ROW]]
        machine = jobs.real[slots, MACHINE].astype(np.int64)
        running = np.zeros((len(m.config), m.pace.shape[1]), np.int64)
        np.add.at(running, (machine[machine >= 0], jobs.whole[slots[machine >= 0], KIND]), 1)
        _, parts = engine_parts(*self.of_policy, m, plan, self.jobs.time_unit, self.typical, running)
        queued = slots[machine < 0]
        rejoin(parts["line"], jobs, queued[np.argsort(jobs.whole[queued, ROW])])
        return sys._replace(**parts)
