"""Verification: backends, scoreboard, records and the command line."""
