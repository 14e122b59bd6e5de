"""What authors and tests use."""
