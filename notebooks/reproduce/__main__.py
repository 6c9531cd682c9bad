"""The command line: python -m reproduce."""

import sys
from argparse import Namespace
from pathlib import Path

from schedlib.commands import FRAME, SWEEP, Commands, argument, settings, write_frame
from schedlib.plots import papers

commands = Commands(
    "python -m reproduce", "reproduce: every figure, table and claim of the five papers."
)
command = commands.command
OUT = argument(
    "--out",
    metavar="FOLDER",
    help="where files go; else figures/ at quick scale, figures/paper-scale at paper scale "
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
    """List every figure and table.

    Each is listed with the experiment behind it, its title, how many points and seeds it has at quick scale,
    and whether the published files still come from the code as it is (state).
    """
    from reproduce import experiments

    print(experiments(options.only).to_string(index=False))


@command("--scale paper", SWEEP[0])
def stale(options: Namespace) -> None:
    """The published figures that the present code would make otherwise, one a line."""
    from reproduce import publish

    for name in publish.stale(publish.out_folder(options.scale)):
        print(name)


@command(
    "hmhs.fig1 --scale smoke",
    argument("id", metavar="ID", help="an experiment or figure, as `list` names it"),
    *FRAME,
)
def run(options: Namespace) -> None:
    """Run one experiment and print its tidy frame, or write it to a file.

    Points that are stored already are not run again, and an interrupted run goes on where it was.
    """
    from reproduce import points

    frame = points.finished(options.id, settings(options)).frame
    write_frame(frame, options.csv)


@command("--only hmhs.fig1 --scale smoke", *SWEEP, OUT, ONLY)
def figures(options: Namespace) -> None:
    """Regenerate figures and tables, the claims ledger and the gallery.

    The exhibits that the papers print come first, then the evidence behind the verdicts. Points that are stored
    are not run again.
    """
    from reproduce import notebooks

    print(where(notebooks.figures(settings(options), options.only, options.out)))


@command("--only hmhs", *SWEEP, OUT, ONLY)
def claims(options: Namespace) -> None:
    """The papers' claims and what became of them.

    They are judged on the stored results; what is missing is run. Writes claims.csv and CLAIMS.md.
    """
    from reproduce import gallery, ledger, publish, report

    folder = publish.out_folder(options.scale, options.seeds, options.out)
    frame = ledger.judged(settings(options), options.only, folder)
    ledger.write(frame, folder)
    if publish.provenance(folder):
        gallery.write(folder)
    shown = frame[["id", "printed", "measured", "low", "high", "unit", "verdict"]]
    print(shown.to_string(index=False, na_rep="", float_format="{:.4g}".format))
    print(f"By the text: {report.by_text(frame)}.")
    print(where(folder, "CLAIMS.md"))


@command(
    "02 solutions/05-hmhs",
    argument("only", nargs="*", metavar="NOTEBOOK", help="names or chapter numbers (else all)"),
)
def notebooks(options: Namespace) -> None:
    """Run the book's notebooks top to bottom, in place.

    What changes from run to run is stripped, so that a file changes only when an output did.
    """
    from reproduce.notebooks import notebooks

    print(f"changed: {', '.join(notebooks(options.only)) or 'none'}")


def where(folder: Path, page: str = "README.md") -> str:
    """Says where files are, from the present folder when they are below it."""
    folder = folder.resolve()
    shown = folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
    return f"everything is in {shown}; begin with {shown / page}"


if __name__ == "__main__":
    sys.exit(commands.main())
