"""Closed forms that the simulators are checked against: Erlang C, the M/M/c and M/G/1 mean waits, Little's law."""

import math

from scipy.special import gammaln, pdtr


def _refuse(**arguments):
    for name, value in arguments.items():
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{name}: {value}, must be a finite number, not negative")


def _servers(servers):
    if not (math.isfinite(servers) and servers >= 1 and servers == int(servers)):
        raise ValueError(f"servers: {servers}, must be 1, 2, 3, ...")
    return int(servers)


def erlang_c(servers: int, offered_load: float) -> float:
    """The probability that a customer must wait in an M/M/c queue.

    `offered_load` is the arrival rate times the mean service time, the mean number of busy servers (in Erlang). Computed from
    logarithms of Erlang's loss formula, so that thousands of servers are no trouble. Raises ValueError when the load is negative
    or at least `servers`: the queue then grows for ever. Source: Erlang (1917); Gross and Harris, "Fundamentals of Queueing
    Theory", the multi-server queue. With two servers the formula is 2 r^2 / (1 + r) at r = load / 2; the second line is their
    eye clinic: three doctors, six patients an hour, twenty minutes each.

    >>> round(erlang_c(2, 1.0) * 3, 12)
    1.0
    >>> round(erlang_c(3, 2.0) * 9, 12)
    4.0
    """
    servers = _servers(servers)
    _refuse(offered_load=offered_load)
    if offered_load >= servers:
        raise ValueError(f"offered_load: {offered_load:g} on {servers} servers, must be less than the number of servers")
    if offered_load == 0:
        return 0.0
    # Erlang B is P(X = c) / P(X <= c) for X Poisson with the load as its mean, and C follows from B.
    exactly_all = math.exp(servers * math.log(offered_load) - offered_load - gammaln(servers + 1))
    blocked = exactly_all / pdtr(servers, offered_load)
    return float(blocked / (1 - offered_load / servers * (1 - blocked)))


def mmc_mean_wait(arrival_rate: float, service_rate: float, servers: int) -> float:
    """The mean time spent waiting, before service, in an M/M/c queue, in the unit of time of the rates.

    `service_rate` is that of one server. Raises ValueError on an unstable load, a negative rate or no service. Source: Gross
    and Harris, the multi-server queue; in their eye clinic a patient waits 4/27 of an hour, and stays 28.9 minutes in all.

    >>> wait = mmc_mean_wait(arrival_rate=6, service_rate=3, servers=3)
    >>> round(wait * 27, 12), round(60 * (wait + 1 / 3), 1)
    (4.0, 28.9)
    """
    servers = _servers(servers)
    _refuse(arrival_rate=arrival_rate, service_rate=service_rate)
    if service_rate == 0:
        raise ValueError("service_rate: 0, must be positive")
    return erlang_c(servers, arrival_rate / service_rate) / (servers * service_rate - arrival_rate)


def pollaczek_khinchine(arrival_rate: float, mean_service: float, second_moment: float) -> float:
    """The mean time spent waiting, before service, in an M/G/1 queue: lambda E[S^2] / (2 (1 - rho)).

    `second_moment` is E[S^2], in the square of the unit of `mean_service`. Raises ValueError on an unstable load and on moments
    that no distribution has. Source: Pollaczek (1930), Khinchine (1932). The example is Kleinrock's M/H2/1 queue ("Queueing
    Systems" I, Section 5.5): service at rate 1 with probability 1/4 and rate 2 with 3/4, so that E[S] = 5/8 and E[S^2] = 7/8; at
    arrival rate 1 he finds 43/24 = 1.79 customers in the system.

    >>> wait = pollaczek_khinchine(arrival_rate=1, mean_service=5 / 8, second_moment=7 / 8)
    >>> round(24 * little(1, wait + 5 / 8), 12)
    43.0
    """
    _refuse(arrival_rate=arrival_rate, mean_service=mean_service, second_moment=second_moment)
    load = arrival_rate * mean_service
    if load >= 1:
        raise ValueError(f"arrival_rate, mean_service: the load is {load:g}, must be less than 1")
    if second_moment < mean_service**2 * (1 - 1e-12):
        raise ValueError(f"second_moment: {second_moment:g}, must be at least the mean squared, {mean_service**2:g}")
    return float(arrival_rate * second_moment / (2 * (1 - load)))


def little(arrival_rate: float, mean_time: float) -> float:
    """Little's law, L = lambda W: the mean number of customers somewhere, from the mean time that each spends there.

    Holds for any part of any stable system: waiting times give the queue's length, service times the number of busy servers.
    Source: Little (1961). In the eye clinic of Gross and Harris, six patients an hour staying 13/27 of an hour are 26/9 of them.

    >>> round(9 * little(6, 13 / 27), 12)
    26.0
    """
    _refuse(arrival_rate=arrival_rate, mean_time=mean_time)
    return float(arrival_rate * mean_time)
