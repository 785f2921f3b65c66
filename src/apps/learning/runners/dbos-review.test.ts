import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPostgres, startPostgres, type TestPostgres } from "../../../edge/stores/test/servers/postgres.ts";

const programs = findPostgres();
const folder = mkdtempSync(join(tmpdir(), "conduct-dbos-"));
const CHILD = fileURLToPath(new URL("./test/dbos-child.ts", import.meta.url));
let postgres: TestPostgres;
const children: ChildProcess[] = [];

beforeAll(async () => {
  if (programs !== undefined) postgres = await startPostgres(programs);
}, 120_000);
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** A process of its own, as on a machine of its own. */
function machine(url: string, file: string, ...more: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [CHILD, url, file, ...more], { stdio: "ignore" });
  children.push(child);
  return child;
}
const noted = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");

describe.skipIf(programs === undefined)("the review as a DBOS workflow, on a real PostgreSQL", () => {
  it("RVW-40: after a kill during a step another machine continues the review there, without repeating finished steps", async () => {
    const url = await postgres.createDatabase();
    const file = join(folder, "steps.txt");
    writeFileSync(file, "");
    const first = machine(url, file, "hang", "propose");
    await expect.poll(() => noted(file).length, { timeout: 90_000, interval: 100 }).toBe(4);
    const gone = once(first, "exit");
    first.kill("SIGKILL");
    await gone;
    const second = machine(url, file);
    const [code] = await once(second, "exit");
    expect(code).toBe(0);
    const [one, two] = [String(first.pid), String(second.pid)];
    expect(noted(file)).toEqual([
      ...["window", "find", "ask", "propose"].map((name) => `${one} ${name}`),
      ...["propose", "adherence", "finish", "digest", "done r"].map((name) => `${two} ${name}`),
    ]);
    const third = machine(url, file);
    expect(await once(third, "exit")).toEqual([0, null]);
    expect(noted(file).slice(9)).toEqual([`${third.pid} done r`]);
  }, 240_000);

  it("RVW-41: a failed review continues at the failed step, and does not count as done", async () => {
    const url = await postgres.createDatabase();
    const file = join(folder, "failed.txt");
    writeFileSync(file, "");
    const [code] = await once(machine(url, file, "fail", "propose"), "exit");
    expect(code).not.toBe(0);
    const before = noted(file);
    expect(before.at(-1)).toContain("propose");
    const second = machine(url, file);
    expect(await once(second, "exit")).toEqual([0, null]);
    const steps = ["propose", "adherence", "finish", "digest", "done r"];
    expect(noted(file).slice(before.length)).toEqual(steps.map((name) => `${second.pid} ${name}`));
  }, 240_000);

  it("RVW-42: a review left by an older version is restarted by the newer one", async () => {
    const url = await postgres.createDatabase();
    const file = join(folder, "older.txt");
    writeFileSync(file, "");
    const first = machine(url, file, "hang", "propose", "1");
    await expect.poll(() => noted(file).length, { timeout: 90_000, interval: 100 }).toBe(4);
    const gone = once(first, "exit");
    first.kill("SIGKILL");
    await gone;
    const second = machine(url, file, "", "", "2");
    expect(await once(second, "exit")).toEqual([0, null]);
    const steps = ["window", "find", "ask", "propose", "adherence", "finish", "digest", "done r"];
    expect(noted(file).slice(4)).toEqual(steps.map((name) => `${second.pid} ${name}`));
  }, 240_000);
});
