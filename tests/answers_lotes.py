"""What makes right and wrong answers to the exercises of chapters 0 to 4, which answers_made.toml lists.

Those that are plain numbers and words stand in answers.toml.

Answers whose numbers take long to find are made small here; the solutions' own are checked where the notebooks run.
"""

from functools import cache

import numpy as np

from schedlib import lotes, theory
from schedlib.lotes.policies.own import can_start
from schedlib.workload import Workload


def levels(submit, finish, weighed=True, gaps=True):
    moments = np.concatenate([submit, finish])
    order = np.argsort(moments, kind="stable")
    level = np.cumsum(np.repeat([1, -1], len(submit))[order])[:-1]
    lasting = np.diff(moments[order]) if weighed else np.ones(len(level))
    lasting = lasting if gaps else np.where(level == 0, 0, lasting)
    return np.bincount(np.maximum(level, 0), weights=lasting, minlength=4)[:4] / lasting.sum()


def first_hit(submit, finish):
    """Lets jobs finish in the order in which they came."""
    return levels(submit, np.maximum.accumulate(finish))


def servers(rate, service, target, least=1, wait=theory.mmc_mean_wait, unit=1.0):
    count = int(rate / service) + least
    while wait(rate, service, count) * unit > target:
        count += 1
    return count


def chance(rate, service, servers):
    return theory.erlang_c(servers, rate / service)


def limit(capacity, count, share, demand, rate, most=min, weigh=True, last=True):
    share = np.asarray(share) if weigh else np.full(len(share), 1 / len(share))
    hours = 1 / np.asarray(rate) if last else np.full(len(share), 1 / np.asarray(rate)[0])
    return most(count * np.asarray(capacity) / ((share * hours) @ np.asarray(demand)))


def priciest(capacity, demand, price, resources=slice(None)):
    bins = lotes.non_dominated_bins(capacity[resources], demand[:, resources])
    return (bins @ price).max()


def by_price(capacity, demand, price):
    """Takes the job with the best price for its size as often as it fits, then the next."""
    left, worth = np.array(capacity, float), 0.0
    for k in np.argsort(-np.asarray(price) / np.asarray(demand).sum(axis=1), kind="stable"):
        count = int((left / np.maximum(demand[k], 1e-9)).min())
        left, worth = left - count * np.asarray(demand[k]), worth + count * price[k]
    return worth


def rounding():
    """The library's rounding, which the exercise improves on."""
    case = lotes.random_instance(machines=5, hours=1.0, seed=0)
    free = lotes.generate_plan(case.configs, case.classes)
    return free.bins, free.machines


def four_jobs(sizes):
    return Workload.from_arrays([0, 1, 2, 9], [6, 6, 4, 1], job_class=[1, 1, 1, 1], cores=sizes)


def first_fit(cluster, job):
    for machine in range(len(cluster.config)):
        if can_start(cluster, job, machine):
            return machine
    return -1


@cache
def wait(work):
    case = lotes.random_instance(0.006, machines=50, hours=20.0, sizes="common", seed=0)
    run = lotes.simulate("tetris", case.configs, case.workload, record=False, work=work)
    return 3600 * run.mean_wait_started


def waits(weights):
    return {work: wait(work) for work in weights}


CONFIGS, CLASSES = lotes.google2011()
