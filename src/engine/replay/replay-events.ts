import type { ConductEvent } from "../../base/words/event.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import type { Ways } from "./merge-courses.ts";
import { OneReplay } from "./one-replay.ts";
import { CallReader } from "./read-call.ts";
import type { ReplayAgents } from "./replay-agents.ts";
import type { ReplayWindow, SessionReplay } from "./replay-change.ts";
import { AgentCare } from "./unsure-calls.ts";

/** Sessions as they were recorded, decided on again by the session's own code: no file, no clock, nothing written. */
export class EventReplayer {
  readonly #agents: ReplayAgents;
  readonly #ways: Ways;
  readonly #reader = new CallReader();
  readonly #care = new WeakMap<CompiledAgent, AgentCare>();

  constructor(agents: ReplayAgents, ways: Ways = "merged") {
    this.#agents = agents;
    this.#ways = ways;
  }

  /** All events of one session in their order. What happened outside of the window is played, and not told. */
  replay(events: readonly ConductEvent[], window: ReplayWindow = {}): SessionReplay {
    return new OneReplay(this.#agents, this.#reader, (agent) => this.#careOf(agent), window, this.#ways).run(events);
  }

  #careOf(agent: CompiledAgent): AgentCare {
    const known = this.#care.get(agent) ?? new AgentCare(agent);
    this.#care.set(agent, known);
    return known;
  }
}
