import type { ConductEvent } from "../../base/words/event.ts";
import { characterCounter } from "../../behavior/results/counter.ts";
import { Bus } from "../journal/bus.ts";
import type { SessionClock } from "../session/session-clock.ts";
import type { SessionPorts } from "../session/session-ports.ts";

/** The recorded event that is being played: where time, ids and what spoke against a call come from. */
export class Playing {
  now = 0;
  event: ConductEvent | undefined;
  root = "";
  #made = 0;

  readonly clock = { now: () => this.now, monotonic: () => 0 };

  readonly ids = {
    next: (prefix: string): string => {
      const { event } = this;
      if (event?.type === "call" && prefix === "d") return event.decision.id;
      if (event?.type === "call" && prefix === "a" && event.decision.kind === "ask") return event.decision.approval;
      this.#made += 1;
      return `${prefix}_replay_${event?.id}_${this.#made}`;
    },
  };

  /** Names are given anew: in every course the same things get the same. */
  startNames(): void {
    this.#made = 0;
  }
}

/** Time stands still while a recorded event is played. */
export function recordedClock(playing: Playing): SessionClock {
  return { now: () => playing.now, atOnce: (work) => work() };
}

/** The world of a session that is played again: none but the record. */
export function portsOf(playing: Playing): SessionPorts {
  return {
    clock: playing.clock,
    ids: playing.ids,
    bus: new Bus(),
    pluginsReady: Promise.resolve(),
    counter: async () => characterCounter,
    results: { keep: async () => undefined, read: async () => undefined },
    filesystem: {
      get root() {
        return playing.root;
      },
      look: async () => {
        throw new Error("a replay looks at no files");
      },
    },
  };
}
