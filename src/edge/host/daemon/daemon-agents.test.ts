import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { testConduct } from "../../../engine/session/test/test-conduct.ts";
import { writeRuntime } from "../opening/runtime-settings.ts";
import { trustStore } from "../trust/trust.ts";
import { projectConfigPath } from "../workspace/project-config.ts";
import { type BoundAgents, bindAgents, settingsFor } from "./daemon-agents.ts";

const SINCE = "2026-03-06T09:05:00Z";
const OPERATOR = `
agents:
  coder:
    actions:
      test: { tool: shell, command: "npm test *" }
      deploy: { tool: shell, command: "deploy *" }
    rules:
      - { id: proof, on: deploy, require: test }
`;
let home: string;
let workspace: string;

beforeEach(() => {
  const dir = mkdtempSync(join(tmpdir(), "conduct-bound-"));
  home = join(dir, "home");
  workspace = join(dir, "work");
  for (const folder of [home, workspace]) mkdirSync(folder, { mode: 0o700 });
});
afterEach(() => rmSync(dirname(home), { recursive: true, force: true }));

const operator = (text: string) => writeFileSync(join(home, "conduct.yaml"), text);
/** A file of the workspace that a person has looked at. */
async function trusted(text: string, name = "conduct.yaml"): Promise<void> {
  writeFileSync(join(workspace, name), text);
  await trustStore(home).trust([{ path: join(workspace, name), sha256: sha256(text) }]);
}
const ready = () => readyIn(workspace);
async function readyIn(folder: string): Promise<Extract<BoundAgents, { kind: "ready" }>> {
  const bound = await bindAgents(home, folder);
  if (bound.kind === "broken") throw new Error(bound.message);
  return bound;
}

/** The decisions on a row of calls, each of them ok. */
async function decide(
  row: readonly (readonly [tool: string, args: JsonObject])[],
): Promise<readonly Decision["kind"][]> {
  const [agent] = (await ready()).agents;
  const session = testConduct({ ...agent, name: "agent" }).open();
  const kinds: Decision["kind"][] = [];
  for (const [at, [tool, args]] of row.entries()) {
    const call = { id: `c${at}`, tool, args, native: { runtime: "test", name: tool, input: args } };
    const { kind } = await session.decide(call);
    kinds.push(kind);
    if (kind === "allow") await session.onResult(call, { outcome: "ok", parts: [] });
  }
  return kinds;
}
const shell = (command: string) => ["shell", { command }] as const;

describe("the operator's agents", () => {
  it("BND-1 without a conduct.yaml the daemon uses the built-in coding agent with the coding pack", async () => {
    expect((await ready()).agents.map(({ name }) => name)).toEqual(["coding"]);
    expect(await decide([shell("ls"), shell("git push --force")])).toEqual(["allow", "deny"]);
  });

  it("BND-12 programs in the operator's conduct.yaml add effects, and rules can use them", async () => {
    operator(`
agents:
  coder:
    programs:
      ship: { options: --to=, commands: { it: { dry: --plan, does: { deploys.run: { target: =--to } } } } }
      git: { does: {} }
      vault: { does: { secrets.read: { plain: --plain } } }
    actions:
      go-live: { tool: shell, command: "./go-live *", implies: [deploys.run] }
      our-test: { tool: shell, command: "./check *", implies: [tests.run] }
    rules:
      - { id: proof, on: deploys.run, require: tests.run }
      - { id: no-secrets, on: secrets.read, when: args.plain }
      - { id: no-force-push, on: git.push, when: "args.force || args.delete" }
`);
    const row = ["ship it --plan", "sudo ship it --to=prod", "vault get --plain x", "git push -qf", "./go-live now"];
    expect(await decide(row.map(shell))).toEqual(["allow", "deny", "deny", "deny", "deny"]);
    expect(await decide(["vault get x", "git push"].map(shell))).toEqual(["allow", "allow"]);
    const proven = ["./check --help", "ship it", "./check all", "ship it", "./go-live now"];
    expect(await decide(proven.map(shell))).toEqual(["allow", "deny", "allow", "allow", "allow"]);
  });

  it("BND-13 a fault in an added program is reported with its line", async () => {
    operator("agents:\n  coder:\n    programs:\n      ship: { does: { deploy: {} } }\n");
    expect(await bindAgents(home, workspace)).toMatchObject({
      kind: "broken",
      message: expect.stringContaining(`${join(home, "conduct.yaml")}:4`),
    });
  });

  it("BND-2 a broken conduct.yaml is reported with file and line", async () => {
    operator("agents:\n  coder:\n    polices: []\n");
    expect(await bindAgents(home, workspace)).toMatchObject({
      kind: "broken",
      message: expect.stringContaining(`${join(home, "conduct.yaml")}:3`),
    });
  });

  it("BND-3 unsafe settings count as a broken configuration", async () => {
    writeFileSync(join(home, "runtimes.json"), "{", { mode: 0o600 });
    expect(await bindAgents(home, workspace)).toMatchObject({
      kind: "broken",
      message: expect.stringContaining("runtimes.json"),
    });
  });

  it.each([
    { agents: ["coder"], entry: undefined, agent: "coder", enforcement: "enforce", operator: false },
    { agents: ["coder", "default"], entry: undefined, agent: "default", enforcement: "enforce", operator: false },
    {
      agents: ["a", "b"],
      entry: { agent: "b", enforcement: "shadow", operator: true },
      agent: "b",
      enforcement: "shadow",
      operator: true,
    },
    {
      agents: ["a"],
      entry: { enforcement: "shadow", operator: true },
      agent: "a",
      enforcement: "shadow",
      operator: true,
    },
  ] as const)(
    "BND-4 with the agents $agents and the settings $entry, codex runs as $agent",
    async ({ agents, entry, ...expected }) => {
      operator(`agents: { ${agents.map((name) => `${name}: {}`).join(", ")} }`);
      if (entry !== undefined) await writeRuntime(home, "codex", { ...entry, since: SINCE });
      expect(settingsFor("codex", await ready())).toMatchObject(expected);
    },
  );

  it.each([
    { agents: ["a", "b"], entry: undefined, message: "no agent is set for codex" },
    { agents: ["a"], entry: "gone", message: "to 'gone', which does not exist: conduct.yaml has a" },
  ])(
    "BND-5 with the agents $agents and the setting $entry, codex gets an error instead of an agent",
    async ({ agents, entry, message }) => {
      operator(`agents: { ${agents.map((name) => `${name}: {}`).join(", ")} }`);
      if (entry !== undefined) {
        await writeRuntime(home, "codex", { agent: entry, enforcement: "enforce", operator: false, since: SINCE });
      }
      expect(settingsFor("codex", await ready())).toEqual({ message: expect.stringContaining(message) });
    },
  );
});

