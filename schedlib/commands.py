"""Command lines: functions of the parsed arguments as commands, whose docstrings are their help."""

import argparse
import os
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

if TYPE_CHECKING:
    from schedlib.sweeps.experiment import Settings

Argument = tuple[tuple[str, ...], dict[str, Any]]


class Command(NamedTuple):
    """A command: its function, whose docstring is its help, the arguments it takes, an example of them."""

    run: Callable[[Namespace], int | None]
    arguments: tuple[Argument, ...]
    example: str


def argument(*names: str, **options: Any) -> Argument:
    """One argument of a command, as `add_argument` takes it."""
    return names, options


SWEEP = (
    argument("--scale", default="quick", help="one of smoke, quick, paper (else quick)"),
    argument(
        "--seeds",
        type=int,
        metavar="N",
        help="how many seeds, 0 to N-1 (else the scale's own number)",
    ),
    argument("--workers", type=int, metavar="N", help="worker processes (else all cores)"),
    argument(
        "--dask", metavar="ADDRESS", help="run on that Dask scheduler's cluster, as tcp://host:8786"
    ),
)
"""The arguments of a command that runs experiments, which `settings` reads."""
FRAME = (
    argument("--refresh", action="store_true", help="compute again what is stored already"),
    argument("--csv", metavar="FILE", help="write the frame there instead of printing it"),
    *SWEEP,
)
"""The arguments of a command that runs one experiment and gives its frame to `write_frame`."""


def settings(options: Namespace) -> "Settings":
    """How experiments are run, from the arguments `SWEEP`."""
    from schedlib.sweeps.experiment import Settings

    refresh = getattr(options, "refresh", False)
    return Settings(options.scale, options.seeds, options.workers, options.dask, refresh=refresh)


def write_frame(frame: Any, file: str | None) -> None:
    """Print a frame, or write it to a CSV file and say so."""
    from schedlib.sweeps.text import csv_text

    if file is None:
        print(frame.to_string(index=False, max_rows=60))
        return
    Path(file).write_text(csv_text(frame), encoding="utf-8", newline="")
    print(f"{len(frame)} rows in {file}")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line that says what to type instead."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see: {self.prog} --help\n")


class Commands:
    """The commands of a program, in the order in which they are added.

    >>> greet = Commands("greet", "Greetings.")
    >>> @greet.command("Ada", argument("name"))
    ... def hello(options):
    ...     \"\"\"Greet somebody.\"\"\"
    ...     print("hello", options.name)
    >>> greet.main(["hello", "Ada"])
    hello Ada
    0
    """

    def __init__(self, program: str, summary: str):
        self.program = program
        self.summary = summary
        self.known: dict[str, Command] = {}

    def command(self, example: str, *arguments: Argument) -> Callable[[Callable], None]:
        """A decorator that makes a function of the parsed arguments a command of its name."""

        def register(function: Callable[[Namespace], int | None]) -> None:
            self.known[function.__name__.rstrip("_")] = Command(function, arguments, example)

        return register

    def overview(self) -> str:
        """An overview with a line for each command: the first sentence of its docstring."""
        lines = [self.summary, ""]
        for name, command in self.known.items():
            summary = str(command.run.__doc__).splitlines()[0]
            lines.append(f"  {self.program} {name:<10} {summary}")
        lines += ["", f"Each has its own help, with an example: {self.program} run --help"]
        return "\n".join(lines)

    def parser(self) -> Parser:
        """The arguments of every command."""
        raw = argparse.RawDescriptionHelpFormatter
        top = Parser(
            prog=self.program,
            description=self.overview(),
            formatter_class=raw,
            usage=argparse.SUPPRESS,
        )
        commands = top.add_subparsers(dest="command", prog=self.program, help=argparse.SUPPRESS)
        for name, command in self.known.items():
            example = f"{self.program} {name} {command.example}".strip()
            added = commands.add_parser(
                name, description=f"{command.run.__doc__} Example: {example}"
            )
            for names, options in command.arguments:
                added.add_argument(*names, **options)
        return top

    def main(self, arguments: list[str] | None = None) -> int:
        """Run one command; gives the exit code: 0 done, 1 it failed, 2 it was asked wrongly, 130 interrupted."""
        arguments = sys.argv[1:] if arguments is None else arguments
        if not arguments:
            print(self.overview())
            return 0
        first = arguments[0]
        try:
            if not first.startswith("-") and first not in self.known:
                from schedlib.core.checks import unknown

                raise unknown("command", first, self.known, f"see: {self.program} --help")
            options = self.parser().parse_args(arguments)
            return self.known[options.command].run(options) or 0
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
            print(f"{self.program} {first}: {error}", file=sys.stderr)
            return 2 if isinstance(error, ValueError) else 1
