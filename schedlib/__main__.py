"""The command line: python -m schedlib."""

import importlib
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from schedlib import former, paths
from schedlib.commands import FRAME, Commands, argument, settings, write_frame

if TYPE_CHECKING:
    from schedlib.sweeps import Experiment

PROGRAM = "python -m schedlib"
commands = Commands(PROGRAM, "schedlib: schedulers for data centres, from five papers.")
command = commands.command


def experiment_in(place: str) -> "Experiment":
    """The experiment at a place such as `mine.py:SWEEP`; ValueError where it does not exist."""
    from schedlib.sweeps import Experiment

    file, _, name = place.rpartition(":")
    path = Path(file)
    if path.suffix != ".py" or not path.is_file():
        raise ValueError(
            f"experiment: {place!r} does not name a file and a variable in it, as mine.py:SWEEP"
        )
    sys.path.insert(0, str(path.resolve().parent))  # worker processes import the file by its name
    found = getattr(importlib.import_module(path.stem), name, None)
    if not isinstance(found, Experiment):
        raise ValueError(f"experiment: {name!r} in {file} is not a schedlib.Experiment")
    return found


@command(
    "mine.py:SWEEP --scale smoke",
    argument("experiment", metavar="FILE:NAME", help="a Python file and the Experiment in it"),
    argument("--part", default="1/1", metavar="I/N", help="run only the I-th of N parts"),
    *FRAME,
)
def run(options: Namespace) -> None:
    """Run an experiment of your own and print its tidy frame, or write it to a file.

    Points that are stored already are not run again, and an interrupted run goes on where it was. Parts may run at
    once on several machines that share SCHEDLIB_CACHE; a run without --part then finds all their rows.
    """
    from schedlib.sweeps import sweep

    experiment = experiment_in(options.experiment)
    part = replace(settings(options), part=options.part)
    write_frame(sweep.finished(experiment, part).frame, options.csv)


@command(
    "NAME --folder traces",
    argument("name", nargs="?", metavar="NAME", help="the trace to fetch"),
    argument("--folder", help="where to put it (else schedlib's own data folder)"),
)
def data(options: Namespace) -> None:
    """List the public traces, or fetch the one that is named and say where it is."""
    from schedlib.traces import download

    if options.name is not None:
        if options.name in download.SOURCES:
            print(f"{options.name}: {download.SOURCES[options.name].size}", file=sys.stderr)
        print(download.fetch(options.name, folder=options.folder))
        return
    for name, source in download.SOURCES.items():
        print(f"{name}\n  {source.description}\n  {source.size}; {source.licence}")
    print(f"\nfetch one: {PROGRAM} data NAME")


@command(
    "--ratios 1.2 --out measured.csv",
    argument(
        "--ratios",
        nargs="+",
        type=float,
        metavar="RATIO",
        help="mean inter-arrival times in units of a mean job's (else 0.6, 1.2 and 2)",
    ),
    argument("--repeats", type=int, metavar="N", help="runs of each (else 1)"),
    argument(
        "--hosts",
        nargs="+",
        metavar="ADDRESS:PORT",
        help="machines that run schedlib.prototype.host (else this one)",
    ),
    argument("--burn", action="store_true", help="tasks compute instead of sleeping"),
    argument(
        "--out",
        metavar="FILE",
        help="where to write (else figures/eagle/prototype.measured.csv; what is there is not measured again)",
    ),
)
def prototype(options: Namespace) -> None:
    """Run Eagle and Hawk on 100 real processes: Section 7's experiment, whose file the figures draw.

    Twenty minutes on two cores; use a machine that does nothing else meanwhile.
    """
    from schedlib.prototype import experiment

    folder = paths.checkout() or Path.cwd()
    file = Path(options.out or folder / experiment.FILE)
    asked = {
        name: getattr(options, name) for name in ("ratios", "repeats") if getattr(options, name)
    }
    experiment.measure(file, **asked, hosts=options.hosts, burn=options.burn)
    print(
        f"measured: {file}; in a checkout python -m reproduce figures --only eagle.prototype draws it"
    )


def main(arguments: list[str] | None = None) -> int:
    """Run one command and give its exit code; those of version 2 that have moved still work."""
    arguments = sys.argv[1:] if arguments is None else arguments
    moved = former.command(arguments)
    return commands.main(arguments) if moved is None else moved


if __name__ == "__main__":
    sys.exit(main())
