import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RuntimeSettings, readRuntimes, writeRuntime } from "./runtime-settings.ts";

const SHADOW: RuntimeSettings = {
  agent: "coder",
  enforcement: "shadow",
  operator: true,
  since: "2026-03-06T09:05:00Z",
};
const ENFORCED: RuntimeSettings = { enforcement: "enforce", operator: false, since: "2026-03-07T09:05:00Z" };
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "conduct-runtimes-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe("the runtimes' settings", () => {
  it("RTS-1 runtime settings start empty, are read back as written, and only their owner can read the file", async () => {
    expect(await readRuntimes(join(home, "new"))).toEqual({});
    await writeRuntime(join(home, "new"), "codex", SHADOW);
    await writeRuntime(join(home, "new"), "claude-code", ENFORCED);
    expect(await readRuntimes(join(home, "new"))).toEqual({ codex: SHADOW, "claude-code": ENFORCED });
    expect(statSync(join(home, "new", "runtimes.json")).mode & 0o777).toBe(0o600);
  });

  it("RTS-2 changing or removing a runtime's settings leaves the others unchanged", async () => {
    await writeRuntime(home, "codex", SHADOW);
    await writeRuntime(home, "pi", ENFORCED);
    await writeRuntime(home, "codex", { ...SHADOW, enforcement: "enforce" });
    await writeRuntime(home, "pi", undefined);
    await writeRuntime(home, "never there", undefined);
    expect(await readRuntimes(home)).toEqual({ codex: { ...SHADOW, enforcement: "enforce" } });
  });

  it("RTS-3 concurrent writers of runtime settings lose nothing and leave no files behind", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `runtime-${at}`);
    await Promise.all(names.map((name) => writeRuntime(home, name, SHADOW)));
    expect(Object.keys(await readRuntimes(home)).sort()).toEqual(names.toSorted());
    expect(readdirSync(home)).toEqual(["runtimes.json", "setup.json", "switch.key"]);
  });

  it("RTS-9 concurrent changes to different fields of one runtime are both saved", async () => {
    await writeRuntime(home, "codex", SHADOW);
    await Promise.all([
      writeRuntime(home, "codex", (now) => ({ ...(now ?? SHADOW), enforcement: "enforce" })),
      writeRuntime(home, "codex", (now) => ({ ...(now ?? SHADOW), operator: true })),
      writeRuntime(home, "codex", (now) => ({ ...(now ?? SHADOW), agent: "coding" })),
    ]);
    expect(await readRuntimes(home)).toEqual({
      codex: { ...SHADOW, enforcement: "enforce", operator: true, agent: "coding" },
    });
  });

  it.each([
    { text: "{", fault: "it is not a JSON object" },
    { text: "[]", fault: "it is not a JSON object" },
    { text: '{"codex": 1}', fault: "'codex' is no map" },
    { text: JSON.stringify({ codex: { ...SHADOW, enforcement: "off" } }), fault: "'codex.enforcement' must be" },
    {
      text: JSON.stringify({ codex: { ...SHADOW, operator: "yes" } }),
      fault: "'codex.operator' must be true or false",
    },
    { text: JSON.stringify({ codex: { ...SHADOW, since: 1 } }), fault: "'codex.since' must be a time" },
    { text: JSON.stringify({ codex: { ...SHADOW, agent: 1 } }), fault: "'codex.agent' must be a name" },
    { text: JSON.stringify({ codex: { ...SHADOW, enforce: true } }), fault: "'codex.enforce' is not known" },
  ])("RTS-4 the settings file $text is rejected with '$fault' and not overwritten", async ({ text, fault }) => {
    writeFileSync(join(home, "runtimes.json"), text, { mode: 0o600 });
    await expect(readRuntimes(home)).rejects.toThrow(fault);
    await expect(writeRuntime(home, "pi", SHADOW)).rejects.toThrow(join(home, "runtimes.json"));
    expect(readFileSync(join(home, "runtimes.json"), "utf8")).toBe(text);
  });

  it("RTS-5 a settings file that others can write, or that is not a regular file, is rejected", async () => {
    await writeRuntime(home, "codex", SHADOW);
    chmodSync(join(home, "runtimes.json"), 0o666);
    await expect(readRuntimes(home)).rejects.toThrow("can be written by others");
    rmSync(join(home, "runtimes.json"));
    symlinkSync("/dev/null", join(home, "runtimes.json"));
    await expect(readRuntimes(home)).rejects.toThrow("not a regular file");
  });
});
