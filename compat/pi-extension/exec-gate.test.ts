import { dirname } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runStop } from "../../src/apps/cli/commands/daemon/daemon.ts";
import { startModelServer } from "../../src/testing/test/model-server/index.ts";
import { bindRuntime, EXEC_GATE, expectStopped, scriptOf, setUpRepository } from "../exec-gate.ts";
import { newPlace, piEnv, writePiHome } from "./place.ts";
import { runPiOnce } from "./rpc.ts";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
  vi.unstubAllEnvs();
});

describe(EXEC_GATE, () => {
  it("pi-extension over anthropic-messages", async () => {
    const place = { ...newPlace(), socket: "" };
    endings.push(() => place.remove());
    const server = await startModelServer({ script: scriptOf("bash", "command") });
    endings.push(() => server.close());
    writePiHome(place, { modelUrl: server.url, api: "anthropic-messages", window: 200_000, extension: null });
    for (const [name, value] of Object.entries({ ...piEnv(place), CONDUCT_KEYS: "" })) vi.stubEnv(name, value);
    vi.stubEnv("PATH", `${dirname(process.execPath)}:${process.env.PATH}`);
    endings.push(() => runStop(place.home, undefined));
    const repository = setUpRepository(place.workspace);
    const before = repository.remoteHead();
    await bindRuntime("pi", place.workspace);
    const ran = await runPiOnce(place, ["-p", "ship it"]);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expectStopped(repository, before, server.requests);
  });
});
