"""What the Eagle paper prints: the numbers that claims are judged on and that figures show beside ours."""

TABLE1 = {"google": (506460, 10.00, 83), "cloudera": (21030, 5.02, 91), "yahoo": (24262, 9.41, 98)}
"""Jobs, long jobs (%), task-seconds of long jobs (%)."""
TABLE2 = {"google": (17.30, 0.63, 15.70, 16.98), "yahoo": (0.87, 0.018, 0.80, 0.86), "cloudera": (5.60, 0.055, 5.50, 5.65)}
"""In millions: Hawk's probes behind a long task, its short tasks run after one, its stolen probes, Eagle's re-scheduled ones."""
BEHIND = {"yahoo": 84.0, "google": 67.0}
"""Of Hawk's probes, those behind a long task (%, Section 6.1; not printed for Cloudera)."""
UNDER, OVER = ((0.3, 1.0), (0.6, 1.0), (0.9, 1.0)), ((1.0, 1.3), (1.0, 1.6), (1.0, 1.9))
"""The ranges from which estimates' factors are drawn (Section 6.5)."""


def table2_shares(trace: str) -> dict | None:
    """Table 2 in per cent of Hawk's probes, and of its short tasks (half as many): `behind, ran, stolen, rescheduled`; None for Cloudera.

    >>> table2_shares("google")
    {'behind': 67.0, 'ran': 4.9, 'stolen': 60.8, 'rescheduled': 65.8}
    """
    if trace not in BEHIND:
        return None
    behind, ran, stolen, again = TABLE2[trace]
    sent = behind / (BEHIND[trace] / 100)
    shares = {"behind": behind / sent, "ran": ran / (sent / 2), "stolen": stolen / sent, "rescheduled": again / sent}
    return {name: round(100 * share, 1) for name, share in shares.items()}
