import type { ConductEvent } from "../../base/words/event.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import type { Ways } from "./merge-courses.ts";
import { type Following, OneReplay } from "./one-replay.ts";
import { CallReader } from "./read-call.ts";
import type { ReplayAgents } from "./replay-agents.ts";
import type { ReplayWindow, SessionReplay } from "./replay-change.ts";
import { AgentCare } from "./unsure-calls.ts";

/** So many courses that things may have taken are followed at once. */
const MAX_WORLDS = 8;

/** Sessions as they were recorded, decided on again by the session's own code: no file, no clock, nothing written. */
export class EventReplayer {
  readonly #agents: ReplayAgents;
  readonly #following: Following;
  readonly #reader = new CallReader();
  readonly #care = new WeakMap<CompiledAgent, AgentCare>();

  constructor(agents: ReplayAgents, ways: Ways = "merged", most = MAX_WORLDS) {
    this.#agents = agents;
    this.#following = { ways, most };
  }

  /** All events of one session in their order. What happened outside of the window is played, and not told. */
  replay(events: readonly ConductEvent[], window: ReplayWindow = {}): SessionReplay {
    this.#reader.begin();
    const careOf = (agent: CompiledAgent) => this.#careOf(agent);
    return new OneReplay(this.#agents, this.#reader, careOf, window, this.#following).run(events);
  }

  #careOf(agent: CompiledAgent): AgentCare {
    const known = this.#care.get(agent) ?? new AgentCare(agent);
    this.#care.set(agent, known);
    return known;
  }
}
