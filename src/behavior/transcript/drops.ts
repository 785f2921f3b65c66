import type { TranscriptMessage } from "./message.ts";
import { type Cut, NO_CUT } from "./plan-cut.ts";

/** What no longer stands as it was. */
export type Drops = { readonly messages: number; readonly calls: { readonly [tool: string]: number } };

/** The messages that a cut takes out, in order; with `last`, those that were still there with that one. */
export function goneMessages(
  messages: readonly TranscriptMessage[],
  cut: Cut,
  last: Cut = NO_CUT,
): readonly TranscriptMessage[] {
  const stays = new Set([...cut.kept, ...cut.current]);
  const stood = new Set([...last.kept, ...last.current]);
  return messages.slice(0, cut.cut).filter((_, at) => !stays.has(at) && (at >= last.cut || stood.has(at)));
}

/** Counts what is gone; nothing is dropped without being in it. */
export function countDrops(gone: readonly TranscriptMessage[]): Drops {
  const calls = new Map<string, number>();
  for (const message of gone) {
    if (message.kind !== "assistant") continue;
    for (const { tool } of message.calls) calls.set(tool, (calls.get(tool) ?? 0) + 1);
  }
  return { messages: gone.length, calls: Object.fromEntries(calls) };
}

/** `12 calls (read_file 10, shell 2)`. */
export function describeCalls({ calls }: Drops): string {
  const tools = Object.entries(calls).toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const sum = tools.reduce((total, [, count]) => total + count, 0);
  const named = tools.map(([tool, count]) => `${tool} ${count}`).join(", ");
  return `${sum} ${sum === 1 ? "call" : "calls"}${sum === 0 ? "" : ` (${named})`}`;
}
