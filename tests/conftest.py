"""For all tests: the number of hypothesis's examples, which it does not time, and the toys' registry."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ours", deadline=None, max_examples=25, suppress_health_check=list(HealthCheck)
)
settings.load_profile("ours")

collect_ignore = ["typed_user.py"]  # type checkers read it; importing it would run it


@pytest.fixture
def toys(tmp_path_factory, monkeypatch):
    """The toy experiments are the registry, with a cache of their own."""
    import toy_experiments
    from reproduce import registry

    monkeypatch.setenv("SCHEDLIB_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr(registry, "load", lambda: toy_experiments.REGISTRY)
