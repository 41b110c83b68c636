// A real table, to look at only.

import { connect, on } from "./live.js";
import { showDesk } from "./desk.js";
import { showFelt } from "./felt.js";
import { showLink } from "./links.js";
import { showTimeline } from "./timeline.js";

showDesk();
showFelt();
showLink();
showTimeline();
on("unreadable", (why) => {
  const trouble = document.getElementById("trouble");
  trouble.textContent = why ?? "";
  trouble.hidden = !why;
});
connect();
