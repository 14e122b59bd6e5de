"""The companion package of *Positional Encoding, Proved and Run*.

Each module is taught in full in one chapter before any other chapter imports it.
"""
