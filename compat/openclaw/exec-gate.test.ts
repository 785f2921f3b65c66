import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runStop } from "../../src/apps/cli/commands/daemon/daemon.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { bindRuntime, EXEC_GATE, expectStopped, scriptOf, setUpRepository } from "../exec-gate.ts";
import { clawEnv, writeConfig } from "./config.ts";
import { startGateway } from "./gateway.ts";
import { newPlace } from "./place.ts";
import { answerSummary } from "./script.ts";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
  vi.unstubAllEnvs();
});

describe(EXEC_GATE, () => {
  it("openclaw", async () => {
    const place = newPlace();
    const server = await startModelServer({ script: scriptOf("exec", "command"), ignore: answerSummary });
    endings.push(
      () => place.remove(),
      () => server.close(),
    );
    const home = join(place.state, "conduct");
    const env = { ...clawEnv(place), CONDUCT_HOME: home, CONDUCT_SOCKET: "", CONDUCT_KEYS: "", CONDUCT_STORE: "" };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    endings.push(() => runStop(home, undefined));
    const { workspace } = place.newRun();
    mkdirSync(workspace, { recursive: true });
    const repository = setUpRepository(workspace);
    const before = repository.remoteHead();
    const configure = async (port: number) => {
      writeConfig(place, { modelUrl: server.url, port });
      await bindRuntime("openclaw", workspace);
    };
    const gateway = await startGateway(place, configure, env);
    endings.push(() => gateway.stop());
    const key = "agent:main:gate";
    await gateway.request("sessions.create", { key, cwd: workspace });
    const turn = await gateway.chat(key, "ship it");
    expect(turn.state, gateway.log().slice(-2_000)).toBe("final");
    expectStopped(repository, before, server.requests);
  });
});
