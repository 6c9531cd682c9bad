"""One reader per public trace, each giving a `Workload`: Alibaba 2018, Google 2011, Hawk/Eagle's `.tr`, Facebook's SWIM.

All follow one rule. What is wrong with the *file* (cut short, a wrong number of columns, no number where one belongs, a
negative time) is refused with ValueError, naming file and row. What is odd in the *trace* (no end, events twice or out of
order) is counted, and the count is in the workload's `report`. `schedlib.traces.download` fetches what can be fetched.
"""

from schedlib.traces.alibaba2018 import alibaba2018
from schedlib.traces.google2011 import google2011_folder, google2011_jobs, google2011_tasks
from schedlib.traces.hawk import read_hawk, write_hawk
from schedlib.traces.swim import read_swim

__all__ = ["alibaba2018", "google2011_folder", "google2011_jobs", "google2011_tasks", "read_hawk", "read_swim", "write_hawk"]
