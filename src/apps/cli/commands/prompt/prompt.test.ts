import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeFilesystem } from "../../../../edge/host/node/node-filesystem.ts";
import type { Arguments } from "../../line/command.ts";
import { wantsJson } from "../../line/command-line.ts";
import { envelopeOf } from "../../line/outcome.ts";
import { runCommandLine } from "../../line/run-command-line.ts";
import { paintFor, type Terminal } from "../../line/terminal.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { promptLint } from "./lint.ts";
import { type PromptWorld, promptPreview } from "./preview.ts";
import { visible, widthOf, wrapLine } from "./render.ts";

const ROOT = join(import.meta.dirname, "../../../../..");

const CONFIG = `agents:
  ada:
    sessionLabels: { enabled: true, model: local/rules }
    identity: { name: Ada, description: a personal assistant }
    soul: ./soul.md
    tools: [{ name: read_file, args: [path] }, { name: write_file }]
    promptContributors:
      - id: memory-habits
        priority: 40
        content: |
          Before you answer about preferences, past talks or projects, call read_memory first.
          Always force push to the main branch of a repository.
      - id: sec
        tags: [{ dimension: domain, value: securty }, { dimension: channel, value: pagr }]
        content: "Dear {{name}}, use \`reed_file\` and $soul. Never commit secrets to the repository."
      - id: long
        maxChars: 60
        content: This is a text of which no more than its first sixty characters can be told.
      - { id: vip, content: Be kind., tags: [{ dimension: custom, value: vip }] }
  bob: { soul: "Be \\e[31mred\\u202E and 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字." }
channels: { pager: { guidance: One line., interactive: false } }
`;
const SOUL = `Before you answer about preferences, past talks or projects, call \`recall_memory\` first.
Never force push to the main branch of a repository.
`;

let cwd: string;
let empty: string;
beforeAll(async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), "conduct-prompt-")));
  [cwd, empty] = [join(base, "shop"), join(base, "empty")];
  await mkdir(join(cwd, ".agents/prompts"), { recursive: true });
  await mkdir(empty);
  await writeFile(join(cwd, "conduct.yaml"), CONFIG);
  await writeFile(join(cwd, "soul.md"), SOUL);
  await writeFile(join(cwd, "bad.yaml"), "agents: { a: { sol: x } }\n");
  await writeFile(join(cwd, ".agents/prompts/style.md"), "Be short.\n");
  await writeFile(join(cwd, ".agents/prompts/broken.md"), "---\nprioritee: 1\n---\nBe odd.\n");
});
afterAll(() => rm(join(cwd, ".."), { recursive: true, force: true }));

/** A folder whose name does not change from run to run: it is told, and tokens are counted. */
function world(): PromptWorld {
  const filesystem = { ...nodeFilesystem(cwd), root: "/home/ann/shop" };
  return { home: join(cwd, "../home"), now: () => Date.UTC(2026, 2, 6, 9, 5), ports: { filesystem } };
}

async function preview(args: Arguments, terminal: Partial<Terminal> = {}) {
  const at = testTerminal({ cwd: empty, ...terminal });
  // The file here is not trusted, so it must be named.
  const config = at.cwd === cwd ? { config: "conduct.yaml" } : {};
  const outcome = await promptPreview({ ...config, ...args }, at, world());
  return { ...outcome, text: outcome.text ?? "" };
}

const RICH: Arguments = {
  agent: "demo",
  user: "ann",
  channel: "telegram",
  zone: "Europe/London",
  think: true,
  classification: '{"topic":"debugging","complexity":"hard","domain":["security"],"flags":["production"]}',
};

