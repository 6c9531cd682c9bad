"""Stage 3 of LoTES: the event loop, and what it keeps of jobs, machines, queues and measurements."""
