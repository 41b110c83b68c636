"""The link: takes a table's records from its journal to the floor and elsewhere, in processes of their own.

It reads the journal page by page and writes nothing of the table's; it knows rows and digests and no rule of the game.
To the table it says one thing, on a socket of this machine: how far the floor is (`beat`). `pump` serves the floor,
`courier` serves every other adapter. Importing this room, or `beat`, loads no database driver.
"""
