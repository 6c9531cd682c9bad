"""Where the authors' program does otherwise than the paper's text: each difference by name."""

from typing import NamedTuple

from schedlib.core.checks import unknown


class Detail(NamedTuple):
    """The differences that a run has; without any, it follows the text.

    Jobs

    - `whole_times`: means, estimates and durations are cut to whole seconds (milliseconds if these are the
      unit); else as given
    - `jobs_apart`: jobs of one time are put 0.01 s apart; else they come together

    Probes

    - `repeated_targets`: the targets of a job's probes are drawn with repetition; else they are distinct while
      there are enough
    - `rejected_at_once`: a rejection is seen at submission, two hops in all, and the bit vector is the newest
      of all workers contacted; else a rejection is a message (three hops, five for a third probe), and the
      vector is the newest of those that rejected
    - `copied_on_arrival`: a worker's bit vector is as of a long task's arrival; else as of its sending
    - `fetched`: placed tasks are fetched (two hops), and durations bound then; else placed tasks carry their own
      durations and start at once

    Queues, under SRPT

    - `drops_finished`: probes of finished jobs are dropped for free once this is known; else a worker asks in
      vain and then removes them
    - `passes_long`: a long task in the queue is a barrier only if it is first; else no probe behind it is
      considered
    - `below_slack`: a placed task that overtakes must be shorter than the slack of those in front; else as long
    - `takes_last`: a worker takes the last that may overtake, not the one of least work

    Least work left

    - `idle_first`: workers without work come first; else the waiting time alone counts
    - `fills_ties`: a worker gets tasks until its waiting time exceeds the next worker's; else until it reaches it
    - `sums_as_news`: a heartbeat brings sums of estimates; else waiting times
    - `whole_additions`: what is added to old news is 0, 1, ... or `heartbeat` s; else uniform in [0, heartbeat)

    Stealing

    - `any_thief`: in Hawk any idle worker steals; else those of the general partition do
    - `asks_itself`: a thief may draw itself as its victim; else it draws another worker
    - `limited_loot`: a thief takes at most 10,000 probes; else any number

    Same in all: the centre learns of starts and ends at once; stealing takes no time; no vector is kept from
    one job to the next, although Section 3.3 has schedulers that "already" have one, since it does not say
    how many share the jobs, and so how old theirs are.

    >>> DETAILS["as_written"].fetched, DETAILS["as_published"].fetched
    (False, True)
    """

    whole_times: bool = False
    jobs_apart: bool = False
    repeated_targets: bool = False
    rejected_at_once: bool = False
    copied_on_arrival: bool = False
    fetched: bool = False
    drops_finished: bool = False
    passes_long: bool = False
    below_slack: bool = False
    takes_last: bool = False
    idle_first: bool = False
    fills_ties: bool = False
    sums_as_news: bool = False
    whole_additions: bool = False
    any_thief: bool = False
    asks_itself: bool = False
    limited_loot: bool = False


_ALL = Detail(*[True] * len(Detail._fields))
DETAILS = {
    "as_written": Detail(),
    "as_published": _ALL._replace(takes_last=False),
    "as_submitted": _ALL._replace(drops_finished=False),
}
"""The paper's text; the authors' simulator at its last commit; and at that of November 2016, which says that it
is the paper's. The authors mended its two defects in SRPT in February 2017."""
UNCUT = DETAILS["as_published"]._replace(whole_times=False, jobs_apart=False, whole_additions=False)
"""The authors' simulator at its last commit, but a reader's times are taken as they are."""


def detail_of(name: str | None) -> Detail:
    """The differences by their name, `UNCUT` by None; ValueError on an unknown one.

    >>> detail_of(None).fetched, detail_of(None).whole_times
    (True, False)
    """
    if name is None:
        return UNCUT
    if name not in DETAILS:
        raise unknown("detail", name, DETAILS, "or None")
    return DETAILS[name]
