import { basename } from "node:path";
import type { Decision } from "../../../base/words/decision.ts";
import { renderQuestion } from "../../../behavior/policy/render-denial.ts";
import type { ExecInput } from "../../../engine/moments/exec.ts";
import type { PersistentSession } from "../../../engine/session/persistent-session.ts";
import type { Session } from "../../../engine/session/session.ts";
import type { HookResponse } from "../daemon/hook-http.ts";

/** A shim's request: a program that wants to start, or one that has ended. */
export type ExecRequest = ExecInput & {
  /** The session, if the runtime could tell the shell; otherwise the last one in this folder. */
  readonly session: string;
  readonly seen: string;
  /** Set when the program has ended. */
  readonly exitCode?: number;
};

/** Reads `KEY=VALUE` items, an empty one, and the words, each ended by NUL. Throws if it is something else. */
export function readExecRequest(body: string, isOnKnownPath: (file: string) => boolean = () => false): ExecRequest {
  const items = body.split("\0").slice(0, -1);
  const end = items.indexOf("");
  const argv = items.slice(end + 1);
  if (end < 0 || argv.length === 0) throw new Error("this is not a request of the exec gate");
  const about = items.slice(0, end).map(pair);
  const one = (key: string) => about.find(([name]) => name === key)?.[1] ?? "";
  const map = (key: string) => new Map(about.filter(([name]) => name === key).map(([, value]) => pair(value)));
  const code = one("code");
  return {
    argv,
    cwd: one("cwd"),
    session: one("session"),
    seen: one("seen"),
    variables: map("var"),
    aliases: map("alias"),
    file: one("file") === "" ? undefined : { path: one("file"), known: isOnKnownPath(one("file")) },
    exitCode: one("kind") === "end" && /^\d{1,3}$/.test(code) ? Number(code) : undefined,
  };
}

function pair(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/**
 * The session whose call started a program. A subagent's calls are its own, so of the sessions with a running command
 * those count that the shell named or that work here; of several, the one whose command names the program, then the
 * latest.
 */
export function sessionOfProgram(
  { session, argv }: Pick<ExecRequest, "session" | "argv">,
  here: readonly Session[],
): Session | undefined {
  const named = session === "" ? here : here.filter((one) => isOf(one, session));
  const program = basename(argv[0] ?? "");
  const ranked = named.flatMap((one) => {
    const running = one.running();
    const mentions = running.some(({ command }) => command.includes(program));
    return running.length === 0 ? [] : [{ one, mentions, at: Math.max(...running.map(({ at }) => at)) }];
  });
  ranked.sort((a, b) => Number(b.mentions) - Number(a.mentions) || b.at - a.at);
  return ranked[0]?.one;
}

function isOf(session: Session, id: string): boolean {
  for (let at: Session | undefined = session; at !== undefined; at = at.parent) if (at.id === id) return true;
  return false;
}

/** 204 if the program may start, 403 with a text for the agent if not. */
export async function answerExec(
  session: Pick<Session | PersistentSession, "onExec" | "onExecEnd">,
  request: ExecRequest,
): Promise<HookResponse> {
  const { exitCode } = request;
  if (exitCode !== undefined) {
    await session.onExecEnd(request, exitCode);
    return STARTS;
  }
  const decision = await session.onExec(request);
  return decision.kind === "allow" ? STARTS : { status: 403, text: refusalText(request, decision) };
}

export const STARTS: HookResponse = { status: 204 };

function refusalText({ argv }: ExecRequest, decision: Exclude<Decision, { kind: "allow" }>): string {
  const shown = argv.join(" ").replace(/\s+/g, " ");
  const first = `conduct: not started: ${shown.length > 200 ? `${shown.slice(0, 200)}…` : shown}`;
  if (decision.kind === "ask") return `${first}\n${renderQuestion(decision)}`;
  const { rule, reason, missing, others, next } = decision;
  return [
    first,
    `Denied by ${rule}: ${reason}`,
    ...(missing.length === 0 ? [] : [`Missing: ${missing.map(({ what, why }) => `${what} (${why})`).join("; ")}`]),
    ...others.map((other) => `Also denied by ${other.rule}: ${other.reason}`),
    `Next: ${next}`,
  ].join("\n");
}
