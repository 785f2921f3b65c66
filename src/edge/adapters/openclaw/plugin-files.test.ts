import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OPENCLAW_PLUGIN, openclawPluginFiles } from "./install.ts";

type Hook = () => Promise<
  { readonly block?: boolean; readonly outcome?: string; readonly message?: string } | undefined
>;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "conduct-openclaw-files-"));
  mkdirSync(join(home, "bin/openclaw"), { recursive: true });
  for (const [name, text] of Object.entries(openclawPluginFiles(home)))
    writeFileSync(join(home, "bin/openclaw", name), text);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(home, { recursive: true, force: true });
});

/** The hooks that the file registers when it is loaded as OpenClaw does. */
async function registered(): Promise<ReadonlyMap<string, Hook>> {
  const { default: plugin } = await import(`${join(home, "bin/openclaw/index.ts")}?${home}`);
  const hooks = new Map<string, Hook>();
  const nothing = () => undefined;
  plugin.register({
    source: join(home, "bin/openclaw/index.ts"),
    runtime: {},
    on: (name: string, hook: Hook) => hooks.set(name, hook),
    registerTool: nothing,
    registerTextTransforms: nothing,
    registerAgentToolResultMiddleware: nothing,
  });
  return hooks;
}

describe("the plugin folder that OpenClaw loads", () => {
  it("OCL-70 the plugin folder registers the Conduct installation named in Conduct's home", async () => {
    writeFileSync(join(home, "bin/installation.json"), JSON.stringify({ plugins: { openclaw: OPENCLAW_PLUGIN } }));
    expect([...(await registered()).keys()]).toEqual(
      expect.arrayContaining(["before_prompt_build", "before_tool_call"]),
    );
  });

  it("OCL-71 if Conduct is missing, an enforced OpenClaw begins no run, makes no call, and says what to do", async () => {
    const hooks = await registered();
    expect(await hooks.get("before_tool_call")?.()).toMatchObject({ block: true });
    const { outcome, message } = (await hooks.get("before_agent_run")?.()) ?? {};
    expect(outcome).toBe("block");
    expect(message).toMatch(/because openclaw is enforced\. .*run: conduct init openclaw/);
  });

  it("OCL-72 if Conduct is missing, a watched OpenClaw continues with one warning", async () => {
    writeFileSync(join(home, "runtimes.json"), '{"openclaw": {"enforcement": "shadow"}}');
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const hooks = await registered();
    for (const name of ["before_agent_run", "before_agent_run", "before_tool_call"])
      expect(await hooks.get(name)?.()).toBeUndefined();
    expect(warn.mock.calls).toEqual([[expect.stringContaining("openclaw is only watched")]]);
  });
});
