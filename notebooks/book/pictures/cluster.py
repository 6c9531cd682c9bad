"""A small cluster at one moment as a picture: what runs, what waits, which bits are set, how far jobs are."""

import textwrap
from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from book.pictures.probing import LONG, SHORT, pale
from book.replay import Step, newest_copy
from schedlib.core.checks import typed
from schedlib.eagle.simulating.results import Simulation
from schedlib.plots import style

MOST = 40  # workers that the picture has room for
# pixels, of which a phone shows 440: a worker's width, between two, the height of an entry of the queue, of a bit
BOX, GAP, QUEUED, BIT = (19, 3, 17, 17)
LETTER = 13.5  # pixels: on a phone 11
LINE, LINE_HIGH = 54, 18  # letters in a line of the heading, which may have three, and its height
# from the top: partitions, tasks that run, the centre's bits, a copy of them
PARTS_AT, RUN_AT, CENTRE_AT, COPY_AT = (58, 236, 324, 366)
NAME_AT = RUN_AT + BOX + 12
DEEP, JOBS = 7, 14  # entries of a queue and jobs of the panel that are drawn; the rest is counted
# the panel of jobs, below the cluster: from the top, a job's height, jobs in a column, a column's width
JOBS_AT, JOB, COLUMN, ACROSS = (402, 18, 7, 220)
HEIGHT = JOBS_AT + 12 + JOB * COLUMN
POINTS = 0.72  # of a pixel
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
    size: float = LETTER
    colour: str = INK
    anchor: str = "middle"


Shapes = list[Box | Words]


def in_words(step: Step, run: Simulation) -> str:
    """A step in words."""
    job = run.jobs.iloc[step.job]
    n = len(step.workers)
    single = len(set(step.workers)) == 1
    kind, thing = ("long", "task") if job["long"] else ("short", "probe")
    name = f"{kind} job {step.job}"
    things = f"a {thing} of {name}" if n == 1 else f"{n} {thing}s of {name}"
    where = _workers(step.workers)
    s, more = ("s", "") if single else ("", "s")
    join = "joins" if n == 1 else "join"
    have = "has" if single else "have"
    tasks = "one task" if job["tasks"] == 1 else f"{job['tasks']} tasks"
    words = {
        "submit": f"{name} is submitted: {tasks} of about {job['estimate']:.3g} s",
        "send": f"{things} on the way to {where}",
        "queue": f"{things} {join} the queue{more} of {where}",
        "reject": f"{where} reject{s} {things}, as a long task is there",
        "ask": f"{where} ask{s} for a task of {name}",
        "vain": f"nothing is left of {name} for {where}",
        "start": f"{where} start{s} a task of {name}",
        "finish": f"{where} end{s} a task of {name}",
        "drop": f"{where} drop{s} {things}, of which nothing is left",
        "robbed": f"short probes behind a long task are stolen from {where}",
        "steal": f"{where} {have} stolen {things}",
        "mark": f"the centre sets the bit{more} of {where}, for {name}",
        "clear": f"the centre clears the bit{more} of {where}: no long task is left there",
    }
    text = f"{step.time:.4f} s: {words[step.event]}"
    complete = step.done[step.job] == job["tasks"]
    if complete and step.event == "finish":
        text += f"; it is complete after {job['completion']:.4g} s"
    return text


def _workers(workers):
    names = [str(worker) for worker in sorted(set(workers))]
    kind = "worker" if len(names) == 1 else "workers"
    listed = ", ".join(names[:12])
    more = len(names) - 12
    text = f"{kind} {listed}"
    return f"{text} and {more} more" if more > 0 else text


