import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage, PARSE_ERROR, type Received, readLine } from "./json-rpc.ts";

/** Why the other side is gone. `code` is the exit code of a process. */
export type PipeEnd = { readonly why: string; readonly code?: number };

export type PipeListener = {
  /** One message, without its line end. */
  message(line: Buffer): void;
  /** Called once, as the last event. */
  end(end: PipeEnd): void;
  drained(): void;
};

export type Pipe = {
  listen(listener: PipeListener): void;
  /** Returns false if the other side is slow: pause the source until `drained`. */
  send(message: string | Buffer): boolean;
  pause(): void;
  resume(): void;
  /** Closes the connection; resolves when the other side is gone. */
  close(): Promise<void>;
};

/** A longer line is no message. */
const MAX_LINE = 256 * 1024 * 1024;

/** Messages as lines over two streams. */
export function streamPipe(input: Readable, output: Writable, close: () => Promise<void>): Pipe {
  return {
    listen(listener) {
      let ended = false;
      const end = (why: string) => {
        if (!ended) listener.end({ why });
        ended = true;
      };
      const take = takeLines((line) => !ended && listener.message(line));
      input.on("data", (chunk: Buffer) => take(chunk) || end("it sent a line that is too long"));
      input.on("end", () => end("it closed the connection"));
      input.on("close", () => end("it closed the connection"));
      input.on("error", (error) => end(error.message));
      output.on("error", (error) => end(error.message));
      output.on("drain", () => listener.drained());
    },
    send(message) {
      if (!output.writable) return true;
      output.write(message);
      return output.write("\n");
    },
    pause: () => void input.pause(),
    resume: () => void input.resume(),
    close,
  };
}

/** Splits a stream into lines; false when one is too long. Empty lines are skipped. */
function takeLines(each: (line: Buffer) => void): (chunk: Buffer) => boolean {
  let pieces: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...pieces, chunk.subarray(from, at)]);
      [pieces, size, from] = [[], 0, at + 1];
      const trimmed = line.at(-1) === 13 ? line.subarray(0, -1) : line;
      if (trimmed.length > 0) each(trimmed);
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
    size += chunk.length - from;
    return size <= MAX_LINE;
  };
}

/** How long a server may take to exit after its input was closed, and again after SIGTERM. */
const GRACE_MS = 2_000;

/** Starts the server as a process: messages on stdin and stdout, logs on our stderr unless `onLog` takes them. */
export async function startServer(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  onLog?: (text: string) => void,
): Promise<Pipe> {
  const [program = "", ...args] = command;
  const logs = onLog === undefined ? "inherit" : "pipe";
  // A process group, so that children of a launcher such as npx end with it.
  const child = spawn(program, args, {
    env,
    cwd,
    stdio: ["pipe", "pipe", logs],
    detached: true,
  }) as ChildProcessByStdio<Writable, Readable, Readable | null>;
  child.stderr?.on("data", (chunk: Buffer) => onLog?.(chunk.toString()));
  child.stderr?.on("error", () => undefined);
  await once(child, "spawn").catch((error: Error) => {
    throw new Error(`'${program}' cannot be started: ${error.message}`);
  });
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const kill = () => signal(child, "SIGKILL");
  process.once("exit", kill);
  const pipe = streamPipe(child.stdout, child.stdin, async () => {
    child.stdin.end();
    for (const name of ["SIGTERM", "SIGKILL"] as const) {
      await Promise.race([gone, sleep(GRACE_MS, undefined, { ref: false })]);
      if (child.exitCode === null && child.signalCode === null) signal(child, name);
    }
    await gone;
    process.off("exit", kill);
  });
  return { ...pipe, listen: (listener) => listen(child, pipe, listener) };
}

/** Reports the exit of the process instead of the end of its output. */
function listen(child: ChildProcess, pipe: Pipe, listener: PipeListener): void {
  pipe.listen({ ...listener, end: () => undefined });
  child.once("close", (code, name) => {
    const why = name === null ? `it ended with code ${code ?? 0}` : `it was ended by ${name}`;
    listener.end({ why, code: code ?? 1 });
  });
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // The process is already gone.
  }
}

export type RelayEnd<Other extends string> = { readonly by: "client" | Other } & PipeEnd;

export type Relay = {
  fromClient(received: Received): void;
  fromOther(received: Received): void;
  /** One side is gone. Resolves when everything is settled. */
  end(why: string): Promise<void>;
};

/** Reads both sides until one ends, then closes the other. Lines that are no messages are not passed on. */
export async function runRelay<Other extends string>(
  client: Pipe,
  [name, other]: readonly [Other, Pipe],
  relay: Relay,
  log: (line: string) => void,
): Promise<RelayEnd<Other>> {
  const ended = await new Promise<RelayEnd<Other>>((resolve) => {
    client.listen({
      message: (line) => {
        const received = readLine(line);
        for (const one of received ?? []) relay.fromClient(one);
        if (received !== undefined) return;
        log("dropped a line from the client: not a JSON-RPC message");
        if (!client.send(errorMessage(null, PARSE_ERROR, "this is not a JSON-RPC message"))) other.pause();
      },
      drained: () => other.resume(),
      end: (end) => resolve({ by: "client", ...end }),
    });
    other.listen({
      message: (line) => {
        const received = readLine(line);
        if (received === undefined) log(`dropped a line from the ${name}: not a JSON-RPC message`);
        for (const one of received ?? []) relay.fromOther(one);
      },
      drained: () => client.resume(),
      end: (end) => resolve({ by: name, ...end }),
    });
  });
  await relay.end(`the ${ended.by} is gone: ${ended.why}`);
  await other.close();
  await client.close();
  return ended;
}
