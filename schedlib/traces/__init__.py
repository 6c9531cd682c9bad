"""One reader per public trace, each giving a `Workload`; `schedlib.traces.download` fetches traces.

What is wrong with the *file* (missing, empty or cut short, a wrong number of columns, a blank or no number
where one belongs, a negative, infinite or unknown value) is refused with ValueError, naming file and row.
What is odd in the *trace* (no end, events twice or out of order) is counted in the workload's `report`.
"""

# `as` makes a name public; a new reader needs its file and one such line.
from schedlib.traces.alibaba2018 import alibaba2018 as alibaba2018
from schedlib.traces.alibaba_gpu2023 import alibaba_gpu2023 as alibaba_gpu2023
from schedlib.traces.alibaba_gpu2023 import alibaba_gpu2023_folder as alibaba_gpu2023_folder
from schedlib.traces.google2011 import google2011_folder as google2011_folder
from schedlib.traces.google2011 import google2011_jobs as google2011_jobs
from schedlib.traces.google2011 import google2011_tasks as google2011_tasks
from schedlib.traces.hawk import hawk_folder as hawk_folder
from schedlib.traces.hawk import read_hawk as read_hawk
from schedlib.traces.hawk import write_hawk as write_hawk
from schedlib.traces.swim import read_swim as read_swim
from schedlib.traces.swim import swim_folder as swim_folder

__all__ = [name for name, value in vars().items() if callable(value)]
