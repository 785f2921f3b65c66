import { lstatSync, renameSync } from "node:fs";
import { chmod, lstat, mkdir, unlink } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import { callback, checkOptions, number, optional, type ShapesOf } from "../../../base/kernel/check-options.ts";
import { parseKeepingDigits } from "../../../base/kernel/json.ts";
import { withFileLock } from "../workspace/file-lock.ts";
import { knock } from "./hook-socket-client.ts";

export type HookServer = {
  readonly path: string;
  /** Does the path still lead to this socket? It may have been removed or replaced by another process. */
  isThere(): boolean;
  /** Accepts no new connections; open ones get `graceMs` to receive their answers. */
  close(graceMs?: number): Promise<void>;
};

export type HookServerOptions = {
  /** Longer requests are rejected. */
  readonly maxBytes?: number;
  /** A request that is incomplete after this time is dropped. */
  readonly receiveMs?: number;
  /** Sent with every answer; called each time. */
  readonly version?: () => string;
};

/** Another process already listens on this socket. */
export class SocketTakenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SocketTakenError";
  }
}

/** The system truncates longer paths, so they would name another socket. */
const MAX_PATH = 100;

/** Answers one request. `tell` sends the client a progress line before the answer. */
export type HookHandler = (request: unknown, tell: (waits: object) => void) => Promise<unknown>;

/**
 * Serves hooks on a unix socket: one JSON line in, one out (`{ok, answer}` or `{ok: false, error}`). Makes the folder
 * private to this user. Rejects if that fails or if another process already answers there.
 */
export async function listenForHooks(
  path: string,
  handle: HookHandler,
  options: HookServerOptions = {},
): Promise<HookServer> {
  checkOptions("listenForHooks", options, KEYS);
  const { maxBytes = 32 * 1024 * 1024, receiveMs = 10_000, version } = options;
  if (Buffer.byteLength(path) > MAX_PATH) throw new Error(`a socket's path has at most ${MAX_PATH} bytes: ${path}`);
  await privateFolder(dirname(path));
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    const told = () => ({ version: version?.() });
    const tell = (waits: object) => void (socket.writable && socket.write(`${JSON.stringify({ waits })}\n`));
    receive(socket, maxBytes, receiveMs).then(
      async (line) => socket.end(`${JSON.stringify({ ...(await answer(line, handle, tell)), ...told() })}\n`),
      (error: Error) => socket.end(`${JSON.stringify({ ok: false, error: error.message, ...told() })}\n`),
    );
  });
  // If several processes start at once, one removes the stale socket and listens; the others find it answering.
  await withFileLock(`${path}.lock`, async () => {
    await removeStale(path);
    await listening(server, path);
  });
  await chmod(path, 0o600);
  const mark = markOf(path);
  const isThere = () => markOf(path) === mark;
  return {
    path,
    isThere,
    close: (graceMs = 0) =>
      new Promise((resolve) => {
        const cut = () => {
          for (const socket of open) socket.destroy();
        };
        const timer = graceMs > 0 ? setTimeout(cut, graceMs) : undefined;
        const end = () =>
          server.close(() => {
            clearTimeout(timer);
            resolve();
          });
        if (isThere()) end();
        else keepOther(path, end);
        if (graceMs <= 0) cut();
      }),
  };
}

async function answer(line: string, handle: HookHandler, tell: (waits: object) => void): Promise<object> {
  let request: unknown;
  try {
    request = parseKeepingDigits(line);
  } catch {
    return { ok: false, error: "the request is not JSON" };
  }
  try {
    return { ok: true, answer: (await handle(request, tell)) ?? null };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

function receive(socket: Socket, maxBytes: number, receiveMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(() => reject(new Error(`the request was incomplete after ${receiveMs} ms`)), receiveMs);
    socket.on("close", () => clearTimeout(timer));
    socket.on("end", () => reject(new Error("the request ended before its line was complete")));
    socket.on("data", (chunk: Buffer) => {
      const end = chunk.indexOf(10);
      chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
      bytes += chunk.length;
      if (bytes > maxBytes) reject(new Error(`the request has more than ${maxBytes} bytes`));
      else if (end < 0) return;
      else resolve(Buffer.concat(chunks).toString("utf8"));
      clearTimeout(timer);
      socket.removeAllListeners("data");
      socket.resume();
    });
  });
}

/** Identifies a socket across replacements at the same path, because inode numbers are reused. */
function markOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? undefined : `${found.ino}.${found.mtimeNs}`;
}

/** Closing a server unlinks its path, even another server's socket. That socket is moved away meanwhile. */
function keepOther(path: string, close: () => void): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    // No other socket exists.
    close();
    return;
  }
  close();
  renameSync(aside, path);
}

async function privateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0) {
    throw new Error(`${folder} must be a folder that only this account can enter (chmod 700)`);
  }
}

/** Removes a socket that nobody answers on: a crash left it behind. */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${path} exists and is not a socket`);
  if (await knock(path)) throw new SocketTakenError(`another process already listens on ${path}`);
  await unlink(path);
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
}

const KEYS: ShapesOf<HookServerOptions> = {
  maxBytes: optional(number),
  receiveMs: optional(number),
  version: optional(callback),
};
