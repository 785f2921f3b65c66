import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { conductProgram, conductVersion } from "../node/package-files.ts";
import { compareVersions, daemonPlace, isReplaceable } from "./daemon-place.ts";
import { keepDaemonSettings, readDaemonSettings } from "./daemon-settings.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "conduct-place-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe("where the daemon is found", () => {
  it("DMN-1 the socket is in the home, or in a separate folder if the path would be too long", () => {
    expect(daemonPlace("/h/.conduct/").socket).toBe("/h/.conduct/run/daemon.sock");
    const [one, other] = [daemonPlace(`/h/${"x".repeat(90)}`), daemonPlace(`/h/${"x".repeat(91)}`)];
    for (const { socket } of [one, other]) expect(Buffer.byteLength(socket)).toBeLessThan(100);
    expect(one.socket).not.toBe(other.socket);
    expect(one.socket).toBe(daemonPlace(`/h/${"x".repeat(90)}`).socket);
  });

  it("DMN-2 the program that starts the daemon exists, and its version is the package's", () => {
    expect(existsSync(conductProgram())).toBe(true);
    expect(conductVersion()).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe("versions", () => {
  it("VER-1 versions are ordered by number, and a release comes after its prereleases", () => {
    const sorted = ["0.9.0", "0.10.0-alpha", "0.10.0-beta.2", "0.10.0-beta.10", "0.10.0", "0.10.1", "1.0.0"];
    expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
    expect(compareVersions("1.0.0+old", "1.0.0")).toBe(0);
  });

  it.each([
    { daemon: "0.1.0", own: "0.1.0", replaced: false },
    { daemon: "0.1.0+old", own: "0.1.0", replaced: true },
    { daemon: "0.1.0", own: "0.2.0", replaced: true },
    { daemon: "0.2.0", own: "0.1.0", replaced: false },
    { daemon: "0.2.0+old", own: "0.1.0", replaced: false },
  ])("VER-2 a client of $own replaces a daemon of $daemon: $replaced", ({ daemon, own, replaced }) => {
    expect(isReplaceable(daemon, own)).toBe(replaced);
  });
});

describe("the daemon's settings", () => {
  it("DMN-3 the daemon's settings are created once, never change, and only their owner can read them", () => {
    const file = join(home, "new", "daemon.json");
    expect(readDaemonSettings(file)).toBeUndefined();
    const made = keepDaemonSettings(file, { port: 4_711 });
    expect(made).toMatchObject({ port: 4_711, token: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(keepDaemonSettings(file, { node: "/n" })).toEqual({ ...made, node: "/n" });
    expect(readDaemonSettings(file)).toEqual({ ...made, node: "/n" });
    expect([statSync(file).mode & 0o777, statSync(join(home, "new")).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it.each(["{", "7", '{"token":"short"}', `{"token":"${"a".repeat(64)}","port":0}`])(
    "DMN-4 a settings file with %s is rejected and not overwritten",
    (text) => {
      const file = join(home, "daemon.json");
      writeFileSync(file, text, { mode: 0o600 });
      expect(() => keepDaemonSettings(file)).toThrow("is invalid");
      expect(readFileSync(file, "utf8")).toBe(text);
    },
  );

  it("DMN-5 a token that others can read is rejected", () => {
    const file = join(home, "daemon.json");
    keepDaemonSettings(file);
    chmodSync(file, 0o644);
    expect(() => readDaemonSettings(file)).toThrow("can be read by others");
  });
});
