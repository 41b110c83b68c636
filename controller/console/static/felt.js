// The seats of the drawing: what each lamp really does, what it means, and what lies in the slot.

import { cells, on, say } from "./live.js";

const GLYPHS = {
  off: "", attract: "○", placed: "◐", accepted: "●", winner: "★", problem: "✕", test: "◇", chosen: "◆",
};
export const seats = [...document.querySelectorAll(".seat")];

function name(seat) {
  const number = seat.dataset.seat;
  const held = cells.get("table")?.seats[number - 1];
  const extra = [];
  if (cells.get(`level.seat_${number}`)) extra.push(say("ui.covered"));
  if (held?.give_back) extra.push(say("ui.give_back", { count: held.give_back }));
  const lamp = seat.dataset.lamp;
  seat.querySelector(".seat-glyph").textContent = GLYPHS[lamp];
  seat.querySelector(".seat-word").textContent = extra[0] ?? (lamp === "off" ? "" : say(`lamp.${lamp}`));
  seat.classList.toggle("owed", Boolean(held?.give_back));
  const state = say("ui.seat_state", { seat: number, lamp: say(`lamp.${lamp}`) });
  seat.setAttribute("aria-label", [state, ...extra].join(", "));
}

export function showFelt() {
  on("lamps", (lamps) => {
    for (const seat of seats) {
      seat.dataset.lamp = lamps[seat.dataset.seat - 1] ?? "off";
      name(seat);
    }
  });
  on("out.lamp_", (lit, line) => {
    document.getElementById(`seat-${line.slice("out.lamp_".length)}`)?.classList.toggle("lit", lit);
  });
  on("level.seat_", (active, line) => {
    const seat = document.getElementById(`seat-${line.slice("level.seat_".length)}`);
    if (seat) { seat.classList.toggle("covered", active); name(seat); }
  });
  on("table", (table) => {
    for (const seat of seats) {
      seat.classList.toggle("filled", table.seats[seat.dataset.seat - 1]?.wager === "placed");
      name(seat);
    }
  });
}
