import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";
import { startGateway } from "../../../gateway/start-gateway.ts";
import { COMMANDS } from "../../declared/command-tree.ts";
import type { Arguments } from "../../line/command.ts";
import { parseCommandLine } from "../../line/command-line.ts";
import { thisMachine } from "../../stores/with-contract.ts";
import { type TestGovernance, testGovernance } from "../../test/test-governance.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { keep, NOON, STORY } from "../../test/watch-test-world.ts";
import { type OpenWorld, open, openPage } from "./open.ts";

const root = mkdtempSync(join(tmpdir(), "conduct-open-"));
const home = join(root, "home");
const env = { CONDUCT_HOME: home };
let started: Awaited<ReturnType<typeof startGateway>>;
let governance: TestGovernance;
const browsed: string[] = [];

beforeAll(async () => {
  started = await startGateway({ home, env, port: 0, report: () => undefined });
  await keep(home, STORY);
  governance = testGovernance();
  await governance.run('behavior add "STOP: long status reports"');
  await governance.propose("frequent handoffs");
});
afterAll(async () => {
  await started?.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});

const world = (more: Partial<OpenWorld> = {}): OpenWorld => ({
  ...{ env, home, now: () => NOON + 60_000, governance: governance?.world ?? thisMachine() },
  inside: () => undefined,
  look: () => ({ kind: "person", proof: "at pts/0" }),
  browse: async (url) => browsed.push(url) > 0,
  ...more,
});
type Shown = { readonly url: string; readonly login?: string; readonly opened: boolean };
const tty = () => testTerminal({ tty: true });

describe("conduct open", () => {
  it.each([
    [undefined, "/"],
    ["d_8kq2ab", "/why/d_8kq2ab"],
    ["a_77", "/why/a_77"],
    ["s_8kq2v0x3m7t1za", "/sessions/s_8kq2v0x3m7t1za"],
    ["assistant/web#8kq2v0", "/sessions/s_8kq2v0x3m7t1za"],
    ["bob", "/agents/bob"],
    ["d_1", "/contract?directive=d_1"],
    ["c_1", "/inbox?candidate=c_1"],
  ])("OPN-1 open %s leads to %s", async (id, page) => {
    const outcome = await open({ id }, tty(), world());
    if (!outcome.ok) throw new Error(outcome.message);
    expect(outcome.result).toMatchObject({ url: `${started.gateway.url}${page}`, opened: true });
    expect(browsed.at(-1)).toBe(`${started.gateway.url}${page}`);
  });

  it.each([
    ["why d_8kq2ab --web", "/why/d_8kq2ab"],
    ["why --web", "/why/e_105"],
    ["watch --web --agent bob --denied", "/sessions?agent=bob&denied=true"],
    ["watch --web --session night", "/sessions/night"],
    ["approvals --web", "/sessions"],
    ["prompt show --web", "/prompt?session=s_8kq2v0x3m7t1za"],
    ["prompt show night --turn 2 --web", "/prompt?session=night&turn=2"],
    ["behavior list --web --agent ada", "/contract?agent=ada"],
    ["behavior show d_1 --web", "/contract?directive=d_1"],
    ["behavior diff 1 2 --web", "/contract?tab=history&from=1&to=2"],
    ["review list --web", "/inbox"],
    ["review show c_1 --web", "/inbox?candidate=c_1"],
    ["rules list --web", "/rules"],
    ["replay --web --agent bob", "/replay?agent=bob"],
  ])("OPN-2 '%s' leads to %s", async (line, page) => {
    const parsed = await parseCommandLine(line.split(" "), COMMANDS);
    if (parsed.kind !== "run") throw new Error(JSON.stringify(parsed));
    const outcome = await openPage(parsed.path, parsed.args as Arguments, tty(), world());
    expect(outcome).toMatchObject({ ok: true, result: { url: `${started.gateway.url}${page}` } });
  });

  it("OPN-3 the printed link signs in once, but the browser's process never gets its code", async () => {
    const outcome = await open({ id: "d_8kq2ab" }, tty(), world());
    const { login = "" } = outcome.ok ? (outcome.result as Shown) : {};
    expect(login).toContain("/login#to=%2Fwhy%2Fd_8kq2ab&code=cl_");
    expect(browsed.join("\n")).not.toContain("cl_");
    const code = new URLSearchParams(new URL(login).hash.slice(1)).get("code");
    const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ code }) };
    expect((await fetch(`${started.gateway.url}/api/login`, post)).status).toBe(200);
    expect((await fetch(`${started.gateway.url}/api/login`, post)).status).toBe(401);
  });

  it.each([
    ["an agent gets the address only", {}, { inside: () => ({ agent: "codex", sign: "x" }) }, tty()],
    ["a program gets the address only", {}, { look: () => ({ kind: "nobody" as const, why: "no terminal" }) }, tty()],
    ["--print opens no browser", { print: true }, {}, tty()],
    ["--json opens no browser", {}, {}, testTerminal({ tty: true, json: true })],
    ["a pipe opens no browser", {}, {}, testTerminal()],
    ["a machine without a browser prints the address", {}, { browse: async () => false }, tty()],
  ] as const)("OPN-4 %s", async (what, args, more, terminal) => {
    const before = browsed.length;
    const outcome = await open(args, terminal, world(more));
    expect(outcome).toMatchObject({ ok: true, result: { opened: false } });
    expect(browsed.length).toBe(before);
    expect(outcome.text?.includes("code=")).toBe(!what.endsWith("address only"));
  });

  it("OPN-5 an unknown id is rejected with the nearest one, and without a gateway the failure says how to start it", async () => {
    expect(await open({ id: "d_8kq2aX" }, tty(), world())).toMatchObject({
      ok: false,
      code: "NOT_FOUND",
      fix: "conduct open d_8kq2ab",
    });
    const elsewhere = { env: { CONDUCT_HOME: join(root, "none") }, home: join(root, "none") };
    expect(await open({}, tty(), world(elsewhere))).toMatchObject({
      ok: false,
      code: "NOT_RUNNING",
      fix: "start it: conduct gateway",
      next: [{ command: "conduct gateway" }],
    });
  });

  it.each([
    ["why d_8kq2ab --web", "/why/d_8kq2ab"],
    ["open a_77", "/why/a_77"],
  ])("OPN-6 the program itself: conduct %s leads to %s", async (line, page) => {
    const args = [conductProgram(), ...line.split(" "), "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, result: { url: `${started.gateway.url}${page}` } });
  });
});
