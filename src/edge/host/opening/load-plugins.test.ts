import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadConfigFile } from "./load-config.ts";
import { loadPlugins } from "./load-plugins.ts";
import { openConduct } from "./open-conduct.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "conduct-plugins-")));
afterAll(() => rmSync(top, { recursive: true, force: true }));
let made = 0;

const AGENTS = `
agents:
  clerk: { policies: [{ name: look, readBeforeWrite: }], promptContributors: [{ id: style, content: Be brief. }] }
  other: {}
`;

/** A home whose conduct.yaml names the modules. `of` writes more, or replaces the file's place. */
async function load(modules: { readonly [path: string]: string }, of: { readonly config?: string } = {}) {
  const home = join(top, `h${++made}`, "home");
  mkdirSync(home, { recursive: true });
  for (const [path, text] of Object.entries(modules)) writeFileSync(join(home, path), text);
  const file = join(home, of.config ?? "conduct.yaml");
  writeFileSync(file, `plugins: [${Object.keys(modules).join(", ")}]\n${AGENTS}`);
  const loaded = await loadConfigFile(file);
  if ("error" in loaded || "faults" in loaded.parsed) throw new Error("the file itself has faults");
  const found = await loadPlugins({ ...loaded, parsed: loaded.parsed }, home);
  return { ...found, agents: loaded.parsed.agents, home };
}

const plugin = (setup: string, name = "mine") => `export default { name: "${name}", setup(api) { ${setup} } };`;
const POLICY = `api.registerPolicy({ name: "p", check: () => ({ kind: "allow" }) });`;

describe("the plugins of a conduct.yaml", () => {
  it.each<readonly [what: string, module: string, message: RegExp]>([
    ["a module that throws", `throw new Error("boom");`, /plugins|a\.mjs cannot be used: boom/],
    ["a syntax error", "export default {", /a\.mjs cannot be used: /],
    ["no default export", "export const name = 1;", /its default export must be a plugin/],
    ["a default export of another shape", `export default { name: "x" };`, /its default export must be a plugin/],
    ["a setup that throws", plugin(`throw new Error("later")`), /cannot be used: later/],
    ["a policy without check()", plugin(`api.registerPolicy({ name: "x" })`), /registerPolicy.*check/],
    ["a tool without run()", plugin(`api.registerTool({ name: "x", description: "", parameters: {} })`), /run/],
    [
      "a tool with a built-in name",
      plugin(`api.registerTool({ name: "shell", description: "x", parameters: {}, run: () => "" })`),
      /'shell' is the name of a built-in tool/,
    ],
    ["a listener that is no function", plugin("api.subscribe(1)"), /subscribe.*listener/],
    ["an unknown agent", plugin(`${POLICY.slice(0, -2)}, { agents: ["clark"] });`), /no agent 'clark'.*clerk/],
    ["a taken policy name", plugin(POLICY.replace('"p"', '"look"')), /two policies are named 'look'/],
    ["a contributor without an id", plugin(`api.registerPromptContributor({ contribute() {} })`), /id/],
    ["a package that does not exist", `import "no-such-package-here"; ${plugin("")}`, /no-such-package-here/],
  ])("PLG-1 %s is one fault at its line", async (_, module, message) => {
    const { faults, plugins } = await load({ "a.mjs": module });
    expect(faults.map((fault) => fault.message)).toEqual([expect.stringMatching(message)]);
    expect(faults[0]?.line).toBe(1);
    expect(plugins).toEqual([]);
  });

  it("PLG-2 the module and the file that names it must be in CONDUCT_HOME, also through a link", async () => {
    expect((await load({ "../a.mjs": plugin(POLICY) })).faults[0]?.message).toMatch(/is outside CONDUCT_HOME/);
    const outside = await load({ "a.mjs": plugin(POLICY) }, { config: "../conduct.yaml" });
    expect(outside.faults[0]?.message).toMatch(/only a file in CONDUCT_HOME can name them/);
    const { home } = await load({ "a.mjs": plugin(POLICY) });
    writeFileSync(join(home, "..", "b.mjs"), `globalThis.ranFromOutside = true; ${plugin("")}`);
    symlinkSync(join(home, "..", "b.mjs"), join(home, "link.mjs"));
    writeFileSync(join(home, "conduct.yaml"), `plugins: [./link.mjs, ./none.mjs, .]\n${AGENTS}`);
    const loaded = await loadConfigFile(join(home, "conduct.yaml"));
    if ("error" in loaded || "faults" in loaded.parsed) throw new Error("the file itself has faults");
    const { faults } = await loadPlugins({ ...loaded, parsed: loaded.parsed }, home);
    expect(faults.map(({ message }) => message.replaceAll(home, "~"))).toEqual([
      "~/link.mjs is outside CONDUCT_HOME, where agents may write",
      "there is no file ~/none.mjs",
      "there is no file ~",
    ]);
    expect(Object.hasOwn(globalThis, "ranFromOutside")).toBe(false);
  });

  it("PLG-3 plugins cannot share a name, a policy or a tool", async () => {
    const tool = `api.registerTool({ name: "t", description: "x", parameters: {}, run: () => "" });`;
    for (const [other, message] of [
      [plugin("", "mine"), /another plugin has the same name/],
      [plugin(POLICY, "yours"), /two policies are named 'p'/],
      [plugin(tool, "yours"), /two plugins have a tool 't'/],
    ] as const) {
      const { faults, plugins } = await load({ "a.mjs": plugin(`${POLICY} ${tool}`), "b.mjs": other });
      expect(faults.map((fault) => fault.message)).toEqual([expect.stringMatching(message)]);
      expect(plugins).toHaveLength(1);
    }
  });

  it("PLG-4 parts apply to the named agents, can be removed, and may be registered later", async () => {
    const module = `export const late = {}; ${plugin(`
      const off = ${POLICY}
      api.registerPolicy({ name: "mine-only", check: () => ({ kind: "deny", reason: "no" }) }, { agents: ["other"] });
      globalThis.pluginOff = off;
      globalThis.pluginLate = () => api.registerPolicy({ name: "late", check: () => ({ kind: "allow" }) });
    `)}`;
    const { plugins, faults, agents, home } = await load({ "a.mjs": module });
    expect(faults).toEqual([]);
    const conduct = openConduct({
      agents,
      home,
      workspace: top,
      journal: false,
      plugins: plugins.map((one) => one.plugin),
    });
    const policies = () => conduct.agents.map(({ policies }) => policies.map(({ name }) => name));
    expect(policies()).toEqual([
      ["look", "p"],
      ["p", "mine-only"],
    ]);
    const { pluginOff, pluginLate } = globalThis as unknown as Record<string, () => void>;
    pluginOff?.();
    pluginLate?.();
    expect(policies()).toEqual([
      ["look", "late"],
      ["mine-only", "late"],
    ]);
    conduct.setAgent({ ...(agents[1] ?? (conduct.agents[0] as never)), name: "third" });
    expect(policies()[2]).toEqual(["late"]);
    await conduct.close();
  });
});
