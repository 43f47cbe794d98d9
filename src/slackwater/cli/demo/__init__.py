"""The command `demo`: a live Spark stream put in order by a guess and under a contract at the same time."""
