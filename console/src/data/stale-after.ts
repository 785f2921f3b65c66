import type { LiveUpdate } from "./live.ts";
import { touchedBy } from "./touched.ts";

const NOTHING: ReadonlySet<string> = new Set();
const ALL: ReadonlySet<string> = new Set(["*"]);
const OF_CONTRACT: ReadonlySet<string> = new Set([
  "governance",
  "contract",
  "candidates",
  "rules",
  "review",
  "adherence",
  "prompt",
]);
const OF_EVENTS = ["sessions", "events", "overview", "figures", "journal", "decisions", "switches"] as const;

/** Which rooms of the API have something new after an update. It remembers the contract's hash, to see that it changed elsewhere. */
export function staleAfter(): (update: LiveUpdate) => ReadonlySet<string> {
  const hashes = new Map<string, string>();
  return (update) => {
    if (update.kind === "resumed") return ALL;
    if (update.kind === "turn") return new Set(["sessions"]);
    if (update.kind === "contract") return OF_CONTRACT;
    if (update.kind === "agent") return touchedBy("PUT /api/agents/{name}");
    if (update.kind === "approval") return new Set(["approvals"]);
    if (update.kind !== "event") return NOTHING;
    const { event } = update;
    const rooms = new Set<string>(OF_EVENTS);
    if (event.type === "directive") rooms.add("contract").add("candidates");
    // What a standing rule has blocked, or would have, is counted.
    if (event.type === "call" && (event.decision.kind === "deny" || event.shadows !== undefined)) rooms.add("rules");
    if (event.type === "fault") rooms.add("governance");
    if (event.type === "approval") rooms.add("approvals");
    if (event.type === "instructions") rooms.add("instructions");
    if (event.type === "memory") rooms.add("memory");
    if (event.type === "prompt" && event.contract !== undefined) {
      const before = hashes.get(event.session);
      if (before !== event.contract.hash) rooms.add("contract");
      hashes.set(event.session, event.contract.hash);
    }
    return rooms;
  };
}
