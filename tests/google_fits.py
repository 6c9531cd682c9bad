"""How the parameters of the model of Google's month were made from its job table: the two fits."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import CensoredData, ecdf

from schedlib.lotes import ArrivalModel
from schedlib.lotes.workloads.month import HOURS

PERIODS = (168.0, 24.0, 4.0)
"""Hours: a week, a day, and every four hours, a line of the spectrum of Google's arrivals that stands out."""


def fit_arrivals(counts, *, first=0, periods=PERIODS):
    """Fit the model to `counts (H,)`, the jobs of H consecutive whole hours from hour number `first` on.

    Maximum likelihood of log counts as a Gaussian AR(1) around a level and waves of the `periods` (h): given
    what one hour keeps of the last one's deviation, the rest is least squares on whitened logarithms; that
    one number is searched. The counts' own Poisson noise counts as the AR(1)'s, which is right for hundreds
    of jobs an hour.
    """
    counts = np.asarray(counts, float)
    log, hours = np.log(counts), first + np.arange(len(counts))
    waves = [wave(2 * np.pi * hours / period) for period in periods for wave in (np.cos, np.sin)]
    design = np.column_stack([np.ones(len(log)), *waves])

    def white(values, keep):
        return np.concatenate((np.sqrt(1 - keep**2) * values[:1], values[1:] - keep * values[:-1]))

    def around(keep):
        """Coefficients, and the variance of what each hour adds, when it keeps that share."""
        x, y = white(design, keep), white(log, keep)
        best = np.linalg.lstsq(x, y)[0]
        return best, float(np.mean((y - x @ best) ** 2))

    def loss(keep):
        return len(log) / 2 * np.log(around(keep)[1]) - np.log(1 - keep**2) / 2

    keep = float(
        minimize_scalar(loss, bounds=(1e-6, 1 - 1e-6), method="bounded", options={"xatol": 1e-9}).x
    )
    best, variance = around(keep)
    cycles = tuple(
        (
            float(period),
            float(np.hypot(*wave)),
            float(np.arctan2(*wave[::-1]) / (2 * np.pi) * period % period),
        )
        for period, wave in zip(periods, best[1:].reshape(-1, 2), strict=True)
    )
    return ArrivalModel(
        float(np.exp(best[0])),
        float(np.sqrt(variance / (1 - keep**2))),
        float(-1 / np.log(keep)),
        cycles,
    )


def fit_durations(times):
    """A table like `DURATIONS`, (N, 3), of jobs as `google_times` gives them, by Kaplan and Meier: a job that
    does not end counts as one that runs longer than was seen.
    """
    longer = np.r_[
        1, 0.995, 0.99, 0.975, np.arange(0.95, 0.45, -0.05), 0.585, 0.4 * 0.8 ** np.arange(28), 0
    ]
    longer = np.sort(longer)[::-1]
    columns = []
    for part in (times["submit"] == 0, times["submit"] > 0):
        duration, ended = times["duration"][part].to_numpy(), times["ended"][part].to_numpy()
        left = ecdf(CensoredData.right_censored(duration, ~ended)).sf
        at = np.searchsorted(-left.probabilities, -longer + 1e-12)
        hours = np.append(
            left.quantiles, HOURS if left.probabilities[-1] > 1e-12 else left.quantiles[-1]
        )[at]
        columns.append(np.where(longer == 1, duration.min(), hours))
    return np.column_stack([longer, *columns])
