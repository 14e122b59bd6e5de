"""What teachers get: slides, questions, notebooks for a class, a PDF."""
