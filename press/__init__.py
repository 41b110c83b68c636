"""Makes the manuals: pages of `docs` into a site and into papers. `python -m press OUT` does all of it.

It reads the program (catalogues, faults, board files) to say what the machine says; the program never imports it.
"""
