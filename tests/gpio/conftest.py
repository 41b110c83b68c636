"""These tests need a kernel's own GPIO lines: `.ci/gpio-sim` makes a guest that has them, nobody else does."""

from tests.helpers_kernel import PLACE

collect_ignore_glob = [] if PLACE else ["test_*.py"]
