import { spawn } from "node:child_process";
import type { CommandResult, Commands } from "../../../base/ports/commands.ts";
import type { WrappedCommand } from "../sandbox/sandbox.ts";

/** Buffers only the end of a byte stream, so endless output takes bounded memory. */
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

  /** At most `max` bytes of UTF-8 as text, without a character cut in half at the front. */
  text(): string {
    const bytes = Buffer.concat(this.#chunks);
    let from = Math.max(0, bytes.length - this.#max);
    if (from > 0) while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
    return bytes.toString("utf8", from);
  }
}

const MAX_OUTPUT = 64 * 1024;
/** How long to read output after the command has ended: a background process may keep the pipe open for ever. */
const DRAIN_MS = 200;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** One pipe for both streams, which preserves the order of the output. */
const BOTH_STREAMS = 'exec sh -c -- "$1" 2>&1';

type NodeCommandsOptions = {
  /** Replaces the inherited environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Wraps the command line in a sandbox, which has its own environment. */
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
      // Own process group, so that its children are killed too.
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
      // The command itself writes to the other pipe, so this is an error of the sandbox.
      child.stderr.on("data", (chunk: Buffer) => tail.add(chunk));
      child.stderr.on("error", () => {});
      child.once("error", (error) => {
        stopWatching();
        reject(new Error(`cannot run a command in ${cwd}: ${error.message}`));
      });
      child.once("exit", (code) => {
        stopWatching();
        exitCode = code ?? undefined;
        // The extra round reads data already in the pipe, even if this process was busy for that long.
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
    // The process has just ended by itself.
  }
}
