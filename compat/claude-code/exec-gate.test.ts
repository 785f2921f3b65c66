import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runStop } from "../../src/apps/cli/commands/daemon/daemon.ts";
import { enforce as runEnforce } from "../../src/apps/cli/commands/enforce/enforce.ts";
import { init as runInit } from "../../src/apps/cli/commands/init/init.ts";
import { initWorld } from "../../src/apps/cli/commands/init/init-world.ts";
import { testTerminal } from "../../src/apps/cli/test/test-terminal.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { COMMANDS, EXEC_GATE, expectStopped, setUpRepository } from "../exec-gate.ts";
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

describe(`${EXEC_GATE}: a script that force-pushes is stopped, and tests that fail behind a pipe are no proof`, () => {
  it("claude-code", async () => {
    const person = { ...initWorld(), inside: () => undefined, person: AT_TERMINAL };
    const terminal = () => testTerminal({ cwd: place.workspace });
    const repository = setUpRepository(place.workspace);
    const before = repository.remoteHead();
    expect(await runInit({ runtime: "claude-code", yes: true }, terminal(), person)).toMatchObject({ ok: true });
    expect(await runEnforce({ runtime: "claude-code", yes: true }, terminal(), person)).toMatchObject({ ok: true });
    const calls = Object.entries(COMMANDS).map(([id, command]) => ({
      calls: [{ id, name: "Bash", input: { command } }],
    }));
    const server = await startModelServer({ script: [...calls, { text: "Done." }] });
    try {
      const end = await runClaude(place, server.url, ["-p", "ship it", "--allowedTools", ALLOWED]);
      expect(end.exitCode, end.stderr).toBe(0);
      expectStopped(repository, before, server.requests);
    } finally {
      await server.close();
    }
  });
});

const AT_TERMINAL = { look: () => ({ kind: "person", proof: "at pts/3 under sshd" }) as const };
