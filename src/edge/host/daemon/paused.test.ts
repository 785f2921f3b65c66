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
import { endPause, isPaused, LONGEST_PAUSE_MS, readPause, readPauseFile, writePause } from "./paused.ts";

const NOW = 1_700_000_000_000;
const PAUSE = { at: NOW, until: NOW + 60_000, by: "ann", proof: "at pts/3" };
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "conduct-paused-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe("a pause", () => {
  it("PAU-1 a pause lasts until it expires or is ended", () => {
    expect(isPaused(home, NOW)).toBe(false);
    writePause(home, PAUSE);
    expect(readPause(home, NOW)).toEqual(PAUSE);
    expect([isPaused(home, NOW + 59_999), isPaused(home, NOW + 60_000)]).toEqual([true, false]);
    endPause(home);
    endPause(home);
    expect(isPaused(home, NOW)).toBe(false);
  });

  it("PAU-2 a pause creates the home, and only its owner can read or write the file", () => {
    writePause(join(home, "new"), PAUSE);
    writePause(join(home, "new"), { ...PAUSE, by: "bob" });
    expect(readdirSync(join(home, "new"))).toEqual(["paused", "switch.key"]);
    expect(statSync(join(home, "new", "paused")).mode & 0o777).toBe(0o600);
    expect(readPause(join(home, "new"), NOW)?.by).toBe("bob");
  });

  it.each([
    ["not JSON", "{"],
    ["no map", "7"],
    ["without its time", JSON.stringify({ at: NOW, by: "ann" })],
    ["with a time that is none", JSON.stringify({ ...PAUSE, until: "tomorrow" })],
    ["without who did it", JSON.stringify({ at: NOW, until: NOW + 1 })],
    ["longer than any may be", JSON.stringify({ ...PAUSE, until: NOW + LONGEST_PAUSE_MS + 1 })],
  ])("PAU-3 a pause file that is %s is ignored", (_what, text) => {
    writeFileSync(join(home, "paused"), text, { mode: 0o600 });
    expect(isPaused(home, NOW)).toBe(false);
  });

  it("PAU-12 a pause file that conduct pause did not write has no effect and is reported as forged", () => {
    writePause(home, PAUSE);
    const signed = JSON.parse(readFileSync(join(home, "paused"), "utf8"));
    const tries = [
      { ...PAUSE },
      { ...PAUSE, signature: "0".repeat(64) },
      { ...signed, until: NOW + 120_000 },
      { ...signed, by: "bob" },
    ];
    for (const forged of tries) {
      writeFileSync(join(home, "paused"), JSON.stringify(forged), { mode: 0o600 });
      expect(readPauseFile(home, NOW)).toMatchObject({ kind: "forged" });
      expect(isPaused(home, NOW)).toBe(false);
    }
    writeFileSync(join(home, "paused"), JSON.stringify(signed), { mode: 0o600 });
    expect(isPaused(home, NOW)).toBe(true);
    // Another home's key signs nothing here.
    rmSync(join(home, "switch.key"));
    expect(isPaused(home, NOW)).toBe(false);
  });

  it("PAU-4 a pause file that others can write, or that is a link, is ignored", () => {
    writePause(home, PAUSE);
    chmodSync(join(home, "paused"), 0o622);
    expect(isPaused(home, NOW)).toBe(false);
    chmodSync(join(home, "paused"), 0o600);
    symlinkSync(join(home, "paused"), join(home, "link"));
    expect(isPaused(home, NOW)).toBe(true);
    endPause(home);
    symlinkSync(join(home, "link"), join(home, "paused"));
    expect(isPaused(home, NOW)).toBe(false);
  });
});
