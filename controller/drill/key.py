"""The key that virtual tables sign with: the same in every run, so that a run repeats to the last digit.

It is no secret and vouches for nothing; a real table makes its own at commissioning.
"""

from typing import Final

from controller.signing.key import PrivateKey

VIRTUAL_KEY: Final = PrivateKey.from_seed(bytes(32))
