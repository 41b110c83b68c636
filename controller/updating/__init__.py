"""Updates: a signed bundle goes into the slot that does not run, is tried once, and stays only if the table then plays.

It knows the card's slots, bundles and the journal's last records, and nothing of a round's rules.
"""
