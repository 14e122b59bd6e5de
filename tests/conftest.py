"""Settings that all tests share."""

import gc
import sys

from hypothesis import settings

# jsonschema, which nbformat imports, would compile a grammar of internationalised addresses in each worker, for two
# seconds. No notebook holds an address that a schema names, and jsonschema can do without.
sys.modules["rfc3987_syntax"] = None

# What is imported stays: the collector need not look through it, neither now nor later.
gc.disable()

# The same examples on every run, and no failure because a machine is busy.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: "kernel" not in item.fixturenames)  # a minute of one core, begun at once


def pytest_collection_finish():
    gc.freeze()
    gc.enable()
