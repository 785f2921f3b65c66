import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const PROGRAM = join(root, "src/apps/cli/conduct.mjs");
const readme = read("README.md");
/** The code blocks of the README with their language; blocks without one have "". */
const blocks = [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));
const scripts = Object.keys(JSON.parse(read("package.json")).scripts);
const documents = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "AGENTS.md",
  "SECURITY.md",
  ...["docs", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md") && !name.includes("node_modules") && !name.startsWith("api/"))
      .map((name) => `${folder}/${name}`),
  ),
];

describe("the README is true", () => {
  it("RM-1 the README has the two commands of a checkout, and every npm script that it names exists", () => {
    const commands = blocks.find(({ text }) => text.startsWith("npm install && npm start"));
    expect(commands?.text.trim().split("\n")).toEqual(["npm install && npm start", "npm install && npm test"]);
    expect(scripts).toEqual(expect.arrayContaining(["start", "test", "install:global", "docs", "recording"]));
  });

  it("RM-2 the rule of the README causes the denial that the README shows", () => {
    const folder = mkdtempSync(join(tmpdir(), "conduct-readme-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "rules.yaml"), blocks.find(({ language }) => language === "yaml")?.text ?? "");
    const [, command = "", output = ""] = /^\$ conduct (.*)\n([\s\S]*)$/m.exec(
      blocks.find(({ text }) => text.startsWith("$ conduct policy explain"))?.text ?? "",
    ) ?? ["", "", ""];
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word = ""]) => quoted ?? word);
    const { stdout } = conduct(words, folder);
    expect(stdout.trim()).toBe(output.trim());
  });

  it("RM-6 every conduct command in the documents exists, and has the options that they name", async () => {
    const named = documents
      .filter((name) => !/decisions|behaviours|benchmarks|reference\/(cli|http-api|wiring)/.test(name))
      .flatMap((name) => commandsIn(read(name)).map((line) => ({ name, line })));
    expect(named.length).toBeGreaterThan(100);
    const heads = new Map<string, Promise<{ readonly status: number | null; readonly help: string }>>();
    for (const { name, line } of named) {
      const head = headOf(line);
      if (!heads.has(head)) heads.set(head, helpOf(head));
      const { status, help = "" } = (await heads.get(head)) ?? { status: 1 };
      expect(status, `${name}: conduct ${line}`).toBe(0);
      for (const [option] of line.split(" -- ")[0]?.matchAll(/--[a-z][\w-]*/g) ?? [])
        expect(help, `${name}: conduct ${line}`).toContain(option);
    }
  }, 120_000);

  it("RM-7 the README is at most 120 lines long and shows the recording", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(121);
    expect(readme).toContain("(docs/images/demo.svg)");
  });

  it.each([
    ["docs/guides/replay.md", "in place of the agents' rules", "replay/replay-120.golden.txt"],
    ["docs/getting-started.md", "Enforce the rules in", "enforce/enforce.golden.txt"],
  ])("RM-8 the output in %s is the real one", (document, marker, golden) => {
    const [block = ""] = read(document)
      .split("```")
      .filter((part) => part.includes(marker));
    const real = read(`src/apps/cli/commands/${golden}`);
    // Figures and names differ from run to run; sentences do not.
    const sentences = block
      .split("\n")
      .filter((line) => line.includes(marker) || /^ {2}(?:back|pause|ask):/.test(line));
    expect(sentences.length).toBeGreaterThan(0);
    for (const line of sentences) expect(real).toContain(line.trimEnd().replace(/ (?:y|d_\w+)$/, ""));
  });

  it.each(documents)("RM-3 every link of %s points to an existing target", (document) => {
    const links = [...read(document).matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1] ?? "");
    for (const link of links) expect(existsSync(join(root, dirname(document), link)), link).toBe(true);
  });

  it("RM-4 every `npm run` command in the documents exists", () => {
    // What rules, modes and examples are shown on is somebody else's project.
    const ours = documents.filter(
      (name) => !/rules|requirements|modes|journal|replay|behaviours|examples\//.test(name),
    );
    for (const document of ours) {
      const text = read(document).replaceAll(/npm run (deploy|build|lint)\b/g, "");
      for (const [, script = ""] of text.matchAll(/npm run (?:-s )?([\w:-]+)/g))
        expect(scripts, document).toContain(script);
    }
  });
});

/** Commands in code spans and at the start of lines in code blocks, without the comment after them. */
function commandsIn(text: string): readonly string[] {
  const spans = [...text.matchAll(/`(?:npx )?conduct ([a-z][^`]*)`/g)];
  const lines = [...text.matchAll(/^(?:\$ |npx )?conduct ([a-z][^\n]*)$/gm)];
  return [...spans, ...lines].map(([, words = ""]) => words.split(/ #| {2,}/)[0] ?? "");
}

/** The command's name: `behavior add` of `behavior add "STOP: …"`. */
function headOf(line: string): string {
  const [first = "", second = ""] = line.split(/[\s[|]+/);
  const groups = [
    "policy",
    "config",
    "prompt",
    "behavior",
    "review",
    "rules",
    "journal",
    "memory",
    "daemon",
    "hook",
    "migrate",
    "webhooks",
  ];
  return groups.includes(first) && /^[a-z][a-z\d-]+$/.test(second) ? `${first} ${second}` : first;
}

async function helpOf(head: string) {
  const child = spawn(process.execPath, [PROGRAM, ...head.split(" "), "--help"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const closed = once(child, "close");
  const help = await readAll(child.stdout);
  const [status] = (await closed) as [number | null];
  return { status, help };
}

function conduct(words: readonly string[], cwd: string) {
  return spawnSync(process.execPath, [PROGRAM, ...words], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, COLUMNS: "100" },
  });
}
