"""What the chapters are made of: exercises and their checks, explorers, notation."""
