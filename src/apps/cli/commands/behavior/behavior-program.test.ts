import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openGovernance } from "../../../../edge/host/opening/open-governance.ts";
import { testGovernance } from "../../test/test-governance.ts";

const BIN = join(import.meta.dirname, "../../conduct.mjs");
/** Prints every module that is loaded, on the error stream. */
const LOADED =
  "data:text/javascript,import { registerHooks } from 'node:module'; registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });";

let home: string;
let file: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "conduct-cli-behavior-"));
  file = join(home, "conduct.db");
});
afterAll(() => rm(home, { recursive: true, force: true }));

function conduct(...words: readonly string[]) {
  const env = { ...process.env, CONDUCT_HOME: home, CONDUCT_STORE: "" };
  const ran = spawnSync(process.execPath, ["--import", LOADED, BIN, ...words], { env, encoding: "utf8" });
  return { status: ran.status, answer: JSON.parse(ran.stdout), loaded: ran.stderr };
}

describe("the program", () => {
  it("CB-3 a read-only command creates no store, and loads no store library, no tokenizer and no decision code", () => {
    const { status, answer, loaded } = conduct("behavior", "list", "--json");
    expect([status, answer.ok, answer.result.version, existsSync(file)]).toEqual([0, true, 0, false]);
    expect(loaded).toContain("commands/behavior/show.ts");
    expect(loaded).not.toMatch(/kysely|gpt-tokenizer|node_modules\/(?:pg|redis|zod|yaml)\/|decide-change/);
  });

  it("CB-4 a change made by one process is read by the next one, and is an entry of the journal's chain", async () => {
    const at = testGovernance();
    const open = (access: "read" | "write") => openGovernance({ kind: "sqlite", file }, access);
    expect((await at.run('behavior add "KEEP: short answers"', { open })).code).toBe(0);
    expect((await at.run('behavior add "MORE: tests" --scope=agent:ada --dry-run', { open })).code).toBe(0);
    expect((await at.run('behavior add "MORE: tests" --scope=agent:ada', { open })).code).toBe(0);
    const { answer, loaded } = conduct("behavior", "list", "--agent=ada", "--json");
    expect(answer.result).toMatchObject({ version: 2, directives: [{ text: "short answers" }, { text: "tests" }] });
    expect(loaded).not.toContain("kysely");
    expect(conduct("journal", "verify", "--json").answer.result).toMatchObject({ entries: 2 });
    expect((await at.run("journal rebuild", { open })).outcome).toMatchObject({ ok: true, result: { sessions: 0 } });
  });

  it("D11 a truncated store is reported in an envelope with a non-zero exit code", async () => {
    await writeFile(file, "");
    expect(conduct("behavior", "list", "--json")).toMatchObject({
      status: 1,
      answer: { ok: false, error: { code: "STORE_DAMAGED" }, fix: expect.stringContaining("Restore it from a backup") },
    });
  });
});
