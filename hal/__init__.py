"""The hardware room: pins, bytes and pixels.

It knows nothing of bets or money and never imports `controller`. Everything it tells goes through the
messages of `hal.interface`; everything it is told goes through the `Hal` protocol there.
"""
