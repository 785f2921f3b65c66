import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });
let model: ModelServer;
let gateway: Gateway;

const CONFIG = (url: string) => `
agents:
  skilled:
    model: own/scripted
    tools: [{ name: read_file, args: [path] }, { name: write_file, args: [path, content] }]
    prompt:
      skills:
        - ./skills/deploy
        - { name: letters, description: How we write letters, path: letters.md }
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

beforeAll(async () => {
  model = await machine.model();
  machine.write({
    ".conduct/conduct.yaml": CONFIG(model.openaiUrl),
    ".conduct/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: How we deploy\n---\nSee steps.md.",
    ".conduct/skills/deploy/steps.md": "Drain the queue first.",
    ".conduct/skills/secret.md": "Not for agents.",
    ".conduct/letters.md": "Dear reader.",
  });
  symlinkSync("../secret.md", join(machine.home, "skills/deploy/link.md"));
  machine.onClose(() => machine.conduct(["daemon", "stop"]));
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

const READABLE = [
  ["skills/deploy/SKILL.md", "See steps.md."],
  ["skills/deploy/steps.md", "Drain the queue first."],
  ["letters.md", "Dear reader."],
] as const;
const CLOSED = ["skills/secret.md", "skills/deploy/link.md", "skills/deploy/../secret.md", "conduct.yaml"];

describe("skills next to conduct.yaml", () => {
  wired(
    ["agents.*.prompt.skills", "agents.*.prompt.skills[].path"],
    "WIR-150 an agent in the gateway reads the skills that its prompt names, and nothing else of the home",
    async () => {
      const paths = [...READABLE.map(([path]) => path), ...CLOSED].map((path) => `${machine.home}/${path}`);
      const reads = paths.map((path) => ["read_file", { path }] as const);
      const change = ["write_file", { path: `${machine.home}/skills/deploy/steps.md`, content: "x" }] as const;
      const results = await gateway.play(model, "skilled", [...reads, change]);
      expect(model.requests.at(-1)?.system).toContain(`(${machine.home}/letters.md)`);
      for (const [at, [, text]] of READABLE.entries()) expect(results[at]).toContain(text);
      for (const result of results.slice(READABLE.length)) expect(result).toContain("Denied by");
      expect(machine.read(".conduct/skills/deploy/steps.md")).toBe("Drain the queue first.");
    },
  );
  wired("agents.*.prompt.skills", "WIR-151 so does an agent in Codex, with plain commands", async () => {
    const run = async (command: string, tool_use_id: string) => {
      const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, tool_use_id };
      const input = JSON.stringify({ session_id: "codex-1", turn_id: tool_use_id, cwd: machine.work, ...event });
      return (await machine.conduct(["hook", "codex"], { input })).out;
    };
    for (const [at, [path]] of READABLE.entries())
      expect(await run(`cat ${machine.home}/${path}`, `r${at}`)).not.toContain("deny");
    for (const [at, path] of CLOSED.entries())
      expect(await run(`cat ${machine.home}/${path}`, `c${at}`)).toContain('"permissionDecision":"deny"');
    for (const [at, command] of [
      `echo x > ${machine.home}/skills/deploy/steps.md`,
      `rm ${machine.home}/skills/deploy/steps.md`,
      `cp /etc/passwd ${machine.home}/skills/deploy/SKILL.md`,
      `sed -i s/a/b/ ${machine.home}/letters.md`,
    ].entries())
      expect(await run(command, `w${at}`), command).toContain('"permissionDecision":"deny"');
  });
});
