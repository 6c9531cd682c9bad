"""Claims of the LoTES papers on planning anew, with the tolerance each was given before it was measured."""

import numpy as np

from schedlib.exhibits.lotes.trace_claims import CLIP, DECADES, claim


def _gained(way, every):
    """Decades by which replanning that way shortens the mean wait on the synthetic month with bursts and drift 0.8, per seed."""

    def measure(frame):
        some = frame[frame["bursts"].astype(bool) & (frame["drift"] == 0.8)].assign(wait=lambda f: np.log10(f["wait"].clip(lower=CLIP)))
        waits = some.pivot_table(index="seed", columns=["way", "every"], values="wait")
        return (waits["fixed", 0] - waits[way, every]).to_numpy()

    return measure


REASON = (
    "waits come when more arrives than fits, and there a better estimate of the mix does not help: plans made from the next day's jobs "
    "themselves gain no more; judged on the synthetic month"
)

CLAIMS = tuple(
    claim(
        f"replan-{way}-{every}", "Section 5.3.3", f"Updating the job classes' parameters improves LoTES: {text}, every {every} hours",
        "lotes.replan", _gained(way, every), **DECADES, reason=REASON,
    )
    for way, text in (("estimate", "shares, demands and rates estimated anew"), ("cluster", "jobs clustered anew"))
    for every in (24, 6)
) + (
    claim(
        "replan-seconds", "Section 5.3.3", "Stages 1 and 2 can be solved again several times a day: in less than a minute", "lotes.replan",
        lambda frame: (frame["seconds"] < 60).groupby(frame["seed"]).mean().to_numpy(), 1.0, check="value",
        metric="share of runs whose longest new plan took less", unit="1",
    ),
)  # fmt: skip
