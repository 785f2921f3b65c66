import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { PROGRAM } from "./program.ts";
import type { AttackWorld, Environment } from "./world.ts";

/** A start may be slow on a busy machine; an exit after a failure may not. */
const START_MS = 30_000;
const END_MS = 8_000;

/** Outcome of a start. `stuck`: it reported a failure, or nothing, and is still running. */
export type StartOutcome = {
  readonly kind: "ended" | "serving" | "stuck";
  readonly code: number | null;
  readonly output: string;
};

/**
 * Starts `conduct gateway` and waits until it serves, exits or should have exited, then kills it. `term`: when to send
 * SIGTERM.
 */
export async function watchStart(
  world: AttackWorld,
  {
    env = {},
    args = [],
    term,
  }: { readonly env?: Environment; readonly args?: readonly string[]; readonly term?: Promise<unknown> },
): Promise<StartOutcome> {
  const child = spawn(process.execPath, [PROGRAM, "gateway", "--port", "0", "--json", ...args], {
    env: { ...world.env, CONDUCT_TOKEN: "attack-operator-token-0123456789abcdef", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  world.onClose(() => kill(child));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const gone = once(child, "close");
  let failedAt: number | undefined;
  const begun = performance.now();
  term?.then(() => {
    failedAt ??= performance.now();
    child.kill("SIGTERM");
  });
  for (;;) {
    const now = performance.now();
    if (child.exitCode !== null || child.signalCode !== null) {
      await gone;
      return { kind: "ended", code: child.exitCode, output };
    }
    if (output.includes('"event":"started"')) return finish("serving");
    if (output.includes('"ok": false')) failedAt ??= now;
    if (now - (failedAt ?? Number.POSITIVE_INFINITY) > END_MS || now - begun > START_MS) return finish("stuck");
    await sleep(50);
  }

  async function finish(kind: "serving" | "stuck"): Promise<StartOutcome> {
    await kill(child);
    return { kind, code: null, output };
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "close");
  child.kill("SIGKILL");
  await gone;
}
