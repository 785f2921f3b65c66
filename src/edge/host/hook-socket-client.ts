import { lstatSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";

/** Nobody listens there: nothing was sent, so that it can be sent again to a daemon that was started meanwhile. */
export class NoDaemonError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NoDaemonError";
  }
}

/**
 * Sends one event to the daemon and gives its answer. Rejects, with a sentence that names the cause, when the socket is
 * missing or somebody else's, when there is no answer in time, and when the answer is an error. Loads Node's own modules
 * only: it is on the way of every hook. `onVersion` hears which version of Conduct has answered, where it tells.
 */
export function sendHook(
  path: string,
  event: unknown,
  timeoutMs: number,
  onVersion: (version: string) => void = () => undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    checkOwner(path);
    const socket = connect(path);
    let reply = "";
    const end = (error: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const fail = (why: string): void => end(new Error(why));
    const timer = setTimeout(fail, timeoutMs, `the Conduct daemon did not answer within ${timeoutMs} ms`);
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
    });
    socket.on("end", () => {
      const read = readReply(reply);
      if (read.version !== undefined) onVersion(read.version);
      if ("error" in read) return fail(read.error);
      clearTimeout(timer);
      resolve(read.answer);
    });
    socket.write(`${JSON.stringify(event)}\n`);
  });
}

/** Whether somebody answers there. */
export function knock(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/** Another account that puts a socket there could answer yes to everything. */
function checkOwner(path: string): void {
  const socket = look(path);
  if (socket === undefined) throw new NoDaemonError(`there is no Conduct daemon: no socket at ${path}`);
  if (!socket.isSocket()) throw new Error(`${path} is no socket`);
  const folder = lstatSync(dirname(path));
  const user = process.getuid?.();
  if (socket.uid !== user || folder.uid !== user) throw new Error(`the socket at ${path} belongs to another user`);
  if ((folder.mode & 0o077) !== 0) throw new Error(`others may enter the folder of the socket at ${path}`);
}

/** What cannot be looked at cannot be spoken to either. */
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
    const reply: unknown = JSON.parse(text);
    if (typeof reply !== "object" || reply === null || !("ok" in reply)) return { error: "the answer cannot be read" };
    const version = "version" in reply && typeof reply.version === "string" ? { version: reply.version } : {};
    if (reply.ok === true && "answer" in reply) return { ...version, answer: reply.answer };
    return { ...version, error: "error" in reply ? String(reply.error) : "the daemon failed" };
  } catch {
    return { error: text === "" ? "the Conduct daemon ended the connection" : "the answer is not JSON" };
  }
}
