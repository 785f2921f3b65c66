import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { asList, asObject, asString, parseObject } from "../../../../base/kernel/json.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import type { Json, JsonObject } from "../../../../base/words/json.ts";
import { isConductHook as isClaudeHook } from "../../../../edge/adapters/claude-code/settings.ts";
import { isConductHook as isCommandHook } from "../../../../edge/adapters/shared/hooks/guarded-command.ts";
import { daemonHost } from "../../../../edge/host/daemon/daemon-host.ts";
import { readJson5Object } from "../../../install/json5/json5-file.ts";
import type { InstallableRuntime, SettingsFile } from "../../../install/runtime.ts";
import { readSettings } from "../../../install/settings-file.ts";

/** The answer over the path of the runtime's own hooks, and the agent that the journal recorded. */
export type Probed = { readonly denied: boolean; readonly said: string; readonly as: string | undefined };

export type ProbePlace = {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly cwd: string;
  readonly files: readonly SettingsFile[];
};

const LIMIT_MS = 30_000;
const LOOK_MS = 50;

/**
 * Asks Conduct, through the installed hook, for a call that no configuration allows: a write to Conduct's own folder.
 * Nothing is ever run, and the probe's journal entries are removed again.
 */
export async function probeRuntime(
  { name }: InstallableRuntime,
  place: ProbePlace,
  journal: EventJournal,
): Promise<Probed> {
  const session = `doctor-${randomUUID()}`;
  const path = join(place.home, "conduct.yaml");
  const said = await SENDERS[name]({ ...place, session, path });
  return { denied: said !== undefined, said: said ?? "", as: await inJournal(journal, session) };
}

/**
 * The agent for which the session's forbidden call was decided; `undefined` if the journal has no such call. Removes
 * the session's entries afterwards.
 */
export async function inJournal(journal: EventJournal, session: string): Promise<string | undefined> {
  try {
    const call = await seen(journal, session, (event) => event.type === "call" && spokeAgainst(event));
    return call?.agent;
  } finally {
    await quiet(journal, session);
    await journal.deleteSession(session);
  }
}

type Sent = ProbePlace & { readonly session: string; readonly path: string };
/** Returns why the call is denied; `undefined` if it is allowed. */
type Send = (sent: Sent) => Promise<string | undefined>;

const SENDERS: { readonly [R in InstallableRuntime["name"]]: Send } = {
  "claude-code": sendClaudeCode,
  codex: sendCodex,
  gemini: sendGemini,
  copilot: sendCopilot,
  cursor: sendCursor,
  opencode: (sent) => sendMoments("opencode", sent),
  pi: (sent) => sendMoments("pi", sent),
  openclaw: (sent) => sendMoments("openclaw", sent),
};

