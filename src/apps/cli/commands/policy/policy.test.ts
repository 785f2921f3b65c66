import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wantsJson } from "../../line/command-line.ts";
import { runCommandLine } from "../../line/run-command-line.ts";
import { paintFor } from "../../line/terminal.ts";
import { testTerminal } from "../../test/test-terminal.ts";

const ROOT = join(import.meta.dirname, "../../../../..");

const BAD = `actions:
  test: { tool: shel, comand: "npm test *" }
  deploy: { tool: shell, command: "npm run deploy *", implies: [] }
rules:
  - id: deploy-needs-proof
    on: deploy
    requires: { all: [test, build] }
  - id: login-first
    on: bank/transfer
    when: "args.amount > "
    require: { any: [bank/login, bank/admin], within: 10 minutes }
  - id: login-first
    on: bank/transfer
    require: { call: read_file, fresh: true }
  - { id: a, on: bank/a, require: bank/b }
  - { id: b, on: bank/b, require: bank/a }
  - { id: loud, on: fetch, effect: deny }
  - { id: quiet, on: fetch, effect: warn }
`;

const RULES = `actions:
  test: { tool: shell, command: "npm test *" }
  push: { tool: shell, command: "git push *" }
rules:
  - { id: push-needs-tests, on: push, require: test, say: "Test first." }
  - { id: slow-fetch, on: fetch, set: { timeout: 60 } }
  - { id: few-tasks, on: task, atMost: { count: 1, per: [kind] }, effect: warn }
  - { id: reads-are-watched, on: read_file, when: 'args.path.endsWith(".env")', effect: shadow }
`;

const CASES = `cases:
  - name: '"git push" after a failing test run'
    calls:
      - { shell: npm test, outcome: failed }
      - { shell: git push, expect: allow }
  - name: '"git push" after the tests'
    calls:
      - shell: npm test
      - { shell: git push, expect: deny push-needs-tests }
  - name: '"git push" after tests in a pipe'
    calls:
      - shell: npm test | tail
      - { shell: git push, expect: allow }
  - name: a fetch is slow
    calls:
      - { call: { tool: fetch, args: { url: x } }, expect: allow, input: { url: x, timeout: 30 } }
  - name: a second task of a kind is warned of
    calls:
      - call: { tool: task, args: { kind: a } }
      - { call: { tool: task, args: { kind: b } }, expect: allow }
      - { call: { tool: task, args: { kind: a } }, expect: warn few-tasks }
  - name: a secret is read under observation
    calls:
      - { read_file: .env, expect: shadow reads-are-watched }
      - { read_file: a.txt, expect: shadow reads-are-watched }
  - name: nothing is on ls
    calls:
      - { shell: ls, expect: deny push-needs-tests }
`;

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "conduct-policy-"));
  await writeFile(join(cwd, "bad.yaml"), BAD);
  await writeFile(join(cwd, "rules.yaml"), RULES);
  await writeFile(join(cwd, "cases.yaml"), CASES);
  await writeFile(join(cwd, "other.yaml"), RULES);
  await writeFile(
    join(cwd, "other.cases.yaml"),
    "cases:\n  - { name: x, calls: [{ shell: ls, expect: deny push-need-tests }] }\n",
  );
  await writeFile(join(cwd, "session.yaml"), "- { shell: npm test, outcome: unknown }\n- shell: npm test || true\n");
  await mkdir(join(cwd, "alone"));
  await writeFile(join(cwd, "alone/rules.yaml"), RULES);
  await writeFile(
    join(cwd, "conduct.yaml"),
    "agents:\n  a:\n    rules: [packs/coding, ./rules.yaml, ./bad.yaml, none.yaml]\n",
  );
  await writeFile(
    join(cwd, "good.yaml"),
    "agents:\n  a:\n    tools: [{ name: pay, prerequisites: [push] }]\n    rules: [./rules.yaml, { id: mine, on: fetch, require: test }]\n",
  );
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

async function run(...argv: readonly string[]) {
  const terminal = testTerminal({ cwd, json: wantsJson(argv) });
  const code = await runCommandLine(argv, terminal);
  return { code, said: terminal.said(), complained: terminal.complained() };
}

