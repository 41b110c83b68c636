// The stream of a table: cells by name, and who wants to hear of which. It connects again by itself for ever.

export const words = JSON.parse(document.getElementById("words").textContent);

/** A text of the catalogue with its {values}. */
export function say(key, values = {}) {
  const text = words[key];
  if (text === undefined) throw new Error(`no words for ${key}`);
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

export const cells = new Map();
export const page = crypto.randomUUID();
const SILENT_MS = 12000; // three times as long as the program ever says nothing
let heard = performance.now();
const listeners = [];
const readers = [];
const links = [];

/** Call `heard(value)` now and at each change of the cells whose names begin with `prefix`. */
export function on(prefix, heard) {
  listeners.push([prefix, heard]);
  for (const [name, value] of cells) if (name.startsWith(prefix)) heard(value, name);
}

/** Call `read(records, whole)` for records, oldest first; `whole`: they replace those from before. */
export function onRecords(read) { readers.push(read); }

/** Call `changed(linked)` when the connection comes or goes. */
export function onLink(changed) { links.push(changed); }

/** Whether nothing has been heard for so long that what is shown may be wrong, connected or not. */
export function silent() { return performance.now() - heard > SILENT_MS; }

function take(news) {
  heard = performance.now();
  for (const [name, value] of Object.entries(news.cells)) {
    cells.set(name, value);
    for (const [prefix, heard] of listeners) if (name.startsWith(prefix)) heard(value, name);
  }
  if (news.whole || news.records.length) for (const read of readers) read(news.records, news.whole);
}

export function connect() {
  const lang = document.documentElement.lang;
  const source = new EventSource(`/events?lang=${lang}&page=${page}`);
  source.onmessage = (event) => take(JSON.parse(event.data));
  source.onopen = () => { heard = performance.now(); links.forEach((changed) => changed(true)); };
  source.onerror = () => {
    links.forEach((changed) => changed(false));
    // A browser gives up by itself when the answer is no stream (the program is starting, or says it is full).
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 1000);
  };
}
