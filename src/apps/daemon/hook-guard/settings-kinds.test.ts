import { describe, expect, it } from "vitest";
import { claudeCodeSettings } from "../../../edge/adapters/claude-code/settings.ts";
import { codexHooksJson } from "../../../edge/adapters/codex/hooks-json.ts";
import { cursorHooks } from "../../../edge/adapters/cursor/hooks-file.ts";
import { geminiHooks } from "../../../edge/adapters/gemini/settings.ts";
import { addConduct } from "../../../edge/adapters/openclaw/install.ts";
import { addToCodexToml } from "../../install/codex.ts";
import { codexConfig, codexHooks } from "./codex-settings.ts";
import { cursorHooksFile } from "./cursor-hooks.ts";
import { geminiSettings } from "./gemini-settings.ts";
import { claudeProject, claudeSettings, type GuardedKind, guardedKind, openclawConfig } from "./guarded-file.ts";

const OURS = claudeCodeSettings({
  url: "http://127.0.0.1:1/hooks/claude-code",
  token: "t",
  startCommand: "conduct hook",
});
const MINE = { hooks: [{ type: "command", command: "mine" }] };
const CLAUDE = { model: "x", hooks: { ...OURS.hooks, PreToolUse: [MINE, ...(OURS.hooks.PreToolUse ?? [])] } };
const text = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

const TRUST = '[hooks.state."/h/hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "sha256:1"\n';
const added = addToCodexToml('model = "x"\n', ["node", "conduct.mjs", "hook", "codex-tools"]);
const TOML = `${"text" in added ? added.text : ""}\n${TRUST}`;
const GEMINI = text({ hooks: { Stop: [MINE], ...geminiHooks("conduct hook gemini") } });
const CURSOR = text({ version: 1, hooks: { ...cursorHooks("conduct hook cursor"), stop: [{ command: "mine" }] } });
const claw = addConduct({ agents: { a: 1 } });
const CLAW = text("config" in claw ? claw.config : {});

/** Each change switches the hooks off; what is restored has them again, and has `keeps` still. */
const CASES: readonly (readonly [string, GuardedKind, string, string | undefined, string])[] = [
  ["the file removed", claudeSettings, text(CLAUDE), undefined, '"model": "x"'],
  ["the file emptied", claudeSettings, text(CLAUDE), "", "PreToolUse"],
  ["the file broken", claudeSettings, text(CLAUDE), "{ oops", '"model": "x"'],
  ["all hooks removed", claudeSettings, text(CLAUDE), text({ model: "y" }), '"model": "y"'],
  [
    "disableAllHooks",
    claudeSettings,
    text(CLAUDE),
    text({ disableAllHooks: true, ...CLAUDE, model: "y" }),
    '"model": "y"',
  ],
  [
    "one event removed",
    claudeSettings,
    text(CLAUDE),
    text({ ...CLAUDE, hooks: { ...CLAUDE.hooks, PreToolUse: [MINE] } }),
    "mine",
  ],
  ["onFailure loosened", claudeSettings, text(CLAUDE), text(CLAUDE).replaceAll('"block"', '"continue"'), "mine"],
  [
    "the address changed",
    claudeSettings,
    text(CLAUDE),
    text(CLAUDE).replaceAll("127.0.0.1:1/", "127.0.0.1:2/"),
    "mine",
  ],
  [
    "a matcher that never matches",
    claudeSettings,
    text(CLAUDE),
    text({ ...CLAUDE, hooks: { ...CLAUDE.hooks, PreToolUse: [{ matcher: "never", ...OURS.hooks.PreToolUse?.[0] }] } }),
    '"model": "x"',
  ],
  ["Gemini's hooks removed", geminiSettings, GEMINI, '{ "ui": 1 }', '"ui": 1'],
  ["Gemini's settings removed", geminiSettings, GEMINI, undefined, "BeforeTool"],
  [
    "Gemini's hooks switched off",
    geminiSettings,
    GEMINI,
    GEMINI.replace("{", '{ "hooksConfig": { "enabled": false },'),
    "mine",
  ],
  ["Cursor's hooks removed", cursorHooksFile, CURSOR, '{ "version": 1, "ui": 1 }', '"ui": 1'],
  ["Cursor's version removed", cursorHooksFile, CURSOR, CURSOR.replace('"version": 1,', ""), "mine"],
  [
    "Cursor's hook made to fail open",
    cursorHooksFile,
    CURSOR,
    CURSOR.replace('"failClosed": true', '"failClosed": false'),
    "mine",
  ],
  ["hooks.json removed", codexHooks, codexHooksJson("conduct hook codex"), undefined, "PreToolUse"],
  [
    "hooks.json without hooks",
    codexHooks,
    codexHooksJson("conduct hook codex"),
    text({ hooks: { Stop: [MINE] } }),
    "mine",
  ],
  [
    "a Codex hook's command changed",
    codexHooks,
    codexHooksJson("conduct hook codex"),
    codexHooksJson("true"),
    "conduct hook codex",
  ],
  ["hooks = false", codexConfig, TOML, TOML.replace("[features]", "[features]\nhooks = false"), 'model = "x"'],
  ["features in one line", codexConfig, TOML, `features = { a = true, hooks = false }\n${TOML}`, "a = true"],
  ["trust withdrawn", codexConfig, TOML, TOML.replace(TRUST, ""), 'model = "x"'],
  ["trust in another hash", codexConfig, TOML, TOML.replace("sha256:1", "sha256:2"), "sha256:1"],
  ["a hook disabled", codexConfig, TOML, TOML.replace(TRUST, `${TRUST}enabled = false\n`), 'model = "x"'],
  ["the tools removed", codexConfig, TOML, 'model = "y"\n', 'model = "y"'],
  ["plugins off", openclawConfig, CLAW, CLAW.replace('"plugins": {', '"plugins": { "enabled": false,'), '"a": 1'],
  [
    "the plugin denied",
    openclawConfig,
    CLAW,
    CLAW.replace('"plugins": {', '"plugins": { "deny": ["conduct"],'),
    '"a": 1',
  ],
  ["the plugin disabled", openclawConfig, CLAW, CLAW.replace('"enabled": true', '"enabled": false'), '"a": 1'],
  ["the plugin's path removed", openclawConfig, CLAW, text({ agents: { a: 2 } }), '"a": 2'],
  ["the extension changed", guardedKind("pi", "/x/conduct.ts") as GuardedKind, "ours", "theirs", "ours"],
  ["the plugin removed", guardedKind("opencode", "/x/conduct.js") as GuardedKind, "ours", undefined, "ours"],
  ["a project's disableAllHooks", claudeProject, "", '{\n  "disableAllHooks": true,\n  "a": 1\n}', '"a": 1'],
];

