import { DatabaseSync } from "node:sqlite";
import { sha256 } from "../src/base/kernel/canonical-json.ts";
import type { GovernanceJournal } from "../src/base/ports/stores/governance.ts";
import type { CallInput } from "../src/base/words/call.ts";
import type { ConductEvent } from "../src/base/words/event.ts";
import { characterCounter } from "../src/behavior/results/token-counter.ts";
import { loadConfigText } from "../src/edge/host/opening/load-config.ts";
import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import { memoryResults } from "../src/edge/stores/memory-results.ts";
import type { SqlStore } from "../src/edge/stores/sql/sql-store.ts";
import { redactWith } from "../src/engine/journal/redact-event.ts";

export const CALLS = 50;
const TURNS = 5;
/** Distinct sessions that are really run; the store contains copies of their events with other ids. */
const PLAYED = 20;
/** Number of concurrent sessions, so that their events are interleaved. */
const TOGETHER = 50;

/** The recorded agent uses the coding pack unchanged. */
export const CONFIG = "agents:\n  coder:\n    rules: [packs/coding]\n";

const COMMANDS = [
  "npm test",
  "git status",
  "npm run build",
  "git diff --stat",
  "ls -la src",
  "npm run lint && npm test",
  "git commit -m 'done'",
  "rm -rf build",
];

/**
 * Runs sessions of a coding agent on the real engine and returns their events as stored in the journal. `governance`:
 * the store of their contract; none by default.
 */
export async function playSessions(
  home: string,
  governance?: GovernanceJournal,
): Promise<readonly (readonly ConductEvent[])[]> {
  const { parsed } = await loadConfigText(CONFIG, `${home}/conduct.yaml`);
  if (!("agents" in parsed)) throw new Error("the benchmark's own configuration has faults");
  let [now, ids] = [Date.UTC(2026, 10, 8), 0];
  const files = new Map<string, string>();
  const conduct = openConductFromEnv({
    agents: parsed.agents,
    workspace: "/",
    home,
    journal: false,
    ports: {
      clock: { now: () => now, monotonic: () => now },
      ids: { next: (prefix) => `${prefix}_${(++ids).toString(36).padStart(8, "0")}` },
      results: memoryResults(),
      counter: async () => characterCounter,
      governance,
      filesystem: {
        root: "/work",
        look: async (path) => {
          const content = files.get(path);
          const found =
            content === undefined ? { exists: false } : { exists: true, version: sha256(content).slice(0, 12) };
          return { resolved: path.startsWith("/") ? path : `/work/${path}`, inside: true, ...found };
        },
      },
    },
  });
  const redact = redactWith(new Uint8Array(32).fill(1));
  const all: ConductEvent[][] = [];
  let events: ConductEvent[] = [];
  conduct.subscribe((event) => events.push(redact(event)));
  for (let played = 0; played < PLAYED; played++) {
    events = [];
    all.push(events);
    files.clear();
    for (let at = 0; at < 12; at++) files.set(`src/file-${at}.ts`, `text ${at}`);
    const session = conduct.session({ agent: "coder", channel: "cli" });
    for (let made = 0; made < CALLS; made++) {
      if (made % (CALLS / TURNS) === 0) {
        await session.onMessage({
          text: `Please look at point ${made} of the list, mend it, and run the tests again.`,
        });
        await session.onPrompt();
      }
      now += 1_500;
      const call = callOf(made, played);
      const decision = await session.onCall(call);
      now += 400;
      if (decision.kind === "deny") continue;
      const { path } = call.args;
      if (call.tool === "edit_file" && typeof path === "string") files.set(path, `text ${made} of ${played}`);
      const text = `what call ${made} of session ${played} gave`.repeat(20);
      await session.onResult(call, { outcome: made % 11 === 7 ? "failed" : "ok", parts: [{ kind: "text", text }] });
      if ((made + 1) % (CALLS / TURNS) !== 0) continue;
      session.notice({ kind: "reply", text: `Point ${made} of the list is mended; the tests have run again.` });
      await session.onStop();
    }
    session.notice({ kind: "ended" });
  }
  await conduct.close();
  return all;
}

function callOf(made: number, played: number): CallInput {
  const step = `step ${Math.floor(made / 2)}`;
  const path = `src/file-${(made * 7 + played) % 12}.ts`;
  const id = `toolu_${played}_${made}`;
  const kind = (made + played) % 5;
  if (kind < 2) return { id, step, tool: "read_file", args: { path } };
  if (kind === 2)
    return {
      id,
      step,
      tool: "edit_file",
      args: { path, old_string: "const a = 1;", new_string: `const a = ${made};` },
    };
  if (kind === 3)
    return {
      id,
      step,
      tool: "shell",
      args: { command: COMMANDS[(made + played) % COMMANDS.length] ?? "ls", timeout: 120 },
    };
  return { id, step, tool: "search", args: { pattern: `name${made}`, path: "src" } };
}

/**
 * Fills a store with this many sessions. The journal stores the ones that were run; the others are copied inside the
 * file, 50 at a time and interleaved. Returns the number of events.
 */
export async function fillStore(
  store: SqlStore,
  file: string,
  played: readonly (readonly ConductEvent[])[],
  sessions: number,
  tick: (done: number, of: number) => void,
): Promise<number> {
  for (const events of played) await store.events.append(events);
  const names = played.map(([first]) => first?.session ?? "");
  const database = new DatabaseSync(file, { timeout: 60_000 });
  try {
    database.exec(TABLES);
    const add = database.prepare("insert into copies (old, new, n) values (?, ?, ?)");
    for (let made = names.length; made < sessions; ) {
      database.exec("begin; delete from copies");
      for (const end = Math.min(sessions, made + TOGETHER); made < end; made++) {
        add.run(names[made % names.length] ?? "", `s_${sha256(`session ${made}`).slice(0, 14)}`, made);
      }
      database.exec(COPY);
      database.exec("commit");
      tick(made, sessions);
    }
  } finally {
    database.close();
  }
  return store.events.count({});
}

const TABLES = `
create temp table copies (old text, new text, n integer);
create temp table played as select row_number() over (partition by session order by position) as place, * from conduct_events;
create index temp.played_session on played (session)`;

const COPY = `
insert into conduct_events (id, session, agent, type, at, denied, decision, approval, contract, event)
select e.id || '_' || c.n, c.new, e.agent, e.type, e.at, e.denied, e.decision, e.approval, e.contract,
  replace(replace(e.event, '"session":"' || c.old || '"', '"session":"' || c.new || '"'), '"id":"' || e.id || '"', '"id":"' || e.id || '_' || c.n || '"')
from copies c join played e on e.session = c.old order by e.place, c.n;
`;
