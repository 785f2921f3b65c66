import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runStop } from "../../src/apps/cli/commands/daemon/daemon.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { bindRuntime, EXEC_GATE, expectStopped, scriptOf, setUpRepository } from "../exec-gate.ts";
import { CODEX } from "./codex-run.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-codex-gate-")));
  for (const name of ["codex", "work"]) mkdirSync(join(root, name));
  const variables = { HOME: root, CODEX_HOME: join(root, "codex"), CONDUCT_HOME: join(root, "conduct") };
  for (const [name, value] of Object.entries({
    ...variables,
    CONDUCT_KEYS: "",
    XDG_CONFIG_HOME: "",
    SHELL: "/bin/bash",
  }))
    vi.stubEnv(name, value);
  vi.stubEnv("PATH", `${dirname(CODEX)}:${process.env.PATH}`);
  vi.stubEnv("SCRIPTED_KEY", "none");
});
afterEach(async () => {
  await runStop(join(root, "conduct"), undefined);
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

describe(EXEC_GATE, () => {
  it("codex", async () => {
    const work = join(root, "work");
    const repository = setUpRepository(work);
    const before = repository.remoteHead();
    const server = await startModelServer({ script: scriptOf("exec_command", "cmd") });
    try {
      writeFileSync(join(root, "codex/config.toml"), config(server.openaiUrl));
      await bindRuntime("codex", work, { trust: true });
      const words = [
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        "-C",
        work,
        "ship it",
      ];
      const child = spawn(CODEX, words, { cwd: work, stdio: ["ignore", "ignore", "pipe"], timeout: 60_000 });
      const closed = new Promise<number | null>((resolve, reject) => child.on("close", resolve).on("error", reject));
      const [stderr, status] = await Promise.all([text(child.stderr), closed]);
      expect(status, stderr).toBe(0);
      expectStopped(repository, before, server.requests);
    } finally {
      await server.close();
    }
  });
});

const config = (url: string) => `model = "gpt-5.5"
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
