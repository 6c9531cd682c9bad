"""The command line: python -m schedlib."""

import argparse
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from schedlib import papers, paths
from schedlib.experiment import SCALES

PROGRAM = "python -m schedlib"


class Command(NamedTuple):
    """A command: its function, whose docstring is its help, the arguments it takes, an example of them."""

    run: Callable[[Namespace], int | None]
    arguments: tuple[tuple[tuple[str, ...], dict[str, Any]], ...]
    example: str


COMMANDS: dict[str, Command] = {}
"""Every command by name, in the order of the overview, which gives the first sentence of each docstring."""


def command(
    example: str, *arguments: tuple[tuple[str, ...], dict[str, Any]]
) -> Callable[[Callable], None]:
    """A decorator that makes a function of the parsed arguments a command of its name."""

    def register(function: Callable[[Namespace], int | None]) -> None:
        COMMANDS[function.__name__.rstrip("_")] = Command(function, arguments, example)

    return register


def argument(*names: str, **options: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    """One argument of a command, as `add_argument` takes it."""
    return names, options


SWEEP = (
    argument("--scale", default="quick", help=f"one of {', '.join(SCALES)} (else quick)"),
    argument(
        "--seeds",
        type=int,
        metavar="N",
        help="how many seeds, 0 to N-1 (else the scale's own number)",
    ),
    argument(
        "--workers", type=int, metavar="N", help="processes (else all cores; 1 is this process)"
    ),
    argument(
        "--dask", metavar="ADDRESS", help="run on that Dask scheduler's cluster, as tcp://host:8786"
    ),
)
OUT = argument(
    "--out",
    metavar="FOLDER",
    help="where files go; else figures/ at quick scale, figures/paper-scale at the papers' own "
    "(there git keeps the ledger and frames, not pictures), data/cache/figures-smoke for a trial",
)
ONLY = argument(
    "--only", nargs="+", metavar="NAME", help="papers, figures or experiments (else all)"
)


@command(
    "hmhs",
    argument("only", nargs="*", metavar="NAME", help=f"{', '.join(papers.KEYS)}, or a figure"),
)
def list_(options: Namespace) -> None:
    """What there is: every figure and table.

    Each is listed with the experiment behind it, its title, how many points and seeds it has at quick scale,
    and whether the published files still come from the code as it is (state).
    """
    from schedlib.reproduce import experiments, tables

    print(tables.columns(experiments(options.only)))


@command("--scale paper", SWEEP[0])
def stale(options: Namespace) -> None:
    """The published figures that the present code would make otherwise, one a line."""
    from schedlib.reproduce import publish

    for name in publish.stale(publish.out_folder(options.scale)):
        print(name)


@command(
    "hmhs.fig1 --scale smoke",
    argument("id", metavar="ID", help="an experiment or figure, as `list` names it"),
    argument("--refresh", action="store_true", help="compute again what is stored already"),
    argument("--csv", metavar="FILE", help="write the frame there instead of printing it"),
    *SWEEP,
)
def run(options: Namespace) -> None:
    """Run one experiment and print its tidy frame, or write it to a file.

    Points that are stored already are not run again, and an interrupted run goes on where it was.
    """
    from schedlib import reproduce
    from schedlib.reproduce import tables

    how = options.scale, options.seeds, options.workers, options.dask
    frame = reproduce.run(options.id, *how, refresh=options.refresh)
    if options.csv:
        Path(options.csv).write_text(tables.csv_text(frame), encoding="utf-8", newline="")
        print(f"{len(frame)} rows in {options.csv}")
    else:
        print(frame.to_string(index=False, max_rows=60))


@command("--only hmhs.fig1 --scale smoke", *SWEEP, OUT, ONLY)
def figures(options: Namespace) -> None:
    """Regenerate figures and tables, the claims ledger and the gallery.

    Every point that is not stored is run first; then the papers' notebooks draw.
    """
    from schedlib.reproduce import notebooks

    how = options.only, options.scale, options.out, options.workers, options.dask, options.seeds
    print(where(notebooks.figures(*how)))


@command("--only hmhs", *SWEEP, OUT, ONLY)
def claims(options: Namespace) -> None:
    """The papers' claims and what became of them.

    They are judged on the stored results; what is missing is run. Writes claims.csv and CLAIMS.md.
    """
    from schedlib.reproduce import gallery, ledger, publish, report, tables

    folder = publish.out_folder(options.scale, options.seeds, options.out)
    how = options.scale, options.only, options.seeds, options.workers, options.dask
    frame = ledger.judged(*how, out=folder)
    ledger.write(frame, folder)
    if publish.provenance(folder):
        gallery.write(folder)
    print(tables.columns(frame[["id", "printed", "measured", "low", "high", "unit", "verdict"]]))
    print(report.sentence(frame))
    print(where(folder, "CLAIMS.md"))


@command(
    "02 solutions/05-hmhs",
    argument("only", nargs="*", metavar="NOTEBOOK", help="names or chapter numbers (else all)"),
)
def notebooks(options: Namespace) -> None:
    """Run the book's notebooks top to bottom, in place.

    What changes from run to run is stripped, so that a file changes only when an output did.
    """
    from schedlib.reproduce.notebooks import notebooks

    print(f"changed: {', '.join(notebooks(options.only)) or 'none'}")


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
        help="where to write (else beside the figures; what is there is not measured again)",
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
    print(f"measured: {file}; draw it: {PROGRAM} figures --only eagle.prototype")


@command(
    "--only core",
    argument(
        "--only", nargs="+", metavar="NAME", help="core, explorers, or a paper's key such as hmhs"
    ),
)
def bench(options: Namespace) -> int:
    """Speed: the kernels side by side in one run, and how soon a fresh process answers.

    Prints ratios, since seconds differ from machine to machine.
    """
    root = paths.checkout()
    if root is None:
        raise ValueError("the benchmarks are in the checkout: clone it and run there")
    return subprocess.call(
        [sys.executable, root / "tests" / "bench" / "speed.py", *(options.only or ())]
    )


def overview() -> str:
    """What there is to type, a line for each command."""
    lines = ["schedlib: five papers on data-centre scheduling, runnable.", ""]
    for name, it in COMMANDS.items():
        summary = str(it.run.__doc__).splitlines()[0]
        lines.append(f"  {PROGRAM} {name:<10} {summary}")
    lines += ["", f"Each has its own help, with an example: {PROGRAM} run --help"]
    return "\n".join(lines)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line that says what to type instead."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see: {self.prog} --help\n")


