import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runStop } from "../../src/apps/cli/commands/daemon/daemon.ts";
import { bindRuntime, EXEC_GATE, expectStopped, scriptOf, setUpRepository } from "../exec-gate.ts";
import { modelName, OPENCODE, opencodeEnv, PLUGIN_FILE } from "./place.ts";
import { runOpencode } from "./run.ts";
import { openPlace } from "./server.ts";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
  vi.unstubAllEnvs();
});

describe(EXEC_GATE, () => {
  it("opencode", async () => {
    const { place, models } = await openPlace({ files: { [PLUGIN_FILE]: undefined } }, scriptOf("bash", "command"));
    endings.push(
      () => place.remove(),
      () => models.close(),
    );
    const [home, workspace] = [join(place.root, "conduct"), join(place.root, "workspace")];
    mkdirSync(workspace);
    const env: NodeJS.ProcessEnv = { ...opencodeEnv(place), CONDUCT_HOME: home, CONDUCT_SOCKET: "", CONDUCT_KEYS: "" };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    vi.stubEnv("PATH", `${dirname(OPENCODE)}:${env.PATH}`);
    endings.push(() => runStop(home, undefined));
    const repository = setUpRepository(workspace);
    const before = repository.remoteHead();
    await bindRuntime("opencode", workspace);
    const ran = await runOpencode({ place, workspace, message: "ship it", model: modelName(200_000), env });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expectStopped(repository, before, models.requests);
  });
});
