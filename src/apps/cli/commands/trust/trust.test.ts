import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseShellLine } from "../../../../behavior/commands/shell/shell-line.ts";
import { trustStore } from "../../../../edge/host/trust/trust.ts";
import { workspacePrompts } from "../../../../edge/host/workspace/workspace-prompts.ts";
import { COMMANDS } from "../../declared/command-tree.ts";
import { parseCommandLine } from "../../line/command-line.ts";
import { paintFor } from "../../line/terminal.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { type TrustWorld, trust } from "./trust.ts";

let root: string;
let work: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "conduct-cli-trust-")));
  work = join(root, "work");
  await mkdir(join(work, ".agents/prompts"), { recursive: true });
  const files = {
    "conduct.yaml": "agents:\n  ada:\n    soul: ./soul.md\n    rules: [packs/coding]\n",
    "soul.md": "Be useful.\n",
    ".agents/prompts/security.md":
      "---\ntags: [{ dimension: domain, value: security }]\npriority: 50\n---\n1\n2\n3\n4\n5\n\u001b[2J\u202eevil\n",
    ".agents/prompts/style.md": "Be short.\n",
    ".agents/prompts/bad.md": "---\ntag: []\n---\nx\n",
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(work, name), text);
});
afterEach(() => rm(root, { recursive: true, force: true }));

type Given = { readonly args?: object; readonly answer?: boolean; readonly json?: boolean } & Partial<TrustWorld>;

async function run({ args = {}, answer, json = false, ...world }: Given = {}) {
  const terminal = testTerminal({ cwd: root, json });
  const asked: string[] = [];
  const outcome = await trust({ folder: "work", ...args }, terminal, {
    home: join(root, "home"),
    inside: () => undefined,
    person: { look: () => ({ kind: "person", proof: "at a terminal" }) },
    ask: async (question) => {
      asked.push(question);
      return answer;
    },
    ...world,
  });
  for (const { command } of outcome.next) {
    const [, ...words] = parseShellLine(command).commands[0] ?? [];
    expect((await parseCommandLine(words, COMMANDS)).kind, command).toBe("run");
  }
  const said = `${terminal.said()}${asked.join("")}${outcome.text ?? ""}`.replaceAll(root, "/r");
  return { outcome, said };
}

const trusted = async () =>
  (await trustStore(join(root, "home")).list()).map(({ path }) => path.slice(work.length + 1));
const ALL = [".agents/prompts/security.md", ".agents/prompts/style.md", "conduct.yaml", "soul.md"];

