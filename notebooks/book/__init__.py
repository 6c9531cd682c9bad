"""Everything that only the book uses: exercises, explorers, lessons, pictures, and how it is built."""

from book.listing import figure as figure
from book.listing import show as show
