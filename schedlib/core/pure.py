"""What a rule is shown; see `core.compiling`."""

from schedlib.core.compiling import read_only as read_only
from schedlib.core.compiling import seen as seen
