import { spawn } from "node:child_process";
import type { CommandResult, Commands } from "../../../base/ports/commands.ts";
import type { WrappedCommand } from "../sandbox/sandbox.ts";

/** Bytes of an output that are kept. */
type OutputLimits = { readonly head: number; readonly tail: number };

/** Buffers the start and the end of a byte stream, so endless output takes bounded memory. */
export class OutputBuffer {
  readonly #limits: OutputLimits;
  readonly #head: Buffer[] = [];
  #headSize = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #omitted = 0;

  constructor(limits: OutputLimits) {
    this.#limits = limits;
  }

  add(chunk: Buffer): void {
    const fits = chunk.subarray(0, this.#limits.head - this.#headSize);
    if (fits.length > 0) this.#head.push(fits);
    this.#headSize += fits.length;
    if (fits.length === chunk.length) return;
    this.#tail.push(chunk.subarray(fits.length));
    this.#tailSize += chunk.length - fits.length;
    for (
      let first = this.#tail[0];
      first && this.#tailSize - first.length >= this.#limits.tail;
      first = this.#tail[0]
    ) {
      this.#tailSize -= first.length;
      this.#omitted += first.length;
      this.#tail.shift();
    }
  }

  /** The kept bytes as text, without characters cut in half. A notice stands for what was left out after the head. */
  text(): string {
    const over = Math.max(0, this.#tailSize - this.#limits.tail);
    const omitted = this.#omitted + over;
    if (omitted === 0) return Buffer.concat([...this.#head, ...this.#tail]).toString("utf8");
    const tail = Buffer.concat(this.#tail);
    let from = over;
    while (from < tail.length && isContinuation(tail[from])) from += 1;
    const end = tail.toString("utf8", from);
    if (this.#limits.head === 0) return end;
    const head = Buffer.concat(this.#head)
      .toString("utf8")
      .replace(/\ufffd$/, "");
    const kept = `the first ${mebibytes(this.#limits.head)} and the last ${mebibytes(this.#limits.tail)}`;
    const notice = `[... ${omitted.toLocaleString("en-US")} bytes left out. Only ${kept} of an output are kept. Write it to a file to read all of it. ...]`;
    return `${head}\n\n${notice}\n\n${end}`;
  }
}

function isContinuation(byte: number | undefined): boolean {
  return ((byte ?? 0) & 0xc0) === 0x80;
}

function mebibytes(bytes: number): string {
  return `${bytes / 1024 ** 2} MiB`;
}

/** The end is enough to see why a check failed. */
const END_ONLY: OutputLimits = { head: 0, tail: 64 * 1024 };
/** The whole output, bounded because users of a gateway who do not trust each other share its memory. */
const WHOLE: OutputLimits = { head: 24 * 1024 ** 2, tail: 8 * 1024 ** 2 };
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
    async run(command, { timeoutMs, signal, whole = false }) {
      if (signal?.aborted) return { exitCode: undefined, output: "", timedOut: false };
      const { promise, resolve, reject } = Promise.withResolvers<CommandResult>();
      const output = new OutputBuffer(whole ? WHOLE : END_ONLY);
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
        resolve({ exitCode, output: output.text(), timedOut });
      };

      child.stdout.on("data", (chunk: Buffer) => output.add(chunk));
      child.stdout.on("error", () => {});
      // The command itself writes to the other pipe, so this is an error of the sandbox.
      child.stderr.on("data", (chunk: Buffer) => output.add(chunk));
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
