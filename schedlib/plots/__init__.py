"""The one style, and what can be drawn of any schedule: charts over time, queues, bins, trees, clusters."""
