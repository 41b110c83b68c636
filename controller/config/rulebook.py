"""Reads a game's profile by itself: what its text says, whatever house plays it."""

from pathlib import Path

from controller.config.conform import Review, conform
from controller.config.document import open_document
from controller.config.problems import Report
from controller.config.profile import Profile
from controller.config.shipped import Kind, find


def rulebook(name_or_path: str) -> Profile:
    """The profile of a game; a bare name is a shipped one. Raises `ConfigError` with all that is wrong with it."""
    report = Report()
    document = open_document(find(Kind.GAME, name_or_path, Path()), report)
    profile = conform(document.values, Profile, Review(document.where, report))
    if profile is None:
        report.fail()
    return profile
