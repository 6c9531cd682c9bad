"""One reader per public trace or format, each giving a `Workload`, and `read_csv` for any other table.

`schedlib.traces.download` fetches traces.

A damaged *file* (missing, empty or cut short, a wrong number of columns, an entry that is blank, negative,
infinite, unknown or not a number) is refused with ValueError, naming file and row. Oddities of the *trace* (a
job without an end, events repeated or out of order) are counted in the workload's `report`.
"""

# `as` makes a name public; a new reader needs its file and one such line.
from schedlib.traces.alibaba2018 import alibaba2018 as alibaba2018
from schedlib.traces.alibaba_gpu2023 import alibaba_gpu2023 as alibaba_gpu2023
from schedlib.traces.alibaba_gpu2023 import alibaba_gpu2023_folder as alibaba_gpu2023_folder
from schedlib.traces.alibaba_tables import alibaba2018_tasks as alibaba2018_tasks
from schedlib.traces.alibaba_tables import alibaba_pai2020 as alibaba_pai2020
from schedlib.traces.azure2020 import azure_packing2020 as azure_packing2020
from schedlib.traces.google2011 import google2011_folder as google2011_folder
from schedlib.traces.google2011 import google2011_jobs as google2011_jobs
from schedlib.traces.google2011 import google2011_tasks as google2011_tasks
from schedlib.traces.google2019 import google2019_tasks as google2019_tasks
from schedlib.traces.hawk import hawk_folder as hawk_folder
from schedlib.traces.hawk import read_hawk as read_hawk
from schedlib.traces.hawk import write_hawk as write_hawk
from schedlib.traces.sacct import read_sacct as read_sacct
from schedlib.traces.swf import read_swf as read_swf
from schedlib.traces.swf import swf_folder as swf_folder
from schedlib.traces.swf import swf_header as swf_header
from schedlib.traces.swim import read_swim as read_swim
from schedlib.traces.swim import swim_folder as swim_folder
from schedlib.traces.table import read_csv as read_csv

__all__ = [name for name, value in vars().items() if callable(value)]
