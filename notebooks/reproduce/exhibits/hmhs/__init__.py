"""HMHS: how each figure and table was run, drawn and judged."""
