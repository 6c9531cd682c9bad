"""The evidence: one file for each exhibit, or for those drawn from one run, with its run, its drawing and its claims."""
