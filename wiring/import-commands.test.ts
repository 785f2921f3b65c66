import { afterEach, describe, expect } from "vitest";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machines: Machine[] = [];
afterEach(async () => {
  for (const one of machines.splice(0)) await one.close();
});

const CONFIG = `
agents:
  clerk: { soul: You are the clerk. }
  porter: { soul: You are the porter. }
`;

function person() {
  const machine = new Machine();
  machines.push(machine);
  machine.write({
    ".conduct/conduct.yaml": CONFIG,
    "work/CLAUDE.md": "- Never force push.\n- Name tests after the rule they prove.\n",
    "work/GEMINI.md": "- Money is counted in cents.\n",
  });
  machine.onClose(() => machine.conduct(["daemon", "stop"]));
  return { machine, run: (...words: readonly string[]) => machine.atTerminal(words) };
}

describe("conduct import and export", () => {
  wired(
    [
      "conduct import --yes",
      "conduct import --agent",
      "conduct import --undo",
      "agents.*.promptContributors[].exceptRuntimes",
    ],
    "WIR-480 an imported line denies a call, its text reaches the agent once, and undo takes both back",
    async () => {
      const { machine, run } = person();
      await machine.conduct(["import", "--agent", "clerk"]);
      await machine.conduct(["import", "--agent", "clerk", "--yes"], { env: { CLAUDECODE: "1" } });
      const explain = async (agent: string) =>
        (await machine.conduct(["policy", "explain", "git push -f", "--agent", agent])).out;
      expect(await explain("clerk")).not.toContain("CLAUDE.md:1");
      const { code, shown } = await run("import", "--agent", "clerk", "--yes");
      expect(code, shown).toBe(0);
      expect(await explain("clerk")).toContain("CLAUDE.md:1");
      expect(await explain("porter")).not.toContain("CLAUDE.md:1");
      const told = async (runtime: string) =>
        (await machine.conduct(["prompt", "preview", "--agent", "clerk", "--runtime", runtime])).out;
      expect(await told("claude-code")).toContain("Money is counted in cents.");
      expect(await told("claude-code")).not.toContain("Name tests after the rule");
      expect(await told("codex")).toContain("Name tests after the rule");
      await run("import", "--undo");
      expect(await explain("clerk")).not.toContain("CLAUDE.md:1");
    },
  );

  wired(
    ["conduct trust --yes"],
    "WIR-482 a trusted AGENTS.md and skill reach the prompt of a runtime that does not read them, and a change ends it",
    async () => {
      const { machine, run } = person();
      machine.write({
        "work/web/AGENTS.md": "Use the design tokens.\n",
        "work/.agents/skills/release/SKILL.md": "---\nname: release\ndescription: How we release.\n---\nSteps.\n",
      });
      const told = async () =>
        (await machine.conduct(["prompt", "preview", "--agent", "clerk", "--runtime", "claude-code"])).out;
      expect(await told()).not.toContain("design tokens");
      await run("trust", ".", "--yes");
      expect(await told()).toContain("Use the design tokens.");
      expect(await told()).toContain("How we release.");
      machine.write({ "work/web/AGENTS.md": "Use other tokens.\n" });
      expect(await told()).not.toContain("other tokens");
    },
  );

  wired(
    ["conduct export --yes", "conduct export --agent"],
    "WIR-481 the texts of the named agent are written into a block of the file after a yes",
    async () => {
      const { machine, run } = person();
      await run("import", "--agent", "clerk", "--yes");
      await machine.conduct(["export", "AGENTS.md", "--agent", "clerk"]);
      expect(machine.read("work/AGENTS.md")).toBe("");
      await run("export", "AGENTS.md", "--agent", "clerk", "--yes");
      expect(machine.read("work/AGENTS.md")).toContain("Money is counted in cents.");
      await run("export", "AGENTS.md", "--agent", "porter", "--yes");
      expect(machine.read("work/AGENTS.md")).not.toContain("Money is counted in cents.");
    },
  );
});
