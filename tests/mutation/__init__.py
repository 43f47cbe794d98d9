"""Mutation testing of the core, the models and the controllers: are tests that pass also tests that would fail?"""
