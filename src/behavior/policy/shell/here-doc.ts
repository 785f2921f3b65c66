import { listsIn } from "./expand.ts";
import { broken, inside, type Reader } from "./word.ts";

/** The lines of the here-documents that are due, from behind a line's end: data, whatever they look like. */
export function readHereDocs(reader: Reader): void {
  for (const here of reader.heres.splice(0)) {
    const quoted = here.word.quoted;
    const body = readBody(reader, here.word.text, quoted, here.tabs);
    if (body === undefined) {
      broken(reader);
      return;
    }
    here.redirect.body = body;
    if (!quoted && /[$`]/.test(body)) here.redirect.lists = inside(reader, body, listsIn) ?? [];
  }
}

/** Up to the line that is the delimiter; `undefined` when there is none. */
function readBody(reader: Reader, delimiter: string, quoted: boolean, tabs: boolean): string | undefined {
  const from = reader.at;
  let joined = "";
  while (reader.at < reader.text.length) {
    const start = reader.at;
    const found = reader.text.indexOf("\n", start);
    const end = found < 0 ? reader.text.length : found;
    const raw = reader.text.slice(start, end);
    const line = tabs ? raw.replace(/^\t+/, "") : raw;
    reader.at = found < 0 ? end : end + 1;
    if (line === delimiter || joined + line === delimiter) {
      // A line that goes on after a backslash is where shells may see another end than we do.
      if (joined !== "") reader.parsed = false;
      return reader.text.slice(from, start);
    }
    const goesOn = !quoted && /(?:^|[^\\])(?:\\\\)*\\$/.test(line.slice(-64));
    joined = goesOn && joined.length <= delimiter.length ? joined + line.slice(0, -1) : goesOn ? `${delimiter}.` : "";
  }
  return undefined;
}
