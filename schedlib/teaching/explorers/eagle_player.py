"""A small cluster event by event, under any system: play, pause, step."""

import bisect
import functools
from collections.abc import Sequence

import ipywidgets as widgets
import numpy as np

from schedlib import eagle
from schedlib.eagle.simulating.results import newest_copy, replay
from schedlib.pictures.cluster import HEIGHT, in_words, plot_cluster, svg
from schedlib.teaching.explorers import Explorer, Picture, menu, message, png, slider
from schedlib.workload import Workload

WORKERS, SHORT_PARTITION, CUTOFF = 20, 0.2, 8.0
FEW = 6  # Eagle's minimum number of probes on these workers: 20 would be one for each
SYSTEMS = {
    "Eagle": eagle.Eagle(min_probes=FEW), "Eagle without SSS": eagle.Eagle(sss=False, min_probes=FEW),
    "Eagle without SBP and SRPT": eagle.Eagle(sbp=False, srpt=False, min_probes=FEW),
    "Eagle, no minimum of probes": eagle.Eagle(min_probes=0), "Hawk": "hawk", "Sparrow": "sparrow",
    "DLWL": "dlwl", "Omniscient LWL": "omniscient", "Ideal Eagle": "ideal-eagle"}
EVENTS = {
    "every event": None, "tasks start and end": {"start", "finish"},
    "the ways of probes": {"submit", "send", "queue", "reject", "robbed", "steal", "vain", "drop"},
    "bits and rejections": {"mark", "clear", "reject"}}


def small_workload(seed: int = 0) -> Workload:
    """Forty jobs in 72 s for 20 workers: nine long, of about five tasks of 20 s, others of 1-6 of 1-4 s."""
    rng, long = np.random.default_rng(seed), np.zeros(40, dtype=bool)
    long[[0, *rng.choice(np.arange(1, 36), 8, replace=False)]] = True
    tasks = np.where(long, rng.integers(4, 7, 40), rng.integers(1, 7, 40))
    mean = np.where(long, rng.uniform(14, 26, 40), rng.uniform(1, 4, 40))
    duration = np.repeat(mean, tasks) * rng.uniform(0.7, 1.3, tasks.sum())
    submit = np.sort(rng.uniform(0, 72, 40))
    return Workload.from_arrays(submit, np.maximum(duration, 1).round(1), tasks=tasks)


@functools.lru_cache(maxsize=32)
def _run(system, seed):
    run = eagle.simulate(small_workload(seed), SYSTEMS[system], WORKERS, seed=seed, record=True,
                         short_partition=SHORT_PARTITION, cutoff=CUTOFF)
    return run, replay(run)


@functools.lru_cache(maxsize=64)
def _shown(system, seed, events):
    """The places of the steps to be shown."""
    kinds = EVENTS[events]
    return [place for place, step in enumerate(_run(system, seed)[1]) if kinds is None or step.event in kinds]


def draw_step(system: str = "Eagle", seed: int = 0, events: str = "every event", step: int = 0) -> Picture:
    """The `step`-th of those steps of the run of `system` on `small_workload(seed)` that `events` names.
    `system` is a key of `SYSTEMS`, `events` of `EVENTS`. Raises ValueError when there is no such step."""
    (run, steps), shown = _run(system, seed), _shown(system, seed, events)
    if not 0 <= step < len(shown):
        raise ValueError(f"step: {step} is not among the {len(shown)} that there are of {events}")
    here = steps[shown[step]]
    return plot_cluster(here, run), f"{system} on {WORKERS} workers. {in_words(here, run)}"


def first_stale_rejection(steps: Sequence) -> int:
    """The place of the first rejection because of an out-of-date copy of the bits, 0 if there is none."""
    places = enumerate(steps)
    return next((i for i, step in places if step.event == "reject" and newest_copy(step)[2] != step.bits), 0)


class Player(Explorer):
    """Buttons to play, pause and step, a slider (also by arrow keys), menus of systems and events, a cluster.
    Pictures are drawn from the recorded run, in a few milliseconds each."""

    def __init__(self):
        self.chosen, self.now = None, 0.0  # the run and its events on show, and the time of the last picture
        self.at = widgets.IntSlider(value=0, min=0, max=1, description="event")
        self.play = widgets.Play(value=0, min=0, max=1, interval=400, show_repeat=False)
        controls = {"system": menu(list(SYSTEMS), text="system"), "seed": slider(0, 0, 9, text="seed"),
                    "events": menu(list(EVENTS), text="show"),
                    "pace": slider(2.5, 0.5, 10, 0.5, text="events a second"), "step": self.at}
        super().__init__(draw_step, controls, height=HEIGHT)
        width = widgets.Layout(width="7em")
        back, on = (widgets.Button(description=text, layout=width) for text in ("step back", "step on"))
        back.on_click(lambda button: self.move(-1))
        on.on_click(lambda button: self.move(1))
        self.children = [*self.children[:-1], widgets.HBox([self.play, back, on]), self.picture]
        widgets.jslink((self.play, "value"), (self.at, "value"))
        widgets.dlink((controls["pace"], "value"), (self.play, "interval"), lambda pace: round(1000 / pace))
        self.at.value = first_stale_rejection(_run(*self.chosen[:2])[1])
        figure, self.alt = draw_step(step=self.at.value)
        self.png = png(figure)

    def move(self, by: int) -> None:
        """Go `by` events on, or back."""
        self.at.value = min(max(self.at.value + by, 0), self.at.max)

    def refresh(self) -> None:
        """Draw the step that the controls name; a new run is taken up at the time of the last picture."""
        chosen = tuple(self.controls[name].value for name in ("system", "seed", "events"))
        (run, steps), shown = _run(*chosen[:2]), _shown(*chosen)
        if chosen != self.chosen:
            self.chosen = chosen
            times = [steps[place].time for place in shown]
            with self.at.hold_trait_notifications():
                self.play.max = self.at.max = max(len(shown) - 1, 0)
                self.at.value = min(bisect.bisect_left(times, self.now), self.at.max)
        if not shown:
            self.picture.value = message(f"{chosen[2]}: {chosen[0]} has none of these")
            return
        here = steps[shown[self.at.value]]
        self.now = here.time
        self.picture.value = svg(here, run)
