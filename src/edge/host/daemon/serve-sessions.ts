import { asObject, isObject } from "../../../base/kernel/json.ts";
import type { Question } from "../../../base/words/decision.ts";
import type { SessionHost, SessionMoments, SessionOrigin } from "../../../engine/session/session-moments.ts";

type Tell = (waits: Question) => void;

/**
 * Answers the requests of a `remoteHost`. Each request carries its origin, so its session is found again after a
 * restart. `tell` is called repeatedly while a person is asked.
 */
export async function serveMoments(request: unknown, host: SessionHost, tell: Tell = () => undefined): Promise<object> {
  if (!isObject(request)) throw new Error("this is not a request for a session");
  const session = await host.open(readOrigin(request.moments));
  const args = Array.isArray(request.args) ? request.args : [];
  const value = await act(session, String(request.does), args, tell);
  const debug = session.takeDebug();
  return { value: value ?? null, debug };
}

/** The client is our own code of the same version; the session checks its input like any adapter's. */
// biome-ignore lint/suspicious/noExplicitAny: each moment checks what it is given.
async function act(session: SessionMoments, does: string, args: readonly any[], tell: Tell): Promise<unknown> {
  switch (does) {
    case "open":
      return session.tools().map(({ run: _run, ...declaration }) => declaration);
    case "onMessage":
      return session.onMessage(args[0]);
    case "onPrompt":
      return session.onPrompt(readPromptRequest(args[0]));
    case "onCall":
      return session.onCall(args[0]);
    case "resolve":
      return session.resolve(
        String(args[0]),
        args[1] === "yes" || args[1] === "always" ? args[1] : "no",
        String(args[2]),
        typeof args[3] === "string" ? args[3] : undefined,
      );
    case "decide": {
      const { waitMs = 0, tells } = args[1] ?? {};
      const telling = tells === true ? tell : () => undefined;
      return whileAsking(telling, (onAsking) => session.decide(args[0], { waitMs: Number(waitMs), onAsking }));
    }
    case "onResult":
      return session.onResult(args[0], args[1], args[2] ?? {});
    case "onStop":
      return session.onStop(args[0] ?? {});
    case "notice":
      session.notice(args[0]);
      return session.flush();
    case "tool":
      return runTool(session, String(args[0]), args[1]);
    default:
      throw new Error(`unknown session operation '${does}'`);
  }
}

/** Well below the silence after which a client assumes that the daemon hangs. */
const TELL_MS = 2_000;

/** Calls `tell` at once and then repeatedly, from when a person is asked until the work is done. */
async function whileAsking<T>(tell: Tell, work: (onAsking: (asked: Question) => void) => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const onAsking = (asked: Question) => {
    tell(asked);
    timer ??= setInterval(tell, TELL_MS, asked);
  };
  try {
    return await work(onAsking);
  } finally {
    clearInterval(timer);
  }
}

async function runTool(session: SessionMoments, name: string, args: unknown): Promise<unknown> {
  const tool = session.tools().find((one) => one.name === name);
  if (tool === undefined) throw new Error(`this agent has no tool '${name}'`);
  return tool.run(isObject(args) ? args : {});
}

function readPromptRequest(given: unknown): NonNullable<Parameters<SessionMoments["onPrompt"]>[0]> {
  if (!isObject(given)) return {};
  const { names, ...request } = given;
  const table = isObject(names) ? names : {};
  return { ...request, toolName: (tool) => (Object.hasOwn(table, tool) ? String(table[tool]) : tool) };
}

/** Reads the origin of a request. Throws if it is missing. */
export function readOrigin(given: unknown): SessionOrigin {
  const { runtime, id, cwd, parent, model, window, channel, agent, user, interactive } = asObject(given);
  if (typeof runtime !== "string" || typeof id !== "string" || id === "" || typeof cwd !== "string") {
    throw new Error("a session needs a runtime, an id and a cwd");
  }
  return {
    ...{ runtime, id, cwd },
    parent: typeof parent === "string" ? parent : undefined,
    model: typeof model === "string" ? model : undefined,
    window: typeof window === "number" ? window : undefined,
    channel: typeof channel === "string" ? channel : undefined,
    agent: typeof agent === "string" ? agent : undefined,
    user: typeof user === "string" ? user : undefined,
    interactive: typeof interactive === "boolean" ? interactive : undefined,
  };
}
