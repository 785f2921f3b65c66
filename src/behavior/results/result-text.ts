import { isUtf8 } from "node:buffer";
import { neutraliseTags, wellFormed } from "../../base/kernel/text.ts";
import type { Json } from "../../base/words/json.ts";
import type { Part } from "../../base/words/result.ts";

/** How a part counts: as text, as bytes that nobody can read, or (an image) not at all. */
type PartText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary"; readonly bytes: Uint8Array; readonly mime: string }
  | { readonly kind: "image" };

/** Bytes at the start that are searched for a NUL, which no text has. */
const SNIFFED = 8_192;

/** The text that a model would read of a part. */
export function partText(part: Part): PartText {
  switch (part.kind) {
    case "text":
      return { kind: "text", text: wellFormed(part.text) };
    case "json":
      return { kind: "text", text: jsonText(part.value) };
    case "image":
      return { kind: "image" };
    case "bytes":
      return bytesText(part.bytes, part.mime);
  }
}

/** A tool's raw return value as parts: nothing gives none, text and bytes stay what they are, anything else is JSON. */
export function partsOf(value: unknown): readonly Part[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return [{ kind: "text", text: value }];
  if (value instanceof Uint8Array) return [{ kind: "bytes", bytes: value }];
  const text = jsonText(value);
  try {
    return [{ kind: "json", value: JSON.parse(text) as Json }];
  } catch {
    return [{ kind: "text", text }];
  }
}

function bytesText(bytes: Uint8Array, mime = "application/octet-stream"): PartText {
  if (!bytes.subarray(0, SNIFFED).includes(0) && isUtf8(bytes)) {
    try {
      return { kind: "text", text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) };
    } catch {
      // Longer than a string can be: described like any other bytes.
    }
  }
  return { kind: "binary", bytes, mime };
}

function jsonText(value: unknown): string {
  try {
    return wellFormed(JSON.stringify(value) ?? String(value));
  } catch {
    return "[a value that cannot be written as JSON]";
  }
}

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
