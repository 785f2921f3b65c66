import { canonicalJson, sha256 } from "../../base/kernel/canonical-json.ts";
import { wellFormed } from "../../base/kernel/text.ts";
import type { GovernanceDraft, GovernanceEntry, GovernanceHead } from "../../base/ports/stores/governance.ts";
import type { Json } from "../../base/words/json.ts";

/** Before the first entry. */
export const CHAIN_START: GovernanceHead = { seq: 0, hash: "" };

const MAX_DRAFTS = 1_000;

/**
 * `altered`: the entry is not what was hashed. `missing`: entries before it are gone. `unlinked`: it was not written after the one
 * before it, so one of the two was replaced.
 */
export type ChainCheck =
  | { readonly kind: "whole"; readonly head: GovernanceHead }
  | { readonly kind: "broken"; readonly seq: number; readonly fault: "altered" | "missing" | "unlinked" };

/** The drafts as entries after `head`. Throws when one of them cannot be stored in the journal. */
export function sealEntries(head: GovernanceHead, drafts: readonly GovernanceDraft[]): readonly GovernanceEntry[] {
  if (drafts.length > MAX_DRAFTS)
    throw new Error(`${drafts.length} entries at once; at most ${MAX_DRAFTS} are written together`);
  let last = head;
  return drafts.map((draft) => {
    const entry = seal(last, draft);
    last = entry;
    return entry;
  });
}

/** Where the chain breaks first, if it does. `after` is the entry before the first one given, when not all are. */
export function verifyChain(entries: Iterable<GovernanceEntry>, after: GovernanceHead = CHAIN_START): ChainCheck {
  let head = after;
  for (const entry of entries) {
    const fault = faultOf(entry, head);
    if (fault !== undefined) return { kind: "broken", seq: entry.seq, fault };
    head = { seq: entry.seq, hash: entry.hash };
  }
  return { kind: "whole", head };
}

function faultOf(entry: GovernanceEntry, head: GovernanceHead): "altered" | "missing" | "unlinked" | undefined {
  if (!hasOwnHash(entry)) return "altered";
  if (entry.seq > head.seq + 1) return "missing";
  return entry.seq <= head.seq || entry.prev !== head.hash ? "unlinked" : undefined;
}

/** Whether an entry is what was hashed. A value that no entry can have was put there by somebody else. */
export function hasOwnHash(entry: GovernanceEntry): boolean {
  try {
    return entry.hash === hashEntry(entry);
  } catch {
    return false;
  }
}

function seal(head: GovernanceHead, { at, by, kind, body }: GovernanceDraft): GovernanceEntry {
  if (!Number.isFinite(at)) throw new Error(`an entry's time must be in milliseconds, not ${at}`);
  const open = {
    seq: head.seq + 1,
    at,
    by: name("by", by),
    kind: name("kind", kind),
    // As it will be read again: a copy, and only what JSON holds.
    body: JSON.parse(canonicalJson(body)) as Json,
    prev: head.hash,
  };
  return { ...open, hash: hashEntry(open) };
}

function hashEntry({ seq, at, by, kind, body, prev }: Omit<GovernanceEntry, "hash">): string {
  return sha256(canonicalJson({ seq, at, by, kind, body, prev }));
}

function name(field: string, text: string): string {
  if (text.trim() === "") throw new Error(`an entry needs a value for "${field}"`);
  if (text.includes("\0")) throw new Error(`"${field}" of an entry contains a NUL character; remove it`);
  return wellFormed(text);
}
