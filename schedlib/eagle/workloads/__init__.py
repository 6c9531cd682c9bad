"""Workloads of the evaluation (Sections 4.1, 5 and 7), a real one of the same kind, and their measures."""
