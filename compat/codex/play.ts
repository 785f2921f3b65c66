import { afterEach, beforeEach } from "vitest";
import type { ConductEvent } from "../../src/base/words/event.ts";
import type { Agent } from "../../src/base/words/hosting/agent.ts";
import { codexHooksJson } from "../../src/edge/adapters/codex/hooks-json.ts";
import type { ConductPorts } from "../../src/engine/session/conduct.ts";
import type { SessionOptions } from "../../src/engine/session/session-options.ts";
import type { ScriptedCall } from "../../src/testing/test/model-server/index.ts";
import { type CodexEnd, type CodexPlace, type CodexRun, newPlace, runCodex } from "./codex-run.ts";
import { type Daemon, startDaemon } from "./daemon.ts";

/** A place and a daemon for each test of the file that calls this. */
export function useCodex() {
  let place: CodexPlace = newPlace();
  let daemon: Daemon | undefined;
  place.remove();
  beforeEach(() => {
    place = newPlace();
  });
  afterEach(async () => {
    await daemon?.close();
    daemon = undefined;
    place.remove();
  });
  return {
    get place() {
      return place;
    },
    async start(agent: Agent, options?: () => Partial<SessionOptions>, ports?: Partial<ConductPorts>): Promise<Daemon> {
      daemon = await startDaemon(place, agent, options, ports);
      return daemon;
    },
    run: (run: Omit<CodexRun, "place" | "message"> & { readonly message?: string }): Promise<CodexEnd> =>
      runCodex({ place, message: "go", ...run }),
    events: <T extends ConductEvent["type"]>(type: T) =>
      (daemon?.events ?? []).filter((event): event is Extract<ConductEvent, { type: T }> => event.type === type),
  };
}

/** What the model was given for a call. */
export function given({ server, stderr }: CodexEnd, id: string): string {
  const result = server.requests.flatMap(({ results }) => results).find(({ callId }) => callId === id);
  return result?.text ?? `(no result of ${id} in ${server.requests.length} requests; ${stderr.slice(-500)})`;
}

/** Our hooks.json with PreToolUse alone: the message passes, so that what happens to the call can be seen. */
export function callHookOnly(command: string): string {
  const { hooks } = JSON.parse(codexHooksJson(command));
  return JSON.stringify({ hooks: { PreToolUse: hooks.PreToolUse } });
}

export function shell(id: string, cmd: string, more: Record<string, string | number> = {}): ScriptedCall {
  return { id, name: "exec_command", input: { cmd, ...more } };
}

export function patch(id: string, text: string): ScriptedCall {
  return { id, name: "apply_patch", input: text };
}

export function update(path: string, from: string, to: string): string {
  return `*** Begin Patch\n*** Update File: ${path}\n@@\n-${from}\n+${to}\n*** End Patch\n`;
}
