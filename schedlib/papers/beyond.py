"""What is in no paper, or in several: the record of a shelf of exhibits, without policies of its own."""

from schedlib.papers import Paper

PAPER = Paper(key="beyond", title="Beyond the papers", order=99, looks={})
