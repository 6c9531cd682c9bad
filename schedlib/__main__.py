"""The command line: python -m schedlib."""

import argparse
import difflib
import os
import subprocess
import sys
from pathlib import Path

from schedlib import papers, paths
from schedlib.experiment import SCALES

OVERVIEW = """\
schedlib: five papers on data-centre scheduling, runnable.

  python -m schedlib list                            what there is: experiments, figures, tables
  python -m schedlib stale                           the published figures that the present code would make otherwise
  python -m schedlib run hmhs.fig1 --scale smoke     run one experiment and print its frame
  python -m schedlib figures --only hmhs             regenerate figures, tables and claims (as `make figures ONLY=hmhs`)
  python -m schedlib claims                          the papers' claims and what became of them
  python -m schedlib gallery                         their pages written anew; nothing is run
  python -m schedlib notebooks                       run the book again, in place
  python -m schedlib course                          a students' copy without solutions, an instructors' with them
  python -m schedlib data                            the public traces and how to fetch them
  python -m schedlib bench                           speed, as ratios in one run

Each has its own help: python -m schedlib run --help"""

WHERE = (
    "Files go to figures/ at quick scale, to data/cache/figures-smoke or data/cache/figures-paper at the others, so that a trial "
    "never overwrites the committed figures; --out names another folder."
)
HELP = {
    "list": "Lists every figure and table with the experiment behind it, its title, how many points and seeds it has at quick "
    "scale, and whether the published files still come from the code as it is (state). Example: python -m schedlib list hmhs",
    "stale": "Prints a line for each published figure whose result the present code would not make, and nothing else. "
    "Example: python -m schedlib stale",
    "run": "Runs one experiment and prints its tidy frame, or writes it to a file. Points that are stored already are not run "
    "again, and an interrupted run goes on where it was. Example: python -m schedlib run hmhs.fig1 --scale smoke --csv fig1.csv",
    "figures": "Regenerates figures and tables by running the papers' notebooks, then the claims ledger and the gallery. "
    f"{WHERE} Example: python -m schedlib figures --only hmhs.fig1 --scale smoke",
    "claims": "Judges the papers' claims on the stored results, runs what is missing, writes claims.csv and CLAIMS.md, and "
    f"prints the verdicts. {WHERE} Example: python -m schedlib claims --only hmhs",
    "gallery": "Writes README.md and CLAIMS.md anew from what lies in the folder (provenance.json, claims.csv); runs nothing. "
    "Example: python -m schedlib gallery --out data/cache/figures-smoke",
    "notebooks": "Runs the book's notebooks top to bottom in place and strips what changes from run to run, so that a file "
    "changes only when an output did. Example: python -m schedlib notebooks 02 solutions/02-hmhs",
    "course": "Writes two copies of the book to hand on: student/ without solutions and with empty answers, instructor/ with every "
    "solution in its place. Example: python -m schedlib course --folder ~/teaching",
    "data": "Without a name, lists the public traces; with one, fetches it and says where it is (checksums are verified). "
    "Example: python -m schedlib data NAME --folder traces",
    "bench": "Measures the kernels side by side in one run, and how soon a fresh process answers, and prints ratios, since seconds "
    "differ from machine to machine. "
    "Example: python -m schedlib bench --only core",
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line that says what to type instead."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}; see: {self.prog} --help\n")


def parser() -> Parser:
    """The arguments of every command."""
    top = Parser(prog="python -m schedlib", description=OVERVIEW, formatter_class=argparse.RawDescriptionHelpFormatter,
                 usage=argparse.SUPPRESS)  # fmt: skip
    commands = top.add_subparsers(dest="command", metavar="", title="commands", prog="python -m schedlib")
    made = {name: commands.add_parser(name, description=text) for name, text in HELP.items()}
    made["list"].add_argument("only", nargs="*", metavar="PAPER", help=f"one of {', '.join(papers.KEYS)}; or a figure's name")
    made["run"].add_argument("id", metavar="ID", help="an experiment or figure, as `list` names it")
    made["run"].add_argument("--refresh", action="store_true", help="compute anew what is stored already")
    made["run"].add_argument("--csv", metavar="FILE", help="write the frame there instead of printing it")
    for name in ("run", "figures", "claims"):
        add = made[name].add_argument
        add("--scale", default="quick", metavar="SCALE", help=f"how much is simulated: {', '.join(SCALES)} (quick unless told)")
        add("--seeds", type=int, metavar="N", help="how many seeds, 0 to N-1 (the scale's own number unless told)")
        add("--workers", type=int, metavar="N", help="processes (all cores unless told; 1 runs everything in this process)")
        add("--dask", metavar="ADDRESS", help="run on the Dask cluster whose scheduler is there, such as tcp://host:8786")
        if name != "run":
            add("--out", metavar="FOLDER", help="where files go (see above)")
            add("--only", nargs="+", metavar="NAME", help="papers, figures or experiments (all unless told)")
    made["gallery"].add_argument("--out", metavar="FOLDER", help="the folder that holds the figures (figures/ unless told)")
    made["notebooks"].add_argument("only", nargs="*", metavar="NOTEBOOK", help="names or chapter numbers (all unless told)")
    made["notebooks"].add_argument("--check", action="store_true", help="write nothing; fail when a notebook would change")
    made["course"].add_argument("--folder", metavar="FOLDER", help="where to write the two (course/ of the checkout unless told)")
    made["data"].add_argument("name", nargs="?", metavar="NAME", help="the trace to fetch")
    made["data"].add_argument("--folder", metavar="FOLDER", help="where to put it (schedlib's own data folder unless told)")
    made["bench"].add_argument("--only", nargs="+", metavar="PACKAGE", help="core, papers or widgets (all unless told)")
    return top


