import { nearest } from "../../base/kernel/nearest.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { ToolResult } from "../../base/words/result.ts";

/** The tool did what was asked. */
export function said(text: string): ToolResult {
  return { outcome: "ok", parts: [{ kind: "text", text }] };
}

/** It did not; the text says why and what to do. */
export function failed(text: string): ToolResult {
  return { outcome: "failed", parts: [{ kind: "text", text }] };
}

export function isWhole(value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;
}

/** Arguments without those that say nothing (`null`, as strict callers fill in), or what is wrong with their names. */
export function knownArgs(
  tool: string,
  args: JsonObject,
  known: readonly string[],
): { readonly given: JsonObject } | { readonly fault: string } {
  const given = Object.entries(args).filter(([, value]) => value !== null);
  const strange = given.find(([name]) => !known.includes(name))?.[0];
  if (strange === undefined) return { given: Object.fromEntries(given) };
  const meant = nearest(strange, known);
  const hint = meant === undefined ? "" : ` Did you mean \`${meant}\`?`;
  const takes = known.map((name) => `\`${name}\``).join(", ");
  return { fault: `${tool} takes no argument ${JSON.stringify(strange.slice(0, 40))}.${hint} It takes ${takes}.` };
}
