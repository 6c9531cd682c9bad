"""Running experiments while their figures are drawn, so that no processor waits."""

import contextlib
import multiprocessing
import os
import threading
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace

from schedlib import paths
from schedlib.reproduce import registry, store, sweep, worker

GRACE = 20.0  # seconds in which it ends by itself, and its workers with it


@contextlib.contextmanager
def ahead(names: list[str], scale: str, seeds: int | None, workers: int | None
          ) -> Iterator[multiprocessing.process.BaseProcess]:
    """While the block draws figures, another process runs these experiments in order, and is given.

    So the processors are not idle while one draws. It stops with the block, and tells nothing of what fails:
    whoever draws will meet it.
    """
    runner = multiprocessing.get_context("spawn").Process(target=_each, args=(names, scale, seeds, workers))
    runner.start()
    try:
        yield runner
        runner.join(GRACE)
    finally:
        worker.kill(runner)


def _each(names: list[str], scale: str, seeds: int | None, workers: int | None) -> None:
    """All that these experiments lack in one pool, so that no processor waits for an experiment's last point;
    then the seeds that their claims need beyond the first look."""
    threading.Thread(target=_stop_with_parent, daemon=True).start()
    known = [registry.load().experiments.get(name) for name in names]
    with contextlib.suppress(KeyboardInterrupt), contextlib.ExitStack() as held:
        jobs: list[worker.Job] = []
        locks = {}  # who wants an experiment waits until the last of its points is stored
        for experiment in (one for one in known if one and not one.missing()):
            lock = locks[experiment.id] = held.enter_context(contextlib.ExitStack())
            lock.enter_context(paths.alone(store.folder(experiment.id)))
            tasks = [task for task in store.tasks(experiment, scale, seeds) if store.peek(task.path) is None]
            if tasks:
                expected = sweep.seconds_per_task(experiment, scale, [task.point for task in tasks])
                jobs += sweep.jobs_for(experiment, scale, tasks, expected, len(jobs))
        left = Counter(job.meta["experiment"] for job in jobs)
        for name in locks.keys() - left.keys():
            locks[name].close()
        with sweep.progress_bar("all figures", len(jobs), shown=bool(jobs)) as bar:
            for outcome in worker.processes(jobs, workers or worker.cores()):
                bar.update()
                name = jobs[outcome.index].meta["experiment"]
                left[name] -= 1
                if not left[name]:
                    locks[name].close()
        for name in locks:
            with contextlib.suppress(Exception):
                sweep.sweep(name, scale, seeds, workers)


def _stop_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        worker.kill(SimpleNamespace(pid=os.getpid()))
