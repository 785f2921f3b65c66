import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { SessionsStore } from "../../base/ports/stores/sessions.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import { approvalById, approvalState, approvalsSlice } from "../../behavior/policy/approvals.ts";
import { parseSnapshot } from "../../behavior/session/snapshot/snapshot.ts";
import { isDamagedSession } from "../../edge/stores/sql/store-error.ts";
import { APPROVAL_MS } from "../../engine/moments/decide-call.ts";

type Question = NonNullable<ReturnType<typeof questionIn>>;

/** An approval that waits for a person. `at` says which process owns its session, and so where to answer it. */
export type OpenApproval = Question & { readonly at: "daemon" | "gateway" | "elsewhere" };

export type ApprovalStores = {
  readonly events: Pick<EventJournal, "read" | "unanswered">;
  readonly sessions: Pick<SessionsStore, "load">;
};

/** The newest notices of a session that are searched for its end. */
const NOTICES = 200;

/** Every approval that can still be answered, the first to expire first. */
export async function openApprovals(
  { events: journal, sessions }: ApprovalStores,
  now: number,
): Promise<readonly OpenApproval[]> {
  const asked = new Map<string, Question>();
  for (const { event } of await journal.unanswered(now - APPROVAL_MS)) {
    const question = questionIn(event);
    if (question !== undefined && question.expiresAt > now) asked.set(question.approval, question);
  }
  const found: OpenApproval[] = [];
  for (const question of asked.values()) {
    if (await hasLeft(journal, question)) continue;
    const at = await holderOf(sessions, question, now);
    if (at !== undefined) found.push({ ...question, at });
  }
  return found.sort((a, b) => a.expiresAt - b.expiresAt || (a.approval < b.approval ? -1 : 1));
}

/** Nobody waits for the answer in a session that has ended in its runtime since. */
async function hasLeft(
  journal: ApprovalStores["events"],
  { session, askedAt }: Pick<Question, "session" | "askedAt">,
): Promise<boolean> {
  const { events } = await journal.read({ session, types: ["notice"], since: askedAt, limit: NOTICES });
  return events.some(({ event }) => event.type === "notice" && event.notice.kind === "left" && event.at > askedAt);
}

function questionIn(event: ConductEvent) {
  if (event.type !== "call" || event.decision.kind !== "ask") return undefined;
  const { session, agent, call, decision, at: askedAt } = event;
  const { id, approval, rule, question, expiresAt, remember, input = call.args } = decision;
  return {
    approval,
    session,
    agent,
    rule,
    tool: call.tool,
    input,
    question,
    askedAt,
    expiresAt,
    remember,
    decision: id,
  };
}

/** The owner of the session; `undefined` if the saved session no longer has the approval. */
async function holderOf(
  sessions: Pick<SessionsStore, "load">,
  { session, approval }: Pick<OpenApproval, "session" | "approval">,
  now: number,
): Promise<OpenApproval["at"] | undefined> {
  const kept = await sessions.load(session).catch((error: unknown) => {
    // The approvals were lost with the session's state.
    if (isDamagedSession(error)) return "damaged" as const;
    throw error;
  });
  if (kept === "damaged") return undefined;
  const snapshot = kept === undefined ? undefined : parseSnapshot(kept.snapshot);
  if (kept === undefined || snapshot === undefined) return "elsewhere";
  if ("fault" in snapshot) return undefined;
  const known = approvalById(snapshot.slices.get(approvalsSlice), approval);
  if (typeof kept.beside.workspace === "string") return approvalState(known, now) === "waiting" ? "daemon" : undefined;
  // The gateway saves a session after its turn, so an approval of a running turn is not saved yet.
  return known === undefined || approvalState(known, now) === "waiting" ? "gateway" : undefined;
}
