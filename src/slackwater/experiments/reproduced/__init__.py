"""One file per table or figure of the documents, and for each question of our own; each has its `EXPERIMENT`."""
