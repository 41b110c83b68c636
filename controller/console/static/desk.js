// The croupier's side as it is: the screen's own pixels, the sign's text, slots, chip release and bell.

import { on, say } from "./live.js";

const LIT = [126, 226, 255, 255];
const DARK = [6, 10, 14, 255];

function paint(canvas, screen) {
  const context = canvas.getContext("2d");
  const { width, height } = screen?.picture.panel ?? canvas;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const image = context.createImageData(width, height);
  const bytes = screen ? Uint8Array.from(atob(screen.picture.pixels), (letter) => letter.charCodeAt(0)) : [];
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const lit = bytes[pixel >> 3] & (128 >> (pixel & 7));
    image.data.set(lit ? LIT : DARK, pixel * 4);
  }
  context.putImageData(image, 0, 0);
  canvas.classList.toggle("dim", Boolean(screen?.dim));
}

function signal(name, on_, text) {
  const part = document.querySelector(`[data-signal="${name}"]`);
  if (!part) return;
  part.classList.toggle("on", on_);
  part.querySelector("dd").textContent = text;
}

export function showDesk() {
  on("failed", (failed) => {
    for (const part of document.querySelectorAll("[data-plug]")) {
      part.classList.toggle("unplugged", failed.includes(part.dataset.plug));
    }
  });
  const canvas = document.getElementById("screen");
  const lines = document.getElementById("screen-lines");
  on("screen", (screen) => {
    paint(canvas, screen);
    lines.textContent = screen ? screen.lines.join(". ") : say("ui.power_off");
  });
  on("sign", (text) => {
    const sign = document.getElementById("sign");
    if (sign) { sign.textContent = text || " "; sign.classList.toggle("long", text.length > 20); }
  });
  on("out.slots", (open) => signal("slots", open, say(open ? "ui.slots_open" : "ui.slots_locked")));
  on("out.release", (drops) => signal("release", drops, say(drops ? "ui.release_on" : "ui.release_off")));
  on("out.bell", (rings) => signal("bell", rings, say(rings ? "ui.bell_on" : "ui.bell_off")));
  on("out.slots", (open) => document.body.classList.toggle("slots-open", open));
  on("out.release", (drops) => document.body.classList.toggle("releasing", drops));
}
