// The jackpot for a television: the pot as drums that turn, who has won, or that there is nothing to win.

import { cells, connect, on, say, silent } from "./live.js";
import { drums, letters, next } from "./odometer.js";

const jackpot = document.getElementById("jackpot");
const text = document.getElementById("text");
const winners = document.getElementById("winners");
let shown = null;
let built = "";

function drum() {
  const made = document.createElement("span");
  made.className = "drum";
  const strip = document.createElement("span");
  strip.className = "strip";
  strip.textContent = "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n0";
  made.append(strip);
  return made;
}

function mark(letter) {
  const made = document.createElement("span");
  made.className = "mark";
  made.textContent = letter;
  return made;
}

function build(meter, form) {
  const written = letters(meter, form);
  const key = JSON.stringify([written, form]);
  if (key === built) return;
  built = key;
  jackpot.replaceChildren(mark(form.sign.trim()), ...written.map((letter) => (letter === null ? drum() : mark(letter))));
}

function turn() {
  const strips = [...jackpot.querySelectorAll(".strip")].reverse();
  drums(shown, strips.length).forEach((position, index) => {
    strips[index].style.transform = `translateY(${-position * (100 / 11)}%)`;
  });
}

function written(meter, form) {
  const digits = String(Math.floor(meter)).padStart(form.decimals + 1, "0");
  let place = -1;
  return form.sign + letters(meter, form).map((letter) => {
    if (letter !== null) return letter;
    place += 1;
    return digits[place];
  }).join("");
}

function frame(before) {
  return (now) => {
    const cell = cells.get("jackpot");
    const stopped = silent() || ["off", "stopped"].includes(cells.get("power")) || Boolean(cells.get("unreadable"));
    const amount = stopped ? null : cell?.amount ?? null;
    document.body.classList.toggle("stopped", amount === null);
    jackpot.hidden = amount === null;
    text.hidden = amount !== null;
    if (amount === null) {
      shown = null;
      text.textContent = stopped || !cell ? say("ui.out_of_service") : cell.text;
    } else {
      shown = next(shown, amount, now - before);
      build(amount, cell.form);
      turn();
      document.body.classList.toggle("rising", shown < amount);
      const label = written(amount, cell.form);
      if (jackpot.getAttribute("aria-label") !== label) jackpot.setAttribute("aria-label", label);
    }
    winners.hidden = stopped;
    requestAnimationFrame(frame(now));
  };
}

on("jackpot", (cell) => {
  winners.replaceChildren(...cell.winners.map((winner) => {
    const row = document.createElement("li");
    row.textContent = say("ui.wins", { seat: winner.seat, amount: winner.amount });
    return row;
  }));
  document.body.classList.toggle("won", cell.winners.length > 0);
});
connect();
requestAnimationFrame(frame(performance.now()));