def shapes(step: Step, run: Simulation) -> tuple[Shapes, tuple[float, float]]:
    """The shapes of a step, back to front; width and height in pixels; ValueError for too many workers."""
    workers = len(step.running)
    if workers > MOST:
        raise ValueError(
            f"workers: {workers}; the picture has room for {MOST}, simulate a smaller cluster"
        )
    colours = [LONG if long else SHORT for long in run.jobs["long"]]
    drawn: Shapes = list(_frame(step, run))
    for worker in range(workers):
        drawn += _column(step, worker, _left(worker), colours)
    if run.system.short_jobs in ("sss", "clear"):
        drawn += _bit_rows(step)
    else:
        none = "this system shares no bits"
        drawn.append(_line(CENTRE_AT, none))
    drawn += _panel(step, run)
    width = max(workers * (BOX + GAP), -(-JOBS // COLUMN) * ACROSS)
    return drawn, (width, HEIGHT)


def _left(worker):
    return worker * (BOX + GAP) + GAP / 2


def _line(y, text, colour=DARK) -> Words:
    """A line from the left margin on."""
    return Words(4, y, text, LETTER, colour, "start")


def _frame(step, run) -> Iterator[Box | Words]:
    """The step in words, the partitions, and what stands above what."""
    for place, line in enumerate(textwrap.wrap(in_words(step, run), LINE)):
        yield _line(10 + LINE_HIGH * place, line, INK)
    short_only, workers = run.stats["short_only"], len(step.running)
    partitions = ((0, short_only, "short only"), (short_only, workers, "general partition"))
    for first, last, name in partitions:
        if last > first:
            x = first * (BOX + GAP) + 1
            width = (last - first) * (BOX + GAP) - 2
            words = name if width > 8 * len(name) else "short"
            yield Box(x, PARTS_AT, width, NAME_AT + 14 - PARTS_AT, "#f3f3f3")
            yield Words(x + width / 2, PARTS_AT + 10, words, LETTER, DARK)
    yield _line(NAME_AT + 24, "workers; above each what it runs, then its queue")


def _inside(box, text, colour=INK) -> Shapes:
    """A box, and a text in its middle."""
    return [box, Words(box.x + box.width / 2, box.y + box.height / 2, text, LETTER, colour)]


def _column(step, worker, x, colours) -> Iterator[Box | Words]:
    """A worker: its task, its queue, what is on the way to it, its number."""

    def box_of(job, y, height, shade, line=1.0, dashed=False):
        edge = colours[job]
        if job == step.job:  # the job of the step is drawn in a strong colour
            edge, line = INK, 2.0
        return Box(x, y, BOX, height, pale(colours[job], shade), edge, line, dashed)

    middle = x + BOX / 2
    touched = worker in step.workers
    runs = step.running[worker]
    asks = step.asking[worker]
    if runs >= 0:
        yield from _inside(box_of(runs, RUN_AT, BOX, 0.75), f"{runs}", "#ffffff")
    elif asks >= 0:
        yield from _inside(box_of(asks, RUN_AT, BOX, 0.12, dashed=True), f"{asks}")
    else:
        yield Box(x, RUN_AT, BOX, BOX, "#ffffff", FAINT)
    y = RUN_AT - 4
    line = step.queue[worker]
    for job in line[:DEEP]:
        y -= QUEUED
        yield from _inside(box_of(job, y, QUEUED - 2, 0.25, 0.8), f"{job}")
    more = len(line) - DEEP
    if more > 0:
        y -= 10
        yield Words(middle, y + 2, f"+{more}", LETTER, DARK)
    if coming := step.coming[worker]:
        first = coming[0]
        edge = colours[first]
        box = Box(x, y - 22, BOX, QUEUED - 2, "#ffffff", edge, dashed=True)
        yield from _inside(box, f"{first}", edge)
    if step.event == "reject" and touched:
        yield Words(middle, y - 12, "\N{MULTIPLICATION SIGN}", 17)
    yield Words(middle, NAME_AT, f"{worker}", LETTER, INK if touched else "#777777")
    if touched:
        yield Box(x + 3, NAME_AT + 9, BOX - 6, 2, INK)


def _bit_rows(step) -> Iterator[Box | Words]:
    """The centre's bits, and the copy at the step's worker, or where it is newest."""
    yield _line(CENTRE_AT - 12, "the centre's bits")
    yield from _bits(step, step.bits, CENTRE_AT)
    worker, since, copy = newest_copy(step)
    if worker < 0:
        yield _line(COPY_AT - 12, "no worker has a copy yet")
        return
    pairs = zip(copy, step.bits, strict=True)
    wrong = sum(bit != true for bit, true in pairs)
    state = "1 bit is" if wrong == 1 else f"{wrong or 'no'} bits are"
    age = step.time - since
    yield _line(COPY_AT - 12, f"the copy at worker {worker} is {age:.4g} s old; {state} wrong")
    yield from _bits(step, copy, COPY_AT)


def _bits(step, bits, y) -> Iterator[Box | Words]:
    """A row of bits; those that differ from the centre's have dashed edges."""
    pairs = zip(bits, step.bits, strict=True)
    for worker, (bit, true) in enumerate(pairs):
        fill, ink = (pale(LONG, 0.3), INK) if bit else ("#ffffff", "#999999")
        edge, thick = "#bbbbbb", 0.8
        stale = bit != true
        if stale:
            edge, thick, ink = INK, 2, INK
        box = Box(_left(worker), y, BOX, BIT, fill, edge, thick, stale)
        yield from _inside(box, f"{int(bit)}", ink)


def _panel(step, run) -> Iterator[Box | Words]:
    """The jobs that are in the system: tasks that have ended, that run, and that are still to start."""
    jobs = run.jobs.assign(started=step.started, ended=step.done)
    submitted = jobs["submit"] <= step.time
    unfinished = jobs["ended"] < jobs["tasks"]
    present = list(jobs[submitted & unfinished].itertuples())
    more = len(present) - JOBS
    words = "jobs: tasks ended, running, to start" + (f"; and {more} more" if more > 0 else "")
    yield _line(JOBS_AT, words)
    for place, job in enumerate(present[:JOBS]):
        x = ACROSS * (place // COLUMN)
        y = JOBS_AT + 10 + JOB * (place % COLUMN)
        running = job.started - job.ended
        to_start = job.tasks - job.started
        parts = {0.95: job.ended, 0.55: running, 0.12: to_start}  # by shade
        colour = LONG if job.long else SHORT
        edge, thick = colour, 0.6
        if job.Index == step.job:
            edge, thick = INK, 1.6
        scale = 110 / max(job.tasks, 12)
        left = x + 28
        yield Words(x + 22, y + 7, f"{job.Index}", LETTER, INK, "end")
        for shade, count in parts.items():
            width = count * scale
            if count:
                yield Box(left, y, width, 13, pale(colour, shade), edge, thick)
            left += width
        counts = f"{job.ended}, {running}, {to_start}"
        yield Words(x + 146, y + 7, counts, LETTER, DARK, "start")


def svg(step: Step, run: Simulation) -> str:
    """A step as an SVG picture with its words above; text for a page, made in a millisecond or two."""
    drawn, (width, height) = shapes(step, run)
    inside = "".join(map(_svg, drawn))
    view = f'viewBox="0 0 {width:g} {height}"'
    size = f'width="{width:g}" height="{height}"'
    label = f'role="img" aria-label="{escape(in_words(step, run))}"'
    look = 'style="max-width:100%;background:#fff" font-family="DejaVu Sans,Verdana,sans-serif"'
    start = f'<svg xmlns="http://www.w3.org/2000/svg" {view} {size} {label} {look}>'
    return f"{start}{inside}</svg>"


def _svg(shape):
    place = f'x="{shape.x:g}" y="{shape.y:g}"'
    if isinstance(shape, Box):
        dash = ' stroke-dasharray="3 2"' if shape.dashed else ""
        size = f'width="{shape.width:.4g}" height="{shape.height:g}"'
        line = f'stroke="{shape.edge}" stroke-width="{shape.line:g}"{dash}'
        return f'<rect {place} {size} fill="{shape.fill}" {line}/>'
    font = f'font-size="{shape.size:g}" text-anchor="{shape.anchor}"'
    look = f'fill="{shape.colour}" dominant-baseline="central"'
    text = escape(shape.text)
    return f"<text {place} {font} {look}>{text}</text>"


@typed
def plot_cluster(step: Step, run: Simulation) -> Figure:
    """The same picture by matplotlib, for a page where no code runs."""
    drawn, (width, height) = shapes(step, run)
    figure, ax = style.canvas(width / 100, height / 100)
    ax.set(xlim=(0, width), ylim=(height, 0))
    sides = {"start": "left", "middle": "center", "end": "right"}
    look: dict[str, Any]
    for shape in drawn:
        if isinstance(shape, Box):
            look = {
                "facecolor": shape.fill,
                "edgecolor": shape.edge,
                "linewidth": POINTS * shape.line,
                "linestyle": "--" if shape.dashed else "-",
            }
            ax.add_patch(Rectangle(shape[:2], shape.width, shape.height, **look))
        else:
            look = {
                "fontsize": POINTS * shape.size,
                "color": shape.colour,
                "ha": sides[shape.anchor],
                "va": "center",
            }
            ax.text(*shape[:3], **look)
    return figure
