import type { AdherenceStore } from "../../../base/ports/stores/adherence.ts";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { GovernanceEntry, GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import { parseShellLine } from "../../../behavior/commands/shell/shell-line.ts";
import { readCap } from "../../../behavior/contract/active-contract.ts";
import type { ChangeRequest } from "../../../behavior/contract/decide/change-request.ts";
import { characterCounter } from "../../../behavior/results/token-counter.ts";
import { sequentialIds } from "../../../edge/host/node/node-ids.ts";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import { ContractService } from "../../../engine/governance/contract-service.ts";
import { changeCommand } from "../commands/behavior/change.ts";
import type { ChangeName } from "../commands/behavior/change-request.ts";
import { behaviorDiff, behaviorHistory } from "../commands/behavior/history.ts";
import { behaviorList, behaviorShow } from "../commands/behavior/show.ts";
import { behaviorStats } from "../commands/behavior/stats.ts";
import { journalExport, journalRebuild, journalVerify } from "../commands/journal/journal.ts";
import { reviewList } from "../commands/review/list.ts";
import { reviewRun } from "../commands/review/run.ts";
import { reviewDigest, reviewShow } from "../commands/review/show.ts";
import { COMMANDS } from "../declared/command-tree.ts";
import { parseCommandLine, wantsJson } from "../line/command-line.ts";
import { envelopeOf, type Outcome } from "../line/outcome.ts";
import type { Terminal } from "../line/terminal.ts";
import type { GovernanceCommand, GovernanceWorld } from "../stores/with-contract.ts";
import { testTerminal } from "./test-terminal.ts";

const CHANGES: readonly ChangeName[] = [
  ...(["add", "replace", "remove", "promote", "reject", "edit", "snooze"] as const),
  ...(["helpful", "harmful", "check", "apply", "undo"] as const),
];

const COMMANDS_BY_PATH: Readonly<Record<string, GovernanceCommand>> = {
  ...Object.fromEntries(CHANGES.map((name): [string, GovernanceCommand] => [`behavior ${name}`, changeCommand(name)])),
  "behavior list": behaviorList,
  "behavior show": behaviorShow,
  "behavior diff": behaviorDiff,
  "behavior history": behaviorHistory,
  "behavior stats": behaviorStats,
  "review run": (args, terminal, world) => reviewRun(args, terminal, world, async () => ({})),
  "review list": reviewList,
  "review show": reviewShow,
  "review digest": reviewDigest,
  "journal verify": journalVerify,
  "journal export": journalExport,
  "journal rebuild": journalRebuild,
};

/** The result of a command. `said` is the output for people, `envelope` the one for programs. */
type Ran = {
  readonly outcome: Outcome;
  readonly said: string;
  readonly envelope: Readonly<Record<string, unknown>>;
  readonly code: number;
};

export type TestGovernance = {
  /** Every command it suggests was parsed successfully. */
  run(line: string, options?: Partial<GovernanceWorld> & Partial<Terminal>): Promise<Ran>;
  propose(text: string): Promise<void>;
  readonly journal: GovernanceJournal;
  readonly events: EventJournal;
  readonly adherence: AdherenceStore;
  readonly world: GovernanceWorld;
  now: number;
};

/** The commands on an in-memory store, with a fixed clock and sequential ids. */
export function testGovernance(env: NodeJS.ProcessEnv = {}): TestGovernance {
  const journal = memoryStores().governance;
  const { events, adherence } = memoryStores();
  const ids = sequentialIds();
  const clock = { now: () => at.now, monotonic: () => at.now };
  const world: GovernanceWorld = {
    ...{ clock, ids },
    cap: async () => readCap(env.CONDUCT_CONTRACT_CAP),
    open: async () => ({ journal, events, adherence, close: async () => undefined }),
    inside: async () => undefined,
    by: async () => "cli:ann",
    look: async () => ({ kind: "person", proof: "at pts/1 under xterm" }),
    index: async () => undefined,
    tell: async () => undefined,
    piped: async () => undefined,
  };
  const at: TestGovernance = { run, propose, journal, events, adherence, world, now: Date.UTC(2026, 10, 15, 8) };

  async function run(line: string, options: Partial<GovernanceWorld> & Partial<Terminal> = {}): Promise<Ran> {
    const words = wordsOf(line);
    const terminal = testTerminal({ json: wantsJson(words), ...options });
    const parsed = await parseCommandLine(words, COMMANDS);
    if (parsed.kind !== "run") throw new Error(`'${line}' is ${JSON.stringify(parsed)}`);
    const path = parsed.path.join(" ");
    const command = COMMANDS_BY_PATH[path];
    if (command === undefined) throw new Error(`no test runs 'conduct ${path}'`);
    const outcome = await command(parsed.args, terminal, { ...world, ...options });
    for (const next of outcome.next) {
      if ((await parseCommandLine(wordsOf(next.command), COMMANDS)).kind !== "run")
        throw new Error(`offered: ${next.command}`);
    }
    const told =
      outcome.text ?? (outcome.ok ? "" : `\n  ✗ ${outcome.code}  ${outcome.message}\n    try: ${outcome.fix}\n\n`);
    const envelope = envelopeOf(`conduct ${path}`, outcome);
    return { outcome, said: `${terminal.said()}${told}`, envelope, code: outcome.ok ? 0 : (outcome.exitCode ?? 1) };
  }

  async function propose(text: string): Promise<void> {
    const service = new ContractService({ journal, clock, ids, counter: async () => characterCounter });
    const request: ChangeRequest = {
      kind: "propose",
      type: "stop",
      text,
      confidence: 0.82,
      evidence: ["no more of this"],
    };
    await service.change(request, "daily-review");
  }

  return at;
}

/** The words of a line as a shell splits them, without the program. */
function wordsOf(line: string): readonly string[] {
  const [words = []] = parseShellLine(line).commands;
  return words[0] === "conduct" ? words.slice(1) : words;
}

export function tampered(
  journal: GovernanceJournal,
  change: (entry: GovernanceEntry) => GovernanceEntry | undefined,
): Pick<GovernanceWorld, "open"> {
  const read: GovernanceJournal["read"] = async (query) => {
    const page = await journal.read(query);
    return { ...page, entries: page.entries.flatMap((entry) => change(entry) ?? []) };
  };
  return { open: async () => ({ journal: { ...journal, read }, close: async () => undefined }) };
}
