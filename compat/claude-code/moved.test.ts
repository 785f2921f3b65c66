import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { copiedInstallation } from "../../src/apps/install/launcher/test/test-installation.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { ALLOWED, CLAUDE, runClaude } from "./cli.ts";
import type { Place } from "./place.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

it("FM-4 with the installation moved away, a watched Claude Code continues with a warning, an enforced one blocks and says why", async () => {
  const at = copiedInstallation();
  closing.push(at.remove);
  const config = join(at.user, ".claude");
  mkdirSync(config);
  Object.assign(at.env, { CLAUDE_CONFIG_DIR: config, PATH: `${dirname(CLAUDE)}:${process.env.PATH}` });
  for (const words of [
    ["init", "claude-code", "--yes"],
    ["daemon", "stop"],
  ]) {
    const { status, stdout, stderr } = at.conduct(...words);
    expect(status, `${stdout}${stderr}`).toBe(0);
  }
  const place: Place = {
    workspace: at.work,
    home: at.user,
    config,
    conduct: at.home,
    put: () => undefined,
    files: () => new Map(),
    remove: at.remove,
  };
  const claude = async (name: string) => {
    const calls = [{ id: name, name: "Bash", input: { command: `touch ${name}` } }];
    const server = await startModelServer({ script: [{ calls }, { text: "Done." }] });
    try {
      const { messages, stderr } = await runClaude(place, server.url, ["-p", "do it", "--allowedTools", ALLOWED]);
      return { told: `${JSON.stringify(messages)}${stderr}`, ran: existsSync(join(at.work, name)) };
    } finally {
      await server.close();
    }
  };

  at.move("moved");
  const first = await claude("one");
  expect(first.ran, first.told).toBe(true);
  const second = await claude("two");
  expect(second.ran, second.told).toBe(true);
  expect(existsSync(join(at.home, "bin/.warned-claude-code"))).toBe(true);

  for (const words of [
    ["init", "claude-code", "--yes"],
    ["enforce", "claude-code", "--yes"],
    ["daemon", "stop"],
  ])
    expect(at.conduct(...words).status).toBe(0);
  at.move("moved-again");
  const third = await claude("three");
  expect(third.ran, third.told).toBe(false);
  expect(third.told).toContain("Everything is blocked because claude-code is enforced");
});
