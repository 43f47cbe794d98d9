"""What was achieved, against the in-order truth."""
