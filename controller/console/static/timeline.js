// The journal's records in words, newest first.

import { onRecords } from "./live.js";

const KEPT = 200;

function element(tag, text, name) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

function item(record) {
  const row = document.createElement("li");
  row.dataset.kind = record.kind;
  row.classList.toggle("grave", record.grave);
  const head = element("p", "", "event");
  head.append(element("time", record.time), element("b", record.what), element("span", `#${record.seq}`, "seq"));
  row.append(head, ...record.became.map((text) => element("p", text, "became")));
  return row;
}

export function showTimeline() {
  const list = document.getElementById("timeline");
  const empty = document.getElementById("timeline-empty");
  onRecords((records, whole) => {
    if (whole) list.replaceChildren();
    for (const record of records) list.prepend(item(record));
    while (list.children.length > KEPT) list.lastElementChild.remove();
    empty.hidden = list.children.length > 0;
  });
}
