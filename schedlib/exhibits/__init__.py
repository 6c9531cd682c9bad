"""The evidence: one file for each exhibit, or for those drawn from one run: run, drawing and claims."""
