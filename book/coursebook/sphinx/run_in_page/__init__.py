"""Statements and exercises that run in the page of a reader: their programs, and the Python for them."""
