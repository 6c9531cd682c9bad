"""Probes: where they go, and how Succinct State Sharing keeps them from long tasks (Section 3)."""
