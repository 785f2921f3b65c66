import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type Pipe, type PipeListener, streamPipe } from "./pipe.ts";

/** How long a server has to end after its input was closed, and then after it was asked to. */
const GRACE_MS = 2_000;

/** The server as a process of our own: its messages on stdin and stdout, its logs on our stderr. */
export async function startServer(command: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<Pipe> {
  const [program = "", ...args] = command;
  // A group of its own: what a launcher such as npx has started ends with it.
  const child = spawn(program, args, { env, cwd, stdio: ["pipe", "pipe", "inherit"], detached: true });
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
      if (isRunning(child)) signal(child, name);
    }
    await gone;
    process.off("exit", kill);
  });
  return { ...pipe, listen: (listener) => listen(child, pipe, listener) };
}

/** The end of its output says less than the end of the process, which comes right after it. */
function listen(child: ChildProcess, pipe: Pipe, listener: PipeListener): void {
  pipe.listen({ ...listener, end: () => undefined });
  child.once("close", (code, name) => {
    const why = name === null ? `it ended with code ${code ?? 0}` : `it was ended by ${name}`;
    listener.end({ why, code: code ?? 1 });
  });
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It is gone already.
  }
}
