import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  addOpencodePlugin,
  OPENCODE_PLUGIN,
  opencodePluginFile,
  opencodePluginText,
  removeOpencodePlugin,
} from "./install.ts";

const text = opencodePluginText();

describe("the plugin file", () => {
  it.each([
    { env: { HOME: "/home/ann" }, file: "/home/ann/.config/opencode/plugin/conduct.js" },
    { env: { HOME: "/home/ann", XDG_CONFIG_HOME: "/cfg" }, file: "/cfg/opencode/plugin/conduct.js" },
  ])("OCI-1 with the environment $env the plugin file is $file", ({ env, file }) => {
    expect(opencodePluginFile(env)).toBe(file);
  });

  it.each([
    { title: "none", before: undefined, add: { kind: "write", text }, remove: { kind: "none" } },
    { title: "ours", before: text, add: { kind: "none" }, remove: { kind: "delete" } },
    {
      title: "ours, from another folder",
      before: opencodePluginText({ plugin: "/old/plugin.ts", home: "/h" }),
      add: { kind: "write", text },
      remove: { kind: "delete" },
    },
    { title: "ours, and changed", before: `${text}// mine\n`, add: { kind: "refuse" }, remove: { kind: "refuse" } },
    {
      title: "somebody else's",
      before: "export const Mine = async () => ({});\n",
      add: { kind: "refuse" },
      remove: { kind: "refuse" },
    },
    {
      title: "one with settings that cannot be read",
      before: text.replace(/settings = .*;/, "settings = {broken};"),
      add: { kind: "refuse" },
      remove: { kind: "refuse" },
    },
  ])(
    "OCI-2 the plugin file can be added and undone safely when the existing file is $title",
    ({ before, add, remove }) => {
      expect(addOpencodePlugin(before)).toMatchObject(add);
      expect(removeOpencodePlugin(before)).toMatchObject(remove);
    },
  );

  it("OCI-2 undo removes the added plugin file, whatever its settings", () => {
    for (const settings of [{}, { home: '/a "b"' }, { waitMs: 1 }, { plugin: "/x/$(y)`\\.ts", home: "/h" }]) {
      const added = addOpencodePlugin(undefined, settings);
      expect(added.kind === "write" && removeOpencodePlugin(added.text)).toEqual({ kind: "delete" });
      expect(added.kind === "write" && addOpencodePlugin(added.text, settings)).toEqual({ kind: "none" });
    }
  });
});

describe("the plugin file, loaded", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "conduct-opencode-install-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function load(settings: Parameters<typeof opencodePluginText>[0], client: object = {}) {
    const file = join(folder, "conduct.mjs");
    writeFileSync(file, opencodePluginText(settings));
    const exports: Record<string, (input: object) => Promise<Record<string, () => Promise<void>>>> = await import(
      pathToFileURL(file).href
    );
    // OpenCode takes every export for a plugin.
    expect(Object.keys(exports)).toEqual(["Conduct"]);
    return exports.Conduct?.({ client, directory: folder });
  }

  it("OCI-3 the loaded plugin file gives OpenCode the hooks", async () => {
    const hooks = await load({ plugin: OPENCODE_PLUGIN, home: folder });
    expect(Object.keys(hooks ?? {})).toEqual(expect.arrayContaining(["chat.message", "tool.execute.before", "event"]));
  });

  it("OCI-4 if Conduct is missing, an enforced OpenCode blocks every message and call with one sentence that names the fix", async () => {
    const hooks = await load({ home: folder, plugin: join(folder, "gone.ts") });
    for (const hook of ["chat.message", "tool.execute.before"]) {
      await expect(hooks?.[hook]?.()).rejects.toThrow(
        /^Conduct is not where it was installed \(.*gone\.ts\)\. Everything is blocked because opencode is enforced\. .*run: conduct init opencode/,
      );
    }
  });

  it("OCI-5 if Conduct is missing, a watched OpenCode continues with one warning", async () => {
    writeFileSync(join(folder, "runtimes.json"), '{"opencode": {"enforcement": "shadow"}}');
    const shown: string[] = [];
    const showToast = async ({ body }: { body: { message: string } }) => void shown.push(body.message);
    const hooks = await load({ home: folder }, { tui: { showToast } });
    for (const hook of ["chat.message", "tool.execute.before", "tool.execute.before"]) await hooks?.[hook]?.();
    expect(shown).toEqual([expect.stringMatching(/opencode is only watched.*run: conduct init opencode/)]);
  });

  it("OCI-6 the plugin file loads the installation named in Conduct's home, so a new installation needs no new file", async () => {
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin/installation.json"), JSON.stringify({ plugins: { opencode: OPENCODE_PLUGIN } }));
    expect(Object.keys((await load({ home: folder })) ?? {})).toContain("event");
  });
});
