import type { ToolCall } from "../../base/words/call.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import type { CompiledCondition, CompiledRule } from "../../behavior/policy/rules/compile-rules.ts";
import type { Slices } from "../../behavior/session/snapshot/slices.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { isCalmBefore } from "./look-ahead.ts";
import type { CallReader } from "./read-call.ts";
import type { ReplayAgents } from "./replay-agents.ts";
import type { EventOf } from "./replay-session.ts";
import { type Ahead, sameAhead } from "./same-ahead.ts";
import type { AgentCare } from "./unsure-calls.ts";

/** Whether courses that no later decision can tell apart become one. `apart` only costs more; a test holds one against the other. */
export type Ways = "merged" | "apart";

/** The courses that things may have taken, and the one they took. */
type Courses = { readonly worlds: Slices[]; readonly asRecorded: Slices | undefined };

type When = "never" | { readonly calm: (at: number) => boolean; readonly asked: Ahead["asked"] };

/** Makes one of courses that no later decision can tell apart. What differs for long is looked at ever more rarely. */
export class CourseMerger {
  readonly #when: When;
  #gap = 0;
  #wait = 0;
  #seen = "";

  constructor(when: When) {
    this.#when = when;
  }

  /** Before the event at this place. */
  merge({ worlds, asRecorded }: Courses, at: number): Courses {
    if (this.#when === "never") return { worlds, asRecorded };
    const seen = `${worlds.length} ${worlds[0]?.get(turnSlice).number}`;
    if (seen !== this.#seen) [this.#gap, this.#wait, this.#seen] = [0, 0, seen];
    if (this.#wait > 0) {
      this.#wait -= 1;
      return { worlds, asRecorded };
    }
    const ahead = { calm: this.#when.calm(at), asked: this.#when.asked };
    const kept: Slices[] = [];
    for (const world of worlds) if (!kept.some((one) => sameAhead(one, world, ahead))) kept.push(world);
    const recorded =
      asRecorded === undefined ? undefined : (kept.find((one) => sameAhead(one, asRecorded, ahead)) ?? asRecorded);
    if (kept.length === worlds.length && recorded === asRecorded) {
      this.#gap = Math.min(2 * this.#gap + 1, LONGEST_GAP);
      this.#wait = this.#gap;
    }
    return { worlds: kept, asRecorded: recorded };
  }
}

const LONGEST_GAP = 63;

/** In a session that goes on for longer, what nobody asks about might take the place of something else. */
const LONG_SESSION = 1_000;

/** An agent of the session: what it has to be careful about, and how it reads a call. */
type Reading = { readonly care: AgentCare; readonly read: (event: EventOf<"call">) => ToolCall | undefined };

/**
 * Courses are kept apart where policies of others may decide by anything, and where a session goes back to an earlier state and finds
 * there what differed then.
 */
export function mergerFor(
  events: readonly ConductEvent[],
  agents: ReplayAgents,
  reader: CallReader,
  careOf: (agent: CompiledAgent) => AgentCare,
): CourseMerger {
  const names = new Set<string>();
  let [back, again] = [false, false];
  for (const event of events) {
    names.add(event.agent);
    if (event.type !== "session") continue;
    back ||= event.change === "restored";
    again ||= event.from !== undefined;
  }
  const readings = [...names].map((name): Reading => {
    const agent = agents.of(name);
    return { care: careOf(agent), read: (event) => reader.readAhead(event, agent) };
  });
  if (back || !readings.every(({ care }) => care.ours)) return new CourseMerger("never");
  const rewritten = readings.some(({ care }) => care.rewrites);
  // A turn that is gone through again is longer than it looks, and rewritten calls are alike that were not.
  const calm = again || rewritten ? () => false : isCalmBefore(events);
  const asked = rewritten || events.length > LONG_SESSION ? undefined : askedIn(events, readings);
  return new CourseMerger({ calm, asked });
}

/** What the rules on the calls of this session ask for. */
function askedIn(events: readonly ConductEvent[], readings: readonly Reading[]): ReadonlySet<string> {
  const asked = new Set<string>();
  const rules = new Set<CompiledRule>();
  for (const event of events) {
    if (event.type !== "call") continue;
    for (const { care, read } of readings) {
      const call = read(event);
      if (call === undefined) continue;
      for (const policy of care.rules) for (const rule of policy.rules.rulesOn(call)) rules.add(rule);
    }
  }
  const take = (condition: CompiledCondition): void => {
    if (condition.kind === "leaf") {
      asked.add(condition.monitor);
      if (condition.since !== undefined) asked.add(condition.since);
    } else if (condition.kind === "not") take(condition.of);
    else for (const one of condition.of) take(one);
  };
  for (const { require } of rules) if (require !== undefined) take(require);
  return asked;
}
