"""Steps that change the nodes of a page, between Markdown and HTML."""
