import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionsStore } from "../../../base/ports/stores/sessions.ts";

/**
 * Lease time. Protects the sessions of a process that was cut off; a process that has ended loses its leases at once.
 */
const LEASE_MS = 30_000;
/** How long to wait for another process to release: a daemon that exits first finishes its work. */
const PATIENCE_MS = 2_000;
const RETRY_MS = 50;

export type LeaseOptions = {
  readonly now?: () => number;
  readonly holder?: string;
  /** How long to wait for a session leased by another process. */
  readonly patienceMs?: number;
};

/** Leases that let only one process decide for a session in a shared store. */
export function sessionLeases(
  store: Pick<SessionsStore, "lease" | "renew" | "release">,
  { now = Date.now, holder = thisHolder(), patienceMs = PATIENCE_MS }: LeaseOptions = {},
) {
  // If the renewal fails, another process may take over; this one notices at its next save.
  const renew = () => void store.renew({ holder, until: now() + LEASE_MS }).catch(() => undefined);
  const timer = setInterval(renew, LEASE_MS / 3).unref();
  return {
    /** Rejects, naming the other process, if that one has the lease. */
    async acquire(id: string): Promise<void> {
      let over: string | undefined;
      const until = performance.now() + patienceMs;
      for (;;) {
        const at = now();
        const lease = await store.lease(id, { holder, until: at + LEASE_MS, now: at, over });
        if (lease.holder === holder) return;
        if (isGone(lease.holder)) over = lease.holder;
        else if (performance.now() >= until) {
          const [, pid = "?"] = lease.holder.split("/");
          throw new Error(`another process (${pid}) has the lease of session ${id}: stop it, or wait until it exits`);
        } else await sleep(RETRY_MS);
      }
    },
    release: (id: string) => store.release(id, holder),
    /** Stops renewing the leases. */
    close: () => clearInterval(timer),
  };
}

/** Identifies this process among all that may share the store: `machine/pid/start/id`. */
export function thisHolder(): string {
  return [machine(), process.pid, startOf(process.pid) ?? "", randomUUID()].join("/");
}

/** Has that process certainly ended? Unknown for another machine, so its lease has to expire. */
export function isGone(holder: string): boolean {
  const [on, pid = "", start] = holder.split("/");
  if (on !== machine() || !/^[1-9]\d*$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
  // The pid is alive but may have been reused by another program.
  const now = startOf(Number(pid));
  return start !== undefined && start !== "" && now !== undefined && now !== start;
}

/** Pids are unique only within one pid namespace: containers may share a host name and a folder. */
function machine(): string {
  return `${encodeURIComponent(hostname())}@${namespace()}`;
}

function namespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
  } catch {
    return "";
  }
}

/** Start time of the process in system ticks; `undefined` if the system does not report it. */
function startOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").trim().split(" ")[19];
  } catch {
    return undefined;
  }
}
