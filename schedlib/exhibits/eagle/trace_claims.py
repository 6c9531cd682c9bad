"""The claims of the Eagle paper on its prototype (as far as a simulator can tell) and its four-node example, with their tolerances."""

from schedlib.exhibits.eagle.claiming import ALL, claim, long, margin, short
from schedlib.exhibits.eagle.comparing import extreme_case, only, per_seed, slope

CUT = {"sample": "cut"}
"""The sample cut as the paper says is judged, its jobs keeping their class, so that the classes keep their task-seconds, as it wants.

In a first run, before jobs could keep their class, the sample made small was judged; it is shown beside this one.
"""


def _reduction(**where):
    """The largest reduction (%) of the short jobs' completion time against Hawk's, per seed."""
    return lambda frame: 100 * (1 - extreme_case(short(frame, "eagle", "hawk", **where), largest=False))


def _lightly_loaded(frame):
    """The largest reduction (%) of the 50th percentile in the upper half of the ratios, per seed."""
    upper = frame[frame["interarrival"] >= frame["interarrival"].median()]
    return _reduction(percentile=50, **CUT)(upper)


def _completion(case):
    """Seconds from submission to end of the example's job, per seed."""

    def measure(frame):
        rows = only(frame, case=case, last=True)
        return rows.groupby("seed")["finish"].max().to_numpy() - rows.groupby("seed")["submit"].min().to_numpy()

    return measure


PROTOTYPE = {"experiment": "eagle.fig9"}
SIMULATED = "the paper measures a Spark prototype; here the sample is simulated"
EXAMPLE = {
    "experiment": "eagle.example", "check": "value", "tolerance": 0.1, "metric": "completion time of the job of four tasks",
    "unit": "units of time", "how_read": "messages take some milliseconds",
}  # fmt: skip

CLAIMS = (
    claim("example-probes", "Section 4.1", "Four nodes, queues of 100, 100, 10, 10: with a probe a task the job takes 110",
          _completion("one task a probe"), 110.0, **EXAMPLE),
    claim("example-sbp", "Section 4.1", "With SBP it takes 30", _completion("sbp"), 30.0, **EXAMPLE),
    claim("example-yaq", "Section 4.2", "Yaq, taking all queues to be alike, binds a task to each node and takes 110",
          _completion("dlwl"), 110.0, **EXAMPLE),
    claim("prototype-better", "Section 7; Fig. 9a", "Short jobs complete sooner under Eagle than under Hawk across the board",
          margin("eagle", "hawk", **CUT), **PROTOTYPE, metric="1 less the ratio to Hawk", unit="1", how_read=ALL, reason=SIMULATED),
    claim("prototype-80", "Section 7; Fig. 9a", "The improvement reaches 80 % at an inter-arrival ratio of 1.2",
          _reduction(interarrival=1.2, **CUT), 80.0, **PROTOTYPE, check="value", tolerance=15.0,
          metric="reduction of the completion time", unit="%",
          how_read="the best percentile; the ratio is one over the load", reason=SIMULATED),
    claim("prototype-load", "Section 7; Fig. 9a", "The higher the load, the more Eagle improves on Hawk",
          lambda frame: slope(short(frame, "eagle", "hawk", **CUT), "interarrival"), **PROTOTYPE, check="trend", tolerance=0.0, unit="1",
          metric="growth of the mean log ratio from one load to the next", reason=SIMULATED),
    claim("prototype-60", "Section 7; Fig. 9a", "As the load goes down gains remain, up to 60 % at the 50th percentile", _lightly_loaded, 60.0,
          **PROTOTYPE, check="value", tolerance=15.0, metric="reduction of the completion time", unit="%",
          how_read="the best of the upper half of the inter-arrival ratios", reason=SIMULATED),
    claim("prototype-long", "Section 7; Fig. 9b", "Long jobs take about as long under both",
          lambda frame: per_seed(long(frame, "eagle", "hawk", **CUT)), 1.0, **PROTOTYPE, check="ratio",
          tolerance=0.1, metric="ratio to Hawk", unit="1", how_read="within a factor of 1.1, mean over percentiles and loads",
          reason=SIMULATED),
)  # fmt: skip
