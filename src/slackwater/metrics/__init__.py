"""What is to be known of running queries, and how it is shown to other systems: Prometheus, OpenTelemetry, logs."""
