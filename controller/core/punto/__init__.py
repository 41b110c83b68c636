"""Punto y Banca (seed 001): draw, score, shoe, the banker's ledger, frozen bets.

Pure; it knows no phase and no slot.
"""