describe("conduct policy", () => {
  it("PC-1 policy check shows every fault with its line and a mark (golden)", async () => {
    const { code, said } = await run("policy", "check", "bad.yaml");
    expect(code).toBe(1);
    await expect(said).toMatchFileSnapshot("policy-check.golden.txt");
  });

  it("PC-2 policy check shows what each rule does (golden)", async () => {
    const { code, said } = await run("policy", "check", "rules.yaml", "alone");
    expect(code).toBe(0);
    await expect(said).toMatchFileSnapshot("policy-check-good.golden.txt");
  });

  it("PC-3 test shows the expected decision, the actual one, and why (golden)", async () => {
    const { code, said } = await run("policy", "test");
    expect(code).toBe(1);
    await expect(said).toMatchFileSnapshot("policy-test.golden.txt");
  });

  it("PC-4 explain shows how every part of every rule evaluates on the call (golden)", async () => {
    const { code, said } = await run(
      "policy",
      "explain",
      "--call",
      '{"shell":"git push"}',
      "--session",
      "session.yaml",
    );
    expect(code).toBe(0);
    await expect(said).toMatchFileSnapshot("policy-explain.golden.txt");
  });

  it("PC-5 config check reports the faults of a rule file with their own file and line (golden)", async () => {
    const { code, said } = await run("config", "check", "conduct.yaml");
    expect(code).toBe(1);
    const steady = said.replace(/(packs\/coding\/rules\.yaml):\d+/g, "$1:LINE");
    await expect(steady).toMatchFileSnapshot("policy-config.golden.txt");
  });

  it("PC-6 config check shows the rules that apply to an agent (golden)", async () => {
    const { code, said } = await run("config", "check", "good.yaml");
    expect(code).toBe(0);
    await expect(said).toMatchFileSnapshot("policy-config-good.golden.txt");
  });

  it.each([
    [["policy", "check", "rules.yaml"], 0, undefined],
    [["policy", "check", "bad.yaml"], 1, "RULES_INVALID"],
    [["policy", "check", "none.yaml"], 1, "RULES_NOT_FOUND"],
    [["policy", "test", "rules.yaml"], 1, "CASES_FAILED"],
    [["policy", "test", "bad.yaml"], 1, "RULES_INVALID"],
    [["policy", "test", "other.yaml"], 1, "CASES_INVALID"],
    [["policy", "test", "alone"], 1, "CASES_NOT_FOUND"],
    [["policy", "test", "packs/ops"], 0, undefined],
    [
      ["policy", "explain", "packs/coding", "--call", '{"tool":"shell","args":{"command":"git push -f"}}'],
      0,
      undefined,
    ],
    [["policy", "explain", "rules.yaml"], 2, "CALL_MISSING"],
    [["policy", "explain", "rules.yaml", "--call", '{"tol":"shell"}'], 1, "CALL_INVALID"],
    [["policy", "explain", "bad.yaml", "--call", '{"shell":"ls"}'], 1, "RULES_INVALID"],
    [["policy", "explain", "rules.yaml", "--call", '{"shell":"ls"}', "--session", "bad.yaml"], 1, "CASES_INVALID"],
    [["policy", "schema"], 0, undefined],
    [["policy", "schema", "--cases"], 0, undefined],
  ])("PC-7 %j --json returns one envelope with exit code %i", async (argv, code, error) => {
    const answer = await run(...argv, "--json");
    expect([answer.code, answer.complained]).toEqual([code, ""]);
    const envelope = JSON.parse(answer.said);
    expect(envelope.ok).toBe(code === 0);
    expect(envelope.error?.code).toBe(error);
  });

  it('PC-8 explain --json reports an unknown condition as "unknown", distinct from false', async () => {
    const call = '{"tool":"task","args":{}}';
    const { result } = JSON.parse(
      (
        await run(
          "policy",
          "explain",
          "packs/support-desk",
          "--call",
          '{"tool":"refund","args":{"customer":"c"}}',
          "--json",
        )
      ).said,
    );
    expect(result.decision.kind).toBe("deny");
    const byId = new Map(result.rules.map((rule: { id: string }) => [rule.id, rule]));
    expect(byId.get("large-refund-asks")).toMatchObject({ when: { truth: "unknown" }, verdict: "violated" });
    expect(byId.get("refund-needs-the-order")).toMatchObject({ require: { truth: "unknown" } });
    expect(byId.get("identity-first")).toMatchObject({ require: { truth: false } });
    const { result: other } = JSON.parse((await run("policy", "explain", "--call", call, "--json")).said);
    expect(other.rules).toMatchObject([{ id: "few-tasks", verdict: "violated" }]);
  });

  it("PC-9 coloured output of conduct policy differs from plain output only in its colours", async () => {
    const argv = ["policy", "explain", "--call", '{"shell":"git push"}'];
    const terminal = testTerminal({ cwd, paint: paintFor(true) });
    await runCommandLine(argv, terminal);
    expect(terminal.said()).toContain("\u001b[31m");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what colours are made of.
    expect(terminal.said().replace(/\u001b\[\d+m/g, "")).toBe((await run(...argv)).said);
  });

  it("XPL-1 explain judges a command with the files of this folder, the real home and its repository", async () => {
    const own = await mkdtemp(join(tmpdir(), "conduct-here-"));
    const explained = async (command: string, ...more: readonly string[]) => {
      const terminal = testTerminal({ cwd: own, json: true });
      await runCommandLine(["policy", "explain", command, ...more, "--json"], terminal);
      const { decision, folder } = JSON.parse(terminal.said()).result;
      return {
        folder,
        decision: `${decision.kind} ${decision.rule ?? ""}`.trim(),
        said: decision.question ?? decision.reason,
      };
    };
    try {
      await mkdir(join(own, "src"));
      await writeFile(join(own, "src/a.ts"), "one\n");
      const commit = "git -c user.name=a -c user.email=a@example.org commit -qm first";
      spawnSync("bash", ["-c", `git init -q && git add -A && ${commit}`], { cwd: own });
      expect(await explained("git checkout src/a.ts")).toMatchObject({ folder: own, decision: "allow" });
      expect(await explained("rm src/a.ts")).toMatchObject({ decision: "allow" });
      // A command, although its last word is the name of a rule file.
      expect(await explained("cat rules.yaml")).toMatchObject({ decision: "allow" });
      await writeFile(join(own, "src/a.ts"), "two\n");
      expect(await explained("rm src/a.ts")).toMatchObject({
        decision: "ask uncommitted-work-asks",
        said: expect.stringContaining("+two"),
      });
      expect(await explained("echo x > ~/.bashrc")).toMatchObject({ decision: "deny builtin:workspace" });
      expect(await explained("echo x > src/a.ts")).toMatchObject({ decision: "deny read-before-write" });
      const call = '{"shell": "rm src/a.ts", "files": {"src/a.ts": "one"}}';
      expect(await explained("packs/coding", "--call", call)).toMatchObject({ folder: undefined, decision: "allow" });
      expect(await readFile(join(own, "src/a.ts"), "utf8")).toBe("two\n");
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  });

  it("XPL-2 check warns about a rule that compares args.path with an absolute path of a workspace", async () => {
    const rule = (when: string) => `rules:\n  - { id: a, on: write_file, when: '${when}' }\n`;
    const warned = async (when: string) => {
      await writeFile(join(cwd, "absolute.yaml"), rule(when));
      return (await run("policy", "check", "absolute.yaml")).said.replace(/\s+/g, " ");
    };
    expect(await warned('args.path.startsWith("/home/me/shop/src/")')).toContain(
      "this never matches a file in the workspace",
    );
    expect(await warned('args.path == "/srv/app/a.ts"')).toContain("write the path from the workspace");
    expect(await warned('args.path.startsWith("/etc/")')).not.toContain("warning");
    expect(await warned('args.path.startsWith("src/")')).not.toContain("warning");
  });

  it.each(["coding", "ops", "data", "research", "support-desk"])(
    "PK-1 every case of packs/%s passes, and every rule objects in at least one case",
    async (pack) => {
      const { result } = JSON.parse((await run("policy", "test", `packs/${pack}`, "--json")).said);
      expect(result.files[0].failures).toEqual([]);
      expect(result.files[0].silent).toEqual([]);
      expect(result.files[0].cases).toBeGreaterThanOrEqual(10);
    },
  );

  it("PK-2 all packs can be used together", async () => {
    await writeFile(
      join(cwd, "all.yaml"),
      "agents: { a: { rules: [packs/coding, packs/ops, packs/support-desk, packs/data, packs/research] } }\n",
    );
    const { code, said } = await run("config", "check", "all.yaml");
    expect([code, said.includes("warning")]).toEqual([0, false]);
  });

  it("PK-3 a local folder with the name of a shipped pack is reported as ambiguous", async () => {
    const own = await mkdtemp(join(tmpdir(), "conduct-pack-"));
    try {
      await mkdir(join(own, "packs/coding"), { recursive: true });
      await cp(join(ROOT, "packs/ops/rules.yaml"), join(own, "packs/coding/rules.yaml"));
      const terminal = testTerminal({ cwd: own });
      expect(await runCommandLine(["policy", "check", "packs/coding"], terminal)).toBe(1);
      expect(terminal.complained()).toContain("both a folder here and a pack shipped with Conduct");
      expect(await runCommandLine(["policy", "check", "./packs/coding"], terminal)).toBe(0);
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  });
});
