import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { conductProgram } from "../../src/edge/host/node/package-files.ts";
import { guardServer } from "../../src/edge/stores/test/servers/server.ts";

export type ReplicaOptions = {
  readonly name: string;
  /** CONDUCT_HOME of this replica; created if it does not exist. */
  readonly home: string;
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
  /** Further arguments of `conduct gateway`. */
  readonly args?: readonly string[];
  /** The program instead of this checkout's, to run two versions side by side. */
  readonly program?: string;
  /** A file to which its output is appended, each line with its name. */
  readonly log?: string;
};

export type Replica = {
  readonly name: string;
  readonly url: string;
  readonly pid: number | undefined;
  /** True between the start and the end of the process. */
  isRunning(): boolean;
  /** The end of what it printed. */
  output(): string;
  signal(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
  /** Resolves when it is ready for traffic. Rejects with its output if it ends first or takes too long. */
  ready(limitMs?: number): Promise<void>;
};

const READY_MS = 60_000;
const MOST_OUTPUT = 20_000;
/** Time for the last lines of a gateway that has ended. */
const LAST_OUTPUT_MS = 1_000;

/** Starts an ordinary `conduct gateway` and does not wait for it. */
export function startReplica(options: ReplicaOptions): Replica {
  const { name, home, port, env, args = [], program = conductProgram(), log } = options;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const url = `http://127.0.0.1:${port}`;
  const words = [program, "gateway", ...["--port", String(port), "--json"], ...args];
  const child: ChildProcess = spawn(process.execPath, words, {
    env: { ...env, CONDUCT_HOME: home, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    // Ctrl C in the terminal reaches the cluster alone, which then ends the replicas in order.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-MOST_OUTPUT);
      if (log !== undefined) appendFileSync(log, chunk.toString().replaceAll(/^(?=.)/gm, `${stamp()} ${name} `));
    });
  // A replica must not outlive us, even if we are killed. There is no folder to remove with it.
  const unguard = guardServer(child.pid, join(home, "run", "none"), "KILL");
  // Not "close": a program that the gateway started may keep the pipe open after the gateway has ended.
  const ended = once(child, "exit").then(([code, signal]) => {
    unguard();
    setTimeout(() => {
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    }, LAST_OUTPUT_MS).unref();
    return (code ?? signal) as number | string | null;
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    name,
    url,
    pid: child.pid,
    isRunning,
    output: () => output,
    signal: (signal) => void (isRunning() && child.kill(signal)),
    ended,
    async ready(limitMs = READY_MS) {
      const until = performance.now() + limitMs;
      while (isRunning() && performance.now() < until) {
        const response = await fetch(`${url}/api/health/ready`, { signal: AbortSignal.timeout(2_500) }).catch(
          () => undefined,
        );
        await response?.body?.cancel();
        if (response?.ok === true) return;
        await sleep(100);
      }
      const why = isRunning() ? `is not ready after ${limitMs / 1_000} s` : "ended";
      throw new Error(`${name} ${why}. It printed:\n${output.trim()}`);
    },
  };
}

function stamp(): string {
  return new Date().toISOString().slice(11, 23);
}
