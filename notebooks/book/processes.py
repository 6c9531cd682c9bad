"""A function called on several processes."""

import warnings

from joblib import Parallel, delayed

from schedlib.sweeps.worker import EXPECTED


def each(function, arguments) -> None:
    """Call the function with each of these tuples of arguments, on one process a core.

    joblib replaces a worker that has grown large, and warns of it: that says nothing new.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", EXPECTED, UserWarning)
        Parallel(n_jobs=-1)(delayed(function)(*given) for given in arguments)
