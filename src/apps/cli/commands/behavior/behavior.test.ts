import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { StoreError } from "../../../../edge/stores/sql/store-error.ts";
import { OPENED, sampleEvent } from "../../../../edge/stores/test/events-samples.ts";
import { paintFor } from "../../line/terminal.ts";
import { type TestGovernance, tampered, testGovernance } from "../../test/test-governance.ts";

type Result = {
  readonly version: number;
  readonly hash: string;
  readonly block: string;
  readonly directives: readonly { readonly id: string; readonly text: string }[];
  readonly scopes: readonly { readonly scope: string; readonly version: number }[];
  readonly candidates: readonly { readonly id: string; readonly status: string; readonly blocked?: string }[];
};

async function listed(at: TestGovernance, line = "behavior list"): Promise<Result> {
  const { outcome } = await at.run(line);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.result as Result;
}

/** A contract with a past: two scopes, a candidate, a change taken back. */
async function steered(env: NodeJS.ProcessEnv = {}): Promise<{ readonly at: TestGovernance; readonly told: string }> {
  const at = testGovernance(env);
  // Three sessions that go on: what a change says of them is in the golden text, and in the documentation.
  await at.events.append(
    ["s_1", "s_2", "s_3"].map((session) => sampleEvent(OPENED, { id: session, session, at: at.now })),
  );
  let told = "";
  const lines = [
    "behavior list",
    'behavior add "KEEP: frequent status handoffs"',
    'behavior add "STOP: frequent status handoffs"',
    'behavior replace d_1 "STOP: frequent status handoffs" --dry-run',
    'behavior replace d_1 "STOP: frequent status handoffs"',
    "behavior add --type=less --text=--long-winded-answers --scope=agent:ada --expires=7d",
    'behavior add "stop: Frequent status hand-offs!"',
    'behavior add "STOP: Frequent status hand-offs!"',
    "behavior list",
    "behavior list --agent=ada",
    'behavior promote c_1 "STOP: status reports in the night"',
    "behavior undo",
    "behavior reject c_1 --reason='not now'",
    'behavior remove d_5 --reason="of no use"',
    "behavior remove d_404",
    "behavior show d_4",
    "behavior show c_1",
    "behavior show --version=2",
    "behavior diff 1 4",
    "behavior history --search=handoffs",
    "behavior history --limit=2",
    "behavior stats",
    "behavior apply",
    "journal verify",
    "journal rebuild",
  ];
  for (const line of lines) {
    if (line.startsWith("behavior list") && told.includes("Frequent")) await at.propose("status reports at night");
    const { said, code } = await at.run(line);
    told += `$ conduct ${line}\n${said.trimEnd()}\n-> ${code}\n\n`;
    at.now += 60_000;
  }
  return { at, told };
}

