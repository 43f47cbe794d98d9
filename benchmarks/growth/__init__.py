"""How cost grows: one thing made larger step by step, everything else kept, and the exponent that fits."""
