"""For tests of users and of slackwater itself: transcripts, laws and Hypothesis strategies."""
