import { asString } from "../../../base/kernel/json.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { SessionsStore } from "../../../base/ports/stores/sessions.ts";
import { approvalState, approvalsSlice } from "../../../behavior/policy/approvals.ts";
import { parseSnapshot } from "../../../behavior/session/snapshot/snapshot.ts";
import { StoreError } from "../../../edge/stores/sql/store-error.ts";
import { alwaysAllowed } from "../../shared/always-allowed.ts";
import type { Approvals } from "../agents/approvals.ts";
import { ownerOf } from "../moments/api-sessions.ts";

export type UnansweredOptions = {
  readonly approvals: Approvals;
  readonly journal: EventJournal;
  readonly conversations: Pick<ConversationsStore, "read">;
  readonly sessions: Pick<SessionsStore, "load">;
  readonly now: number;
};

/**
 * Adds the open questions of earlier processes, so that they can be answered before their conversation is opened, and
 * what is always allowed in a session, so that it can be ended. Returns the number of questions.
 */
export async function adoptUnanswered(options: UnansweredOptions): Promise<number> {
  const { approvals, journal, conversations, sessions, now } = options;
  const asked = new Set<string>();
  for (const { event } of await journal.unanswered(0)) {
    if (event.type === "call" && event.decision.kind === "ask" && event.decision.expiresAt > now)
      asked.add(event.session);
  }
  let adopted = 0;
  for (const session of asked) {
    // Damaged conversations are reported when they are opened.
    const found = await Promise.all([conversations.read(session), sessions.load(session)]).catch(unlessDamaged);
    if (found === undefined) continue;
    const [conversation, kept] = found;
    if (kept === undefined) continue;
    const { agent = asString(kept.beside.agent), user = ownerOf(kept.beside) } = conversation ?? {};
    if (user === undefined) continue;
    for (const question of openQuestionsIn(kept.snapshot, now)) {
      await approvals.adopt({ ...question, session, agent, user });
      adopted += 1;
    }
  }
  for (const one of await alwaysAllowed({ events: journal, sessions }, now)) {
    const conversation = await conversations.read(one.session).catch(unlessDamaged);
    const { approval, session, agent, rule, tool, question } = one;
    if (conversation === undefined) continue;
    const { user } = conversation;
    await approvals.adoptAlways({ approval, session, agent, user, rule, tool, question, expiresAt: now });
  }
  return adopted;
}

function unlessDamaged(error: unknown): undefined {
  if (error instanceof StoreError && (error.code === "SESSION_DAMAGED" || error.code === "STORE_DAMAGED")) return;
  throw error;
}

/** A damaged state has no open questions. */
function openQuestionsIn(snapshot: string, now: number) {
  const read = parseSnapshot(snapshot);
  if ("fault" in read) return [];
  return [...read.slices.get(approvalsSlice).matters].flatMap(([, approval]) => {
    if (approvalState(approval, now) !== "waiting") return [];
    const { id, rule, tool, question, expiresAt, always } = approval;
    const remember = always === undefined ? undefined : (true as const);
    return [{ approval: id, rule, tool, question, expiresAt, remember }];
  });
}
