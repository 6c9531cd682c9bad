"""The leaderboard: a reader's policies beside the shipped ones, on the same workloads and seeds.

board = boards.hmhs(mine, seeds=5)     # a tidy frame
print(boards.told(board))              # who broke which rule: row, time, way out
boards.plot(board)                     # a figure

`boards.literature` has policies that others published, written as a reader would.
"""

from schedlib.boards import literature as literature
from schedlib.boards.eagle_board import eagle
from schedlib.boards.hmhs_board import hmhs
from schedlib.boards.lotes_board import lotes
from schedlib.boards.mch_board import mch
from schedlib.boards.race import PATIENCE
from schedlib.boards.standings import alt_text, plot, standings, told

__all__ = ["PATIENCE", "alt_text", "eagle", "hmhs", "lotes", "mch", "plot", "standings", "told"]
