"""slackwater."""