describe("conduct trust", () => {
  it("CT-1 trust shows each file, asks for confirmation, and records the content it showed (golden)", async () => {
    const { outcome, said } = await run({ answer: true });
    expect(outcome).toMatchObject({ ok: true, result: { trusted: ["conduct.yaml", "soul.md", ...ALL.slice(0, 2)] } });
    expect(await trusted()).toEqual(ALL);
    await expect(said).toMatchFileSnapshot("trust.golden.txt");
  });

  it("CT-2 a later run shows which files are new, changed and trusted (golden)", async () => {
    await run({ args: { yes: true } });
    await writeFile(join(work, ".agents/prompts/style.md"), "Be long.\n");
    await writeFile(join(work, ".agents/prompts/tone.md"), "Be calm.\n");
    const { outcome, said } = await run({ args: { yes: true } });
    expect(outcome).toMatchObject({
      ok: true,
      result: { trusted: [".agents/prompts/style.md", ".agents/prompts/tone.md"] },
    });
    await expect(said).toMatchFileSnapshot("trust-again.golden.txt");
    await rm(join(work, ".agents/prompts/bad.md"));
    expect((await run()).said).toContain("nothing is new: 5 files trusted");
  });

  it.each([
    { answer: false, code: "NOT_CONFIRMED" },
    { answer: undefined, code: "CONFIRMATION_NEEDED" },
  ])("CT-3 without a confirmation nothing is trusted: $code", async ({ answer, code }) => {
    const { outcome } = await run(answer === undefined ? {} : { answer });
    expect(outcome).toMatchObject({ ok: false, code });
    expect(await trusted()).toEqual([]);
  });

  it("CT-4 --json never asks: it returns the files and the next command", async () => {
    const { outcome } = await run({ json: true, answer: true });
    expect(outcome).toMatchObject({
      ok: false,
      code: "CONFIRMATION_NEEDED",
      next: [{ command: "conduct trust work --yes" }],
    });
    const { files } = outcome.result as { files: { name: string; state: string }[] };
    expect(files.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "conduct.yaml new",
      "soul.md new",
      ".agents/prompts/bad.md unusable",
      ".agents/prompts/security.md new",
      ".agents/prompts/style.md new",
    ]);
    expect(files[3]).toMatchObject({
      characters: 88,
      unseen: 2,
      firstLines: ["1", "2", "3", "4", "5", "[2J evil"],
      contributor: { id: "workspace:security", tags: [{ dimension: "domain", value: "security" }], priority: 50 },
    });
  });

  it("CT-5 an agent cannot trust or revoke files and the error says what to do, but it can list them", async () => {
    const inside = () => ({ agent: "Codex", sign: "the environment variable CODEX_SANDBOX is set" });
    for (const args of [{ yes: true }, { revoke: true }, {}]) {
      expect((await run({ args, inside, answer: true })).outcome).toMatchObject({
        ok: false,
        code: "INSIDE_AGENT",
        message: expect.stringContaining("an agent runs this (Codex, the environment variable CODEX_SANDBOX is set)"),
        fix: "run it in your own terminal: conduct trust work",
      });
    }
    expect(await trusted()).toEqual([]);
    expect((await run({ args: { list: true }, inside })).outcome.ok).toBe(true);
  });

  it("CT-6 --list shows the state of each file, and --revoke removes the trust (golden)", async () => {
    await run({ args: { yes: true } });
    await writeFile(join(work, "soul.md"), "Be evil.\n");
    await rm(join(work, ".agents/prompts/style.md"));
    await trustStore(join(root, "home")).trust([{ path: join(root, "other/x.md"), sha256: "0".repeat(64) }]);
    const list = await run({ args: { list: true } });
    const revoked = await run({ args: { revoke: true } });
    await expect(list.said + revoked.said).toMatchFileSnapshot("trust-list.golden.txt");
    expect((await run({ args: { list: true } })).outcome).toMatchObject({ result: { entries: [], elsewhere: 1 } });
  });

  it("CT-7 trust applies to the content that was shown, not to a change made during the question", async () => {
    const ask = async () => {
      await writeFile(join(work, ".agents/prompts/style.md"), "Do evil.\n");
      return true;
    };
    await run({ ask });
    const prompts = workspacePrompts({
      workspace: work,
      trust: trustStore(join(root, "home")),
      report: () => undefined,
    });
    expect((await prompts.current()).map(({ id }) => id)).toEqual(["workspace:security"]);
    prompts.close();
  });

  it("CT-8 a newly trusted file is used from the next prompt on", async () => {
    const prompts = workspacePrompts({
      workspace: work,
      trust: trustStore(join(root, "home")),
      report: () => undefined,
    });
    expect(await prompts.current()).toEqual([]);
    await run({ args: { yes: true } });
    expect((await prompts.current()).map(({ id }) => id)).toEqual(["workspace:security", "workspace:style"]);
    await run({ args: { revoke: true } });
    expect(await prompts.current()).toEqual([]);
    prompts.close();
  });

  it.each([
    [{ folder: "none" }, "FOLDER_NOT_FOUND"],
    [{ folder: "work/soul.md" }, "FOLDER_NOT_FOUND"],
    [{ list: true, revoke: true }, "BAD_ARGUMENT"],
  ])("CT-9 trust rejects %j with %s", async (args, code) => {
    expect((await run({ args })).outcome).toMatchObject({ ok: false, code });
  });

  it("CT-10 a corrupt trust file is reported and not changed", async () => {
    await mkdir(join(root, "home"));
    await writeFile(join(root, "home/trust.json"), "{", { mode: 0o600 });
    const { outcome } = await run({ args: { yes: true } });
    expect(outcome).toMatchObject({ ok: false, code: "TRUST_CORRUPT", message: expect.stringContaining("trust.json") });
    expect(await readFile(join(root, "home/trust.json"), "utf8")).toBe("{");
  });

  it("CT-11 trust reports an empty workspace and a broken conduct.yaml, and ignores one linked from outside", async () => {
    await rm(work, { recursive: true });
    await mkdir(work);
    expect((await run()).said).toContain("there is nothing to trust");
    await writeFile(join(work, "conduct.yaml"), "agents:\n  a: { modl: x }\n");
    const { outcome, said } = await run({ args: { yes: true } });
    expect(outcome).toMatchObject({ ok: false, code: "PROMPTS_INVALID" });
    expect(said).toContain("✗ conduct.yaml:2  unknown key 'modl' (did you mean 'model'?)");
    await rm(join(work, "conduct.yaml"));
    await writeFile(join(root, "outer.yaml"), "agents: { a: {} }\n");
    await symlink(join(root, "outer.yaml"), join(work, "conduct.yaml"));
    expect((await run({ args: { yes: true } })).said).toContain("there is nothing to trust");
  });

  it("CT-14 --yes without a person trusts nothing: a script could be an agent's", async () => {
    const person: TrustWorld["person"] = { look: () => ({ kind: "nobody", why: "no terminal" }) };
    const { outcome } = await run({ args: { yes: true }, person });
    expect(outcome).toMatchObject({ ok: false, code: "NO_PERSON", fix: expect.stringContaining("conduct.yaml") });
    expect(await trusted()).toEqual([]);
  });

  it("CT-12 coloured output of conduct trust differs from plain output only in its colours", async () => {
    const terminal = testTerminal({ cwd: root, paint: paintFor(true) });
    const world: TrustWorld = {
      home: join(root, "home"),
      inside: () => undefined,
      ask: async () => false,
      person: { look: () => ({ kind: "person", proof: "at a terminal" }) },
    };
    await trust({ folder: "work" }, terminal, world);
    const said = terminal.said().replaceAll(root, "/r");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what colours are made of.
    const plain = said.replace(/\u001b\[\d+m/g, "");
    expect(plain).not.toBe(said);
    expect((await run({ answer: false })).said.startsWith(plain)).toBe(true);
  });
});
