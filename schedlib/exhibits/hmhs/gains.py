"""How the comparisons are drawn and judged: HMHS's gain over a rival, in per cent of the rival's makespan.

Every measure gives one number per seed. Policies are compared on the same instance, so a gain is a paired
difference.
"""

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

from schedlib.experiment import claim_maker
from schedlib.intervals import mean_ci
from schedlib.pictures import style

RIVALS = ("fifo", "fifo-pri", "r-hmhs")
TITLES = {"single": "Single workload", "hybrid": "Hybrid workload", "alibaba": "Alibaba hour"}
JOBS_LABEL = "number of jobs"

claim = claim_maker("hmhs", metric="gain of HMHS", unit="% of the rival's makespan", tolerance=5.0)
"""Makes a claim on a gain; 5 points are about what can be read off the paper's small bar charts."""
ORDER = {"check": "order", "tolerance": 0.0}
TREND = {"check": "trend", "tolerance": 0.0, "metric": "slope of the gain"}


def against(frame: pd.DataFrame, base: str) -> pd.DataFrame:
    """`frame` with a column `base` that holds, in every row, the makespan of `base` on the same instance."""
    same = [name for name in frame.columns if name not in ("policy", "makespan", "optimum")]
    other = frame.loc[frame["policy"] == base, [*same, "makespan"]].rename(columns={"makespan": base})
    return frame.merge(other, on=same, validate="many_to_one")


def gains(frame: pd.DataFrame) -> pd.DataFrame:
    """The rivals' rows with `gain`: by how many per cent of its makespan HMHS ends sooner."""
    rows = against(frame[frame["policy"].isin(["hmhs", *RIVALS])], "hmhs")
    return rows[rows["policy"] != "hmhs"].assign(gain=100 * (1 - rows["hmhs"] / rows["makespan"]))


def gain_over(
    rival: str, workload: str | None = None, *, extreme: str = "max", at: float | None = None
) -> Callable[[pd.DataFrame], np.ndarray]:
    """A measure: the gain over `rival` where its mean is largest (or `"min"`: smallest), or at one value."""

    def measure(frame: pd.DataFrame) -> np.ndarray:
        rows = gains(frame)
        rows = rows[(rows["policy"] == rival) & ((workload is None) | (rows["workload"] == workload))]
        axis = "slow" if "slow" in rows else "jobs"
        if at is not None:
            return rows.loc[rows[axis] == at, "gain"].to_numpy()
        table = rows.pivot_table(index="seed", columns=["workload", axis], values="gain")
        return table[table.mean().idxmin() if extreme == "min" else table.mean().idxmax()].to_numpy()

    return measure


def slope(rival: str, workload: str, axis: str) -> Callable[[pd.DataFrame], list[float]]:
    """A measure: by how much the gain grows per doubling of jobs, or per ten points fewer slow machines."""

    def measure(frame: pd.DataFrame) -> list[float]:
        rows = gains(frame)
        rows = rows[(rows["policy"] == rival) & (rows["workload"] == workload)]
        x = np.log2 if axis == "jobs" else lambda share: share / 10
        sign = 1 if axis == "jobs" else -1
        return [sign * np.polyfit(x(one[axis]), one["gain"], 1)[0] for _, one in rows.groupby("seed")]

    return measure


def jobs_axis(ax: Axes, jobs: Iterable[int]) -> None:
    """A logarithmic axis of numbers of jobs, with a tick at each of them."""
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_locator(FixedLocator(sorted(set(jobs))))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(ScalarFormatter())


def log_y(ax: Axes, lowest: float) -> None:
    """A logarithmic axis that ends at half the lowest mean, since an interval may reach zero."""
    ax.set_yscale("log")
    ax.set_ylim(bottom=lowest / 2)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")


def plot_makespans(frame: pd.DataFrame, x: str = "jobs", label: str = JOBS_LABEL) -> Figure:
    """Makespans above and HMHS's gains below, a column for each workload; for one workload side by side."""
    workloads = list(dict.fromkeys(frame["workload"]))
    if len(workloads) == 1:
        figure, axes = style.subplots(1, 2, size=(8.8, 3.8), squeeze=False)
        axes = axes.T
    else:
        figure, axes = style.subplots(2, len(workloads), size=(4.4 * len(workloads), 6.4))
    shown = frame[frame["policy"].isin(["hmhs", *RIVALS])].assign(hours=frame["makespan"] / 3600)
    gain = gains(frame)
    for (top, bottom), name in zip(axes.T, workloads, strict=True):
        hours = shown[shown["workload"] == name]
        style.band(top, hours, x, "hours", by="policy")
        style.band(bottom, gain[gain["workload"] == name], x, "gain", by="policy")
        top.set(title=TITLES[name], xlabel=label, ylabel="makespan (hours)")
        log_y(top, hours.groupby([x, "policy"])["hours"].mean().min())
        lowest = min(-5, gain["gain"].min())
        bottom.set(xlabel=label, ylabel="HMHS shorter than rival by (%)", ylim=(lowest, 100))
        if x == "jobs":
            jobs_axis(top, frame["jobs"])
            jobs_axis(bottom, frame["jobs"])
    axes[0, 0].legend(title="policy")
    axes[1, 0].legend(title="rival")
    return figure


def alt_makespans(frame: pd.DataFrame, x: str = "jobs", what: str = "the number of jobs") -> str:
    """The gains over FIFO at both ends of the axis, in words."""
    gain = gains(frame)
    gain = gain[gain["policy"] == "fifo"]
    ends = []
    for at in (gain[x].min(), gain[x].max()):
        mean, low, high = mean_ci(gain.loc[gain[x] == at, "gain"])
        ends.append(f"{mean:.0f} %{'' if low != low else f' ({low:.0f} to {high:.0f})'} at {at:g}")
    return (
        f"Line charts of makespan and of HMHS's gain against {what}. "
        f"Mean gain over FIFO: {', '.join(ends)} (95 % intervals in brackets)."
    )
