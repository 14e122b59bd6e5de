"""What stands around pages: mathematics, styles, fonts, search, addresses."""
