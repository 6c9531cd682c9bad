"""Closed forms that the simulators are checked against: queues, random choices, Little's law."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.integrate import cumulative_simpson
from scipy.special import gammaln, pdtr

from schedlib.core.checks import amounts, numbers, typed, whole

LONGEST = 1_000_000
"""The longest queue that `choices_tail` counts to."""
SIZES = 10_001
"""The number of sizes, evenly spaced as logarithms, over which SRPT's formula is integrated between two jumps of the
density."""
MASS = 1e-6
"""The most by which a density may fail to integrate to 1."""
SMOOTH = 1e-9
"""A change of the density below this part of its largest value is no jump, but rounding."""
HALVINGS = 60
"""The halvings that find a jump of a density: afterwards both sides are neighbouring numbers."""


def _amounts(**arguments: float) -> None:
    for name, value in arguments.items():
        amounts(name, np.array(value, float))


@typed
def erlang_c(servers: int, offered_load: float) -> float:
    """The probability that a customer must wait in an M/M/c queue.

    `offered_load` is the arrival rate times the mean service time, the mean number of busy servers (in
    Erlang). Computed from logarithms of Erlang's loss formula, so that thousands of servers are no trouble.
    Raises ValueError when the load is negative or at least `servers`: the queue then grows for ever. Source:
    Erlang (1917); Gross and Harris, "Fundamentals of Queueing Theory", the multi-server queue. With two
    servers the formula is 2 r^2 / (1 + r) at r = load / 2; the second line is their eye clinic: three
    doctors, six patients an hour, twenty minutes each.

    >>> round(erlang_c(2, 1.0) * 3, 12)
    1.0
    >>> round(erlang_c(3, 2.0) * 9, 12)
    4.0
    """
    whole("servers", np.array(servers, float), 1)
    _amounts(offered_load=offered_load)
    if offered_load >= servers:
        raise ValueError(f"offered_load: {offered_load:g} on {servers} servers, must be less")
    if offered_load == 0:
        return 0.0
    # Erlang B is P(X = c) / P(X <= c) for X Poisson with the load as its mean, and C follows from B.
    exactly_all = math.exp(servers * math.log(offered_load) - offered_load - gammaln(servers + 1))
    blocked = exactly_all / pdtr(servers, offered_load)
    return float(blocked / (1 - offered_load / servers * (1 - blocked)))


@typed
def mmc_mean_wait(arrival_rate: float, service_rate: float, servers: int) -> float:
    """The mean time spent waiting, before service, in an M/M/c queue, in the unit of time of the rates.

    `service_rate` is that of one server. Raises ValueError on an unstable load, a negative rate or no
    service. Source: Gross and Harris, the multi-server queue; in their eye clinic a patient waits 4/27 of an
    hour, and stays 28.9 minutes in all.

    >>> wait = mmc_mean_wait(arrival_rate=6, service_rate=3, servers=3)
    >>> round(wait * 27, 12), round(60 * (wait + 1 / 3), 1)
    (4.0, 28.9)
    """
    whole("servers", np.array(servers, float), 1)
    _amounts(arrival_rate=arrival_rate, service_rate=service_rate)
    if service_rate == 0:
        raise ValueError("service_rate: 0, must be positive")
    return erlang_c(servers, arrival_rate / service_rate) / (servers * service_rate - arrival_rate)


@typed
def pollaczek_khinchine(arrival_rate: float, mean_service: float, second_moment: float) -> float:
    """The mean time spent waiting, before service, in an M/G/1 queue: lambda E[S^2] / (2 (1 - rho)).

    `arrival_rate` is lambda, `mean_service` E[S] and `second_moment` E[S^2], in the square of the unit of
    `mean_service`. Raises ValueError on an unstable load and on moments that no distribution has. Source:
    Pollaczek (1930), Khinchine (1932). The example is Kleinrock's M/H2/1 queue ("Queueing Systems" I, Section
    5.5): service at rate 1 with probability 1/4 and rate 2 with 3/4, so that E[S] = 5/8 and E[S^2] = 7/8; at
    arrival rate 1 he finds 43/24 = 1.79 customers in the system.

    >>> wait = pollaczek_khinchine(arrival_rate=1, mean_service=5 / 8, second_moment=7 / 8)
    >>> round(24 * little(1, wait + 5 / 8), 12)
    43.0
    """
    _amounts(arrival_rate=arrival_rate, mean_service=mean_service, second_moment=second_moment)
    load = arrival_rate * mean_service
    if load >= 1:
        raise ValueError(f"arrival_rate, mean_service: the load is {load:g}, must be less than 1")
    if second_moment < mean_service**2 * (1 - 1e-12):
        least = mean_service**2
        raise ValueError(
            f"second_moment: {second_moment:g}, must be at least the mean squared, {least:g}"
        )
    return float(arrival_rate * second_moment / (2 * (1 - load)))


@typed
def ps_mean_response(arrival_rate: float, service_rate: float) -> float:
    """The mean time from arrival to end in an M/G/1 queue under processor sharing: 1 / (mu - lambda).

    `arrival_rate` is lambda, `service_rate` mu, one over the mean service time. All jobs present share the
    server equally. The mean depends on no more than the mean service time, whatever the law. Raises
    ValueError on an unstable load or a negative rate. Source: Harchol-Balter, "Performance Modeling and
    Design of Computer Systems" (2013), Chapter 30.

    See also: `theory.srpt_mean_response`, `theory.pollaczek_khinchine`.

    >>> ps_mean_response(arrival_rate=0.75, service_rate=1)
    4.0
    """
    _amounts(arrival_rate=arrival_rate, service_rate=service_rate)
    if arrival_rate >= service_rate:
        raise ValueError(f"arrival_rate: {arrival_rate:g}, must be less than {service_rate:g}")
    return 1 / (service_rate - arrival_rate)


@typed
def srpt_mean_response(
    arrival_rate: float, density: Callable, smallest: float, largest: float
) -> float:
    """The mean time from arrival to end in an M/G/1 queue under shortest remaining processing time.

    `density` is that of the service times, a function of an array of sizes; they lie between `smallest` and
    `largest`. A law without a largest size is cut where nothing is left of it. The formula is integrated
    numerically between the density's jumps, which are found. Raises ValueError on an unstable load, and on a
    density that is not a function of arrays, is negative or does not integrate to 1 within a millionth.
    Source: Schrage and Miller (1966). For equal service times SRPT is
    first come, first served, so sizes from 0.999 to 1.001 wait nearly as Pollaczek and Khinchine's jobs of 1:

    See also: `theory.srpt_response`, `theory.ps_mean_response`.

    >>> equal = srpt_mean_response(0.5, lambda x: 500 + 0 * x, 0.999, 1.001)
    >>> round(equal, 2), round(1 + pollaczek_khinchine(0.5, 1.0, 1.0), 2)
    (1.5, 1.5)
    """
    sizes, chance, response = _srpt(arrival_rate, density, smallest, largest, largest)
    return float(_integral(sizes, chance * response)[-1, -1])


@typed
def srpt_response(
    size: float, arrival_rate: float, density: Callable, smallest: float, largest: float
) -> float:
    """The mean time from arrival to end of a job of this size under SRPT; the rest as in `srpt_mean_response`.

    A job of size x waits for the jobs that are shorter, and for longer ones of which at most x is left. Once it
    runs, jobs shorter than what is left of it overtake: lambda (m(x) + x^2 P(S > x)) / (2 (1 - rho(x))^2) plus the
    integral of 1 / (1 - rho(t)) from 0 to x, where rho(x) is the load, and m(x) the second moment, of jobs up to x.
    Raises ValueError on a size that is outside, too. Source: Schrage and Miller (1966).

    See also: `theory.srpt_mean_response`.

    >>> at_once = srpt_response(0.5, 0.8, lambda x: 1 + 0 * x, 0.0, 1.0)
    >>> last = srpt_response(1.0, 0.8, lambda x: 1 + 0 * x, 0.0, 1.0)
    >>> 0.5 < at_once < last
    True
    """
    sizes, _, response = _srpt(arrival_rate, density, smallest, largest, size)
    return float(response.flat[abs(sizes - size).argmin()])


def _srpt(arrival_rate, density, smallest, largest, size):
    """The pieces (P, SIZES) of sizes between the density's jumps and `size`; over them the density, and the mean
    response of a job of each size, by the formula of Schrage and Miller."""
    _amounts(arrival_rate=arrival_rate, smallest=smallest, largest=largest)
    if largest <= smallest:
        raise ValueError(f"largest: {largest:g}, must be more than smallest, {smallest:g}")
    if not smallest <= size <= largest:
        raise ValueError(f"size: {size:g}, must be between {smallest:g} and {largest:g}")
    with np.errstate(all="ignore"):
        sizes = _pieces(density, max(smallest, 1e-15 * largest), largest, size)
        chance = _values(density, sizes)
        upto = _integral(sizes, chance)  # P(S <= x)
        load = arrival_rate * _integral(sizes, sizes * chance)  # rho(x)
        second = _integral(sizes, sizes**2 * chance)  # E[S^2 if S <= x]
    mass = upto[-1, -1]
    if not (chance >= 0).all() or not abs(mass - 1) < MASS:
        raise ValueError(
            f"density: integrates to {mass:.8g} from {smallest:g} to {largest:g}, must be 1 and "
            "nowhere negative"
        )
    if load[-1, -1] >= 1:
        raise ValueError(
            f"arrival_rate, density: the load is {load[-1, -1]:g}, must be less than 1"
        )
    ahead = second + sizes**2 * (1 - upto)
    wait = arrival_rate * ahead / (2 * (1 - load) ** 2)
    in_service = sizes[0, 0] + _integral(sizes, 1 / (1 - load))
    return sizes, chance, wait + in_service


def _values(density, sizes):
    """The density at these sizes; ValueError when it does not take arrays."""
    try:
        values = np.array(density(sizes.ravel()), float)
    except Exception as error:
        raise ValueError(f"density: it stopped at an array of sizes ({error})") from error
    if values.shape != (sizes.size,):
        raise ValueError("density: must give as many values as it is given sizes")
    return values.reshape(sizes.shape)


def _pieces(density, smallest, largest, size):
    """Sizes (P, SIZES) between jumps of the density and `size`, evenly spaced as logarithms in each piece.

    Between two sizes of a first grid a jump is found by halving: it remains however near both sides are.
    """
    grid = np.geomspace(smallest, largest, SIZES)
    left, right = grid[:-1], grid[1:]
    values = _values(density, grid)
    low, high = values[:-1], values[1:]
    least = np.maximum(abs(high - low) / 2, SMOOTH * values.max())
    for _ in range(HALVINGS):
        middle = (left + right) / 2
        between = _values(density, middle)
        above = abs(high - between) > abs(between - low)
        left, low = np.where(above, middle, left), np.where(above, between, low)
        right, high = np.where(above, right, middle), np.where(above, high, between)
    jumps = abs(high - low) > least
    begins = np.sort([smallest, size, *right[jumps]])
    ends = np.sort([size, largest, *left[jumps]])
    wide = begins < ends
    return np.geomspace(begins[wide], ends[wide], SIZES, axis=1)


def _integral(sizes, values):
    """The integral of values over sizes, from the smallest to each, over all pieces (P, SIZES)."""
    within = cumulative_simpson(values * sizes, x=np.log(sizes), initial=0.0)
    before = np.cumsum(within[:, -1]) - within[:, -1]
    return before[:, None] + within


@typed
def sita_mean_waits(
    arrival_rate: float,
    shares: Sequence[float],
    mean_service: Sequence[float],
    second_moment: Sequence[float],
    servers: Sequence[int],
) -> list[float]:
    """The mean wait of each size class under SITA: a class has servers of its own, a job joins a random one.

    A class is a row of `shares` (its part of the jobs; they sum to 1), `mean_service`, `second_moment`
    (E[S^2] of its jobs) and `servers` (1, 2, ...), all of one length. A Poisson stream split at random stays
    Poisson, so each server is an M/G/1 queue by itself; the mean over all jobs is the sum of shares times
    waits. Raises ValueError on shares that do not sum to 1, and as `pollaczek_khinchine` does. Source:
    Harchol-Balter, "Performance Modeling and Design of Computer Systems" (2013), Chapter 24. Nine jobs of
    exactly 1 for each one of 9, half a job per unit of time, a server for each kind:

    >>> waits = sita_mean_waits(0.5, [0.9, 0.1], [1, 9], [1, 81], [1, 1])
    >>> [round(22 * wait, 9) for wait in waits]
    [9.0, 81.0]
    """
    _amounts(arrival_rate=arrival_rate)
    rows = _rows(
        shares=shares, mean_service=mean_service, second_moment=second_moment, servers=servers
    )
    whole("servers", rows[:, 3], 1)
    if abs(sum(shares) - 1) > 1e-9:
        raise ValueError(f"shares: they sum to {sum(shares):g}, must sum to 1")
    return [
        pollaczek_khinchine(arrival_rate * share / n, mean, second)
        for share, mean, second, n in rows.tolist()
    ]


def _rows(**columns):
    """A row for each class of a number in each column; ValueError when one is not as long as the first."""
    arrays = []
    for name, values in columns.items():
        arrays.append(numbers(name, values, 1, "one number per class"))
        amounts(name, arrays[-1])
        if len(arrays[-1]) != len(arrays[0]):
            first = next(iter(columns))
            raise ValueError(
                f"{name}: {len(arrays[-1])} values for {len(arrays[0])} {first}; give one per class"
            )
    return np.stack(arrays, axis=1)


@typed
def preemptive_mean_responses(
    arrival_rate: Sequence[float], mean_service: Sequence[float], second_moment: Sequence[float]
) -> list[float]:
    """The mean time from arrival to end of each class in an M/G/1 queue under preemptive priority (resume).

    A class is a row of `arrival_rate` (lambda_k), `mean_service` and `second_moment` (E[S^2] of its jobs), all of one
    length; the first class goes first. With rho_k the load of the classes up to k, a job of class k is served for
    E[S_k] / (1 - rho_{k-1}) with its interruptions, and waits before for the sum of lambda_i E[S_i^2] / 2 over these
    classes, divided by (1 - rho_{k-1}) (1 - rho_k). Raises ValueError on columns of other lengths and a load of 1 or
    more. Source: Cobham (1954) and, with preemption, Harchol-Balter, "Performance Modeling and Design of
    Computer Systems" (2013), Chapter 32. The first class does not see the second:

    >>> first, second = preemptive_mean_responses([0.25, 0.5], [1, 1], [2, 2])
    >>> round(0.75 * first, 9), round(second, 9)
    (1.0, 5.333333333)
    """
    rates, means, seconds = _rows(
        arrival_rate=arrival_rate, mean_service=mean_service, second_moment=second_moment
    ).T
    load = np.cumsum(rates * means)
    if load[-1] >= 1:
        raise ValueError(f"arrival_rate: the load is {load[-1]:g}, must be less than 1")
    before = 1 - load + rates * means
    waits = np.cumsum(rates * seconds) / (2 * before * (1 - load))
    return (means / before + waits).tolist()


@typed
def choices_tail(load: float, choices: int, length: int) -> float:
    """The fraction of servers with at least `length` jobs when arrivals join the shortest of `choices`.

    A job in service counts. Poisson arrivals of `load` per server and mean service time, exponential service,
    servers chosen at random, in the limit of many servers. The fixed point is s_k = load * s_{k-1}^d with s_0
    = 1 and d choices, so s_k = load^((d^k - 1) / (d - 1)): a double exponential in k, where one choice gives
    load^k. Raises ValueError when the load is 1 or more. Source: Vvedenskaya, Dobrushin, Karpelevich (1996);
    Mitzenmacher, "The power of two choices in randomized load balancing" (TPDS 2001).

    >>> [choices_tail(0.5, 2, k) == 0.5**e for k, e in enumerate((0, 1, 3, 7, 15))]
    [True, True, True, True, True]
    """
    _amounts(load=load, length=length)
    if load >= 1:
        raise ValueError(f"load: {load:g}, must be less than 1")
    whole("choices", np.array(choices, float), 1)
    if length > LONGEST:
        raise ValueError(f"length: {length:g}, queues longer than {LONGEST:,} are not supported")
    tail = 1.0
    for _ in range(int(length)):
        tail = load * tail ** int(choices)
    return tail


@typed
def choices_mean_time(load: float, choices: int) -> float:
    """The mean time from arrival to end, in mean service times, when arrivals join the shortest of `choices`.

    The sum of `choices_tail` over lengths is the mean number at a server; Little's law makes a time of it.
    One choice is M/M/1. Raises ValueError as `choices_tail` does. The example is Mitzenmacher's predictions
    for two choices at loads 0.5, 0.9 and 0.99 (TPDS 2001); at 0.99 one choice takes 100.

    >>> [round(choices_mean_time(load, 2), 4) for load in (0.5, 0.9, 0.99)]
    [1.2657, 2.6141, 5.432]
    """
    number, tail = 0.0, choices_tail(load, choices, 1)
    if choices == 1 or load == 0:
        return 1 / (1 - load)
    while tail > 0:
        number, tail = number + tail, load * tail ** int(choices)
    return number / load


@typed
def little(arrival_rate: float, mean_time: float) -> float:
    """Little's law, L = lambda W: the mean number of customers somewhere, from the mean time each is there.

    Holds for any part of any stable system: waiting times give the queue's length, service times the number
    of busy servers. Source: Little (1961). In the eye clinic of Gross and Harris, six patients an hour
    staying 13/27 of an hour are 26/9 of them.

    >>> round(9 * little(6, 13 / 27), 12)
    26.0
    """
    _amounts(arrival_rate=arrival_rate, mean_time=mean_time)
    return float(arrival_rate * mean_time)