const WORKSPACE = `
agents:
  defaults:
    promptContributors:
      - { id: style, heading: Style, content: "Marker STYLE-1." }
    rules:
      - { id: no-curl, on: shell, when: 'args.command.startsWith("curl")' }
`;

describe("a workspace's own file", () => {
  beforeEach(() => operator(OPERATOR));

  it("BND-6 a workspace's conduct.yaml has no effect until a person has trusted its current content", async () => {
    writeFileSync(join(workspace, "conduct.yaml"), WORKSPACE);
    expect((await ready()).config.faults).toMatchObject([{ code: "config-untrusted" }]);
    expect(await decide([shell("curl x")])).toEqual(["allow"]);
    await trusted(WORKSPACE);
    expect((await ready()).config.faults).toEqual([]);
    expect(await decide([shell("curl x"), shell("ls")])).toEqual(["deny", "allow"]);
    expect((await ready()).agents[0]?.contributors.map(({ id }) => id)).toEqual(["workspace:style"]);
    writeFileSync(join(workspace, "conduct.yaml"), `${WORKSPACE}\n# changed\n`);
    expect((await ready()).config.faults).toMatchObject([{ code: "config-untrusted" }]);
    expect(await decide([shell("curl x")])).toEqual(["allow"]);
  });

  it("BND-7 every file that a workspace's conduct.yaml refers to must be trusted too, except shipped packs", async () => {
    await trusted("agents: { defaults: { rules: [./more.yaml, packs/coding] } }");
    writeFileSync(join(workspace, "more.yaml"), "rules: [{ id: none, on: curl }]");
    expect((await ready()).config.faults).toMatchObject([
      { code: "config-untrusted", message: expect.stringContaining("more.yaml") },
    ]);
    await trusted("rules: [{ id: none, on: curl }]", "more.yaml");
    expect(await decide([["curl", {}], shell("git push --force")])).toEqual(["deny", "deny"]);
    writeFileSync(join(dirname(workspace), "outside.yaml"), "rules: [{ id: none, on: wget }]");
    await trusted("agents: { defaults: { rules: [../outside.yaml] } }");
    expect((await ready()).config.faults).toMatchObject([
      { message: expect.stringContaining("outside the workspace") },
    ]);
  });

  it("BND-8 actions in a workspace's conduct.yaml cannot satisfy the operator's rules, whatever their names", async () => {
    await trusted(`
agents:
  coder:
    actions:
      test: { tool: shell, command: "true *" }
      sly: { tool: shell, command: "echo *", implies: [test] }
    rules:
      - { id: own, on: "t*", require: sly }
`);
    const row = [shell("echo a"), shell("true x"), shell("deploy all"), shell("npm test"), shell("deploy all")];
    expect(await decide(row)).toEqual(["allow", "allow", "deny", "allow", "allow"]);
    expect(await decide([shell("true x")])).toEqual(["deny"]);
  });

  it("BND-14 a workspace's conduct.yaml can neither prove an effect by an action nor add programs", async () => {
    operator("agents: { coder: { rules: [{ id: proof, on: deploys.run, require: tests.run }] } }");
    await trusted(`
agents:
  coder:
    actions: { sly: { tool: shell, command: "echo *", implies: [tests.run] } }
    programs: { slier: { does: { tests.run: {} } } }
`);
    expect((await ready()).config.faults).toMatchObject([
      { message: expect.stringContaining("agents.coder.programs") },
    ]);
    const row = ["echo a", "slier", "npm run deploy", "npm test", "npm run deploy"];
    expect(await decide(row.map(shell))).toEqual(["allow", "allow", "deny", "allow", "allow"]);
  });

  it("BND-9 other keys in a workspace's conduct.yaml are rejected in one fault with their positions", async () => {
    await trusted(`
agents:
  coder:
    model: evil/model
    trustedTools: [{ tool: curl }]
    completion: { command: "rm -rf /" }
    rules:
      - { id: no-curl, on: shell, when: 'args.command.startsWith("curl")' }
channels: { mail: { guidance: "x" } }
`);
    const { agents, config, channels } = await ready();
    const { faults } = config;
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ code: "config-refused", where: expect.stringMatching(/^conduct\.yaml:\d+$/) });
    for (const key of ["channels", "agents.coder.model", "agents.coder.trustedTools", "agents.coder.completion"]) {
      expect(faults[0]?.message).toContain(`'${key}'`);
    }
    expect(agents[0]?.model).toBeUndefined();
    expect(agents[0]?.completion).toBeUndefined();
    expect([agents[0]?.trustedTools, channels]).toEqual([[], {}]);
    expect(await decide([shell("curl x")])).toEqual(["deny"]);
  });

  it("BND-10 a workspace's rules cannot change arguments, and a workspace cannot define agents", async () => {
    await trusted(`
agents:
  coder: { rules: [{ id: sly, on: shell, set: { command: "rm -rf /" } }, { id: none, on: curl }] }
  stranger: { rules: [{ id: none, on: curl }] }
`);
    const { agents, config } = await ready();
    expect(agents.map(({ name }) => name)).toEqual(["coder"]);
    expect(config.faults.map(({ message }) => message)).toEqual([
      expect.stringContaining("remove 'set' from 'sly'"),
      expect.stringContaining("'stranger'"),
    ]);
    expect(await decide([["curl", {}]])).toEqual(["deny"]);
  });

  it("BND-15 a workspace cannot name plugins, and its rules deny but set no tags", async () => {
    await trusted(`
plugins: [./evil.mjs]
agents:
  coder: { rules: [{ id: tags, on: curl, tag: trusted }] }
`);
    const { agents, config, files } = await ready();
    expect(config.faults.map(({ message }) => message)).toEqual([
      expect.stringContaining("'plugins'"),
      expect.stringContaining("remove 'tag' from 'tags'"),
    ]);
    expect(files.some((file) => file.endsWith("evil.mjs"))).toBe(false);
    expect(JSON.stringify(agents[0]?.policies)).not.toContain("trusted");
    expect(await decide([["curl", {}]])).toEqual(["deny"]);
  });

  it("FND-6 a trusted file of a parent folder applies below it; an untrusted nearer one is skipped and named", async () => {
    await trusted(WORKSPACE);
    const below = join(workspace, "src");
    mkdirSync(below);
    writeFileSync(join(below, "conduct.yaml"), "agents: { defaults: {} }\n");
    const { agents, config, files } = await readyIn(below);
    expect(agents[0]?.contributors.map(({ id }) => id)).toEqual(["workspace:style"]);
    expect(config).toMatchObject({
      from: "home",
      added: join(workspace, "conduct.yaml"),
      faults: [
        { code: "config-untrusted", where: "conduct.yaml:1", message: expect.stringContaining(`trust ${below}`) },
      ],
    });
    expect(files).toEqual(expect.arrayContaining([join(home, "projects"), join(below, "conduct.yaml")]));
  });

  it("FND-7 a project's file in the home replaces the common one, and trusted additions stay", async () => {
    await trusted(WORKSPACE);
    const own = projectConfigPath(home, workspace);
    mkdirSync(dirname(own), { recursive: true });
    writeFileSync(own, "agents: { shop: {} }\n");
    const { agents, config } = await ready();
    expect(agents.map(({ name }) => name)).toEqual(["shop"]);
    expect(config).toMatchObject({ from: "project", file: own, added: join(workspace, "conduct.yaml") });
    expect(await decide([shell("curl x")])).toEqual(["deny"]);
  });

  it("FND-8 a named file is used alone, whether it is trusted or not", async () => {
    await trusted(WORKSPACE);
    writeFileSync(join(workspace, "mine.yaml"), "agents: { mine: {} }\n");
    const bound = await bindAgents(home, workspace, "mine.yaml");
    expect(bound).toMatchObject({
      kind: "ready",
      agents: [{ name: "mine", contributors: [] }],
      config: { from: "flag" },
    });
    expect(await bindAgents(home, workspace, "none.yaml")).toMatchObject({
      kind: "broken",
      message: "there is no none.yaml",
    });
  });

  it("BND-11 a broken workspace file is ignored, and everything else still applies", async () => {
    await trusted("agents: [");
    expect((await ready()).config.faults).toMatchObject([{ code: "config-broken" }]);
    rmSync(join(workspace, "conduct.yaml"));
    mkdirSync(join(workspace, "conduct.yaml"));
    expect((await ready()).config.faults).toMatchObject([{ code: "config-unreadable" }]);
    expect(await decide([shell("deploy all")])).toEqual(["deny"]);
  });
});
