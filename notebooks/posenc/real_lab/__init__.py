"""What chapter 12 measured on the released model: its texts, its runs (a line each), two released tables."""