/** Same steps as Claude Code: runs the command in its settings, then posts events to the address there. */
async function sendClaudeCode({ files, session, path, cwd, env }: Sent): Promise<string | undefined> {
  const { command: start } = await installedHook(files, "SessionStart", isClaudeHook);
  await runHook(
    asString(start),
    { session_id: session, cwd, hook_event_name: "SessionStart", source: "startup" },
    cwd,
    env,
  );
  const { url, headers } = await installedHook(files, "PreToolUse", isClaudeHook);
  const post = async (event: JsonObject) => {
    const sent = Object.entries(asObject(headers)).map(([key, value]) => [key, asString(value).replace(/^\$.*/, "")]);
    const response = await fetch(asString(url), {
      method: "POST",
      headers: { ...Object.fromEntries(sent), "content-type": "application/json" },
      body: JSON.stringify({ session_id: session, cwd, ...event }),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    if (!response.ok) throw new Error(`the daemon answered with ${response.status}`);
    return (await response.json()) as unknown;
  };
  const call = { tool_name: "Write", tool_input: { file_path: path, content: "" }, tool_use_id: "doctor" };
  const answer = await post({ hook_event_name: "PreToolUse", permission_mode: "default", ...call });
  await post({ hook_event_name: "SessionEnd", reason: "other" });
  return denialIn(answer);
}

/** Runs the command in Codex's hooks, as Codex does. */
async function sendCodex({ files, session, path, cwd, env }: Sent): Promise<string | undefined> {
  const run = async (event: JsonObject) => {
    const { command } = await installedHook(files, asString(event.hook_event_name), (hook) =>
      isCommandHook(asObject(hook).command),
    );
    return parseObject(await runHook(asString(command), { session_id: session, cwd, ...event }, cwd, env));
  };
  const call = { tool_name: "Bash", tool_input: { command: `echo > '${path}'` }, tool_use_id: "doctor" };
  const answer = await run({ hook_event_name: "PreToolUse", ...call });
  await run({ hook_event_name: "SessionEnd" });
  return denialIn(answer);
}

/** Runs the command in Gemini CLI's hooks, as Gemini CLI does. */
async function sendGemini({ files, session, path, cwd, env }: Sent): Promise<string | undefined> {
  const run = async (event: JsonObject) => {
    const isOurs = (hook: unknown) => isCommandHook(asObject(hook).command);
    const { command } = await installedHook(files, asString(event.hook_event_name), isOurs);
    return parseObject(await runHook(asString(command), { session_id: session, cwd, ...event }, cwd, env));
  };
  const call = { tool_name: "write_file", tool_input: { file_path: path, content: "" } };
  const answer = await run({ hook_event_name: "BeforeTool", ...call });
  await run({ hook_event_name: "SessionEnd" });
  return answer?.decision === "deny" ? asString(answer.reason) : undefined;
}

/** Runs the command in Copilot CLI's hooks, as Copilot CLI does. */
async function sendCopilot({ files, session, path, cwd, env }: Sent): Promise<string | undefined> {
  const run = async (event: string, more: JsonObject) => {
    const [found] = await hooksAt(files, event);
    const { bash } = asObject(found);
    return parseObject(await runHook(asString(bash), { sessionId: session, cwd, ...more }, cwd, env));
  };
  const answer = await run("preToolUse", { toolName: "create", toolArgs: { path, file_text: "" } });
  await run("sessionEnd", {});
  return answer?.permissionDecision === "deny" ? asString(answer.permissionDecisionReason) : undefined;
}

/** Runs the command in Cursor's hooks, as Cursor does. */
async function sendCursor({ files, session, path, cwd, env }: Sent): Promise<string | undefined> {
  const run = async (event: string, more: JsonObject) => {
    const found = (await hooksAt(files, event)).find((hook) => isCommandHook(asObject(hook).command));
    if (found === undefined) throw new Error(`Conduct has no hook for ${event}`);
    const given = { conversation_id: session, workspace_roots: [cwd], hook_event_name: event, ...more };
    return parseObject(await runHook(asString(asObject(found).command), given, cwd, env));
  };
  const call = { tool_name: "Write", tool_input: { file_path: path, content: "" }, tool_use_id: "doctor" };
  const answer = await run("preToolUse", call);
  await run("sessionEnd", {});
  return answer?.permission === "deny" ? asString(answer.agent_message) : undefined;
}

/** Runs a hook's command with an event on stdin; returns its stdout. */
async function runHook(command: string, event: JsonObject, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn("sh", ["-c", command], { cwd, env, timeout: LIMIT_MS });
  const closed = new Promise<number | null>((resolve, reject) => child.on("close", resolve).on("error", reject));
  child.stdin.on("error", () => undefined);
  child.stdin.end(JSON.stringify(event));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  if (code !== 0) throw new Error(stderr.trim() || `the hook exited with ${code}`);
  return stdout;
}

/** Uses the daemon's socket, as plugins do. */
async function sendMoments(runtime: string, { session, path, cwd, home, env }: Sent): Promise<string | undefined> {
  const moments = await daemonHost({ ...env, CONDUCT_HOME: home, CONDUCT_SOCKET: "" }).open({
    runtime,
    id: session,
    cwd,
  });
  const decision = await moments.decide({ id: "doctor", tool: "write_file", args: { path, content: "" } });
  moments.notice({ kind: "ended", reason: "conduct doctor" });
  if (decision.kind === "deny" && decision.code === "unreachable") throw new Error(decision.reason);
  return decision.kind === "deny" ? decision.reason : undefined;
}

async function installedHook(
  files: readonly SettingsFile[],
  event: string,
  isOurs: (hook: unknown) => boolean,
): Promise<JsonObject> {
  const all = (await hooksAt(files, event)).flatMap((group) => asList(asObject(group).hooks));
  const found = all.find(isOurs);
  if (found !== undefined) return asObject(found);
  throw new Error(`Conduct has no hook for ${event}`);
}

async function hooksAt(files: readonly SettingsFile[], event: string): Promise<readonly Json[]> {
  const found: Json[] = [];
  for (const { path } of files) {
    const read = readJson5Object((await readSettings(path))?.replace(/^\uFEFF/, ""));
    if ("value" in read) found.push(...asList(asObject(read.value.hooks)[event]));
  }
  return found;
}

function denialIn(answer: unknown): string | undefined {
  const { permissionDecision, permissionDecisionReason } = asObject(asObject(answer).hookSpecificOutput);
  return permissionDecision === "deny" ? asString(permissionDecisionReason) : undefined;
}

/** A denial, or in shadow mode a decision that would have been one. */
function spokeAgainst({ decision, shadows = [] }: Extract<ConductEvent, { type: "call" }>): boolean {
  return decision.kind === "deny" || shadows.length > 0;
}

/** Several times the delay of the journal's writer. */
const QUIET_MS = 250;
const LOUD_MS = 2_000;

/** Waits until no more events arrive for the session: later ones would not be removed. */
async function quiet(journal: EventJournal, session: string): Promise<void> {
  let known = -1;
  for (const until = performance.now() + LOUD_MS; performance.now() < until; await sleep(QUIET_MS)) {
    const count = await journal.count({ session });
    if (count === known) return;
    known = count;
  }
}

/** Polls, because the journal is written shortly after the answer. */
async function seen(
  journal: EventJournal,
  session: string,
  is: (event: ConductEvent) => boolean,
  limitMs = 10_000,
): Promise<ConductEvent | undefined> {
  for (const until = performance.now() + limitMs; ; await sleep(LOOK_MS)) {
    const { events } = await journal.read({ session, limit: 50 });
    const found = events.find(({ event }) => is(event))?.event;
    if (found !== undefined || performance.now() > until) return found;
  }
}
