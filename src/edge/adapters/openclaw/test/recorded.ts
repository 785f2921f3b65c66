import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The recorded event and context of a hook of OpenClaw 2026.9.6. */
// biome-ignore lint/suspicious/noExplicitAny: each test names the hook, whose types are in native.ts.
export function recorded(name: string): { readonly event: any; readonly context: any } {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../recorded", `${name}.json`), "utf8"));
}
