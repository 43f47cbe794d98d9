"""What to write down for a wish: curves over all slacks, how sure they are, and the advice itself with its text."""
