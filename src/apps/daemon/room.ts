import { join } from "node:path";
import type { EventJournal } from "../../base/ports/event-journal.ts";
import type { Agent } from "../../base/words/agent.ts";
import { type ClaudeCodeHooks, claudeCodeHooks } from "../../edge/adapters/claude-code/adapter.ts";
import { type CodexHooks, codexHooks } from "../../edge/adapters/codex/adapter.ts";
import { type BoundAgents, settingsFor } from "../../edge/host/daemon-agents.ts";
import type { StoreKeeper } from "../../edge/host/daemon-keeper.ts";
import { localHost } from "../../edge/host/local-host.ts";
import { openConduct } from "../../edge/host/open-conduct.ts";
import { isPaused } from "../../edge/host/paused.ts";
import { folderResults } from "../../edge/stores/results-folder.ts";
import type { SessionHost } from "../../engine/moments/session-moments.ts";
import type { SessionOptions } from "../../engine/moments/session-options.ts";

/** One workspace's agents at work: a Conduct of its own, and the adapters that lead to it. */
export type Room = {
  readonly codex: CodexHooks;
  readonly claudeCode: ClaudeCodeHooks;
  readonly host: SessionHost;
  /** Keeps what is buffered; the sessions in it are kept already. */
  close(): Promise<void>;
};

export type RoomOptions = {
  readonly home: string;
  readonly workspace: string;
  readonly bound: Extract<BoundAgents, { kind: "ready" }>;
  readonly keeper: StoreKeeper;
  readonly journal: EventJournal;
};

/** Where results that were cut are kept whole: a daemon that is started anew still has them. */
const RESULTS = "results";

export function openRoom({ home, workspace, bound, keeper, journal }: RoomOptions): Room {
  const { agents, channels, faults } = bound;
  const conduct = openConduct({
    agents,
    workspace,
    home,
    channels,
    journal,
    ports: { results: folderResults(join(home, RESULTS)), paused: () => isPaused(home) },
  });
  for (const fault of faults) conduct.report(fault, workspace);
  const kept = keeper.at(workspace);
  /** Decided anew for each session, so that a runtime that nobody can tell the agent of is refused alone. */
  const optionsOf = (runtime: string, interactive: boolean): Partial<SessionOptions> & { readonly agent: string } => {
    const settings = settingsFor(runtime, bound);
    if ("message" in settings) throw new Error(settings.message);
    const { agent, enforcement, operator } = settings;
    // Whoever types is the operator where that was set up; what a program sends never comes from one.
    return { agent, enforcement, sender: { role: operator && interactive ? "operator" : "user" } };
  };
  const [first] = agents;
  const host = localHost(conduct, {
    agent: nameOf(first),
    keeper: kept,
    sessionOptions: (origin) => optionsOf(origin.runtime, origin.interactive === true),
  });
  return {
    host,
    claudeCode: claudeCodeHooks(host),
    codex: codexHooks(conduct, {
      agent: nameOf(first),
      keeper: kept,
      // Codex does not tell its hooks whether a person types.
      sessionOptions: () => optionsOf("codex", false),
    }),
    close: () => conduct.close(),
  };
}

function nameOf(agent: Agent | undefined): string {
  return agent?.name ?? "";
}
