import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
const CONFIG = (url: string) => `
agents:
  defaults: { model: own/scripted, tools: [{ name: shell, args: [command] }] }
  clerk:
    soul: You are the clerk.
    promptContributors:
      - { id: pager, content: On the pager., tags: [{ dimension: channel, value: pager }] }
      - { id: ops, content: Of operations., tags: [{ dimension: topic, value: ops }] }
      - { id: gold, content: For gold., tags: [{ dimension: custom, value: gold }] }
  porter: { soul: You are the porter., rules: [./rules] }
channels: { pager: { guidance: One line. } }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;
const RULES = `
rules:
  - { id: no-fetch, on: fetch, effect: { gentle: warn, standard: deny, strict: deny }, say: Fetch nothing. }
  - { id: shell-after-read, on: shell, require: read_file, say: Read first. }
`;

const run = async (line: string, ...words: readonly string[]) => {
  const { out, err } = await machine.conduct([...line.split(" "), ...words]);
  return `${out}${err}`;
};

beforeAll(async () => {
  const model = await machine.model();
  machine.write({
    ".conduct/conduct.yaml": CONFIG(model.openaiUrl),
    ".conduct/rules/rules.yaml": RULES,
    "work/other.yaml": "agents: { other: { soul: You are another. } }\n",
    "work/before.yaml": "calls:\n  - { read_file: a.txt }\n",
  });
  const gateway = await machine.gateway();
  await gateway.play(model, "clerk", [["shell", { command: "echo deploy" }]], "deploy it");
  await gateway.play(model, "porter", [["shell", { command: "echo carry" }]], "carry it");
  // The texts of a prompt are written in the background, and by a gateway that is asked to end.
  await gateway.stop();
});
afterAll(() => machine.close());

describe("options of commands that show prompts, rules and recorded sessions", () => {
  wired(
    [
      "conduct prompt preview --agent",
      "conduct prompt preview --channel",
      "conduct prompt preview --at",
      "conduct prompt preview --zone",
      "conduct prompt preview --classification",
      "conduct prompt preview --mode",
      "conduct prompt preview --runtime",
      "conduct prompt preview --custom",
      "conduct prompt preview --config",
    ],
    "WIR-110 a preview shows the prompt of the agent, channel, time, topic, mode and runtime that its options name",
    async () => {
      const preview = (...words: readonly string[]) => run("prompt preview", "--agent", "clerk", ...words);
      const plain = await preview();
      expect(plain).toContain("You are the clerk.");
      expect(plain).not.toMatch(/On the pager|Of operations|For gold/);
      expect(await run("prompt preview", "--agent", "porter")).toContain("You are the porter.");
      expect(await preview("--channel", "pager")).toContain("On the pager.");
      expect(await preview("--at", "2026-03-06T09:05Z", "--zone", "Asia/Tokyo")).toMatch(/March 06, 2026 06:05 PM/);
      expect(await preview("--classification", '{"topic":"ops","complexity":"simple"}')).toContain("Of operations.");
      expect(await preview("--custom", "gold")).toContain("For gold.");
      expect(await preview("--mode", "none")).not.toContain("Safety");
      expect(await preview("--runtime", "codex")).toContain("codex");
      expect(await run("prompt preview", "--config", "other.yaml")).toContain("You are another.");
    },
  );
  wired(
    ["conduct prompt lint --agent", "conduct prompt show --turn"],
    "WIR-111 lint looks at the named agent or file, and a recorded prompt is shown for the named turn",
    async () => {
      expect(await run("prompt lint", "--agent", "clerk")).not.toContain("porter");
      expect(await run("prompt show", "--turn", "1")).toMatch(/You are the (clerk|porter)\./);
      expect(await run("prompt show", "--turn", "99")).toContain("99");
    },
  );
  wired(
    [
      "conduct policy explain --agent",
      "conduct policy explain --call",
      "conduct policy explain --session",
      "conduct policy explain --level",
      "conduct policy check --level",
      "conduct policy schema --cases",
    ],
    "WIR-112 an explanation is for the named agent, call, earlier calls and level",
    async () => {
      const fetch = ["--call", '{"tool":"fetch","args":{"url":"x"}}'];
      expect(await run("policy explain", "--agent", "porter", ...fetch)).toContain("Fetch nothing.");
      expect(await run("policy explain", "--agent", "clerk", ...fetch)).not.toContain("Fetch nothing.");
      const rules = join(machine.home, "rules");
      expect(await run("policy explain", rules, ...fetch)).toMatch(/denied|deny/);
      expect(await run("policy explain", rules, ...fetch, "--level", "gentle")).toContain("warn no-fetch");
      const shell = ["--call", '{"shell":"ls"}'];
      expect(await run("policy explain", rules, ...shell)).toContain("Read first.");
      expect(await run("policy explain", rules, ...shell, "--session", "before.yaml")).not.toContain(
        "because   Read first.",
      );
      expect(await run("policy check", rules, "--level", "gentle")).not.toBe(await run("policy check", rules));
      expect(await run("policy schema", "--cases")).toContain("cases");
    },
  );
  wired(
    [
      "conduct watch --session",
      "conduct watch --agent",
      "conduct watch --denied",
      "conduct watch --search",
      "conduct watch --once",
      "conduct rules list --full",
    ],
    "WIR-113 the newest events are those of the session, agent and words asked for",
    async () => {
      const once = (...words: readonly string[]) => run("watch", "--once", ...words);
      const all = await once();
      expect(all).toMatch(/echo deploy[\s\S]*echo carry/);
      const session = /porter\/web#(\w+)/.exec(all)?.[1] ?? "";
      expect(await once("--agent", "clerk")).not.toContain("echo carry");
      expect(await once("--denied")).not.toContain("echo deploy");
      expect(await once("--search", "deploy")).toContain("echo deploy");
      expect(await once("--search", "unheard")).not.toContain("echo deploy");
      expect(session).not.toBe("");
      expect(await once("--session", session)).toContain("echo carry");
      expect(await once("--session", session)).not.toContain("echo deploy");
      expect(await run("rules list", "--full")).toContain("no-fetch");
      expect(await run("rules list")).not.toContain("no-fetch   ");
    },
  );
  wired(
    [
      "conduct replay --rules",
      "conduct replay --add",
      "conduct replay --for",
      "conduct replay --agent",
      "conduct replay --session",
    ],
    "WIR-114 recorded sessions are replayed under other rules, for the agent, session and time asked for",
    async () => {
      machine.write({ "work/strict.yaml": "rules: [{ id: no-shell, on: shell, say: No shell. }]\n" });
      const replay = (...words: readonly string[]) => run("replay", "--rules", "strict.yaml", ...words);
      const all = await replay();
      expect(all).toMatch(/would change/);
      expect(await replay("--add")).toMatch(/would change/);
      expect(await replay("--agent", "nobody")).not.toMatch(/no-shell/);
      expect(await replay("--for", "nobody")).not.toMatch(/no-shell/);
      expect(await replay("--session", "s_none")).not.toMatch(/no-shell/);
    },
  );
  wired(
    ["conduct journal export --out", "conduct journal export --from", "conduct journal export --to"],
    "WIR-115 the journal is exported in parts to a file",
    async () => {
      for (const word of ["one", "two", "three"]) await run("behavior add", `STOP: ${word}`);
      await run("journal export", "--out", "all.jsonl", "--from", "2", "--to", "2");
      const text = readFileSync(join(machine.work, "all.jsonl"), "utf8");
      expect(text).toContain("two");
      expect(text).not.toMatch(/three/);
    },
  );
});
