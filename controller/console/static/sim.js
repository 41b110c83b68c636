// The simulated table: everything a hand can do at it, with pointer or keyboard, sent in the order it was done.

import { cells, connect, on, page, say } from "./live.js";
import { showDesk } from "./desk.js";
import { seats, showFelt } from "./felt.js";
import { showLink } from "./links.js";
import { showTimeline } from "./timeline.js";

const LONG_MS = 350; // a finger that stays this long covers the sensor instead of dropping a chip
const PRESS_MS = 80; // no finger is off a button sooner, however short the click
const rest = (ms) => new Promise((done) => { setTimeout(done, ms); });
let sending = Promise.resolve();

/** Acts go one after the other: a release never overtakes its press. */
function act(what, values = {}) {
  sending = sending.then(() => send({ do: what, ...values }));
}

/** Let go of a button that went down at `since`. */
function release(line, since) {
  sending = sending.then(() => rest(Math.max(0, since + PRESS_MS - performance.now())));
  act("hold", { line, active: false });
}

async function send(body) {
  try {
    const answer = await fetch("/act", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Pozo-Page": page },
      body: JSON.stringify(body),
    });
    if (!answer.ok) complain((await answer.json()).error);
  } catch {
    complain("lost");
  }
}

let complaint;
function complain(code) {
  const trouble = document.getElementById("trouble");
  if (document.body.classList.contains("unlinked")) return;
  trouble.textContent = say(`error.${code}`);
  trouble.hidden = false;
  clearTimeout(complaint);
  complaint = setTimeout(() => { trouble.hidden = document.body.classList.contains("unlinked") ? trouble.hidden : true; }, 4000);
}

/** A finger on something: `down` at once, `up` once, whatever ends it. */
function finger(part, down, up) {
  let held = false;
  const begin = () => { if (!held) { held = true; part.classList.add("pressed"); down(); } };
  const end = () => { if (held) { held = false; part.classList.remove("pressed"); up(); } };
  part.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    part.setPointerCapture(event.pointerId);
    begin();
  });
  for (const over of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) part.addEventListener(over, end);
  part.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    begin();
  });
  part.addEventListener("keyup", (event) => { if (event.key === "Enter" || event.key === " ") end(); });
  part.addEventListener("contextmenu", (event) => event.preventDefault());
  window.addEventListener("blur", end);
  return { begin, end };
}

function seatFinger(seat) {
  const number = Number(seat.dataset.seat);
  const line = `seat_${number}`;
  let covering = false;
  let timer;
  return finger(
    seat,
    () => { timer = setTimeout(() => { covering = true; act("hold", { line, active: true }); }, LONG_MS); },
    () => {
      clearTimeout(timer);
      if (covering) act("hold", { line, active: false });
      else act("chip", { seat: number });
      covering = false;
    },
  );
}

function buttonFinger(button) {
  const line = button.dataset.hold;
  let since = 0;
  return finger(
    button,
    () => { since = performance.now(); act("hold", { line, active: true }); },
    () => release(line, since),
  );
}

function turn(line) { act("set", { line, active: !cells.get(`level.${line}`) }); }

function plug() { act(cells.get("power") === "off" ? "switch_on" : "cut"); }

function faults() {
  const seat = document.getElementById("fault-seat");
  const line = () => `seat_${seat.value}`;
  const jam = document.getElementById("jam");
  const showJam = () => jam.setAttribute("aria-pressed", Boolean(cells.get(`level.${line()}`)));
  jam.addEventListener("click", () => turn(line()));
  seat.addEventListener("change", showJam);
  on("level.seat_", showJam);
  document.getElementById("spark").addEventListener("click", () => act("spark", { seat: Number(seat.value) }));
  document.getElementById("spark-all").addEventListener("click", () => act("spark", { seat: 0 }));
  document.getElementById("freeze").addEventListener("click", () => act("freeze"));
  document.getElementById("plug").addEventListener("click", plug);
  for (const button of document.querySelectorAll("[data-device]")) {
    const { device } = button.dataset;
    button.addEventListener("click", () => act("break", { device, broken: !cells.get("failed").includes(device) }));
    on("failed", (failed) => button.setAttribute("aria-pressed", failed.includes(device)));
  }
  for (const button of document.querySelectorAll("[data-part]")) {
    const { part } = button.dataset;
    button.addEventListener("click", () => act("spoil", { part: cells.get("broken") === part ? null : part }));
    on("broken", (broken) => button.setAttribute("aria-pressed", broken === part));
  }
  on("power", (power) => {
    document.getElementById("plug").textContent = say(power === "off" ? "ui.switch_on" : "ui.cut");
    document.getElementById("freeze").disabled = power !== "on";
  });
}

function keyboard(fingers) {
  const once = { s: () => turn("supervisor"), t: () => turn("technician"), p: plug };
  const typing = (event) => event.ctrlKey || event.altKey || event.metaKey
    || ["SELECT", "INPUT", "TEXTAREA"].includes(event.target.tagName);
  document.addEventListener("keydown", (event) => {
    if (typing(event) || event.repeat) return;
    const key = event.key.toLowerCase();
    fingers.get(key)?.begin();
    once[key]?.();
  });
  document.addEventListener("keyup", (event) => fingers.get(event.key.toLowerCase())?.end());
}

const fingers = new Map();
for (const seat of seats) fingers.set(seat.dataset.seat, seatFinger(seat));
for (const button of document.querySelectorAll("[data-hold]")) {
  fingers.set(button.dataset.hold === "coin_in" ? "c" : "g", buttonFinger(button));
}
for (const key of document.querySelectorAll("[data-turn]")) {
  key.addEventListener("click", () => turn(key.dataset.turn));
  on(`level.${key.dataset.turn}`, (active) => key.setAttribute("aria-pressed", active));
}
for (const key of document.querySelectorAll("[data-pad]")) {
  key.addEventListener("click", () => act("pad", { key: key.dataset.pad }));
}
keyboard(fingers);
faults();
showDesk();
showFelt();
showLink();
showTimeline();
connect();
