import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect } from "vitest";
import { ClaudeCode } from "./claude-code.ts";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machines: Machine[] = [];
afterEach(async () => {
  for (const one of machines.splice(0)) await one.close();
});

const CONFIG = `
agents:
  clerk: { soul: You are the clerk., rules: [{ id: no-rm, on: shell, say: The clerk deletes nothing. }] }
  porter: { soul: You are the porter. }
`;

/** A machine, and its commands as a person types them. */
function person(config = CONFIG) {
  const machine = new Machine();
  machines.push(machine);
  machine.write({ ".conduct/conduct.yaml": config });
  machine.onClose(() => machine.conduct(["daemon", "stop"]));
  const run = async (...words: readonly string[]) => {
    const { code, shown } = await machine.atTerminal(words);
    return { code, shown };
  };
  return { machine, run, settings: () => machine.read(".claude/settings.json") };
}

describe("options of the commands that set Conduct up", () => {
  wired(
    [
      "conduct init --yes",
      "conduct init --agent",
      "conduct enforce --yes",
      "conduct enforce --shadow",
      "conduct init --undo",
    ],
    "WIR-440 a runtime is set up for the named agent, enforced, put back into shadow mode, and undone",
    async () => {
      const { machine, run, settings } = person();
      await machine.conduct(["init", "claude-code", "--agent", "clerk"]);
      expect(settings()).toBe("");
      await run("init", "claude-code", "--agent", "clerk", "--yes");
      const claude = new ClaudeCode(machine, "s1");
      await claude.start();
      await claude.say("begin");
      expect(await claude.shell("ls")).not.toContain("deny");
      await machine.conduct(["enforce", "claude-code"]);
      expect(await claude.shell("ls a")).not.toContain("deny");
      await run("enforce", "claude-code", "--yes");
      expect(await claude.say("go on")).toContain("You are the clerk.");
      expect(await claude.shell("ls b")).toContain("The clerk deletes nothing.");
      await run("enforce", "claude-code", "--shadow", "--yes");
      expect(await claude.shell("ls c")).not.toContain("deny");
      await run("init", "claude-code", "--undo", "--yes");
      expect(settings()).not.toContain("conduct");
    },
  );
  wired(
    ["conduct init --operator", "conduct init --project", "conduct init --level", "conduct init --full"],
    "WIR-441 the person is the operator, only the project's files change, the packs have the level, and every line is shown",
    async () => {
      const { machine, run, settings } = person("agents: { clerk: { rules: [packs/coding] } }\n");
      const short = (await machine.conduct(["init", "claude-code"])).out;
      const full = (await machine.conduct(["init", "claude-code", "--full"])).out;
      expect([short.includes("lines more"), full.includes("lines more")]).toEqual([true, false]);
      await run("init", "claude-code", "--yes", "--operator", "--level", "strict");
      expect(machine.read(".conduct/conduct.yaml")).toMatch(/level: strict/);
      const claude = new ClaudeCode(machine, "s1");
      await claude.start();
      await claude.say("STOP: long reports");
      expect((await machine.conduct(["behavior", "list"])).out).toContain("long reports");
      await run("init", "claude-code", "--undo", "--yes");
      await run("init", "claude-code", "--yes", "--project");
      expect(settings()).not.toContain("conduct hook");
      expect(machine.read("work/.claude/settings.json") + machine.read("work/.claude/settings.local.json")).toContain(
        "hooks/claude-code",
      );
    },
  );
  wired(
    ["conduct uninstall --yes", "conduct uninstall --data"],
    "WIR-443 an uninstall undoes the runtimes and leaves the data, unless the person asks for its removal",
    async () => {
      const { machine, run, settings } = person();
      await run("init", "claude-code", "--agent", "clerk", "--yes");
      await machine.conduct(["uninstall"]);
      expect(settings()).toContain("conduct");
      await run("uninstall", "--yes");
      expect(settings()).not.toContain("conduct");
      expect(existsSync(join(machine.home, "conduct.db"))).toBe(true);
      const { shown } = await run("uninstall", "--yes", "--data");
      expect(existsSync(join(machine.home, "conduct.db")), shown).toBe(false);
    },
  );
  wired(
    ["conduct trust --yes", "conduct trust --list", "conduct trust --revoke"],
    "WIR-444 a project's file counts while a person trusts it",
    async () => {
      const { machine, run } = person();
      machine.write({ "work/.agents/prompts/house.md": "Local house rules.", "work/.git/HEAD": "x" });
      const preview = async () => (await machine.conduct(["prompt", "preview", "--agent", "clerk"])).out;
      await machine.conduct(["trust"]);
      expect(await preview()).not.toContain("Local house rules.");
      await run("trust", "--yes");
      expect(await preview()).toContain("Local house rules.");
      expect((await machine.conduct(["trust", "--list"])).out).toMatch(/trusted +\S*house\.md/);
      await run("trust", "--revoke");
      expect(await preview()).not.toContain("Local house rules.");
    },
  );
  wired(
    ["conduct config schema --install", "conduct config schema --yes"],
    "WIR-445 the schemas are installed and named in the file, and nothing changes without a yes",
    async () => {
      const { machine } = person();
      await machine.conduct(["config", "schema", "--install"]);
      expect(machine.read(".conduct/conduct.yaml")).not.toContain("yaml-language-server");
      await machine.conduct(["config", "schema", "--install", "--yes"]);
      const named = /\$schema=(\S+)/.exec(machine.read(".conduct/conduct.yaml"))?.[1] ?? "";
      expect(existsSync(named.startsWith("/") ? named : join(machine.home, named))).toBe(true);
    },
  );
  wired(
    ["conduct upgrade --refresh", "conduct upgrade --from", "conduct upgrade --yes"],
    "WIR-447 an upgrade installs the package file after a yes, and a refresh makes the launcher start this version",
    async () => {
      const { machine, run } = person();
      await run("init", "acp");
      const launcher = machine.read(".conduct/bin/conduct");
      machine.write({ ".conduct/bin/conduct": launcher.replaceAll("dist", "elsewhere") });
      const { shown } = await run("upgrade", "--refresh");
      expect(machine.read(".conduct/bin/conduct"), shown).toBe(launcher);
      const package_ = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
      const versions = join(machine.home, "versions");
      for (const [place, version] of [
        [join(versions, package_.version), package_.version],
        [join(machine.root, "package"), "9.9.9"],
      ]) {
        mkdirSync(place, { recursive: true });
        cpSync(join(import.meta.dirname, "../dist"), join(place, "dist"), { recursive: true });
        cpSync(join(import.meta.dirname, "../docs/schema"), join(place, "docs/schema"), { recursive: true });
        writeFileSync(join(place, "package.json"), JSON.stringify({ ...package_, version }));
      }
      execFileSync("tar", ["-czf", join(machine.root, "new.tgz"), "-C", machine.root, "package"]);
      const installed = join(versions, package_.version, "dist/conduct.mjs");
      const upgrade = (...words: readonly string[]) =>
        machine.atTerminal(["upgrade", "--from", join(machine.root, "new.tgz"), "--json", ...words], {}, installed);
      await upgrade();
      expect(existsSync(join(versions, "9.9.9"))).toBe(false);
      const { shown: said } = await upgrade("--yes");
      expect(existsSync(join(versions, "9.9.9/dist/conduct.mjs")), said).toBe(true);
    },
  );
  wired(
    ["conduct demo --keep", "conduct demo --fast"],
    "WIR-446 the demo keeps its folder if asked for, and pauses at a terminal unless it is fast",
    async () => {
      const { machine, run } = person();
      const { result } = JSON.parse((await machine.conduct(["demo", "--json", "--keep"])).out);
      expect(existsSync(result.kept)).toBe(true);
      machine.onClose(() => rmSync(result.kept, { recursive: true, force: true }));
      const { result: gone } = JSON.parse((await machine.conduct(["demo", "--json"])).out);
      expect(gone.kept).toBeUndefined();
      const seconds = async (...words: readonly string[]) =>
        Number(/([\d.]+) s\b/.exec((await run("demo", ...words)).shown)?.[1]);
      const [fast, slow] = [await seconds("--fast"), await seconds()];
      expect(fast).toBeLessThan(slow);
    },
  );
});
