import type { GovernanceEntry } from "../../../base/ports/stores/governance.ts";
import type { Json } from "../../../base/words/json.ts";
import type { HistoryDocument, HistoryKind } from "./history-index.ts";

const MAX_TEXT = 20_000;

/** An entry as it is searched for: by every text in it, ids too. */
export function toDocument({ seq, at, by, kind, body }: GovernanceEntry): HistoryDocument {
  const text = textsOf(body).join("\n").slice(0, MAX_TEXT).toWellFormed();
  return { seq, at: Math.floor(at), by, kind: kindOf(kind), change: kind, text };
}

function kindOf(change: string): HistoryKind {
  if (/^directives?-/.test(change)) return "directive";
  return /^candidates?-/.test(change) ? "candidate" : "audit";
}

function textsOf(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
