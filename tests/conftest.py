"""For all tests: the number of hypothesis's examples, which it does not time, and the toys' registry."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ours", deadline=None, max_examples=25, suppress_health_check=list(HealthCheck)
)
settings.load_profile("ours")

collect_ignore = ["typed_user.py"]  # type checkers read it; importing it would run it


@pytest.fixture
def own_cache(tmp_path_factory, monkeypatch):
    """A cache of the test's own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("SCHEDLIB_CACHE", str(folder))
    return folder


@pytest.fixture
def toys(own_cache, monkeypatch):
    """The toy experiments are the registry, with a cache of their own."""
    import toy_experiments
    from reproduce import registry

    monkeypatch.setattr(registry, "load", lambda: toy_experiments.REGISTRY)
