import { setImmediate as breathe } from "node:timers/promises";
import type { EventJournal, SessionSummary } from "../../../base/ports/stores/event-journal.ts";
import type { ContractEvent } from "../../../base/words/contract.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { contractLines } from "../../../behavior/contract/active-contract.ts";
import { PastContracts } from "../adherence/past-contracts.ts";
import type { ReplayProgress, ReplayQuery } from "./replay-sessions.ts";

/** Consecutive turns whose prompts would differ in the same way. */
export type ContractChangeOfTurns = {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly was: { readonly version: number; readonly hash: string };
} & (
  | { readonly kind: "told-otherwise"; readonly added: readonly string[]; readonly removed: readonly string[] }
  | { readonly kind: "cannot-tell"; readonly why: string }
);

export type ContractSession = {
  readonly session: string;
  readonly agent: string;
  readonly channel?: string;
  readonly startedAt: number;
  readonly changes: readonly ContractChangeOfTurns[];
};

/** Recorded turns under another contract version. Contracts decide no calls; only the prompts would differ. */
export type ContractReplayReport = {
  readonly version: number;
  readonly sessions: number;
  readonly turns: number;
  readonly changed: number;
  readonly cannotTell: number;
  readonly details: readonly ContractSession[];
  /** Sessions that are counted but not listed in `details`. */
  readonly left: number;
};

export type ContractReplayOptions = ReplayQuery & {
  readonly version: number;
  /** Every change of the contract, oldest first. */
  readonly history: readonly ContractEvent[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ReplayProgress) => void;
};

const PAGE = 1_000;
const MOST_SESSIONS = 1_000;
const ALL = 10_000_000;

type Prompt = Extract<ConductEvent, { readonly type: "prompt" }>;

/** Finds the turns whose prompt would have had other directives under that version. Writes nothing. */
export async function replayContract(
  journal: EventJournal,
  options: ContractReplayOptions,
): Promise<ContractReplayReport> {
  const { since, until = Number.POSITIVE_INFINITY, agent, sessions: asked, signal, onProgress } = options;
  const known = await journal.sessions({ since, agent, limit: ALL });
  const wanted = asked === undefined ? undefined : new Set(asked);
  const summaries = new Map(
    known.sessions.filter(({ session }) => wanted?.has(session) ?? true).map((one) => [one.session, one]),
  );
  const turns = new Turns(new PastContracts(options.history), options.version);
  const [head, total] = [await journal.head(), summaries.size];
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const page = await journal.follow({ types: ["prompt"], since, agent, after, limit: PAGE });
    for (const { event } of page) {
      const summary = summaries.get(event.session);
      if (event.type === "prompt" && event.at <= until && summary !== undefined) turns.take(event, summary);
    }
    after = page.at(-1)?.position ?? head;
    onProgress?.({ done: Math.min(total, turns.sessions), of: total });
    if (page.length < PAGE) break;
    await breathe();
  }
  return turns.report();
}

type Open = Omit<ContractSession, "changes"> & { readonly changes: ContractChangeOfTurns[]; last: number };

class Turns {
  readonly #contracts: PastContracts;
  readonly #version: number;
  readonly #open = new Map<string, Open>();
  #turns = 0;
  #changed = 0;
  #unknown = 0;

  constructor(contracts: PastContracts, version: number) {
    this.#contracts = contracts;
    this.#version = version;
  }

  get sessions(): number {
    return this.#open.size;
  }

  /** A turn uses the contract of its first prompt. */
  take(event: Prompt, summary: SessionSummary): void {
    const { session, agent, channel, startedAt } = summary;
    const open = this.#open.get(session) ?? { session, agent, channel, startedAt, changes: [], last: -1 };
    this.#open.set(session, open);
    if (open.last === event.turn) return;
    open.last = event.turn;
    this.#turns += 1;
    const change = this.#changeOf(event, summary);
    if (change === undefined) return;
    if (change.kind === "cannot-tell") this.#unknown += 1;
    else this.#changed += 1;
    const before = open.changes.at(-1);
    if (before !== undefined && before.to === event.turn - 1 && sameChange(before, change)) {
      open.changes[open.changes.length - 1] = { ...before, to: event.turn };
    } else open.changes.push(change);
  }

  report(): ContractReplayReport {
    const found = [...this.#open.values()].filter(({ changes }) => changes.length > 0);
    const sorted = found.sort((a, b) => a.startedAt - b.startedAt || (a.session < b.session ? -1 : 1));
    return {
      version: this.#version,
      sessions: this.#open.size,
      turns: this.#turns,
      changed: this.#changed,
      cannotTell: this.#unknown,
      details: sorted.slice(0, MOST_SESSIONS).map(({ last: _, ...one }) => one),
      left: Math.max(0, sorted.length - MOST_SESSIONS),
    };
  }

  #changeOf(
    { turn, at, agent, contract }: Prompt,
    { channel, user }: SessionSummary,
  ): ContractChangeOfTurns | undefined {
    const place = { from: turn, to: turn, at, was: { version: contract?.version ?? 0, hash: contract?.hash ?? "" } };
    const unknown = (why: string) => ({ ...place, kind: "cannot-tell" as const, why });
    if (contract === undefined) return unknown("the contract of this turn was not recorded");
    if (channel === undefined) return unknown("the session's user is no longer stored");
    const view = { agent, channel, user };
    const after = this.#contracts.contractAt(this.#version, view, at);
    if (after.hash === contract.hash) return undefined;
    const before = this.#contracts.contractAt(contract.version, view, at);
    if (before.hash !== contract.hash) return unknown("the contract of this turn is not in the governance journal");
    const [old, now] = [contractLines(before.directives), contractLines(after.directives)];
    return {
      ...place,
      kind: "told-otherwise",
      added: now.filter((line) => !old.includes(line)),
      removed: old.filter((line) => !now.includes(line)),
    };
  }
}

function sameChange(a: ContractChangeOfTurns, b: ContractChangeOfTurns): boolean {
  return JSON.stringify({ ...a, from: 0, to: 0, at: 0 }) === JSON.stringify({ ...b, from: 0, to: 0, at: 0 });
}
