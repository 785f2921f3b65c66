import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Objection } from "../../../../base/words/decision.ts";
import type { ConductEvent, EventBody } from "../../../../base/words/event.ts";
import { readRuntimes, writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import { openSqlStore } from "../../../../edge/stores/sql/open-sql-store.ts";
import { sampleCall, sampleEvent } from "../../../../edge/stores/test/events-samples.ts";
import type { EnforceArgs } from "../../declared/setup-commands.ts";
import { type Given, NOW, useInitWorld } from "../../test/init-test-world.ts";
import { init as runInit } from "../init/init.ts";
import { enforce as runEnforce } from "./enforce.ts";

const { at, journaled, asked, world, write, run } = useInitWorld();
const home = () => join(at.root, ".conduct");
const HOUR = 3_600_000;
const SINCE = new Date(NOW - 20 * HOUR).toISOString();

const enforce = (args: Partial<EnforceArgs> = {}, given: Given = {}) =>
  run(
    (terminal) =>
      runEnforce({ runtime: "all", ...args }, terminal, world({ env: { HOME: at.root, CONDUCT_STORE: "" }, ...given })),
    {
      columns: 100,
      ...given.terminal,
    },
  );
const shadow = (runtime: string) =>
  writeRuntime(home(), runtime, { enforcement: "shadow", operator: false, since: SINCE });
const setUp = (runtime: string) => run((terminal) => runInit({ runtime, yes: true }, terminal, world()));

/** Sessions of two runtimes: some of what they did would have been stopped. */
async function remember(): Promise<void> {
  const store = await openSqlStore({ kind: "sqlite", file: join(home(), "conduct.db") });
  let last = 0;
  const event = (
    session: string,
    body: EventBody,
    change: Partial<ConductEvent> = { observing: "shadow" },
  ): ConductEvent => {
    last += 1;
    const at = change.at ?? NOW - 2 * HOUR + last * 60_000;
    const base = sampleEvent(body, { id: `e_${last}`, seq: last, session, agent: "coding", at });
    return { ...base, ...(change.observing === undefined ? {} : { observing: change.observing }) };
  };
  const started = (adapter: string): EventBody => ({ type: "notice", notice: { kind: "started", adapter } });
  const call = (id: string, command: string, shadows: readonly Objection[] = []): EventBody => ({
    ...sampleCall({ kind: "allow", id, advice: [], because: "shadow" }, "shell", { command }, id),
    ...(shadows.length === 0 ? {} : { shadows }),
  });
  const tests: Objection = {
    rule: "commit-needs-tests",
    code: "missing-prerequisite",
    reason: "Run the tests before you commit.",
  };
  const force: Objection = {
    rule: "no-force-push",
    code: "policy",
    reason: "History that others have is not rewritten.",
  };
  try {
    await store.events.append([
      event("one", started("claude-code")),
      event("one", call("d_1", "npm test")),
      event("one", call("d_2", "git commit -m a\u001b[2J", [tests])),
      event("one", call("d_3", "git commit -m b", [tests])),
      event("two", started("claude-code")),
      event("two", call("d_4", "git push --force", [force, force, tests])),
      event("two", { type: "stop", status: "refused", refusals: 1, bound: 5, feedback: "report.md is missing." }),
      // Of another runtime, from before, and enforced: none of these counts.
      event("pi", started("pi")),
      event("pi", call("d_5", "git commit", [tests])),
      event("one", call("d_6", "git commit", [tests]), { observing: "shadow", at: NOW - 30 * HOUR }),
      event("two", call("d_7", "git commit", [tests]), {}),
    ]);
  } finally {
    await store.close();
  }
}

describe("conduct enforce", () => {
  beforeEach(async () => {
    await setUp("claude-code");
    await shadow("claude-code");
    journaled.length = 0;
    asked.length = 0;
  });

  it("ENF-1 enforce shows the calls it would have blocked, asks for confirmation, and turns enforcement on (golden)", async () => {
    await remember();
    const { outcome, said } = await enforce({}, { answers: [true] });
    expect(outcome).toMatchObject({
      ok: true,
      result: {
        changed: ["claude-code"],
        runtimes: [
          {
            runtime: "claude-code",
            shadow: {
              sessions: 2,
              calls: 4,
              stopped: 3,
              stops: { times: 1 },
              rules: [
                { rule: "commit-needs-tests", times: 3, examples: [{ id: "d_4" }, { id: "d_3" }, { id: "d_2" }] },
                { rule: "no-force-push", times: 1, examples: [{ id: "d_4", call: 'shell "git push --force"' }] },
              ],
            },
          },
        ],
      },
    });
    await expect(said).toMatchFileSnapshot("enforce.golden.txt");
    expect(await readRuntimes(home())).toMatchObject({
      "claude-code": { enforcement: "enforce", since: new Date(NOW).toISOString() },
    });
    expect(journaled).toMatchObject([{ kind: "runtime.enforced", by: "cli:ann", body: { runtime: "claude-code" } }]);
  });

  it("ENF-2 --shadow turns enforcement off again after a confirmation", async () => {
    await enforce({ yes: true });
    expect((await enforce({ shadow: true }, { answers: [false] })).outcome).toMatchObject({ code: "NOT_CONFIRMED" });
    const { outcome, said } = await enforce({ shadow: true }, { answers: [true] });
    expect(outcome).toMatchObject({ ok: true, result: { changed: ["claude-code"] } });
    expect(said).toContain("○ shadow mode in Claude Code");
    expect(await readRuntimes(home())).toMatchObject({ "claude-code": { enforcement: "shadow" } });
    expect(journaled.map(({ kind }) => kind)).toEqual(["runtime.enforced", "runtime.watched"]);
  });

  it.each([
    { answers: [false], json: false, code: "NOT_CONFIRMED" },
    { answers: [], json: false, code: "CONFIRMATION_NEEDED" },
    { answers: [true], json: true, code: "CONFIRMATION_NEEDED" },
  ])("ENF-3 without a confirmation the mode does not change: $code", async ({ answers, json, code }) => {
    const { outcome } = await enforce({ runtime: "claude-code" }, { answers, terminal: { json } });
    expect(outcome).toMatchObject({ ok: false, code, next: [{ command: "conduct enforce claude-code --yes" }] });
    expect(await readRuntimes(home())).toMatchObject({ "claude-code": { enforcement: "shadow", since: SINCE } });
    expect(journaled).toEqual([]);
  });

  it("ENF-4 only a person can change the mode: an agent's command is rejected in both directions", async () => {
    const inside = () => ({ agent: "Claude Code", sign: "CLAUDECODE is set" });
    for (const args of [{ yes: true }, { yes: true, shadow: true }])
      expect((await enforce(args, { inside })).outcome).toMatchObject({ ok: false, code: "INSIDE_AGENT" });
    expect(await readRuntimes(home())).toMatchObject({ "claude-code": { enforcement: "shadow" } });
  });

  it("ENF-5 a runtime that is not installed or unknown is reported, and an enforced one stays enforced", async () => {
    expect((await enforce({ runtime: "pi" })).outcome).toMatchObject({ code: "NOT_INSTALLED", fix: "conduct init pi" });
    expect((await enforce({ runtime: "emacs" })).outcome).toMatchObject({ code: "BAD_ARGUMENT" });
    await enforce({ yes: true });
    expect((await enforce({ yes: true })).said).toContain("Claude Code: enforced already");
    expect(journaled).toHaveLength(1);
  });

  it("ENF-6 without a name enforce changes every installed runtime and no other", async () => {
    await setUp("pi");
    await shadow("openclaw");
    expect((await enforce({ yes: true })).outcome).toMatchObject({ result: { changed: ["claude-code", "pi"] } });
    expect(await readRuntimes(home())).toMatchObject({ openclaw: { enforcement: "shadow" } });
  });

  it("ENF-7 enforce says so if a runtime has no recorded calls or no violations yet", async () => {
    expect((await enforce({}, { answers: [false] })).said).toContain("No call was recorded yet");
    await remember();
    await shadow("pi");
    await writeRuntime(home(), "claude-code", {
      enforcement: "shadow",
      operator: false,
      since: new Date(NOW).toISOString(),
    });
    expect((await enforce({ runtime: "claude-code" }, { answers: [false] })).said).toContain(
      "No call was recorded yet",
    );
  });

  it("ENF-8 unreadable settings are named and not changed", async () => {
    write(".conduct/runtimes.json", "{");
    expect((await enforce({ yes: true })).outcome).toMatchObject({
      ok: false,
      code: "ENFORCE_FAILED",
      message: expect.stringContaining("runtimes.json"),
    });
  });
});
