"""Settings that all tests share."""

import gc

from hypothesis import settings

# The same examples on every run, and no failure because a machine is busy.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


def pytest_collection_finish():
    """What was imported stays: the collector need not look through it again and again."""
    gc.freeze()
