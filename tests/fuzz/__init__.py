"""Fuzzing of everything that parses: `python -m tests.fuzz NAME --runs N` under atheris, and short in the suite.

A target takes bytes and hands them to one parser. It returns if the parser took them or refused them with its room's
own error; anything else it lets through is a finding.
"""
