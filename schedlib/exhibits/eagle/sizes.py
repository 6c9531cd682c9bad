"""How large Eagle's experiments are at each scale of the reproduction, in jobs and as a share of the paper's clusters."""

from schedlib.eagle.workloads.synthetic import JOBS, WORKERS

TRACES = ("google", "cloudera", "yahoo")
SCALE = {
    "smoke": {"google": 1 / 150, "cloudera": 1 / 150, "yahoo": 1 / 40},
    "quick": {"google": 1 / 10, "cloudera": 1 / 15, "yahoo": 1 / 4},
    "paper": dict.fromkeys(TRACES, 1.0),
}
"""The simulated cluster over the paper's: 100 workers, then 1,000 to 1,500 at the highest load, then its own."""
SIZE = {
    "smoke": dict.fromkeys(TRACES, 400),
    "quick": {"google": 30_000, "cloudera": 3_000, "yahoo": 5_000},
    "paper": {trace: JOBS[trace] for trace in TRACES},
}
"""Numbers of jobs: what two cores do in a minute, then Table 1's."""
FIVE = {"smoke": 2, "quick": 5, "paper": 5}
ALL = ("smoke", "quick", "paper")


def size(scale: str, trace: str = "google") -> dict:
    """A point's `jobs` and `scale`."""
    return {"jobs": SIZE[scale][trace], "scale": SCALE[scale][trace]}


def loads(scale: str, traces=("google",), step: int = 1) -> list[dict]:
    """A point for every (or every `step`-th) number of workers of these traces."""
    return [{"trace": trace, "workers": workers, **size(scale, trace)} for trace in traces for workers in WORKERS[trace][::step]]


def highest(scale: str, points) -> list[dict]:
    """These points on Google's trace with the fewest workers."""
    return [{**point, "workers": min(WORKERS["google"]), **size(scale)} for point in points]
