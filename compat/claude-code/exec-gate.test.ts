import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runStop } from "../../src/apps/cli/commands/daemon/daemon.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { bindRuntime, EXEC_GATE, expectStopped, scriptOf, setUpRepository } from "../exec-gate.ts";
import { ALLOWED, CLAUDE, runClaude } from "./cli.ts";
import { newPlace, type Place } from "./place.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
  const variables = { HOME: place.home, CLAUDE_CONFIG_DIR: place.config, CONDUCT_HOME: place.conduct };
  for (const [name, value] of Object.entries({ ...variables, CONDUCT_KEYS: "", XDG_CONFIG_HOME: "" }))
    vi.stubEnv(name, value);
  vi.stubEnv("PATH", `${dirname(CLAUDE)}:${process.env.PATH}`);
});
afterEach(async () => {
  await runStop(place.conduct, undefined);
  vi.unstubAllEnvs();
  place.remove();
});

describe(EXEC_GATE, () => {
  it("claude-code", async () => {
    const repository = setUpRepository(place.workspace);
    const before = repository.remoteHead();
    await bindRuntime("claude-code", place.workspace);
    const server = await startModelServer({ script: scriptOf("Bash", "command") });
    try {
      const end = await runClaude(place, server.url, ["-p", "ship it", "--allowedTools", ALLOWED]);
      expect(end.exitCode, end.stderr).toBe(0);
      expectStopped(repository, before, server.requests);
    } finally {
      await server.close();
    }
  });
});
