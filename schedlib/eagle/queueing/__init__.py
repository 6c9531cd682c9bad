"""Workers: their queues, the order in which they serve them (Section 4), and Hawk's work stealing."""
