"""Reports: read result and decision files, never run anything."""
