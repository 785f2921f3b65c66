import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { sendHook } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { projectConfigPath } from "../../../../edge/host/workspace/project-config.ts";
import { type Daemon, startDaemon } from "../../../daemon/daemon.ts";
import { testGovernance } from "../../test/test-governance.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { readInstallation } from "../status/installation.ts";
import { exportText } from "./export.ts";
import { type ImportWorld, importFiles } from "./import.ts";

/** A file as a small team writes it. */
const CLAUDE = `# Shop backend

TypeScript on Node 24, Fastify, PostgreSQL. Code is in \`src/\`, migrations in \`db/migrations/\`.

## Commands

\`\`\`sh
npm run dev     # never use this in CI
npm test
\`\`\`

## Git

- Never force push.
- Don't push to \`main\`; open a pull request instead.
- Run \`npm test\` before every commit.
- Commit subjects are in the imperative, at most 60 characters.

## Rules of the house

- Do not edit files in \`db/migrations/\`. Write a new migration.
- Don't add new dependencies without asking.
- Prefer early returns over nested conditions.
- Be concise.
- @docs/style.md
`;

const SETTINGS = `{
  "permissions": {
    "allow": ["Bash(git push:*)", "Bash(npm run *)"],
    "deny": ["Read(./.env)", "Bash(curl:*)"]
  }
}
`;

