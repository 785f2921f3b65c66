import { z } from "zod";
import { errorText } from "../../base/kernel/error-text.ts";
import { asObject } from "../../base/kernel/json.ts";
import type { HookResponse, HookRoute } from "../../edge/host/daemon/hook-http.ts";
import { isPaused } from "../../edge/host/daemon/paused.ts";
import { passingMoments } from "../../edge/host/daemon/remote-session.ts";
import { readOrigin } from "../../edge/host/daemon/serve-sessions.ts";
import {
  API_RUNTIME,
  answerMoment,
  checkPlain,
  describeSession,
  originOf,
} from "../../edge/host/moments/answer-moments.ts";
import { MOMENT_BYTES, openBody } from "../../edge/host/moments/moment-bodies.ts";
import { MomentError } from "../../edge/host/moments/moment-error.ts";
import { nodeIds } from "../../edge/host/node/node-ids.ts";
import { peekSession } from "../../edge/host/opening/local-host.ts";
import type { SessionSaves } from "../../engine/session/persistent-session.ts";
import type { SessionMoments, SessionOrigin } from "../../engine/session/session-moments.ts";
import type { Workspaces } from "./workspaces.ts";

/** One request of the HTTP moments: `open` without a session, every other moment with one. */
export type ApiRequest = { readonly moment: string; readonly session?: string; readonly body?: unknown };

export type ApiSessionsOptions = {
  readonly home: string;
  readonly workspaces: Workspaces;
  readonly store: SessionSaves["store"];
};

/** Sessions of programs that ask over HTTP. Never rejects: a failure is an answer with a status other than 200. */
export function apiSessions({ home, workspaces, store }: ApiSessionsOptions) {
  const ids = nodeIds();
  /** Origins of open sessions, so that not every request reads the store. */
  const known = new Map<string, SessionOrigin>();

  /** The origin of an open session that was opened over HTTP. Other runtimes' sessions are reported as missing. */
  async function findOrigin(id: string): Promise<SessionOrigin> {
    const open = known.get(id);
    if (open !== undefined) return open;
    const saved = await peekSession(store, id);
    const { origin } = asObject(saved?.beside.own);
    if (saved === undefined || asObject(origin).runtime !== API_RUNTIME)
      throw new MomentError(404, "NOT_FOUND", `There is no session '${id}'.`, "Open one with POST /api/v1/sessions.");
    if (saved.snapshot === "")
      throw new MomentError(410, "SESSION_ENDED", `Session '${id}' has ended.`, "Open a new one.");
    const found = readOrigin({ ...asObject(origin), id });
    known.set(id, found);
    return found;
  }

  async function use<T>(origin: SessionOrigin, work: (session: SessionMoments) => Promise<T>): Promise<T> {
    using entered = await workspaces.enter(origin);
    if ("workspace" in entered) return await work(await entered.workspace.host.open(origin));
    if (isPaused(home)) return await work(passingMoments(origin.id));
    throw new MomentError(503, "BROKEN", entered.broken, "A person can see what is wrong with `conduct doctor`.");
  }

  async function open(given: unknown): Promise<HookResponse> {
    checkPlain(given);
    const body = openBody.parse(given);
    if (body.cwd === undefined)
      throw new MomentError(400, "BAD_INPUT", "cwd: is required, because the daemon reads the agent's files");
    if (body.parent !== undefined) await findOrigin(body.parent);
    const origin = originOf(body, { newId: () => ids.next("s") });
    const described = await use(origin, async (session) => {
      await session.flush();
      return describeSession(session);
    });
    known.set(origin.id, origin);
    return { status: 201, body: described };
  }

  return async function answer({ moment, session = "", body }: ApiRequest): Promise<HookResponse> {
    try {
      if (moment === "open") return await open(body);
      const origin = await findOrigin(session);
      const answered = await use(origin, (found) => answerMoment(found, moment, body));
      if (moment === "close") known.delete(session);
      return { status: 200, body: answered };
    } catch (error) {
      if (error instanceof MomentError && moment === "close" && error.code === "SESSION_ENDED")
        return { status: 200, body: { closed: true } };
      return problem(error);
    }
  };
}

/** The same form of errors as on the gateway. */
function problem(error: unknown): HookResponse {
  const [issue] = error instanceof z.ZodError ? error.issues : [];
  if (issue !== undefined) {
    const where = issue.path.join(".");
    return problemBody(400, "BAD_INPUT", where === "" ? issue.message : `${where}: ${issue.message}`);
  }
  if (error instanceof MomentError) return problemBody(error.status, error.code, error.message, error.fix);
  return problemBody(500, "INTERNAL", errorText(error), "A person can see what is wrong with `conduct doctor`.");
}

function problemBody(status: number, code: string, detail: string, fix?: string): HookResponse {
  return { status, body: { title: code, status, code, detail, fix } };
}

const SESSION = "/api/v1/sessions/{id}";

/** The routes of the HTTP moments on the daemon's loopback server. */
export function apiRoutes(answer: (request: ApiRequest) => Promise<HookResponse>): readonly HookRoute[] {
  const post = (moment: string): HookRoute => ({
    method: "POST",
    path: `${SESSION}/${moment}`,
    maxBytes: MOMENT_BYTES,
    handle: ({ params, body }) => answer({ moment, session: params.id, body }),
  });
  return [
    {
      method: "POST",
      path: "/api/v1/sessions",
      maxBytes: MOMENT_BYTES,
      handle: ({ body }) => answer({ moment: "open", body }),
    },
    ...["message", "prompt", "call", "result", "stop", "tool"].map(post),
    { method: "DELETE", path: SESSION, handle: ({ params }) => answer({ moment: "close", session: params.id }) },
  ];
}
