import { asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { Outcome } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { type ToolSeen, textIn } from "./native.ts";

/** What a call came to, by the agent's own word. A command that `completed` may still have failed: its exit code tells, or nothing does. */
export function resultOf(seen: ToolSeen, tool: string): ToolResult {
  const parts = partsOf(seen);
  if (seen.status === "failed") return { outcome: refused(seen) ? "denied" : "failed", parts };
  if (tool !== "shell") return { outcome: "ok", parts };
  return { ...exitResult(exitOf(asObject(seen.output))), parts };
}

/** `undefined`: nobody has told. `null`: it was killed. */
export function exitResult(exit: number | null | undefined): { readonly outcome: Outcome; readonly exitCode?: number } {
  if (exit === undefined) return { outcome: "unknown" };
  if (exit === null) return { outcome: "failed" };
  return { outcome: exit === 0 ? "ok" : "failed", exitCode: exit };
}

const EXIT_KEYS = ["exitCode", "exit_code", "exit", "returnCode", "returncode"];

/** Agents put it into their own output, each under a name of its own. */
function exitOf(output: JsonObject): number | null | undefined {
  for (const place of [output, asObject(output.metadata)]) {
    const value = EXIT_KEYS.flatMap((key) => (Object.hasOwn(place, key) ? [place[key]] : []))[0];
    if (typeof value === "number" || value === null) return value;
  }
  return undefined;
}

/** The agent's own configuration, or the person, has said no. */
function refused({ output, content }: ToolSeen): boolean {
  const text = [asString(asObject(output).error), ...content.map(contentText)].join("\n");
  return /\buser (?:has )?(?:rejected|denied|declined)\b|\brejected permission\b|rule which prevents you/i.test(text);
}

function partsOf({ content, output }: ToolSeen): readonly Part[] {
  const texts = content.map(contentText).filter((text) => text !== "");
  if (texts.length > 0) return texts.map((text) => ({ kind: "text", text }));
  if (typeof output === "string") return [{ kind: "text", text: output }];
  if (!isObject(output)) return [];
  const text = output.output ?? output.error;
  return typeof text === "string" ? [{ kind: "text", text }] : [{ kind: "json", value: output }];
}

function contentText(content: Json): string {
  const { type, content: block } = asObject(content);
  return type === "content" ? textIn(block) : "";
}
