"""Directives: what a page asks for by a name in braces, such as `{results}`."""
