"""Settings that all tests share."""

from hypothesis import settings

# The same examples on every run, and no failure because a machine is busy.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")
