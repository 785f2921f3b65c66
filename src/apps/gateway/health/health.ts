import type { Clock } from "../../../base/ports/clock.ts";

/** `code` is for programs, such as STORE_UNAVAILABLE. Both are public: no path, host name or secret may be in them. */
export type Health =
  | { readonly kind: "ok" }
  | { readonly kind: "degraded"; readonly code: string; readonly message: string };

/** One thing that must work before the gateway can serve people. `look` may reject or never settle. */
export type HealthCheck = { readonly name: string; readonly look: () => Promise<Health> };

export type NamedHealth = Health & { readonly name: string };

/** How long one check is waited for, so that a probe is answered within 2 seconds. */
const LIMIT_MS = 1_500;
/** An answer this young is given again, so that a flood of probes asks the store twice a second at most. */
const FRESH_MS = 500;

/**
 * Runs the checks side by side. A check that hangs is asked once and not again until it has answered, so that probes never pile
 * up in a store that does not answer.
 */
export function openHealth(checks: readonly HealthCheck[], clock: Pick<Clock, "monotonic">, limitMs = LIMIT_MS) {
  const looks = checks.map((check) => singleLook(check, clock, limitMs));
  return async (): Promise<readonly NamedHealth[]> => Promise.all(looks.map((look) => look()));
}

type Look = {
  readonly since: number;
  readonly health: Promise<Health>;
  /** Set when `health` has resolved. */
  settledAt?: number;
};

function singleLook({ name, look }: HealthCheck, clock: Pick<Clock, "monotonic">, limitMs: number) {
  let last: Look | undefined;

  function begin(): Look {
    const health = Promise.resolve().then(look).catch(failed);
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
    return { name, ...(await within(last.health, left)) };
  };
}

async function within(health: Promise<Health>, ms: number): Promise<Health> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Health>((resolve) => {
    const message = "It does not answer in time.";
    timer = setTimeout(() => resolve({ kind: "degraded", code: "TIMEOUT", message }), ms);
  });
  try {
    // A look that has settled wins over a timer of 0 ms.
    return await Promise.race([health, late]);
  } finally {
    clearTimeout(timer);
  }
}

function failed(): Health {
  return { kind: "degraded", code: "CHECK_FAILED", message: "The check itself failed. See the gateway's output." };
}
