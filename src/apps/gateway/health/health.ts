import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../../base/ports/clock.ts";
import type { RepliesStore } from "../../../base/ports/stores/replies.ts";
import { StoreError, type StoreErrorCode } from "../../../edge/stores/sql/store-error.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import { governanceHealth, REPAIR_COMMAND } from "../../../engine/governance/governance-health.ts";

/** Cannot collide with a client's key, because those are hashes. Expires with old replies. */
const PROBE = "health-probe";

const MESSAGES: { readonly [C in StoreErrorCode]?: string } = {
  STORE_FULL: "The store's disk is full. Free some space.",
  STORE_READ_ONLY: "The store can be read but not written.",
  STORE_DAMAGED: "The store is damaged. Restore a backup.",
  STORE_BUSY: "Another process has locked the store.",
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

/** `code` and `message` are public: no path, host name or secret may be in them. */
export type Health =
  | { readonly kind: "ok" }
  | { readonly kind: "degraded"; readonly code: string; readonly message: string };

/** `look` may reject or never settle. */
type HealthCheck = { readonly name: string; readonly look: () => Promise<Health> };

export type NamedHealth = Health & { readonly name: string };

/** The limit of one check, so that a probe is answered within 2 seconds. */
const LIMIT_MS = 1_500;
/** A result this recent is reused, so that probes ask the store at most twice a second. */
const FRESH_MS = 500;

/**
 * Runs all checks concurrently. A check that hangs is not started again until it has settled, so probes never pile up.
 */
export function openHealth(checks: readonly HealthCheck[], clock: Pick<Clock, "monotonic">, limitMs = LIMIT_MS) {
  const looks = checks.map((check) => singleLook(check, clock, limitMs));
  return async (): Promise<readonly NamedHealth[]> => Promise.all(looks.map((look) => look()));
}

type Look = {
  readonly since: number;
  readonly health: Promise<Health>;
  settledAt?: number;
};

function singleLook({ name, look }: HealthCheck, clock: Pick<Clock, "monotonic">, limitMs: number) {
  let last: Look | undefined;

  function begin(): Look {
    const health = Promise.resolve()
      .then(look)
      .catch(() => FAILED);
    const begun: Look = { since: clock.monotonic(), health };
    void health.then(() => {
      begun.settledAt = clock.monotonic();
    });
    return begun;
  }

  return async (): Promise<NamedHealth> => {
    const isFresh = last?.settledAt === undefined || clock.monotonic() - last.settledAt < FRESH_MS;
    if (last === undefined || !isFresh) last = begin();
    const left = Math.max(0, limitMs - (clock.monotonic() - last.since));
    // A settled check wins over a timer of 0 ms.
    return { name, ...(await Promise.race([last.health, sleep(left, LATE, { ref: false })])) };
  };
}

const LATE: Health = { kind: "degraded", code: "TIMEOUT", message: "The check did not finish in time." };
const FAILED: Health = {
  kind: "degraded",
  code: "CHECK_FAILED",
  message: "The check itself failed. See the gateway's output.",
};

/** Degraded while the gateway hands over its work, so that a load balancer sends no more requests. */
export function drainCheck(isDraining: () => boolean): HealthCheck {
  return {
    name: "replica",
    async look() {
      if (!isDraining()) return { kind: "ok" };
      return { kind: "degraded", code: "DRAINING", message: "This gateway is shutting down. Use another one." };
    },
  };
}

/** Degraded while the governance journal does not verify. The message is public and names no entry. */
export function governanceCheck(contracts: Pick<ContractService, "state">): HealthCheck {
  return {
    name: "governance",
    async look() {
      const journal = await governanceHealth(contracts);
      if (journal.ok) return { kind: "ok" };
      const message = `The governance journal is damaged or cannot be read. An operator can see why: ${REPAIR_COMMAND}`;
      return { kind: "degraded", code: "GOVERNANCE_DAMAGED", message };
    },
  };
}
