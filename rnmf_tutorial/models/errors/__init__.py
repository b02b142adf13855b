"""Models that take an error matrix out of the data."""
