import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqlStore } from "../../edge/stores/sql/open-sql-store.ts";
import { sampleCall, sampleDenial, sampleEvent } from "../../edge/stores/test/events-samples.ts";

const BIN = join(import.meta.dirname, "conduct.mjs");
const ROOT = join(import.meta.dirname, "../../..");
/** Prints every module that is loaded, on the error stream. */
const LOADED =
  "data:text/javascript,import { registerHooks } from 'node:module'; registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });";

let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "conduct-start-"));
  const store = await openSqlStore({ kind: "sqlite", file: join(home, "conduct.db") });
  await store.events.append([sampleEvent(sampleCall(sampleDenial("d_start")))]);
  await store.close();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What a command has loaded: files of ours by their place, packages by their names, parts of Node. */
function loadedBy(line: string) {
  const env = { ...process.env, CONDUCT_HOME: home, CONDUCT_STORE: "" };
  const ran = spawnSync(process.execPath, ["--import", LOADED, BIN, ...line.split(" ")], { env, encoding: "utf8" });
  expect(ran.status, `${ran.stdout}${ran.stderr}`).toBe(0);
  const urls = ran.stderr.split("\n").filter((one) => /^(?:file|node):/.test(one));
  const files = urls.filter((one) => one.startsWith("file:")).map((one) => one.slice(`file://${ROOT}/`.length));
  const packages = files.flatMap((one) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(one)?.[1] ?? []);
  return {
    ours: files.filter((one) => one.startsWith("src/")),
    packages: [...new Set(packages)],
    node: urls.filter((one) => one.startsWith("node:")),
  };
}

/**
 * A file costs a third of a millisecond at every start, and a library what all its files cost: Node itself starts in 25. A command
 * that needs more now says so here, or loads it where it is needed (`await import`).
 */
describe("what a command loads", () => {
  it.each([
    { line: "--version", most: 9, node: ["node:fs", "node:path"] },
    { line: "--help", most: 12, node: [] },
    { line: "behavior --help", most: 13, node: [] },
    { line: "behavior list", most: 48, node: ["node:crypto", "node:os", "node:path", "node:sqlite"] },
    { line: "behavior history", most: 51, node: ["node:crypto", "node:os", "node:path", "node:sqlite"] },
    { line: "journal verify", most: 44, node: ["node:crypto", "node:os", "node:path", "node:sqlite"] },
    { line: "review list", most: 45, node: ["node:crypto", "node:os", "node:path", "node:sqlite"] },
  ])("STA-1 $line loads at most $most files and no library", ({ line, most, node }) => {
    const loaded = loadedBy(line);
    expect(loaded.packages).toEqual([]);
    expect(loaded.node.sort()).toEqual(node);
    expect(loaded.ours.length, loaded.ours.join("\n")).toBeLessThanOrEqual(most);
  });

  it.each([
    { line: "why d_start", most: 108, packages: ["kysely"] },
    { line: "watch --once", most: 88, packages: ["kysely"] },
    { line: "status", most: 145, packages: ["kysely"] },
    { line: "approvals", most: 96, packages: ["kysely"] },
    // Reads the configuration in force here, with its rules.
    { line: "rules list", most: 400, packages: ["@marcbachmann/cel-js", "re2js", "zod", "yaml", "unbash"] },
  ])(
    "STA-2 $line reads events and loads at most $most files and only the libraries $packages",
    ({ line, most, packages }) => {
      const loaded = loadedBy(line);
      expect(loaded.packages.toSorted()).toEqual(packages.toSorted());
      expect(loaded.ours.length, loaded.ours.join("\n")).toBeLessThanOrEqual(most);
    },
  );
});
