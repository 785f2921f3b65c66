import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { PersonAnswer } from "../../base/words/decision.ts";

/** A question to a person about one rule, tool and input. A yes is valid once, an always and a no for the session. */
export type Approval = {
  readonly id: string;
  readonly rule: string;
  readonly tool: string;
  readonly inputHash: string;
  /** A no covers every call of this rule with the same key. */
  readonly key: string;
  readonly question: string;
  readonly expiresAt: number;
  readonly answer: "yes" | "no" | null;
  readonly by: string | null;
  readonly reason?: string;
  /** What an "always" covers; absent if the rule asks every time. */
  readonly always?: readonly Grant[];
  /** Mark of the loss that the question shows: a yes does not cover another one. */
  readonly shown?: string | undefined;
};

/** A rule and what about it a person may allow for the session. */
type Grant = { readonly rule: string; readonly key: string };

/** An "always" in force. */
export type GivenGrant = {
  readonly id: string;
  readonly tool: string;
  readonly question: string;
  readonly by: string;
} & Grant;

/** The call that a question asks about. */
type Matter = Pick<Approval, "rule" | "tool" | "inputHash">;

type Answer = { readonly answer: PersonAnswer; readonly by: string; readonly reason?: string };

/** Questions by rule, tool and input (the matter); matters by approval id; refusals by rule and key. */
export type Approvals = {
  readonly matters: PersistentMap<Approval>;
  readonly ids: PersistentMap<string>;
  readonly refusals: PersistentMap<string>;
  /** By rule and key. Absent in older states. */
  readonly grants?: PersistentMap<GivenGrant>;
};

export const approvalsSlice = defineSlice<Approvals>({
  name: "approvals",
  kind: "LOG",
  initial: { matters: PersistentMap.empty(), ids: PersistentMap.empty(), refusals: PersistentMap.empty() },
});

/** An expired question or an expired yes counts as `none`. */
export function approvalState(approval: Approval | undefined, now: number): "none" | "waiting" | "yes" {
  if (approval === undefined || approval.answer === "no" || now >= approval.expiresAt) return "none";
  return approval.answer === "yes" ? "yes" : "waiting";
}

/** The id of the refused approval, if a person said no to this rule and key in this session. */
export function refusedBy(approvals: Approvals, rule: string, key: string): string | undefined {
  return approvals.refusals.get(refusalOf(rule, key));
}

export function findApproval(approvals: Approvals, matter: Matter): Approval | undefined {
  return approvals.matters.get(matterOf(matter));
}

export function approvalById(approvals: Approvals, id: string): Approval | undefined {
  return approvals.matters.get(approvals.ids.get(id) ?? "");
}

/** Open questions that one session may have; a call that would ask one more is denied. */
const MAX_MATTERS = 1_000;

export function approvalsFull(approvals: Approvals): boolean {
  return approvals.matters.size >= MAX_MATTERS;
}

/** Drops expired approvals, only when the limit is reached so that asking stays cheap. */
export function sweepApprovals(approvals: Approvals, now: number): Approvals {
  if (!approvalsFull(approvals)) return approvals;
  let swept = approvals;
  for (const [, approval] of approvals.matters)
    if (approvalState(approval, now) === "none") swept = dropApproval(swept, approval);
  return swept;
}

export function putApproval(approvals: Approvals, approval: Approval): Approvals {
  const matter = matterOf(approval);
  const before = approvals.matters.get(matter);
  const ids = before === undefined ? approvals.ids : approvals.ids.delete(before.id);
  return { ...approvals, matters: approvals.matters.set(matter, approval), ids: ids.set(approval.id, matter) };
}

export function dropApproval(approvals: Approvals, approval: Approval): Approvals {
  return {
    ...approvals,
    matters: approvals.matters.delete(matterOf(approval)),
    ids: approvals.ids.delete(approval.id),
  };
}

/** Whether a person allowed this for the session. */
export function isGranted({ grants }: Approvals, rule: string, key: string): boolean {
  return grants?.has(refusalOf(rule, key)) === true;
}

/** Everything that is allowed for the session. */
export function grantsIn({ grants }: Approvals): readonly GivenGrant[] {
  return [...(grants ?? [])].map(([, grant]) => grant);
}

function withGrants(approvals: Approvals, { id, tool, question, always = [] }: Approval, by: string): Approvals {
  let grants = approvals.grants ?? PersistentMap.empty<GivenGrant>();
  for (const grant of always)
    grants = grants.set(refusalOf(grant.rule, grant.key), { id, tool, question, by, ...grant });
  return { ...approvals, grants };
}

/** A later "no" ends an "always": the rule asks again. */
function withoutGrants(approvals: Approvals, id: string): Approvals | undefined {
  const ended = [...(approvals.grants ?? [])].filter(([, grant]) => grant.id === id);
  if (ended.length === 0) return undefined;
  let { grants } = approvals;
  for (const [key] of ended) grants = grants?.delete(key);
  const left = approvalById(approvals, id);
  return { ...(left === undefined ? approvals : dropApproval(approvals, left)), grants };
}

export type AnswerFault = "unknown" | "expired" | "answered" | "once";

/** Records a person's answer to an open question. */
export function answerApproval(
  approvals: Approvals,
  id: string,
  given: Answer,
  now: number,
): Approvals | { readonly fault: AnswerFault } {
  const revoked = given.answer === "no" ? withoutGrants(approvals, id) : undefined;
  if (revoked !== undefined) return revoked;
  const approval = approvalById(approvals, id);
  if (approval === undefined) return { fault: "unknown" };
  if (given.answer === "always" && approval.always === undefined) return { fault: "once" };
  if (approval.answer !== null) return { fault: "answered" };
  if (now >= approval.expiresAt) return { fault: "expired" };
  const isNo = given.answer === "no";
  const answered = putApproval(approvals, { ...approval, ...given, answer: isNo ? "no" : "yes" });
  if (given.answer === "always") return withGrants(answered, approval, given.by);
  if (!isNo) return answered;
  return { ...answered, refusals: answered.refusals.set(refusalOf(approval.rule, approval.key), id) };
}

function refusalOf(rule: string, key: string): string {
  return JSON.stringify([rule, key]);
}

function matterOf({ rule, tool, inputHash }: Matter): string {
  return JSON.stringify([rule, tool, inputHash]);
}
