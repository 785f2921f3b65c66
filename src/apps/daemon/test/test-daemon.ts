import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import { daemonPlace } from "../../../edge/host/daemon/daemon-place.ts";
import { sendHook } from "../../../edge/host/daemon/hook-socket-client.ts";
import { type Daemon, type DaemonOptions, startDaemon } from "../daemon.ts";

/** Rules that need stored state. */
const RULES = `
agents:
  coder:
    actions:
      test: { tool: shell, command: "npm test *" }
      deploy: { tool: shell, command: "deploy *" }
      publish: { tool: shell, command: "publish *" }
    rules:
      - { id: proof, on: deploy, require: { call: test, counts: allowed } }
      - { id: once, on: publish, atMost: { count: 1, per: [command] } }
`;

const LIMIT_MS = 30_000;

/** A home, a workspace and daemons per test; all started daemons are ended after it. */
export function useDaemons() {
  const place = { home: "", workspace: "" };
  const daemons: Daemon[] = [];
  beforeEach(() => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "conduct-dmn-")));
    place.home = join(dir, "home");
    place.workspace = join(dir, "work");
    for (const folder of [place.home, place.workspace]) mkdirSync(folder, { mode: 0o700 });
    configure(RULES);
  });
  afterEach(async () => {
    await Promise.all(daemons.splice(0).map((daemon) => daemon.end("the test is over")));
    rmSync(join(place.home, ".."), { recursive: true, force: true });
  });

  function configure(text: string): void {
    writeFileSync(join(place.home, "conduct.yaml"), text);
  }

  const send = (request: unknown) => sendHook(daemonPlace(place.home).socket, request, LIMIT_MS);

  return {
    place,
    configure,
    async start(options: Partial<DaemonOptions> = {}): Promise<Daemon> {
      const daemon = await startDaemon({ home: place.home, ...options });
      daemons.push(daemon);
      return daemon;
    },
    send,
    /** The answer to a Codex call in its own step: `allow`, or the reason for the denial. */
    async codex(event: JsonObject): Promise<string> {
      const call = { ...shellCall(place.workspace), ...event };
      await send({ ...call, hook_event_name: "PreModelRequest" });
      return verdict(await send(call));
    },
  };
}

export function shellCall(cwd: string, command = "ls", id = "c1"): JsonObject {
  return {
    hook_event_name: "PreToolUse",
    session_id: "s",
    cwd,
    tool_use_id: id,
    tool_name: "Bash",
    tool_input: { command },
  };
}

/** `allow`, or the reason for the denial. */
export function verdict(answer: unknown): string {
  const { hookSpecificOutput: said } = answer as { readonly hookSpecificOutput?: JsonObject };
  return said?.permissionDecision === "deny" ? String(said.permissionDecisionReason) : "allow";
}
