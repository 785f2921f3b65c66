import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionsStore } from "../../../base/ports/stores/sessions.ts";

/** How long a process that was cut off keeps others from continuing its sessions. One that has ended keeps nobody. */
const LEASE_MS = 30_000;
/** How long another process may take to let go: a daemon that ends finishes what is under way. */
const PATIENCE_MS = 2_000;
const RETRY_MS = 50;

export type SessionLeases = {
  /** Rejects, naming the other process, when that one decides for the session. */
  acquire(id: string): Promise<void>;
  release(id: string): Promise<void>;
  /** Leases are renewed until then. */
  close(): void;
};

export type LeaseOptions = {
  readonly now?: () => number;
  readonly holder?: string;
  /** How long to wait for a session that another process holds. */
  readonly patienceMs?: number;
};

/** The right of this process to decide for sessions in a store that others use too. */
export function sessionLeases(
  store: Pick<SessionsStore, "lease" | "renew" | "release">,
  { now = Date.now, holder = thisHolder(), patienceMs = PATIENCE_MS }: LeaseOptions = {},
): SessionLeases {
  // A lease that cannot be renewed is taken over by another process, and this one notices at its next save.
  const renew = () => void store.renew({ holder, until: now() + LEASE_MS }).catch(() => undefined);
  const timer = setInterval(renew, LEASE_MS / 3).unref();
  return {
    async acquire(id) {
      let over: string | undefined;
      const until = performance.now() + patienceMs;
      for (;;) {
        const at = now();
        const lease = await store.lease(id, { holder, until: at + LEASE_MS, now: at, over });
        if (lease.holder === holder) return;
        if (isGone(lease.holder)) over = lease.holder;
        else if (performance.now() >= until) {
          const [, pid = "?"] = lease.holder.split("/");
          throw new Error(`another process (${pid}) decides for session ${id}: end it, or wait until it has ended`);
        } else await sleep(RETRY_MS);
      }
    },
    release: (id) => store.release(id, holder),
    close: () => clearInterval(timer),
  };
}

/** Tells one process from every other that may share the store: `machine/pid/start/id`. */
export function thisHolder(): string {
  return [machine(), process.pid, startOf(process.pid) ?? "", randomUUID()].join("/");
}

/** Has that process surely ended? Of another machine this is unknown, so its lease has to expire. */
export function isGone(holder: string): boolean {
  const [on, pid = "", start] = holder.split("/");
  if (on !== machine() || !/^[1-9]\d*$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
  // Alive, but perhaps another program that was given the same number.
  const now = startOf(Number(pid));
  return start !== undefined && start !== "" && now !== undefined && now !== start;
}

/** Process ids are unique within one pid namespace only: containers may share a host's name and a folder. */
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

/** When the process began, as the system counts; `undefined` where the system does not say. */
function startOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").trim().split(" ")[19];
  } catch {
    return undefined;
  }
}
