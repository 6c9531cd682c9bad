"""What holds for all tests: how many examples hypothesis tries, and that it does not time them."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ours", deadline=None, max_examples=25, suppress_health_check=list(HealthCheck)
)
settings.load_profile("ours")

collect_ignore = ["typed_user.py"]  # type checkers read it; importing it would run it
