"""Probes: where they go (Section 3.3, batch sampling) and Succinct State Sharing, which keeps them from long tasks."""
