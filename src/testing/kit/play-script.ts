import type { KitReply, KitRequest, KitRun } from "./driver.ts";

/** A run's script as it is played: the agent's replies in order, and beside them those of its subagents. */
export type KitPlayer = {
  /** The next reply to this request; `undefined` when there is none left. */
  next(request: KitRequest): KitReply | undefined;
  /** Replies that were never asked for, those of subagents included. */
  unplayed(): number;
};

/** For drivers with `subagents`: a request that says it is a subagent's gets the next reply of the task it was started for. */
export function playKitScript(script: KitRun["script"]): KitPlayer {
  const main = [...script];
  const below: KitReply[] = [];
  return {
    next(request) {
      const entry = request.subagent === true ? below.shift() : main.shift();
      const reply = typeof entry === "function" ? entry(request) : entry;
      below.push(...(reply?.task?.replies ?? []));
      return reply;
    },
    unplayed: () => main.length + below.length,
  };
}
