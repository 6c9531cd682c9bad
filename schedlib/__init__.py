"""A textbook that runs: five papers on data-centre scheduling."""

__version__ = "0.1.0"
