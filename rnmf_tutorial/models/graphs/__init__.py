"""Models that hold the coefficients of neighbors together."""
