"""The leaderboard: a reader's policies beside the shipped ones, on the same workloads and seeds.

board = leaderboard.hmhs(mine, seeds=5)     # a tidy frame
print(leaderboard.told(board))              # who broke which rule: row, time, way out
leaderboard.plot(board)                     # a figure

`leaderboard.literature` has policies that others published, written as a reader would.
"""

from schedlib.leaderboard import literature as literature
from schedlib.leaderboard.eagle_board import eagle
from schedlib.leaderboard.hmhs_board import hmhs
from schedlib.leaderboard.lotes_board import lotes
from schedlib.leaderboard.mch_board import mch
from schedlib.leaderboard.race import PATIENCE
from schedlib.leaderboard.standings import alt_text, plot, standings, told

__all__ = ["PATIENCE", "alt_text", "eagle", "hmhs", "lotes", "mch", "plot", "standings", "told"]
