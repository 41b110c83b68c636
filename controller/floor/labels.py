"""The words of a floor report: each figure's name in Spanish and in English. CSV keeps the program's own names."""

from typing import Final

LABELS: Final[dict[str, tuple[str, str]]] = {
    "title": ("Informe de sala", "Floor report"),
    "from": ("Desde", "From"),
    "to": ("Hasta", "To"),
    "sound": ("Todo concuerda", "Everything agrees"),
    "unsound": ("HAY DIFERENCIAS", "THERE ARE DIFFERENCES"),
    "tables": ("Mesas", "Tables"),
    "links": ("Pozos enlazados", "Linked pots"),
    "readings": ("Lecturas de carteles", "Sign readings"),
    "hits": ("Premios: teoría y realidad", "Hits: theoretical and actual"),
    "name": ("Nombre", "Name"),
    "rounds": ("Pases", "Rounds"),
    "late_locks": ("Bloqueos tardíos", "Late locks"),
    "discrepancies": ("Diferencias de recuento", "Discrepancies"),
    "wagers": ("Apuestas", "Wagers"),
    "wagered": ("Apostado", "Wagered"),
    "contributed": ("Aportado a los pozos", "Contributed to pots"),
    "to_links": ("Apostado a pozos enlazados", "Wagered to linked pots"),
    "refunds": ("Devoluciones", "Refunds"),
    "awards": ("Premios", "Awards"),
    "awarded": ("Premiado", "Awarded"),
    "house_awards": ("Premios a cargo de la casa", "Awards paid by the house"),
    "house_resets": ("Reposiciones a cargo de la casa", "Resets paid by the house"),
    "paid": ("Pagado", "Paid"),
    "unpaid": ("Pendiente de pago", "Unpaid"),
    "pots": ("Pozos", "Pots"),
    "reserves": ("Reservas y excedentes", "Reserves and overflow"),
    "liability": ("Pasivo", "Liability"),
    "late": ("Fichas tardías", "Late chips"),
    "excess": ("Fichas de más", "Excess chips"),
    "faults": ("Fallas", "Faults"),
    "left_out": ("Registros no creídos", "Records not believed"),
    "unproven": ("Registros aún sin firma comprobada", "Records without a checked signature yet"),
    "chips_expected": ("Fichas esperadas", "Chips expected"),
    "chips_declared": ("Fichas declaradas", "Chips declared"),
    "difference": ("Diferencia", "Difference"),
    "hand": ("Mano", "Hand"),
    "actual": ("Real", "Actual"),
    "mean": ("Teórico", "Theoretical"),
    "band": ("Banda", "Band"),
    "staked": ("Apostado", "Staked"),
    "claims": ("Premios", "Wins"),
    "won": ("Ganado", "Won"),
    "current": ("Pozo", "Pot"),
    "reserve_pool": ("Reserva", "Reserve"),
    "overflow_meter": ("Excedente", "Overflow"),
    "shown": ("Leído", "Shown"),
    "person": ("Persona", "Person"),
    "at": ("Hora (UTC)", "Time (UTC)"),
}


def label(key: str, language: str) -> str:
    """A figure's name; `language` is `es` or `en`."""
    spanish, english = LABELS[key]
    return english if language == "en" else spanish