describe("what switches hooks off", () => {
  it.each(CASES)("GRD-1 %s is detected and can be restored", (_name, kind, good, changed, keeps) => {
    expect(kind.off(good, good)).toBeUndefined();
    expect(kind.off(changed, good)).toBeDefined();
    const restored = kind.restore(changed, good);
    expect(kind.off(restored, good)).toBeUndefined();
    expect(restored).toContain(keeps);
  });

  it("GRD-2 additions of a person next to Conduct's hooks are not tampering", () => {
    const more = text({
      ...CLAUDE,
      model: "other",
      hooks: { ...CLAUDE.hooks, Stop: [MINE, ...(OURS.hooks.Stop ?? [])] },
    });
    expect(claudeSettings.off(more, text(CLAUDE))).toBeUndefined();
    expect(codexConfig.off(`${TOML}\n[tui]\nx = 1\n`, TOML)).toBeUndefined();
    expect(codexConfig.off("", "")).toBeUndefined();
    expect(claudeProject.off('{"disableAllHooks": false}', "")).toBeUndefined();
    expect(claudeProject.off(undefined, "")).toBeUndefined();
    expect(guardedKind("claude-code", "/h/.claude.json")).toBeUndefined();
  });

  it.each(["cursor", "gemini", "openclaw", "opencode", "pi"])(
    "GRD-35 conduct.yaml is the person's to edit, also where the setup of %s wrote it",
    (runtime) => {
      expect(guardedKind(runtime, "/h/.conduct/conduct.yaml")).toBeUndefined();
    },
  );

  it("GRD-3 a configuration with comments keeps them when the plugin is restored; an unreadable one is left unchanged", () => {
    const commented = "{ // mine\n}";
    expect(openclawConfig.off(commented, CLAW)).toContain("missing or changed");
    const restored = openclawConfig.restore(commented, CLAW);
    expect(restored).toContain("// mine");
    expect(openclawConfig.off(restored, CLAW)).toBeUndefined();
    expect(openclawConfig.off("{ a b }", CLAW)).toContain("no longer valid JSON5");
    expect(openclawConfig.restore("{ a b }", CLAW)).toBeUndefined();
  });

  it("GRD-34 a file of OpenClaw's plugin is compared as a whole; only its configuration is read as JSON5", () => {
    const file = guardedKind("openclaw", "/h/.conduct/bin/openclaw/index.ts");
    expect(file?.off("export default {};", "export default {};")).toBeUndefined();
    expect(file?.off("export default 1;", "export default {};")).toContain("changed");
    expect(guardedKind("openclaw", "/h/.openclaw/openclaw.json")).toBe(openclawConfig);
  });
});
