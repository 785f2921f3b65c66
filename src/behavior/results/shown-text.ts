import { neutraliseTags } from "../../base/kernel/text.ts";
import type { Part } from "../../base/words/result.ts";

/** The parts as one text, for runtimes whose results are a text. Pictures and raw bytes are named, not shown. */
export function shownText(parts: readonly Part[]): string {
  // Again after joining: a tag of ours could have been split over two parts.
  return neutraliseTags(parts.map(shownPart).join("\n"));
}

function shownPart(part: Part): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "json":
      return JSON.stringify(part.value);
    case "image":
      return `[image ${part.mime}]`;
    case "bytes":
      return `[${part.bytes.length} bytes]`;
  }
}
