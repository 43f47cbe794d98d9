"""Operators wired to their guard, late policy and controller: engine-free, the same for every runner."""
