"""The Sphinx extension that makes the site: `pipeline` has its parts and the order of their steps."""

from .pipeline import setup

__all__ = ["setup"]
