import type { Answer } from "../../data/client.ts";

/** A hardened directive, as `GET /api/rules/standing` returns it. */
export type Standing = {
  readonly id: string;
  readonly text: string;
  readonly scope: string;
  readonly createdAt: string;
  readonly from?: string;
  readonly status: "shadow" | "enforced";
  readonly until?: string;
  readonly since?: string;
  readonly count: {
    readonly wouldHaveBlocked: number;
    readonly blocked: number;
    readonly asked: number;
    readonly sessions: number;
    readonly examples: readonly { readonly decision: string; readonly session: string; readonly at: number }[];
    readonly partial: boolean;
  };
};

export function standingOf({ rules }: Answer<"GET /api/rules/standing">): readonly Standing[] {
  return rules;
}

export type AgentRules = Answer<"GET /api/rules">["agents"][number];

/** Durations of shadow mode. */
export const SPANS = [
  { name: "until I change it", ms: undefined },
  { name: "one day", ms: 86_400_000 },
  { name: "one week", ms: 7 * 86_400_000 },
  { name: "30 days", ms: 30 * 86_400_000 },
] as const;

export function untilOf(name: string): { readonly until?: string } {
  const ms = SPANS.find((one) => one.name === name)?.ms;
  return ms === undefined ? {} : { until: new Date(Date.now() + ms).toISOString() };
}

export const editHref = (from: { readonly [key: string]: string }): string =>
  `/rules/edit?${new URLSearchParams(from).toString()}`;
export const replayHref = (from: { readonly [key: string]: string }): string =>
  `/replay?${new URLSearchParams(from).toString()}`;
