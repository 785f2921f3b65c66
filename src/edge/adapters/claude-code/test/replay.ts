import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ConductEvent } from "../../../../base/words/event.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import type { Conduct, ConductPorts } from "../../../../engine/session/conduct.ts";
import type { SessionOrigin } from "../../../../engine/session/session-moments.ts";
import type { SessionOptions } from "../../../../engine/session/session-options.ts";
import { localHost } from "../../../host/opening/local-host.ts";
import { openConductFromEnv } from "../../../host/opening/open-conduct.ts";
import type { HookAnswer } from "../../shared/claude/native.ts";
import { type ClaudeCodeHooks, claudeCodeHooks } from "../adapter.ts";
import type { Origin } from "../events.ts";
import type { From } from "../live-session.ts";

/** Hook events of the real Claude Code, recorded by `compat/claude-code/record.ts`. */
export const recorded: readonly Origin[] = JSON.parse(
  readFileSync(new URL("../recorded/events.json", import.meta.url), "utf8"),
);

export function preToolUse(id: string): Origin {
  return recordedAs("PreToolUse", id);
}

export function postToolUse(id: string): Origin {
  return recordedAs("PostToolUse", id);
}

function recordedAs(name: string, id: string): Origin {
  const found = recorded.find((event) => event.hook_event_name === name && Reflect.get(event, "tool_use_id") === id);
  if (found === undefined) throw new Error(`no recorded ${name} of '${id}'`);
  return found;
}

export function message(prompt: string, prompt_id = prompt): Origin & { readonly prompt: string } {
  return { hook_event_name: "UserPromptSubmit", session_id: "id-1", cwd: "/run/workspace", prompt, prompt_id };
}

export type Replay = {
  readonly conduct: Conduct;
  readonly hooks: ClaudeCodeHooks;
  readonly events: readonly ConductEvent[];
  /** Plays an event as if it had happened in this test's folders. */
  play(event: object, from?: From): Promise<HookAnswer>;
};

type ReplayOptions = {
  readonly ports?: Partial<ConductPorts>;
  readonly session?: (origin: SessionOrigin) => Partial<SessionOptions>;
  readonly waitMs?: number;
};

/** The folders of one test; two Conducts can use the same ones in turn. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "conduct-cc-"));
  mkdirSync(join(folder, "workspace"));
  writeFileSync(join(folder, "workspace", "a.txt"), "one\n");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function openReplay(agent: Agent, options: ReplayOptions = {}, folder = newFolder()): Replay {
  const { ports = {}, session = () => ({}), waitMs = 50 } = options;
  const workspace = join(folder, "workspace");
  // A busy machine must not change the prompt.
  const patient = { ...agent, limits: { ...agent.limits, gatherMs: 60_000 } };
  const conduct = openConductFromEnv({ agents: [patient], workspace, home: join(folder, "home"), ports });
  const events: ConductEvent[] = [];
  conduct.subscribe((event) => events.push(event));
  onTestFinished(() => conduct.close());
  const host = localHost(conduct, { agent: agent.name, sessionOptions: session });
  const hooks = claudeCodeHooks(host, { waitMs, home: join(folder, "user") });
  return {
    conduct,
    hooks,
    events,
    play: (event, from) => hooks.handle(JSON.parse(JSON.stringify(event).replaceAll("/run/", `${folder}/`)), from),
  };
}

/** The text that an answer gives the model. */
export function contextOf({ hookSpecificOutput }: HookAnswer): string {
  const given = hookSpecificOutput ?? {};
  return "additionalContext" in given ? String(given.additionalContext) : "";
}
