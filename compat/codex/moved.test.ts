import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import { copiedInstallation } from "../../src/apps/install/launcher/test/test-installation.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { CODEX } from "./codex-run.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

it("FM-3 with the installation moved away, a watched Codex continues with a warning, an enforced one blocks and says why", async () => {
  const at = copiedInstallation();
  closing.push(at.remove);
  at.env.PATH = `${dirname(CODEX)}:${process.env.PATH}`;
  at.env.SCRIPTED_KEY = "none";
  const server = await startModelServer({
    script: ({ results, lastUserText }) =>
      results.length > 0
        ? { text: "Done." }
        : { calls: [{ id: "call_1", name: "exec_command", input: { cmd: `echo ${lastUserText.trim()} >> ran.txt` } }] },
  });
  closing.push(() => server.close());
  mkdirSync(join(at.user, ".codex"));
  writeFileSync(join(at.user, ".codex/config.toml"), configOf(server.openaiUrl));
  execFileSync("git", ["-C", at.work, "init"], { stdio: "ignore" });
  for (const words of [
    ["init", "codex", "--yes", "--trust"],
    ["daemon", "stop"],
  ]) {
    const { status, stdout, stderr } = at.conduct(...words);
    expect(status, `${stdout}${stderr}`).toBe(0);
  }
  const codex = async (message: string) => {
    const words = [
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      "-C",
      at.work,
      message,
    ];
    const child = spawn(CODEX, words, {
      cwd: at.work,
      env: at.env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 120_000,
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const ran = spawnSync("cat", [join(at.work, "ran.txt")], { encoding: "utf8" })
      .stdout.trim()
      .split("\n");
    return { told: `${out}${err}`, ran };
  };

  at.move("moved");
  const first = await codex("one");
  expect(first.ran, first.told).toEqual(["one"]);
  // `codex exec` prints no hook's message to the person; that it was given once is noted here.
  expect(existsSync(join(at.home, "bin/.warned-codex"))).toBe(true);
  const second = await codex("two");
  expect(second.ran, second.told).toEqual(["one", "two"]);

  for (const words of [
    ["init", "codex", "--yes"],
    ["enforce", "codex", "--yes"],
    ["daemon", "stop"],
  ])
    expect(at.conduct(...words).status).toBe(0);
  at.move("moved-again");
  const third = await codex("three");
  expect(third.ran, third.told).toEqual(["one", "two"]);
  // `codex exec` prints no reason either; the terminal interface shows the hook's sentence.
  expect(third.told).toContain("UserPromptSubmit Blocked");
});

const configOf = (url: string) => `model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${url}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0

[features]
plugins = false
apps = false
`;
