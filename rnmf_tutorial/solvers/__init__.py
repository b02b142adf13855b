"""How one factor is solved for."""
