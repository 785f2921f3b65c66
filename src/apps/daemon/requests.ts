import { errorText } from "../../base/kernel/error-text.ts";
import { asObject, asString, isObject } from "../../base/kernel/json.ts";
import type { PersonAnswer } from "../../base/words/decision.ts";
import type { Fault } from "../../base/words/event.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { LONGEST_ELEVATION_MS } from "../../behavior/session/modes/modes.ts";
import type { ClaudeCodeHooks } from "../../edge/adapters/claude-code/adapter.ts";
import { readCodexEvent } from "../../edge/adapters/codex/events.ts";
import type { CodexAnswer } from "../../edge/adapters/codex/translate.ts";
import type { HookResponse } from "../../edge/host/daemon/hook-http.ts";
import { isPaused } from "../../edge/host/daemon/paused.ts";
import { passingMoments } from "../../edge/host/daemon/remote-session.ts";
import { readOrigin, serveMoments } from "../../edge/host/daemon/serve-sessions.ts";
import { sessionLeases } from "../../edge/host/daemon/session-leases.ts";
import { answerExec, readExecRequest, STARTS, sessionOfProgram } from "../../edge/host/gate/exec-requests.ts";
import type { GatedWorkspaces } from "../../edge/host/gate/gate-files.ts";
import { peekSession } from "../../edge/host/opening/local-host.ts";
import { failureRule } from "../../edge/host/watched/failure-rule.ts";
import { storePlace } from "../../edge/host/workspace/store-place.ts";
import { openCallStores } from "../../edge/stores/call-stores.ts";
import { PersistentSession, type SessionSaves } from "../../engine/session/persistent-session.ts";
import type { SessionHost, SessionMoments } from "../../engine/session/session-moments.ts";
import { SessionError } from "../../engine/session/session-options.ts";
import { type ApiRequest, apiSessions } from "./api-sessions.ts";
import { dropOldest } from "./hook-guard/guarded-file.ts";
import {
  claudeCodeFailure,
  codexFailure,
  DIALECTS,
  type DialectName,
  dialectFailure,
  Workspaces,
} from "./workspaces.ts";

/** Sessions unused for this long are deleted. */
const KEPT_MS = 30 * 86_400_000;
/** How many Claude Code calls are remembered with their session; a call of a Conduct tool only has its own id. */
const CALLS = 1_000;

/** Answers hooks and plugins, in the daemon or, without one, in the hook's own process. */
export type Requests = Pick<ClaudeCodeHooks, "callTool"> & {
  /** `tell` is called with the pending question while a person is asked. */
  handle(request: unknown, tell?: (waits: object) => void): Promise<unknown>;
  claudeCode: ClaudeCodeHooks["handle"];
  /** Answers a request of the HTTP moments. */
  api(request: ApiRequest): Promise<HookResponse>;
  /** Answers a shim of the exec gate. */
  exec(body: string): Promise<HookResponse>;
  /** Reports a fault that belongs to no session, in all open ones or in the next one. */
  report(fault: Fault): void;
  /** Ends every wait for a person. */
  giveUp(): Promise<void>;
  readonly sessions: number;
  /** Resolves when everything is saved and other processes may continue. */
  close(): Promise<void>;
};

export type AnswerRequest = {
  readonly answers: {
    readonly session: string;
    readonly approval: string;
    readonly answer: PersonAnswer;
    readonly by: string;
    readonly reason?: string;
  };
};

/** Without `forMs`, an elevation ends. */
export type ElevateRequest = {
  readonly elevates: { readonly session: string; readonly forMs?: number | undefined; readonly by: string };
};
export type Elevated = { readonly kind: "elevated" | "not-here" | "never" };

/** Replaces the custom tags of a session. */
export type TagRequest = { readonly tags: { readonly session: string; readonly custom: readonly string[] } };
export type Tagged = { readonly kind: "tagged" | "not-here" };

