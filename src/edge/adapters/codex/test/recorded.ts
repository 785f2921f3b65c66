import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../../../base/words/json.ts";
import { type CodexEvent, readCodexEvent } from "../events.ts";

/** A hook's input recorded from Codex 0.166. */
export function recorded(name: string): JsonObject {
  return JSON.parse(recordedText(`${name}.json`));
}

export function recordedText(file: string): string {
  return readFileSync(recordedPath(file), "utf8");
}

export function recordedPath(file: string): string {
  return join(import.meta.dirname, "../recorded", file);
}

export function recordedEvent<K extends CodexEvent["kind"]>(kind: K, name: string): Extract<CodexEvent, { kind: K }> {
  const event = readCodexEvent(recorded(name));
  if ("fault" in event || event.kind !== kind) throw new Error(`${name} is no ${kind}: ${JSON.stringify(event)}`);
  return event as Extract<CodexEvent, { kind: K }>;
}
