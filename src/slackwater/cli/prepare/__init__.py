"""The command `prepare`: what every session would else make for itself is made once for an environment."""
