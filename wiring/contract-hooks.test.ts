import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect } from "vitest";
import { findPython, runInPty } from "../src/edge/host/switch/test/test-pty.ts";
import { ClaudeCode } from "./claude-code.ts";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const PATIENT_MS = 90_000;
const machines: Machine[] = [];
afterEach(async () => {
  for (const one of machines.splice(0)) await one.close();
});

function machine(env: NodeJS.ProcessEnv = {}): Machine {
  const made = new Machine(env);
  machines.push(made);
  made.onClose(() => made.conduct(["daemon", "stop"]));
  return made;
}

/** Plays Codex: the hook command that `conduct init codex` wrote, in a shell below a program of that name. */
class Codex {
  readonly #machine: Machine;

  constructor(used: Machine) {
    this.#machine = used;
    mkdirSync(join(used.root, "bin"));
    copyFileSync("/bin/bash", join(used.root, "bin/codex"));
  }

  /** Says something; returns what the person is shown. */
  async say(
    prompt: string,
    { session = "s1", words = [], terminal = true }: { session?: string; words?: string[]; terminal?: boolean } = {},
  ): Promise<string> {
    const used = this.#machine;
    const { hooks } = JSON.parse(used.read(".codex/hooks.json"));
    const event = { hook_event_name: "UserPromptSubmit", session_id: session, turn_id: "t", cwd: used.work, prompt };
    const [input, output] = [join(used.root, "event.json"), join(used.root, "out.json")];
    const script = `(${hooks.UserPromptSubmit[0].hooks[0].command}) < ${input} > ${output}\ntrue\n`;
    used.write({ "event.json": JSON.stringify(event), "out.json": "", "run.sh": script });
    const line = [join(used.root, "bin/codex"), join(used.root, "run.sh"), ...words];
    if (terminal) await runInPty("xterm", line, used.env, PATIENT_MS);
    else
      await new Promise((resolve) =>
        spawn(line[0] ?? "", line.slice(1), { env: used.env, stdio: "ignore", detached: true }).on("close", resolve),
      );
    const { reason = "", systemMessage = "" } = JSON.parse(used.read("out.json") || "{}");
    return `${reason}${systemMessage}`;
  }
}

const inForce = async (used: Machine) => (await used.conduct(["behavior", "list", "--json"])).out;
const replacementIn = (refused: string) => /\/contract replace d_\w+ STOP: long reports/.exec(refused)?.[0] ?? "";

describe.skipIf(findPython() === undefined)("what Conduct itself answers in the runtimes that people work in", () => {
  wired(
    "conduct init --operator",
    "WIR-863 in Claude Code the answers about the contract block the message, and come next to the model's in shadow mode",
    async () => {
      const used = machine();
      await used.atTerminal(["init", "claude-code", "--yes", "--operator"]);
      const claude = new ClaudeCode(used, "s1");
      await claude.start();
      expect(await claude.say("KEEP: long reports")).toMatch(/"systemMessage":"KEEP: long reports: in force/);
      const unheld = await claude.say("STOP: long reports");
      expect(unheld).not.toContain('"decision"');
      expect(unheld).toMatch(
        /Nothing was changed.*\/contract replace d_\w+ STOP: long reports.*in shadow mode, so its/,
      );
      expect(await claude.say("What are my rules?")).toContain("- KEEP: long reports");

      await used.atTerminal(["enforce", "claude-code", "--yes"]);
      const refused = await claude.say("STOP: long reports");
      expect(refused).toMatch(/"decision":"block","reason":"Nothing was changed.*BEHAVIOR_CONFLICT/);
      expect(await claude.say("STOP：redundant text")).toMatch(
        /"decision":"block".*Did you mean 'STOP: redundant text'/,
      );
      for (const question of ["What are my rules?", "/contract"])
        expect(await claude.say(question)).toMatch(/"decision":"block".*- KEEP: long reports/);
      expect(await claude.say(replacementIn(refused))).toContain("Contract changed: replaced");
      // Not blocked: this text is part of the next request to the model.
      expect(await claude.say("go on")).toMatch(/"additionalContext":".*- STOP: long reports/);
    },
  );

  wired(
    "conduct init --operator",
    "WIR-864 what a person types in Codex' terminal adds, refuses, shows and elevates, and a headless run changes nothing",
    async () => {
      const used = machine();
      for (const words of [
        ["init", "codex", "--operator", "--yes"],
        ["enforce", "codex", "--yes"],
      ])
        await used.atTerminal(words);
      const codex = new Codex(used);
      expect(await codex.say("KEEP: long reports")).toContain("Noted.");
      const refused = await codex.say("STOP: long reports");
      expect(refused).toMatch(/Nothing was changed\.[\s\S]*BEHAVIOR_CONFLICT/);
      expect(await codex.say("STOP:redundant")).toMatch(/Nothing was changed\.[\s\S]*Did you mean 'STOP: redundant'/);
      for (const question of ["What are my rules?", "/contract"])
        expect(await codex.say(question)).toMatch(/- KEEP: long reports[\s\S]*Rules of coding: /);
      expect(await codex.say(replacementIn(refused))).toContain("Contract changed: replaced");
      expect(await inForce(used)).toMatch(/"type": ?"stop"[\s\S]*long reports/);
      expect(await codex.say("/elevated on")).toMatch(/elevated.*on/i);

      const before = await inForce(used);
      await codex.say("KEEP: words of a program", { session: "s2", terminal: false });
      await codex.say("KEEP: words of a program", { session: "s3", words: ["exec"] });
      await codex.say("KEEP: words of a program", { session: "s1", terminal: false });
      expect(await codex.say("/elevated on", { session: "s2", terminal: false })).toContain("Not elevated");
      expect(JSON.parse(await inForce(used)).result.hash).toBe(JSON.parse(before).result.hash);
    },
  );
});
