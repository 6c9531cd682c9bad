"""Schedulers that place whole tasks by least work left: the centre (Section 3.3), DLWL's (Section 6.2)."""
