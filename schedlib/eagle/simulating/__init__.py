"""The simulator: its state, messages, event loop and record, and what `eagle.simulate` gives back."""
