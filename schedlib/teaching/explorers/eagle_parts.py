"""The explorer of Eagle's parts: SSS, SBP, SRPT, the minimum of probes, the cap and wrong estimates."""

import functools
import itertools
from dataclasses import replace

import ipywidgets as widgets
import numpy as np
from matplotlib.ticker import NullLocator

from schedlib import eagle
from schedlib.pictures import style
from schedlib.teaching.explorers.explorer import Explorer, Picture, menu, placed, slider, working

WORKERS, JOBS = 600, 20_000
ESTIMATES = {"right": "mean", "too small, 0.1 to 1 times": (0.1, 1), "too large, 1 to 1.9 times": (1, 1.9)}
PERCENTILES = (50, 90, 99)
LONGER = np.geomspace(100, 0.1, 200)
"""The shares of jobs (%) at which the curves are drawn."""
LOOKS = {
    "eagle": style.look("eagle"),
    "hawk": style.look("hawk")._replace(color="#777777", linestyle=":"),
    "chosen": style.Look(style.VERMILLION, "--", "s", "your choice"),
}


@functools.lru_cache(maxsize=8)
def _workload(seed):
    return eagle.google(JOBS, seed=seed, scale=WORKERS / eagle.WORKERS["google"][0])


def _simulated(system, estimate, seed):
    """Sorted completion times of short jobs (s)."""
    jobs = eagle.simulate(_workload(seed), system, WORKERS, seed=seed, estimate=ESTIMATES[estimate],
                          short_partition=eagle.PARTITION["google"], cutoff=eagle.CUTOFF["google"]).jobs
    return np.sort(jobs.loc[~jobs["long"], "completion"].to_numpy())


_chosen = functools.lru_cache(maxsize=64)(_simulated)
_shipped = functools.cache(_simulated)  # the two systems that every choice is compared with


def draw_parts(sss: bool = True, sbp: bool = True, srpt: bool = True, min_probes: int = 20, cap: int = 5,
               estimate: str = "right", seed: int = 0) -> Picture:
    """Short jobs under an Eagle with these parts, the whole Eagle and Hawk: 20,000 jobs on 600 workers. On
    the left the share that takes longer than a time, on the right percentiles over the whole Eagle's.
    `estimate`, for all three, is a key of `ESTIMATES`."""
    chosen = eagle.Eagle(sss=sss, sbp=sbp, srpt=srpt, min_probes=min_probes)
    chosen = replace(chosen, name="your choice", cap=float(cap))
    took = {name: _shipped(name, estimate, seed) for name in ("eagle", "hawk")}
    took["chosen"] = _chosen(chosen, estimate, seed)
    figure, (left, right) = placed((9.0, 3.8), (0.075, 0.14, 0.5, 0.76), (0.67, 0.14, 0.31, 0.76))
    for name, times in took.items():
        left.plot(np.percentile(times, 100 - LONGER), LONGER, **LOOKS[name].line() | {"marker": ""})
    left.set(xscale="log", xlabel="completion time of a short job (s)", xlim=(10, 30_000), title="Short jobs")
    left.set(yscale="log", ylabel="jobs that take longer (%)", ylim=(0.1, 110))
    left.legend(loc="lower left")
    whole, mine = (np.percentile(took[name], PERCENTILES) for name in ("eagle", "chosen"))
    ratio = mine / whole
    right.barh(range(3), ratio - 1, left=1, height=0.6, color=LOOKS["chosen"].color, alpha=0.8)
    for row, (value, seconds) in enumerate(zip(ratio, mine, strict=True)):
        text = f"{value:.2f} times\n({seconds:,.0f} s)"
        right.text(max(value, 1) * 1.1, row, text, va="center", fontsize=9)
    right.axvline(1, color="black", linewidth=1)
    right.set(xscale="log", xlabel="over the whole Eagle's", xlim=(0.5, 400), title="Percentiles")
    right.set(ylim=(2.6, -0.6), yticks=range(3), yticklabels=[f"{p} %" for p in PERCENTILES])
    for axis in (left.xaxis, left.yaxis, right.xaxis):
        axis.set_major_formatter("{x:,g}")
        axis.set_minor_locator(NullLocator())  # small ticks would take half of the time of a move
    words = ", ".join(f"{p} % {value:.2f}" for p, value in zip(PERCENTILES, ratio, strict=True))
    alt = "Completion times of short jobs; the choice's percentiles over those of the whole Eagle"
    return figure, f"{alt}: {words}."


def parts() -> Explorer:
    """Boxes for SSS, SBP and SRPT, sliders for the probes, the cap and the seed, a menu of estimates."""
    controls = {name: widgets.Checkbox(True, description=name.upper()) for name in ("sss", "sbp", "srpt")}
    controls |= {"min_probes": slider(20, 0, 60, 5, text="fewest probes a job"),
                 "cap": slider(5, 0, 20, text="cap (times estimate)"),
                 "estimate": menu(list(ESTIMATES), text="estimates"), "seed": slider(0, 0, 4, text="seed")}
    with working():  # what a choice is compared with is simulated before the first move
        for setting in itertools.product(("eagle", "hawk"), ESTIMATES, range(5)):
            _shipped(*setting)
    return Explorer(draw_parts, controls, height=390)
