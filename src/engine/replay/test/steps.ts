import fc from "fast-check";
import type { Outcome } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Modes } from "../../../base/words/modes.ts";
import type { Part } from "../../../base/words/result.ts";
import type { CallLeaf, Condition, Effect, Rule, RuleSet } from "../../../base/words/rule.ts";

const TOOLS = ["read_file", "write_file", "edit_file", "shell", "login", "transfer", "ask_server"] as const;
const NAMES = [...TOOLS, "test", "deploy"];

export type Step =
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly args: JsonObject;
      readonly step?: string;
      readonly cwd?: string;
      readonly outcome: Outcome | "none";
      readonly parts: readonly Part[];
    }
  | {
      readonly kind: "batch";
      readonly calls: readonly { readonly tool: string; readonly args: JsonObject }[];
      readonly step: string;
    }
  | { readonly kind: "again"; readonly times: number }
  | { readonly kind: "message"; readonly text: string; readonly role: "operator" | "user" | undefined }
  | { readonly kind: "modes"; readonly modes: Partial<Modes> }
  | { readonly kind: "answer"; readonly answer: "yes" | "no" }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "file"; readonly path: string; readonly content: string | null }
  | { readonly kind: "pause"; readonly on: boolean }
  | {
      readonly kind: "plain";
      readonly what:
        | "snapshot"
        | "restore"
        | "reset"
        | "compacted"
        | "prompt"
        | "stop"
        | "step-closed"
        | "resume"
        | "agent"
        | "usage"
        | "child"
        | "ended"
        | "custom"
        | "directive"
        | "twice"
        | "unreadable";
    };

const args = fc.oneof(
  fc.record({ path: fc.constantFrom("a", "a", "b", "../x", "sub/../a", "/w/secret") }),
  fc.record({ user: fc.constantFrom("ann", "bob"), amount: fc.constantFrom(1, 50, 5_000) }),
  fc.record({
    command: fc.constantFrom(
      "npm test",
      "npm test && true",
      "npm run deploy",
      "cat a > b",
      "rm a",
      "conduct status",
      "npm run deploy",
      "curl -H 'Authorization: Bearer abcdef0123456789abcdef'",
    ),
  }),
  fc.record({ path: fc.constantFrom("a", "b"), password: fc.constantFrom("hunter2hunter2", "other-secret-9") }),
  fc.constant({}),
);

const parts = fc.constantFrom<readonly Part[]>(
  [{ kind: "text", text: "fine" }],
  [{ kind: "text", text: "not so fine" }],
  [{ kind: "json", value: { n: 1, __directives: { requireBeforeNext: ["test"], escalateToOwner: false } } }],
);

export const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record(
      {
        kind: fc.constant("call" as const),
        tool: fc.constantFrom(...TOOLS),
        args,
        step: fc.constantFrom("1", "1", "2", "2", "over"),
        cwd: fc.constantFrom("/w", "/other"),
        outcome: fc.constantFrom<Outcome | "none">(
          "ok",
          "ok",
          "ok",
          "ok",
          "failed",
          "unknown",
          "cancelled",
          "denied",
          "none",
        ),
        parts,
      },
      { requiredKeys: ["kind", "tool", "args", "outcome", "parts"] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("batch" as const),
      calls: fc.array(fc.record({ tool: fc.constantFrom(...TOOLS), args }), { minLength: 1, maxLength: 4 }),
      step: fc.constantFrom("4", "5"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("again" as const), times: fc.constantFrom(1, 4, 8, 22) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("message" as const),
      text: fc.constantFrom("go on", "/elevated on", "/elevated on please", "/verbose", "/elevated 5m do it"),
      role: fc.constantFrom("operator" as const, "user" as const, undefined),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("modes" as const),
      modes: fc.constantFrom<Partial<Modes>>({ elevated: true }, { elevated: false }, { verbose: true }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      answer: fc.constantFrom("yes" as const, "no" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      ms: fc.constantFrom(1, 1_000, 59_999, 60_000, 130_000, 700_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("file" as const),
      path: fc.constantFrom("/w/a", "/w/b"),
      content: fc.constantFrom("one", "two", null),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pause" as const), on: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("plain" as const),
      what: fc.constantFrom(
        "snapshot",
        "restore",
        "restore",
        "snapshot",
        "restore",
        "reset",
        "compacted",
        "prompt",
        "stop",
        "step-closed",
        "resume",
        "agent",
        "usage",
        "child",
        "unreadable",
        "ended",
        "custom",
        "directive",
        "twice",
      ),
    }),
  },
);

const leaf: fc.Arbitrary<CallLeaf> = fc.record(
  {
    kind: fc.constant("call" as const),
    call: fc.constantFrom(...NAMES),
    same: fc.constantFrom([], [{ mine: "path", theirs: "path" }], [{ mine: "user", theirs: "user" }]),
    fresh: fc.constant(false),
    within: fc.constantFrom(60_000, 120_000),
    since: fc.constantFrom("write_file", "login"),
    counts: fc.constantFrom("succeeded" as const, "allowed" as const),
  },
  { requiredKeys: ["kind", "call", "same", "fresh", "counts"] },
);
const fresh: CallLeaf = {
  kind: "call",
  call: "read_file",
  same: [{ mine: "path", theirs: "path" }],
  fresh: true,
  counts: "succeeded",
};
const condition: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 3, arbitrary: leaf },
  { weight: 1, arbitrary: fc.constant(fresh) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("all" as const, "any" as const),
      of: fc.array(leaf, { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 1, arbitrary: leaf.map((of): Condition => ({ kind: "not", of })) },
);

const rule = fc.record(
  {
    on: fc.array(fc.constantFrom(...NAMES, "*_file"), { minLength: 1, maxLength: 2 }),
    unless: fc.constantFrom("!fileExists(args.path)", "session.elevated", "args.amount < 10"),
    when: fc.constantFrom(
      "args.amount > 10",
      "session.turn > 1",
      "has(args.path)",
      'session.channel == "web"',
      'args.command.contains("rm")',
    ),
    require: condition,
    atMost: fc.constantFrom({ count: 1, per: ["user"] }, { count: 2, per: [] }),
    set: fc.constantFrom<JsonObject>({ timeout: 60 }, { path: "b" }),
    effect: fc.constantFrom<Effect>("deny", "deny", "soft-deny", "ask", "ask", "warn", "remind", "shadow", "end-turn"),
  },
  { requiredKeys: ["on", "effect"] },
);

export const ruleSetArbitrary: fc.Arbitrary<RuleSet> = fc.array(rule, { maxLength: 5 }).map((rules) => ({
  actions: {
    test: { tool: "shell", command: "npm test *", implies: ["tested"] },
    deploy: { tool: "shell", command: "npm run deploy *" },
  },
  rules: rules.map((one, at) => ({ id: `r${at}`, ...one, place: { file: "rules.yaml", line: at + 1 } }) as Rule),
}));
