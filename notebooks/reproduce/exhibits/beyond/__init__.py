"""Beyond the papers: what no single one of them asks, run, drawn and judged."""
