import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject } from "../../../base/kernel/json.ts";
import { lastingProgram } from "../node/installed-copy.ts";
import { conductProgram, conductVersion } from "../node/package-files.ts";
import { type DaemonPlace, daemonPlace, isReplaceable } from "./daemon-place.ts";
import { readDaemonSettings } from "./daemon-settings.ts";
import { NoDaemonError, sendHook } from "./hook-socket-client.ts";

/** The daemon's answer to a hello request. */
export type DaemonHello = {
  readonly version: string;
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** HTTP port. Absent if HTTP is unavailable; `httpFault` then gives the reason. */
  readonly port?: number;
  readonly httpFault?: string;
  readonly sessions: number;
};

/** A starting daemon loads all of Conduct, which takes a while on a busy machine. */
const START_MS = 12_000;
const HELLO_MS = 5_000;
const LOOK_MS = 20;

/** Asks the running daemon for its hello. Rejects with a `NoDaemonError` if none is listening. */
export async function helloDaemon(home: string): Promise<DaemonHello> {
  const answer = await sendHook(daemonPlace(home).socket, { daemon: "hello" }, HELLO_MS);
  if (isObject(answer) && "version" in answer && "pid" in answer) return answer as unknown as DaemonHello;
  throw new Error("the process that listens on the daemon's socket is not a Conduct daemon");
}

/**
 * Returns the daemon of this home. Starts one if none runs, and replaces an idle one of an older version. If several
 * processes start one at once, only one survives. Rejects with the reason if it cannot start.
 */
export async function ensureDaemon(home: string): Promise<DaemonHello> {
  const place = daemonPlace(home);
  const found = await helloDaemon(home).catch(ifNone);
  if (found !== undefined && !(await isReplaced(place, found))) return found;
  const started = startDaemon(place);
  const until = performance.now() + START_MS;
  while (performance.now() < until) {
    await sleep(LOOK_MS);
    // Checked before the hello: if another process has started its daemon first, that one answers.
    const isOver = started.ended();
    if (isOver) await sleep(LOOK_MS);
    const hello = await helloDaemon(home).catch(ifNone);
    if (hello !== undefined) return hello;
    if (isOver) break;
  }
  throw new Error(`the Conduct daemon does not start; see ${place.log}`);
}

/**
 * Replaces a running daemon by one of the lasting program, on the same port. Runtimes connect to that port before their
 * first hook, so a daemon must be there. If none runs, none is started.
 */
export async function restartDaemon(home: string): Promise<void> {
  const { socket } = daemonPlace(home);
  const asked = await sendHook(socket, { daemon: "stop" }, HELLO_MS).catch(ifNone);
  if (asked === undefined) return;
  const until = performance.now() + START_MS;
  while (performance.now() < until && (await helloDaemon(home).catch(() => undefined)) !== undefined)
    await sleep(LOOK_MS);
  await ensureDaemon(home);
}

/** An old daemon exits once it is idle; the state of its sessions is in the store. */
async function isReplaced(place: DaemonPlace, { version }: DaemonHello): Promise<boolean> {
  if (!isReplaceable(version, conductVersion())) return false;
  const answer = await sendHook(place.socket, { daemon: "yield", version: conductVersion() }, HELLO_MS);
  if (!isObject(answer) || answer.ends !== true) return false;
  const until = performance.now() + START_MS;
  while (performance.now() < until) {
    const hello = await helloDaemon(place.home).catch(() => undefined);
    if (hello === undefined) return true;
    await sleep(LOOK_MS);
  }
  return false;
}

function startDaemon(place: DaemonPlace): { ended(): boolean } {
  mkdirSync(dirname(place.log), { recursive: true, mode: 0o700 });
  const log = openSync(place.log, "a", 0o600);
  try {
    // The daemon must inherit neither the agent's working directory nor its NODE_OPTIONS.
    const { NODE_OPTIONS: _, ...env } = process.env;
    const child = spawn(nodeProgram(place), [daemonProgram(place.home), "daemon", "run"], {
      cwd: place.home,
      env: { ...env, CONDUCT_HOME: place.home },
      detached: true,
      stdio: ["ignore", log, log],
    });
    let failed = false;
    child.on("error", () => {
      failed = true;
    });
    child.unref();
    return { ended: () => failed || child.exitCode !== null || child.signalCode !== null };
  } finally {
    closeSync(log);
  }
}

function daemonProgram(home: string): string {
  const program = lastingProgram(home);
  return existsSync(program) ? program : conductProgram();
}

/** This process's own Node. If it is too old or not Node, the one that last started the daemon. */
function nodeProgram({ settings }: DaemonPlace): string {
  const isNode = process.versions.bun === undefined && process.release.name === "node";
  if (isNode && Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  return readDaemonSettings(settings)?.node ?? "node";
}

function ifNone(error: unknown): undefined {
  if (error instanceof NoDaemonError) return undefined;
  throw error;
}
