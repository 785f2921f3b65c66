import fc from "fast-check";
import { canonicalJson, quickHash } from "../../../base/kernel/canonical-json.ts";
import type { AgentSection, AnyPolicy } from "../../../base/words/hosting/agent.ts";
import type { Json } from "../../../base/words/json.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import type { RuleSet } from "../../../base/words/rule.ts";
import { ReadBeforeWritePolicy } from "../../../behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { deny } from "../../../behavior/policy/policy-decision.ts";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";
import { defineAgent } from "../../agent/define-agent.ts";

const NAMES = ["bound", "counting", "gathering", "settling", "nosy", "rewriting", "failing", "forgetful"] as const;
type CodePolicy = (typeof NAMES)[number];

type HardRule = { readonly text: string; readonly scope: string; readonly enforced: boolean };

/** A session's conditions other than its rules. */
export type Setting = {
  readonly shadow: boolean;
  readonly channel: string;
  readonly user: string | undefined;
  readonly elevated: boolean;
  /** Whether the agent's rules come before its code policies. */
  readonly rulesFirst: boolean;
  readonly code: readonly CodePolicy[];
  readonly standing: readonly HardRule[];
  readonly calls: number;
  readonly time: number | undefined;
  readonly unfinished: number;
};

export const PLAIN: Setting = {
  shadow: false,
  channel: "web",
  user: "ann",
  elevated: false,
  rulesFirst: true,
  code: [],
  standing: [],
  calls: 1_000,
  time: undefined,
  unfinished: 0,
};

const standing = fc.record({
  text: fc.constantFrom(
    "{ on: login, require: { call: read_file } }",
    "{ on: shell, effect: ask }",
    "{ on: write_file, require: { call: login, within: 2m } }",
    '{ on: transfer, when: "args.amount > 10", effect: warn }',
    "{ on: [edit_file, login], atMost: { count: 2 } }",
    "{ on: read_file, set: { path: b } }",
  ),
  scope: fc.constantFrom(
    "global",
    "agent:agent",
    "agent:other",
    "channel:web",
    "channel:telegram",
    "user:ann",
    "user:bob",
  ),
  enforced: fc.boolean(),
});

export const settingArbitrary: fc.Arbitrary<Setting> = fc.record({
  shadow: fc.constantFrom(false, false, false, true),
  channel: fc.constantFrom("web", "telegram"),
  user: fc.constantFrom("ann", "bob", undefined),
  elevated: fc.constantFrom(false, false, false, true),
  rulesFirst: fc.boolean(),
  code: fc.subarray([...NAMES]),
  standing: fc.array(standing, { maxLength: 2 }),
  calls: fc.constantFrom(8, 30, 1_000),
  time: fc.constantFrom(undefined, undefined, 900_000),
  unfinished: fc.constantFrom(0, 1),
});

/** The standing rules of a setting, as an operator would write them. */
export function standingTexts({ standing: rules }: Setting) {
  return rules.map(({ text, ...one }, at) => ({
    ...one,
    rule: `s${at}`,
    text: `rules:\n  - ${text.replace("{", `{ id: s${at},`)}\n`,
  }));
}

/** Two agents, so that one can hand over to the other. */
export function agentsOf(ruleSet: RuleSet, { rulesFirst, code, calls, time, unfinished }: Setting = PLAIN) {
  let left = unfinished;
  return ["agent", "other"].map((name) => {
    const ours: readonly AnyPolicy[] =
      name === "agent"
        ? [new ReadBeforeWritePolicy()]
        : [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] }, rearmOnCompaction: true })];
    const rules = new RulesPolicy(ruleSet);
    const policies = rulesFirst ? [rules, ...ours] : [...ours, rules];
    return defineAgent({
      name,
      actions: ruleSet.actions,
      tools: [{ name: "transfer", risk: "high" }],
      trustedTools: [{ tool: "ask_server" }],
      sections: code.includes("bound") ? [SECTION] : [],
      limits: { calls, ...(time === undefined ? {} : { time }) },
      sessionLabels: { enabled: true, model: "local/rules", every: 2 },
      completion: { check: () => ({ complete: left-- <= 0 }) },
      policies: [...policies, ...code.flatMap((one) => (one === "bound" ? [] : [CODE[one]]))],
    });
  });
}

