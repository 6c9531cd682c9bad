"""The tree of the jobs that wait."""

import numpy as np

from schedlib.lotes.dispatching import machine_tree, state, waiting_line


def test_equal_jobs_have_one_node_and_leave_in_order_of_arrival():
    machines = machine_tree.machines(np.ones((1, 1)), np.array([1]), np.ones((1, 1)))
    table = state.state_of(machines, 1.0).table
    line = waiting_line.line(1, np.array([0.5]))
    slots = [state.enter(table, row, 0.0, 0, 1.0, np.array([0.5])) for row in range(50)]
    for slot in slots:
        waiting_line.join(line, table, 0, slot, 2.0)
        assert (table.job[line.root[0]].child == -1).all()
    left = []
    while line.count[0] > 0:
        left.append(line.root[0])
        waiting_line.quit_line(line, table, 0, left[-1])
    assert left == slots
    assert line.root[0] == -1
