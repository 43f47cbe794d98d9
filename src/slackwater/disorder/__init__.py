"""How disordered a stream is: delays, drift, skew, gaps and suspicious clocks, from columns in arrival order."""
