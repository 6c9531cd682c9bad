"""The centre: it places whole tasks by least work left (Section 3.3), from live news or that of the last heartbeat."""