describe("conduct behavior", () => {
  it("F03 a whole session at the terminal matches its golden text, and the same commands print the same bytes (golden)", async () => {
    const { told } = await steered();
    await expect(told).toMatchFileSnapshot("behavior.golden.txt");
    expect((await steered()).told).toBe(told);
  });

  it("CB-5 the example in docs/guides/contract.md matches the real output", async () => {
    const { told } = await steered();
    const document = await readFile(new URL("../../../../../docs/guides/contract.md", import.meta.url), "utf8");
    const [, picture = ""] = /^```\n([\s\S]*?)^```$/m.exec(document) ?? [];
    const lines = picture.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) expect(told.split("\n")).toContain(line);
  });

  it("F01 --json prints the same results as envelopes (golden)", async () => {
    const { at } = await steered();
    const lines = [
      'behavior add "MORE: tests" --dry-run --json',
      'behavior add "MORE: tests" --json',
      'behavior add "LESS: tests" --json',
      "behavior list --json",
    ];
    const envelopes = [];
    for (const line of lines) envelopes.push((await at.run(line)).envelope);
    await expect(`${JSON.stringify(envelopes, null, 2)}\n`).toMatchFileSnapshot("behavior-json.golden.txt");
  });

  it("CB-1 coloured output of conduct behavior differs from plain output only in its colours", async () => {
    const plain = await testGovernance().run('behavior add "KEEP: short answers"');
    const dressed = await testGovernance().run('behavior add "KEEP: short answers"', { paint: paintFor(true) });
    expect(dressed.said).toContain("\u001b[32m");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what colours are made of.
    expect(dressed.said.replace(/\u001b\[\d+m/g, "")).toBe(plain.said);
  });

  it.each([
    ["behavior add", "INVALID_DIRECTIVE_TEXT"],
    ["behavior add ''", "INVALID_DIRECTIVE_TEXT"],
    ["behavior add --type=keep", "INVALID_DIRECTIVE_TEXT"],
    ["behavior add --type=kepe --text=x", "BAD_ARGUMENT"],
    ["behavior add 'short answers'", "INVALID_DIRECTIVE_TEXT"],
    ["behavior add 'KEEP:short answers'", "INVALID_DIRECTIVE_TEXT"],
    ["behavior add 'STOP: doing that?'", "INVALID_DIRECTIVE_TEXT"],
    ["behavior add 'KEEP: x y' --text='x y'", "BAD_ARGUMENT"],
    ["behavior replace", "MISSING_DIRECTIVE_ID"],
    ["behavior replace d_1", "INVALID_DIRECTIVE_TEXT"],
    ["behavior show --version=x", "BAD_ARGUMENT"],
    ["behavior show --at=yesterday", "INVALID_TIME"],
    ["behavior show d_1 --version=1", "BAD_ARGUMENT"],
    ["behavior show --hash=xyz", "BAD_ARGUMENT"],
    ["behavior diff", "BAD_ARGUMENT"],
    ["behavior diff one", "BAD_ARGUMENT"],
    ["behavior list --agent='a b'", "INVALID_SCOPE"],
    ["behavior history --limit=0", "BAD_ARGUMENT"],
    ["journal verify --head=1", "BAD_ARGUMENT"],
    ["journal export --from=x", "BAD_ARGUMENT"],
  ])("F04 '%s' returns an envelope with %s and exit code 2", async (line, code) => {
    const at = testGovernance();
    await at.run('behavior add "KEEP: this as it is"');
    const ran = await at.run(line);
    expect(ran).toMatchObject({ code: 2, envelope: { ok: false, error: { code }, fix: expect.stringMatching(/\S/) } });
    expect(await at.journal.head()).toMatchObject({ seq: 1 });
  });

  it.each([
    ["behavior remove", "MISSING_DIRECTIVE_ID"],
    ["behavior remove d_9", "DIRECTIVE_NOT_FOUND"],
    ["behavior replace d_9 'STOP: x y'", "DIRECTIVE_NOT_FOUND"],
    ["behavior promote", "MISSING_CANDIDATE_ID"],
    ["behavior promote c_9", "CANDIDATE_NOT_FOUND"],
    ["behavior reject", "MISSING_CANDIDATE_ID"],
    ["behavior show x_9", "DIRECTIVE_NOT_FOUND"],
    ["behavior show --version=9", "VERSION_NOT_FOUND"],
    ["behavior show --hash=000000", "VERSION_NOT_FOUND"],
    ["behavior diff 1 9", "VERSION_NOT_FOUND"],
    ["behavior undo --scope=agent:ada", "NOTHING_TO_UNDO"],
    ["behavior undo --scope=nobody", "INVALID_SCOPE"],
    ["behavior add 'KEEP: a <b>tag</b>'", "INVALID_DIRECTIVE_TEXT"],
    ["behavior add 'KEEP: x y' --scope=nobody", "INVALID_SCOPE"],
    ["behavior add 'KEEP: x y' --expires=2020-01-01T00:00Z", "INVALID_TIME"],
    ["behavior add 'KEEP: x y' --expires=soon", "INVALID_TIME"],
    ["behavior add 'STOP: this as it is'", "BEHAVIOR_CONFLICT"],
  ])("D12 '%s' is rejected with %s and a non-zero exit code", async (line, code) => {
    const at = testGovernance();
    await at.run('behavior add "KEEP: this as it is"');
    expect(await at.run(line)).toMatchObject({
      code: 1,
      envelope: { ok: false, error: { code }, fix: expect.any(String) },
    });
    expect(await at.journal.head()).toMatchObject({ seq: 1 });
  });

  it.each([
    ["a positional", 'behavior add "STOP: -v in every answer"', undefined, "-v in every answer"],
    ["--text", "behavior add --type=STOP --text=--verbose", undefined, "--verbose"],
    ["stdin", "behavior add", "STOP: what came in\n", "what came in"],
    ["stdin with --type", "behavior add --type=stop", "what came in\r\n", "what came in"],
    ["bold", 'behavior add "**STOP:** what came in"', undefined, "what came in"],
  ])("B10 the directive's text can come from %s", async (_, line, piped, text) => {
    const at = testGovernance();
    const { code } = await at.run(line, { piped: async () => piped });
    expect(code).toBe(0);
    expect((await listed(at)).directives).toMatchObject([{ type: "stop", text }]);
  });

  it("B08 several lines from stdin are rejected, not truncated", async () => {
    const at = testGovernance();
    const ran = await at.run("behavior add", { piped: async () => "STOP: this\nKEEP: that\n" });
    expect(ran).toMatchObject({ code: 2, envelope: { error: { code: "INVALID_DIRECTIVE_TEXT" } } });
  });

  it("C05 the first suggestion of a conflict is the replacement command, and it works when copied", async () => {
    const at = testGovernance();
    const text = `what 'they' say is "now"! (\\o/)`;
    await at.run("behavior add", { piped: async () => `KEEP: ${text}` });
    const { outcome } = await at.run("behavior add", { piped: async () => `STOP: ${text}` });
    expect(outcome).toMatchObject({ ok: false, code: "BEHAVIOR_CONFLICT" });
    expect((await at.run(outcome.next[0]?.command ?? "")).code).toBe(0);
    expect((await listed(at)).directives).toMatchObject([{ type: "stop", text }]);
  });

  it("C01 a repeated directive is already in force: version and hash stay the same, and the history has a note", async () => {
    const at = testGovernance();
    await at.run('behavior add "KEEP: short answers"');
    const before = await listed(at);
    const { outcome } = await at.run('behavior add "KEEP: Short answers."');
    expect(outcome).toMatchObject({ ok: true, result: { outcome: "repeated", diff: { same: true, added: [] } } });
    expect(await listed(at)).toEqual(before);
    expect((await at.run("behavior history")).said).toContain("repeated: 'KEEP: Short answers.'");
  });

  it.each([
    ["ten", "The cap 'ten' is not a whole number from 1 to 200. The default of 24 is used.", 24],
    ["2", undefined, 2],
  ])("C06 list and stats show the effect of the cap %s", async (cap, note, directives) => {
    const at = testGovernance({ CONDUCT_CONTRACT_CAP: cap });
    for (const line of ["behavior list", "behavior stats"]) {
      const { outcome, said } = await at.run(line);
      expect(outcome).toMatchObject({ ok: true, result: { cap: { directives } } });
      if (note !== undefined) expect(said).toContain(note);
    }
  });

  it("C07 C08 at the cap nothing is dropped, and a candidate that cannot be promoted stays pending with the reason", async () => {
    const at = testGovernance({ CONDUCT_CONTRACT_CAP: "1" });
    await at.run('behavior add "KEEP: short answers"');
    expect((await at.run('behavior add "MORE: tests"')).envelope).toMatchObject({
      error: { code: "BEHAVIOR_CONTRACT_CAP" },
    });
    await at.propose("reports at night");
    expect((await at.run("behavior promote c_1")).envelope).toMatchObject({ error: { code: "BEHAVIOR_CONTRACT_CAP" } });
    const { candidates, directives } = await listed(at);
    expect(candidates).toMatchObject([
      { id: "c_1", status: "pending", blocked: expect.stringContaining("the limit is 1") },
    ]);
    await at.run(`behavior remove ${directives[0]?.id}`);
    expect((await at.run("behavior promote c_1")).code).toBe(0);
  });

  it.each([
    'add "MORE: tests"',
    "remove d_1",
    'replace d_1 "STOP: short answers"',
    "promote c_1",
    "reject c_1",
    "apply",
    "undo",
  ])("F06 '%s --dry-run' shows the block and the difference, and writes nothing", async (line) => {
    const make = async () => {
      const at = testGovernance();
      await at.run('behavior add "KEEP: short answers"');
      await at.propose("reports at night");
      return at;
    };
    const at = await make();
    const before = await at.journal.head();
    const { outcome, said } = await at.run(`behavior ${line} --dry-run`);
    expect(said).toContain("nothing was written");
    expect(await at.journal.head()).toEqual(before);
    const { outcome: done } = await (await make()).run(`behavior ${line}`);
    expect(done.result).toEqual({ ...(outcome.result as object), dryRun: false });
    expect(done.result).toMatchObject({ block: expect.any(String), diff: { from: { version: 1 } } });
  });

  it("D22 D04 D20 undo restores the same lines and hash under a new version, and a hash lists its versions", async () => {
    const at = testGovernance();
    await at.run('behavior add "KEEP: short answers"');
    const before = await listed(at);
    await at.run('behavior add "MORE: tests"');
    await at.run("behavior undo");
    const after = await listed(at);
    expect([after.version, after.hash]).toEqual([3, before.hash]);
    const shown = await at.run(`behavior show --hash=${before.hash.slice(0, 6)}`);
    expect(shown.outcome).toMatchObject({ result: { versions: [1, 3], directives: [{ text: "short answers" }] } });
  });

  it("D23 a directive expires on its own, and the contract can be shown at any time in the past", async () => {
    const at = testGovernance();
    const start = at.now;
    await at.run('behavior add "KEEP: short answers" --expires=1h');
    at.now += 3_600_000;
    expect((await listed(at)).directives).toEqual([]);
    const past = await listed(at, `behavior show --at=${new Date(start + 1_000).toISOString()}`);
    expect(past.directives).toMatchObject([{ text: "short answers" }]);
    const { said } = await at.run('behavior add "MORE: tests"');
    expect(said).toContain("- KEEP: short answers\n  + MORE: tests");
    expect((await at.run("behavior history")).said).toContain("expired: 'KEEP: short answers' (d_1)");
  });

  it("D24 apply says which expired directives it removed, and that there is nothing to change once they are gone", async () => {
    const at = testGovernance();
    await at.run('behavior add "KEEP: short answers" --expires=1h');
    at.now += 3_600_000;
    expect((await at.run("behavior apply")).said).toContain(
      "checked again: removed 'KEEP: short answers' (d_1), which has expired",
    );
    expect((await at.run("behavior apply")).said).toContain("checked again: nothing to change");
  });

  it("D19 list shows every scope by default, and with a view exactly the contract of that view", async () => {
    const at = testGovernance();
    await at.run('behavior add "KEEP: short answers"');
    await at.run('behavior add "MORE: tests" --scope=user:bob');
    const whole = await listed(at);
    expect(whole).toMatchObject({
      version: 1,
      directives: [{ id: "d_1" }],
      scopes: [{ scope: "user:bob", version: 2 }],
    });
    const bob = await listed(at, "behavior list --user=bob --channel=web");
    expect(bob.scopes).toBeUndefined();
    expect(bob.block).toBe(
      `<GATEWAY_BEHAVIOR_CONTRACT version=2 hash=${bob.hash}>\n- KEEP: short answers\n- MORE: tests\n</GATEWAY_BEHAVIOR_CONTRACT>`,
    );
    expect((await at.run("behavior diff 1 2")).said).toContain("+ MORE: tests   user:bob");
    expect((await at.run("behavior diff 1 2 --agent=ada")).said).toContain("no difference");
  });

  it("D05 with a damaged journal the intact part is shown, the fault is reported, and nothing is written", async () => {
    const { at } = await steered();
    const { seq } = await at.journal.head();
    const bad = tampered(at.journal, (entry) => (entry.seq === 2 ? { ...entry, by: "mallory" } : entry));
    const list = await at.run("behavior list", bad);
    expect(list).toMatchObject({
      code: 1,
      outcome: { code: "GATEWAY_BEHAVIOR_FAILED", result: { version: 1, directives: [{ type: "keep" }] } },
    });
    expect(list.said).toContain("✗ the journal is damaged");
    for (const line of [
      'behavior add "MORE: tests"',
      "behavior undo",
      "behavior stats",
      "behavior diff 1",
      "journal rebuild",
    ]) {
      expect((await at.run(line, bad)).envelope, line).toMatchObject({ error: { code: "GATEWAY_BEHAVIOR_FAILED" } });
    }
    expect(await at.journal.head()).toMatchObject({ seq });
  });

  it.each(["behavior list", "behavior add 'KEEP: short answers'", "journal verify"])(
    "D11 '%s' on a store that cannot be opened returns an envelope that says what to do",
    async (line) => {
      const open = () => Promise.reject(new StoreError("STORE_FULL", "The disk is full", "Make room."));
      expect((await testGovernance().run(line, { open })).envelope).toMatchObject({
        ok: false,
        error: { code: "STORE_FULL", message: "The disk is full" },
        fix: "Make room.",
      });
      const broken = () => Promise.reject(new Error("out of luck"));
      expect((await testGovernance().run(line, { open: broken })).envelope).toMatchObject({
        error: { code: "GATEWAY_BEHAVIOR_FAILED", message: "out of luck" },
      });
    },
  );

  it.each([
    "add 'MORE: tests'",
    "replace d_1 'MORE: tests'",
    "remove d_1",
    "promote c_1",
    "reject c_1",
    "apply",
    "undo",
  ])("CB-2 an agent cannot run '%s', but has read-only access", async (line) => {
    const at = testGovernance();
    await at.run('behavior add "KEEP: short answers"');
    const inside = async () => ({ agent: "Codex", sign: "the environment variable CODEX_THREAD_ID is set" });
    expect((await at.run(`behavior ${line}`, { inside })).envelope).toMatchObject({ error: { code: "INSIDE_AGENT" } });
    expect(await at.journal.head()).toMatchObject({ seq: 1 });
    expect((await at.run("behavior list", { inside })).code).toBe(0);
  });
});
