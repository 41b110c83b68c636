// Whether the page still hears the program, and whether the table has power.

import { on, onLink, say, silent } from "./live.js";

export function showLink() {
  const link = document.getElementById("link");
  const trouble = document.getElementById("trouble");
  let linked = false;
  let shown;
  const show = () => {
    const well = linked && !silent();
    if (well === shown) return;
    shown = well;
    link.textContent = well ? say("ui.connected") : "";
    link.hidden = !well;
    document.body.classList.toggle("unlinked", !well);
    trouble.hidden = well;
    trouble.textContent = well ? "" : say("ui.connecting");
  };
  onLink((now) => { linked = now; show(); });
  setInterval(show, 1000);
  on("power", (power) => {
    document.body.dataset.power = power;
    document.getElementById("power").textContent = say(`ui.power_${power}`);
  });
}
