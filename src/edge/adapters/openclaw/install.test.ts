import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import { addConduct, OPENCLAW_PLUGIN, openclawConfigFile, removeConduct } from "./install.ts";
import { readSettings } from "./load.ts";
import manifest from "./plugin/openclaw.plugin.json" with { type: "json" };

function added(config: JsonObject) {
  const change = addConduct(config);
  if ("refused" in change) throw new Error(change.refused);
  return change;
}

describe("conduct in openclaw.json", () => {
  it("OCL-31 an empty configuration gets only the entries that the plugin needs", () => {
    expect(added({}).config).toEqual({
      plugins: {
        load: { paths: [OPENCLAW_PLUGIN] },
        entries: { conduct: { enabled: true, hooks: { allowConversationAccess: true } } },
      },
    });
  });

  it("OCL-32 existing allow lists get Conduct's entry and keep their own", () => {
    const { config } = added({ plugins: { allow: ["slack"] }, tools: { allow: ["read"] } });
    expect(config).toMatchObject({ plugins: { allow: ["slack", "conduct"] }, tools: { allow: ["read", "conduct"] } });
    expect(added({ tools: { profile: "coding" } }).config.tools).toEqual({ profile: "coding", alsoAllow: ["conduct"] });
  });

  it("OCL-33 adding Conduct a second time changes nothing", () => {
    const once = added({ plugins: { allow: ["slack"] }, tools: { profile: "coding" } });
    const twice = added(once.config);
    expect(twice).toEqual({ config: once.config, added: [] });
  });

  it.each([
    [{ plugins: { enabled: false } }, "plugins.enabled"],
    [{ plugins: { deny: ["conduct"] } }, "plugins.deny"],
  ])("OCL-34 the configuration %j is rejected with a reason", (config, why) => {
    expect(addConduct(config)).toEqual({ refused: expect.stringContaining(why) });
  });

  const part = fc.option(
    fc.record(
      {
        load: fc.record({ paths: fc.array(fc.string()) }, { requiredKeys: [] }),
        allow: fc.array(fc.string()),
        entries: fc.dictionary(fc.string(), fc.record({ enabled: fc.boolean() })),
      },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  );
  const tools = fc.option(fc.record({ profile: fc.string(), alsoAllow: fc.array(fc.string()) }, { requiredKeys: [] }), {
    nil: undefined,
  });

  it("OCL-35 undo restores every configuration byte for byte", () => {
    fc.assert(
      fc.property(part, tools, (plugins, given) => {
        const config = JSON.parse(JSON.stringify({ a: 1, plugins, tools: given, z: 2 })) as JsonObject;
        const change = added(config);
        const kept = JSON.parse(JSON.stringify(change.added));
        expect(JSON.stringify(removeConduct(change.config, kept))).toBe(JSON.stringify(config));
      }),
    );
  });

  it("OCL-36 undo keeps settings that were added since", () => {
    const change = added({});
    const edited = { ...change.config, plugins: { ...(change.config.plugins as JsonObject), allow: ["slack"] } };
    expect(removeConduct(edited, change.added)).toEqual({ plugins: { allow: ["slack"] } });
  });

  it.each([
    [{ OPENCLAW_CONFIG_PATH: "/x.json", HOME: "/h" }, "/x.json"],
    [{ OPENCLAW_STATE_DIR: "/s", HOME: "/h" }, "/s/openclaw.json"],
    [{ HOME: "/h" }, "/h/.openclaw/openclaw.json"],
  ])("OCL-37 with the environment %j the configuration file is %s", (env, file) => {
    expect(openclawConfigFile(env)).toBe(file);
  });
});

describe("the plugin's manifest", () => {
  it("OCL-38 the plugin's manifest names every tool that Conduct may offer, because OpenClaw withholds others", () => {
    expect(manifest.contracts.tools.toSorted()).toEqual(CONDUCT_TOOLS.map(({ name }) => name).toSorted());
  });

  it.each([
    [undefined, { operators: [], waitMs: 300_000 }],
    [
      { socket: "/s", operators: ["telegram:7"], waitSeconds: 0 },
      { socket: "/s", operators: ["telegram:7"], waitMs: 0 },
    ],
    [
      { socket: "", operators: "all" },
      { operators: [], waitMs: 300_000 },
    ],
  ])("OCL-39 settings %j are read as %j", (config, settings) => {
    expect(readSettings(config)).toEqual(settings);
  });
});