/** `not-here`: the daemon has no session with that id. Every other failure is an error. */
export type Answered = { readonly kind: "answered" | "not-here" | "unknown" | "expired" | "used" | "once" };

const NOT_ALLOWED = { text: "Conduct has not allowed this call.", isError: true };
const WAY_OUT = "A person can see what is wrong with `conduct doctor`";

export async function openRequests(
  home: string,
  env: NodeJS.ProcessEnv = process.env,
  log: (line: string) => void = () => undefined,
  gated?: GatedWorkspaces,
): Promise<Requests> {
  const stores = await openCallStores(storePlace(env, home));
  try {
    // Reject the whole store if its key is missing: no session may be taken for new or damaged.
    await stores.keys.seal();
  } catch (error) {
    await stores.close();
    throw error;
  }
  const leases = sessionLeases(stores.sessions);
  const saves: SessionSaves = {
    store: stores.sessions,
    now: Date.now,
    onFailure: "reject",
    leases,
    history: async (id) => (await stores.events.histories([id]))[0] ?? [],
    onLost: (id) => workspaces.drop(id),
    answerCommand: (approval) => `conduct approve ${approval}`,
  };
  const workspaces = new Workspaces({ home, saves, journal: stores.events, keys: stores.keys, log });
  const api = apiSessions({ home, workspaces, store: stores.sessions });
  const failClaudeCode = claudeCodeFailure(home);
  const failCodex = codexFailure(home);
  const sessionOfCall = new Map<string, string>();

  async function moments(request: { readonly moments?: unknown }, tell?: (waits: object) => void): Promise<object> {
    const origin = readOrigin(request.moments);
    using entered = await workspaces.enter(origin);
    note(entered.folder, origin.id, origin.runtime);
    const host = "workspace" in entered ? entered.workspace.host : brokenHost(home, entered.broken);
    return await serveMoments(request, host, tell);
  }

  async function codex(given: { readonly hook_event_name?: unknown }): Promise<CodexAnswer> {
    const event = readCodexEvent(given);
    const name = String(given.hook_event_name);
    if ("fault" in event) return failCodex(name, event.fault);
    const { session: id, root, cwd } = event;
    using entered = await workspaces.enter({ id, cwd, parent: root });
    note(entered.folder, id, "codex");
    if ("broken" in entered) return failCodex(name, `${entered.broken}. ${WAY_OUT}`);
    return await entered.workspace.codex.handle(given);
  }

  async function codexTool(request: { readonly thread_id?: unknown }): Promise<object> {
    const id = String(request.thread_id);
    if ((await peekSession(stores.sessions, id)) === undefined) return NOT_ALLOWED;
    using entered = await workspaces.enter({ id, cwd: home });
    if ("broken" in entered) return { text: entered.broken, isError: true };
    return await entered.workspace.codex.callTool(request);
  }

  async function commandHook(runtime: DialectName, given: JsonObject): Promise<object> {
    const fail = dialectFailure(home, runtime);
    const event = DIALECTS[runtime].read(given);
    if ("fault" in event) return fail(given, event.fault);
    const { session: id, root, cwd } = event;
    using entered = await workspaces.enter({ id, cwd, parent: root });
    note(entered.folder, id, runtime);
    if ("broken" in entered) return fail(given, `${entered.broken}. ${WAY_OUT}`);
    return await entered.workspace.hooks[runtime].handle(given);
  }

  /** The runtime does not say which session calls: the allowed call with the same arguments tells. */
  async function commandTool(runtime: DialectName, request: JsonObject): Promise<object> {
    const [name, args] = [asString(request.conduct_tool), asObject(request.arguments)];
    const [id, ...others] = await workspaces.waiting(runtime, name, args);
    if (id === undefined) return NOT_ALLOWED;
    if (others.length > 0) return { text: "Two sessions make this call at the same time. Try again.", isError: true };
    using entered = await workspaces.enter({ id, cwd: home });
    if ("broken" in entered) return { text: entered.broken, isError: true };
    return await entered.workspace.hooks[runtime].callTool(id, name, args);
  }

  /** Saves the adapter's data with the session before answering. */
  async function claudeCode(...[event, from]: Parameters<ClaudeCodeHooks["handle"]>) {
    const { session_id, cwd, tool_use_id, hook_event_name } = asObject(event);
    const [id, name] = [asString(session_id), asString(hook_event_name)];
    if (id === "" || asString(cwd) === "")
      return failClaudeCode(name || "PreToolUse", "the event names no session and folder");
    if (typeof tool_use_id === "string") remember(sessionOfCall, tool_use_id, id);
    using entered = await workspaces.enter({ id, cwd: asString(cwd) });
    note(entered.folder, id, "claude-code");
    if ("broken" in entered) return failClaudeCode(name, entered.broken);
    const { claudeCode: hooks, host } = entered.workspace;
    if (hooks.beside(id) === undefined) {
      const saved = await host.adapterData?.(id);
      if (saved !== undefined) hooks.restore(id, saved);
    }
    const answer = await hooks.handle(event, from);
    const data = hooks.beside(id);
    try {
      if (data !== undefined) await host.saveAdapterData?.(id, data);
      return answer;
    } catch (error) {
      return failClaudeCode(name, errorText(error));
    }
  }

  function note(folder: string, session: string, runtime: string): void {
    gated?.note(folder, session, failureRule(home, runtime) === "block");
  }

  /** Opens a session that is in the store; `undefined` if it is unknown or has ended. */
  async function openKnown(session: string): Promise<SessionMoments | undefined> {
    const saved = await peekSession(stores.sessions, session);
    const { workspace, own } = saved?.beside ?? {};
    const { origin } = asObject(own);
    // An ended session is saved without a state.
    if (typeof workspace !== "string" || !isObject(origin) || saved?.snapshot === "") return undefined;
    using entered = await workspaces.enter({ id: session, cwd: workspace });
    if ("broken" in entered) throw new Error(entered.broken);
    return entered.workspace.host.open(readOrigin({ ...origin, id: session }));
  }

  /** A program outside every workspace, or without any session, is none of ours. */
  async function exec(body: string): Promise<HookResponse> {
    const request = readExecRequest(body, (file) => gated?.isOnKnownPath(file) ?? false);
    const isHere = (folder: string) => isUnder(request.cwd, gated?.rootOf(folder) ?? folder);
    const id = sessionOfProgram(request, workspaces.inFolders(isHere))?.id ?? (request.session || request.seen);
    const session = id === "" ? undefined : await openKnown(id);
    return session instanceof PersistentSession ? answerExec(session, request) : STARTS;
  }

  async function answerApproval({
    session,
    approval,
    answer,
    by,
    reason,
  }: AnswerRequest["answers"]): Promise<Answered> {
    const opened = await openKnown(session);
    if (opened === undefined) return { kind: "not-here" };
    try {
      await opened.resolve(approval, answer, by, reason);
      return { kind: "answered" };
    } catch (error) {
      const kind = error instanceof SessionError ? ANSWER_FAULTS.get(error.code) : undefined;
      if (kind === undefined) throw error;
      return { kind };
    }
  }

  async function elevate({ session, forMs, by }: ElevateRequest["elevates"]): Promise<Elevated> {
    const opened = await openKnown(session);
    if (!(opened instanceof PersistentSession)) return { kind: "not-here" };
    if (forMs === undefined) opened.local.setModes({ elevated: false });
    else if (!opened.local.elevate(forMs, by)) return { kind: "never" };
    await opened.flush();
    return { kind: "elevated" };
  }

  async function tag({ session, custom }: TagRequest["tags"]): Promise<Tagged> {
    const opened = await openKnown(session);
    if (!(opened instanceof PersistentSession)) return { kind: "not-here" };
    opened.local.setCustom(custom);
    await opened.flush();
    return { kind: "tagged" };
  }

  await stores.sessions.expire(Date.now() - KEPT_MS).catch(() => undefined);
  return {
    async handle(request, tell) {
      if (!isObject(request)) throw new Error("a request must be a JSON object");
      if ("moments" in request) return moments(request, tell);
      if ("answers" in request) return answerApproval(readAnswer(request.answers));
      if ("elevates" in request) return elevate(readElevation(request.elevates));
      if ("tags" in request) return tag(readTags(request.tags));
      if ("api" in request) return api(readApi(request.api));
      if ("conduct_hook" in request) {
        const runtime = asString(request.conduct_hook);
        if (!isDialect(runtime)) throw new Error(`unknown runtime ${runtime}; is it from another version of Conduct?`);
        return "conduct_tool" in request ? commandTool(runtime, request) : commandHook(runtime, request);
      }
      if ("conduct_tool" in request) return codexTool(request);
      if ("hook_event_name" in request) return codex(request);
      throw new Error("unknown kind of request; is it from another version of Conduct?");
    },
    claudeCode,
    api,
    exec,
    async callTool(name, args, call) {
      const id = sessionOfCall.get(call);
      if (id === undefined) return NOT_ALLOWED;
      using entered = await workspaces.enter({ id, cwd: home });
      if ("broken" in entered) return { text: entered.broken, isError: true };
      return await entered.workspace.claudeCode.callTool(name, args, call);
    },
    report: (fault) => workspaces.report(fault),
    giveUp: () => workspaces.giveUp(),
    get sessions() {
      return workspaces.sessions;
    },
    async close() {
      await workspaces.close();
      leases.close();
      await stores.close();
    },
  };
}

