"""What experiments have in common: how one is described, run cell by cell, kept in a file, judged and guarded."""