let root: string;
let daemon: Daemon | undefined;
const home = () => join(root, "home");
const work = () => join(root, "work");
const config = () => projectConfigPath(home(), work());
const put = (name: string, text: string) => {
  mkdirSync(dirname(join(work(), name)), { recursive: true });
  writeFileSync(join(work(), name), text);
};
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-import-")));
  for (const folder of [home(), work()]) mkdirSync(folder, { mode: 0o700 });
  put("CLAUDE.md", CLAUDE);
  put(".claude/settings.json", SETTINGS);
});
afterEach(async () => {
  await daemon?.end("the test is over");
  daemon = undefined;
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

const governance = testGovernance();

async function run(
  args: Partial<Parameters<typeof importFiles>[0]> = {},
  answer: ImportWorld["ask"] = async () => true,
  more: Partial<ImportWorld> = {},
) {
  const terminal = testTerminal({ cwd: work() });
  const asked: string[] = [];
  const outcome = await importFiles({ files: [], ...args }, terminal, {
    home: home(),
    inside: () => undefined,
    person: { look: () => ({ kind: "person", proof: "at pts/1 under xterm" }) },
    governance: () => governance.world,
    ask: async (question) => {
      asked.push(question);
      return answer(question);
    },
    ...more,
  });
  return { outcome, asked, said: `${terminal.said()}${outcome.text ?? ""}` };
}

async function decide(tool: string, input: object): Promise<string> {
  daemon ??= await startDaemon({ home: home() });
  const call = {
    hook_event_name: "PreToolUse",
    session_id: randomUUID(),
    cwd: work(),
    tool_use_id: "c1",
    tool_name: tool,
    tool_input: input,
  };
  return JSON.stringify(await sendHook(daemonPlace(home()).socket, call, 60_000));
}

describe("conduct import", { timeout: 120_000 }, () => {
  it("IMC-1 shows every line with its rule, text, directive or reason, and writes nothing before a yes (golden)", async () => {
    const { outcome, said } = await run({}, async () => false);
    expect(outcome).toMatchObject({ ok: false, code: "NOT_CONFIRMED" });
    expect(existsSync(config())).toBe(false);
    await expect(said.replaceAll(root, "/r")).toMatchFileSnapshot("import.golden.txt");
  });

  it("IMC-2 after a yes the rules bind: the daemon denies the calls, names the line, and allows the others", async () => {
    const { outcome } = await run();
    expect(outcome).toMatchObject({ ok: true });
    expect(await decide("Bash", { command: "git push -f origin topic" })).toContain("CLAUDE.md:14");
    expect(await decide("Bash", { command: "git push origin HEAD:main" })).toContain("CLAUDE.md:15");
    expect(await decide("Bash", { command: "curl https://example.org" })).toContain(".claude/settings.json:4");
    expect(await decide("Bash", { command: "cat .env" })).toContain("deny");
    expect(await decide("Bash", { command: "ls" })).not.toContain("deny");
  });

  it("IMC-3 an imported allow-list loosens nothing: the pack's rule on force pushes still denies", async () => {
    put("CLAUDE.md", "# Empty\n\nNothing here.\n");
    await run();
    expect(await decide("Bash", { command: "git push --force" })).toContain("A force push rewrites history");
  });

  it("IMC-4 directives are asked one by one; a no keeps the line as text, and --yes asks about none", async () => {
    const { asked, outcome } = await run({}, async (question) => !question.includes("contract"));
    expect(asked.filter((one) => one.includes("KEEP: answers concise"))).toHaveLength(1);
    expect(outcome).toMatchObject({ ok: true, result: { directives: 0 } });
    expect(readFileSync(join(dirname(config()), "imported/CLAUDE.md.md"), "utf8")).toContain("Be concise.");
    await run({ undo: true });
    const yes = await run({ yes: true });
    expect(yes.asked).toEqual([]);
    expect(yes.said).toContain("conduct behavior add");
    await run({ undo: true });
    const added = await run();
    expect(added.outcome).toMatchObject({ ok: true, result: { directives: 1 } });
    expect((await governance.run("behavior list")).said).toContain("answers concise");
    expect(readFileSync(join(dirname(config()), "imported/CLAUDE.md.md"), "utf8")).not.toContain("Be concise.");
  });

  it("IMC-5 a later change of the file is noticed by status, shown line by line, and replaces the rule", async () => {
    await run({ yes: true });
    expect((await run()).said).toContain("nothing has changed");
    put("CLAUDE.md", CLAUDE.replace("- Never force push.", "- Never rebase commits.\n- Never run `npm publish`."));
    const { imported } = await readInstallation(
      { home: home(), env: {} } as Parameters<typeof readInstallation>[0],
      work(),
    );
    expect(imported).toEqual(["CLAUDE.md has changed"]);
    const { said } = await run({ yes: true });
    expect(said).toMatch(/\+ +15 +rule +Never run `npm publish`/);
    expect(said).toMatch(/- CLAUDE.md:14 +rule +Never force push/);
    expect(await decide("Bash", { command: "npm publish" })).toContain("CLAUDE.md:15");
  });

  it("IMC-6 undo restores the configuration to the byte, and removes one that the import created", async () => {
    await run({ yes: true });
    await run({ undo: true });
    expect(existsSync(config())).toBe(false);
    const own = "# mine\nagents: { coding: { rules: [packs/coding], promptContributors: [{ id: a, content: b }] } }\n";
    mkdirSync(dirname(config()), { recursive: true });
    writeFileSync(config(), own);
    await run({ yes: true });
    expect(readFileSync(config(), "utf8")).toContain("./imported");
    put("CLAUDE.md", "- Never deploy.\n");
    await run({ yes: true });
    await run({ undo: true });
    expect(readFileSync(config(), "utf8")).toBe(own);
    expect(existsSync(join(dirname(config()), "imported"))).toBe(false);
  });

  it("IMC-7 refuses inside an agent, without a person for --yes, for unknown files, and after edits of the written rules", async () => {
    const agent = { agent: "Codex", sign: "a sign" };
    expect((await run({}, undefined, { inside: () => agent })).outcome).toMatchObject({ code: "INSIDE_AGENT" });
    const nobody = { person: { look: () => ({ kind: "nobody", why: "no terminal" }) as const } };
    expect((await run({ yes: true }, undefined, nobody)).outcome).toMatchObject({ code: "NO_PERSON" });
    expect((await run({ files: ["package.json"] })).outcome).toMatchObject({ code: "UNKNOWN_FILE" });
    expect((await run({ files: ["NONE.md"] })).outcome).toMatchObject({ code: "TEXT_NOT_FOUND" });
    expect(existsSync(config())).toBe(false);
    put(".claude/settings.json", "{ broken");
    expect((await run()).outcome).toMatchObject({ code: "FILE_INVALID" });
    put(".claude/settings.json", SETTINGS);
    await run({ yes: true });
    expect((await run({ undo: true }, undefined, nobody)).outcome).toMatchObject({ code: "NO_PERSON" });
    writeFileSync(join(dirname(config()), "imported/rules.yaml"), "rules: []\n");
    put("CLAUDE.md", "- Never deploy.\n");
    expect((await run({ yes: true })).outcome).toMatchObject({ code: "IMPORT_EDITED" });
  });
});

describe("conduct export", () => {
  const send = (file?: string, more: Partial<Parameters<typeof exportText>[2]> = {}) =>
    exportText({ file, yes: true }, testTerminal({ cwd: work() }), {
      home: home(),
      inside: () => undefined,
      ask: async () => true,
      governance: () => governance.world,
      ...more,
    });

  it("IMC-8 writes directives, texts and own rules into a block of the file, and never what came from that file", async () => {
    await run({ yes: true });
    put("AGENTS.md", "# Ours\n");
    await send("AGENTS.md");
    const once = readFileSync(join(work(), "AGENTS.md"), "utf8");
    expect(once).toMatch(/^# Ours\n\n<!-- conduct export: begin -->/);
    for (const text of ["KEEP: answers concise", "Never force push.", "Prefer early returns"])
      expect(once).toContain(text);
    expect(once).not.toContain("A force push rewrites history");
    await send("AGENTS.md");
    expect(readFileSync(join(work(), "AGENTS.md"), "utf8")).toBe(once);
    await send("CLAUDE.md");
    const claude = readFileSync(join(work(), "CLAUDE.md"), "utf8");
    expect(claude.match(/Never force push/g)).toHaveLength(1);
    expect(claude.match(/Prefer early returns/g)).toHaveLength(1);
    expect((await run()).said).toContain("nothing has changed");
    expect(await send("AGENTS.md", { inside: () => ({ agent: "Codex", sign: "a sign" }) })).toMatchObject({
      code: "INSIDE_AGENT",
    });
  });
});
