import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let gateway: Gateway;
const CONFIG = (url: string) => `
agents: { clerk: { model: own/scripted } }
models: { own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY } }
`;

const run = async (line: string, ...words: readonly string[]) => {
  const { out, err } = await machine.conduct([...line.split(" "), ...words]);
  return `${out}${err}`;
};

beforeAll(async () => {
  const model = await machine.model([
    { calls: [{ name: "save_memory", input: { text: "likes green tea" } }] },
    { calls: [{ name: "save_memory", input: { text: "drives a van" } }] },
    () => ({ text: "noted" }),
  ]);
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl) });
  gateway = await machine.gateway([
    "--host",
    "127.0.0.1",
    "--url",
    "https://conduct.example.org",
    "--origin",
    "https://b.example.org",
  ]);
  await gateway.say("clerk", "I like green tea and drive a van.");
});
afterAll(() => machine.close());

describe("options of conduct rules, memory, review, open and gateway", () => {
  wired(
    [
      "conduct rules add --first",
      "conduct rules add --before",
      "conduct rules add --shadow",
      "conduct rules add --scope",
      "conduct rules add --yes",
      "conduct rules add --dry-run",
    ],
    "WIR-130 a directive becomes a rule with its order, its scope and its time in shadow mode, and a dry run writes nothing",
    async () => {
      await run("behavior add", "START: calm releases");
      const id = /d_\w+/.exec(await run("behavior list"))?.[0] ?? "";
      const words = [
        "--first",
        "tests.run",
        "--before",
        "deploys.run",
        "--shadow",
        "2d",
        "--scope",
        "agent:clerk",
        "--yes",
      ];
      expect(await run("rules add", id, ...words, "--dry-run")).toContain("tests.run");
      expect(await run("rules list")).toContain("No shared rules yet");
      await run("rules add", id, ...words);
      const listed = await run("rules list");
      expect(listed).toMatch(/in shadow mode until[\s\S]*agent:clerk/);
      expect(listed).toMatch(/on: deploys\.run[\s\S]*call: tests\.run/);
    },
  );
  wired(
    [
      "conduct rules add --file",
      "conduct rules shadow --for",
      "conduct rules shadow --dry-run",
      "conduct rules enforce --dry-run",
      "conduct rules remove --reason",
      "conduct rules remove --dry-run",
    ],
    "WIR-131 a rule of a file is shadowed for a time, and removed with a reason; dry runs change nothing",
    async () => {
      machine.write({ "work/own.yaml": "rules: [{ id: no-fetch, on: fetch, say: Fetch nothing. }]\n" });
      await run("rules add", "--file", "own.yaml", "--yes");
      const before = await run("rules list");
      expect(before).toMatch(/no-fetch/);
      await run("rules enforce", "no-fetch", "--dry-run");
      await run("rules shadow", "no-fetch", "--for", "3d", "--dry-run");
      await run("rules remove", "no-fetch", "--dry-run");
      expect(await run("rules list")).toBe(before);
      await run("rules shadow", "no-fetch", "--for", "30d");
      expect(await run("rules list")).not.toBe(before);
      await run("rules remove", "no-fetch", "--reason", "we need it after all");
      expect(await run("rules list")).not.toContain("no-fetch");
      expect(await run("behavior history")).toContain("we need it after all");
    },
  );
  wired(
    [
      "conduct memory list --agent",
      "conduct memory list --user",
      "conduct memory list --search",
      "conduct memory forget --agent",
      "conduct memory forget --user",
    ],
    "WIR-132 notes are listed and forgotten for an agent and a user",
    async () => {
      const list = (...words: readonly string[]) => run("memory list", "--agent", "clerk", ...words);
      expect(await list()).toMatch(/green tea/);
      expect(await list("--search", "van")).not.toContain("green tea");
      expect(await list("--user", "nobody")).not.toContain("green tea");
      expect(await run("memory list", "--agent", "nobody")).not.toContain("green tea");
      const id = /\b(m_\w+|n_\w+)\b/.exec(await list("--search", "van"))?.[0] ?? "";
      await run("memory forget", id, "--agent", "clerk", "--user", "operator");
      expect(await list()).not.toContain("drives a van");
    },
  );
  wired(["conduct review digest --file"], "WIR-133 a digest is written to a file", async () => {
    await run("review digest", "--file", "digest.md");
    expect(existsSync(join(machine.work, "digest.md"))).toBe(true);
  });
  wired(
    ["conduct open --print", "conduct gateway --url", "conduct gateway --origin"],
    "WIR-134 the address of a page is printed, and the gateway's links and origins have the public names",
    async () => {
      expect(await run("open", "--print")).toMatch(/https?:\/\//);
      expect(gateway.output).toContain("https://conduct.example.org/login#code=");
      const asked = await fetch(`${gateway.url}/api/sessions`, {
        method: "POST",
        headers: { origin: "https://b.example.org", authorization: "Bearer x" },
      });
      expect(asked.status).toBe(401);
      expect(new URL(gateway.url).hostname).toBe("127.0.0.1");
    },
  );
});
