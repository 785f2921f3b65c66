import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const readme = read("README.md");
const [commands = "", picture = ""] = [...readme.matchAll(/^```\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? "");

describe("the README is true", () => {
  it("RM-1 the README has exactly two commands, and both are scripts of the package", () => {
    const lines = commands.trim().split("\n");
    expect(lines).toEqual(["npm install && npm start", "npm install && npm test"]);
    expect(Object.keys(JSON.parse(read("package.json")).scripts)).toEqual(expect.arrayContaining(["start", "test"]));
  });

  it("RM-2 every line of the demo picture in the README is in the demo's golden text", () => {
    const golden = read("src/apps/cli/commands/demo/demo.golden.txt").split("\n");
    const lines = picture.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) expect(golden).toContain(line);
  });

  const documents = [
    "README.md",
    "CONTRIBUTING.md",
    "AGENTS.md",
    "docs/decisions/README.md",
    ...readdirSync(join(root, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
  ];
  it.each(documents)("RM-3 every link of %s points to an existing target", (document) => {
    const links = [...read(document).matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1] ?? "");
    for (const link of links) expect(existsSync(join(root, dirname(document), link)), link).toBe(true);
  });

  it("RM-5 every linked box of the architecture diagram points to an existing file", () => {
    const links = [...read("docs/concepts/architecture.md").matchAll(/^\s*click \w+ href "([^"]+)"$/gm)].map(
      ([, link = ""]) => link,
    );
    expect(links.length).toBeGreaterThan(15);
    for (const link of links) expect(existsSync(join(root, "docs", link)), link).toBe(true);
  });

  it("RM-4 every `npm run` command in the documents exists", () => {
    const scripts = Object.keys(JSON.parse(read("package.json")).scripts);
    // What rules and modes are shown on is somebody else's project.
    for (const document of documents.filter((name) => !/rules|requirements|modes|journal|replay/.test(name))) {
      for (const [, script = ""] of read(document)
        .replace(picture, "")
        .matchAll(/npm run (?:-s )?([\w:-]+)/g))
        expect(scripts, document).toContain(script);
    }
  });
});
