"""Models that ask something of the basis."""
