import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { Fault } from "../../base/words/event.ts";
import type { Agent } from "../../base/words/hosting/agent.ts";
import { type ClaudeCodeHooks, claudeCodeHooks } from "../../edge/adapters/claude-code/adapter.ts";
import { type ApprovalWord, type CodexHooks, codexHooks } from "../../edge/adapters/codex/adapter.ts";
import { type BoundAgents, settingsFor } from "../../edge/host/daemon/daemon-agents.ts";
import { waitingApprover } from "../../edge/host/daemon/daemon-approver.ts";
import type { KeptPlace, StoreKeeper } from "../../edge/host/daemon/daemon-keeper.ts";
import { keptOrigin } from "../../edge/host/daemon/kept-moments.ts";
import { keptResults } from "../../edge/host/daemon/kept-results.ts";
import { localHost } from "../../edge/host/daemon/local-host.ts";
import { isPaused } from "../../edge/host/daemon/paused.ts";
import { openConduct } from "../../edge/host/opening/open-conduct.ts";
import type { StoreKeys } from "../../edge/stores/seal/store-keys.ts";
import type { SessionHost, SessionOrigin } from "../../engine/moments/session-moments.ts";
import type { SessionOptions } from "../../engine/moments/session-options.ts";
import { claudeCodeFailure, codexFailure } from "./failure-answers.ts";

/** One workspace's agents at work: a Conduct of its own, and the adapters that lead to it. */
export type Room = {
  readonly codex: CodexHooks;
  readonly claudeCode: ClaudeCodeHooks;
  readonly host: SessionHost;
  /** Takes a person's word to a session that is kept. Rejects when it cannot be taken, with a `SessionError` for the question's part. */
  answer(place: KeptPlace, word: ApprovalWord): Promise<void>;
  /** Something is wrong outside of any session. */
  report(fault: Fault): void;
  /** No call waits for a person any longer. */
  giveUp(): void;
  /** Keeps what is buffered; the sessions in it are kept already. */
  close(): Promise<void>;
};

export type RoomOptions = {
  readonly home: string;
  readonly workspace: string;
  readonly bound: Extract<BoundAgents, { kind: "ready" }>;
  readonly keeper: StoreKeeper;
  readonly journal: EventJournal;
  readonly keys: StoreKeys;
  /** Takes lines for the log: what an operator has to know and no session is told. */
  readonly log: (line: string) => void;
};

type Asking = Pick<SessionOrigin, "runtime" | "agent" | "interactive">;

/** Faults that are the operator's to repair, whatever session they show in. */
const LOGGED: ReadonlySet<string> = new Set(["governance-damaged", "state-damaged"]);

export function openRoom({ home, workspace, bound, keeper, journal, keys, log }: RoomOptions): Room {
  const { agents, channels, faults } = bound;
  const approver = waitingApprover();
  const conduct = openConduct({
    agents,
    workspace,
    home,
    channels,
    journal,
    ports: { results: keptResults(home, keys), paused: () => isPaused(home), approver },
  });
  for (const fault of faults) conduct.report(fault, workspace);
  conduct.subscribe((event) => {
    if (event.type === "fault" && LOGGED.has(event.fault.code))
      log(`session ${event.session}: ${event.fault.code}: ${event.fault.message}`);
  });
  const kept = keeper.at(workspace);
  /** Decided anew for each session, so that a runtime that nobody can tell the agent of is refused alone. */
  const optionsOf = ({ runtime, agent: named, interactive }: Asking): Partial<SessionOptions> => {
    const settings = settingsFor(runtime, bound, named);
    if ("message" in settings) throw new Error(settings.message);
    const { agent, enforcement, operator } = settings;
    // Whoever types is the operator where that was set up; what a program sends never comes from one.
    return { agent, enforcement, sender: { role: operator && interactive === true ? "operator" : "user" } };
  };
  const [first] = agents;
  const host = localHost(conduct, {
    agent: nameOf(first),
    keeper: kept,
    sessionOptions: optionsOf,
  });
  const codex = codexHooks(conduct, {
    agent: nameOf(first),
    keeper: kept,
    // Codex does not tell its hooks whether a person types.
    sessionOptions: () => optionsOf({ runtime: "codex" }),
    failure: codexFailure(home),
  });
  return {
    host,
    claudeCode: claudeCodeHooks(host, { failure: claudeCodeFailure(home) }),
    codex,
    async answer({ id, parent = id, own }, word) {
      const origin = keptOrigin(own, id);
      if (origin === undefined) return codex.answer({ session: id, root: parent, cwd: workspace }, word);
      const session = await host.open(origin);
      const { approval, answer, by, reason } = word;
      await session.resolve(approval, answer, by, reason);
    },
    report: (fault) => conduct.report(fault),
    giveUp: () => approver.giveUp(),
    close: () => conduct.close(),
  };
}

function nameOf(agent: Agent | undefined): string {
  return agent?.name ?? "";
}