def parser() -> Parser:
    """The arguments of every command."""
    raw = argparse.RawDescriptionHelpFormatter
    top = Parser(prog=PROGRAM, description=overview(), formatter_class=raw, usage=argparse.SUPPRESS)
    commands = top.add_subparsers(dest="command", prog=PROGRAM, help=argparse.SUPPRESS)
    for name, it in COMMANDS.items():
        text = f"{it.run.__doc__} Example: {f'{PROGRAM} {name} {it.example}'.strip()}"
        added = commands.add_parser(name, description=text)
        for names, options in it.arguments:
            added.add_argument(*names, **options)
    return top


def where(folder: Path, page: str = "README.md") -> str:
    """Says where files are, from the present folder when they are below it."""
    folder = folder.resolve()
    shown = folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
    return f"everything is in {shown}; begin with {shown / page}"


def main(arguments: list[str] | None = None) -> int:
    """Run one command; gives the exit code: 0 done, 1 it failed, 2 it was asked wrongly, 130 interrupted."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments:
        print(overview())
        return 0
    first = arguments[0]
    try:
        if not first.startswith("-") and first not in COMMANDS:
            from schedlib.core.checks import unknown

            raise unknown("command", first, COMMANDS, f"see: {PROGRAM} --help")
        options = parser().parse_args(arguments)
        return COMMANDS[options.command].run(options) or 0
    except SystemExit as stop:
        return int(stop.code or 0)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - Python's own flush at exit stays quiet
        return 0
    except KeyboardInterrupt as stop:
        kept = str(stop) or "what is finished is kept; the same command goes on from there"
        print(f"\ninterrupted: {kept}", file=sys.stderr)
        return 130
    except (ValueError, RuntimeError, OSError, ImportError) as error:
        print(f"{PROGRAM} {first}: {error}", file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1


if __name__ == "__main__":
    sys.exit(main())
