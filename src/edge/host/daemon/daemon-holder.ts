import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** What tells one process from every other one that may share the store: `machine/pid/start/id`. */
export function thisHolder(): string {
  return [machine(), process.pid, startOf(process.pid) ?? "", randomUUID()].join("/");
}

/** Is that process surely no longer there? Of another machine this cannot be told: its lease has to run out. */
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

/** Process ids mean something within one pid namespace only: containers may share a host's name and a folder. */
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

/** When the process began, as the system counts; `undefined` where it does not tell. */
function startOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").trim().split(" ")[19];
  } catch {
    return undefined;
  }
}