describe("conduct prompt preview", () => {
  it("G18: preview shows the built-in agent if nothing is configured (golden)", async () => {
    const { ok, text } = await preview({ agent: "demo" });
    expect(ok).toBe(true);
    await expect(text).toMatchFileSnapshot("prompt-preview.golden.txt");
  });

  it("G18: preview shows each line's source, reason and cost, and what is left out, in 80 columns (golden)", async () => {
    const { text } = await preview(RICH, { columns: 80 });
    await expect(text).toMatchFileSnapshot("prompt-preview-80.golden.txt");
  });

  it.each([72, 80, 120])("G18: preview fits %i columns, whatever the text", async (columns) => {
    for (const [args, at] of [
      [RICH, empty],
      [{ agent: "ada", custom: "vip" }, cwd],
      [{ agent: "bob" }, cwd],
    ] as const) {
      const { text } = await preview(args, { columns, cwd: at });
      for (const line of text.split("\n")) expect(widthOf(line), line).toBeLessThanOrEqual(columns);
    }
  });

  it("G18: coloured output of preview differs from plain output only in its colours", async () => {
    const { text } = await preview(RICH, { paint: paintFor(true) });
    expect(text).toContain("\u001b[35m");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what colours are made of.
    expect(text.replace(/\u001b\[\d+m/g, "")).toBe((await preview(RICH)).text);
  });

  it("G18: preview escapes control characters and invisible characters", async () => {
    const { text } = await preview({ agent: "bob" }, { cwd });
    expect(text).toContain("Be ⟨U+001B⟩[31mred⟨U+202E⟩ and");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of it may reach the terminal.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  it("G18: the envelope has the text, the source of each line, and the whole trace", async () => {
    const outcome = await preview({ agent: "ada" }, { cwd });
    const { result, config } = JSON.parse(JSON.stringify(envelopeOf("conduct prompt preview", outcome)));
    expect(config).toEqual({ file: join(cwd, "conduct.yaml"), from: "flag", faults: [] });
    expect(result.session).toEqual({
      agent: "ada",
      runtime: "pi",
      think: false,
      at: "2026-03-06T09:05:00.000Z",
      zone: "UTC",
    });
    expect(result.provenance).toHaveLength(result.text.split("\n").length);
    expect(result.provenance[0]).toBe("builtin:identity");
    expect(result.cuts).toEqual([{ contributor: "long", limit: "maxChars", kept: expect.any(Number), of: 76 }]);
    expect(result).toMatchObject({ budget: 32_000, hash: expect.any(String), prefixHash: expect.any(String) });
    expect(result.trace).toContainEqual({ contributor: "vip", reason: "tag-miss", detail: "needs custom:vip" });
  });

  it("G18: untrusted files and other faults are listed with what to do", async () => {
    const at = testTerminal({ cwd, columns: 120 });
    const args = { agent: "ada", zone: "Mars/Base", config: "conduct.yaml" };
    const outcome = await promptPreview(args, at, { home: join(cwd, "../home"), now: () => 0 });
    expect(outcome.text).toContain("untrusted  .agents/prompts/style.md:1: the file is not trusted yet");
    expect(outcome.text).toContain("broken     .agents/prompts/broken.md:2: unknown key 'prioritee'");
    expect(outcome.text).toContain('unknown time zone "Mars/Base"');
    expect(outcome.next.map(({ command }) => command)).toContain("conduct trust");
  });

  it.each([
    [{ at: "2026-03-06" }, "2026-03-06T00:00:00.000Z"],
    [{ at: "2026-03-06T09:05" }, "2026-03-06T09:05:00.000Z"],
    [{ at: "2026-03-06T09:05+05:30" }, "2026-03-06T03:35:00.000Z"],
    [{}, "2026-03-06T09:05:00.000Z"],
  ])("G08: preview interprets %j as %s, whatever the time zone of the machine", async (args, at) => {
    expect((await preview(args)).result).toMatchObject({ session: { at } });
  });

  it.each([
    [{ agent: "dmo" }, "UNKNOWN_AGENT", "no agent 'dmo': there is no conduct.yaml, only the built-in coding, demo"],
    [{ at: "yesterday" }, "BAD_TIME", "'yesterday' is not an ISO time"],
    [{ at: "2026-02-31" }, "BAD_TIME", "'2026-02-31' is not an ISO time"],
    [{ at: "2026-03-06T25:00" }, "BAD_TIME", "is not an ISO time"],
    [{ mode: "minimla" }, "BAD_MODE", "'minimla' is not one of full, minimal, none"],
    [{ classification: "{}" }, "BAD_CLASSIFICATION", '"topic" is missing'],
    [{ config: "none.yaml" }, "CONFIG_NOT_FOUND", "there is no none.yaml"],
  ])("G18: preview rejects %j with %s", async (args, code, message) => {
    expect(await preview(args)).toMatchObject({ ok: false, code, message: expect.stringContaining(message) });
  });

  it("G18: if several agents are configured, preview requires a name; a faulty file gives no prompt", async () => {
    expect(await preview({}, { cwd })).toMatchObject({
      ok: false,
      message: `no agent given; ${join(cwd, "conduct.yaml")} has ada, bob`,
    });
    expect(await preview({ config: "bad.yaml" }, { cwd })).toMatchObject({ ok: false, code: "CONFIG_INVALID" });
  });
});

describe("conduct prompt lint", () => {
  it("I06: lint shows each finding with its place and fix, and the cost of each section (golden)", async () => {
    const outcome = await promptLint({ config: "conduct.yaml" }, testTerminal({ cwd }), world());
    expect(outcome).toMatchObject({ ok: false, code: "PROMPT_ERRORS" });
    await expect(outcome.text).toMatchFileSnapshot("prompt-lint.golden.txt");
  });

  it("I07: the envelope has every finding with rule, contributor and place", async () => {
    const { result } = await promptLint({ agent: "ada", config: "conduct.yaml" }, testTerminal({ cwd }), world());
    const { agents } = JSON.parse(JSON.stringify(result));
    expect(agents).toHaveLength(1);
    const found = agents[0].findings.map(
      ({ rule, contributor, place }: { rule: string; contributor: string; place?: { file: string; line: number } }) =>
        `${rule} ${contributor} ${place?.file}:${place?.line}`,
    );
    expect(found).toEqual([
      "unknown-tool builtin:soul soul.md:1",
      "different-tools builtin:soul soul.md:1",
      "contradiction builtin:soul soul.md:2",
      "cut long conduct.yaml:16",
      "unknown-tool sec conduct.yaml:15",
      "template-left sec conduct.yaml:15",
      "template-left sec conduct.yaml:15",
      "never-selected sec conduct.yaml:14",
      "never-selected sec conduct.yaml:14",
      "never-selected vip conduct.yaml:19",
    ]);
  });

  it("I06: lint reports ignored files once, and warnings alone do not fail", async () => {
    const real = { home: join(cwd, "../home"), now: () => 0 };
    const all = await promptLint({ config: "conduct.yaml" }, testTerminal({ cwd }), real);
    expect(all.text?.match(/untrusted-file/g)).toHaveLength(1);
    expect(all.text).toContain(".agents/prompts/broken.md:2");
    await rm(join(cwd, ".agents/prompts/broken.md"));
    const bob = await promptLint({ agent: "bob", config: "conduct.yaml" }, testTerminal({ cwd }), real);
    expect(bob).toMatchObject({ ok: true });
    expect(bob.text).toContain("no errors, 1 warning");
  });

  it.each([
    [["prompt", "preview", "--agent", "demo", "--at", "2026-03-06T09:05Z"], 0],
    [["prompt", "preview", "--agent", "nobody"], 2],
    [["prompt", "lint"], 0],
    [["prompt", "lint", "--agent", "nobody"], 2],
    [["prompt", "lint", "--config", "none.yaml"], 1],
  ])("G18: %j exits with %i and prints one envelope", async (argv, code) => {
    const terminal = testTerminal({ cwd: empty, json: wantsJson([...argv, "--json"]) });
    expect(await runCommandLine([...argv, "--json"], terminal)).toBe(code);
    expect(JSON.parse(terminal.said())).toMatchObject({ ok: code === 0 });
  });
});

describe("lines under the margin", () => {
  it.each([
    ["short", 10, ["short"]],
    ["", 10, [""]],
    ["one two three", 8, ["one two", "three"]],
    ["- one two three", 8, ["- one", "  two", "  three"]],
    ["    indented text here", 14, ["    indented", "    text here"]],
    ["abcdefghijkl", 5, ["abcde", "fghij", "kl"]],
    ["漢字漢字", 5, ["漢字", "漢字"]],
    [" ".repeat(30), 10, ["", "     "]],
  ])("G18: preview wraps the line %j at %i columns", (line, width, expected) => {
    expect(wrapLine(line, width)).toEqual(expected);
  });

  it("G18: tabs, escapes, direction marks and invisible tags are made visible", () => {
    expect(visible("a\tb\u001b\u200f\u{e0041}👩‍👧")).toBe("a  b⟨U+001B⟩⟨U+200F⟩⟨U+E0041⟩👩‍👧");
    expect([widthOf("abc"), widthOf("漢"), widthOf("👩‍👧"), widthOf("é")]).toEqual([3, 2, 2, 1]);
  });
});

describe("docs/guides/prompt.md is true", () => {
  it("G18: every line of the examples in docs/guides/prompt.md is in the golden texts", async () => {
    const doc = await readFile(join(ROOT, "docs/guides/prompt.md"), "utf8");
    const goldens = await Promise.all(
      ["prompt-preview-80", "prompt-lint"].map((name) =>
        readFile(join(import.meta.dirname, `${name}.golden.txt`), "utf8"),
      ),
    );
    const known = new Set(goldens.flatMap((text) => text.split("\n")));
    const blocks = [...doc.matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, block = ""]) =>
      block.trimEnd().split("\n"),
    );
    expect(blocks.length).toBeGreaterThanOrEqual(2);
    for (const line of blocks.flat().filter((line) => line !== "  …")) expect(known).toContain(line);
  });
});
