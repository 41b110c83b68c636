"""A table's configuration: TOML files to frozen structs, every refusal with file, line, key and what is allowed.

The one door is `load`. Nothing here has a default for money, wager, prize, policy or pin; it reads files and
writes none, and it knows neither journal nor hardware.
"""

from controller.config.base import Base
from controller.config.desk import Ruling
from controller.config.document import FileUsed
from controller.config.problems import ConfigError
from controller.config.rulebook import rulebook
from controller.config.settings import (
    Link,
    Mqtt,
    Settings,
    Webhook,
    board_digest,
    board_written,
    game_digest,
    names_simulated,
)
from controller.config.shipped import Kind, names
from controller.config.table import LOCALES, load
from controller.config.terms import terms_digest, terms_written

__all__ = [
    "LOCALES",
    "Base",
    "ConfigError",
    "FileUsed",
    "Kind",
    "Link",
    "Mqtt",
    "Ruling",
    "Settings",
    "Webhook",
    "board_digest",
    "board_written",
    "game_digest",
    "load",
    "names",
    "names_simulated",
    "rulebook",
    "terms_digest",
    "terms_written",
]