def list_(options) -> None:
    from schedlib import reproduce
    from schedlib.reproduce.tables import columns

    frame = reproduce.experiments(options.only)
    print(columns(frame.columns, frame.itertuples(index=False)) if len(frame) else "no paper lists an experiment here yet")


def stale(options) -> None:
    from schedlib.reproduce import provenance, publish

    for name in provenance.stale(publish.out_folder()):
        print(name)


def run(options) -> None:
    from schedlib import reproduce
    from schedlib.reproduce.tables import csv_text

    frame = reproduce.run(options.id, options.scale, options.seeds, options.workers, options.dask, refresh=options.refresh)
    if options.csv:
        Path(options.csv).write_text(csv_text(frame), encoding="utf-8", newline="")
        print(f"{len(frame)} rows in {options.csv}")
    else:
        print(frame.to_string(index=False, max_rows=60))


def figures(options) -> None:
    from schedlib.reproduce import pipeline

    print(where(pipeline.figures(options.only, options.scale, options.out, options.workers, options.dask, options.seeds)))


def claims(options) -> None:
    from schedlib.reproduce import gallery, ledger, provenance, publish
    from schedlib.reproduce.tables import columns

    frame = ledger.judged(options.scale, options.only, options.seeds, options.workers, options.dask)
    if frame.empty:
        print("no paper lists a claim here yet")
        return
    folder = publish.out_folder(options.scale, options.seeds, options.out)
    ledger.write(frame, folder)
    if provenance.read(folder):
        gallery.write(folder)
    shown = frame[["id", "paper_value", "measured", "ci95", "unit", "verdict"]]
    print(columns(shown.columns, shown.itertuples(index=False)))
    print("; ".join(f"{count} {verdict}" for verdict, count in frame["verdict"].value_counts().items()))
    print(where(folder, "CLAIMS.md"))


def gallery(options) -> None:
    from schedlib.reproduce import gallery, ledger, publish

    folder = publish.out_folder(out=options.out)
    if not (folder / "provenance.json").exists():
        raise ValueError(f"{folder} holds no figures yet: make figures")
    ledger.write(ledger.read(folder), folder)
    gallery.write(folder)
    print(where(folder))


def notebooks(options) -> int:
    from schedlib.reproduce.notebooks import notebooks

    changed = notebooks(options.only, options.check)
    print(f"{'would change' if options.check else 'changed'}: {', '.join(changed) or 'none'}")
    return int(options.check and bool(changed))


def course(options) -> None:
    from schedlib.teaching.course import course

    for name, folder in course(options.folder).items():
        print(f"{name}: {folder}")


def data(options) -> None:
    from schedlib.traces import download

    if options.name is None:
        for name, source in download.SOURCES.items():
            print(f"{name}\n  {source.description}\n  {source.size}; {source.licence}")
        print("\nfetch one: python -m schedlib data NAME")
        return
    if options.name not in download.SOURCES:
        near = difflib.get_close_matches(options.name, download.SOURCES, n=2)
        raise ValueError(f"unknown trace {options.name!r}: use one of {', '.join(near or download.SOURCES)}")
    print(download.fetch(options.name, folder=options.folder))


def bench(options) -> int:
    root = paths.checkout()
    if root is None:
        raise ValueError("the benchmarks are in the checkout: clone it and run there")
    return subprocess.call([sys.executable, root / "tests" / "bench" / "speed.py", *(options.only or ())])


def where(folder: Path, page: str = "README.md") -> str:
    """Tells where files are, from here when they are below."""
    folder = folder.resolve()
    shown = folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
    return f"everything is in {shown}; begin with {shown / page}"


COMMANDS = {
    "list": list_, "stale": stale, "run": run, "figures": figures, "claims": claims, "gallery": gallery, "notebooks": notebooks, "course": course,
    "data": data, "bench": bench,
}  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run one command; gives the exit code: 0 done, 1 it failed, 2 it was asked wrongly, 130 interrupted."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments:
        print(OVERVIEW)
        return 0
    if not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        near = difflib.get_close_matches(arguments[0], COMMANDS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(COMMANDS)};"
        print(f"python -m schedlib: unknown command {arguments[0]!r}: {hint} see: python -m schedlib --help", file=sys.stderr)
        return 2
    try:
        options = parser().parse_args(arguments)
        return COMMANDS[options.command](options) or 0
    except SystemExit as stop:
        return int(stop.code or 0)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - so that Python's own flush at exit stays quiet
        return 0
    except KeyboardInterrupt:
        print("\ninterrupted: what is finished is kept; the same command goes on from there", file=sys.stderr)
        return 130
    except ValueError as error:
        print(f"python -m schedlib {arguments[0]}: {error}", file=sys.stderr)
        return 2
    except (RuntimeError, OSError, ImportError) as error:
        print(f"python -m schedlib {arguments[0]}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
