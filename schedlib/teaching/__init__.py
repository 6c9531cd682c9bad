"""What the book needs of its own: exercises and their checks, explorers, notation, algorithm boxes."""

from schedlib.teaching.listing import show as show
