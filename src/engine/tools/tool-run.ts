import { nearest } from "../../base/kernel/nearest.ts";
import type { Ids } from "../../base/ports/ids.ts";
import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { MemoryStore } from "../../base/ports/stores/memory.ts";
import type { EventBody } from "../../base/words/event.ts";
import type { UserAgent } from "../../base/words/hosting/instructions.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { ToolResult } from "../../base/words/result.ts";
import type { Seen } from "../../behavior/instructions/judge-change.ts";

/** What the tools of a user work with. Whose they are comes from the session, never from a call. */
export type UserContext = {
  readonly owner: UserAgent | undefined;
  /** A person takes part and can be asked: else instructions are not changed. */
  readonly interactive: boolean;
  readonly session: string;
  readonly instructions?: InstructionsStore | undefined;
  readonly memory?: MemoryStore | undefined;
  readonly ids: Ids;
  now(): number;
  readonly seen: { get(): Seen; set(next: Seen): void };
  emit(event: EventBody): void;
};

/** Whose they are; a user without a name is nobody, or all who have none would share. */
export function ownerOf({ owner }: Pick<UserContext, "owner">): UserAgent | undefined {
  return owner === undefined || owner.user.trim() === "" ? undefined : owner;
}

export const NO_USER = "This session has no user, so it has no instructions and no memory.";

export function succeeded(text: string): ToolResult {
  return { outcome: "ok", parts: [{ kind: "text", text }] };
}

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
