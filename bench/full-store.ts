import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sha256 } from "../src/base/kernel/canonical-json.ts";
import type { GovernanceJournal } from "../src/base/ports/stores/governance.ts";
import type { ConductEvent } from "../src/base/words/event.ts";
import { characterCounter } from "../src/behavior/results/token-counter.ts";
import { loadConfigText } from "../src/edge/host/opening/load-config.ts";
import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import { memoryResults } from "../src/edge/stores/memory-results.ts";
import { openSqlStore } from "../src/edge/stores/sql/open-sql-store.ts";
import { ContractService } from "../src/engine/governance/contract-service.ts";
import { redactWith } from "../src/engine/journal/redact-event.ts";
import { contractHashOf, decisionIds, isDenied } from "../src/engine/journal/session-figures.ts";
import { CONFIG } from "./replay-store.ts";

const DAY = 86_400_000;
/** Sessions that are really run; the others are copies of them with other ids and times. */
const PLAYED = 40;
const AGENTS = ["coder", "helper"] as const;
const DIRECTIVES = [
  { type: "less", text: "words", check: "length: at most 20 words" },
  { type: "stop", text: "apologising", check: 'reply: not matches(reply, "sorry")' },
  { type: "keep", text: "small steps" },
] as const;

/** Ten events a session, over the 29 days before `now`. */
export type FullStore = { readonly home: string; readonly file: string; readonly now: number };

const homeOf = (sessions: number) => join(tmpdir(), `conduct-full-${sessions}`);

/** Whether an earlier run has made the store. */
export const isFilled = (sessions: number): boolean => existsSync(join(homeOf(sessions), "made"));

/**
 * A home with a SQLite store of so many sessions with ten events each, as the journal would have stored them. It is
 * made once and kept in the temporary folder.
 */
export async function fullStore(sessions: number, tick: (done: number, of: number) => void): Promise<FullStore> {
  const now = Date.UTC(2026, 10, 18, 5);
  const home = homeOf(sessions);
  const place = { home, file: join(home, "conduct.db"), now };
  if (isFilled(sessions)) return place;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { mode: 0o700 });
  const store = await openSqlStore({ kind: "sqlite", file: place.file });
  try {
    await addDirectives(store.governance, now - 30 * DAY);
    const played = await playShort(store.governance, now - 30 * DAY);
    copySessions(place, played, sessions, tick);
  } finally {
    await store.close();
  }
  mkdirSync(join(home, "made"));
  return place;
}

async function addDirectives(journal: Omit<GovernanceJournal, "witness">, at: number): Promise<void> {
  let made = 0;
  const ids = { next: (prefix: string) => `${prefix}_${(++made).toString(36)}` };
  const clock = { now: () => at, monotonic: () => performance.now() };
  const contracts = new ContractService({ journal, clock, ids, counter: async () => characterCounter });
  for (const directive of DIRECTIVES) await contracts.change({ kind: "add", ...directive }, "bench");
}

/** Short sessions on the real engine: one message, two calls, a reply, a stop. */
async function playShort(
  governance: Omit<GovernanceJournal, "witness">,
  begin: number,
): Promise<readonly (readonly ConductEvent[])[]> {
  const home = mkdtempSync(join(tmpdir(), "conduct-full-play-"));
  const config = CONFIG + CONFIG.split("\n").slice(1).join("\n").replace("coder", "helper");
  const { parsed } = await loadConfigText(config, `${home}/conduct.yaml`);
  if (!("agents" in parsed)) throw new Error("the benchmark's own configuration has faults");
  let [now, ids] = [begin, 0];
  const conduct = openConductFromEnv({
    ...{ agents: parsed.agents, workspace: home, home, journal: false },
    ports: {
      clock: { now: () => now, monotonic: () => now },
      ids: { next: (prefix) => `${prefix}_${(++ids).toString(36).padStart(8, "0")}` },
      results: memoryResults(),
      counter: async () => characterCounter,
      governance,
    },
  });
  const redact = redactWith(new Uint8Array(32).fill(1));
  const all: ConductEvent[][] = [];
  conduct.subscribe((event) => all.at(-1)?.push(redact(event)));
  for (let played = 0; played < PLAYED; played++) {
    all.push([]);
    const user = `user-${played % 20}`;
    const session = conduct.session({ agent: AGENTS[played % 2] ?? "coder", channel: "cli", user });
    await session.onMessage({ text: `Please mend point ${played} of the list and run the tests again.` });
    await session.onPrompt();
    for (const made of [0, 1]) {
      now += 1_500;
      const command = played % 8 === 0 && made === 1 ? "rm -rf /" : made === 0 ? "npm test" : "git status";
      const call = { id: `toolu_${played}_${made}`, step: "one", tool: "shell", args: { command } };
      const decision = await session.onCall(call);
      now += 400;
      if (decision.kind === "deny") continue;
      const text = `what call ${made} of session ${played} gave`.repeat(20);
      await session.onResult(call, { outcome: "ok", parts: [{ kind: "text", text }] });
    }
    session.notice({ kind: "usage", inputTokens: 1_200, outputTokens: 90 });
    const more = played % 4 === 0 ? " I am sorry that it took so long, and I have also looked at all the others." : "";
    session.notice({ kind: "reply", text: `Point ${played} of the list is mended; the tests have run again.${more}` });
    await session.onStop();
    now += 1_000;
  }
  await conduct.close();
  rmSync(home, { recursive: true, force: true });
  return all;
}

const COLUMNS = "id, session, agent, type, at, denied, decision, approval, contract, event";

/** Inserts rows as the journal writes them, without the projections: the store makes those when it is opened. */
function copySessions(
  { file, now }: FullStore,
  played: readonly (readonly ConductEvent[])[],
  sessions: number,
  tick: (done: number, of: number) => void,
): void {
  const database = new DatabaseSync(file, { timeout: 60_000 });
  try {
    database.exec("pragma synchronous = off; pragma cache_size = -400000");
    const insert = database.prepare(`insert into conduct_events (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    const begin = now - 29 * DAY;
    database.exec("begin");
    for (let made = 0; made < sessions; made++) {
      const events = played[made % played.length] ?? [];
      const shift = begin + Math.floor((made * 29 * DAY) / sessions) - (events[0]?.at ?? 0);
      for (const row of copyOf(events, made, shift)) insert.run(...row);
      if (made % 5_000 !== 4_999) continue;
      database.exec("commit; begin");
      tick(made + 1, sessions);
    }
    database.exec("commit; pragma wal_checkpoint(truncate)");
  } finally {
    database.close();
  }
}

function copyOf(events: readonly ConductEvent[], made: number, shift: number) {
  const session = `s_${sha256(`session ${made}`).slice(0, 14)}`;
  const old = events[0]?.session ?? "";
  const text = JSON.stringify(events)
    .replaceAll(old, session)
    .replaceAll(/"(ev|evt|e|d|dec|r|run|ap)_([0-9a-z]{8})"/g, (_, kind, id) => `"${kind}_${id}${made.toString(36)}"`);
  return (JSON.parse(text) as readonly ConductEvent[]).map((kept) => {
    const event = { ...kept, at: kept.at + shift };
    const { decision = null, approval = null } = decisionIds(event);
    const { id, agent, type, at } = event;
    const contract = contractHashOf(event) ?? null;
    return [
      id,
      session,
      agent,
      type,
      at,
      isDenied(event) ? 1 : 0,
      decision,
      approval,
      contract,
      JSON.stringify(event),
    ] as const;
  });
}
