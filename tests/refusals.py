"""How the tests ask for a refusal."""

import pytest


def refuses(words, call, /, *given, **options):
    """That the call raises a ValueError that says these words (a regular expression)."""
    with pytest.raises(ValueError, match=words):
        call(*given, **options)
