import { spawn } from "node:child_process";
import type { CommandResult, Commands } from "../../../base/ports/commands.ts";
import type { WrappedCommand } from "../sandbox/sandbox.ts";

/** Keeps the end of a stream of bytes, so that a command that prints without end takes a bounded amount of memory. */
export class OutputTail {
  readonly #max: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    for (let first = this.#chunks[0]; first && this.#size - first.length >= this.#max; first = this.#chunks[0]) {
      this.#size -= first.length;
      this.#chunks.shift();
    }
  }

  /** At most `max` bytes of UTF-8 as text; a character that was cut in half at the front is left out. */
  text(): string {
    const bytes = Buffer.concat(this.#chunks);
    let from = Math.max(0, bytes.length - this.#max);
    if (from > 0) while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
    return bytes.toString("utf8", from);
  }
}

const MAX_OUTPUT = 64 * 1024;
/** How long output may still arrive after the command itself has ended: a process it left behind may hold the pipe for ever. */
const DRAIN_MS = 200;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** One pipe for both streams, so that the output stands in the order in which it was written. */
const BOTH_STREAMS = 'exec sh -c -- "$1" 2>&1';

type NodeCommandsOptions = {
  /** Replaces the environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Puts the command line into a sandbox, which brings an environment of its own. */
  readonly wrap?: (command: readonly string[]) => WrappedCommand;
};

/**
 * Runs commands with `sh -c` in `cwd`. On a timeout or an abort the whole process group is killed and `exitCode` is undefined.
 * Rejects only when the command cannot be started.
 */
export function nodeCommands(cwd: string, { env, wrap }: NodeCommandsOptions = {}): Commands {
  return {
    async run(command, { timeoutMs, signal }) {
      if (signal?.aborted) return { exitCode: undefined, output: "", timedOut: false };
      const { promise, resolve, reject } = Promise.withResolvers<CommandResult>();
      const tail = new OutputTail(MAX_OUTPUT);
      let timedOut = false;
      let exitCode: number | undefined;
      let drain: NodeJS.Timeout | undefined;

      const line = ["sh", "-c", BOTH_STREAMS, "sh", command];
      const { file, args, ...given } = wrap?.(line) ?? { file: "sh", args: line.slice(1), env };
      // Its own group, so that it can be killed with all it started.
      const child = spawn(file, args, {
        cwd,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
        ...(given.env !== undefined && { env: given.env }),
      });

      const kill = () => killGroup(child.pid);
      const onTimeout = () => {
        timedOut = true;
        kill();
      };
      const timer = setTimeout(onTimeout, Math.min(timeoutMs, MAX_TIMER_MS));
      signal?.addEventListener("abort", kill, { once: true });

      const stopWatching = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", kill);
      };
      const finish = () => {
        clearTimeout(drain);
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ exitCode, output: tail.text(), timedOut });
      };

      child.stdout.on("data", (chunk: Buffer) => tail.add(chunk));
      child.stdout.on("error", () => {});
      // The command itself writes to the other pipe: this is a sandbox that does not start.
      child.stderr.on("data", (chunk: Buffer) => tail.add(chunk));
      child.stderr.on("error", () => {});
      child.once("error", (error) => {
        stopWatching();
        reject(new Error(`cannot run a command in ${cwd}: ${error.message}`));
      });
      child.once("exit", (code) => {
        stopWatching();
        exitCode = code ?? undefined;
        // The extra round lets what is already in the pipe be read, even when this process was busy for that long.
        drain = setTimeout(() => setImmediate(finish), DRAIN_MS);
      });
      child.once("close", finish);
      return promise;
    },
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself in this very moment.
  }
}
