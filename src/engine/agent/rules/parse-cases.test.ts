import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { caseJsonSchema, parseCaseCall, parseCases, parseSession, toolCallOf } from "./parse-cases.ts";
import { parseRules } from "./parse-rules.ts";

const RULES = { actions: {}, rules: [{ id: "one", on: ["shell"], effect: "deny" }] } as const;

function told(text: string): readonly string[] {
  const parsed = parseCases(text, "cases.yaml", RULES);
  const faults = "faults" in parsed ? parsed.faults : [];
  return faults.map(
    ({ line, column, message, hint }) => `${line}:${column} ${message}${hint === undefined ? "" : ` -> ${hint}`}`,
  );
}

const call = (body: string) => `cases:\n- { name: a, calls: [{ ${body} }] }\n`;

describe("cases", () => {
  it.each([
    ["", "1:1 the file must be a map, and is empty"],
    ["cases: []", "1:8 'cases' must not be empty"],
    ["cases: [{ name: a, calls: [] }]", "1:27 'calls' must not be empty"],
    ["cases: [{ calls: [{ shell: x }] }]", "1:9 'name' is missing"],
    [call("shell: x, expect: deny onne"), "2:47 there is no rule 'onne' -> did you mean 'one'?"],
    [call("shell: x, expect: allow one"), "2:42 'allow' takes no rule id -> write only 'allow'"],
    [
      call("shell: x, expect: refuse"),
      "2:42 'expect' must be one of allow, end-turn, deny, soft-deny, ask, warn, remind, shadow, followed by the rule's id (except for allow), such as 'deny read-before-write', not \"refuse\"",
    ],
    [call("shell: x, outcom: ok"), "2:34 unknown key 'outcom' -> did you mean 'outcome'?"],
    [
      call("expect: allow"),
      "2:22 'calls[0]' must have exactly one of 'call', 'shell', 'read_file', 'write_file', 'edit_file'",
    ],
    [call("shell: x, after: 10"), "2:41 'after' must be a duration above 0, such as 90s, 2m or 1.5h, not 10"],
  ])("RC-1 the fault in the case %j is reported with its position", (text, fault) => {
    expect(told(text)).toEqual([fault]);
  });

  it("RC-2 a call in short form is read as a full call", () => {
    expect(toolCallOf({ shell: "ls" })).toEqual({ tool: "shell", args: { command: "ls" } });
    expect(toolCallOf({ edit_file: "a" })).toEqual({ tool: "edit_file", args: { path: "a" } });
    expect(toolCallOf({ call: { tool: "pay" } })).toEqual({ tool: "pay", args: {} });
  });

  it("RC-3 a case's session is a list of calls, or a map with further keys", () => {
    expect(parseSession("- shell: ls\n", "s")).toEqual({ session: { calls: [{ shell: "ls" }] } });
    expect(parseSession("files: { a: b }\ncalls: []\n", "s")).toEqual({ session: { files: { a: "b" }, calls: [] } });
    expect(parseSession("- shel: ls\n", "s")).toHaveProperty("faults");
    expect(parseSession("[", "s")).toHaveProperty("faults");
  });

  it.each([
    ['{"tool":"pay","args":{"a":1}}', { call: { call: { tool: "pay", args: { a: 1 } } } }],
    ['{"shell":"ls"}', { call: { shell: "ls" } }],
    ["shell: ls", { call: { shell: "ls" } }],
  ])("RC-4 --call accepts %s", (text, parsed) => {
    expect(parseCaseCall(text, "--call")).toEqual(parsed);
  });

  it.each(['{"tool":3}', "{", "[]", '"ls"', '{"tool":"a","arg":{}}'])("RC-5 --call rejects %s", (text) => {
    expect(parseCaseCall(text, "--call")).toHaveProperty("faults");
  });

  it("RC-6 docs/schema/cases.schema.json is current: npm run -s conduct -- policy schema --cases > docs/schema/cases.schema.json", async () => {
    const kept = await readFile(new URL("../../../../docs/schema/cases.schema.json", import.meta.url), "utf8");
    expect(kept).toBe(`${JSON.stringify(caseJsonSchema(), null, 2)}\n`);
  });

  it("RC-7 the examples in docs/reference/rules.md are valid", async () => {
    const text = await readFile(new URL("../../../../docs/reference/rules.md", import.meta.url), "utf8");
    const blocks = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
    const rules = blocks.filter((block) => /^(#.*\n)?(actions|rules|tools):/.test(block));
    expect(rules.length).toBeGreaterThanOrEqual(3);
    for (const block of rules) expect(parseRules(block, "docs"), block).toHaveProperty("ruleSet");
    const ids = ["read-before-write", "delete-tree-asks"].map((id) => ({ id, on: ["shell"], effect: "ask" }) as const);
    for (const block of blocks.filter((one) => one.startsWith("cases:"))) {
      expect(parseCases(block, "docs", { actions: {}, rules: ids })).toHaveProperty("cases");
    }
  });
});
