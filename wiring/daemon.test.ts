import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { ClaudeCode } from "./claude-code.ts";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine();

const POLICIES = (name: string) => `
      - { name: order-${name}, sequential: { ship-${name}: [test-${name}] }, rearmOnCompaction: true }
      - { name: files-${name}, readBeforeWrite: { readTools: [look-${name}], writeTools: [change-${name}], rearmOnCompaction: false } }`;
const ACTIONS = (name: string) => `
      ship-${name}: { tool: shell, command: "echo ship-${name}*" }
      test-${name}: { tool: shell, command: "echo test-${name}*" }
      look-${name}: { tool: shell, command: "cat ${name}*" }
      change-${name}: { tool: shell, command: "cp new ${name}*" }`;

const CONFIG = `
agents:
  clerk:
    soul: You are the clerk. ${"Be very thorough, and mind all of this. ".repeat(700)}The end of it.
    actions: ${ACTIONS("one")}${ACTIONS("two")}
    policies: ${POLICIES("one")}
    sections:
    - heading: House
      tools: [shell]
      content: House rules.
      policies: ${POLICIES("two")}
    rules:
      - { id: ask-once, on: shell, when: 'args.command.startsWith("echo once")', effect: ask, say: May I echo once? }
      - { id: ask-kept, on: shell, when: 'args.command.startsWith("touch kept")', effect: ask, remember: session, say: May I touch it? }
`;

beforeAll(async () => {
  machine.write({ ".conduct/conduct.yaml": CONFIG, "work/new": "n", "work/one": "1", "work/two": "2" });
  machine.onClose(() => machine.conduct(["daemon", "stop"]));
  const { code, out, err } = await machine.conduct(["init", "claude-code", "--yes"]);
  expect(code, out + err).toBe(0);
  await machine.conduct(["enforce", "claude-code", "--yes"]);
});
afterAll(() => machine.close());

async function session(id: string): Promise<ClaudeCode> {
  const claude = new ClaudeCode(machine, id);
  await claude.start();
  await claude.say("begin");
  return claude;
}
/** Commands of the person, who is not at the terminal of an agent. */
const run = async (...words: readonly string[]) => (await machine.atTerminal(words)).shown;
const approvalIn = (text: string) => /a_\w+/.exec(text)?.[0] ?? "none";

describe("settings of the daemon's sessions, in Claude Code", () => {
  wired(
    [
      "agents.*.policies[].rearmOnCompaction",
      "agents.*.policies[].readBeforeWrite.rearmOnCompaction",
      "agents.*.sections[].policies[].rearmOnCompaction",
      "agents.*.sections[].policies[].readBeforeWrite.rearmOnCompaction",
    ],
    "WIR-430 a compaction clears the evidence of the policies that say so, and leaves that of the others",
    async () => {
      const claude = await session("compacted");
      for (const name of ["one", "two"]) {
        expect(await claude.shell(`echo ship-${name}`)).toContain("deny");
        expect(await claude.shell(`cp new ${name}`)).toContain("deny");
        for (const first of [`echo test-${name}`, `cat ${name}`]) await claude.shell(first);
        expect(await claude.shell(`echo ship-${name} again`)).not.toContain("deny");
        expect(await claude.shell(`cp new ${name}`)).not.toContain("deny");
      }
      await claude.compact();
      for (const name of ["one", "two"]) {
        expect(await claude.shell(`echo ship-${name} once more`)).toContain("deny");
        expect(await claude.shell(`cp new ${name}`)).not.toContain("deny");
      }
    },
  );
  wired("conduct hook claude-code --part", "WIR-431 a long prompt after a compaction comes in parts", async () => {
    const claude = await session("long");
    const parts = (await claude.compact()).split("\n");
    expect(parts.map((one) => /part \d of \d/.exec(one)?.[0])).toEqual([1, 2, 3, 4].map((part) => `part ${part} of 4`));
    expect(parts.some((one) => one.includes("The end of it."))).toBe(true);
  });
  wired(
    ["conduct approve --always", "agents.*.rules[].remember"],
    "WIR-432 an always is valid for the session where the rule allows it, and once elsewhere",
    async () => {
      const claude = await session("asked");
      const isAsked = async (command: string) => (await claude.shell(command)).includes('"permissionDecision":"ask"');
      const answered = async (command: string, ...how: readonly string[]) =>
        run("approve", approvalIn(await claude.shell(command)), ...how);
      await answered("touch kept-a", "--always");
      expect([await isAsked("touch kept-a"), await isAsked("touch kept-a")]).toEqual([false, false]);
      await answered("touch kept-b");
      expect([await isAsked("touch kept-b"), await isAsked("touch kept-b")]).toEqual([false, true]);
      expect(await answered("echo once 1", "--always")).toContain("NOT_POSSIBLE");
      expect(await isAsked("echo once 1")).toBe(true);
    },
  );
  wired("conduct deny --reason", "WIR-433 the reason of a no reaches the agent", async () => {
    const claude = await session("denied");
    const asked = await claude.shell("echo once 2");
    await run("deny", approvalIn(asked), "--reason", "wait for the release");
    expect(await claude.shell("echo once 2")).toContain("wait for the release");
  });
  wired(
    ["conduct elevate --for", "conduct elevate --off"],
    "WIR-434 an elevation ends after its time, or at once",
    async () => {
      const claude = await session("elevated");
      const outside = () => claude.shell("touch /srv/outside");
      expect(await outside()).toContain("deny");
      const { code, shown } = await machine.atTerminal(["elevate", "elevated", "--for", "10m"]);
      expect(code, shown).toBe(0);
      expect(await outside(), shown).not.toContain("deny");
      await run("elevate", "elevated", "--off");
      expect(await outside()).toContain("deny");
      await run("elevate", "elevated", "--for", "1s");
      await setTimeout(1_500);
      expect(await outside()).toContain("deny");
    },
  );
});
