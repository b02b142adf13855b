"""How one factor is solved for, the other held fixed."""
