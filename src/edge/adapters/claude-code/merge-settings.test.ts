import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENTS } from "./events.ts";
import {
  claudeCodeSettings,
  claudeCodeSettingsFaults,
  mergeClaudeCodeSettings,
  removeFromClaudeCodeSettings,
} from "./settings.ts";

const options = {
  url: "http://127.0.0.1:7717/hooks/claude-code",
  token: "t",
  startCommand: "conduct hook claude-code",
};
const ours = claudeCodeSettings(options);
const indented = (value: unknown, indent: string | number = 2) => `${JSON.stringify(value, null, indent)}\n`;

const hook = fc.oneof(
  fc.record({ type: fc.constant("command"), command: fc.constantFrom("lint.sh", "conduct watch", "echo '# conduct'") }),
  fc.record({ type: fc.constant("http"), url: fc.constantFrom("http://127.0.0.1:1/hooks", "https://x.example/#a") }),
);
const group = fc.record(
  { matcher: fc.constantFrom("", "Bash", "*"), hooks: fc.array(hook, { maxLength: 3 }) },
  { requiredKeys: ["hooks"] },
);
const event = fc.constantFrom("PreToolUse", "Stop", "SessionStart", "Notification");
const settings = fc.record(
  {
    model: fc.string(),
    permissions: fc.jsonValue(),
    env: fc.dictionary(fc.string(), fc.string()),
    hooks: fc.dictionary(event, fc.array(group, { maxLength: 3 })),
  },
  { requiredKeys: [] },
);

type Hooks = { readonly hooks?: { readonly [event: string]: readonly unknown[] } };

/** An event without any hook is as good as none. */
function plain<S extends Hooks>({ hooks = {}, ...others }: S): Omit<S, "hooks"> & Hooks {
  const some = Object.entries(hooks).filter(([, groups]) => groups.length > 0);
  return some.length === 0 ? others : { ...others, hooks: Object.fromEntries(some) };
}

describe("what is there already", () => {
  it("CC-S1 adding and removing Conduct's hooks restores the original settings", () => {
    fc.assert(
      fc.property(settings, fc.constantFrom(2, 4, "\t"), (before, indent) => {
        const text = indented(before, indent);
        const merged = mergeClaudeCodeSettings(text, ours);
        expect(claudeCodeSettingsFaults(merged, ours)).toEqual([]);
        const removed = removeFromClaudeCodeSettings(merged);
        expect(JSON.parse(removed)).toEqual(JSON.parse(JSON.stringify(plain(before))));
        if (Object.keys(plain(before)).length > 0) expect(removed).toBe(indented(plain(before), indent));
      }),
    );
  });

  it("CC-S2 adding Conduct's hooks twice, or over another version, adds them once", () => {
    fc.assert(
      fc.property(settings, (before) => {
        const once = mergeClaudeCodeSettings(indented(before), ours);
        expect(mergeClaudeCodeSettings(once, ours)).toBe(once);
        const older = claudeCodeSettings({ ...options, url: "http://127.0.0.1:9/hooks/claude-code", token: "old" });
        expect(mergeClaudeCodeSettings(mergeClaudeCodeSettings(indented(before), older), ours)).toBe(once);
      }),
    );
  });

  it("CC-S3 all other hooks stay, in their order and before Conduct's", () => {
    fc.assert(
      fc.property(settings, (before) => {
        const merged = JSON.parse(mergeClaudeCodeSettings(indented(before), ours));
        for (const [name, groups] of Object.entries(plain(before).hooks ?? {})) {
          expect(merged.hooks[name].slice(0, groups.length)).toEqual(groups);
        }
      }),
    );
  });

  it("CC-S4 a hook added next to Conduct's stays when Conduct's are removed", () => {
    const merged = JSON.parse(mergeClaudeCodeSettings("", ours));
    merged.hooks.Stop[0].hooks.push({ type: "command", command: "bell" });
    const left = JSON.parse(removeFromClaudeCodeSettings(JSON.stringify(merged)));
    expect(left).toEqual({ hooks: { Stop: [{ hooks: [{ type: "command", command: "bell" }] }] } });
  });

  it("CC-S5 settings without Conduct's hooks are returned unchanged, including whitespace", () => {
    const text = '{ "hooks":  {"Stop": []},\n "model":"x"}';
    expect(removeFromClaudeCodeSettings(text)).toBe(text);
  });

  it.each([
    { text: "// mine\n{}", says: "it is not valid JSON, so Claude Code ignores the whole file" },
    { text: "[]", says: "it does not contain a JSON object" },
    { text: '{"hooks": []}', says: "hooks is not an object" },
    { text: '{"hooks": {"Stop": {}}}', says: "hooks.Stop is not a list" },
  ])("CC-S6 the settings $text are rejected with a reason", ({ text, says }) => {
    expect(() => mergeClaudeCodeSettings(text, ours)).toThrow(says);
    expect(() => removeFromClaudeCodeSettings(text)).toThrow(says);
  });

  it("CC-S7 an empty file and a byte order mark are accepted, as in Claude Code", () => {
    expect(JSON.parse(mergeClaudeCodeSettings(" \n", ours))).toEqual(ours);
    expect(mergeClaudeCodeSettings("\uFEFF{}", ours).startsWith("\uFEFF{")).toBe(true);
  });
});

describe("what is registered", () => {
  const all = Object.entries(ours.hooks).flatMap(([name, groups]) =>
    groups.flatMap(({ hooks }) => hooks.map((one) => ({ name, ...one }) as Record<string, unknown>)),
  );

  it("CC-S8 Conduct registers a hook for every event that it handles", () => {
    expect(Object.keys(ours.hooks)).toEqual([...EVENTS]);
  });

  it("CC-S9 hooks that guard something block when they fail; SessionStart has only commands", () => {
    const guards = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"];
    const failing = all.filter(({ name, type }) => guards.includes(String(name)) && type === "http");
    expect(failing.every(({ onFailure }) => onFailure === "block")).toBe(true);
    expect(all.filter(({ name }) => name === "SessionStart").every(({ type }) => type === "command")).toBe(true);
  });

  it("CC-S10 a failing hook shows what to do, because Claude Code shows its address", () => {
    for (const { url } of all.filter(({ type }) => type === "http")) {
      expect(url).toMatch(/#Conduct:if-this-is-all-you-see.*run-conduct-doctor$/);
      expect(new URL(String(url)).pathname).toBe("/hooks/claude-code");
    }
  });

  it.each([
    { what: "another token", change: (text: string) => text.replace("Bearer t", "Bearer u"), faults: 1 },
    { what: "hooks switched off", change: (text: string) => text.replace("{", '{"disableAllHooks": true,'), faults: 1 },
    { what: "no hooks", change: () => "{}", faults: EVENTS.length },
    { what: "no JSON", change: () => "{", faults: 1 },
  ])("CC-S11 the settings check finds $what", ({ change, faults }) => {
    const text = change(mergeClaudeCodeSettings("{}", ours));
    expect(claudeCodeSettingsFaults(text, ours)).toHaveLength(faults);
  });
});
