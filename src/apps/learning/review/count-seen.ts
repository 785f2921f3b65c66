import type { ToolCall } from "../../../base/words/call.ts";
import type { ContractScope } from "../../../base/words/contract.ts";
import type { Evidence, Finding } from "./steps.ts";

const PROGRAM = /^\s*([\w./-]{1,40})(?:\s|$)/;
const NAME = /^[\w./:-]{1,60}$/;

/**
 * The call's name in a proposal: its action, else its tool with the command's program. No other model text gets into a
 * proposal.
 */
export function nameOfCall({ tool, actions, args }: ToolCall): string {
  const [action] = actions;
  if (action !== undefined) return shortName(action);
  const { command } = args;
  const program = typeof command === "string" ? PROGRAM.exec(command)?.[1] : undefined;
  return program === undefined ? shortName(tool) : `${shortName(tool)} ${program}`;
}

/** The most telling text of a call: its first text argument, verbatim from the journal, else the tool. */
export function wordsOfCall({ tool, args }: ToolCall): string {
  const text = Object.values(args).find((value) => typeof value === "string" && value.trim() !== "");
  return typeof text === "string" ? (text.trim().split("\n")[0] ?? tool) : tool;
}

export function agentScope(agent: string): ContractScope {
  return `agent:${agent}`;
}

function shortName(name: string): string {
  return NAME.test(name) ? name : name.replace(/[^\w./:-]+/g, "_").slice(0, 60);
}

/** Newest pieces of evidence in a proposal: a repeated review must find them among the evidence already stored. */
export const MOST_EVIDENCE = 10;

export type Counted<T> = {
  readonly about: T;
  readonly times: number;
  readonly sessions: number;
  readonly isNew: boolean;
  readonly evidence: readonly Evidence[];
};

type Count<T> = { about: T; times: number; sessions: Set<string>; isNew: boolean; evidence: Evidence[] };

/** Counts equal items and keeps only the newest evidence of each. */
export class CountSeen<T extends object> {
  readonly #counts = new Map<string, Count<T>>();

  add(about: T, evidence: Evidence, isNew: boolean): void {
    const key = JSON.stringify(about);
    const count = this.#counts.get(key) ?? { about, times: 0, sessions: new Set(), isNew: false, evidence: [] };
    count.times += 1;
    count.sessions.add(evidence.session);
    count.isNew ||= isNew;
    count.evidence = [...count.evidence, evidence].slice(-MOST_EVIDENCE);
    this.#counts.set(key, count);
  }

  /** Items seen at least this often, in at least this many sessions, and at least once in the window. */
  atLeast(times: number, sessions: number): readonly Counted<T>[] {
    return [...this.#counts.values()]
      .filter((count) => count.isNew && count.times >= times && count.sessions.size >= sessions)
      .map((count) => ({ ...count, sessions: count.sessions.size }));
  }
}

/** A finding from counts: its confidence is `base` at `least` sightings and grows with each further one. */
export function countedFinding(
  about: Pick<Finding, "pattern" | "type" | "text" | "subject" | "seen"> & { readonly agent: string },
  { times, evidence }: Pick<Counted<unknown>, "times" | "evidence">,
  { base, least }: { readonly base: number; readonly least: number },
): Finding {
  const { agent, ...finding } = about;
  return {
    ...finding,
    good: false,
    scope: agentScope(agent),
    confidence: grownConfidence(base, times, least),
    evidence,
  };
}

/** Confidence grows with the count; `least` sightings give `base`, and 1 is never reached. */
export function grownConfidence(base: number, times: number, least: number): number {
  const grown = base + (0.95 - base) * (1 - 2 ** (-(times - least) / Math.max(1, least)));
  return Math.round(grown * 1_000) / 1_000;
}
