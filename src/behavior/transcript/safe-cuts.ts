import type { TranscriptMessage } from "./message.ts";

/**
 * The places where a transcript can be cut in two, from 0 (before everything) to its length: a call and its result are always
 * on the same side, because providers refuse one without the other. A call that never had a result binds nothing.
 */
export function safeCuts(messages: readonly TranscriptMessage[]): readonly number[] {
  const calledAt = new Map<string, number>();
  /** The latest place that is bound to what stands before it, for each place. */
  const boundUntil = messages.map((_, at) => at);
  for (const [at, message] of messages.entries()) {
    if (message.kind === "assistant") for (const { id } of message.calls) calledAt.set(id, at);
    if (message.kind !== "result") continue;
    const from = calledAt.get(message.call);
    if (from !== undefined) boundUntil[from] = at;
  }
  const cuts: number[] = [0];
  let until = -1;
  for (let at = 0; at < messages.length; at++) {
    until = Math.max(until, boundUntil[at] ?? at);
    if (until === at) cuts.push(at + 1);
  }
  return cuts;
}
