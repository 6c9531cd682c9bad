"""Exercises that check themselves: an answer is right, or there is a hint; the answer itself is never shown.

    exercises.check("01-waiting", 1, (50, 4, 2))

What is right is computed by the library when it is asked for: closed forms, exhaustive search, properties. A
chapter's checks are in the module of its number, whose `CHAPTER` names the notebook; each is a function under
`@exercise`, made of what `reading` has.
"""

from schedlib.teaching.exercises.checking import Verdict, check, exercise, listed
from schedlib.teaching.exercises.reading import Hint, expect

__all__ = ["Hint", "Verdict", "check", "exercise", "expect", "listed"]