/** A section whose policy applies only to its own tools. */
const SECTION: AgentSection = {
  heading: "Files",
  content: "",
  tools: ["edit_file"],
  policies: [{ name: "bound", check: ({ args }) => (args.path === "b" ? deny("not that one") : { kind: "allow" }) }],
};

/** Third-party policies, each deciding by another of a policy's inputs. */
const CODE: { readonly [name in Exclude<CodePolicy, "bound">]: AnyPolicy } = {
  /** Decides by its own state, which counts decisions. */
  counting: {
    name: "counting",
    initial: 0,
    check: (_call, { state }) => {
      if (state % 7 === 6) return deny("seven", { key: "seven" });
      return state % 5 === 4 ? { kind: "ask", question: "five?" } : { kind: "allow" };
    },
    onDecided: (_call, { kind }, { state }) => (kind === "ask" ? state : state + 1),
  } satisfies ToolPolicy<number>,
  /** Decides by gathered facts. */
  gathering: {
    name: "gathering",
    gather: async (call, { filesystem }): Promise<Json> => {
      const found = await filesystem?.look("/w/a");
      if (call.tool === "ask_server" && found?.version === "two") throw new Error("it does not answer");
      return { there: found?.exists === true, of: call.tool };
    },
    check: ({ tool }, { facts }) => {
      const found = facts.policies.gathering as { readonly there?: boolean } | undefined;
      return tool === "login" && found?.there === false ? deny("no file") : { kind: "allow" };
    },
  } satisfies ToolPolicy,
  /** Decides by how calls end. */
  settling: {
    name: "settling",
    initial: { last: "", times: 0 },
    rearmOnCompaction: true,
    check: ({ tool }, { state }) => (tool === "login" && state.times > 2 ? deny("again") : { kind: "allow" }),
    onSettled: ({ tool }, outcome, { state, resultHash }) => {
      const last = `${tool} ${outcome} ${resultHash}`;
      return { last, times: last === state.last ? state.times + 1 : 0 };
    },
  } satisfies ToolPolicy<{ last: string; times: number }>,
  /** Decides by everything in the session view, except children's calls in `usage`: those are not in its events. */
  nosy: {
    name: "nosy",
    check: ({ tool }, { session, permissions }) => {
      const { id, parent, agent, user, channel, custom, classification, turn, now, startedAt, modes } = session;
      const { inputTokens } = session.usage;
      const calls = session.recentCalls(4).map(({ argsHash: _, ...one }) => one);
      const proven = ["test", "read_file", "login", "deploy"].map((name) => session.evidence(name) ?? null);
      const seen = {
        id,
        parent,
        agent,
        user,
        channel,
        custom,
        classification,
        turn,
        now,
        startedAt,
        modes,
        inputTokens,
      };
      const all = quickHash(canonicalJson([seen, calls, proven, permissions, session.callCount, tool]));
      return (all.charCodeAt(0) + all.charCodeAt(1)) % 6 === 0
        ? deny("seen enough", { key: "nosy" })
        : { kind: "allow" };
    },
  } satisfies ToolPolicy,
  rewriting: {
    name: "rewriting",
    rewrites: true,
    check: ({ tool, args }) =>
      tool === "login" && args.limit === undefined
        ? { kind: "rules", findings: [], input: { ...args, limit: 10 } }
        : { kind: "allow" },
  } satisfies ToolPolicy,
  /** Throws occasionally. */
  failing: {
    name: "failing",
    check: ({ args }) => {
      if (args.amount === 5_000) throw new Error("that much");
      return { kind: "allow" };
    },
  } satisfies ToolPolicy,
  /** Decides by result contents after the step's end, which are not recorded. */
  forgetful: {
    name: "forgetful",
    initial: 0,
    check: ({ tool }, { state }) => (tool === "transfer" && state > 2 ? deny("enough") : { kind: "allow" }),
    onResult: (_call, { parts }, { state }) =>
      parts.some((part) => part.kind === "text" && part.text.includes("not so")) ? state + 1 : state,
  } satisfies ToolPolicy<number>,
};
