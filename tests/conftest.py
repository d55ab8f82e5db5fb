"""One hypothesis profile for every test: no deadlines, the same examples each time."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "colorless",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("colorless")
