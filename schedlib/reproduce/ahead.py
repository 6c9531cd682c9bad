"""Running experiments while their figures are drawn, so that no processor waits."""

import contextlib
import itertools
import multiprocessing
import os
import threading
from collections import Counter, deque
from collections.abc import Iterator

from schedlib import paths
from schedlib.experiment import Experiment
from schedlib.reproduce import registry, store, sweep, worker


@contextlib.contextmanager
def ahead(
    names: list[str], scale: str, seeds: int | None, workers: int | None
) -> Iterator[multiprocessing.process.BaseProcess]:
    """While the block draws figures, another process runs these experiments in order, and is given.

    So the processors are not idle while one draws. It stops with the block, and tells nothing of what fails:
    whoever draws will meet it.
    """
    runner = multiprocessing.get_context("spawn").Process(
        target=_each, args=(names, scale, seeds, workers)
    )
    runner.start()
    try:
        yield runner
    finally:
        worker.kill(runner.pid)
        runner.join()


def _each(names: list[str], scale: str, seeds: int | None, workers: int | None) -> None:
    """All that these experiments lack in one pool, so that no processor waits for an experiment's last point,
    and the seeds that their claims need beyond the first look."""
    from joblib.externals.loky import get_reusable_executor

    threading.Thread(target=_stop_with_parent, daemon=True).start()
    known = [registry.load().experiments.get(name) for name in names]
    with contextlib.suppress(KeyboardInterrupt), contextlib.ExitStack() as held:
        lacks: dict[str, list[worker.Job]] = {}
        locks = {}  # who wants an experiment waits until the last of its points is stored
        for experiment in (one for one in known if one and not one.missing()):
            lock = locks[experiment.id] = held.enter_context(contextlib.ExitStack())
            lock.enter_context(paths.alone(store.folder(experiment.id)))
            lacks[experiment.id] = _lacking(
                experiment, scale, store.looks(experiment, scale, seeds)[0]
            )
        jobs = deque(_in_order(list(lacks.values())))
        left = Counter(job.meta["experiment"] for job in jobs)
        spent = dict.fromkeys(locks, 0)
        numbers, by_index = itertools.count(), {}

        def given() -> Iterator[worker.Job]:
            while jobs:
                index = next(numbers)
                by_index[index] = jobs.popleft()._replace(index=index)
                yield by_index[index]

        def complete(name: str) -> None:
            """Its next seeds come first, as their figure waits; else who waits may go on."""
            experiment = registry.load().experiments[name]
            looks = store.looks(experiment, scale, seeds)
            with contextlib.suppress(Exception):
                while not left[name] and spent[name] + 1 < len(looks):
                    count = looks[spent[name]]
                    failed = _lacking(experiment, scale, count)
                    if failed or sweep.decided(sweep.filled(experiment, scale, count, len(looks))):
                        break
                    spent[name] += 1
                    more = _lacking(experiment, scale, looks[spent[name]])
                    jobs.extendleft(reversed(more))
                    left[name] += len(more)
                    bar.total += len(more)
            if not left[name]:
                locks[name].close()

        with sweep.progress_bar("all figures", len(jobs), shown=bool(jobs)) as bar:
            for name in [name for name in locks if not left[name]]:
                complete(name)
            while jobs:
                for outcome in worker.processes(given(), workers or worker.cores()):
                    bar.update()
                    name = by_index[outcome.index].meta["experiment"]
                    left[name] -= 1
                    if not left[name]:
                        complete(name)
        get_reusable_executor(
            reuse=True
        ).shutdown()  # else this process stays until they idled five minutes


def _lacking(experiment: Experiment, scale: str, seeds: int) -> list[worker.Job]:
    """The points that are not stored yet, those that take longest in front."""
    tasks = [
        task for task in store.tasks(experiment, scale, seeds) if store.peek(task.path) is None
    ]
    points = [task.point for task in tasks]
    return sweep.jobs_for(
        experiment, scale, tasks, sweep.seconds_per_task(experiment, scale, points)
    )


def _in_order(each: list[list[worker.Job]]) -> list[worker.Job]:
    """One list of several experiments' jobs: the first of each stands before the others of the experiment in
    front of it, so that its kernels compile while those are computed."""
    jobs: list[worker.Job] = []
    rest: list[worker.Job] = []
    for own in each:
        jobs += own[:1] + rest
        rest = own[1:]
    return jobs + rest


def _stop_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        worker.kill(os.getpid())
