"""Where each microsecond per row goes, in process and on Spark."""
