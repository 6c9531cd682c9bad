"""The one style of the book, and what can be drawn of any schedule: charts over time, queues, bins, trees, clusters."""
