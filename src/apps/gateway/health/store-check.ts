import type { Clock } from "../../../base/ports/clock.ts";
import type { RepliesStore } from "../../../base/ports/stores/replies.ts";
import { StoreError, type StoreErrorCode } from "../../../edge/stores/sql/store-error.ts";
import type { HealthCheck } from "./health.ts";

/** No key of a client: those are hashes. The row is removed with old replies when nobody probes any more. */
const PROBE = "health-probe";

const MESSAGES: { readonly [C in StoreErrorCode]?: string } = {
  STORE_FULL: "The store's disk is full: make room.",
  STORE_READ_ONLY: "The store can be read but not written.",
  STORE_DAMAGED: "The store is damaged: put back a copy of it.",
  STORE_BUSY: "Another process keeps the store locked.",
};

/** Writes one small row: a store that can only be read, because its disk is full, is of no use to anybody. */
export function storeCheck(replies: Pick<RepliesStore, "claim">, clock: Pick<Clock, "now">): HealthCheck {
  return {
    name: "store",
    async look() {
      try {
        const now = clock.now();
        // Every earlier claim of the probe is stale, so that this one is written.
        await replies.claim(PROBE, PROBE, now, Number.MAX_VALUE);
        return { kind: "ok" };
      } catch (error) {
        const code = error instanceof StoreError ? error.code : "STORE_UNAVAILABLE";
        return { kind: "degraded", code, message: MESSAGES[code] ?? "The store cannot be reached or used." };
      }
    },
  };
}
