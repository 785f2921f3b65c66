import type { RepliesStore } from "../../base/ports/stores/replies.ts";

type Kept = {
  readonly request: string;
  readonly at: number;
  readonly reply?: { readonly status: number; readonly body: string };
};

/** Replies that end with the process. */
export function memoryReplies(): RepliesStore {
  const kept = new Map<string, Kept>();
  return {
    async claim(key, request, at, staleBefore) {
      const known = kept.get(key);
      const isStale = known === undefined || known.at < staleBefore || known.at > at + (at - staleBefore);
      if (known === undefined || (known.reply === undefined && isStale)) {
        kept.set(key, { request, at });
        return { kind: "new" };
      }
      if (known.request !== request) return { kind: "other" };
      return known.reply === undefined ? { kind: "under-way" } : { kind: "replied", ...known.reply };
    },
    async keep(key, claimedAt, status, body) {
      const known = kept.get(key);
      if (isOpen(known, claimedAt)) kept.set(key, { ...known, reply: { status, body } });
    },
    async drop(key, claimedAt) {
      if (isOpen(kept.get(key), claimedAt)) kept.delete(key);
    },
    async expire(before) {
      const old = [...kept].filter(([, { at }]) => at < before);
      for (const [key] of old) kept.delete(key);
      return old.length;
    },
  };
}

function isOpen(claim: Kept | undefined, claimedAt: number): claim is Kept {
  return claim?.at === claimedAt && claim.reply === undefined;
}
