import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { ConductEvent } from "../../../../base/words/event.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import type { AgentInput } from "../../../../engine/agent/define-agent.ts";
import { defineAgent } from "../../../../engine/agent/define-agent.ts";
import type { Conduct, ConductPorts } from "../../../../engine/session/conduct.ts";
import type { SessionSaves } from "../../../../engine/session/persistent-session.ts";
import { localHost } from "../../../host/opening/local-host.ts";
import { openConductFromEnv } from "../../../host/opening/open-conduct.ts";
import { type CodexHooks, codexHooks } from "../adapter.ts";
import type { OpenOptions } from "../live-session.ts";
import { recorded } from "./recorded.ts";

type Opened = { readonly conduct: Conduct; readonly hooks: CodexHooks; readonly events: ConductEvent[] };

/** The adapter of one agent in a temporary workspace, with a fixed clock. */
export function useHooks(agent: AgentInput) {
  const time = { now: Date.parse("2026-03-06T09:05:00Z") };
  let cwd = "";
  let opened: Opened | undefined;
  const conducts: Conduct[] = [];
  const now = (): Opened => opened ?? open();
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "conduct-codex-adapter-"));
    writeFileSync(join(cwd, "a.txt"), "old\n");
    opened = undefined;
  });
  afterEach(async () => {
    for (const conduct of conducts.splice(0)) await conduct.close();
    rmSync(cwd, { recursive: true, force: true });
  });

  /** Opens another adapter with these differences. */
  function open(
    change: Partial<AgentInput> = {},
    ports: Partial<ConductPorts> = {},
    { saves, ...options }: Partial<OpenOptions> & { readonly saves?: SessionSaves } = {},
  ): Opened {
    const clock = { now: () => time.now, monotonic: () => performance.now() };
    const conduct = openConductFromEnv({
      agents: [defineAgent({ ...agent, ...change })],
      workspace: cwd,
      home: join(cwd, ".home"),
      ports: { clock, ...ports },
    });
    conducts.push(conduct);
    const events: ConductEvent[] = [];
    conduct.subscribe((event) => {
      events.push(event);
    });
    const host = saves && localHost(conduct, { agent: agent.name, saves, workspace: cwd });
    opened = { conduct, events, hooks: codexHooks(conduct, { agent: agent.name, host, ...options }) };
    return opened;
  }

  return {
    time,
    open,
    get cwd() {
      return cwd;
    },
    get hooks() {
      return now().hooks;
    },
    get conduct() {
      return now().conduct;
    },
    get events(): readonly ConductEvent[] {
      return now().events;
    },
    /** A recorded event, moved into this test's workspace. */
    hook: (name: string, change: JsonObject = {}) =>
      now().hooks.handle({ ...recorded(name), session_id: "s", cwd, transcript_path: null, ...change }),
    say: (prompt: string, change: JsonObject = {}) =>
      now().hooks.handle({
        ...recorded("UserPromptSubmit-main"),
        session_id: "s",
        cwd,
        transcript_path: null,
        prompt,
        ...change,
      }),
  };
}
