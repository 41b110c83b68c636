// Whether the page still hears the program, and whether the table has power.

import { on, onLink, say } from "./live.js";

export function showLink() {
  const link = document.getElementById("link");
  const trouble = document.getElementById("trouble");
  onLink((linked) => {
    link.textContent = linked ? say("ui.connected") : "";
    link.hidden = !linked;
    document.body.classList.toggle("unlinked", !linked);
    trouble.hidden = linked;
    trouble.textContent = linked ? "" : say("ui.connecting");
  });
  on("power", (power) => {
    document.body.dataset.power = power;
    document.getElementById("power").textContent = say(`ui.power_${power}`);
  });
}
