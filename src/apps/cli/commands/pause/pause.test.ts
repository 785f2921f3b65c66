import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPause } from "../../../../edge/host/daemon/paused.ts";
import { sequentialIds } from "../../../../edge/host/node/node-ids.ts";
import { memoryStores } from "../../../../edge/stores/home-stores.ts";
import { verifyChain } from "../../../../engine/journal/governance-chain.ts";
import type { PersonCheck } from "../../line/person.ts";
import type { GovernanceWorld } from "../../stores/with-contract.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { pause as runPause, resume as runResume } from "./pause.ts";

const NOW = Date.UTC(2026, 10, 15, 8);
let home: string;
let world: GovernanceWorld;

let kept = memoryStores().governance;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "conduct-pause-"));
  kept = memoryStores().governance;
  world = {
    clock: { now: () => NOW, monotonic: () => NOW },
    ids: sequentialIds(),
    cap: async () => Promise.reject(new Error("not needed")),
    open: async () => ({ journal: kept, close: async () => undefined }),
    inside: async () => undefined,
    by: async () => "cli:ann",
    look: async () => Promise.reject(new Error("not needed")),
    index: async () => undefined,
    tell: async () => undefined,
    piped: async () => undefined,
  };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Somebody at a terminal who types what is shown. */
const ANN: PersonCheck = {
  look: () => ({ kind: "person", proof: "at pts/3 under sshd" }),
  ask: async (question) => /Type (\w+) /.exec(question)?.[1],
  code: () => "kwrt",
};
const PROOF = "typed a code at pts/3 under sshd";

const pause = (time: string, change: Partial<GovernanceWorld> = {}, person: PersonCheck = ANN) =>
  runPause({ time }, testTerminal(), { ...world, ...change, person }, home);
const resume = (change: Partial<GovernanceWorld> = {}) => runResume({}, testTerminal(), { ...world, ...change }, home);

describe("conduct pause, conduct resume", () => {
  it("PAU-5 a pause lasts for the given time or until it is ended, and both are in the journal", async () => {
    const outcome = await pause("10m");
    expect(outcome).toMatchObject({ ok: true, result: { until: NOW + 600_000, by: "cli:ann" } });
    expect(outcome.text).toContain("paused for 10 minutes: everything is recorded, nothing is enforced");
    expect(readPause(home, NOW)).toEqual({ at: NOW, until: NOW + 600_000, by: "cli:ann", proof: PROOF });
    expect(await resume()).toMatchObject({ ok: true, text: expect.stringContaining("enforced again") });
    expect(readPause(home, NOW)).toBeUndefined();
    const { entries } = await kept.read({ limit: 9 });
    expect(entries.map(({ kind, by, body }) => ({ kind, by, body }))).toEqual([
      { kind: "conduct.paused", by: "cli:ann", body: { until: NOW + 600_000, proof: PROOF } },
      { kind: "conduct.resumed", by: "cli:ann", body: { until: NOW + 600_000 } },
    ]);
    expect(verifyChain(entries)).toMatchObject({ kind: "whole" });
  });

  it("PAU-6 only a person can pause: an agent's command is rejected and changes nothing", async () => {
    const inside = async () => ({ agent: "Codex", sign: "CODEX_SANDBOX is set" });
    expect(await pause("10m", { inside })).toMatchObject({ ok: false, code: "INSIDE_AGENT" });
    expect(readPause(home, NOW)).toBeUndefined();
    await pause("10m");
    expect(await resume({ inside })).toMatchObject({ ok: false, code: "INSIDE_AGENT" });
    expect(readPause(home, NOW)).toBeDefined();
    expect((await kept.head()).seq).toBe(1);
  });

  it("PAU-11 a pause is rejected without a visible person, and without the typed code", async () => {
    const look = () => ({ kind: "nobody", why: "it does not run in a terminal" }) as const;
    const nobody = await pause("10m", {}, { ...ANN, look });
    expect(nobody).toMatchObject({
      ok: false,
      code: "NO_PERSON",
      message: expect.stringContaining("it does not run in a terminal"),
      fix: expect.stringContaining("console"),
    });
    for (const typed of ["y", "yes", "", undefined]) {
      expect(await pause("10m", {}, { ...ANN, ask: async () => typed })).toMatchObject({ code: "NOT_CONFIRMED" });
    }
    expect(readPause(home, NOW)).toBeUndefined();
    expect((await kept.head()).seq).toBe(0);
  });

  it.each(["", "soon", "0m", "-5m", "10", "25h"])("PAU-7 '%s' is rejected as the duration of a pause", async (time) => {
    expect(await pause(time)).toMatchObject({ ok: false, code: "BAD_ARGUMENT", exitCode: 2 });
    expect(readPause(home, NOW)).toBeUndefined();
  });

  it("PAU-8 a pause works without a working store, and reports that the journal lacks it", async () => {
    const open = async () => Promise.reject(new Error("the store is damaged"));
    const paused = await pause("1h", { open });
    expect(paused).toMatchObject({ ok: true, result: { notJournaled: "the store is damaged" } });
    expect(paused.text).toContain("not in the journal: the store is damaged");
    expect(readPause(home, NOW)).toBeDefined();
    expect(await resume({ open })).toMatchObject({ ok: true, text: expect.stringContaining("not in the journal") });
    expect(readPause(home, NOW)).toBeUndefined();
  });

  it("PAU-9 resume without a pause changes nothing and writes nothing", async () => {
    expect(await resume()).toMatchObject({ ok: true, text: expect.stringContaining("was not paused") });
    expect((await kept.head()).seq).toBe(0);
  });

  it("PAU-10 a pause is recorded in the journal even if another process writes at the same time", async () => {
    let first = true;
    const busy = {
      ...kept,
      async append(...given: Parameters<typeof kept.append>) {
        if (first) await kept.append(0, [{ at: NOW, by: "bob", kind: "test.made", body: 1 }]);
        first = false;
        return kept.append(...given);
      },
    };
    await pause("10m", { open: async () => ({ journal: busy, close: async () => undefined }) });
    expect((await kept.read({ limit: 9 })).entries.map(({ kind }) => kind)).toEqual(["test.made", "conduct.paused"]);
  });
});
