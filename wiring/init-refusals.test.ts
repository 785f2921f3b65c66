import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

function newMachine(env: NodeJS.ProcessEnv = {}): Machine {
  const machine = new Machine(env);
  machine.onClose(() => machine.conduct(["daemon", "stop"]));
  onTestFinished(() => machine.close());
  return machine;
}

describe("init that changes nothing", () => {
  wired(["conduct init --yes"], "WIR-780 without a yes, init leaves no home, no key and no daemon behind", async () => {
    const machine = newMachine();
    const home = join(machine.root, "new", ".conduct");
    const env = { CONDUCT_HOME: home };
    for (const runtime of ["claude-code", "codex", "openclaw"]) {
      const { code, out } = await machine.conduct(["init", runtime], { env });
      expect([code, out.includes("127.0.0.1") || runtime !== "claude-code"], out).toEqual([1, true]);
    }
    expect(readdirSync(machine.root).filter((name) => name !== "work" && name !== ".conduct")).toEqual([]);
    machine.onClose(() => machine.conduct(["daemon", "stop"], { env }));
    const set = await machine.conduct(["init", "claude-code", "--yes"], { env });
    expect(set.code, set.out + set.err).toBe(0);
    const { port, token } = JSON.parse(machine.read("new/.conduct/daemon.json"));
    const settings = machine.read(".claude/settings.json");
    expect([settings.includes(`127.0.0.1:${port}/`), settings.includes(token)]).toEqual([true, true]);
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
  });

  wired(
    ["conduct init --operator"],
    "WIR-781 --operator is refused with the reason where a runtime does not tell who wrote a message",
    async () => {
      const machine = newMachine();
      for (const runtime of ["openclaw", "opencode"]) {
        const { code, err, out } = await machine.conduct(["init", runtime, "--operator", "--yes"]);
        expect([code, out + err]).toEqual([2, expect.stringContaining("--operator:")]);
        expect(out + err).toMatch(/whether a person or a\s+program/);
      }
      expect(existsSync(join(machine.home, "runtimes.json"))).toBe(false);
      machine.write({ ".codex/config.toml": "", ".openclaw/openclaw.json": "{}\n" });
      const all = await machine.conduct(["init", "--operator", "--yes"]);
      expect(all.code, all.out + all.err).toBe(0);
      expect(all.out).toMatch(/a user, not the operator, in OpenClaw/);
      const runtimes = JSON.parse(machine.read(".conduct/runtimes.json"));
      expect([runtimes.codex.operator, runtimes.openclaw.operator]).toEqual([true, false]);
    },
  );
});
