import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { openConduct, openConductFromEnv } from "./open-conduct.ts";

const base = mkdtempSync(join(tmpdir(), "conduct-env-"));
afterEach(() => {
  vi.unstubAllEnvs();
});
const agent = defineAgent({ name: "a" });

/** Runs one message, so that an event is stored. */
async function talk(conduct: ReturnType<typeof openConduct>): Promise<void> {
  await conduct.session({ agent: "a" }).onMessage({ text: "hello", sender: { role: "user" } });
  await conduct.close();
}

describe("where Conduct is configured", () => {
  it("OCE-1 openConduct uses its options and reads no environment variable", async () => {
    const [home, store, keys] = [join(base, "one"), join(base, "data", "events.db"), join(base, "one-keys")];
    vi.stubEnv("CONDUCT_HOME", join(base, "ignored"));
    vi.stubEnv("CONDUCT_STORE", "nonsense");
    vi.stubEnv("CONDUCT_KEYS", join(base, "ignored-keys"));
    vi.stubEnv("CONDUCT_REDIS_URL", "redis://127.0.0.1:1");
    await talk(openConduct({ agents: [agent], home, store, keys, workspace: base }));
    expect([existsSync(store), readdirSync(keys).length > 0]).toEqual([true, true]);
    expect([existsSync(join(base, "ignored")), existsSync(join(base, "ignored-keys"))]).toEqual([false, false]);
  });

  it("OCE-2 openConductFromEnv reads CONDUCT_HOME and CONDUCT_KEYS, and options override them", async () => {
    const [home, keys, store] = [join(base, "two"), join(base, "two-keys"), join(base, "two-data", "x.db")];
    const env = { CONDUCT_HOME: home, CONDUCT_KEYS: keys };
    await talk(openConductFromEnv({ agents: [agent], workspace: base }, env));
    expect([existsSync(join(home, "conduct.db")), readdirSync(keys).length]).toEqual([true, 1]);
    await talk(openConductFromEnv({ agents: [agent], workspace: base, store }, env));
    expect([existsSync(store), readdirSync(keys).length]).toEqual([true, 2]);
  });

  it("OCE-3 an unknown kind of store is rejected", () => {
    const options = { agents: [agent], home: join(base, "three"), store: "mysql://x", workspace: base };
    expect(() => openConduct(options)).toThrow(/postgres:\/\//);
    rmSync(base, { recursive: true, force: true });
  });
});
