"""What is trained. The lab of chapter 11: tasks whose truth is known, one model, one budget, each run in a small file.

Beside it two small experiments that their chapters train anew: `who_bites` of chapter 1, `look_back` of chapter 4.
"""
