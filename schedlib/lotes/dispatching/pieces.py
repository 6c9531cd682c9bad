"""Resources that come in whole pieces, as GPUs do: a job takes a share of one piece, or several whole ones.

What fits is still asked of each column alone: in place of the resource's total a machine's `free` has two,
how much lies in pieces that nobody uses and, as the last column, how much the emptiest piece has left. A
job's size has its whole pieces in the first of them, its share in the second.
"""

import numpy as np

from schedlib.core.uncounted import kernel
from schedlib.lotes.model import UNITS, MachineConfigs, scaled


def piece_unit(configs: MachineConfigs) -> float:
    """One piece as the engine counts amounts, or 0.0 where nothing comes in pieces."""
    if configs.pieces is None:
        return 0.0
    most = configs.capacity[:, configs.pieces].max()
    return float(scaled([most], [1.0])[0][0] // most) / UNITS


def sizes(configs: MachineConfigs, demand: np.ndarray) -> np.ndarray:
    """Demands (N, R) as the engine counts them, in fractions of the largest capacity, and a column more where
    a resource comes in pieces. Raises ValueError, with the row, on more than one piece that is not whole.
    """
    size, p = scaled(configs.capacity, demand)[1] / UNITS, configs.pieces
    if p is None:
        return size
    asked = np.asarray(demand, float)[:, p]
    for row in np.flatnonzero((asked > 1) & (asked != np.rint(asked)))[:1]:
        raise ValueError(f"workload: task {row} asks for {asked[row]:g} of resource {p}, which comes in "
                         "pieces; ask for a share of one, or for whole ones")
    shared = asked < 1
    return np.c_[np.where(shared[:, None] & (np.arange(size.shape[1]) == p), 0.0, size),
                 np.where(shared, size[:, p], 0.0)]


def together(amounts: np.ndarray, piece: int) -> np.ndarray:
    """Amounts (..., R + 1) by resource (..., R): shares are added to whole pieces."""
    whole = amounts[..., :-1].copy()
    whole[..., piece] += amounts[..., -1]
    return whole


@kernel
def fullest(m, machine, share):
    """The piece with the least left among those that have room for the share, the first in a tie, or -1."""
    best = -1
    for g in range(m.pieces.shape[1]):
        left = m.pieces[machine, g]
        if left >= share and (best < 0 or left < m.pieces[machine, best]):
            best = g
    return best


@kernel
def count_pieces(m, machine):
    """Bring the machine's two columns up to date with its pieces."""
    idle, most = 0.0, 0.0
    for g in range(m.pieces.shape[1]):
        left = m.pieces[machine, g]
        most = max(most, left)
        if left == m.unit:
            idle += m.unit
    m.free[machine, m.piece], m.free[machine, m.free.shape[1] - 1] = idle, most


@kernel
def take_pieces(m, machine, size):
    """Give the job its pieces, a share in the `wanted` one if the policy named it, else in the fullest with
    room; gives them as bits.
    """
    share, whole, bits = size[size.size - 1], size[m.piece], 0
    if share > 0:
        g = m.wanted[0] if m.wanted[0] >= 0 else fullest(m, machine, share)
        m.pieces[machine, g] -= share
        bits = 1 << g
    for g in range(m.pieces.shape[1]):
        if whole > 0.5 * m.unit and m.pieces[machine, g] == m.unit:
            m.pieces[machine, g] = 0.0
            whole -= m.unit
            bits |= 1 << g
    m.wanted[0] = -1
    count_pieces(m, machine)
    return bits


@kernel
def return_pieces(m, machine, size, bits):
    """Take back what the job had of its pieces."""
    share = size[size.size - 1]
    for g in range(m.pieces.shape[1]):
        if (bits >> g) & 1:
            m.pieces[machine, g] = m.pieces[machine, g] + share if share > 0 else m.unit
    count_pieces(m, machine)
