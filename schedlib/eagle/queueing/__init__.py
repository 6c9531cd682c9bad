"""Workers: their queues, the order in which they serve them (Section 4, Algorithm 1), and Hawk's work stealing."""
