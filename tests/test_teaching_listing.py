"""The algorithm box shows the source that runs, and nothing of its docstrings."""

import book


def counted(n):
    """Words that a page need not repeat."""
    total = 0  # a comment stays
    for k in range(n):
        total += k
    return total


class Counter:
    """A class's docstring goes, too."""

    def count(self, n):
        """As does a method's."""
        return counted(n)


def test_a_listing_runs_as_the_function_does():
    listed = book.show(counted)
    made = {}
    exec(str(listed), made)
    assert made["counted"](4) == counted(4) == 6
    assert "Words" not in str(listed) and "# a comment stays" in str(listed)


def test_several_stand_in_one_box_and_a_method_at_the_margin():
    box = str(book.show(Counter.count, Counter))
    assert box == (
        "def count(self, n):\n    return counted(n)\n\n\nclass Counter:\n\n    def count(self, n):\n        return counted(n)"
    )


def test_a_notebook_highlights_it():
    assert book.show(counted)._repr_markdown_().startswith("```python\ndef counted(n):\n")
