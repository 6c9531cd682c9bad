"""A small cluster event by event, under any system: play, pause, step."""

import bisect
import functools
from collections.abc import Sequence

import ipywidgets as widgets
import numpy as np

from book.explorers import Explorer, Frame, Picture, menu, slider
from book.pictures.cluster import HEIGHT, in_words, plot_cluster, svg
from book.replay import newest_copy, replay
from schedlib import eagle
from schedlib.workload import Workload

WORKERS, SHORT_PARTITION, CUTOFF = 20, 0.2, 8.0
FEW = 6  # Eagle's minimum number of probes on these workers: 20 would be one for each
SYSTEMS = {
    "Eagle": eagle.Eagle(min_probes=FEW),
    "Eagle without SSS": eagle.Eagle(sss=False, min_probes=FEW),
    "Eagle without SBP and SRPT": eagle.Eagle(sbp=False, srpt=False, min_probes=FEW),
    "Eagle, no minimum of probes": eagle.Eagle(min_probes=0),
    "Hawk": "hawk",
    "Sparrow": "sparrow",
    "DLWL": "dlwl",
    "Omniscient LWL": "omniscient",
    "Ideal Eagle": "ideal-eagle",
}
EVENTS = {
    "every event": None,
    "tasks start and end": {"start", "finish"},
    "the ways of probes": {"submit", "send", "queue", "reject", "robbed", "steal", "vain", "drop"},
    "bits and rejections": {"mark", "clear", "reject"},
}


def small_workload(seed: int = 0) -> Workload:
    """Forty jobs in 72 s for 20 workers: nine long, of about five tasks of 20 s, others of 1-6 of 1-4 s."""
    rng = np.random.default_rng(seed)
    long = np.zeros(40, dtype=bool)
    long[[0, *rng.choice(np.arange(1, 36), 8, replace=False)]] = True
    tasks = np.where(long, rng.integers(4, 7, 40), rng.integers(1, 7, 40))
    mean = np.where(long, rng.uniform(14, 26, 40), rng.uniform(1, 4, 40))
    duration = np.repeat(mean, tasks) * rng.uniform(0.7, 1.3, tasks.sum())
    submit = np.sort(rng.uniform(0, 72, 40))
    return Workload.from_arrays(submit, np.floor(np.maximum(duration, 1)), tasks=tasks)


@functools.lru_cache(maxsize=32)
def recorded(system, seed):
    """A run of a system on the player's jobs, and its events as steps.

    >>> run, steps = recorded("Eagle", 0)
    >>> run.system.name
    'eagle'
    """
    run = eagle.simulate(
        small_workload(seed),
        SYSTEMS[system],
        WORKERS,
        seed=seed,
        record=True,
        short_partition=SHORT_PARTITION,
        cutoff=CUTOFF,
        detail="as_published",
    )
    return run, replay(run)


@functools.lru_cache(maxsize=64)
def _shown(system, seed, events):
    """The places of the steps to be shown."""
    kinds = EVENTS[events]
    return [
        place
        for place, step in enumerate(recorded(system, seed)[1])
        if kinds is None or step.event in kinds
    ]


@functools.lru_cache(maxsize=2048)
def _frame(system, seed, place):
    run, steps = recorded(system, seed)
    return Frame(
        svg(steps[place], run), f"{system} on {WORKERS} workers. {in_words(steps[place], run)}"
    )


def draw_step(
    system: str = "Eagle", seed: int = 0, events: str = "every event", step: int = 0
) -> Picture:
    """The `step`-th of those steps of the run of `system` on `small_workload(seed)` that `events` names.
    `system` is a key of `SYSTEMS`, `events` of `EVENTS`. Raises ValueError when there is no such step."""
    (run, steps), shown = recorded(system, seed), _shown(system, seed, events)
    if not 0 <= step < len(shown):
        raise ValueError(f"step: {step} is not among the {len(shown)} that there are of {events}")
    current = steps[shown[step]]
    words = f"{system} on {WORKERS} workers. {in_words(current, run)}"
    return plot_cluster(current, run), words


def first_stale_rejection(steps: Sequence) -> int:
    """The place of the first rejection because of an out-of-date copy of the bits, 0 if there is none."""
    places = enumerate(steps)
    return next(
        (i for i, step in places if step.event == "reject" and newest_copy(step)[2] != step.bits), 0
    )


class Player(Explorer):
    """Buttons to play, pause and step, a slider (also by arrow keys), menus of systems and events, a cluster.
    Pictures are drawn from the recorded run, in a few milliseconds each."""

    def __init__(self):
        self.now = 0.0  # the time of the last picture
        last = len(_shown("Eagle", 0, "every event")) - 1
        self.at = widgets.IntSlider(value=0, min=0, max=last, description="event")
        self.play = widgets.Play(value=0, min=0, max=last, interval=400, show_repeat=False)
        self.pace = slider(2.5, 0.5, 10, 0.5, text="events a second")
        controls = {
            "system": menu(list(SYSTEMS), text="system"),
            "seed": slider(0, 0, 9, text="seed"),
            "events": menu(list(EVENTS), text="show"),
            "step": self.at,
        }
        super().__init__(
            draw_step,
            controls,
            height=HEIGHT,
            page={"seed": ()},
            on_change=dict.fromkeys(("system", "seed", "events"), self.take_up),
        )
        self.pace.style = self.at.style
        self.pace.layout = self.at.layout
        width = widgets.Layout(width="7em")
        back, on = (
            widgets.Button(description=text, layout=width) for text in ("step back", "step on")
        )
        back.on_click(lambda button: self.move(-1))
        on.on_click(lambda button: self.move(1))
        *first, at, picture = self.children
        self.children = [*first, self.pace, at, widgets.HBox([self.play, back, on]), picture]
        widgets.jslink((self.play, "value"), (self.at, "value"))
        widgets.dlink(
            (self.pace, "value"), (self.play, "interval"), lambda pace: round(1000 / pace)
        )
        self.at.value = first_stale_rejection(recorded("Eagle", 0)[1])

    def move(self, by: int) -> None:
        """Go `by` events on, or back."""
        self.at.value = min(max(self.at.value + by, 0), self.at.max)

    def times(self) -> list[float]:
        """The times (s) of the events that the slider goes through."""
        system, seed, events = (self.controls[name].value for name in ("system", "seed", "events"))
        steps = recorded(system, seed)[1]
        return [steps[place].time for place in _shown(system, seed, events)]

    def places(self, name: str) -> list[float] | None:
        """Steps stand at their times."""
        return self.times() if name == "step" else None

    def take_up(self) -> None:
        """Take up a new run at the time of the last picture."""
        times = self.times()
        with self.at.hold_trait_notifications():
            self.play.max = self.at.max = max(len(times) - 1, 0)
            self.at.value = min(bisect.bisect_left(times, self.now), self.at.max)

    def refresh(self) -> None:
        """Draw the step that the controls name, and keep its time."""
        super().refresh()
        if self.shown.picture:
            self.now = self.times()[self.at.value]

    def frame(self, **values: str | int) -> Frame:
        """The step of these values."""
        system, seed, events, step = (values[name] for name in ("system", "seed", "events", "step"))
        if shown := _shown(system, seed, events):
            return _frame(system, seed, shown[step])
        return Frame("", f"{events}: {system} has none of these")
