import { join } from "node:path";
import { expect } from "vitest";
import type { ConductEvent, EventBody } from "../../../base/words/event.ts";
import { parseShellLine } from "../../../behavior/commands/shell/shell-line.ts";
import { openSqlStore } from "../../../edge/stores/sql/open-sql-store.ts";
import { sampleCall, sampleDenial, sampleEvent, sampleQuestion } from "../../../edge/stores/test/events-samples.ts";
import { status } from "../commands/status/status.ts";
import { runWatch } from "../commands/watch/watch.ts";
import { why } from "../commands/why/why.ts";
import { COMMANDS } from "../declared/command-tree.ts";
import type { Arguments } from "../line/command.ts";
import { parseCommandLine } from "../line/command-line.ts";
import type { Outcome } from "../line/outcome.ts";
import { testTerminal } from "./test-terminal.ts";

export const NOON = Date.UTC(2026, 10, 15, 14, 2, 0);
export const MODES = { think: true, verbose: false, elevated: false };
export const ALLOW = { kind: "allow", id: "d_ok1", advice: [] } as const;
export const RESULT = { type: "result", call: "c_1", tool: "shell", truncation: [], feedback: [] } as const;
const CUT = {
  tool: "shell",
  strategy: "head",
  original: 61_204,
  estimated: true,
  limit: 30_720,
  kept: 30_720,
  handle: "r_19",
} as const;
export const ADA = { agent: "assistant", session: "s_8kq2v0x3m7t1za" };
const BOB = { agent: "bob", session: "night" };

const BUILD = { ...sampleCall(ALLOW, "build", {}, "c_0") };
const BODIES: readonly (readonly [EventBody, typeof ADA])[] = [
  [{ type: "session", change: "opened", user: "ann", channel: "web" }, ADA],
  [{ type: "message", text: "deploy it\u001b[2J", modes: MODES }, ADA],
  [
    {
      type: "prompt",
      hash: "4f1c2a9d",
      prefixHash: "0",
      tokens: 1_842,
      prefixTokens: 1_790,
      sections: [{ contributor: "identity", tokens: 9, hash: "x" }],
      cuts: [],
    },
    ADA,
  ],
  [BUILD, ADA],
  [{ ...RESULT, call: "c_0", tool: "build", outcome: "ok" }, ADA],
  [sampleCall(sampleDenial("d_8kq2ab"), "shell", { command: "npm run deploy" }), ADA],
  [sampleCall({ ...ALLOW, id: "d_9" }, "shell", { command: "npm test" }), ADA],
  [{ ...RESULT, outcome: "failed", exitCode: 1, truncation: [CUT] }, ADA],
  [{ type: "stop", status: "refused", refusals: 1, bound: 5, feedback: "report.md is missing." }, ADA],
  [{ type: "session", change: "opened", channel: "scheduled" }, BOB],
  [sampleCall(sampleQuestion("d_ask", "a_77"), "pay", { amount: 3 }), BOB],
  [{ type: "approval", approval: "a_77", answer: "yes", by: "ann" }, BOB],
  [{ type: "fault", fault: { where: "store", code: "x", message: "it was away" } }, BOB],
  [{ type: "notice", notice: { kind: "ended", reason: "done" } }, BOB],
];
/** Two sessions: in one a call is denied, in the other a call needs approval. */
export const STORY: readonly ConductEvent[] = BODIES.map(([body, envelope], at) =>
  sampleEvent(body, { ...envelope, id: `e_${100 + at}`, at: NOON + at * 1_000 }),
);

/** Writes the events like another process would. */
export async function keep(home: string, events: readonly ConductEvent[]): Promise<void> {
  const store = await openSqlStore({ kind: "sqlite", file: join(home, "conduct.db") });
  await store.events.append(events);
  await store.close();
}

type Run = {
  readonly columns?: number;
  readonly json?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  readonly pauses?: readonly (() => Promise<void>)[];
};

/** Runs one of the commands; each pause runs the next of `pauses`, and after the last one the person stops it. */
export async function run(home: string, command: "watch" | "why" | "status", args: Arguments = {}, options: Run = {}) {
  const { columns = 100, json = false, env = {}, pauses = [] } = options;
  const terminal = testTerminal({ columns, json });
  const left = [...pauses];
  let ended = false;
  const world = {
    env,
    home,
    now: () => NOON + 60_000,
    zone: "UTC",
    ended: () => ended,
    pause: async () => {
      const next = left.shift();
      if (next === undefined) ended = true;
      else await next();
    },
  };
  const body = { watch: runWatch, why: why, status: status }[command];
  const outcome: Outcome = await body(args as never, terminal, world);
  for (const { command: line } of outcome.next) {
    const [, ...words] = parseShellLine(line).commands[0] ?? [];
    expect((await parseCommandLine(words, COMMANDS)).kind, line).toBe("run");
  }
  const said = `${terminal.said()}${outcome.text ?? ""}`.replaceAll(home, "/home");
  return { outcome, said, complained: terminal.complained().replaceAll(home, "/home") };
}
