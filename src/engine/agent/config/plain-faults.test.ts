import { expect, it } from "vitest";
import { stringify } from "yaml";
import { parseCases } from "../rules/parse-cases.ts";
import { parseRules } from "../rules/parse-rules.ts";
import type { ConfigFault } from "./config-source.ts";
import { parseConfig } from "./parse-config.ts";

const action = { tool: "shell", command: "npm test" };
const rule = { id: "r", on: "shell", when: "true", unless: "false", say: "x", require: "test", effect: "deny" };
const SAMPLES = {
  config: {
    agents: {
      a: {
        model: "anthropic/x",
        runtime: "pi",
        identity: { name: "A", vibe: "b", description: "c" },
        soul: "x",
        sections: [{ heading: "Hi", content: "x", tools: ["shell"], policies: [{ readBeforeWrite: null }] }],
        tools: [{ name: "shell", description: "x", risk: "low", paths: { path: "read" }, args: ["path"] }],
        actions: { test: action },
        policies: [{ name: "p", sequential: { test: ["shell"] }, rearmOnCompaction: true }],
        rules: ["packs/coding", { ...rule, atMost: { calls: 3, per: ["path"] } }],
        feedback: [
          { deadline: { warnAt: "2m" }, every: { seconds: 3, calls: 2 } },
          { static: "x", on: { fileCreated: "x" } },
        ],
        completion: { files: ["x"], evidence: ["test"], command: { run: "x", timeout: "2m" }, any: true },
        network: ["x.org"],
        limits: { tokens: 3, cost: 1, time: "2m", toolResultShare: 0.3 },
        trustedTools: [{ server: "s", tool: "t" }],
        promptContributors: [
          { id: "c", tags: [{ dimension: "domain", value: "security" }], priority: 3, content: "x" },
        ],
        prompt: { mode: "full", budget: 3, docs: ["x"], voice: "x" },
        sessionLabels: { enabled: true, model: "local/rules", every: 3, wait: "2s" },
        memory: "off",
        checkpoints: { review_plan: "x" },
      },
    },
    channels: { pager: { guidance: "x", interactive: false, operators: [1], strangers: "refuse", agent: "a" } },
    gateway: { url: "https://x.org", origins: ["https://x.org"], streams: 3, programs: ["x"] },
    review: { at: "08:15", model: "a/b", threshold: 0.5, runner: "off", digest: { file: "x", telegram: 3 } },
    schedules: [{ id: "x", agent: "a", user: "b", cron: "0 8 * * *", say: "x", deliver: { channel: "c" } }],
    models: { "a/b": { baseUrl: "https://x.org", api: "openai-completions", key: "K" } },
  },
  rules: { tools: [{ name: "shell" }], actions: { test: action }, rules: [rule] },
  cases: {
    cases: [{ name: "x", rule: "r", calls: [{ shell: "npm test", expect: "deny", outcome: "ok", after: "5m" }] }],
  },
};
const PARSERS: { readonly [K in keyof typeof SAMPLES]: (text: string) => object } = {
  config: (text) => parseConfig(text, "f"),
  rules: (text) => parseRules(text, "f"),
  cases: (text) => parseCases(text, "f", { actions: {}, rules: [] }),
};
const WRONG = [null, 1, -1, 1e99, "", "zz", "2 weeks", true, [], {}, { zz: 1 }, [1], [null], [[]], [{}]];
/** How the schema library words its own messages. */
const RAW = /Invalid (?:input|string|key)|received |Too (?:big|small)|Unrecognized|\[object|undefined|NaN/;

function* placesIn(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    yield [...path, key];
    yield* placesIn(Reflect.get(value, key), [...path, key]);
  }
}

function replaced(value: unknown, [key, ...rest]: readonly string[], wrong: unknown): unknown {
  if (key === undefined) return wrong;
  const copy: object = Array.isArray(value) ? [...value] : { ...(value as object) };
  Reflect.set(copy, key, replaced(Reflect.get(copy, key), rest, wrong));
  return copy;
}

it.each(["config", "rules", "cases"] as const)(
  "CFG-1 a wrong value anywhere in a %s file is reported in our words, with its line and column",
  (kind) => {
    for (const path of placesIn(SAMPLES[kind])) {
      for (const wrong of WRONG) {
        const found: { faults?: readonly ConfigFault[]; warnings?: readonly ConfigFault[] } = PARSERS[kind](
          stringify(replaced(SAMPLES[kind], path, wrong)),
        );
        for (const { message, hint, line, column } of [...(found.faults ?? []), ...(found.warnings ?? [])]) {
          expect(`${message} ${hint ?? ""}`, `${path.join(".")} = ${JSON.stringify(wrong)}`).not.toMatch(RAW);
          expect(Math.min(line, column)).toBeGreaterThan(0);
        }
      }
    }
  },
);

const warningsIn = (text: string) => {
  const parsed = parseConfig(text, "f");
  return "faults" in parsed ? parsed.faults : parsed.warnings;
};

it.each([
  ["agents: { a: { tools: [{ name: shel }] } }", "no runtime has a tool 'shel'", "did you mean 'shell'?"],
  ["agents: { a: { trustedTools: [{ tool: raed_file }] } }", "no tool 'raed_file' is declared", "'read_file'"],
  ["agents: { a: { actions: { t: { tool: shelll } } } }", "no tool 'shelll' is declared", "'shell'"],
  ["agents: { ada: {} }\nschedules: [{ agent: adda, user: u, cron: 0 8 * * *, say: x }]", "no agent 'adda'", "'ada'"],
  ["agents: { ada: {} }\nchannels: { telegram: { agent: bob } }", "no agent 'bob'", "defined: ada"],
])("CFG-2 %s names what is unknown, and the closest name", (text, message, hint) => {
  expect(warningsIn(text)).toMatchObject([
    { message: expect.stringContaining(message), hint: expect.stringContaining(hint) },
  ]);
});

it("CFG-3 own tools, tools of servers and defined agents are not doubted", () => {
  const tools =
    "tools: [{ name: my_tool }, { name: files/read }], trustedTools: [{ server: s, tool: t }, { tool: my_tool }]";
  expect(warningsIn(`agents: { a: { ${tools} } }\nchannels: { telegram: { agent: a } }`)).toEqual([]);
});
