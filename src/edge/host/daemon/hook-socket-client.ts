import { lstatSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { parseKeepingDigits } from "../../../base/kernel/json.ts";

/** No daemon is listening. Nothing was sent, so the request can be retried once a daemon has started. */
export class NoDaemonError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NoDaemonError";
  }
}

/** Timeout for an answer. While a person is asked, also the longest silence allowed between progress messages. */
export type HookLimit =
  | number
  | { readonly silenceMs: number; readonly allMs: number; readonly onWaits?: (waits: unknown) => void };

/**
 * Sends one event to the daemon and returns its answer. Rejects with the cause if the socket is missing or owned by
 * another account, on timeout, and on an error answer. Imports only Node's own modules, because every hook loads this
 * file. `onVersion` receives the daemon's version if the answer has one.
 */
export function sendHook(
  path: string,
  event: unknown,
  limit: HookLimit,
  onVersion: (version: string) => void = () => undefined,
): Promise<unknown> {
  const { silenceMs, allMs, onWaits = () => undefined } = typeof limit === "number" ? both(limit) : limit;
  return new Promise((resolve, reject) => {
    checkOwner(path);
    const socket = connect(path);
    let reply = "";
    let waits = false;
    const settle = (): void => {
      clearTimeout(timer);
      clearTimeout(silence);
      socket.destroy();
    };
    const end = (error: Error): void => {
      settle();
      reject(error);
    };
    const fail = (why: string): void => end(new Error(why));
    const timer = setTimeout(fail, allMs, `the Conduct daemon did not answer within ${allMs} ms`);
    const silence = setTimeout(fail, silenceMs, `the Conduct daemon sent nothing for ${silenceMs} ms`);
    let connected = false;
    socket.on("connect", () => {
      connected = true;
    });
    socket.setEncoding("utf8");
    socket.on("error", (error) => {
      const why = `the Conduct daemon cannot be reached at ${path}: ${error.message}`;
      end(connected ? new Error(why) : new NoDaemonError(why));
    });
    socket.on("data", (text: string) => {
      reply += text;
      while (reply.startsWith(WAITS) && reply.includes("\n")) {
        const line = reply.slice(0, reply.indexOf("\n"));
        reply = reply.slice(line.length + 1);
        waits = true;
        silence.refresh();
        onWaits(readWaits(line));
      }
    });
    socket.on("end", () => {
      if (reply === "" && waits) return fail("the Conduct daemon exited while it waited for a person's answer");
      const read = readReply(reply);
      try {
        if (read.version !== undefined) onVersion(read.version);
      } catch {
        // For example because the package was removed while its runtime goes on: the answer still counts.
      }
      if ("error" in read) return fail(read.error);
      settle();
      resolve(read.answer);
    });
    socket.write(`${JSON.stringify(event)}\n`);
  });
}

/** Prefix of a progress line, which precedes the answer. */
const WAITS = '{"waits":';

function both(ms: number): Exclude<HookLimit, number> {
  return { silenceMs: ms, allMs: ms };
}

function readWaits(line: string): unknown {
  try {
    return (JSON.parse(line) as { readonly waits: unknown }).waits;
  } catch {
    return undefined;
  }
}

/** Is a process listening on this socket? */
export function knock(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/** A socket owned by another account could approve everything. */
function checkOwner(path: string): void {
  const socket = look(path);
  if (socket === undefined) throw new NoDaemonError(`there is no Conduct daemon: no socket at ${path}`);
  if (!socket.isSocket()) throw new Error(`${path} is not a socket`);
  const folder = lstatSync(dirname(path));
  const user = process.getuid?.();
  if (socket.uid !== user || folder.uid !== user) throw new Error(`the socket at ${path} belongs to another user`);
  if ((folder.mode & 0o077) !== 0) throw new Error(`other accounts can enter the folder of the socket at ${path}`);
}

/** A path that cannot be inspected cannot be connected to either. */
function look(path: string): ReturnType<typeof lstatSync> {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

type Reply = { readonly version?: string } & ({ readonly answer: unknown } | { readonly error: string });

function readReply(text: string): Reply {
  try {
    const reply = parseKeepingDigits(text);
    if (typeof reply !== "object" || reply === null || !("ok" in reply)) return { error: "the answer cannot be read" };
    const version = "version" in reply && typeof reply.version === "string" ? { version: reply.version } : {};
    if (reply.ok === true && "answer" in reply) return { ...version, answer: reply.answer };
    return { ...version, error: "error" in reply ? String(reply.error) : "the daemon failed" };
  } catch {
    return { error: text === "" ? "the Conduct daemon ended the connection" : "the answer is not JSON" };
  }
}
