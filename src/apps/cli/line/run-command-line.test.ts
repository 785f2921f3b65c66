import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parseShellLine } from "../../../behavior/commands/shell/shell-line.ts";
import { COMMANDS } from "../declared/command-tree.ts";
import { testTerminal } from "../test/test-terminal.ts";
import { parseCommandLine, wantsJson } from "./command-line.ts";
import { runCommandLine } from "./run-command-line.ts";
import { paintFor } from "./terminal.ts";

const BIN = join(import.meta.dirname, "../conduct.mjs");
const BAD = `agents:
  defaults:
    model: claude-sonnet-4-5
  release:
    polices:
      - sequential: { deploy: [test] }
    tools:
      - { name: shell, risk: hihg }
    feedback:
      - deadline: { warnAt: 2 }
        every: { second: 30 }
    completion: { files: report.md }
    limits: { tokens: 400_000, deadline: 30, toolResultShare: 30 }
channels:
  telegram: { operators: [12345678] }
`;

const TOLD = `agents:
  defaults:
    model: anthropic/claude-sonnet-4-5
    sessionLabels: { enabled: true, model: anthropic/claude-haiku-4-5 }
    promptContributors:
      - id: security-guidelines
        tags: [{ dimension: domain, value: security }]
        priority: 50
        content: Never commit secrets.
  ada:
    identity: { name: Ada, vibe: "dry, precise", description: a personal assistant }
    soul: ./soul.md
    memory: preload
    elevation: never
    checkpoints: { review_plan: Read the plan once more. }
    prompt: { mode: full, budget: 8_000, voice: Calm., docs: [README.md] }
    promptContributors:
      - { id: tone, content: Be short., zone: session }
      - { id: pager, content: One line., tags: [{ dimension: channel, value: pagr }] }
  plain:
    sessionLabels: { enabled: false }
channels:
  pager: { guidance: One line., interactive: false }
`;

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "conduct-cli-"));
  await writeFile(join(cwd, "bad.yaml"), BAD);
  await writeFile(
    join(cwd, "good.yaml"),
    "agents:\n  a:\n    policies: [{ sequential: { deploy: [test] } }]\n    completion: { command: npm test }\n",
  );
  await writeFile(join(cwd, "told.yaml"), TOLD);
  await writeFile(join(cwd, "soul.md"), "Be useful.\nBe kind.\n");
  await writeFile(join(cwd, "it's.yaml"), "agents: [");
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

async function run(...argv: readonly string[]) {
  const terminal = testTerminal({ cwd, json: wantsJson(argv) });
  const code = await runCommandLine(argv, terminal);
  return { code, said: terminal.said(), complained: terminal.complained() };
}

