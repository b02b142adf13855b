"""Models without weights, error matrices, penalties or graphs."""
