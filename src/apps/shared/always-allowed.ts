import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { SessionsStore } from "../../base/ports/stores/sessions.ts";
import { approvalsSlice, grantsIn } from "../../behavior/policy/approvals.ts";
import { parseSnapshot } from "../../behavior/session/snapshot/snapshot.ts";

const PAGE = 500;
/** Sessions that are unused for longer are deleted. */
const KEPT_MS = 30 * 86_400_000;

/** Something that a person allowed for the rest of a session. */
export type AlwaysAllowed = {
  readonly approval: string;
  readonly session: string;
  readonly agent: string;
  readonly rule: string;
  readonly tool: string;
  readonly question: string;
  readonly by: string;
  readonly answeredAt: number;
  readonly at: "daemon" | "gateway";
};

/** Everything that is allowed for the rest of a session that still exists, the newest first. */
export async function alwaysAllowed(
  {
    events: journal,
    sessions,
  }: { readonly events: Pick<EventJournal, "read">; readonly sessions: Pick<SessionsStore, "load"> },
  now: number,
): Promise<readonly AlwaysAllowed[]> {
  const found: AlwaysAllowed[] = [];
  const seen = new Set<string>();
  let before: number | undefined;
  do {
    const page = await journal.read({ types: ["approval"], since: now - KEPT_MS, limit: PAGE, before });
    for (const { event } of page.events) {
      if (event.type !== "approval" || event.answer !== "always" || seen.has(event.approval)) continue;
      seen.add(event.approval);
      const kept = await sessions.load(event.session).catch(() => undefined);
      const snapshot = kept === undefined ? undefined : parseSnapshot(kept.snapshot);
      if (kept === undefined || snapshot === undefined || "fault" in snapshot) continue;
      const at = typeof kept.beside.workspace === "string" ? "daemon" : "gateway";
      const grants = grantsIn(snapshot.slices.get(approvalsSlice)).filter(({ id }) => id === event.approval);
      const [first] = grants;
      if (first === undefined) continue;
      const { tool, question, by } = first;
      const rule = grants.map((grant) => grant.rule).join(" + ");
      const { session, agent, approval, at: answeredAt } = event;
      found.push({ approval, session, agent, rule, tool, question, by, answeredAt, at });
    }
    before = page.next;
  } while (before !== undefined);
  return found;
}
