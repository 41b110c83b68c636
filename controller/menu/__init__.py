"""The dealer's menu: everything an operator can do, with two buttons and the keys. Pure: no clock and no I/O.

It may know the core, the table's pages and the pulses to show. It decides nothing about the table: it makes the
events an operator may ask for, and the table judges them. GAME OVER short: next. GAME OVER held: open the menu, choose.
COIN IN: back, but while bets are open it locks. A keypad is a short cut: digits mark or enter, ENTER chooses, CLEAR
goes back, and a key with an act's name (`controller.menu.verbs`) begins that act.

    ask    questions, options, scripts          verbs  the acts' names
    poker, desk, punto, people  the scripts     acts   which act is offered when
    known  whom it may offer, and a PIN to be looked at
    walk   `menu_step`                          page   lines and the blinking seat
"""

from controller.menu.known import NOBODY, Identify, Known, People
from controller.menu.page import chosen_seat, menu_lines
from controller.menu.state import SILENCE_NS, Given, Looked, Menu, Pushed, Turned, Typed
from controller.menu.verbs import Verb
from controller.menu.walk import menu_step

__all__ = [
    "NOBODY",
    "SILENCE_NS",
    "Given",
    "Identify",
    "Known",
    "Looked",
    "Menu",
    "People",
    "Pushed",
    "Turned",
    "Typed",
    "Verb",
    "chosen_seat",
    "menu_lines",
    "menu_step",
]
