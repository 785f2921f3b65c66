import { isUtf8 } from "node:buffer";
import { exactOf } from "../../base/kernel/json.ts";
import { neutraliseTags, wellFormed } from "../../base/kernel/text.ts";
import type { Part } from "../../base/words/result.ts";

/** A part as it is counted: text, unreadable bytes, or an image, which does not count. */
type PartText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary"; readonly bytes: Uint8Array; readonly mime: string }
  | { readonly kind: "image" };

/** Bytes that are searched for NUL, which text does not have. */
const SNIFFED = 8_192;

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

function bytesText(bytes: Uint8Array, mime = "application/octet-stream"): PartText {
  if (!bytes.subarray(0, SNIFFED).includes(0) && isUtf8(bytes)) {
    try {
      return { kind: "text", text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) };
    } catch {
      // Too long for a string.
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

/** The parts as one text. Images and bytes are only named. */
export function shownText(parts: readonly Part[]): string {
  // After joining, because a tag could have been split over two parts.
  return neutraliseTags(parts.map(shownPart).join("\n"));
}

function shownPart(part: Part): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "json":
      return JSON.stringify(exactOf(part.value));
    case "image":
      return `[image ${part.mime}]`;
    case "bytes":
      return `[${part.bytes.length} bytes]`;
  }
}
