import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { Problem } from "./problem.ts";

/** Deeper than any valid input. A much deeper body would overflow the stack. */
const MOST_DEPTH = 100;

/** Returns `undefined` for an empty body. Throws a `Problem` if it is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return text === "" ? undefined : parsePlain(text);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(400, "BAD_JSON", "The body is not JSON.", "Send JSON with content-type application/json.");
  }
}

/** Rejects `__proto__` keys, so that no input can set a prototype. */
function parsePlain(text: string): unknown {
  if (depthOf(text) > MOST_DEPTH)
    throw new Problem(400, "BAD_JSON", `The body is nested more than ${MOST_DEPTH} levels deep.`);
  return JSON.parse(text, (name, value: unknown) => {
    if (name === "__proto__") throw new Problem(400, "BAD_JSON", "The body has a key '__proto__'.");
    return value;
  });
}

function depthOf(text: string): number {
  let [depth, deepest, inText] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (inText && char === "\\") at += 1;
    else if (char === '"') inText = !inText;
    else if (!inText && (char === "[" || char === "{")) deepest = Math.max(deepest, ++depth);
    else if (!inText && (char === "]" || char === "}")) depth -= 1;
  }
  return deepest;
}

/** The same as the server's `requestTimeout`, for requests that do not pass through the server. */
const RECEIVE_MS = 30_000;

/** Returns the body as text. Rejects with a `Problem` if it is too large, too slow or incomplete. */
export async function readBody(request: Request, most: number, receiveMs: number = RECEIVE_MS): Promise<string> {
  const tooLarge = () => new Problem(413, "TOO_LARGE", `The body may have at most ${most} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLarge();
  const reader = request.body?.getReader();
  if (reader === undefined) return "";
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => undefined);
  const timer = setTimeout(() => late.reject(tooSlow()), receiveMs);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read().catch(brokenOff), late.promise]);
      if (done) return Buffer.concat(chunks).toString("utf8");
      bytes += value.byteLength;
      if (bytes > most) throw tooLarge();
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(): Problem {
  return new Problem(408, "TOO_SLOW", "The request was not complete in time.", "Send it again.");
}

/** The client disconnected, or the server closed a slow request. */
function brokenOff(): never {
  throw new Problem(400, "INCOMPLETE", "The request body is incomplete.", "Send it again.");
}

/** Node's request and response; `undefined` where a test calls the app without a server. */
export function nodeOf(context: Context): Partial<HttpBindings> | undefined {
  return context.env as Partial<HttpBindings> | undefined;
}

/** Returns the address of the connection, which may be a proxy's. */
export function addressOf(context: Context): string {
  return nodeOf(context)?.incoming?.socket?.remoteAddress ?? "unknown";
}
