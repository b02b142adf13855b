"""What all experiments share: grids and their runner, stored rows, verdicts and the scoreboard."""
