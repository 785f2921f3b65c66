import type { Commands } from "../../../base/ports/commands.ts";
import type { Filesystem } from "../../../base/ports/filesystem.ts";
import type { Results } from "../../../base/ports/stores/results.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { PathFact } from "../../../base/words/facts.ts";
import { characterCounter } from "../../../behavior/results/token-counter.ts";
import { type AgentInput, defineAgent } from "../../agent/define-agent.ts";
import { Conduct, type ConductPorts } from "../conduct.ts";
import type { SessionOptions } from "../session-options.ts";

/** A Conduct with a test clock, test ids, files and stored results. */
export function testConduct(agent: Partial<AgentInput> = {}, ports: Partial<ConductPorts> = {}) {
  const time = { now: 1_000_000, monotonic: 0 };
  const files = new Map<string, string>();
  const kept = new Map<string, string>();
  let id = 0;
  const results: Results = {
    keep: async (session, handle, text) => void kept.set(`${session}/${handle}`, text),
    read: async (session, handle) => kept.get(`${session}/${handle}`),
  };
  const filesystem: Filesystem = { root: "/w", look: async (path) => lookIn(files, path) };
  const commands: Commands = { run: async () => ({ exitCode: 0, output: "", timedOut: false }) };
  const conduct = new Conduct([defineAgent({ name: "agent", ...agent }), defineAgent({ name: "other" })], {
    clock: { now: () => time.now, monotonic: () => time.monotonic },
    ids: { next: (prefix) => `${prefix}_${++id}` },
    results,
    counter: async () => characterCounter,
    filesystem,
    commands,
    ...ports,
  });
  const events: ConductEvent[] = [];
  conduct.subscribe((event) => events.push(event));
  return {
    conduct,
    events,
    files,
    kept,
    time,
    pass(ms: number) {
      time.now += ms;
      time.monotonic += ms;
    },
    open: (options: Partial<SessionOptions> = {}) => conduct.session({ agent: "agent", ...options }),
  };
}

/** Resolves `..` and absolute paths like a filesystem; the content is the version. */
function lookIn(files: ReadonlyMap<string, string>, path: string): PathFact {
  const resolved = new URL(path, "file:///w/").pathname;
  const content = files.get(resolved);
  const inside = resolved.startsWith("/w/");
  return content === undefined
    ? { resolved, inside, exists: false }
    : { resolved, inside, exists: true, version: content };
}
