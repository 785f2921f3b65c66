import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CallInput } from "../../../../base/words/call.ts";
import { parseShellLine } from "../../../../behavior/commands/shell/shell-line.ts";
import { characterCounter } from "../../../../behavior/results/token-counter.ts";
import { loadConfigFile } from "../../../../edge/host/opening/load-config.ts";
import { openConductFromEnv } from "../../../../edge/host/opening/open-conduct.ts";
import { openSqlStore } from "../../../../edge/stores/sql/open-sql-store.ts";
import type { Conduct } from "../../../../engine/session/conduct.ts";
import type { ReplayReport } from "../../../learning/replay/replay-sessions.ts";
import { COMMANDS } from "../../declared/command-tree.ts";
import type { Arguments } from "../../line/command.ts";
import { parseCommandLine } from "../../line/command-line.ts";
import { envelopeOf } from "../../line/outcome.ts";
import { tellProgress } from "../../line/progress.ts";
import type { Terminal } from "../../line/terminal.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { replay } from "./replay.ts";

const NOON = Date.UTC(2026, 10, 15, 14, 2, 0);
const OLD = `actions:
  test:   { tool: shell, command: "npm test *" }
  deploy: { tool: shell, command: "npm run deploy *" }
  push:   { tool: shell, command: "git push *" }
rules:
  - { id: no-push, on: push, say: "Pushing is for people." }
`;
const NEW = `actions:
  test:   { tool: shell, command: "npm test *" }
  deploy: { tool: shell, command: "npm run deploy *" }
  push:   { tool: shell, command: "git push *" }
rules:
  - { id: deploy-needs-proof, on: deploy, require: test }
  - { id: push-after-deploy, on: push, require: deploy }
  - { id: ask-before-fetch, on: fetch, effect: ask, say: "May it look at {{args.url}}?" }
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "conduct-replay-"));
  writeFileSync(join(folder, "old.yaml"), OLD);
  writeFileSync(join(folder, "new.yaml"), NEW);
  writeFileSync(join(folder, "conduct.yaml"), "agents:\n  coder:\n    rules: [./old.yaml]\n");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let now = NOON;
let ids = 0;

/** Two sessions as an agent really had them, an hour apart. */
async function recorded(play?: (conduct: Conduct) => Promise<void>): Promise<void> {
  [now, ids] = [NOON - 3_600_000, 0];
  const loaded = await loadConfigFile(join(folder, "conduct.yaml"), "conduct.yaml");
  const agents = "parsed" in loaded && "agents" in loaded.parsed ? loaded.parsed.agents : [];
  const store = await openSqlStore({ kind: "sqlite", file: join(folder, "conduct.db") });
  const conduct = openConductFromEnv({
    agents,
    home: folder,
    workspace: folder,
    journal: store.events,
    ports: {
      clock: { now: () => now, monotonic: () => now },
      ids: { next: (prefix) => `${prefix}_${String(++ids).padStart(3, "0")}` },
      counter: async () => characterCounter,
      governance: store.governance,
    },
  });
  await (play ?? twoSessions)(conduct);
  await conduct.close();
  await store.close();
}

async function twoSessions(conduct: Conduct): Promise<void> {
  for (const [id, calls] of [
    ["morning", ["npm run deploy", "git push", "npm test", "npm run deploy --prod"]],
    ["noon", ["npm test", "https://example.com/a/rather/long/address/that/needs/some/room/to/be/shown"]],
  ] as const) {
    const session = conduct.session({ agent: "coder", channel: "web", id });
    await session.onMessage({ text: "go on" });
    for (const [at, word] of calls.entries()) {
      now += 10_000;
      const web = word.startsWith("https");
      const call: CallInput = {
        id: `${id}-${at}`,
        tool: web ? "fetch" : "shell",
        args: web ? { url: word } : { command: word },
      };
      const decision = await session.onCall(call);
      if (decision.kind === "allow") await session.onResult(call, { outcome: "ok", parts: [] });
    }
    now += 1_800_000;
  }
}

async function run(args: Arguments, options: Partial<Terminal> = {}) {
  const terminal = testTerminal({ columns: 100, cwd: folder, ...options });
  const world = { env: {}, home: folder, now: () => NOON + 60_000, zone: "UTC" };
  const outcome = await replay(args, terminal, world);
  for (const { command: line } of outcome.next) {
    const [, ...words] = parseShellLine(line).commands[0] ?? [];
    expect((await parseCommandLine(words, COMMANDS)).kind, line).toBe("run");
  }
  const said = `${terminal.said()}${outcome.text ?? ""}`.replaceAll(folder, "/here");
  return { outcome, said, complained: terminal.complained() };
}

describe("conduct replay", () => {
  it.each([80, 120])(
    "RPC-1 replay shows what would change by session, with the cause, at %i columns (golden)",
    async (columns) => {
      await recorded();
      const { outcome, said } = await run({ rules: "new.yaml" }, { columns });
      expect(outcome.ok).toBe(true);
      for (const line of said.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
      await expect(said).toMatchFileSnapshot(`replay-${columns}.golden.txt`);
    },
  );

  it("RPC-2 a replay with the agents' own rules reports no changes", async () => {
    await recorded();
    const { outcome, said } = await run({ rules: "old.yaml" });
    expect(outcome).toMatchObject({
      ok: true,
      result: { sessions: 2, calls: 6, changed: 0, cannotTell: 0, details: [] },
    });
    expect(said).toContain("✓ 2 sessions · 6 calls · 0 would change");
  });

  it("RPC-3 --json returns everything in the envelope", async () => {
    await recorded();
    const { outcome } = await run({ rules: "new.yaml", add: true }, { json: true });
    const envelope = JSON.parse(JSON.stringify(envelopeOf("replay", outcome)));
    expect(envelope).toMatchObject({
      ok: true,
      command: "replay",
      result: {
        rules: "new.yaml",
        how: "add",
        sessions: 2,
        calls: 6,
        newlyDenied: 1,
        newlyAsked: 1,
        cannotTell: 0,
        left: 0,
      },
    });
    const [first] = envelope.result.details;
    expect(first).toMatchObject({ session: "morning", agent: "coder", channel: "web" });
    expect(first.changes[0]).toMatchObject({
      kind: "newly-denied",
      tool: "shell",
      was: { decision: { kind: "allow" } },
      now: { decision: { kind: "deny", rule: "deploy-needs-proof" } },
      causes: [{ kind: "objects", rule: "deploy-needs-proof", place: { file: "new.yaml", line: 6 } }],
    });
  });

  it.each<{ args: Arguments; calls: number; sessions: number }>([
    { args: { session: "noon" }, calls: 2, sessions: 1 },
    { args: { since: "20m" }, calls: 0, sessions: 0 },
    { args: { since: "40m" }, calls: 2, sessions: 1 },
    { args: { since: "2026-11-15T08:00Z" }, calls: 6, sessions: 2 },
    { args: { agent: "coder" }, calls: 6, sessions: 2 },
    { args: { agent: "nobody" }, calls: 0, sessions: 0 },
  ])("RPC-4 $args selects $sessions sessions", async ({ args, calls, sessions }) => {
    await recorded();
    const { outcome } = await run({ rules: "new.yaml", ...args });
    expect(outcome).toMatchObject({ ok: true, result: { calls, sessions } });
  });

  it.each<{ args: Arguments; code: string; text: RegExp }>([
    { args: {}, code: "BAD_ARGUMENT", text: /--rules FILE or --contract VERSION/ },
    { args: { rules: "new.yaml", contract: "1" }, code: "BAD_ARGUMENT", text: /cannot be combined/ },
    { args: { rules: "none.yaml" }, code: "RULES_NOT_FOUND", text: /none.yaml/ },
    { args: { rules: "bad.yaml" }, code: "RULES_INVALID", text: /bad\.yaml:2:14/ },
    { args: { rules: "new.yaml", since: "yesterday" }, code: "BAD_ARGUMENT", text: /7d/ },
    { args: { rules: "new.yaml", for: "codr" }, code: "UNKNOWN_AGENT", text: /known: coder/ },
    { args: { contract: "1", for: "coder" }, code: "BAD_ARGUMENT", text: /--for is only for --rules/ },
    { args: { contract: "1", add: true }, code: "BAD_ARGUMENT", text: /--add is only for --rules/ },
    { args: { rules: "new.yaml", session: "evening" }, code: "SESSION_NOT_FOUND", text: /evening/ },
    { args: { rules: "new.yaml", config: "bad.yaml" }, code: "CONFIG_INVALID", text: /bad\.yaml/ },
    { args: { contract: "x" }, code: "BAD_ARGUMENT", text: /8 or v8/ },
    { args: { contract: "v99" }, code: "VERSION_NOT_FOUND", text: /99/ },
  ])("RPC-5 $args is rejected with a clear message: $code", async ({ args, code, text }) => {
    await recorded();
    writeFileSync(join(folder, "bad.yaml"), "rules:\n  - { id: x, onn: shell }\n");
    const { outcome, said } = await run(args);
    if (outcome.ok) throw new Error("it was taken");
    expect(outcome.code).toBe(code);
    expect(`${outcome.message} ${outcome.fix} ${said}`).toMatch(text);
  });

  it("RPC-6 without a store replay reports that there are no events", async () => {
    const { outcome, said } = await run({ rules: "new.yaml" });
    expect(outcome.ok).toBe(true);
    expect(said).toContain("has no events yet");
  });

  it("FND-9 replay reads the configuration of the home in every folder, so the agents' own rules change nothing", async () => {
    await recorded();
    const elsewhere = mkdtempSync(join(tmpdir(), "conduct-elsewhere-"));
    const { outcome } = await run({ rules: join(folder, "old.yaml") }, { cwd: elsewhere });
    rmSync(elsewhere, { recursive: true });
    expect(outcome).toMatchObject({
      result: { changed: 0, cannotTell: 0, undefinedAgents: [] },
      config: { file: join(folder, "conduct.yaml"), from: "home" },
    });
  });

  it("RPC-7 for an agent that is not configured only the given rules decide, and replay reports this", async () => {
    await recorded();
    rmSync(join(folder, "conduct.yaml"));
    const { outcome, said } = await run({ rules: "new.yaml" });
    expect(outcome).toMatchObject({ ok: true, result: { undefinedAgents: ["coder"], newlyDenied: 1 } });
    expect(said).toContain("not configured here");
  });

  it("RPC-8 --contract shows which turns would have received other directives (golden)", async () => {
    await recorded(async (conduct) => {
      await conduct.contracts?.change({ kind: "add", type: "keep", text: "answers short" }, "ann");
      const session = conduct.session({ agent: "coder", channel: "web", id: "told", user: "bob" });
      for (let turn = 0; turn < 4; turn++) {
        if (turn === 2) await conduct.contracts?.change({ kind: "add", type: "stop", text: "using emojis" }, "ann");
        now += 60_000;
        await session.onMessage({ text: "and?" });
        await session.onPrompt();
        await session.onPrompt();
      }
    });
    const { outcome, said } = await run({ contract: "v1" }, { columns: 80 });
    expect(outcome).toMatchObject({
      ok: true,
      result: { version: 1, sessions: 1, turns: 4, changed: 2, cannotTell: 0 },
    });
    await expect(said).toMatchFileSnapshot("replay-contract.golden.txt");
    const none = await run({ contract: "0" }, { columns: 80 });
    expect(none.outcome).toMatchObject({ ok: true, result: { turns: 4, changed: 4 } });
  });

  it("RPC-9 a replay of many sessions on several threads finds the same as on one thread", async () => {
    await recorded(async (conduct) => {
      for (let at = 0; at < 410; at++) {
        const session = conduct.session({ agent: "coder", channel: "web", id: `s${at}` });
        await session.onCall({
          id: "c",
          tool: "shell",
          args: { command: at % 2 === 0 ? "npm run deploy" : "npm test" },
        });
      }
    });
    const { outcome } = await run({ rules: "new.yaml" });
    expect(outcome).toMatchObject({ ok: true, result: { sessions: 410, calls: 410, newlyDenied: 205, cannotTell: 0 } });
  });

  /** `git push` by two agents, each on its own channel. */
  async function twoAgents(conduct: Conduct): Promise<void> {
    for (const [agent, channel] of [
      ["coder", "web"],
      ["tester", "telegram"],
    ] as const) {
      const session = conduct.session({ agent, channel, id: agent });
      await session.onMessage({ text: "go on" });
      await session.onCall({ id: "c", tool: "shell", args: { command: "git push" } });
    }
  }

  it("RPC-11 --for changes the rules of one agent only, and --agent replays only that agent's sessions", async () => {
    writeFileSync(join(folder, "conduct.yaml"), "agents:\n  coder: { rules: [./old.yaml] }\n  tester: {}\n");
    await recorded(twoAgents);
    writeFileSync(join(folder, "stern.yaml"), "rules:\n  - { id: no-shell, on: shell }\n");
    const changes = async (args: Arguments) => {
      const { outcome, said } = await run({ rules: "stern.yaml", ...args }, { columns: 200 });
      if (!outcome.ok) throw new Error(outcome.message);
      const { sessions, details } = outcome.result as ReplayReport;
      const told = details.flatMap((one) => one.changes.map(({ kind }) => `${one.agent} ${kind}`));
      return { sessions, told, said };
    };
    expect(await changes({})).toMatchObject({ sessions: 2, told: ["coder otherwise", "tester newly-denied"] });
    const tester = await changes({ for: "tester" });
    expect(tester).toMatchObject({ sessions: 2, told: ["tester newly-denied"] });
    expect(tester.said).toContain("stern.yaml in place of the rules of tester, sessions since");
    expect(await changes({ for: "coder", add: true })).toMatchObject({ told: ["coder otherwise"] });
    const looked = await changes({ agent: "coder" });
    expect(looked).toMatchObject({ sessions: 1, told: ["coder otherwise"] });
    expect(looked.said).toContain("in place of the agents' rules, sessions of coder since");
    expect(await changes({ for: "tester", agent: "coder" })).toMatchObject({ sessions: 1, told: [] });
  });

  it.each([1, 401])(
    "RPC-12 a replay applies a shared rule only in its scope, unchanged or replaced; %i sessions",
    async (times) => {
      const text = "rules:\n  - { id: no-push, on: push }\n";
      const push = '{ actions: { push: { tool: shell, command: "git push *" } } }';
      writeFileSync(join(folder, "conduct.yaml"), `agents:\n  coder: ${push}\n  tester: ${push}\n`);
      await recorded(async (conduct) => {
        await conduct.contracts?.change({ kind: "harden", rule: "no-push", text, scope: "channel:telegram" }, "ann");
        await conduct.contracts?.change({ kind: "enforce-rule", id: "no-push" }, "ann");
        await twoAgents(conduct);
        for (let at = 1; at < times; at++) conduct.session({ agent: "coder", channel: "web", id: `s${at}` });
      });
      writeFileSync(join(folder, "same.yaml"), text);
      writeFileSync(join(folder, "soft.yaml"), text.replace("push }", "push, effect: warn }"));
      const same = await run({ rules: "same.yaml" });
      expect(same.outcome).toMatchObject({ ok: true, result: { calls: 2, changed: 0, cannotTell: 0 } });
      const soft = await run({ rules: "soft.yaml", add: true });
      expect(soft.outcome).toMatchObject({
        result: { changed: 1, noLongerDenied: 1, details: [{ session: "tester" }] },
      });
    },
  );

  it("RPC-10 progress appears after one second, and never in JSON output", () => {
    let time = 0;
    const terminal = testTerminal({ tty: true });
    const [tell, over] = tellProgress(terminal, "replaying", "sessions", () => time);
    tell({ done: 1, of: 2_000 });
    expect(terminal.complained()).toBe("");
    time = 1_001;
    tell({ done: 1_200, of: 2_000 });
    expect(terminal.complained()).toContain("replaying: 1,200 of 2,000 sessions");
    over();
    expect(terminal.complained().endsWith("\r\u001b[K")).toBe(true);
    const json = testTerminal({ json: true });
    const [silent] = tellProgress(json, "replaying", "sessions", () => time);
    time = 9_000;
    silent({ done: 1, of: 2 });
    expect(json.complained() + json.said()).toBe("");
  });
});
