"""The deciding room: bets, money, time, durability. It sees hardware only through `hal.interface`."""
