"""A small cluster at one moment as a picture: what runs, what waits, which bits are set, how far jobs are."""

from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from schedlib.eagle.simulating.results import Simulation, Step, newest_copy
from schedlib.pictures import style
from schedlib.pictures.probing import LONG, SHORT, pale

MOST = 40  # workers that the picture has room for
# pixels: the whole's height, the left margin, the jobs' panel's width
HEIGHT, LEFT, PANEL = (330, 112, 236)
# pixels: a worker's width, between two, the height of an entry of the queue
BOX, GAP, QUEUED = (24, 6, 15)
# from the top: tasks that run, the centre's bits, a copy of them
RUN_AT, CENTRE_AT, COPY_AT = (200, 262, 288)
DEEP, JOBS = 9, 15  # entries of a queue and jobs of the panel that are drawn; the rest is counted
INK, DARK, FAINT = "#222222", "#555555", "#aaaaaa"


class Box(NamedTuple):
    """A rectangle; pixels from the upper left corner."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    edge: str = "none"
    line: float = 1.0
    dashed: bool = False


class Words(NamedTuple):
    """A line of text, centred on `y`; `anchor` is start, middle or end."""

    x: float
    y: float
    text: str
    size: float = 11
    colour: str = INK
    anchor: str = "middle"


def in_words(step: Step, run: Simulation) -> str:
    """A step in words."""
    job = run.jobs.iloc[step.job]
    n = len(step.workers)
    one = len(set(step.workers)) == 1
    name = f"{'long' if job['long'] else 'short'} job {step.job}"
    single, several = ("a task", "tasks") if job["long"] else ("a probe", "probes")
    things = f"{single if n == 1 else f'{n} {several}'} of {name}"
    where = _workers(step.workers)
    s = "s" if one else ""
    bits = "bit" if one else "bits"
    tasks = "one task" if job["tasks"] == 1 else f"{job['tasks']} tasks"
    words = {
        "submit": f"{name} is submitted: {tasks} of about {job['estimate']:.3g} s",
        "send": f"{things} on the way to {where}",
        "queue": f"{things} {'joins' if n == 1 else 'join'} the {'queue' if one else 'queues'} of {where}",
        "reject": f"{where} reject{s} {things}, as a long task is there",
        "ask": f"{where} ask{s} for a task of {name}",
        "vain": f"nothing is left of {name} for {where}",
        "start": f"{where} start{s} a task of {name}",
        "finish": f"{where} end{s} a task of {name}",
        "drop": f"{where} drop{s} {things}, of which nothing is left",
        "robbed": f"short probes behind a long task are stolen from {where}",
        "steal": f"{where} {'has' if one else 'have'} stolen {things}",
        "mark": f"the centre sets the {bits} of {where}, for {name}",
        "clear": f"the centre clears the {bits} of {where}: no long task is left there",
    }
    what = words.get(step.event, f"{step.event} {name}")
    text = f"{step.time:.4f} s: {what}"
    if step.event == "finish" and step.done[step.job] == job["tasks"]:
        text += f"; it is complete after {job['completion']:.4g} s"
    return text


def _workers(workers):
    names = [str(worker) for worker in sorted(set(workers))]
    kind = "worker" if len(names) == 1 else "workers"
    text = f"{kind} {', '.join(names[:12])}"
    if len(names) > 12:
        text += f" and {len(names) - 12} more"
    return text


def shapes(step: Step, run: Simulation) -> tuple[list[Box | Words], tuple[float, float]]:
    """What to draw of a step, back to front; width and height in pixels; ValueError for too many workers."""
    workers = len(step.running)
    if workers > MOST:
        raise ValueError(
            f"workers: {workers}; the picture has room for {MOST}, simulate a smaller cluster"
        )
    long = run.jobs["long"].to_numpy()
    drawn: list[Box | Words] = [*_frame(workers, run.stats["short_only"])]
    for worker in range(workers):
        drawn += _column(step, worker, _left(worker), long)
    none = Words(LEFT + 4, CENTRE_AT + 8, "this system shares no bits", 11, "#888888", "start")
    drawn += _bit_rows(step) if run.system.short_jobs in ("sss", "clear") else [none]
    right = LEFT + workers * (BOX + GAP)
    drawn += _panel(step, run, right + 22)
    return drawn, (right + PANEL, HEIGHT)


def _left(worker):
    return LEFT + worker * (BOX + GAP) + GAP / 2


def _frame(workers, short_only) -> Iterator[Box | Words]:
    for first, last, words in (
        (0, short_only, "short only"),
        (short_only, workers, "general partition"),
    ):
        if last > first:
            x = LEFT + first * (BOX + GAP) + 1
            width = (last - first) * (BOX + GAP) - 2
            yield Box(x, 26, width, CENTRE_AT - 32, "#f3f3f3")
            yield Words(x + width / 2, 36, words if width > 60 else "short", 10, DARK)
    for words, y in (
        ("queue", RUN_AT - 60),
        ("runs", RUN_AT + BOX / 2),
        ("worker", RUN_AT + BOX + 16),
    ):
        yield Words(LEFT - 6, y, words, 11, DARK, "end")


def _column(step, worker, x, long) -> Iterator[Box | Words]:
    """A worker: its task, its queue, what is on the way to it, its number."""

    def colour(job):
        return LONG if long[job] else SHORT

    middle = x + BOX / 2
    touched = worker in step.workers
    running = step.running[worker]
    job = running if running >= 0 else step.asking[worker]
    if job < 0:
        yield Box(x, RUN_AT, BOX, BOX, "#ffffff", FAINT)
    else:
        edge, thick = _outline(job == step.job, colour(job), 1.0)
        if running >= 0:
            fill, words, ink = 0.75, f"{job}", "#ffffff"
        else:
            fill, words, ink = 0.12, f"{job}?", INK
        paint = pale(colour(job), fill)
        yield Box(x, RUN_AT, BOX, BOX, paint, edge, thick, running < 0)
        yield Words(middle, RUN_AT + BOX / 2, words, 11, ink)
    line = step.queue[worker]
    for place, job in enumerate(line[:DEEP]):
        y = RUN_AT - 4 - (place + 1) * QUEUED
        edge, thick = _outline(job == step.job, colour(job), 0.8)
        paint = pale(colour(job), 0.25)
        yield Box(x, y, BOX, QUEUED - 2, paint, edge, thick)
        yield Words(middle, y + QUEUED / 2 - 1, f"{job}", 9.5)
    y = RUN_AT - 4 - min(len(line), DEEP) * QUEUED
    if len(line) > DEEP:
        y -= 10
        yield Words(middle, y + 4, f"+{len(line) - DEEP}", 9, DARK)
    if coming := step.coming[worker]:
        first = coming[0]
        edge = colour(first)
        yield Box(x + 2, y - 18, BOX - 4, 12, "#ffffff", edge, dashed=True)
        yield Words(middle, y - 12, f"{first}", 9, edge)
    if step.event == "reject" and touched:
        yield Words(middle, y - 12, "\N{MULTIPLICATION SIGN}", 17, INK)
    yield Words(middle, RUN_AT + BOX + 16, f"{worker}", 11, INK if touched else "#777777")
    if touched:
        yield Box(x + 3, RUN_AT + BOX + 25, BOX - 6, 2, INK)


def _outline(chosen, colour, thick):
    """Colour and width of an edge: what the step is about stands out."""
    return (INK, 2.0) if chosen else (colour, thick)


def _bit_rows(step) -> Iterator[Box | Words]:
    """The centre's bits, and the copy at the step's worker, or where it is newest."""
    yield Words(LEFT - 6, CENTRE_AT + 8, "the centre's bits", 11, DARK, "end")
    yield from _bits(step.bits, CENTRE_AT, step.bits)
    worker, since, copy = newest_copy(step)
    if worker < 0:
        yield Words(LEFT - 6, COPY_AT + 8, "a worker's copy", 11, FAINT, "end")
        yield Words(LEFT + 4, COPY_AT + 8, "nobody has one yet", 11, FAINT, "start")
        return
    pairs = zip(copy, step.bits, strict=True)
    wrong = sum(a != b for a, b in pairs)
    state = f"{wrong or 'no'} {'bit is' if wrong == 1 else 'bits are'} out of date"
    yield Words(LEFT - 6, COPY_AT + 8, f"copy at {worker}", 11, DARK, "end")
    yield from _bits(copy, COPY_AT, step.bits)
    words = f"the copy at worker {worker} is {step.time - since:.4g} s old; {state}"
    yield Words(LEFT + 4, COPY_AT + 28, words, 11, DARK, "start")


def _bits(bits, y, truth) -> Iterator[Box | Words]:
    """A row of bits; those that differ from the truth have dashed edges."""
    for worker, (bit, true) in enumerate(zip(bits, truth, strict=True)):
        x = _left(worker)
        stale = bit != true
        edge, thick = (INK, 2) if stale else ("#bbbbbb", 0.8)
        yield Box(x, y, BOX, 16, pale(LONG, 0.3) if bit else "#ffffff", edge, thick, stale)
        yield Words(
            x + BOX / 2, y + 8, "1" if bit else "0", 10.5, INK if bit or stale else "#999999"
        )


def _panel(step, run, x) -> Iterator[Box | Words]:
    """The jobs that are in the system: tasks that have ended, that run, and that are still to start."""
    jobs = run.jobs[["submit", "long", "tasks"]].assign(started=step.started, done=step.done)
    there = (jobs["submit"] <= step.time) & (jobs["done"] < jobs["tasks"])
    here = [tuple(row) for row in jobs.loc[there].drop(columns="submit").itertuples()]
    yield Words(x, 36, "jobs: tasks ended, running, to start", 10, DARK, "start")
    for row, (job, long, tasks, started, done) in enumerate(here[:JOBS]):
        y = 48 + 17 * row
        colour = LONG if long else SHORT
        yield Words(x + 18, y + 7, f"{job}", 10, INK, "end")
        scale = 120 / max(tasks, 12)
        left = x + 24
        edge, thick = (INK, 1.6) if job == step.job else (colour, 0.6)
        for count, share in ((done, 0.95), (started - done, 0.55), (tasks - started, 0.12)):
            if count:
                yield Box(left, y, count * scale, 12, pale(colour, share), edge, thick)
            left += count * scale
        yield Words(
            x + 150, y + 7, f"{done}, {started - done}, {tasks - started}", 10, DARK, "start"
        )
    if len(here) > JOBS:
        yield Words(x, 48 + 17 * JOBS + 6, f"and {len(here) - JOBS} more", 10, DARK, "start")


def svg(step: Step, run: Simulation) -> str:
    """A step as an SVG picture with its words above; text for a page, made in a millisecond or two."""
    drawn, (width, height) = shapes(step, run)
    words = in_words(step, run)
    head_line = Words(4, 11, words, 13, INK, "start")
    inside = "".join(_svg(shape) for shape in (head_line, *drawn))
    size = f'viewBox="0 0 {width:g} {height}" width="{width:g}" height="{height}"'
    look = 'style="max-width:100%;background:#fff" font-family="DejaVu Sans,Verdana,sans-serif"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(words)}" {look}>'
    return f"{head}{inside}</svg>"


def _svg(shape):
    if isinstance(shape, Box):
        dash = ' stroke-dasharray="3 2"' if shape.dashed else ""
        where = (
            f'x="{shape.x:g}" y="{shape.y:g}" width="{shape.width:.4g}" height="{shape.height:g}"'
        )
        look = f'fill="{shape.fill}" stroke="{shape.edge}" stroke-width="{shape.line:g}"{dash}'
        return f"<rect {where} {look}/>"
    where = (
        f'x="{shape.x:g}" y="{shape.y:g}" font-size="{shape.size:g}" text-anchor="{shape.anchor}"'
    )
    return f'<text {where} fill="{shape.colour}" dominant-baseline="central">{escape(shape.text)}</text>'


def plot_cluster(step: Step, run: Simulation, ax: Axes | None = None) -> Figure:
    """The same picture by matplotlib, for a page where no code runs."""
    drawn, (width, height) = shapes(step, run)
    figure, ax = style.canvas(width / 100, height / 100, ax)
    ax.set(xlim=(0, width), ylim=(height, 0))
    sides = {"start": "left", "middle": "center", "end": "right"}
    for shape in (Words(4, 11, in_words(step, run), 13, INK, "start"), *drawn):
        if isinstance(shape, Box):
            look: dict[str, Any] = {"facecolor": shape.fill, "edgecolor": shape.edge}
            look |= {"linewidth": 0.72 * shape.line, "linestyle": "--" if shape.dashed else "-"}
            ax.add_patch(Rectangle((shape.x, shape.y), shape.width, shape.height, **look))
        else:
            look = {"fontsize": 0.72 * shape.size, "color": shape.colour, "ha": sides[shape.anchor]}
            ax.text(shape.x, shape.y, shape.text, va="center", **look)
    return figure
