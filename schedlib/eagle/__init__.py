"""Eagle and its rivals: scheduling short jobs beside long ones (Delgado, Didona, Dinu and Zwaenepoel, SoCC 2016)."""

from schedlib.eagle.alibaba import alibaba
from schedlib.eagle.measures import cutoff_for, job_means, offered_load, short_share, table1
from schedlib.eagle.small_workloads import four_nodes, google_sample
from schedlib.eagle.workloads import CUTOFF, HEARTBEAT, JOBS, LONG_SHARE, LONG_WORK, PARTITION, WORKERS, cloudera, google, yahoo

__all__ = [
    "CUTOFF", "HEARTBEAT", "JOBS", "LONG_SHARE", "LONG_WORK", "PARTITION", "WORKERS", "alibaba", "cloudera", "cutoff_for", "four_nodes",
    "google", "google_sample", "job_means", "offered_load", "short_share", "table1", "yahoo",
]  # fmt: skip
