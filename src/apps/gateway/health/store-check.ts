import type { Clock } from "../../../base/ports/clock.ts";
import type { RepliesStore } from "../../../base/ports/stores/replies.ts";
import { StoreError, type StoreErrorCode } from "../../../edge/stores/sql/store-error.ts";
import type { HealthCheck } from "./health.ts";

/** Cannot collide with a client's key, because those are hashes. Expires with old replies. */
const PROBE = "health-probe";

const MESSAGES: { readonly [C in StoreErrorCode]?: string } = {
  STORE_FULL: "The store's disk is full: make room.",
  STORE_READ_ONLY: "The store can be read but not written.",
  STORE_DAMAGED: "The store is damaged: put back a copy of it.",
  STORE_BUSY: "Another process keeps the store locked.",
};

/** Writes a small row, because a store that can only be read is not healthy. */
export function storeCheck(replies: Pick<RepliesStore, "claim">, clock: Pick<Clock, "now">): HealthCheck {
  return {
    name: "store",
    async look() {
      try {
        const now = clock.now();
        // Makes every earlier claim stale, so that this one is written.
        await replies.claim(PROBE, PROBE, now, Number.MAX_VALUE);
        return { kind: "ok" };
      } catch (error) {
        const code = error instanceof StoreError ? error.code : "STORE_UNAVAILABLE";
        return { kind: "degraded", code, message: MESSAGES[code] ?? "The store cannot be reached or used." };
      }
    },
  };
}
