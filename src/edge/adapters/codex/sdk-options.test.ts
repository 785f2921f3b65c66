import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CODEX_EVENTS } from "./hooks-json.ts";
import { CodexUnguardedError, conductCodexOptions, tomlValue } from "./sdk-options.ts";

/** Lists Conduct's hook at every event: untrusted first, and as `lists` says once there is a trust on the command line. */
function fakeCodex(lists: string): string {
  return `#!${process.execPath}
const { appendFileSync } = require("node:fs");
const args = process.argv.slice(2);
appendFileSync(__dirname + "/args.jsonl", JSON.stringify(args) + "\\n");
const asked = args.some((arg) => arg.startsWith("hooks.state="));
const command = "The Conduct hook did not answer";
const hook = (event, source, more) => ({
  key: source + ":" + event, command, sourcePath: source, currentHash: "sha256:" + event,
  eventName: event[0].toLowerCase() + event.slice(1), trustStatus: "untrusted", enabled: true, ...more,
});
const flags = (more) => ${JSON.stringify(CODEX_EVENTS)}.map((event) => hook(event, "/<session-flags>/config.toml", more));
const trusted = { trustStatus: "trusted" };
const file = (more) => [hook("Stop", "/h/hooks.json", { ...trusted, ...more })];
const hooks = asked ? ${lists} : [...flags(), ...file()];
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ id, result: method === "hooks/list" ? { data: [{ hooks }] } : {} }));
});
`;
}

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "conduct-codex-sdk-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function install(lists: string): string {
  // By its name it is CommonJS, wherever the folder lies.
  const path = join(folder, "codex.cjs");
  writeFileSync(path, fakeCodex(lists));
  chmodSync(path, 0o755);
  return path;
}

function started(): readonly (readonly string[])[] {
  const lines = readFileSync(join(folder, "args.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

const BOUND = "[...flags(trusted), ...file({ enabled: false })]";

describe("conductCodexOptions", () => {
  it("CX-SDK7 Conduct's hooks, trust and tools are appended to the given options, as they were checked with Codex", async () => {
    const codexPathOverride = install(BOUND);
    const given = { codexPathOverride, apiKey: "k", config: { model: "m", features: { a: true } } };
    const { configOverrides, ...rest } = await conductCodexOptions(
      { ...given, configOverrides: ["x=1"] },
      { socket: "/s o/c.sock" },
    );
    expect(rest).toEqual(given);
    const [first, second] = started();
    const settings = ['model="m"', 'features={"a" = true}'];
    expect(second).toEqual(["app-server", ...[...settings, ...configOverrides].flatMap((one) => ["-c", one])]);
    expect(first).toEqual(second?.slice(0, -2));
    const keys = configOverrides.map((one) => one.split("=", 1)[0]);
    const hooks = CODEX_EVENTS.map((event) => `hooks.${event}`);
    const features = ["features.hooks", "features.unified_exec_tty"];
    expect(keys).toEqual(["x", ...features, ...hooks, "mcp_servers.conduct", "hooks.state"]);
    const text = configOverrides.join("\n");
    expect(text).toContain("'CONDUCT_SOCKET=/s o/c.sock'".replaceAll("'", "'\\\\''"));
    expect(text).toContain('"env" = {"CONDUCT_SOCKET" = "/s o/c.sock"}');
    expect(text).toContain('"/<session-flags>/config.toml:Stop" = {"trusted_hash" = "sha256:Stop", "enabled" = true}');
    expect(text).toContain('"/h/hooks.json:Stop" = {"enabled" = false}');
  });

  it.each([
    { guard: {}, names: [] },
    { guard: { home: "/h/c" }, names: ["CONDUCT_HOME=/h/c"] },
  ])("CX-SDK7 the hooks reach the daemon named by $guard", async ({ guard, names }) => {
    const { configOverrides } = await conductCodexOptions({ codexPathOverride: install(BOUND) }, guard);
    const call = configOverrides.find((one) => one.startsWith("hooks.PreToolUse=")) ?? "";
    expect(call.match(/CONDUCT_\w+=\S+/g) ?? []).toEqual(names);
  });

  it.each([
    {
      what: "an untrusted hook",
      lists: "[...flags()]",
      fault: /SessionStart: the hook is not trusted.* \(and 10 more\)/,
    },
    { what: "a hook that is switched off", lists: "flags({ ...trusted, enabled: false })", fault: /not trusted/ },
    {
      what: "no hooks at all",
      lists: "[]",
      fault: /SessionStart: no hook of Conduct is registered in its command line/,
    },
    { what: "one that is missing", lists: "flags(trusted).slice(1)", fault: /without Conduct\. SessionStart: no hook/ },
    {
      what: "one that runs twice",
      lists: "[...flags(trusted), ...file()]",
      fault: /Stop: Conduct's hook in \/h\/ho/,
    },
  ])("CX-SDK5 unguarded hooks are rejected with the next step: $what", async ({ lists, fault }) => {
    const starting = conductCodexOptions({ codexPathOverride: install(lists) });
    await expect(starting).rejects.toThrow(CodexUnguardedError);
    await expect(starting).rejects.toThrow(fault);
    await expect(starting).rejects.toThrow(/Set codexPathOverride to Codex 0\.166 or newer/);
  });

  it("CX-SDK5 a missing Codex is rejected", async () => {
    await expect(conductCodexOptions({ codexPathOverride: join(folder, "none") })).rejects.toThrow(/ENOENT/);
  });

  it.each([
    { config: { hooks: { Stop: [] } } },
    { configOverrides: ["hooks.Stop=[]"] },
    { configOverrides: [" hooks = {}"] },
  ])("CX-SDK8 options with hooks that Conduct's would replace are rejected: %j", async (options) => {
    await expect(conductCodexOptions({ codexPathOverride: "/none", ...options })).rejects.toThrow(
      /Put your own hooks into hooks\.json/,
    );
  });
});

it.each([
  ["a \"quoted\"\n'text' \\ é", '"a \\"quoted\\"\\n\'text\' \\\\ é"'],
  [[1, true, "x"], '[1, true, "x"]'],
  [{ "a.b": { c: [] }, d: {} }, '{"a.b" = {"c" = []}, "d" = {}}'],
])("CX-SDK9 %j is written as TOML on one line", (value, text) => {
  expect(tomlValue(value)).toBe(text);
});

it("CX-SDK9 null cannot be written as TOML", () => {
  expect(() => tomlValue({ a: null })).toThrow("cannot be null");
});
