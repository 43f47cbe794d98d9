"""Public tools for tests: transcripts, Hypothesis strategies, and the laws of every operator and controller.

They need `pip install slackwater[testing]`.
"""
