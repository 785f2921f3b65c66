import type { Limits } from "../../base/words/hosting/agent.ts";
import { classificationSlice, classified } from "../../behavior/classification/classification-state.ts";
import { tighterBudget } from "../../behavior/session/budget.ts";
import { identitySlice, type SessionIdentity, turnSlice } from "../../behavior/session/session-identity.ts";
import { parseSnapshot, type Slices, type Snapshot } from "../../behavior/session/snapshot/snapshot.ts";
import type { Session } from "./session.ts";
import { SessionError, type SessionOptions } from "./session-options.ts";

/** A session with a given classification needs no classifier. */
export function knownSubject(slices: Slices, { classification }: SessionOptions): Slices {
  if (classification === undefined) return slices;
  const { number } = slices.get(turnSlice);
  const { domain = [], flags = [] } = classification;
  // A copy, so that later changes by the host do not affect this session.
  const own = { ...classification, domain: [...domain], flags: [...flags] };
  const known = classified(slices.get(classificationSlice), own, number, "demand");
  return slices.with(classificationSlice, known);
}

export function readSnapshot(text: string, { id, agent, user }: SessionOptions, parent: Session | undefined): Snapshot {
  const read = parseSnapshot(text);
  if ("fault" in read) {
    throw new SessionError(
      `snapshot-${read.fault.code}`,
      `${read.fault.message}. Nothing was opened; restore the snapshot from a copy, or omit it to start a new session.`,
    );
  }
  const foreign = (what: string) => new SessionError("foreign-snapshot", `this snapshot is of ${what}`);
  if (id !== undefined && id !== read.session) throw foreign(`session '${read.session}', not of '${id}'`);
  if (agent !== read.agent) throw foreign(`agent '${read.agent}', not of '${agent}'`);
  const { parent: above, user: whose } = read.slices.get(identitySlice);
  // The snapshot contains one user's messages.
  if (user !== undefined && whose !== undefined && user !== whose) throw foreign("another user");
  if (above !== parent?.id) {
    throw foreign(
      above === undefined
        ? "a top-level session, not of a child"
        : `a child of session '${above}'; open it with that session's child()`,
    );
  }
  if (read.slices.get(turnSlice).ended) {
    throw new SessionError(
      "session-ended",
      `session '${read.session}' had ended when this snapshot was taken; open a new one`,
    );
  }
  return read;
}

/** Limits can only be tightened: by the options, by the parent, or by the limits before a restart. */
export function identityOf(
  options: SessionOptions,
  limits: Limits,
  before: Partial<SessionIdentity> | undefined,
  parent: Session | undefined,
  now: number,
): SessionIdentity {
  checkBounds(options);
  const startedAt = before?.startedAt ?? now;
  const ofAgent = limits.deadline === undefined ? undefined : startedAt + limits.deadline;
  const deadline = earliest(options.deadline, ofAgent, before?.deadline, parent?.view.deadline);
  const custom = options.custom ?? before?.custom;
  return {
    channel: options.channel ?? before?.channel ?? "cli",
    startedAt,
    budget: tighterBudget(tighterBudget(limits, options.budget ?? {}), before?.budget ?? {}),
    parent: parent?.id,
    user: options.user ?? before?.user,
    zone: options.zone ?? before?.zone,
    custom: custom && [...new Set(custom)],
    deadline,
  };
}

function checkBounds({ deadline, budget = {} }: SessionOptions): void {
  for (const [name, value] of Object.entries({ deadline, ...budget })) {
    if (value === undefined || (typeof value === "number" && Number.isFinite(value) && value >= 0)) continue;
    throw new SessionError("bad-limit", `'${name}' must be a number of at least 0, not ${value}`);
  }
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const set = times.filter((time) => time !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}