describe("conduct", () => {
  it("CL-5 config check shows every fault with its line and a mark (golden)", async () => {
    const { code, said, complained } = await run("config", "check", "bad.yaml");
    expect([code, complained]).toEqual([1, ""]);
    await expect(said).toMatchFileSnapshot("config-check.golden.txt");
  });

  it("CL-6 config check shows the rules of each agent in a valid file, and its warnings (golden)", async () => {
    const { code, said } = await run("config", "check", "good.yaml");
    expect(code).toBe(0);
    await expect(said).toMatchFileSnapshot("config-check-good.golden.txt");
  });

  it("CL-13 config check shows the instructions of each agent in a file (golden)", async () => {
    // Without a key, the model is reported.
    vi.stubEnv("ANTHROPIC_API_KEY", "any");
    const { code, said } = await run("config", "check", "told.yaml").finally(() => vi.unstubAllEnvs());
    expect(code).toBe(0);
    await expect(said).toMatchFileSnapshot("config-check-told.golden.txt");
  });

  it("CL-7 coloured output of conduct differs from plain output only in its colours", async () => {
    const terminal = testTerminal({ cwd, paint: paintFor(true) });
    await runCommandLine(["config", "check", "bad.yaml"], terminal);
    expect(terminal.said()).toContain("\u001b[31m");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what colours are made of.
    expect(terminal.said().replace(/\u001b\[\d+m/g, "")).toBe((await run("config", "check", "bad.yaml")).said);
  });

  it.each([
    [[], 0],
    [["--help"], 0],
    [["--version"], 0],
    [["config", "schema"], 0],
    [["config", "check", "good.yaml"], 0],
    [["config", "check", "bad.yaml"], 1],
    [["config", "check", "it's.yaml"], 1],
    [["config", "check", "none.yaml"], 1],
    [["config", "check"], 0],
    [["config", "chek"], 2],
    [["nonsense"], 2],
    [["demo", "--nonsense"], 2],
    [["config", "check", "a", "b"], 2],
  ])(
    "CL-8 %j --json returns one envelope, exit code %i, and next actions that the parser accepts",
    async (argv, code) => {
      const answer = await run(...argv, "--json");
      expect([answer.code, answer.complained]).toEqual([code, ""]);
      const envelope = JSON.parse(answer.said);
      expect(envelope).toMatchObject({ ok: code === 0, command: expect.stringMatching(/^conduct/) });
      if (code === 0) expect(envelope).toHaveProperty("result");
      else
        expect(envelope).toMatchObject({
          error: { code: expect.any(String), message: expect.any(String) },
          fix: expect.any(String),
        });
      for (const { command, description } of envelope.next_actions) {
        expect(description).not.toBe("");
        const [program, ...words] = parseShellLine(command).commands[0] ?? [];
        expect(program).toBe("conduct");
        expect((await parseCommandLine(words, COMMANDS)).kind, command).not.toBe("wrong");
      }
    },
  );

  it("CL-9 a failure says what happened and what to do, without a stack trace", async () => {
    const { code, said, complained } = await run("config", "check", "none.yaml");
    expect([code, said]).toEqual([1, ""]);
    expect(complained).toBe(
      "\n  ✗ CONFIG_NOT_FOUND  there is no none.yaml\n    try: name an existing file, or create it\n\n",
    );
  });

  it("CL-10 the envelope lists configuration faults with their places", async () => {
    const { result } = JSON.parse((await run("config", "check", "bad.yaml", "--json")).said);
    expect(result.file).toBe("bad.yaml");
    expect(result.faults[1]).toEqual({
      file: "bad.yaml",
      line: 5,
      column: 5,
      path: "agents.release.polices",
      message: "unknown key 'polices'",
      hint: "did you mean 'policies'?",
    });
  });

  it.each([
    [["--version"], 0],
    [["nonsense"], 2],
    [["config", "check", "/none"], 1],
    [["hook", "codex"], 2],
  ])("CL-11 the program itself exits on %j with %i", (argv, status) => {
    const ran = spawnSync(process.execPath, [BIN, ...argv], { input: "", encoding: "utf8" });
    expect(ran.status).toBe(status);
    expect(ran.stdout + ran.stderr).not.toContain("    at ");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no colours outside a terminal.
    expect(ran.stdout + ran.stderr).not.toMatch(/\u001b/);
  });

  it.each([
    ["demo", 1],
    ["hook", 2],
  ])("CL-12 an outdated Node gets a single sentence: %s exits with %i", (command, status) => {
    const old = `Object.defineProperty(process, "versions", { value: { node: "20.20.2" } }); process.argv.splice(1, 0, "conduct"); await import(${JSON.stringify(BIN)});`;
    const ran = spawnSync(process.execPath, ["--input-type=module", "-e", old, command], { encoding: "utf8" });
    expect(ran.stderr).toMatch(/^conduct needs Node 24 or newer, and this is 20\.20\.2 .*\n$/);
    expect([ran.status, ran.stdout]).toEqual([status, ""]);
  });

  it.each(["status", "doctor", "init claude-code --yes", "behavior list"])(
    "CL-40 with a CONDUCT_HOME that is no folder, '%s' says just that",
    (line) => {
      const env = { PATH: process.env.PATH, HOME: tmpdir(), CONDUCT_HOME: "/dev/null" };
      const { stdout, stderr, status } = spawnSync(process.execPath, [BIN, ...line.split(" ")], {
        env,
        encoding: "utf8",
      });
      expect(status).toBe(1);
      expect(stdout).toBe("");
      expect(stderr.trim().split("\n")).toEqual([
        expect.stringContaining("CONDUCT_HOME is /dev/null, which is not a folder"),
        expect.stringContaining("set it to a folder, or unset it"),
      ]);
    },
  );
});
