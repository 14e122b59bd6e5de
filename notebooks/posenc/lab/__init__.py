"""The lab of chapter 11: tasks whose truth is known, one model, one budget, and every run in a small file."""