/** Denies everything, because nothing can be decided, unless the operator has paused Conduct. */
function brokenHost(home: string, broken: string): SessionHost {
  return {
    async open({ id }) {
      if (isPaused(home)) return passingMoments(id);
      throw new Error(`${broken}. ${WAY_OUT}`);
    },
  };
}

const ANSWER_FAULTS: ReadonlyMap<string, Exclude<Answered["kind"], "answered">> = new Map([
  ["approval-unknown", "unknown"],
  ["approval-expired", "expired"],
  ["approval-answered", "used"],
  ["approval-once", "once"],
]);

function readAnswer(given: unknown): AnswerRequest["answers"] {
  const { session, approval, answer, by, reason } = asObject(given);
  if (typeof session !== "string" || typeof approval !== "string" || typeof by !== "string") {
    throw new Error("an answer must name its session, its approval and its author");
  }
  if (answer !== "yes" && answer !== "no" && answer !== "always")
    throw new Error("an answer must be yes, no or always");
  return { session, approval, answer, by, reason: typeof reason === "string" ? reason : undefined };
}

/** The HTTP moments for programs that use the socket. */
function readApi(given: unknown): ApiRequest {
  const { moment, session, body } = asObject(given);
  return { moment: asString(moment), session: typeof session === "string" ? session : undefined, body };
}

function readElevation(given: unknown): ElevateRequest["elevates"] {
  const { session, forMs, by } = asObject(given);
  const isTime = typeof forMs === "number" && forMs > 0 && forMs <= LONGEST_ELEVATION_MS;
  if (typeof session !== "string" || typeof by !== "string" || (forMs !== undefined && !isTime))
    throw new Error("an elevation must name its session, its author and a time of at most 24 hours");
  return { session, by, forMs: isTime ? forMs : undefined };
}

function readTags(given: unknown): TagRequest["tags"] {
  const { session, custom } = asObject(given);
  const isList = Array.isArray(custom) && custom.every((one) => typeof one === "string");
  if (typeof session !== "string" || !isList) throw new Error("a request for tags must name its session and the tags");
  return { session, custom };
}

function isDialect(name: string): name is DialectName {
  return Object.hasOwn(DIALECTS, name);
}

function isUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function remember(calls: Map<string, string>, call: string, session: string): void {
  calls.delete(call);
  dropOldest(calls.set(call, session), CALLS);
}
